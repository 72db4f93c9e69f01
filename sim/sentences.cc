#include "sim/sentences.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/scenario.h"

namespace zablab {
namespace {

std::optional<Json> fieldAt(const Json& fields, std::string_view path) {
  Json at = fields;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string key(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (!at.is_object() || !at.contains(key)) return std::nullopt;
    at = Json(at.at(key));
  }
  return at;
}

/// `of(value)`, or of each that is in the list.
template <class Of>
Phrase eachOf(const Json& value, Of&& of) {
  return value.is_array() ? listOf(value, of) : Phrase(of(value));
}

std::string plain(const Json& value) {
  if (value.is_null()) return "nothing";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Phrase filled(std::string_view pattern, const Names& names, ServerId self, const Json& fields) {
  if (pattern.empty()) return {};
  const auto inPlace = [&](std::string_view place) -> Phrase {
    if (place == "self") return names(self);
    const bool is_id = place.starts_with('@');
    const auto field = fieldAt(fields, is_id ? place.substr(1) : place);
    if (!field) return "{" + std::string(place) + "}";
    return is_id ? eachOf(*field, [&](const Json& id) { return names(serverIn(id)); })
                 : eachOf(*field, plain);
  };
  std::vector<Phrase> parts;
  for (PatternStart start = startOf(pattern); !start.place.empty(); start = startOf(start.rest))
    parts.push_back(inPlace(start.place));
  return Phrase::ofPattern(pattern, std::move(parts));
}

std::string listed(std::string_view name, const Json& fields) {
  std::string text(name);
  const char* separator = " ";
  for (const auto& [key, value] : fields.items()) {
    if (key == "type") continue;
    text += separator + key + " " + eachOf(value, plain).english();
    separator = ", ";
  }
  return text;
}

Json cellsPicture(const Phrase& caption, Json cells) {
  Json picture = Json::object();
  setPhrase(picture, "caption", caption);
  picture["cells"] = std::move(cells);
  return picture;
}

Json quorumPicture(const Names& names, std::span<const ServerId> servers, const Phrase& caption) {
  Json cells = Json::array();
  for (const ServerId server : servers) cells.push_back({{"text", names(server)}, {"mark", "counted"}});
  Json picture{{"cells", std::move(cells)}, {"quorum", true}};
  setPhrase(picture, "caption", caption);
  return picture;
}

Json lastCells(const Phrase& caption, std::size_t size, const std::function<LogCell(std::size_t)>& cell) {
  constexpr std::size_t cells_max = 5;
  if (size == 0) return nullptr;
  Json cells = Json::array();
  const std::size_t first = size > cells_max ? size - cells_max : 0;
  if (first > 0) cells.push_back({{"text", "…"}, {"mark", "plain"}});
  for (std::size_t i = first; i < size; ++i) {
    LogCell one = cell(i);
    cells.push_back({{"text", std::move(one.text)}, {"mark", std::move(one.mark)}});
  }
  return cellsPicture(caption, std::move(cells));
}

}  // namespace zablab
