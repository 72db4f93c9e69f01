#include "checker/tables.h"

#include <algorithm>

#include "checker/protocol.h"

namespace zablab {
namespace {

struct TableRow {
  std::string name;
  JsonValue given;
  JsonValue expect;
  std::string because;
  static constexpr std::array required{"given", "expect"};
};
BOOST_DESCRIBE_STRUCT(TableRow, (), (name, given, expect, because))

struct Table {
  std::string kind;
  std::string name;
  std::string about;
  std::vector<std::string> claims;
  std::string because;
  std::string function;
  std::string variant;
  std::map<std::string, std::string> rules;
  std::vector<std::string> mutations;
  std::vector<TableRow> rows;
  std::vector<FailsWith> fails_with;
  static constexpr std::array required{"kind", "name", "function", "rows"};
};
BOOST_DESCRIBE_STRUCT(Table, (),
                      (kind, name, about, claims, because, function, variant, rules, mutations, rows,
                       fails_with))

/// The table's function, and whose it is.
std::pair<TableFunction, const Protocol*> functionOf(const JsonValue& document, const Table& table) {
  std::vector<std::string> names;
  for (const Protocol* protocol : protocols()) {
    for (TableFunction& function : protocol->functions()) {
      if (function.name == table.function) return {function, protocol};
      names.push_back(function.name);
    }
  }
  const std::string near = nearest(table.function, names);
  throw document.keyError("function", "there is no function " + inBackticks(table.function),
                          near.empty() ? "" : "did you mean \"" + near + "\"?");
}

/// Objects need only contain what is expected; an expected text may be a part of the answer's text, unless it
/// is empty.
bool answers(const Json& answer, const Json& expected) {
  if (expected.is_object() && answer.is_object()) {
    for (const auto& [key, wanted] : expected.items()) {
      const auto found = answer.find(key);
      if (found == answer.end() || !answers(*found, wanted)) return false;
    }
    return true;
  }
  if (expected.is_string() && answer.is_string()) {
    const std::string& text = expected.get_ref<const std::string&>();
    return text.empty() ? answer == text
                        : answer.get_ref<const std::string&>().find(text) != std::string::npos;
  }
  return answer == expected;
}

/// The rules of a table, with the overrides of the command line, in the form of a scenario.
Scenario rulesOf(const Table& table, const Overrides& overrides) {
  Scenario scenario;
  scenario.variant = overrides.variant.value_or(table.variant);
  scenario.rules = table.rules;
  for (const auto& [rule, value] : overrides.rules) scenario.rules[rule] = value;
  scenario.mutations = table.mutations;
  scenario.mutations.insert(scenario.mutations.end(), overrides.mutations.begin(), overrides.mutations.end());
  return scenario;
}

}  // namespace

Json tableSchema() { return schemaOf<Table>("zablab table"); }

void checkTable(const JsonValue& document) {
  const Table table = read<Table>(document);
  const auto [function, protocol] = functionOf(document, table);
  const Scenario rules = rulesOf(table, {});
  if (table.rows.empty()) throw document.keyError("rows", "a table has rows");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    function.run(table.rows[i].given, rules, document);
    const JsonValue& expect = table.rows[i].expect;
    if (expect.kind() == JsonValue::Kind::object && expect.members().empty())
      throw expect.errorAtKey("an empty `expect` compares nothing");
  }
  protocol->checkFailsWith(document, "fails_with", table.fails_with, false);
}

Outcome runTable(const JsonValue& document, const Overrides& overrides) {
  const Table table = read<Table>(document);
  const TableFunction function = functionOf(document, table).first;
  const Scenario rules = rulesOf(table, overrides);
  Outcome outcome;
  outcome.name = table.name;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TableRow& row = table.rows[i];
    ++outcome.checks;
    const Json found = function.run(row.given, rules, document);
    if (answers(found, row.expect.plain())) continue;
    outcome.problems.push_back("row " + std::to_string(i) + (row.name.empty() ? "" : " (" + row.name + ")") +
                               ": " + found.dump() + ", expected " + row.expect.plain().dump() +
                               (row.because.empty() ? "" : " [" + row.because + "]"));
  }
  outcome.verdict = outcome.problems.empty() ? Verdict::passed : Verdict::failed;
  return outcome;
}

}  // namespace zablab
