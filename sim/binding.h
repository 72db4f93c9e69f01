// What the engines ask of a family beside its steps: how its values are said to people, and how scenarios
// name them. Specialised once for each family, in sim/<family>/binding.h.
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

/// What servers and clients are called.
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

/// Where something is asked, beside what.
struct AskContext {
  std::int64_t number = 0;  ///< no two requests of a run have the same
  Millis later = 0;         ///< after the first of the times that a step asks it
};

/// How a family's values are said and read. Specialised in sim/<family>/binding.h; `HasBinding` (sim/run.h)
/// says what has to be in it:
///
/// to people and in traces
///     typeName(Message), label(Names, Message)      "PROPOSAL"; the arrow's text
///     kindName(Event), data(Names, Event)           an event's kind, and its fields
///     tell(Names, ServerId, Event | Request)        a line for people; empty: nothing to tell
///     logPicture(Node, Durable)                     the end of a server's log, drawn in cells
///     timerName(TimerKind), recordName(Record)
///     timerKeyName(TimerKey)                        where the family names what tells its timers apart: what
///                                                   choices' addresses say, another text for another key
///     header()                                      what a trace's header says, for whoever draws it
///     narrate(Trace)                                a run in a few lines
///     changedRules(Rules)                           "name=value" of each that is not the default
///     variantTexts(), ruleTexts(), mutationTexts()  for lists; a rule's name is "name=value"
///
/// in scenarios
///     default_variant                               where none is named
///     Asks                                          what a step may ask of a client: a variant (sim/asks.h)
///     request(Asks, AskContext)                     what the client is asked then; a request has a `number`
///     asking(Request)                               how it is said: `request` makes the same of it
///     turn(ServerId), turnsTo(Asks)                 how a client turns to a server, and to which one; left
///                                                   out where clients turn to none
///     asks_servers                                  true: a server itself can be asked; left out: it cannot
///     ServerFields, ScenarioFields                  fields of a server and of a scenario that are its own:
///                                                   described structs; may be left out
///     serversOf(ScenarioFields, document)           who there is where the scenario has no `servers`; may be
///                                                   left out
///     file_field                                    one of ScenarioFields whose text may stand in a file of
///                                                   its own: the field is its path then; may be left out
///     nodeKind(Config)                              what kind of server it is, for a trace's header; may be
///                                                   left out
///     rules(Scenario, document)                     of the variant, with single rules and mutations on top
///     configs(Scenario, document, servers)          of each server
///     arrange(Cluster, placed)                      makes servers that a scenario begins with in their
///                                                   roles fit each other; the connections that are open then
///     checkState(place, ServerId, Node)             whether a server can be in it; derives what follows from
///                                                   what the scenario says. Throws InputError
template <class Family>
struct Binding;

/// Whether clients of this family turn to one server at a time.
template <class Family>
concept ClientsTurn = requires(ServerId server, const typename Binding<Family>::Asks& asks) {
  { Binding<Family>::turn(server) } -> std::same_as<typename Binding<Family>::Asks>;
  { Binding<Family>::turnsTo(asks) } -> std::same_as<std::optional<ServerId>>;
};

/// To whom a client turns by this; nothing: to nobody.
template <class Family>
std::optional<ServerId> turnsTo(const typename Binding<Family>::Asks& asks) {
  if constexpr (ClientsTurn<Family>) return Binding<Family>::turnsTo(asks);
  return std::nullopt;
}

/// Whether a server itself can be asked.
template <class Family>
constexpr bool asksServers() {
  if constexpr (requires { Binding<Family>::asks_servers; }) return Binding<Family>::asks_servers;
  return false;
}

}  // namespace zablab
