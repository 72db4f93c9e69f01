#include "protocol/zookeeper/paths.h"

#include <algorithm>
#include <array>

#include "protocol/zookeeper/utf16.h"

namespace zablab::zookeeper {
namespace {

/// PathUtils.validatePath excludes control characters, the surrogates that are no part of a pair's use, the
/// private use area, and the specials.
bool isExcluded(char16_t unit) {
  return unit <= 0x1f || (unit >= 0x7f && unit <= 0x9f) || (unit >= 0xd800 && unit <= 0xf8ff) ||
         (unit >= 0xfff0);
}

}  // namespace

bool isValidPath(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  if (path.size() == 1) return true;
  if (path.back() == '/') return false;
  bool excluded = false;
  forEachUtf16(path, [&](char16_t unit) { excluded = excluded || isExcluded(unit); });
  if (excluded) return false;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t slash = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, slash - begin);
    if (name.empty() || name == "." || name == "..") return false;
    begin = slash + 1;
  }
  return true;
}

std::string_view parentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view nameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool isSpecialPath(std::string_view path) {
  constexpr std::array<std::string_view, 4> special{"/", "/zookeeper", "/zookeeper/quota",
                                                    "/zookeeper/config"};
  return std::find(special.begin(), special.end(), path) != special.end();
}

}  // namespace zablab::zookeeper
