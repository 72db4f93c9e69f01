// Describes what happens in the words of a trace: the kind and the data of its event. Causes, changes of
// state and texts for people are added by the recorder.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/family.h"

namespace zablab {

class Telling {
 public:
  Telling(const AnyCluster& cluster, Names names)
      : cluster_(cluster), names_(std::move(names)), started_(cluster.ids.size(), false) {}

  const Names& names() const { return names_; }
  ServerId idOf(int i) const { return cluster_.ids[static_cast<std::size_t>(i)]; }
  /// Whether a process of this server has run at any time before the present event.
  bool startedBefore(int node) const { return started_[static_cast<std::size_t>(node)]; }
  /// Called for everything, after it was reported.
  void note(const AnyHappened& h) {
    if (h.kind == Kind::started || h.kind == Kind::taken_up)
      started_[static_cast<std::size_t>(h.node)] = true;
  }

  /// Empty if no event is made from it.
  std::string_view kind(const AnyHappened& h) const;
  Json data(const AnyHappened& h) const;

 private:
  std::string linkName(Link link) const { return std::string(family().links()[link].name); }
  Json record(const Value& record) const;
  const AnyFamily& family() const { return *cluster_.family; }

  const AnyCluster& cluster_;
  Names names_;
  std::vector<bool> started_;
};

}  // namespace zablab
