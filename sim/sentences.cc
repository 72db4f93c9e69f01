#include "sim/sentences.h"

#include <algorithm>
#include <optional>
#include <utility>

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
    const bool is_id = name.starts_with('@');
    const auto field = fieldAt(fields, is_id ? name.substr(1) : name);
    if (name == "self") {
      text += names(self);
    } else if (!field) {
      text += "{" + std::string(name) + "}";
    } else if (is_id) {
      text += words(*field, [&](const Json& id) { return names(serverIn(id)); });
    } else {
      text += plain(*field);
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

Json lastCells(std::string_view caption, std::size_t size, const std::function<LogCell(std::size_t)>& cell) {
  constexpr std::size_t cells_max = 5;
  if (size == 0) return nullptr;
  Json cells = Json::array();
  const std::size_t first = size > cells_max ? size - cells_max : 0;
  if (first > 0) cells.push_back({{"text", "…"}, {"mark", "plain"}});
  for (std::size_t i = first; i < size; ++i) {
    LogCell one = cell(i);
    cells.push_back({{"text", std::move(one.text)}, {"mark", std::move(one.mark)}});
  }
  return {{"caption", caption}, {"cells", std::move(cells)}};
}

}  // namespace zablab
