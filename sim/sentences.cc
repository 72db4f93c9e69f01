#include "sim/sentences.h"

#include "sim/scenario.h"

namespace zablab {
namespace {

/// Null if there is no such field.
Json fieldAt(const Json& fields, std::string_view path) {
  Json at = fields;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string key(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (!at.is_object() || !at.contains(key)) return nullptr;
    at = Json(at.at(key));
  }
  return at;
}

template <class One>
std::string words(const Json& value, One&& one) {
  if (!value.is_array()) return one(value);
  std::string list;
  for (const Json& item : value) list += (list.empty() ? "" : ", ") + one(item);
  return list;
}

std::string plain(const Json& value) {
  return words(value, [](const Json& item) {
    if (item.is_null()) return std::string("nothing");
    return item.is_string() ? item.get<std::string>() : item.dump();
  });
}

}  // namespace

std::string filled(std::string_view pattern, const Names& names, ServerId self, const Json& fields) {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = pattern.find('}', open);
    text += pattern.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    const std::string_view name = pattern.substr(open + 1, close - open - 1);
    pattern.remove_prefix(close + 1);
    if (name == "self") {
      text += names(self);
    } else if (name.starts_with('@')) {
      text += words(fieldAt(fields, name.substr(1)), [&](const Json& id) { return names(serverIn(id)); });
    } else {
      text += plain(fieldAt(fields, name));
    }
  }
  return text;
}

std::string listed(std::string_view name, const Json& fields) {
  std::string text(name);
  const char* separator = " ";
  for (const auto& [key, value] : fields.items()) {
    if (key == "type") continue;
    text += separator + key + " " + plain(value);
    separator = ", ";
  }
  return text;
}

Json logPictureOf(const std::vector<LogCell>& log) {
  constexpr std::size_t cells_max = 5;
  if (log.empty()) return nullptr;
  Json cells = Json::array();
  const std::size_t first = log.size() > cells_max ? log.size() - cells_max : 0;
  if (first > 0) cells.push_back({{"text", "…"}, {"mark", "plain"}});
  for (std::size_t i = first; i < log.size(); ++i)
    cells.push_back({{"text", log[i].text}, {"mark", log[i].mark}});
  return {{"caption", "log"}, {"cells", std::move(cells)}};
}

}  // namespace zablab
