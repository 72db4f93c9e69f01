// A state of a search, for code that knows the family's types.
#pragma once

#include "checker/check/interned.h"

namespace zablab {

/// It looks at the tuple that the store holds at the time.
template <class F>
class StoreOf {
 public:
  StoreOf(const InternedStore& store, const Cluster<F>& cluster) : store_(store), cluster_(cluster) {}

  const Cluster<F>& cluster() const { return cluster_; }
  int size() const { return store_.size(); }
  bool isUp(int i) const { return store_.isUp(i); }
  bool isPaused(int i) const { return store_.isPaused(i); }
  std::uint32_t says(int i) const { return store_.says(i); }
  bool hasUnsynced(int i) const { return store_.hasUnsynced(i); }
  bool isEmpty(Link link, int from, int to) const { return store_.isEmpty(link, from, to); }
  bool holdsAny(Relation relation, Link link) const { return store_.holdsAny(relation, link); }
  Spent spent() const { return store_.spent(); }
  const typename F::Node& node(int i) const { return store_.server(i).node.template as<typename F::Node>(); }

 private:
  const InternedStore& store_;
  const Cluster<F>& cluster_;
};

}  // namespace zablab
