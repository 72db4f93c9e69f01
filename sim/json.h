// JSON that people write: every value and every key knows its place in its file, and every error points
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/variant.h"

namespace zablab {

/// JSON that keeps the order of its keys, so that a run always has the same text.
using Json = nlohmann::ordered_json;

/// What parseJson and loadJson accept at most.
inline constexpr std::size_t json_bytes_max = std::size_t{64} << 20;
inline constexpr std::size_t json_depth_max = 64;

/// A place in a text, counted from 1; columns are characters (UTF-8 code points), a tab counts as one.
struct Position {
  int line = 1;
  int column = 1;
  bool operator==(const Position&) const = default;
};

/// An error in an input. what() is meant for people:
///
///     file:3:7: error: message
///       the source line
///            ^
///     hint: ...
class InputError : public std::runtime_error {
 public:
  InputError(std::string file_name, std::optional<Position> place, std::string what_is_wrong,
             std::string how_to_help = "", std::string_view source_line = {});

  std::string file;
  std::optional<Position> position;  ///< absent if no place can be named (a missing file)
  std::string message;
  std::string hint;
};

/// An immutable JSON value that remembers its place. Copies share what they hold; a copy may outlive the
/// document.
class JsonValue {
 public:
  enum class Kind : std::uint8_t {
    null,
    boolean,
    integer,  ///< a whole number within 64 signed bits
    number,   ///< any other number: larger, or with a fraction or an exponent
    string,
    array,
    object,
  };

  /// A null that is not from a file.
  JsonValue() = default;

  /// The same value without positions; `file_name` is what errors name. Throws InputError if nested too
  /// deeply.
  static JsonValue fromJson(const Json& json, std::string file_name);

  Kind kind() const { return kind_; }
  bool isNull() const { return kind_ == Kind::null; }

  // These throw InputError, with the place and the path, when the value is of another kind or out of range.
  bool asBool() const;
  std::int64_t asInt64(std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  std::uint64_t asUint64(std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const;
  const std::string& asString() const;
  const std::vector<JsonValue>& elements() const;  ///< of an array
  const std::vector<JsonValue>& members() const;  ///< of an object, in the file's order; each knows its key()
  const JsonValue* find(std::string_view key) const;  ///< the member of an object, or null

  /// The key of this value in its object; empty for any other value.
  const std::string& key() const;

  const std::string& file() const;
  std::string path() const;        ///< `steps[3].at`; empty for the document itself
  std::string objectPath() const;  ///< of the object or array that contains this value
  std::optional<Position> position() const;
  std::optional<Position> keyPosition() const;  ///< of key(); absent unless a member of an object

  /// An error that points at this value, or at one of this object's keys (at the object itself if it does not
  /// have this key).
  InputError error(std::string message, std::string hint = "") const;
  InputError keyError(std::string_view key, std::string message, std::string hint = "") const;
  /// An error that points at this value's own key.
  InputError errorAtKey(std::string message, std::string hint = "") const;
  /// "`steps[3].at` must be a whole number, found a string", for expected = "a whole number".
  InputError kindError(std::string_view expected, std::string hint = "") const;

  /// A copy without places.
  Json plain() const;

  /// Whether the content is the same, regardless of the place. The order of keys counts.
  bool operator==(const JsonValue& other) const;

 private:
  friend class JsonBuilder;
  struct Source;
  struct Container;
  using Children = std::shared_ptr<const std::vector<JsonValue>>;
  using Payload = variant<monostate, bool, std::int64_t, std::uint64_t, double, std::string, Children>;

  InputError errorAt(std::optional<std::uint32_t> offset, std::string message, std::string hint) const;
  const std::vector<JsonValue>& children() const;
  std::optional<std::uint32_t> keyOffset() const;
  std::string found() const;

  std::shared_ptr<const Container> container_;  // that this value is in; null only for the default value
  Payload payload_;
  std::uint32_t index_ = 0;   // within the container
  std::uint32_t offset_ = 0;  // of its first byte in the source
  Kind kind_ = Kind::null;
};

/// Parses one JSON document. Throws InputError with the place for everything that is not exactly that: bad
/// syntax, a truncated or empty text, a duplicate key, invalid UTF-8, anything after the end, nesting beyond
/// json_depth_max, more than json_bytes_max. A byte order mark at the start is skipped.
JsonValue parseJson(std::string file_name, std::string_view text);

/// The value as text on one line; bytes that are not UTF-8 are replaced.
std::string onOneLine(const Json& json);

/// Whether both are equal, in whatever order objects have their members: that of a state is the order in
/// which they came.
bool sameValues(const Json& one, const Json& other);

/// The text of a regular file of at most json_bytes_max. Throws InputError.
std::string loadText(const std::string& path);

/// Reads and parses a regular file. Throws InputError.
JsonValue loadJson(const std::string& path);

/// The candidate that was probably meant by `word`; empty if none is close. Differences in case and `-` for
/// `_` are ignored.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Text from a user, in backticks, escaped and shortened for a message.
std::string inBackticks(std::string_view text);

}  // namespace zablab
