// What a trace's header says of the operations of a register's clients, for histories (docs/traces.md,
// `calls`).
#pragma once

#include <string>
#include <utility>

#include "sim/json.h"

namespace zablab {

inline const Json write_of_value{{"f", "write"}, {"takes", {"value"}}};
inline const Json read_of_value{{"f", "read"}, {"gives", "value"}};

/// `answered_number`: the field of `answered` with the number that is `number` in `asked`. `functions`: by
/// the operation's name, how a history has it.
inline Json callsOf(std::string answered_number, Json functions) {
  return {{"name", "operation"},
          {"asked_number", "number"},
          {"answered_number", std::move(answered_number)},
          {"outcome", "outcome"},
          {"done", "ok"},
          {"unknown", {"unknown"}},
          {"functions", std::move(functions)}};
}

}  // namespace zablab
