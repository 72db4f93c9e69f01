#include "sim/json.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "sim/json_type.h"

namespace zablab {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t excerpt_chars_max = 100;
constexpr std::size_t quoted_chars_max = 60;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool isWord(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '+' ||
         c == '-';
}

/// The number of bytes of the UTF-8 character that `text` starts with, 0 if there is none (RFC 3629, section
/// 4).
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second >= 0xA0;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90;
    const bool beyond = first == 0xF4 && second >= 0x90;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::optional<std::size_t> firstInvalidUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

/// The text split into characters; a byte that is not a character is an element by itself.
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < text.size(); at += result.back().size()) {
    result.push_back(text.substr(at, std::max<std::size_t>(1, utf8Length(text.substr(at)))));
  }
  return result;
}

/// The source line and, under it, a caret. Of a long line only the part around the caret.
std::string excerpt(std::string_view line, int column) {
  const std::vector<std::string_view> chars = characters(line);
  const auto caret = static_cast<std::size_t>(column - 1);
  std::size_t first = 0;
  std::size_t last = chars.size();
  if (last > excerpt_chars_max) {
    first = caret > excerpt_chars_max / 2 ? caret - excerpt_chars_max / 2 : 0;
    last = std::min(last, first + excerpt_chars_max);
  }
  std::string shown = first > 0 ? "  ..." : "  ";
  std::string below = first > 0 ? "     " : "  ";
  for (std::size_t i = first; i < last; ++i) {
    const char c = chars[i].front();
    const bool invalid = chars[i].size() == 1 && static_cast<unsigned char>(c) >= 0x80;
    shown += invalid ? std::string_view("?") : isControl(c) && c != '\t' ? std::string_view(" ") : chars[i];
    if (i < caret) below += c == '\t' ? '\t' : ' ';
  }
  if (last < chars.size()) shown += "...";
  return "\n" + shown + "\n" + below + "^";
}

/// Control characters, which would act on a terminal, become `?`; ends of lines and tabs stay.
std::string withoutControls(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool c1 = text[i] == '\xc2' && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[i + 1]) < 0xa0;  // U+0080 to U+009F, in UTF-8
    if (c1) text.erase(i, 1);
    if (c1 || (isControl(text[i]) && text[i] != '\n' && text[i] != '\t')) text[i] = '?';
  }
  return text;
}

std::string describe(std::string_view file, const std::optional<Position>& position, std::string_view message,
                     std::string_view hint, std::string_view source_line) {
  std::string text;
  if (!file.empty()) text.append(file).append(":");
  if (position) text += std::to_string(position->line) + ":" + std::to_string(position->column) + ":";
  if (!text.empty()) text += " ";
  text.append("error: ").append(message);
  if (position && !source_line.empty()) text += excerpt(source_line, position->column);
  if (!hint.empty()) text.append("\nhint: ").append(hint);
  return withoutControls(std::move(text));
}

bool isIdentifier(std::string_view key) {
  return !key.empty() && !isDigit(key.front()) &&
         std::all_of(key.begin(), key.end(), [](char c) { return isWord(c) && c != '.' && c != '+'; });
}

/// The end of the number that starts at `at` by JSON's grammar; `at` itself when there is none.
std::size_t numberEnd(std::string_view text, std::size_t at) {
  const auto is = [&](std::size_t i, std::string_view set) {
    return i < text.size() && set.find(text[i]) != set.npos;
  };
  const auto digits = [&](std::size_t i) {
    while (i < text.size() && isDigit(text[i])) ++i;
    return i;
  };
  const std::size_t first = is(at, "-") ? at + 1 : at;
  std::size_t end = is(first, "0") ? first + 1 : digits(first);
  if (end == first) return at;
  if (is(end, ".")) {
    const std::size_t fraction = digits(end + 1);
    if (fraction == end + 1) return at;
    end = fraction;
  }
  if (is(end, "eE")) {
    const std::size_t sign = is(end + 1, "+-") ? end + 2 : end + 1;
    const std::size_t exponent = digits(sign);
    if (exponent == sign) return at;
    end = exponent;
  }
  return end;
}

/// The position after the closing quote of the string that starts at `at`; the end of the text if it is not
/// closed.
std::size_t stringEnd(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.size();
}

std::string codePointName(char c) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("U+00") + hex[byte >> 4] + hex[byte & 15];
}

}  // namespace

// ---- errors

InputError::InputError(std::string file_name, std::optional<Position> place, std::string what_is_wrong,
                       std::string how_to_help, std::string_view source_line)
    : std::runtime_error(describe(file_name, place, what_is_wrong, how_to_help, source_line)),
      file(std::move(file_name)),
      position(place),
      message(std::move(what_is_wrong)),
      hint(std::move(how_to_help)) {}

std::string inBackticks(std::string_view text) {
  const std::vector<std::string_view> chars = characters(text);
  std::string shown;
  for (std::size_t i = 0; i < std::min(chars.size(), quoted_chars_max); ++i) {
    if (isControl(chars[i].front())) {
      shown += codePointName(chars[i].front());
    } else {
      shown += chars[i].size() == 1 && static_cast<unsigned char>(chars[i].front()) >= 0x80 ? "?" : chars[i];
    }
  }
  if (chars.size() > quoted_chars_max) shown += "...";
  return "`" + shown + "`";
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t length_max = 100;
  const auto fold = [](char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '-' || c == ' ' ? '_' : c;
  };
  std::string best;
  std::size_t best_distance = length_max;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (word.empty() || candidate.empty() || longer > length_max) continue;
    // Three rows of the usual table: restricted Damerau-Levenshtein looks back two rows for a transposition.
    std::vector<std::size_t> before(candidate.size() + 1);
    std::vector<std::size_t> above(candidate.size() + 1);
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      before = std::exchange(above, row);
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const bool same = fold(word[i - 1]) == fold(candidate[j - 1]);
        row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
        const bool swapped = i > 1 && j > 1 && fold(word[i - 1]) == fold(candidate[j - 2]) &&
                             fold(word[i - 2]) == fold(candidate[j - 1]);
        if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    const std::size_t distance = row.back();
    const bool close = distance <= (longer + 2) / 3 && distance < std::min(word.size(), candidate.size());
    if (close && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

// ---- values

/// A file's text, kept as long as any value from it.
struct JsonValue::Source {
  std::string file;
  std::string text;
  std::vector<std::uint32_t> line_starts{0};
  bool has_positions = true;

  Source(std::string file_name, std::string content, bool positions)
      : file(std::move(file_name)), text(std::move(content)), has_positions(positions) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') line_starts.push_back(static_cast<std::uint32_t>(at + 1));
    }
  }

  /// Index of the line that holds the byte at `offset`.
  std::size_t lineOf(std::size_t offset) const {
    return static_cast<std::size_t>(std::upper_bound(line_starts.begin(), line_starts.end(), offset) -
                                    line_starts.begin() - 1);
  }

  std::optional<Position> position(std::size_t offset) const {
    if (!has_positions) return std::nullopt;
    const std::size_t line = lineOf(offset);
    const std::string_view before =
        std::string_view(text).substr(line_starts[line], offset - line_starts[line]);
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto chars = std::count_if(before.begin(), before.end(), is_start);
    return Position{static_cast<int>(line + 1), static_cast<int>(chars + 1)};
  }

  std::string_view lineText(std::size_t offset) const {
    const std::size_t start = line_starts[lineOf(offset)];
    std::string_view line = std::string_view(text).substr(start, text.find('\n', start) - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  InputError error(std::size_t offset, std::string message, std::string hint = "") const {
    if (!has_positions) return InputError(file, std::nullopt, std::move(message), std::move(hint));
    return InputError(file, position(offset), std::move(message), std::move(hint), lineText(offset));
  }
};

/// What the values of one array or object have in common; the document itself is in a container without a
/// parent.
struct JsonValue::Container {
  struct Key {
    std::string text;
    std::uint32_t offset = 0;
  };

  std::shared_ptr<const Source> source;
  std::shared_ptr<const Container> parent;
  std::uint32_t index = 0;  // within the parent
  std::vector<Key> keys;    // of an object's members; empty for an array

  std::string pathOf(std::size_t child) const {
    if (parent == nullptr) return "";
    const std::string prefix = parent->pathOf(index);
    if (keys.empty()) return prefix + "[" + std::to_string(child) + "]";
    const std::string& key = keys[child].text;
    if (!isIdentifier(key)) return prefix + "[\"" + key + "\"]";
    return prefix.empty() ? key : prefix + "." + key;
  }
};

const std::string& JsonValue::key() const {
  static const std::string none;
  return container_ == nullptr || container_->keys.empty() ? none : container_->keys[index_].text;
}

const std::string& JsonValue::file() const {
  static const std::string none;
  return container_ == nullptr ? none : container_->source->file;
}

std::string JsonValue::path() const { return container_ == nullptr ? "" : container_->pathOf(index_); }

std::string JsonValue::objectPath() const {
  if (container_ == nullptr || container_->parent == nullptr) return "";
  return container_->parent->pathOf(container_->index);
}

std::optional<Position> JsonValue::position() const {
  return container_ == nullptr ? std::nullopt : container_->source->position(offset_);
}

std::optional<std::uint32_t> JsonValue::keyOffset() const {
  if (container_ == nullptr || container_->keys.empty()) return std::nullopt;
  return container_->keys[index_].offset;
}

std::optional<Position> JsonValue::keyPosition() const {
  const std::optional<std::uint32_t> offset = keyOffset();
  return offset ? container_->source->position(*offset) : std::nullopt;
}

InputError JsonValue::errorAt(std::optional<std::uint32_t> offset, std::string message,
                              std::string hint) const {
  if (container_ == nullptr) return InputError("", std::nullopt, std::move(message), std::move(hint));
  return container_->source->error(offset.value_or(offset_), std::move(message), std::move(hint));
}

InputError JsonValue::error(std::string message, std::string hint) const {
  // Without a line and a column, only the path identifies the place.
  const std::string name = inBackticks(path());
  const bool named = path().empty() || message.find(name) != std::string::npos;
  if (!position() && !named) message = name + ": " + message;
  return errorAt(offset_, std::move(message), std::move(hint));
}

InputError JsonValue::keyError(std::string_view key, std::string message, std::string hint) const {
  const JsonValue* member = kind_ == Kind::object ? find(key) : nullptr;
  if (member == nullptr || !position()) return error(std::move(message), std::move(hint));
  return errorAt(member->keyOffset(), std::move(message), std::move(hint));
}

InputError JsonValue::errorAtKey(std::string message, std::string hint) const {
  return position() ? errorAt(keyOffset(), std::move(message), std::move(hint))
                    : error(std::move(message), std::move(hint));
}

std::string JsonValue::found() const {
  switch (kind_) {
    case Kind::null: return "null";
    case Kind::boolean: return get<bool>(payload_) ? "true" : "false";
    case Kind::integer: return std::to_string(get<std::int64_t>(payload_));
    case Kind::number: {
      const std::string_view text = container_->source->text;
      return std::string(
          text.substr(offset_, std::min(numberEnd(text, offset_) - offset_, quoted_chars_max)));
    }
    case Kind::string: return "a string";
    case Kind::array: return "an array";
    case Kind::object: return "an object";
  }
  return "another kind of value";
}

InputError JsonValue::kindError(std::string_view expected, std::string hint) const {
  const std::string name = path().empty() ? "the top level" : inBackticks(path());
  return errorAt(offset_, name + " must be " + std::string(expected) + ", found " + found(), std::move(hint));
}

bool JsonValue::asBool() const {
  if (kind_ != Kind::boolean) throw kindError("true or false");
  return get<bool>(payload_);
}

std::int64_t JsonValue::asInt64(std::int64_t min, std::int64_t max) const {
  const auto* value = get_if<std::int64_t>(&payload_);
  const bool too_large = holds_alternative<std::uint64_t>(payload_);
  if (value == nullptr && !too_large) throw kindError("a whole number");
  if (too_large || *value < min || *value > max) {
    throw kindError("a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  }
  return *value;
}

std::uint64_t JsonValue::asUint64(std::uint64_t max) const {
  const auto* small = get_if<std::int64_t>(&payload_);
  const auto* large = get_if<std::uint64_t>(&payload_);
  if (small == nullptr && large == nullptr) throw kindError("a whole number");
  const std::uint64_t value = large != nullptr ? *large : static_cast<std::uint64_t>(*small);
  if ((small != nullptr && *small < 0) || value > max) {
    throw kindError("a whole number from 0 to " + std::to_string(max));
  }
  return value;
}

const std::string& JsonValue::asString() const {
  if (kind_ != Kind::string) throw kindError("a string");
  return get<std::string>(payload_);
}

const std::vector<JsonValue>& JsonValue::children() const {
  static const std::vector<JsonValue> none;
  const Children& children = get<Children>(payload_);
  return children == nullptr ? none : *children;
}

const std::vector<JsonValue>& JsonValue::elements() const {
  if (kind_ != Kind::array) throw kindError("an array");
  return children();
}

const std::vector<JsonValue>& JsonValue::members() const {
  if (kind_ != Kind::object) throw kindError("an object");
  return children();
}

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonValue& member : members()) {
    if (member.key() == key) return &member;
  }
  return nullptr;
}

Json JsonValue::plain() const {
  switch (kind_) {
    case Kind::null: return nullptr;
    case Kind::boolean: return get<bool>(payload_);
    case Kind::integer: return get<std::int64_t>(payload_);
    case Kind::number:
      if (const auto* large = get_if<std::uint64_t>(&payload_)) return *large;
      return get<double>(payload_);
    case Kind::string: return get<std::string>(payload_);
    case Kind::array: {
      Json::array_t array;
      array.reserve(children().size());
      for (const JsonValue& element : children()) array.push_back(element.plain());
      return array;
    }
    case Kind::object: {
      Json object = Json::object();
      for (const JsonValue& member : children()) json_detail::addMember(object, member.key(), member.plain());
      return object;
    }
  }
  return nullptr;
}

bool JsonValue::operator==(const JsonValue& other) const {
  if (kind_ != other.kind_) return false;
  if (kind_ != Kind::array && kind_ != Kind::object) return payload_ == other.payload_;
  return std::equal(children().begin(), children().end(), other.children().begin(), other.children().end(),
                    [](const JsonValue& a, const JsonValue& b) { return a.key() == b.key() && a == b; });
}

// ---- parsing

/// Builds the tree from the events of nlohmann's SAX parser. The events carry no places, but between two
/// events of a valid text there is nothing but white space, commas and colons, so the builder finds each
/// token in the text itself.
class JsonBuilder {
 public:
  using Kind = JsonValue::Kind;

  static JsonValue build(std::string file_name, std::string_view text, bool positions) {
    if (text.size() > json_bytes_max) {
      throw InputError(std::move(file_name), std::nullopt,
                       "larger than 64 MiB (" + std::to_string(text.size()) + " bytes)");
    }
    // nlohmann silently skips a second mark, which would shift every place by one.
    while (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    JsonBuilder builder(
        std::make_shared<const JsonValue::Source>(std::move(file_name), std::string(text), positions));
    return builder.run();
  }

  // Called by nlohmann. Returning false would end the parse; errors are thrown instead.
  bool null() { return add(Kind::null, monostate()); }
  bool boolean(bool value) { return add(Kind::boolean, value); }
  bool number_integer(std::int64_t value) { return add(Kind::integer, value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return add(Kind::number, value);
    return add(Kind::integer, static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return add(Kind::number, value); }
  bool string(std::string& value) { return add(Kind::string, std::move(value)); }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(Kind::object); }
  bool start_array(std::size_t) { return open(Kind::array); }
  bool key(std::string& value) {
    open_.back().container->keys.push_back({std::move(value), takeToken()});
    return true;
  }
  bool end_object() {
    takeToken();
    refuseDuplicates(*open_.back().container);
    return close();
  }
  bool end_array() {
    takeToken();
    return close();
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { diagnose(); }

 private:
  using Container = JsonValue::Container;

  struct Frame {
    Kind kind;
    std::uint32_t offset;
    std::shared_ptr<Container> container;
    std::vector<JsonValue> children;
  };

  explicit JsonBuilder(std::shared_ptr<const JsonValue::Source> source)
      : source_(std::move(source)), text_(source_->text), document_(std::make_shared<Container>()) {
    document_->source = source_;
  }

  JsonValue run() {
    if (const std::optional<std::size_t> bad = firstInvalidUtf8(text_)) {
      throw source_->error(*bad, "not valid UTF-8 (byte " + codePointName(text_[*bad]).substr(4) + ")",
                           "save the file as UTF-8");
    }
    const bool parsed = nlohmann::json::sax_parse(text_.begin(), text_.end(), this);
    // nlohmann takes a NUL byte for the end of the input.
    if (!parsed || skipSpace(at_) != text_.size()) diagnose();
    return std::move(root_);
  }

  std::size_t skipSpace(std::size_t at) const {
    while (at < text_.size() && isSpace(text_[at])) ++at;
    return at;
  }

  /// The place of the token that the present event is about; at_ moves past it.
  std::uint32_t takeToken() {
    while (at_ < text_.size() && (isSpace(text_[at_]) || text_[at_] == ',' || text_[at_] == ':')) ++at_;
    const std::size_t start = at_;
    switch (text_[start]) {
      case '{':
      case '}':
      case '[':
      case ']': at_ += 1; break;
      case 't':
      case 'n': at_ += 4; break;
      case 'f': at_ += 5; break;
      case '"': at_ = stringEnd(text_, start); break;
      default: at_ = numberEnd(text_, start);
    }
    return static_cast<std::uint32_t>(start);
  }

  JsonValue make(Kind kind, JsonValue::Payload payload, std::uint32_t offset) const {
    JsonValue value;
    value.container_ = open_.empty() ? document_ : open_.back().container;
    value.payload_ = std::move(payload);
    value.index_ = open_.empty() ? 0 : static_cast<std::uint32_t>(open_.back().children.size());
    value.offset_ = offset;
    value.kind_ = kind;
    return value;
  }

  bool put(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
      complete_ = true;
    } else {
      open_.back().children.push_back(std::move(value));
    }
    return true;
  }

  bool add(Kind kind, JsonValue::Payload payload) { return put(make(kind, std::move(payload), takeToken())); }

  bool open(Kind kind) {
    const std::uint32_t offset = takeToken();
    if (open_.size() == json_depth_max) {
      throw source_->error(offset, "nested deeper than " + std::to_string(json_depth_max) + " levels");
    }
    auto container = std::make_shared<Container>();
    container->source = source_;
    container->parent = open_.empty() ? document_ : open_.back().container;
    container->index = open_.empty() ? 0 : static_cast<std::uint32_t>(open_.back().children.size());
    open_.push_back({kind, offset, std::move(container), {}});
    return true;
  }

  bool close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    JsonValue::Children children;
    if (!frame.children.empty()) {
      frame.children.shrink_to_fit();
      children = std::make_shared<const std::vector<JsonValue>>(std::move(frame.children));
    }
    return put(make(frame.kind, std::move(children), frame.offset));
  }

  void refuseDuplicates(const Container& object) const {
    const auto& keys = object.keys;
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return keys[a].text != keys[b].text ? keys[a].text < keys[b].text : a < b;
    });
    const auto same = std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return keys[a].text == keys[b].text;
    });
    if (same == order.end()) return;
    const auto& again = keys[*std::next(same)];
    throw source_->error(again.offset, "the key " + inBackticks(again.text) + " occurs twice" +
                                           placeOf(", first", keys[*same].offset));
  }

  std::string placeOf(std::string_view word, std::size_t offset) const {
    const std::optional<Position> position = source_->position(offset);
    if (!position) return "";
    return std::string(word) + " at line " + std::to_string(position->line) + ", column " +
           std::to_string(position->column);
  }

  // ---- what is wrong with a text that nlohmann refused, and where. Its own messages do not state either in
  // a useful way.

  [[noreturn]] void diagnose() const {
    std::size_t at = skipSpace(at_);
    const auto here = [&] { return at < text_.size() ? text_[at] : '\0'; };
    std::optional<std::size_t> comma;
    bool key_allowed = false;
    bool value_allowed = false;
    std::string expected;
    if (complete_) {
      expected = "the end of the file";
    } else if (open_.empty()) {
      expected = "a value";
      value_allowed = true;
    } else {
      const Frame& frame = open_.back();
      const bool object = frame.kind == Kind::object;
      if (frame.container->keys.size() > frame.children.size()) {
        expected = "`:` after the key";
        if (here() == ':') {
          at = skipSpace(at + 1);
          expected = "a value";
          value_allowed = true;
        }
      } else if (frame.children.empty() || here() == ',') {
        expected = object ? "a key in double quotes" : "a value";
        if (frame.children.empty()) {
          expected += object ? " or `}`" : " or `]`";
        } else {
          comma = at;
          at = skipSpace(at + 1);
        }
        (object ? key_allowed : value_allowed) = true;
      } else {
        expected = object ? "`,` or `}`" : "`,` or `]`";
      }
    }

    if (at >= text_.size()) refuseTruncated(expected);
    if (here() == '"' && (key_allowed || value_allowed)) refuseString(at);
    if ((here() == '-' || isDigit(here())) && value_allowed) refuseNumber(at);
    if (comma && (here() == '}' || here() == ']')) {
      throw source_->error(*comma, std::string("there must be no comma before `") + here() + "`",
                           "remove the comma");
    }
    throw source_->error(at, "expected " + expected + ", found " + foundAt(at),
                         hintAt(at, key_allowed, value_allowed));
  }

  [[noreturn]] void refuseTruncated(const std::string& expected) const {
    std::size_t end = text_.size();
    while (end > 0 && isSpace(text_[end - 1])) --end;
    if (end == 0) throw source_->error(0, "the file is empty", "it must contain one JSON value");
    throw source_->error(end, "the file ends too early, expected " + expected, stillOpen());
  }

  std::string stillOpen() const {
    if (open_.empty()) return "";
    const char bracket = open_.back().kind == Kind::object ? '{' : '[';
    return std::string("`") + bracket + "`" + placeOf("", open_.back().offset) + " is not closed";
  }

  [[noreturn]] void refuseString(std::size_t start) const {
    for (std::size_t at = start + 1; at < text_.size() && text_[at] != '"'; ++at) {
      const char c = text_[at];
      if (c == '\n' || c == '\r') {
        throw source_->error(start, "this string is not closed on its line",
                             "a line break inside a string is \\n");
      }
      if (isControl(c) && c != 0x7f) {
        throw source_->error(at, "the character " + codePointName(c) + " must be escaped inside a string",
                             c == '\t' ? "write \\t" : "write \\u00" + codePointName(c).substr(4));
      }
      if (c != '\\') continue;
      const char escape = at + 1 < text_.size() ? text_[at + 1] : '\0';
      if (escape == 'u') {
        if (!hexAt(at + 2)) throw source_->error(at, "\\u must be followed by four hexadecimal digits");
        const unsigned unit = *hexAt(at + 2);
        const bool high = unit >= 0xD800 && unit <= 0xDBFF;
        const bool pair =
            high && text_.substr(at + 6, 2) == "\\u" && hexAt(at + 8) >= 0xDC00U && hexAt(at + 8) <= 0xDFFFU;
        if (!pair && unit >= 0xD800 && unit <= 0xDFFF) throw source_->error(at, "half of a surrogate pair");
        at += pair ? 11 : 5;
      } else if (escape != '\0' && std::string_view("\"\\/bfnrt").find(escape) != std::string_view::npos) {
        ++at;
      } else if (at + 1 < text_.size()) {
        throw source_->error(
            at, "no such escape: " + inBackticks(text_.substr(at, 1 + utf8Length(text_.substr(at + 1)))),
            "a backslash is written \\\\");
      }
    }
    throw source_->error(start, "the file ends too early, this string is not closed");
  }

  std::optional<unsigned> hexAt(std::size_t at) const {
    unsigned value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const char c = i < text_.size() ? static_cast<char>(text_[i] | 0x20) : '\0';
      if (!isDigit(c) && !(c >= 'a' && c <= 'f')) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(isDigit(c) ? c - '0' : c - 'a' + 10);
    }
    return value;
  }

  [[noreturn]] void refuseNumber(std::size_t at) const {
    const std::string word = inBackticks(wordAt(at));
    if (numberEnd(text_, at) > at) throw source_->error(at, "the number " + word + " is too large");
    throw source_->error(at, word + " is not a number", "numbers look like 12, -3 or 4.5");
  }

  std::string_view wordAt(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && isWord(text_[end])) ++end;
    return text_.substr(at, end - at);
  }

  std::string foundAt(std::size_t at) const {
    if (text_[at] == '"') return "a string";
    if (isControl(text_[at])) return "the character " + codePointName(text_[at]);
    if (isWord(text_[at])) return inBackticks(wordAt(at));
    return inBackticks(text_.substr(at, utf8Length(text_.substr(at))));
  }

  std::string hintAt(std::size_t at, bool key_allowed, bool value_allowed) const {
    const char c = text_[at];
    const bool adjacent = at == at_ && at > 0;
    if (c == '/' || c == '#') return "JSON has no comments";
    if (c == '\'') return "strings and keys are written in double quotes";
    if (adjacent && text_[at - 1] == '0' && isDigit(c)) return "a number has no leading zeros";
    if (complete_) return "a file contains one JSON value";
    if (c == '}' || c == ']') return stillOpen();
    if (!isWord(c)) return "";
    if (key_allowed) return "keys are written in double quotes: \"" + std::string(wordAt(at)) + "\"";
    if (!value_allowed) return "";
    if (c == '+' || c == '.') return "numbers look like 12, -3 or 4.5";
    const std::string literal = nearest(wordAt(at), {"true", "false", "null"});
    return literal.empty() ? "strings are written in double quotes" : "did you mean " + literal + "?";
  }

  std::shared_ptr<const JsonValue::Source> source_;
  std::string_view text_;
  std::shared_ptr<Container> document_;
  std::vector<Frame> open_;
  JsonValue root_;
  bool complete_ = false;
  std::size_t at_ = 0;
};

JsonValue parseJson(std::string file_name, std::string_view text) {
  return JsonBuilder::build(std::move(file_name), text, true);
}

JsonValue JsonValue::fromJson(const Json& json, std::string file_name) {
  return JsonBuilder::build(std::move(file_name), onOneLine(json), false);
}

bool sameValues(const Json& one, const Json& other) {
  if (one.is_array() && other.is_array())
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), sameValues);
  if (!one.is_object() || !other.is_object()) return one == other;
  const auto members = one.items();
  return one.size() == other.size() && std::all_of(members.begin(), members.end(), [&](const auto& member) {
           const auto found = other.find(member.key());
           return found != other.end() && sameValues(member.value(), *found);
         });
}

std::string onOneLine(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

namespace {

InputError refused(const std::string& path, const std::string& message, std::string hint = "") {
  return InputError(path, std::nullopt, message, std::move(hint));
}
/// "did you mean FILE?", if the folder has a file with a name like this one.
std::string similarTo(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code code;
  const std::filesystem::path folder = path.parent_path();
  for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, code), end; !code && at != end;
       at.increment(code)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown)) names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  // The ending is often left out.
  const std::string name = path.filename().string();
  std::string meant = nearest(name, names);
  if (meant.empty() && path.extension() != ".json") meant = nearest(name + ".json", names);
  return meant.empty() ? "" : "did you mean " + (folder / meant).string() + "?";
}

InputError cannotBeRead(const std::string& path) {
  return refused(path, std::string("cannot be read: ") + std::strerror(errno));
}

/// What is written to a FIFO until all who write to it have closed it. Whoever opens it for reading waits for
/// them; therefore it is opened without waiting.
std::string textOfFifo(const std::string& path) {
  const int fifo = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fifo < 0) throw cannotBeRead(path);
  std::string text;
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  do {
    count = ::read(fifo, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count >= 0) continue;
    pollfd awaited{fifo, POLLIN, 0};
    if (errno == EAGAIN || errno == EINTR) count = ::poll(&awaited, 1, -1) >= 0 || errno == EINTR ? 1 : -1;
  } while (count > 0 && text.size() <= json_bytes_max);
  const int error = errno;
  ::close(fifo);
  errno = error;
  if (count < 0) throw cannotBeRead(path);
  if (text.empty())
    throw refused(path, "nobody writes to this FIFO", "`-` is standard input, where a command takes it");
  return text;
}

}  // namespace

std::string loadText(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found)
    throw refused(path, "there is no such file", similarTo(path));
  if (status.type() == fs::file_type::none) throw refused(path, "cannot be read: " + code.message());
  if (fs::is_directory(status)) throw refused(path, "this is a directory, not a file");
  const bool is_fifo = fs::is_fifo(status);
  if (!is_fifo && !fs::is_regular_file(status)) throw refused(path, "this is not a regular file");

  std::string text = is_fifo ? textOfFifo(path) : std::string();
  if (!is_fifo) {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw cannotBeRead(path);
    std::array<char, 1 << 16> buffer;
    // The size is counted while reading: the size that the file system reported before may be wrong by now.
    while (text.size() <= json_bytes_max && (in.read(buffer.data(), buffer.size()) || in.gcount() > 0))
      text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (in.bad()) throw cannotBeRead(path);
  }
  if (text.size() > json_bytes_max) throw refused(path, "larger than 64 MiB");
  return text;
}

JsonValue loadJson(const std::string& path) { return parseJson(path, loadText(path)); }

}  // namespace zablab
