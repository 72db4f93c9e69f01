#include "sim/phrase.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/trace.h"

namespace zablab {

Phrase Phrase::ofPattern(std::string_view pattern, std::vector<Phrase> parts) {
  Phrase phrase{pattern};
  phrase.parts_ = std::move(parts);
  phrase.is_ = Is::pattern;
  return phrase;
}

namespace {

Phrase fromJson(const Json& said) {
  if (said.is_string()) return said.get_ref<const std::string&>();
  std::vector<Phrase> parts;
  for (std::size_t i = 1; i < said.size(); ++i) parts.push_back(fromJson(said[i]));
  const std::string& pattern = said.front().get_ref<const std::string&>();
  const bool is_list = !parts.empty() && startOf(pattern).place.empty();
  return is_list ? Phrase::list(std::move(parts), pattern) : Phrase::ofPattern(pattern, std::move(parts));
}

}  // namespace

Phrase Phrase::of(const TraceEvent& event) {
  return event.said.is_null() ? Phrase(event.text) : fromJson(event.said);
}
Phrase Phrase::of(const TraceVerdict& verdict) {
  return verdict.said.is_null() ? Phrase(verdict.text) : fromJson(verdict.said);
}

Phrase Phrase::list(std::vector<Phrase> parts, std::string_view separator) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return std::move(parts.front());
  Phrase phrase = ofPattern(separator, std::move(parts));
  phrase.is_ = Is::list;
  return phrase;
}

Phrase Phrase::ofNode(Is is, ServerId id) {
  if (id == no_server) return phrase("nobody");
  Phrase phrase(id);
  phrase.is_ = is;
  return phrase;
}

std::string Phrase::english() const {
  switch (is_) {
    case Is::text:
    case Is::node: return text_;
    case Is::server: return "server " + text_;
    case Is::client: return "client " + text_;
    case Is::list: {
      std::string all;
      for (const Phrase& part : parts_) all += (all.empty() ? "" : text_) + part.english();
      return all;
    }
    case Is::pattern: break;
  }
  std::string all;
  std::string_view rest = text_;
  for (const Phrase& part : parts_) {
    const PatternStart start = startOf(rest);
    all += start.literal;
    all += part.english();
    rest = start.rest;
  }
  return all.append(rest);
}

Phrase Phrase::named(const Names& names) const {
  if (is_ == Is::text) return *this;
  if (is_ == Is::pattern || is_ == Is::list) {
    Phrase copy = *this;
    for (Phrase& part : copy.parts_) part = part.named(names);
    return copy;
  }
  const std::string name = names(std::stoll(text_));
  if (is_ == Is::server && name == text_) return ofPattern(server_pattern, {name});
  if (is_ == Is::client && !name.starts_with("client")) return phrase("client {id}", name);
  return name;
}

Json Phrase::part() const {
  switch (is_) {
    case Is::text:
    case Is::node: return text_;
    case Is::server: return Json::array({server_pattern, text_});
    case Is::client: return Json::array({"client {id}", text_});
    case Is::pattern:
    case Is::list: break;
  }
  Json::array_t said;
  said.reserve(1 + parts_.size());
  said.emplace_back(text_);
  for (const Phrase& part : parts_) said.push_back(part.part());
  return said;
}

Json Phrase::said() const {
  Json said = part();
  return said.is_array() ? said : Json();
}

void setPhrase(Json& object, const std::string& key, const Phrase& phrase) {
  object[key] = phrase.english();
  if (Json said = phrase.said(); !said.is_null()) object[key + "_said"] = std::move(said);
}

bool isSaid(const Json& said) {
  const auto isPart = [](const Json& part) { return part.is_string() || isSaid(part); };
  return said.is_array() && !said.empty() && said.front().is_string() &&
         std::all_of(said.begin(), said.end(), isPart);
}

PatternStart startOf(std::string_view pattern) {
  for (std::size_t open = pattern.find('{'); open != std::string_view::npos;
       open = pattern.find('{', open + 1)) {
    const std::size_t close = pattern.find_first_of("{}", open + 1);
    if (close == std::string_view::npos) break;
    if (pattern[close] == '{' || close == open + 1) continue;  // no place
    return {pattern.substr(0, open), pattern.substr(open + 1, close - open - 1), pattern.substr(close + 1)};
  }
  return {pattern, {}, {}};
}

}  // namespace zablab
