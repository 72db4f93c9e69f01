#include "sim/plain_json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace zablab {
namespace {

/// Receives the events of nlohmann's SAX parser; an array or an object is made when it ends, when its size is
/// known. A function that returns false ends the parse.
class PlainBuilder {
 public:
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return put(value);
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(const std::string& value) { return put(value); }  // a copy: the parser keeps its buffer
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool key(const std::string& value) {
    keys_.push_back(value);
    return true;
  }
  bool end_object() {
    const Frame frame = close();
    if (hasDuplicates(frame.keys)) return false;
    Json object = Json::object();
    // Not by ordered_map's emplace, which would search for each key.
    auto& members = static_cast<Json::object_t::Container&>(object.get_ref<Json::object_t&>());
    members.reserve(keys_.size() - frame.keys);
    for (std::size_t i = 0; frame.keys + i < keys_.size(); ++i)
      members.emplace_back(std::move(keys_[frame.keys + i]), std::move(values_[frame.values + i]));
    keys_.resize(frame.keys);
    values_.resize(frame.values);
    return put(std::move(object));
  }
  bool end_array() {
    const Frame frame = close();
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(frame.values);
    Json::array_t array(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
    values_.resize(frame.values);
    return put(std::move(array));
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

  /// After a parse that returned true.
  Json root() { return std::move(values_.front()); }

 private:
  struct Frame {
    std::size_t values, keys;  // how many there were before it
  };

  bool put(Json value) {
    values_.push_back(std::move(value));
    return true;
  }
  bool open() {
    open_.push_back({values_.size(), keys_.size()});
    return open_.size() <= json_depth_max;
  }
  Frame close() {
    const Frame frame = open_.back();
    open_.pop_back();
    return frame;
  }

  /// Whether two of the keys from the `first` on are the same.
  bool hasDuplicates(std::size_t first) {
    constexpr std::size_t few = 12;
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    if (keys_.size() - first <= few) {
      for (auto key = begin; key != keys_.end(); ++key) {
        if (std::find(begin, key, *key) != key) return true;
      }
      return false;
    }
    sorted_.assign(begin, keys_.end());
    std::sort(sorted_.begin(), sorted_.end());
    return std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end();
  }

  std::vector<Json> values_;       // complete, not yet in an array or object
  std::vector<std::string> keys_;  // of open objects; the last may have no value yet
  std::vector<Frame> open_;
  std::vector<std::string_view> sorted_;
};

}  // namespace

std::optional<Json> plainJson(std::string_view text) {
  // nlohmann takes a NUL byte for the end of the text, and skips a byte order mark.
  if (text.size() > json_bytes_max || text.find('\0') != text.npos || text.starts_with('\xEF'))
    return std::nullopt;
  PlainBuilder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder.root();
}

}  // namespace zablab
