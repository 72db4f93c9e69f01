// Text made small, in the format of RFC 1951 ("deflate"), which browsers can read. Long runs have traces of
// a hundred megabytes whose lines hardly differ.
#pragma once

#include <string>
#include <string_view>

namespace zablab::viz {

/// A single block with the fixed codes of RFC 1951, section 3.2.6.
std::string deflated(std::string_view text);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace zablab::viz
