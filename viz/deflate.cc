#include "viz/deflate.h"

#define ZLIB_CONST  // its input is const
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace zablab::viz {

std::string deflated(std::string_view text) {
  z_stream stream{};
  // Negative: neither the header of zlib's own format nor that of gzip.
  constexpr int window_bits = -15, memory_level = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result, piece(std::size_t{1} << 16, '\0');
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const std::size_t some = std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<const Bytef*>(text.data());
      stream.avail_in = static_cast<uInt>(some);
      text.remove_prefix(some);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    result.append(piece, 0, piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return result;
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
