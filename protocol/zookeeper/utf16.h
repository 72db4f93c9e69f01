// Java's view of a text: it validates and hashes UTF-16 code units.
#pragma once

#include <cstdint>
#include <string_view>

namespace zablab::zookeeper {

/// Calls `visit(char16_t)` for every code unit of a UTF-8 text. A byte that is not UTF-8 is U+FFFD.
template <class Visit>
void forEachUtf16(std::string_view text, Visit&& visit) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<std::uint8_t>(text[i++]);
    const int more = byte < 0x80 ? 0 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : -1;
    std::uint32_t point = more == 0   ? byte
                          : more == 1 ? byte & 0x1fu
                          : more == 2 ? byte & 0x0fu
                          : more == 3 ? byte & 0x07u
                                      : 0xfffdu;
    for (int k = 0; k < more && i < text.size(); ++k)
      point = point << 6 | (static_cast<std::uint8_t>(text[i++]) & 0x3fu);
    if (point >= 0x10000) {
      visit(static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10)));
      visit(static_cast<char16_t>(0xdc00 + ((point - 0x10000) & 0x3ff)));
    } else {
      visit(static_cast<char16_t>(point));
    }
  }
}

/// String.hashCode.
inline std::uint32_t javaHash(std::string_view text) {
  std::uint32_t hash = 0;
  forEachUtf16(text, [&](char16_t unit) { hash = 31 * hash + unit; });
  return hash;
}

}  // namespace zablab::zookeeper
