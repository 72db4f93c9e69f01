#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <system_error>

#include "checker/built.h"
#include "checker/execute.h"
#include "checker/protocol.h"
#include "checker/tables.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "cli/skeleton_files.h"
#include "cli/starter_files.h"
#include "sim/scenario.h"

namespace zablab::cli {
namespace {

using Names = std::vector<std::string>;

void printRows(const std::vector<NamedText>& rows) {
  constexpr std::size_t name_max = 44;
  std::size_t width = 0;
  for (const NamedText& row : rows) width = std::max(width, row.name.size());
  const std::size_t indent = std::min(width, name_max) + 2;
  for (const NamedText& row : rows) {
    const bool fits = row.name.size() + 2 <= indent;
    std::cout << row.name
              << (fits ? std::string(indent - row.name.size(), ' ') : "\n" + std::string(indent, ' '))
              << wrapped(row.text, columns, indent) << "\n";
  }
}

void printList(const std::vector<NamedText>& rows, bool json) {
  if (!json) return printRows(rows);
  Json array = Json::array();
  for (const NamedText& row : rows) array.push_back({{"name", row.name}, {"text", row.text}});
  std::cout << array.dump(2) << "\n";
}

/// The description of a scenario or table.
Json describe(const std::string& file) {
  const Case one = readFile(file);
  const JsonValue document = one.kind == Case::Kind::scenario ? one.scenario.document
                             : one.kind == Case::Kind::table  ? one.table
                                                              : one.model.document;
  Json line{
      {"file", file}, {"kind", document.find("kind")->plain()}, {"name", ""}, {"claims", Json::array()}};
  if (const JsonValue* name = document.find("name")) line["name"] = name->plain();
  if (const JsonValue* claims = document.find("claims")) line["claims"] = claims->plain();
  return line;
}

ExitCode listScenarios(Names places, bool json) {
  if (places.empty()) places = {"scenarios"};
  ExitCode code = held;
  Json array = Json::array();
  for (const std::string& file : filesOf(places)) {
    try {
      array.push_back(describe(file));
    } catch (const InputError& error) {
      code = bad_input;
      if (json) {
        array.push_back(errorLine(file, error));
      } else {
        std::cerr << error.what() << "\n";
      }
    }
  }
  if (json) {
    std::cout << array.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    return code;
  }
  for (const Json& line : array) {
    std::string claims;
    for (const Json& claim : line["claims"]) claims += (claims.empty() ? "" : " ") + claim.get<std::string>();
    std::cout << printable(line["file"].get<std::string>()) << "\n    "
              << printable(line["name"].get<std::string>()) << "\n";
    if (!claims.empty()) std::cout << "    claims " << wrapped(printable(claims), columns, 11) << "\n";
  }
  return code;
}

std::vector<NamedText> functionsOf(const Protocol& protocol) {
  std::vector<NamedText> rows;
  for (const TableFunction& function : protocol.functions()) rows.push_back({function.name, function.text});
  return rows;
}

std::vector<NamedText> invariantsOf(const Protocol& protocol) {
  std::vector<NamedText> rows = protocol.invariants();
  for (NamedText& row : protocol.stateInvariants()) rows.push_back(std::move(row));
  return rows;
}

struct List {
  std::string name;
  std::function<std::vector<NamedText>(const Protocol&)> rows;
};

const std::vector<List>& lists() {
  static const std::vector<List> all_lists{
      {"variants", &Protocol::variants}, {"rules", &Protocol::rules},     {"mutations", &Protocol::mutations},
      {"invariants", &invariantsOf},     {"functions", &functionsOf},     {"events", &Protocol::events},
      {"messages", &Protocol::messages}, {"records", &Protocol::records}, {"state", &Protocol::stateFields}};
  return all_lists;
}

std::vector<NamedText> protocolList() {
  std::vector<NamedText> rows;
  for (const Protocol* one : protocols())
    rows.push_back({std::string(one->name()), std::string(one->text())});
  return rows;
}

}  // namespace

ExitCode validateCommand(const Words& words) {
  bool json = false;
  Command command{
      .usage = "zablab validate FILE|DIR... [--json]",
      .examples =
          "Reads scenarios, tables and models without running them, and reports what is wrong.\n\n"
          "Examples:\n"
          "  zablab validate my.json\n"
          "  zablab validate scenarios --json\n\n"
          "Exit status: 0 all can be run, 2 one cannot.\n",
      .positional = "file"};
  command.options.add_options()("json", po::bool_switch(&json), "print one JSON object for each file");
  const auto values = parse(command, words);
  if (!values) return held;
  const auto named = all(*values, "file");
  if (named.empty()) throw UsageError("nothing to validate; usage: " + command.usage);
  ExitCode code = held;
  for (const std::string& file : filesOf(named)) {
    try {
      readFile(file);
      if (json) {
        std::cout << onOneLine({{"file", file}, {"verdict", "valid"}}) << "\n";
      } else {
        std::cout << "valid  " << printable(file) << "\n";
      }
    } catch (const InputError& error) {
      code = bad_input;
      if (json) {
        std::cout << onOneLine(errorLine(file, error)) << "\n";
      } else {
        std::cerr << error.what() << "\n";
      }
    }
  }
  return code;
}

namespace {

/// Whether it can be a protocol's name, and a part of C++ names.
bool isProtocolName(const std::string& name) {
  const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= 40 && isLetter(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

/// Writes a folder of this name, with a protocol to start from.
ExitCode newProtocol(const std::string& name) {
  if (!isProtocolName(name)) {
    throw UsageError(
        inBackticks(name) +
        " cannot be the name of a protocol: up to 40 small letters, digits and `_`, a letter first");
  }
  if (findProtocol(name) != nullptr)
    throw UsageError("there is a protocol " + inBackticks(name) + " already");
  std::error_code error;
  if (!std::filesystem::create_directory(name, error)) {
    if (!error) throw UsageError("there is a file or directory " + inBackticks(name) + " already");
    throw EnvironmentError("cannot make the directory " + inBackticks(name) + ": " + error.message());
  }
  const auto renamed = [&](std::string_view text) {
    constexpr std::string_view old = "skeleton";
    std::string result(text);
    for (std::size_t at = 0; (at = result.find(old, at)) != std::string::npos; at += name.size())
      result.replace(at, old.size(), name);
    return result;
  };
  for (const EmbeddedFile& file : skeleton_files)
    writeFile(name + "/" + renamed(file.name), renamed(file.text));
  std::cout << "wrote " << name << "/: nodes in " << name << ".h and " << name
            << ".cc, what must hold in checks.cc, a scenario and a model.\n\n"
            << "  meson setup " << name << "/build " << name << " && ninja -C " << name << "/build\n"
            << "  zablab run " << name << "/scenario.json --text --protocol-module " << name << "/build/"
            << name << ".so\n";
  return held;
}

/// A scenario of this protocol to start from. Throws UsageError if there is none.
std::string_view starterOf(const Protocol& protocol) {
  for (const EmbeddedFile& file : starter_files) {
    if (file.name == std::string(protocol.name()) + ".json") return file.text;
  }
  throw UsageError("the protocol " + inBackticks(protocol.name()) +
                   ", which is in a module, has no scenario to start from: its authors may have written one");
}

}  // namespace

ExitCode newCommand(const Words& words) {
  std::string servers = "3";
  std::string protocol;
  std::string recipe;
  std::string contenders = "3";
  Command command{
      .usage = "zablab new [--servers N | --protocol P | --recipe R [--contenders N] | protocol NAME]",
      .examples =
          "Prints a scenario to start from, or writes a protocol of one's own. docs/scenarios.md and\n"
          "docs/adding-a-protocol.md describe how to continue.\n\n"
          "Examples:\n"
          "  zablab new --servers 5 > my.json\n"
          "  zablab new --protocol kafka > my.json              of another protocol\n"
          "  zablab new --recipe fair-election --contenders 5 > election.json\n"
          "  zablab run my.json --text\n"
          "  zablab new protocol mine                           in a new directory, mine/\n",
      .positional = "what"};
  command.options.add_options()("servers", po::value(&servers)->value_name("N"), "how many servers (3)")(
      "protocol", po::value(&protocol)->value_name("P"),
      "a scenario of this protocol (zablab list protocols)")(
      "recipe", po::value(&recipe)->value_name("R"), "a recipe that clients run, for example fair-election")(
      "contenders", po::value(&contenders)->value_name("N"), "how many clients run it (3)");
  const auto values = parse(command, words);
  if (!values) return held;
  if (const auto what = all(*values, "what"); !what.empty()) {
    if (what.front() != "protocol" || what.size() != 2)
      throw UsageError("what is new? usage: " + command.usage);
    for (const char* option : {"servers", "protocol", "recipe", "contenders"}) {
      if (values->count(option) > 0)
        throw UsageError(std::string("--") + option + " does not go together with a new protocol");
    }
    return newProtocol(what.back());
  }
  if (!protocol.empty() && !recipe.empty())
    throw UsageError("--protocol and --recipe do not go together: recipes are those of zookeeper's clients");
  if (!protocol.empty() && &protocolNamed(protocol) != protocols().front()) {
    if (values->count("servers") > 0)
      throw UsageError("--servers is for " + std::string(protocols().front()->name()) +
                       ": change the servers in what --protocol " + protocol + " prints");
    std::cout << starterOf(protocolNamed(protocol));
    return held;
  }
  if (recipe.empty()) {
    if (values->count("contenders") > 0) throw UsageError("--contenders needs --recipe");
    std::cout << newScenario(static_cast<std::int64_t>(numberOf("--servers", servers, 1, 31)));
    return held;
  }
  if (values->count("servers") > 0) throw UsageError("--servers and --recipe do not go together");
  const std::vector<std::string> known = recipeNames();
  if (known.empty()) throw UsageError(std::string("this program was built without recipes; ") + how_to_build);
  if (std::find(known.begin(), known.end(), recipe) == known.end()) {
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    throw UsageError("there is no recipe " + inBackticks(recipe) +
                     didYouMean(recipe, known, "; recipes are: " + list));
  }
  std::cout << newRecipe(recipe,
                         static_cast<std::int64_t>(numberOf("--contenders", contenders, 2, clients_max)));
  return held;
}

ExitCode schemaCommand(const Words& words) {
  Command command{.usage = "zablab schema scenario|model|table|trace",
                  .examples =
                      "Prints a JSON Schema, for editors that check while you type.\n\n"
                      "Example:\n  zablab schema scenario > scenario.schema.json\n",
                  .positional = "what"};
  const auto values = parse(command, words);
  if (!values) return held;
  const auto what = all(*values, "what");
  if (what.size() != 1) throw UsageError("one schema at a time; usage: " + command.usage);
  const std::vector<std::pair<std::string, Json (*)()>> schemas{{"scenario", &scenarioSchema},
                                                                {"table", &tableSchema},
                                                                {"model", &modelSchema},
                                                                {"trace", &traceSchema}};
  Names names;
  for (const auto& [name, schema] : schemas) {
    names.push_back(name);
    if (name != what[0]) continue;
    std::cout << schema().dump(2) << "\n";
    return held;
  }
  throw UsageError("there is no schema of " + inBackticks(what[0]) +
                   didYouMean(what[0], names, "; usage: " + command.usage));
}

ExitCode listCommand(const Words& words) {
  bool json = false;
  Command command{.usage = "zablab list WHAT [--protocol P] [--json]",
                  .examples =
                      "Lists protocols, variants, rules, mutations, invariants, functions or scenarios; and\n"
                      "with their fields what patterns may ask for: events, messages, records or state.\n\n"
                      "Examples:\n"
                      "  zablab list mutations\n"
                      "  zablab list rules --json\n"
                      "  zablab list invariants --protocol zab\n"
                      "  zablab list events --protocol kafka\n"
                      "  zablab list scenarios        name, file and claims of the files in scenarios/\n"
                      "  zablab list scenarios DIR    ... or of those in DIR\n",
                  .positional = "what"};
  std::string protocol(protocols().front()->name());
  command.options.add_options()  //
      ("protocol", po::value(&protocol)->value_name("P"),
       "of this protocol (zablab list protocols); zab by default")  //
      ("json", po::bool_switch(&json), "as JSON");
  const auto values = parse(command, words);
  if (!values) return held;
  const auto what = all(*values, "what");
  if (what.empty()) throw UsageError("a list of what? usage: " + command.usage);
  if (what[0] == "scenarios") return listScenarios(Names(what.begin() + 1, what.end()), json);
  if (what.size() > 1) throw UsageError("one list at a time; usage: " + command.usage);
  const Protocol& of = protocolNamed(protocol);
  Names names{"scenarios", "protocols"};
  for (const List& list : lists()) {
    names.push_back(list.name);
    if (list.name != what[0]) continue;
    printList(list.rows(of), json);
    return held;
  }
  if (what[0] == "protocols") {
    printList(protocolList(), json);
    return held;
  }
  throw UsageError("there is no list of " + inBackticks(what[0]) +
                   didYouMean(what[0], names, "; usage: " + command.usage));
}

}  // namespace zablab::cli
