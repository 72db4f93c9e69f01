// What an exhaustive search requires of a family besides its nodes' steps, on values that only the family
// knows. `FamilyCheckOf<F>` (check_of.h) makes one of what a header in checker/<family>/ says of the family's
// own types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check/bounds.h"
#include "checker/check/options.h"
#include "checker/monitor.h"
#include "sim/family.h"
#include "sim/stored.h"

namespace zablab {

class InternedStore;
class Moves;
class Tables;
struct Limits;
struct SearchWorld;

/// What a state shows of a family's `stateInvariants`: one bit each, in the order of that list.
struct StateVerdict {
  InvariantMask judged = 0;
  InvariantMask violated = 0;

  void note(std::size_t which, bool holds) {
    judged |= InvariantMask{1} << which;
    if (!holds) violated |= InvariantMask{1} << which;
  }
};

/// The monitors of one thread of a search. Their memory is kept elsewhere: of one server, and of all.
class SearchMonitors {
 public:
  struct Seen {
    Value own;
    Value shared;
    InvariantMask violated = 0;
    bool touches_shared = false;  ///< whether the memory of all mattered
  };

  virtual ~SearchMonitors() = default;
  /// Receives what an action shows of its server.
  virtual AnyListener& listener() = 0;
  /// Before the action, with the stored memories.
  virtual void begin(int server, const Value& own, const Value& shared) = 0;
  /// After it.
  virtual Seen end() = 0;
  /// Of monitors that have seen only this initial state.
  virtual std::pair<std::vector<Value>, Value> memoriesOf(const WorldValue<Any>& start) = 0;
  virtual std::vector<InvariantInfo> invariants() const = 0;  ///< by bit
  /// How often each invariant compared something, by bit.
  virtual const std::vector<std::uint64_t>& obligations() const = 0;
  /// What the present state shows by itself.
  virtual StateVerdict judge(const InternedStore& store) = 0;
};

/// What a search may do with a family's processes, and the bits of `FamilyCheck::view` for it.
struct Guards {
  bool elections = false;          ///< elections that begin are counted
  bool asks = false;               ///< a model may list requests
  bool budgeted = false;           ///< requests of which a model gives only the number
  bool turns = false;              ///< clients turn to one server at a time
  bool ages = false;               ///< nodes ask how long ago something was
  std::uint32_t settled = 0;       ///< elections: it has no election in progress
  std::uint32_t idle = 0;          ///< asks: a client that waits for nothing
  std::uint32_t takes_writes = 0;  ///< budgeted: a server that would take a write now
};

/// One object for each family; it does not change.
class FamilyCheck {
 public:
  virtual ~FamilyCheck() = default;

  virtual Guards guards() const = 0;
  /// What guards have to know about a process, one bit each.
  virtual std::uint32_t view(const AnyCluster& cluster, int i, const Value& node) const = 0;
  /// The node whose silence the timer measures, by index; -1: none.
  virtual int peerOf(const AnyCluster& cluster, std::uint32_t view,
                     const Any::Vocabulary::Timer& timer) const = 0;
  /// The ages that represent all that a node may receive: the lowest of each span between two thresholds.
  virtual std::set<Millis> agesOf(const AnyCluster& cluster, int i, const AnyKey& mark) const = 0;
  /// An election begins.
  virtual bool looks(const Value& event) const = 0;

  // ---- requests; those of which Guards says that there are any
  /// The n-th request of a model that gives only numbers, from 1.
  virtual Value write(std::uint32_t n) const = 0;
  virtual Value read(std::uint32_t n) const = 0;
  /// A client turns to this server.
  virtual Value turn(ServerId server) const = 0;
  /// The server a client has turned to, by index; -1: none.
  virtual int leaderOf(const AnyCluster& cluster, std::uint32_t view) const = 0;
  /// Whether a model begins when all clients may ask, and whether this one may.
  virtual bool connectsClients() const = 0;
  virtual bool isConnected(const Value& node) const = 0;

  // ---- a model
  /// When a timer of this kind fires if a model does not say.
  virtual Fires firesByDefault(std::uint8_t timer_kind) const = 0;
  /// Whether a model may set it.
  virtual bool knows(Fires fires) const = 0;
  virtual bool knows(Grain grain) const = 0;
  /// A link on which nothing is sent at that grain.
  virtual std::optional<Link> mutedBy(Grain grain) const = 0;
  /// The effect of `connect_at_once`, in words.
  virtual std::string_view connectsAtOnce() const = 0;
  /// Links beyond these are for clients, and are omitted without clients.
  virtual std::optional<std::size_t> linksOfServers() const = 0;

  /// The types of the values that a search holds.
  virtual std::vector<StoredType> storedTypes() const = 0;

  // ---- what must hold
  /// False: the monitors are created, and are never used.
  virtual bool hasMonitors() const = 0;
  virtual std::unique_ptr<SearchMonitors> monitors(const AnyCluster& cluster) const = 0;
  /// Those that states show by themselves.
  virtual std::span<const InvariantInfo> stateInvariants() const = 0;
  /// The names of those of them that are judged only if a model names them.
  virtual std::span<const std::string_view> requestedInvariants() const = 0;

  /// What can happen next.
  virtual std::unique_ptr<Moves> moves(Tables& tables, const Limits& limits, const SearchWorld& world,
                                       const InternedStore& store) const = 0;
};

/// What a search requires of the family of these types: defined in check_of.h, instantiated in
/// checker/<family>/protocol.cc.
template <class F>
const FamilyCheck& theCheck();

}  // namespace zablab
