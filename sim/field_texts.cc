#include "sim/field_texts.h"

#include <string>
#include <string_view>
#include <vector>

namespace zablab {

using json_detail::SchemaBuilder, json_detail::StructType, json_detail::Type, json_detail::VariantType;

namespace {

/// Writes the values that a type's JSON Schema allows.
class ValueText {
 public:
  explicit ValueText(const Type& type) : builder_(""), schema_(type.schema(builder_)) {}
  std::string text() const { return of(schema_); }

 private:
  std::string of(const Json& schema) const {
    if (schema.contains("$ref")) return ofStruct(definition(schema));
    for (const char* either : {"anyOf", "oneOf"}) {
      if (schema.contains(either)) return ofAlternatives(schema.at(either));
    }
    if (schema.contains("enum")) return joined(schema.at("enum"), " | ", &ValueText::plain);
    const std::string type = schema.value("type", "");
    if (type == "boolean") return "true | false";
    if (type == "integer") return "number";
    if (type == "string") return "text";
    if (type == "array" && schema.contains("prefixItems"))
      return "[" + joined(schema.at("prefixItems"), ", ", [&](const Json& item) { return of(item); }) + "]";
    if (type == "array") return "[" + of(schema.at("items")) + "]";
    if (type == "object" && schema.contains("properties")) return ofStruct(schema);
    if (type == "object" && schema.contains("additionalProperties"))
      return (schema.contains("propertyNames") ? "{number: " : "{text: ") +
             of(schema.at("additionalProperties")) + "}";
    return type.empty() ? "any" : type;
  }

  /// Structs that are told apart by their `type` have only this.
  std::string ofAlternatives(const Json& alternatives) const {
    std::vector<std::string> texts, types;
    for (const Json& one : alternatives) {
      const Json* const tagged = one.contains("$ref") ? &definition(one) : nullptr;
      const bool has_type = tagged != nullptr && tagged->at("properties").contains("type") &&
                            tagged->at("properties").at("type").contains("const");
      if (has_type) {
        types.push_back(plain(tagged->at("properties").at("type").at("const")));
      } else {
        texts.push_back(of(one));
      }
    }
    const auto itself = [](const std::string& text) { return text; };
    if (!types.empty()) texts.insert(texts.begin(), "{type: " + joined(types, " | ", itself) + "}");
    return joined(texts, " | ", itself);
  }
  static std::string ofStruct(const Json& definition) {
    std::vector<std::string> names;
    if (definition.contains("properties")) {
      for (const auto& member : definition.at("properties").items()) names.push_back(member.key());
    }
    return "{" + joined(names, ", ", [](const std::string& name) { return name; }) + "}";
  }

  const Json& definition(const Json& reference) const {
    constexpr std::string_view before = "#/$defs/";
    return builder_.definitions().at(reference.at("$ref").get<std::string>().substr(before.size()));
  }
  static std::string plain(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  template <class Items, class Text>
  static std::string joined(const Items& items, std::string_view separator, const Text& text) {
    std::string result;
    for (const auto& item : items) {
      if (&item != &*items.begin()) result += separator;
      result += text(item);
    }
    return result;
  }

  SchemaBuilder builder_;
  Json schema_;
};

std::string textOf(const StructType& type) {
  std::string text;
  for (const StructType::Member& member : type.about.members) {
    if (!text.empty()) text += "; ";
    text += std::string(member.name) + ": " + ValueText(member.type()).text();
  }
  return text.empty() ? "no fields" : text;
}

NamesAndTexts textsOf(const VariantType& types) {
  NamesAndTexts texts;
  types.forEach([&](const StructType& type, std::size_t) {
    texts.emplace_back(std::string(type.about.name), textOf(type));
  });
  return texts;
}

}  // namespace

NamesAndTexts eventTexts(const PatternTypes& types) {
  NamesAndTexts texts = textsOf(types.event);
  for (const std::string& kind : PatternChecker(types, {}).kinds()) {
    if (types.event.find(kind) == nullptr)
      texts.emplace_back(kind, "in every protocol's traces (docs/traces.md)");
  }
  return texts;
}
NamesAndTexts messageTexts(const PatternTypes& types) { return textsOf(types.message); }
NamesAndTexts recordTexts(const PatternTypes& types) { return textsOf(types.record); }
NamesAndTexts stateTexts(const PatternTypes& types) {
  NamesAndTexts texts{{"up", "true | false"}, {"disk", ValueText(types.durable).text()}};
  for (const StructType::Member& member : types.node.about.members)
    texts.emplace_back(std::string(member.name), ValueText(member.type()).text());
  return texts;
}

}  // namespace zablab
