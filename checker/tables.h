// Tables: rows of inputs and expected answers for the pure decisions of a protocol, without a network.
#pragma once

#include <string>
#include <vector>

#include "checker/execute.h"
#include "sim/json.h"

namespace zablab {

/// Checks that a table can be run: a known function, rows with its inputs. Throws InputError.
void checkTable(const JsonValue& table);

/// Checks each row of a table.
Outcome runTable(const JsonValue& table, const Overrides& overrides);

/// A decision that a table can test. `run` answers under the rules that `scenario` names.
struct TableFunction {
  std::string name;
  std::string text;
  Json (*run)(const JsonValue& given, const Scenario& scenario, const JsonValue& document);
};

/// The schema of table files.
Json tableSchema();

}  // namespace zablab
