#include "sim/quorum_register/codec.h"

#include <array>
#include <charconv>

namespace zablab {

using quorum_register::Version;

Json JsonCodec<Version>::write(const Version& version) {
  if (version == Version{}) return "first";
  return std::to_string(version.counter) + "/" + std::to_string(version.writer) + "/" +
         std::to_string(version.request);
}

Version JsonCodec<Version>::read(const JsonValue& value) {
  const std::string& text = value.asString();
  if (text == "first") return {};
  std::array<std::int64_t, 3> parts{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    const bool ends = i + 1 == parts.size() ? next == end : next != end && *next == '/';
    if (error != std::errc{} || !ends) {
      throw value.error(inBackticks(text) + " is not a version",
                        "write counter, writer and request, as in \"3/11/5\", or \"first\"");
    }
    at = next + (next == end ? 0 : 1);
  }
  return {parts[0], parts[1], parts[2]};
}

Json JsonCodec<Version>::schema() {
  return {{"description", "a version: counter, writer and its request, as in \"3/11/5\""},
          {"type", "string"},
          {"pattern", "^(-?[0-9]+/-?[0-9]+/-?[0-9]+|first)$"}};
}

}  // namespace zablab
