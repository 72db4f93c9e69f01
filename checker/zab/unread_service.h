// A service whose payloads are not read: it serves to replay recordings of real servers, which contain zxids
// but not the payloads.
#pragma once

#include <optional>
#include <vector>

#include "protocol/variant.h"
#include "protocol/zab/context.h"
#include "protocol/zab/service.h"
#include "sim/zab/service_words.h"

namespace zablab::zab {

struct Unread {
  struct Payload {
    bool operator==(const Payload&) const = default;
  };
  using State = Payload;
  struct Applied {};
  using Proposed = Payload;
  using Request = Payload;
  using Rules = BroadcastRules;
  using Node = BasicServer<Unread>;
  using Messages = variant<>;
  using Events = variant<>;
  using Context = BasicContext<Unread>;

  static std::optional<Payload> prepare(const Rules&, const State&, const std::vector<BasicOutstanding<Unread>>&,
                                        const Payload& payload) {
    return payload;
  }
  static Applied apply(State&, Zxid, const Payload&) { return {}; }
  static void onDelivered(const Context&, const BasicTxn<Unread>&, const Applied&) {}
  static void onServes(const Context&) {}
  static void onPinged(const Context&) {}
  static void onCommitted(const Context&, Zxid) {}
  static void onFromLearner(const Context&, ServerId, const BasicMessage<Unread>&) {}
  static void onFromLeader(const Context&, const BasicMessage<Unread>&) {}
  static void onLearnerGone(const Context&, ServerId) {}
  static void onRoleOver(const Context&) {}
  static void onOwnLink(const Context&, const Vocabulary<BasicTypes<Unread>>::Input&) {}
  static void onAsked(const Context&, const Request&) {}
};

template <>
struct ServiceWords<Unread> {
  static Unread::Payload plain(Zxid) { return {}; }
  static constexpr const char* plain_text = "one of which nothing is known";
};

}  // namespace zablab::zab
