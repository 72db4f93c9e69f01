// Checks, before a run, that patterns ask for things that can exist: kinds of events, fields, names of
// values, servers, links. A misspelt pattern would match nothing, and "never" would always hold.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocol/timer_kinds.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/json_reflect.h"

namespace zablab {

/// What patterns of one family are about.
struct PatternTypes {
  const json_detail::VariantType& message;
  const json_detail::VariantType& record;
  const json_detail::VariantType& event;
  const json_detail::StructType& node;
  const json_detail::StructType& request;
  const json_detail::Type& durable;
  std::vector<std::string> links;
  std::vector<std::string> timers;
  const json_detail::Type* timer_key = nullptr;    ///< null: a peer
  const json_detail::Type* durable_key = nullptr;  ///< null: its nodes ask the world nothing
  const json_detail::Type* mark_key = nullptr;
};

/// What the patterns of a scenario may ask for. Throws InputError.
class PatternChecker {
 public:
  PatternChecker(PatternTypes types, std::vector<ServerId> servers);

  /// Of an event: `kind`, `node`, and fields of the event's data or of what it carries.
  void checkEvent(const JsonValue& pattern) const;
  /// Of a message: what a `sent` event has.
  void checkPacket(const JsonValue& pattern) const;
  /// Of a server's state: `up`, `disk`, and the node's fields.
  void checkState(const JsonValue& pattern) const;
  /// A path into a state, as in `equal`: `current_vote.leader`.
  void checkPath(const JsonValue& place, std::string_view key, const std::string& path) const;

  /// The kinds of events that a trace of this family may have.
  std::vector<std::string> kinds() const;

 private:
  std::vector<std::string> fieldsOfState() const;
  void checkServer(const JsonValue& value) const;
  void checkServers(const JsonValue& value) const;
  bool isFieldOfAny(const JsonValue& pattern, const JsonValue& member) const;
  void checkField(const JsonValue& pattern, const std::string& kind, const JsonValue& member) const;

  PatternTypes types_;
  std::vector<ServerId> servers_;
};

template <class F>
PatternTypes patternTypes() {
  using json_detail::structTypeOf, json_detail::typeOf, json_detail::variantTypeOf;
  using V = typename F::Vocabulary;
  PatternTypes types{variantTypeOf<typename F::Message>(),
                     variantTypeOf<typename F::Record>(),
                     variantTypeOf<typename F::Event>(),
                     structTypeOf<typename F::Node>(),
                     structTypeOf<typename F::Request>(),
                     typeOf<typename F::Durable>(),
                     {},
                     {}};
  for (const auto& link : F::links) types.links.emplace_back(link.name);
  forEachTimerKind<typename F::TimerKind>(
      [&](std::string_view name, auto) { types.timers.emplace_back(name); });
  if constexpr (!std::is_same_v<typename V::TimerKey, ServerId>)
    types.timer_key = &typeOf<typename V::TimerKey>();
  if constexpr (V::asks_world) {
    types.durable_key = &typeOf<typename V::DurableKey>();
    types.mark_key = &typeOf<typename V::MarkKey>();
  }
  return types;
}

template <class F>
PatternChecker patternChecker(const Cluster<F>& cluster) {
  if constexpr (requires { cluster.family; }) {
    return {cluster.family->patternTypes(), cluster.ids.list()};
  } else {
    return {patternTypes<F>(), cluster.ids.list()};
  }
}

}  // namespace zablab
