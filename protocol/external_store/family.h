// An election on an external store, as the engines see it: its types, its links and its one step function.
//
// Candidates have a lease at a store and try to create a key that lives as long as the lease; whoever holds
// it leads. The leader serves clients by writing to a resource, which may compare tokens. The store is one
// process, or several servers with the log and the elections of `leader_followers`.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "protocol/external_store/config.h"
#include "protocol/external_store/events.h"
#include "protocol/external_store/messages.h"
#include "protocol/external_store/rules.h"
#include "protocol/external_store/state.h"
#include "protocol/family_base.h"

namespace zablab::external_store {

struct Types {
  using Message = external_store::Message;
  using Record = external_store::Record;
  using Durable = external_store::Durable;
  using TimerKind = external_store::TimerKind;
  using TimerKey = external_store::TimerKey;
  using Event = external_store::Event;
  using Request = external_store::Request;
  using MarkKey = external_store::MarkKey;
};

using V = Vocabulary<Types>;
using Timer = V::Timer;
using Input = V::Input;
using Effects = V::Effects;

struct Family : FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "external_store";
  static constexpr std::string_view text =
      "an election on an external store: compare-and-set with leases, tokens that fence, clients that write";
  static constexpr std::array links{LinkSpec{"store", LinkKind::tcp}, LinkSpec{"resource", LinkKind::tcp},
                                    LinkSpec{"client", LinkKind::tcp}, LinkSpec{"peer", LinkKind::tcp}};

  static void step(const Config&, const Rules&, Node&, const Input&, Effects&);
  /// A process that has loaded its disk but done nothing else yet.
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable&);
  /// Applies `record` to a disk.
  static void write(Durable&, const Record&);
  static bool accepts(const Node&, Link link);
  /// What a process that is stopped in order still does: a candidate gives its lease back.
  static std::optional<Request> lastRequest(const Config& config) {
    if (config.kind != NodeKind::candidate) return std::nullopt;
    return Request{.operation = Operation::end};
  }
  static RuleTables<Rules> ruleTables() { return external_store::ruleTables(); }
};

inline constexpr Link store_link = 0;
inline constexpr Link resource_link = 1;
inline constexpr Link client_link = 2;
inline constexpr Link peer_link = 3;  ///< between servers of the store

}  // namespace zablab::external_store
