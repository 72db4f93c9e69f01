#include "tests/fuzz/json_mutator.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <utility>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace zablab::fuzz {
namespace {

constexpr std::size_t depth_max = 80;  // a little more than the reader accepts

void collect(const Json& schema, std::set<std::string>& words) {
  if (schema.is_object()) {
    for (const auto& [key, value] : schema.items()) {
      if (key == "properties") {
        for (const auto& property : value.items()) words.insert(property.key());
      }
      if (key == "const" && value.is_string()) words.insert(value.get<std::string>());
      if (key == "enum") {
        for (const Json& name : value) {
          if (name.is_string()) words.insert(name.get<std::string>());
        }
      }
      collect(value, words);
    }
  } else if (schema.is_array()) {
    for (const Json& element : schema) collect(element, words);
  }
}

/// The document, unless it is not one or is nested so deeply that walking it would overflow the stack.
std::optional<Json> parse(const std::uint8_t* data, std::size_t size) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const std::uint8_t byte : std::string_view(reinterpret_cast<const char*>(data), size)) {
    if (byte == '[' || byte == '{') deepest = std::max(deepest, ++depth);
    if ((byte == ']' || byte == '}') && depth > 0) --depth;
  }
  if (deepest > depth_max) return std::nullopt;
  Json document = Json::parse(data, data + size, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  return document;
}

std::vector<Json*> nodesOf(Json& document) {
  std::vector<Json*> nodes{&document};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]->is_structured()) continue;
    for (Json& child : *nodes[i]) nodes.push_back(&child);
  }
  return nodes;
}

std::size_t put(const Json& document, std::uint8_t* out, std::size_t out_max) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > out_max) return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

class Mutation {
 public:
  Mutation(unsigned seed, const std::vector<std::string>& words) : random_(seed), words_(words) {}

  std::size_t below(std::size_t count) { return random_() % count; }
  template <class List>
  const auto& oneOf(const List& list) {
    return list[below(list.size())];
  }

  void change(Json& document) {
    Json& node = *oneOf(nodesOf(document));
    switch (below(7)) {
      case 0: node = scalar(); break;
      case 1: {
        Json other = *oneOf(nodesOf(document));
        node = std::move(other);
        break;
      }
      case 2: remove(node); break;
      case 3: {
        Json other = *oneOf(nodesOf(document));
        add(node, std::move(other));
        break;
      }
      case 4: add(node, scalar()); break;
      case 5: rename(node); break;
      default: nudge(node); break;
    }
  }

 private:
  Json scalar() {
    constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t numbers[] = {
        0,       1,         2,          3,         4,         5,       7,           31,        32,
        -1,      100,       200,        1000,      5000,      10'000,  1'000'000,   86400'000, 600000,
        1 << 30, 1LL << 31, 0xffffffff, 1LL << 32, 1LL << 53, largest, largest - 1, smallest};
    static const std::vector<Json> others{nullptr,
                                          true,
                                          false,
                                          "",
                                          std::numeric_limits<std::uint64_t>::max(),
                                          0.5,
                                          1e300,
                                          Json::array(),
                                          Json::object(),
                                          "none",
                                          "observer",
                                          "1.1",
                                          "1.2",
                                          "2.0",
                                          "0.0",
                                          "2147483647.4294967295",
                                          "1.300"};
    switch (below(4)) {
      case 0: return oneOf(others);
      case 1: return oneOf(words_);
      default: return oneOf(numbers);
    }
  }

  const std::int64_t& oneOf(const std::int64_t (&list)[26]) { return list[below(26)]; }

  void add(Json& node, Json value) {
    if (node.is_object()) {
      node[oneOf(words_)] = std::move(value);
    } else if (node.is_array()) {
      const auto at = static_cast<std::ptrdiff_t>(below(node.size() + 1));
      node.insert(node.begin() + at, std::move(value));
    } else {
      node = std::move(value);
    }
  }

  void remove(Json& node) {
    if (!node.is_structured() || node.empty()) {
      node = scalar();
      return;
    }
    node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
  }

  void rename(Json& node) {
    if (!node.is_object() || node.empty()) return nudge(node);
    const auto at = std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size())));
    Json value = at.value();
    node.erase(at);
    node[oneOf(words_)] = std::move(value);
  }

  void nudge(Json& node) {
    if (node.is_number_integer()) {
      const auto value = node.get<std::uint64_t>() + below(5) - 2;
      node = static_cast<std::int64_t>(value);
    } else if (node.is_string()) {
      std::string text = node.get<std::string>();
      const std::size_t size = text.size();
      text.resize(size + 16);
      text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
      node = text;
    } else {
      node = scalar();
    }
  }

  std::minstd_rand random_;
  const std::vector<std::string>& words_;
};

}  // namespace

std::vector<std::string> wordsOf(std::initializer_list<Json> schemas) {
  std::set<std::string> words;
  for (const Json& schema : schemas) collect(schema, words);
  return {words.begin(), words.end()};
}

std::size_t mutateJson(std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed,
                       const std::vector<std::string>& words) {
  Mutation mutation(seed, words);
  std::optional<Json> document;
  if (mutation.below(8) != 0) document = parse(data, size);
  if (!document) return LLVMFuzzerMutate(data, size, size_max);
  for (std::size_t changes = 1 + mutation.below(3); changes > 0; --changes) mutation.change(*document);
  const std::size_t changed = put(*document, data, size_max);
  return changed == 0 ? LLVMFuzzerMutate(data, size, size_max) : changed;
}

std::size_t crossJson(const std::uint8_t* data1, std::size_t size1, const std::uint8_t* data2,
                      std::size_t size2, std::uint8_t* out, std::size_t out_max, unsigned seed) {
  std::optional<Json> document = parse(data1, size1);
  std::optional<Json> other = parse(data2, size2);
  if (!document || !other) return 0;
  std::minstd_rand random(seed);
  const auto oneOf = [&](const std::vector<Json*>& nodes) { return nodes[random() % nodes.size()]; };
  Json* const target = oneOf(nodesOf(*document));
  Json* const part = oneOf(nodesOf(*other));
  if (target->is_array() && random() % 2 == 0) {
    target->push_back(*part);
  } else {
    *target = *part;
  }
  return put(*document, out, out_max);
}

}  // namespace zablab::fuzz
