// A file whose text is in the program.
#pragma once

#include <string_view>

namespace zablab::cli {

struct EmbeddedFile {
  std::string_view name;  ///< without its folder
  std::string_view text;
};

}  // namespace zablab::cli
