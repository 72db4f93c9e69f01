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

/// A key of a step by which a client is asked something, and what such a request says beside it. Actions and
/// models may use the operation's own name as well.
struct RequestWord {
  std::string_view word;
  bool value = false;
  bool server = false;
  bool expected = false;
  bool clock = false;
  std::string_view operation = {};  ///< where it has another name
};

/// A request as scenarios, models and actions say it.
struct Asking {
  std::string word;  ///< or an operation's name; of an action and empty: what is asked most
  std::optional<std::int64_t> value = std::nullopt;
  std::optional<std::int64_t> expected = std::nullopt;
  std::optional<std::int64_t> clock = std::nullopt;
  std::optional<ServerId> server = std::nullopt;
  std::int64_t number = 0;  ///< no two requests of a client have the same
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
///     request_words                                 what a step may ask of a client
///     request(Asking)                               what the client is asked then
///     asking(Request)                               how it is said: `request` makes the same of it
///     turn_word                                     the word by which a client turns to a server; left out
///                                                   where clients turn to none
///     servers(Scenario, document)                   who there is
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
concept ClientsTurn = requires {
  { Binding<Family>::turn_word } -> std::convertible_to<std::string_view>;
};

/// The word by its name or its operation's; none: there is no such word.
template <class Family>
const RequestWord* findRequestWord(std::string_view name) {
  for (const RequestWord& word : Binding<Family>::request_words) {
    if (word.word == name || (!word.operation.empty() && word.operation == name)) return &word;
  }
  return nullptr;
}

}  // namespace zablab
