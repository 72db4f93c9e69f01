// What most families with nodes of one type say in the same words.
#pragma once

#include "protocol/vocabulary.h"

namespace zablab {

/// A family derives from it, and adds `name`, `text`, `links`, `loaded`, `write` and `step`. The node has its
/// id in `self`.
template <class Types, class Config_, class Rules_, class Node_>
struct FamilyBase : Types {
  using Vocabulary = zablab::Vocabulary<Types>;
  using Config = Config_;
  using Rules = Rules_;
  using Node = Node_;

  /// A process that has not started yet.
  static Node blank(ServerId self) {
    Node node{};
    node.self = self;
    return node;
  }
  /// Whoever runs accepts connections.
  static bool accepts(const Node&, Link) { return true; }
};

}  // namespace zablab
