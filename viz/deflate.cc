#include "viz/deflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace zablab::viz {
namespace {

constexpr std::size_t window = 32768, shortest_match = 4, longest_match = 258;
constexpr unsigned hash_bits = 15;

class Bits {
 public:
  explicit Bits(std::string& out) : out_(out) {}

  /// The lowest bit first.
  void add(std::uint32_t value, unsigned count) {
    held_ |= static_cast<std::uint64_t>(value) << held_count_;
    for (held_count_ += count; held_count_ >= 8; held_count_ -= 8, held_ >>= 8)
      out_ += static_cast<char>(held_ & 0xFF);
  }
  void finish() {
    if (held_count_ > 0) out_ += static_cast<char>(held_ & 0xFF);
  }

 private:
  std::string& out_;
  std::uint64_t held_ = 0;
  unsigned held_count_ = 0;
};

std::uint32_t reversed(std::uint32_t code, unsigned count) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < count; ++i) result |= (code >> i & 1U) << (count - 1 - i);
  return result;
}

struct Code {
  std::uint32_t bits = 0;
  unsigned count = 0;
};

/// The fixed codes of bytes, the end and lengths: bits are in the order in which they are written.
std::array<Code, 288> fixedCodes() {
  std::array<Code, 288> codes;
  for (std::uint32_t symbol = 0; symbol < 288; ++symbol) {
    const auto [bits, count] = symbol < 144   ? std::pair(0x30U + symbol, 8U)
                               : symbol < 256 ? std::pair(0x190U + symbol - 144, 9U)
                               : symbol < 280 ? std::pair(symbol - 256, 7U)
                                              : std::pair(0xC0U + symbol - 280, 8U);
    codes[symbol] = {reversed(bits, count), count};
  }
  return codes;
}

/// Lengths and distances are given as a symbol for a range, whose size is a power of two, and the place in
/// it. Each size has `per_size` symbols, and the first two sizes are the same.
struct Ranged {
  std::uint32_t symbol = 0, place = 0;
  unsigned place_bits = 0;
};

Ranged rangedOf(std::uint32_t value, unsigned per_size_bits) {
  const unsigned width = static_cast<unsigned>(std::bit_width(value));
  if (width <= per_size_bits + 1) return {value, 0, 0};
  const unsigned extra = width - per_size_bits - 1;
  return {(extra << per_size_bits) + (value >> extra), value & ((1U << extra) - 1), extra};
}

std::uint32_t wordAt(std::string_view text, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

}  // namespace

std::string deflated(std::string_view text) {
  static const std::array<Code, 288> codes = fixedCodes();
  std::string out;
  out.reserve(text.size() / 8 + 64);
  Bits bits(out);
  bits.add(1, 1);  // the last block
  bits.add(1, 2);  // has fixed codes
  const auto addSymbol = [&](std::uint32_t symbol) { bits.add(codes[symbol].bits, codes[symbol].count); };
  std::vector<std::size_t> seen(std::size_t{1} << hash_bits, SIZE_MAX);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0, distance = 0;
    if (at + shortest_match <= text.size()) {
      const std::uint32_t word = wordAt(text, at);
      std::size_t& last = seen[word * 2654435761U >> (32 - hash_bits)];
      if (last != SIZE_MAX && at - last <= window && wordAt(text, last) == word) {
        const std::size_t most = std::min(longest_match, text.size() - at);
        length = shortest_match;
        while (length < most && text[last + length] == text[at + length]) ++length;
        distance = at - last;
      }
      last = at;
    }
    if (length == 0) {
      addSymbol(static_cast<unsigned char>(text[at++]));
      continue;
    }
    if (length == longest_match) {  // has a symbol of its own
      addSymbol(285);
    } else {
      const Ranged range = rangedOf(static_cast<std::uint32_t>(length - 3), 2);
      addSymbol(257 + range.symbol);
      bits.add(range.place, range.place_bits);
    }
    const Ranged range = rangedOf(static_cast<std::uint32_t>(distance - 1), 1);
    bits.add(reversed(range.symbol, 5), 5);
    bits.add(range.place, range.place_bits);
    at += length;
  }
  addSymbol(256);
  bits.finish();
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byteAt = [&](std::size_t at) {
    return at < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) : 0U;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t three = byteAt(at) << 16 | byteAt(at + 1) << 8 | byteAt(at + 2);
    for (unsigned i = 0; i < 4; ++i)
      out += i <= bytes.size() - at ? letters[three >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

}  // namespace zablab::viz
