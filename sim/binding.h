// What the engines require of a family besides its steps: how its values are shown to people, and how
// scenarios name them. Specialised once for each family, in sim/<family>/binding.h.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/vocabulary.h"

namespace zablab {

/// The names of servers and clients.
class Names {
 public:
  explicit Names(std::map<ServerId, std::string> names) : names_(std::move(names)) {}
  std::string operator()(ServerId id) const {
    if (id == no_server) return "nobody";
    const auto found = names_.find(id);
    return found == names_.end() ? std::to_string(id) : found->second;
  }

 private:
  std::map<ServerId, std::string> names_;
};

/// A connection that is open from the start.
struct Opened {
  Link link = 0;
  int a = 0;
  int b = 0;
};

/// The context of a request, besides its content.
struct AskContext {
  std::int64_t number = 0;  ///< unique among the requests of a run
  Millis later = 0;         ///< time since the step made the request for the first time
};

/// How a family's values are written and read: sim/binding_base.h has what is the same in most families.
/// Specialised in sim/<family>/binding.h; `HasBinding` (sim/family_of.h) states what it must contain:
///
/// to people and in traces
///     typeName(Message), label(Names, Message)      "PROPOSAL"; the arrow's text, a Phrase (sim/phrase.h)
///     kindName(Event), data(Names, Event)           an event's kind, and its fields
///     tell(Names, ServerId, Event | Request)        a Phrase for people; empty: nothing to report
///     logPicture(Node, Durable)                     the end of a server's log, drawn in cells
///     timerName(TimerKind), recordName(Record)
///     timerKeyName(TimerKey)                        if the family names what distinguishes its timers: the
///                                                   text in choices' addresses, different for each key
///     header()                                      the content of a trace's header, for drawing, which says
///                                                   what leads and what elects (docs/traces.md)
///     narrate(Trace)                                a run in a few lines
///     answer(Trace)                                 its result, Phrases; may be omitted
///     changedRules(Rules)                           "name=value" of each that is not the default
///     ruleTables()                                  the variants, the rules' values, the planted bugs
///
/// in scenarios
///     default_variant                               used if no variant is named
///     Asks                                          what a step may request of a client: a variant
///                                                   (sim/asks.h)
///     request(Asks, AskContext)                     the resulting request to the client; it has a `number`
///     asking(Request)                               its written form, from which `request` makes the same
///     turn(ServerId), turnsTo(Asks)                 how a client turns to a server, and to which one;
///                                                   omitted if clients turn to none
///     asks_servers                                  true: requests can be made to a server itself; if
///                                                   omitted, they cannot
///     ServerFields, ScenarioFields                  the family's own fields of a server and of a scenario:
///                                                   described structs; may be omitted
///     serversOf(ScenarioFields, document)           the servers, if the scenario has no `servers`; may be
///                                                   omitted
///     file_field                                    one of ScenarioFields whose text may be in a separate
///                                                   file: the field is then its path; may be omitted
///     nodeKind(Config)                              the kind of server, for a trace's header; may be
///                                                   omitted
///     rules(Scenario, document)                     those of the variant, with single rules and mutations
///                                                   applied
///     configs(Scenario, document, servers)          one for each server
///     arrange(Cluster, placed)                      makes the servers that a scenario starts in their roles
///                                                   consistent; returns the connections that are then open
///     checkState(place, ServerId, Node)             whether a server can be in this state; derives what
///                                                   follows from the scenario. Throws InputError
template <class Family>
struct Binding;

/// Whether clients of this family turn to one server at a time.
template <class Family>
concept ClientsTurn = requires(ServerId server, const typename Binding<Family>::Asks& asks) {
  { Binding<Family>::turn(server) } -> std::same_as<typename Binding<Family>::Asks>;
  { Binding<Family>::turnsTo(asks) } -> std::same_as<std::optional<ServerId>>;
};

/// The server that a client turns to by this; empty: none.
template <class Family>
std::optional<ServerId> turnsTo(const typename Binding<Family>::Asks& asks) {
  if constexpr (ClientsTurn<Family>) return Binding<Family>::turnsTo(asks);
  return std::nullopt;
}

/// Whether a request can be made to a server itself.
template <class Family>
constexpr bool asksServers() {
  if constexpr (requires { Binding<Family>::asks_servers; }) return Binding<Family>::asks_servers;
  return false;
}

}  // namespace zablab
