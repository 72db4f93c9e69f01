// Text made small, in the format of RFC 1951 ("deflate"), which browsers can read. Long runs have traces of
// a hundred megabytes whose lines hardly differ.
#pragma once

#include <string>
#include <string_view>

namespace zablab::viz {

/// Without a header or a checksum. The bytes depend on the version of zlib.
std::string deflated(std::string_view text);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace zablab::viz
