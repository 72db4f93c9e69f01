// What a world requires of a family: its nodes, on values that only the family knows. `NodesOf<F, Base>`
// (sim/nodes_of.h) makes them of a family's types.
#pragma once

#include <span>
#include <string_view>

#include "sim/any.h"

namespace zablab {

class AnyNodes {
 public:
  virtual ~AnyNodes() = default;

  virtual std::span<const LinkSpec> links() const = 0;
  /// The name of its own action; empty: it has none.
  virtual std::string_view ownAction() const = 0;
  /// Whether nodes ask the world for a NowDurable or an Age.
  virtual bool asksWorld() const = 0;

  virtual Value blank(ServerId self) const = 0;
  virtual Value emptyDisk() const = 0;
  virtual bool accepts(const Value& node, Link link) const = 0;
  virtual void step(const Cluster<Any>& cluster, int i, Millis clock, Value& node,
                    Any::Vocabulary::Input& input, Any::Vocabulary::Effects& effects) const = 0;
  virtual Value shown(const Cluster<Any>& cluster, int i, bool up, const Value& node,
                      const Value& disk) const = 0;
  virtual void write(Value& disk, const Value& record) const = 0;
  virtual void writeHalf(Value& disk, const Value& record) const = 0;
};

/// An action's name, in scenarios and in counts.
std::string_view actionName(const AnyNodes& nodes, ActionKind kind);

}  // namespace zablab
