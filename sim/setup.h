// How a scenario becomes servers with their timing, and what is checked in it before it runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run.h"

namespace zablab {
namespace run_detail {

/// A step as the document has it.
const JsonValue& stepValue(const LoadedScenario& scenario, std::size_t index);

}  // namespace run_detail

std::string shownName(const ServerSpec& server);

/// The node of a server that already runs when the scenario begins, with this disk. Throws InputError if its
/// `state` is not that of a node.
Value placedNode(const Setup& setup, std::size_t i, const Value& disk);

/// The link of this name, which exists.
Link linkIndex(const AnyFamily& family, std::string_view name);

/// A message arrives, a timer expires, a write becomes durable: in a timed run a step may have it now.
bool happensByItself(ActionKind kind);

/// The timer that an action `fire` names.
Any::Vocabulary::Timer timerOf(const AnyFamily& family, const ActionSpec& action);

/// The action of a name (sim/nodes.h), if there is one.
std::optional<ActionKind> actionFromName(const AnyFamily& family, std::string_view name);

}  // namespace zablab
