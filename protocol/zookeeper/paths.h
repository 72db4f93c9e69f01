// Paths of nodes.
#pragma once

#include <string_view>

namespace zablab::zookeeper {

/// Whether a node may have this path (PathUtils.validatePath): it begins with a slash and does not end with
/// one, no name in it is empty, "." or "..", and it has no character of the ranges that are excluded.
bool isValidPath(std::string_view path);

/// Everything before the last slash: of a child of the root the empty path, which is the root, too.
std::string_view parentOf(std::string_view path);

/// Everything after the last slash.
std::string_view nameOf(std::string_view path);

/// The nodes of every tree that cannot be deleted (DataTree.isSpecialPath).
bool isSpecialPath(std::string_view path);

}  // namespace zablab::zookeeper
