// Makes nodes, as engines see them, of a family's own types.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "sim/nodes.h"
#include "sim/typed.h"

namespace zablab {

/// `Base`: AnyNodes, or AnyFamily of a family of which more is known (sim/family_of.h).
template <class F, class Base>
class NodesOf : public Base {
  using V = typename F::Vocabulary;
  using Message = typename F::Message;
  using Record = typename F::Record;
  using Durable = typename F::Durable;
  using Node = typename F::Node;

 public:
  std::span<const LinkSpec> links() const override { return F::links; }
  std::string_view ownAction() const override {
    if constexpr (requires { F::own_action; }) return F::own_action;
    return {};
  }
  bool asksWorld() const override { return V::asks_world; }

  Value blank(ServerId self) const override { return Value(F::blank(self)); }
  Value emptyDisk() const override { return Value(Durable{}); }
  bool accepts(const Value& node, Link link) const override { return F::accepts(node.as<Node>(), link); }
  void step(const Cluster<Any>& cluster, int i, Millis clock, Value& node, Any::Vocabulary::Input& input,
            Any::Vocabulary::Effects& effects) const override {
    const Cluster<F>& own = cluster.as<F>();
    thread_local typename V::Effects out;  // its memory is used again
    out.clear();
    try {
      stepAt<F>(clock, own.configs[at(i)], own.rules, node.change<Node>(), Typed<F>::input(input), out);
    } catch (const std::exception& error) {
      throw BadStep("a step of server " + std::to_string(cluster.ids[at(i)]) + " of `" +
                    std::string(F::name) + "` throws: " + error.what());
    }
    effects.reserve(effects.size() + out.size());
    for (auto& effect : out) effects.push_back(Typed<F>::effect(std::move(effect)));
  }
  Value shown(const Cluster<Any>& cluster, int i, bool up, const Value& node,
              const Value& disk) const override {
    if constexpr (requires { F::own_action; }) {
      const Cluster<F>& own = cluster.as<F>();
      return Value(Message(F::shown(own.configs[at(i)], own.rules, up, node.as<Node>(), disk.as<Durable>())));
    } else {
      return Value(Message{});
    }
  }
  void write(Value& disk, const Value& record) const override {
    F::write(disk.change<Durable>(), record.as<Record>());
  }
  void writeHalf(Value& disk, const Value& record) const override {
    if constexpr (requires { &F::writeHalf; }) F::writeHalf(disk.change<Durable>(), record.as<Record>());
  }

 protected:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

/// The servers of `own`, as engines see them. `nodes` outlives them.
template <class F>
AnyCluster anyCluster(Cluster<F> own, const AnyNodes& nodes) {
  AnyCluster any;
  static_cast<ClusterShape&>(any) = own;
  any.nodes = &nodes;
  any.own = std::make_shared<Cluster<F>>(std::move(own));
  return any;
}

}  // namespace zablab
