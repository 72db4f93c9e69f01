// What recipes wait for when nothing is under way any more: who waits then for what is there, or for what
// nobody does, waits for ever. Searches judge states by it, random runs their end, and a scenario's run every
// wait that lasts.
#pragma once

#include <array>
#include <bitset>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/monitor.h"
#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {

class Progress {
 public:
  /// Each is judged by itself.
  static constexpr std::array invariants{
      InvariantInfo{
          "somebody-leads",
          "if nothing is under way and all processes run, no client waits for its turn where nobody "
          "leads or holds"},
      InvariantInfo{"barrier-passes",
                    "if nothing is under way and all processes run, no client waits to leave a barrier in "
                    "which nobody is who was not instructed to leave, or at a barrier that is gone"},
      InvariantInfo{"items-are-taken",
                    "if nothing is under way and all processes run, no consumer waits while an item is there "
                    "that nobody has locked"},
      InvariantInfo{"transaction-ends",
                    "if nothing is under way and all processes run, nobody waits for a decision that is "
                    "there, or that a coordinator can make"},
      InvariantInfo{"changes-arrive",
                    "if nothing is under way and all processes run, applications know their configuration "
                    "and the members of their groups as they are"},
      InvariantInfo{
          "takes-part",
          "if nothing is under way and all processes run, a client that was instructed to take part, and "
          "not to leave since, has a place or waits for one"},
  };
  using Which = std::bitset<invariants.size()>;

  /// Whether a client waits for something, or may have missed something.
  static bool waits(const Node& client);
  /// `tree`: what its server has; null: it is not connected to one that can go on.
  void add(const Node& client, const Tree* tree);

  Which judged() const;
  Which violated() const;
  /// Who waits in vain for what; empty if it is not violated.
  Phrase violation(std::size_t which) const;

 private:
  struct Visit;
  std::set<std::string> held_;               ///< by a leader or holder
  std::set<std::string> inside_;             ///< where somebody is who stays
  std::map<std::string, ServerId> waiting_;  ///< where somebody waits for its turn
  std::map<std::string, ServerId> leaving_;
  Which judged_;
  std::array<Phrase, invariants.size()> violations_;  ///< those that one client shows
};

}  // namespace zablab::zookeeper
