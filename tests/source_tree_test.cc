// What the source tree may not contain: docs/architecture.md states why. Each rule is a function of a file's
// path and text, and has a test that shows that it fires.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/execute.h"
#include "checker/protocol.h"
#include "protocol/leader_followers/family.h"
#include "protocol/quorum_register/family.h"
#include "protocol/reflect.h"
#include "protocol/zab_register/family.h"
#include "sim/json_reflect.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

using Strings = std::vector<std::string>;
using Views = std::vector<std::string_view>;

const std::array folders = std::to_array<std::string_view>(
    {"protocol", "sim", "checker", "live", "viz", "cli", "mpi", "tests", "bench"});

/// The one place where JSON enters the engines; its numbers may be floating-point there before they are
/// refused.
const std::array json_edge =
    std::to_array<std::string_view>({"sim/json.h", "sim/json.cc", "sim/plain_json.cc"});

struct Finding {
  std::size_t line = 0;
  std::string rule;
  std::string text;
};
using Findings = std::vector<Finding>;

// ---- paths

bool isOneOf(std::string_view word, const auto& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The folder at `level`, counted from 0; empty when the path is not that deep.
std::string_view folderOf(std::string_view path, int level) {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    if (level-- == 0) return path.substr(0, slash);
    path.remove_prefix(slash + 1);
  }
  return {};
}

/// The file's name up to its first dot.
std::string_view stemOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

/// The family of protocols that a file or a header belongs to; empty for what serves all of them.
std::string_view familyOf(std::string_view path) {
  const std::string_view folder = folderOf(path, 0);
  if (isOneOf(folderOf(path, 1), Views{"fuzz", "check", "clients", "compare", "history"})) return {};
  if (folder == "protocol" || folder == "sim" || folder == "checker") return folderOf(path, 1);
  return {};
}

// ---- text

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

Strings linesOf(std::string_view text) {
  Strings lines;
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, text[stop] == '\n' ? stop : stop + 1));
    text.remove_prefix(stop + 1);
  }
  return lines;
}

/// The text with comments and the contents of literals blanked out; lines keep their places.
std::string codeOf(const std::string& text) {
  std::string code = text;
  std::size_t i = 0;
  const auto blank = [&](std::size_t count) {
    for (const std::size_t stop = std::min(i + count, code.size()); i < stop; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  const auto until = [&](std::string_view closing) {
    const std::size_t at = text.find(closing, i);
    return at == std::string::npos ? text.size() - i : at - i;
  };
  while (i < text.size()) {
    if (text.compare(i, 2, "//") == 0) {
      blank(until("\n"));
    } else if (text.compare(i, 2, "/*") == 0) {
      blank(2);
      blank(until("*/") + 2);
    } else if (text.compare(i, 2, "R\"") == 0 && (i == 0 || !isWordChar(text[i - 1]))) {
      const std::string closing = ")" + text.substr(i + 2, text.find('(', i) - i - 2) + "\"";
      blank(2);
      blank(until(closing) + closing.size());
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !isWordChar(text[i - 1])))) {
      const char quote = text[i++];
      while (i < text.size() && text[i] != quote && text[i] != '\n') blank(text[i] == '\\' ? 2 : 1);
      ++i;
    } else {
      ++i;
    }
  }
  return code;
}

/// True if `line` contains `word` as a separate word.
bool hasWord(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !isWordChar(line[at - 1]);
    const std::size_t stop = at + word.size();
    if (begins && (stop == line.size() || !isWordChar(line[stop]))) return true;
  }
  return false;
}

/// True if a function of this name is called that is not a member of an object.
bool hasCall(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    std::size_t stop = at + name.size();
    const bool begins = at == 0 || !(isWordChar(line[at - 1]) || line[at - 1] == '.' || line[at - 1] == '>');
    while (stop < line.size() && line[stop] == ' ') ++stop;
    if (begins && stop < line.size() && line[stop] == '(') return true;
  }
  return false;
}

/// True for 1.5, not for 1'000 or x.y or a version of more parts.
bool hasFloatingLiteral(std::string_view line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '.' || !isDigit(line[i - 1])) continue;
    std::size_t first = i;
    while (first > 0 && (isWordChar(line[first - 1]) || line[first - 1] == '\'')) --first;
    const bool range = i + 1 < line.size() && line[i + 1] == '.';  // 1...
    if (isDigit(line[first]) && !range) return true;
  }
  return false;
}

// ---- (a) permitted includes

/// The header that this line includes, or nothing.
std::string_view includeOf(std::string_view code, std::string_view line) {
  const std::size_t hash = code.find_first_not_of(" \t");
  if (hash == std::string_view::npos || code[hash] != '#' || !hasWord(code, "include")) return {};
  const std::size_t open = line.find_first_of("\"<");
  if (open == std::string_view::npos) return {};
  const std::size_t close = line.find_first_of("\">", open + 1);
  return close == std::string_view::npos ? std::string_view{} : line.substr(open + 1, close - open - 1);
}

/// The folders that a folder may include.
Views arrowsOf(std::string_view folder) {
  if (folder == "protocol") return {"protocol"};
  if (folder == "sim") return {"protocol", "sim"};
  if (folder == "checker") return {"protocol", "sim", "checker"};
  if (folder == "live") return {"protocol", "sim", "checker", "viz", "live"};
  if (folder == "viz") return {"viz"};
  if (folder == "cli") return {"protocol", "sim", "checker", "viz", "cli"};
  if (folder == "mpi") return {"protocol", "sim", "checker", "viz", "cli", "mpi"};
  return {folders.begin(), folders.end()};
}

/// A family built on a broadcast, or on ZooKeeper, may include it; it may not include the family.
bool standsOn(std::string_view own, std::string_view other) {
  return ((own == "zab_register" || own == "zookeeper") && other == "zab") ||
         (own == "zookeeper" && other == "recipes") ||
         (own == "external_store" && other == "leader_followers") ||
         (own == "kafka" && (other == "zookeeper" || other == "zab"));
}

/// A client's recipes use the terms of its requests and answers, and know neither servers nor the network.
bool isTerm(std::string_view header) {
  return isOneOf(header, Views{"protocol/zookeeper/operation.h", "protocol/zookeeper/paths.h",
                               "protocol/zookeeper/types.h"});
}

std::string checkInclude(std::string_view path, std::string_view header) {
  const std::string_view from = folderOf(path, 0);
  const std::string_view to = folderOf(header, 0);
  const Views of_traces{"sim/trace.h", "sim/state_graph.h", "sim/phrase.h", "sim/json.h"};
  if (from == "viz" && isOneOf(header, of_traces)) return {};
  if (!isOneOf(to, arrowsOf(from))) return std::string(from) + "/ may not include " + std::string(to) + "/";

  const std::string_view own = familyOf(path);
  const std::string_view other = familyOf(header);
  if (other.empty() || other == own || !isOneOf(from, Views{"protocol", "sim", "checker", "cli"})) return {};
  if (standsOn(own, other) || (own == "recipes" && isTerm(header))) return {};
  if (!own.empty()) return std::string(own) + " may not know " + std::string(other);
  return "what serves all protocols may not know " + std::string(other);
}

void checkIncludes(std::string_view path, const Strings& code, const Strings& lines, Findings& found) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view header = includeOf(code[i], lines[i]);
    if (header.empty()) continue;
    const bool ours = isOneOf(folderOf(header, 0), folders);
    if (!ours && lines[i].find('"') != std::string::npos) {
      found.push_back({i + 1, "include", "an include of ours begins with its folder: " + lines[i]});
    } else if (ours) {
      const std::string reason = checkInclude(path, header);
      if (!reason.empty()) found.push_back({i + 1, "include", reason + ": " + lines[i]});
    }
  }
}

// ---- (b) purity

const Views clock_words = {
    "system_clock", "steady_clock", "high_resolution_clock", "file_clock",   "utc_clock",
    "tai_clock",    "gps_clock",    "clock_gettime",         "gettimeofday", "timespec_get"};
const Views clock_calls = {"ctime"};  // elsewhere it is a field of ZooKeeper's Stat
const Views random_words = {"random",
                            "random_device",
                            "mt19937",
                            "mt19937_64",
                            "minstd_rand",
                            "minstd_rand0",
                            "ranlux24",
                            "ranlux48",
                            "knuth_b",
                            "default_random_engine",
                            "random_shuffle",
                            "shuffle",
                            "uniform_int_distribution",
                            "uniform_real_distribution",
                            "arc4random",
                            "getrandom"};
const Views random_calls = {"rand", "srand", "rand_r", "drand48"};
const Views impure_words = {
    // time, threads
    "chrono",
    "thread",
    "jthread",
    "this_thread",
    "thread_local",
    "mutex",
    "shared_mutex",
    "atomic",
    "condition_variable",
    "future",
    "semaphore",
    "latch",
    "barrier",
    "stop_token",
    "volatile",
    // input and output
    "iostream",
    "fstream",
    "ifstream",
    "ofstream",
    "cstdio",
    "filesystem",
    "cout",
    "cerr",
    "clog",
    "cin",
    "printf",
    "fprintf",
    "puts",
    "fputs",
    "fopen",
    "getenv",
    "syslog",
    "unistd",
    // JSON, and containers whose order depends on a hash or an address
    "nlohmann",
    "unordered_map",
    "unordered_set",
    "unordered_multimap",
    "unordered_multiset",
    "unordered_flat_map",
    "unordered_flat_set",
    "unordered_node_map",
    "unordered_node_set",
};
const Views recipe_words = {"semaphore", "latch", "barrier"};
const Views impure_calls = {"time", "localtime", "gmtime"};
const Views floating_words = {"float", "double"};

/// A `static` that is neither constant nor a function.
bool hasMutableStatic(std::string_view line) {
  if (!hasWord(line, "static") || hasWord(line, "constexpr") || hasWord(line, "const")) return false;
  line.remove_prefix(line.find("static"));
  const std::size_t value = line.find_first_of("={;");
  return value != std::string_view::npos && line.find('(') > value;
}

std::string_view withoutLeading(std::string_view statement) {
  const std::size_t first = statement.find_first_not_of(" \n\t");
  return first == std::string_view::npos ? std::string_view{} : statement.substr(first);
}

/// The statement without the preceding calls of macros in capitals.
std::string_view withoutMacros(std::string_view statement) {
  statement = withoutLeading(statement);
  while (true) {
    std::size_t at = 0;
    while (at < statement.size() && (std::isupper(static_cast<unsigned char>(statement[at])) != 0 ||
                                     isDigit(statement[at]) || statement[at] == '_')) {
      ++at;
    }
    if (at < 2 || at == statement.size() || statement[at] != '(') return statement;
    int depth = 0;
    do {
      depth += statement[at] == '(' ? 1 : statement[at] == ')' ? -1 : 0;
      ++at;
    } while (at < statement.size() && depth > 0);
    statement = withoutLeading(statement.substr(at));
  }
}

/// True when a statement at namespace scope defines a variable that may change.
bool isMutableGlobal(std::string_view statement) {
  statement = withoutMacros(statement);
  for (const std::string_view word : {"using", "typedef", "template", "namespace", "struct", "class", "enum",
                                      "union", "static_assert", "extern", "friend", "concept"}) {
    if (statement.starts_with(word) && hasWord(statement.substr(0, word.size() + 1), word)) return false;
  }
  for (const std::string_view word : {"const", "constexpr", "operator"}) {
    if (hasWord(statement, word)) return false;
  }
  const std::string_view declarator = statement.substr(0, statement.find('='));
  return declarator.find('(') == std::string_view::npos &&
         declarator.find_first_of(" \n") != std::string_view::npos;
}

void checkGlobals(const std::string& code, Findings& found) {
  std::vector<bool> is_namespace;  // the open braces
  std::string statement;
  std::size_t line = 1;
  std::size_t first_line = 1;
  const auto atNamespaceScope = [&] {
    return std::find(is_namespace.begin(), is_namespace.end(), false) == is_namespace.end();
  };
  const auto finish = [&] {
    if (atNamespaceScope() && isMutableGlobal(statement)) {
      found.push_back({first_line, "global", std::string(withoutMacros(statement))});
    }
    statement.clear();
  };
  bool directive = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\n') {
      ++line;
      directive = directive && i > 0 && code[i - 1] == '\\';
    }
    if (c == '#') directive = true;
    if (directive) continue;
    if (c == ';') {
      finish();
    } else if (c == '{') {
      const bool opens_namespace =
          hasWord(statement, "namespace") || withoutLeading(statement).starts_with("extern ");
      finish();
      is_namespace.push_back(opens_namespace);
    } else if (c == '}') {
      if (!is_namespace.empty()) is_namespace.pop_back();
      statement.clear();
    } else {
      if (withoutLeading(statement).empty() && !isSpace(c)) first_line = line;
      statement.push_back(c);
    }
  }
}

void checkWords(std::size_t line, std::string_view code, std::string_view rule, const Views& words,
                const Views& calls, Findings& found) {
  for (const std::string_view word : words) {
    if (hasWord(code, word)) found.push_back({line, std::string(rule), std::string(word)});
  }
  for (const std::string_view call : calls) {
    if (hasCall(code, call)) found.push_back({line, std::string(rule), std::string(call) + "()"});
  }
}

void checkPurity(std::string_view path, const std::string& text, const Strings& code, Findings& found) {
  const std::string_view folder = folderOf(path, 0);
  const bool pure = folder == "protocol";
  if (!pure && folder != "sim" && folder != "checker") return;
  for (std::size_t i = 0; i < code.size(); ++i) {
    checkWords(i + 1, code[i], "clock", clock_words, clock_calls, found);
    if (hasWord(code[i], "include") && hasWord(code[i], "ctime")) found.push_back({i + 1, "clock", code[i]});
    checkWords(i + 1, code[i], "random", random_words, random_calls, found);
    if (!isOneOf(path, json_edge)) {
      checkWords(i + 1, code[i], "floating point", floating_words, {}, found);
      if (hasFloatingLiteral(code[i])) found.push_back({i + 1, "floating point", code[i]});
    }
    if (!pure) continue;
    // What clients build on ZooKeeper has the names of what threads use.
    const bool a_recipe =
        folderOf(path, 1) == "recipes" && !hasWord(code[i], "std") && !hasWord(code[i], "include");
    Views words = impure_words;
    if (a_recipe) std::erase_if(words, [](std::string_view word) { return isOneOf(word, recipe_words); });
    checkWords(i + 1, code[i], "impure", words, impure_calls, found);
    if (hasMutableStatic(code[i])) found.push_back({i + 1, "static", code[i]});
  }
  if (pure) checkGlobals(text, found);
}

// ---- (c) tidiness

std::size_t columnsOf(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(
      line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void checkTidiness(std::string_view path, const std::string& text, const Strings& lines, Findings& found) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    for (const std::string_view word : {"TO"
                                        "DO",
                                        "FIX"
                                        "ME",
                                        "X"
                                        "XX"}) {
      if (hasWord(line, word)) found.push_back({i + 1, "left open", line});
    }
    if (line.find('\t') != std::string::npos) found.push_back({i + 1, "tab", line});
    if (line.find('\r') != std::string::npos) found.push_back({i + 1, "carriage return", line});
    if (!line.empty() && line.back() == ' ') found.push_back({i + 1, "blank at the end", line});
    if (columnsOf(line) > 120) found.push_back({i + 1, "longer than 120 columns", line});
  }
  if (!text.empty() && text.back() != '\n')
    found.push_back({lines.size(), "no newline at the end", std::string(path)});
  if (path.ends_with(".h") && std::find(lines.begin(), lines.end(), "#pragma once") == lines.end()) {
    found.push_back({1, "no #pragma once", std::string(path)});
  }
}

// ---- (d) a node knows rules, not releases

/// True for 3.9.5, and for 3.5 after a word that makes it a release.
bool hasRelease(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!isDigit(line[at]) || (at > 0 && (isWordChar(line[at - 1]) || line[at - 1] == '.'))) continue;
    std::size_t stop = at;
    int dots = 0;
    const auto digitAt = [&](std::size_t i) { return i < line.size() && isDigit(line[i]); };
    while (digitAt(stop) || (stop < line.size() && line[stop] == '.' && digitAt(stop + 1))) {
      if (line[stop++] == '.') ++dots;
    }
    if (dots == 2) return true;
    std::string before(line.substr(0, at));
    while (!before.empty() && before.back() == ' ') before.pop_back();
    for (const std::string_view word :
         {"ZooKeeper", "Redis", "Kafka", "since", "Since", "before", "until", "release", "version"}) {
      if (dots == 1 && before.ends_with(word)) return true;
    }
  }
  return false;
}

bool hasIssueId(std::string_view line) {
  for (const std::string_view project : {"ZOOKEEPER-", "KAFKA-", "CASSANDRA-", "HDFS-"}) {
    const std::size_t at = line.find(project);
    const std::size_t number = at + project.size();
    if (at != std::string_view::npos && number < line.size() && isDigit(line[number])) return true;
  }
  return false;
}

void checkNodes(std::string_view path, const Strings& lines, Findings& found) {
  if (folderOf(path, 0) != "protocol" || folderOf(path, 1).empty()) return;
  const std::string_view stem = stemOf(path);
  const bool tells_sources = isOneOf(stem, Views{"variants", "mutations"}) || path.ends_with("/rules.cc");
  if (tells_sources || stem.starts_with("zoo_cfg")) return;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string lower = lines[i];
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower.find("muta"
                   "tion") != std::string::npos)
      found.push_back({i + 1, "history", "mutation: " + lines[i]});
    if (lower.find("document") != std::string::npos)
      found.push_back({i + 1, "history", "a document: " + lines[i]});
    if (hasRelease(lines[i])) found.push_back({i + 1, "history", "a release: " + lines[i]});
    if (hasIssueId(lines[i])) found.push_back({i + 1, "history", "an issue: " + lines[i]});
  }
}

/// Everything that is wrong with one file. `path` is relative to the top of the tree.
Findings check(std::string_view path, const std::string& text) {
  Findings found;
  const std::string stripped = codeOf(text);
  const Strings code = linesOf(stripped);
  const Strings lines = linesOf(text);
  checkTidiness(path, text, lines, found);
  if (!path.ends_with(".h") && !path.ends_with(".cc")) return found;
  checkIncludes(path, code, lines, found);
  checkPurity(path, stripped, code, found);
  checkNodes(path, lines, found);
  return found;
}

// ---- (e) a judge calls no function of the protocol that it judges

/// What a text declares or defines at namespace scope and in classes.
struct Declarations {
  std::set<std::string> functions;  ///< outside of classes
  std::set<std::string> members;
  std::set<std::string> classes;
  std::set<std::size_t> at;  ///< where functions' names begin
};

std::size_t endOfBrackets(std::string_view code, std::size_t at, char open, char close) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == open) ++depth;
    if (code[at] == close && --depth == 0) return at + 1;
  }
  return code.size();
}

std::size_t endOfWord(std::string_view code, std::size_t at) {
  while (at < code.size() && isWordChar(code[at])) ++at;
  return at;
}

bool isMacro(std::string_view word) {
  return word.size() > 2 && std::none_of(word.begin(), word.end(), [](char c) {
           return std::islower(static_cast<unsigned char>(c)) != 0;
         });
}

/// What the statement in [begin, end) declares; `in_class`: whether it is in one.
void noteDeclaration(const std::string& code, std::size_t begin, std::size_t end, bool in_class,
                     Declarations& found) {
  const std::string_view text = std::string_view(code).substr(0, end);
  const std::string_view statement = text.substr(begin);
  for (const std::string_view word : {"using", "typedef", "operator", "concept", "static_assert", "enum"}) {
    if (hasWord(statement, word)) return;
  }
  std::string_view before;  // the last word; `typed`: a type precedes it; `qualified`: a class does
  bool typed = false;
  bool qualified = false;
  bool colons = false;
  for (std::size_t i = begin; i < end;) {
    if (!isWordChar(text[i])) {
      if (text[i] == '=' || (text[i] == '(' && before.empty())) return;
      if (text[i] == '(') {
        if (!typed || isOneOf(before, Views{"decltype", "noexcept", "alignas", "requires"})) return;
        (in_class || qualified ? found.members : found.functions).emplace(before);
        found.at.insert(static_cast<std::size_t>(before.data() - code.data()));
        return;
      }
      colons = text.substr(i, 2) == "::" || (colons && isSpace(text[i]));
      if (text[i] == '<' && !before.empty()) {
        i = endOfBrackets(text, i, '<', '>');
      } else {
        i += text.substr(i, 2) == "::" ? 2 : 1;
      }
      continue;
    }
    const std::size_t stop = endOfWord(text, i);
    const std::string_view word = text.substr(i, stop - i);
    if (word == "template") {
      i = endOfBrackets(text, std::min(text.find('<', i), end), '<', '>');
    } else if (isMacro(word) && stop < end && text[stop] == '(') {
      i = endOfBrackets(text, stop, '(', ')');
    } else {
      typed = typed || (!before.empty() && !colons);
      qualified = std::exchange(colons, false);
      before = word;
      i = stop;
      if (in_class && before == "explicit") before = {};
    }
  }
}

/// The name of the class that begins with this statement; empty: it begins none.
std::string_view classIn(std::string_view statement) {
  statement = withoutLeading(statement);
  while (statement.starts_with("template")) {
    const std::size_t open = std::min(statement.find('<'), statement.size());
    statement = withoutLeading(statement.substr(endOfBrackets(statement, open, '<', '>')));
  }
  if (statement.find('(') != std::string_view::npos) return {};
  for (const std::string_view word : {"struct ", "class ", "union "}) {
    if (!statement.starts_with(word)) continue;
    return statement.substr(word.size(), endOfWord(statement, word.size()) - word.size());
  }
  return {};
}

/// `code` is without comments and the contents of literals.
Declarations declarationsIn(const std::string& code) {
  enum class Scope { space, record, body };
  Declarations found;
  std::vector<Scope> open;
  std::size_t begin = 0;
  const auto note = [&](std::size_t end) {
    const bool in_body = std::find(open.begin(), open.end(), Scope::body) != open.end();
    if (!in_body) noteDeclaration(code, begin, end, !open.empty() && open.back() == Scope::record, found);
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '#') {
      while (i + 1 < code.size() && (code[i + 1] != '\n' || code[i] == '\\')) ++i;
      begin = i + 1;
    } else if (code[i] == ';') {
      note(i);
      begin = i + 1;
    } else if (code[i] == '{') {
      const std::string_view statement = std::string_view(code).substr(begin, i - begin);
      const std::string_view name = classIn(statement);
      if (hasWord(statement, "namespace")) {
        open.push_back(Scope::space);
      } else if (!name.empty()) {
        open.push_back(Scope::record);
        found.classes.emplace(name);
      } else {
        note(i);
        open.push_back(Scope::body);
      }
      begin = i + 1;
    } else if (code[i] == '}') {
      if (!open.empty()) open.pop_back();
      begin = i + 1;
    }
  }
  return found;
}

void add(Declarations& all, const Declarations& more) {
  all.functions.insert(more.functions.begin(), more.functions.end());
  all.members.insert(more.members.begin(), more.members.end());
  all.classes.insert(more.classes.begin(), more.classes.end());
}

/// These are no decisions: the parts of a value, and what a record changes on a disk, which the world asks
/// for, too. And what containers are asked in the same words.
const Views parts_of_values = {"epoch", "counter", "of", "write"};
const Views of_containers = {"at",  "back",  "begin", "clear", "contains", "count",  "data",
                             "end", "empty", "erase", "find",  "front",    "insert", "size"};

struct Call {
  std::size_t line = 0;
  std::string name;
};

/// Calls of what a protocol declares. `own`: what the judge's own files and the engine declare.
std::vector<Call> callsOf(const Declarations& theirs, const Declarations& own, const std::string& code) {
  std::vector<Call> calls;
  const Declarations here = declarationsIn(code);
  const std::string_view text = code;
  std::size_t line = 1;
  for (std::size_t i = 0, stop = 0; i < text.size(); i = std::max(stop, i + 1)) {
    if (text[i] == '\n') ++line;
    if (!isWordChar(text[i])) continue;
    stop = endOfWord(text, i);
    const std::string name(text.substr(i, stop - i));
    const bool is_function = theirs.functions.contains(name);
    const bool is_member = theirs.members.contains(name);
    if (!(is_function || is_member) || here.at.contains(i) || isOneOf(name, parts_of_values)) continue;

    std::size_t next = stop;
    if (text.substr(next).starts_with("<")) next = endOfBrackets(text, next, '<', '>');
    while (next < text.size() && isSpace(text[next])) ++next;
    const bool is_called = next < text.size() && text[next] == '(';
    std::string_view before = text.substr(0, i);
    while (!before.empty() && isSpace(before.back())) before.remove_suffix(1);
    bool theirs_is_meant = false;
    if (before.ends_with("::")) {
      before.remove_suffix(2);
      std::size_t first = before.size();
      while (first > 0 && isWordChar(before[first - 1])) --first;
      const std::string scope(before.substr(first));
      const bool of_class = theirs.classes.contains(scope) || scope == "F" || scope == "Family";
      theirs_is_meant = is_member && of_class && !own.classes.contains(scope);
      // A namespace: also where the function is not called, but passed on.
      if (is_function && std::islower(static_cast<unsigned char>(scope.empty() ? 'X' : scope[0])) != 0)
        theirs_is_meant = scope != "std" && !own.functions.contains(name);
    } else if (before.ends_with(".") || before.ends_with("->")) {
      theirs_is_meant =
          is_called && is_member && !own.members.contains(name) && !isOneOf(name, of_containers);
    } else {
      // In a class that has a function of this name, that one is called.
      theirs_is_meant = is_called && is_function && !here.members.contains(name);
    }
    if (theirs_is_meant) calls.push_back({line, name});
  }
  return calls;
}

/// What may run nodes: campaigns, searches, comparisons of implementations, replays of recordings.
bool runsNodes(std::string_view path) {
  std::string_view stem = stemOf(path);
  if (stem.ends_with("_impl")) stem.remove_suffix(5);
  return isOneOf(
      stem, Views{"fuzz_run", "swarm", "check", "moves", "compare", "conform", "recordings",
                  "recording_kinds", "unread_service", "protocol", "tables", "new_recipe", "quiet_ensemble"});
}

// ---- tests

std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("source tree: every file keeps the rules") {
  const std::filesystem::path top = ZABLAB_SOURCE_DIR;
  std::set<std::string> seen;
  for (const std::string_view folder : folders) {
    if (!std::filesystem::exists(top / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
      const std::string name = entry.path().filename().string();
      const bool source = name.ends_with(".h") || name.ends_with(".cc") || name == "meson.build";
      if (!entry.is_regular_file() || !source) continue;
      const std::string path = entry.path().lexically_relative(top).generic_string();
      seen.insert(path);
      for (const Finding& finding : check(path, readFile(entry.path()))) {
        FAIL_CHECK(path, ":", finding.line, ": ", finding.rule, ": ", finding.text);
      }
    }
  }
  // The walk visited the source tree and not another folder.
  for (const char* path : {"protocol/reflect.h", "protocol/zab/zoo_cfg.cc", "sim/trace.h", "tests/main.cc"}) {
    CHECK_MESSAGE(seen.contains(path), path);
  }
}

struct Row {
  std::string path;
  std::string text;
  std::string rule;  ///< the one that fires, once or more; empty: none does
};

void checkRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CAPTURE(row.text);
    const bool header = row.path.ends_with(".h");
    const Findings found = check(row.path, (header ? "#pragma once\n" : "") + row.text + "\n");
    for (const Finding& finding : found)
      CHECK_MESSAGE(finding.rule == row.rule, finding.rule, ": ", finding.text);
    CHECK(found.empty() == row.rule.empty());
  }
}

std::string include(const std::string& header) { return "#include \"" + header + "\""; }

TEST_CASE("source tree: the rule for includes") {
  checkRows({
      {"protocol/zab/election.cc", include("protocol/zab/election.h"), ""},
      {"protocol/zab/election.cc", include("protocol/vocabulary.h"), ""},
      {"protocol/zab/election.cc", include("sim/world.h"), "include"},
      {"protocol/zab/election.cc", "#include <sim/world.h>", "include"},
      {"protocol/zab/election.cc", "  #  include \"checker/monitor.h\"  // no", "include"},
      {"protocol/zab/election.cc", "// " + include("sim/world.h"), ""},
      {"protocol/zab/election.cc", include("election.h"), "include"},
      {"protocol/zab/election.cc", include("../sim/world.h"), "include"},
      {"protocol/leader_followers/tree.cc", include("protocol/zab/types.h"), "include"},
      {"protocol/zab_register/server.cc", include("protocol/zab/types.h"), ""},
      {"protocol/zab/log_impl.h", include("protocol/zab_register/family.h"), "include"},
      {"checker/zab_register/check.cc", include("protocol/zab_register/family.h"), ""},
      {"checker/zab_register/check.cc", include("checker/zab/check.h"), ""},
      {"checker/zab/check.h", include("protocol/zab_register/family.h"), "include"},
      {"checker/zab/check.h", include("checker/zab_register/check.h"), "include"},
      {"sim/zab/words.cc", include("protocol/zab_register/messages.h"), "include"},
      {"sim/zab_register/words.cc", include("sim/zab/words.h"), ""},
      {"protocol/zab/step.cc", include("protocol/zookeeper/tree.h"), "include"},
      {"protocol/zookeeper/client.cc", include("protocol/recipes/program.h"), ""},
      {"protocol/recipes/contender.h", include("protocol/zookeeper/operation.h"), ""},
      {"protocol/recipes/contender.h", include("protocol/zookeeper/service.h"), "include"},
      {"protocol/recipes/contender.h", include("protocol/zab/types.h"), "include"},
      {"protocol/vocabulary.h", include("protocol/zab/types.h"), "include"},
      {"sim/world.cc", include("protocol/vocabulary.h"), ""},
      {"sim/world.cc", include("sim/choices.h"), ""},
      {"sim/world.cc", include("checker/monitor.h"), "include"},
      {"sim/world.cc", include("viz/ladder.h"), "include"},
      {"sim/world.cc", include("protocol/zab/types.h"), "include"},
      {"sim/world.cc", include("sim/zab_register/binding.h"), "include"},
      {"sim/zab/binding.cc", include("protocol/zab/types.h"), ""},
      {"sim/zab/binding.cc", include("sim/world.h"), ""},
      {"sim/zab/binding.cc", include("protocol/redis/sentinel.h"), "include"},
      {"checker/explore.cc", include("sim/world.h"), ""},
      {"checker/explore.cc", include("protocol/zab/types.h"), "include"},
      {"checker/explore.cc", include("checker/zab/leaders.h"), "include"},
      {"checker/explore.cc", include("viz/ladder.h"), "include"},
      {"checker/protocols.cc", include("checker/zab/check.h"), "include"},
      {"checker/zab/leaders.cc", include("protocol/zab/types.h"), ""},
      {"checker/zab/tables.cc", include("protocol/zab/types.h"), ""},
      {"checker/zab/tables.cc", include("protocol/redis/types.h"), "include"},
      {"checker/zab/leaders.cc", include("sim/zab/binding.h"), ""},
      {"checker/zab/leaders.cc", include("checker/monitor.h"), ""},
      {"checker/redis/votes.cc", include("protocol/zab/types.h"), "include"},
      {"checker/explore.cc", include("cli/main.h"), "include"},
      {"viz/ladder.cc", include("viz/dot.h"), ""},
      {"viz/ladder.cc", include("sim/trace.h"), ""},
      {"viz/statespace.cc", include("sim/state_graph.h"), ""},
      {"viz/ladder.cc", include("sim/phrase.h"), ""},
      {"viz/ladder.cc", include("sim/json.h"), ""},
      {"viz/ladder.cc", include("sim/world.h"), "include"},
      {"viz/ladder.cc", include("protocol/reflect.h"), "include"},
      {"viz/ladder.cc", include("checker/monitor.h"), "include"},
      {"cli/main.cc", include("viz/ladder.h"), ""},
      {"cli/main.cc", include("checker/execute.h"), ""},
      {"cli/main.cc", include("checker/zookeeper/new_recipe.h"), "include"},
      {"cli/main.cc", include("tests/walk.h"), "include"},
      {"tests/walk.cc", include("tests/walk.h"), ""},
      {"tests/walk.cc", include("protocol/zab/types.h"), ""},
      {"bench/steps.cc", include("sim/world.h"), ""},
  });
}

TEST_CASE("source tree: the rule for purity") {
  const std::string node = "protocol/zab/election.cc";
  checkRows({
      {node, "#include <chrono>", "impure"},
      {node, "bool f(int time_ms) { return std::chrono::seconds(1).count() > time_ms; }", "impure"},
      {"sim/world.cc", "auto t = steady_clock::now();", "clock"},
      {"checker/explore.cc", "auto t = system_clock::now();", "clock"},
      {node, "#include <random>", "random"},
      {"sim/choices.cc", "std::mt19937 engine;", "random"},
      {"checker/explore.cc", "int x = std::rand();", "random"},
      {node, "int f() { return rand (); }", "random"},
      {node, "long f() { return time(nullptr); }", "impure"},
      {node, "long f() { return ::time(nullptr); }", "impure"},
      {node, "long f(const Event& event) { return event.time() + lifetime(3) + time_ms; }", ""},
      {node, "#include <thread>", "impure"},
      {node, "#include <mutex>", "impure"},
      {"protocol/recipes/program.cc", "bool f(Recipe one) { return one == Recipe::semaphore; }", ""},
      {"protocol/recipes/program.cc", "#include <semaphore>", "impure"},
      {"protocol/recipes/program.cc", "void f(std::barrier<>& all);", "impure"},
      {node, "bool f(Recipe one) { return one == Recipe::semaphore; }", "impure"},
      {node, "#include <iostream>", "impure"},
      {node, "#include <fstream>", "impure"},
      {node, "#include <cstdio>", "impure"},
      {node, "void f() { std::printf(\"x\"); }", "impure"},
      {node, "void f() { std::cout << 1; }", "impure"},
      {node, "#include <nlohmann/json.hpp>", "impure"},
      {node, "void f() { getenv(\"HOME\"); }", "impure"},
      {node, "std::unordered_map<int, int> f();", "impure"},
      {node, "using Set = std::unordered_set<int>;", "impure"},
      {node, "float f();", "floating point"},
      {"sim/network.cc", "double f();", "floating point"},
      {"checker/explore.cc", "auto share = 3 * 1.5;", "floating point"},
      {"sim/network.cc", "auto a = 1'000 + x1.size() + a[0].y + 0x1f;", ""},
      {"sim/json.cc", "bool number_float(double);", ""},
      {"viz/ladder.cc", "double scale = 1.5;", ""},
      {"cli/main.cc", "std::cout << std::chrono::steady_clock::now();", ""},
      {"sim/world.cc", "std::unordered_map<int, int> seen; std::thread worker;", ""},
      // comments and literals are not checked
      {node, "// a double vote, printf, rand()", ""},
      {node, "/* float\n double */ int f();", ""},
      {node, "const char* const text = \"no double, \\\"float\\\", no rand()\";", ""},
      {node, "const char* const text = R\"x(double \" float)x\"; // float", ""},
      {node, "int f(char c) { return c == '\"' ? 1 : 0; }  // \" double", ""},
      {node, "int f() { return 10'000; } double g();", "floating point"},
  });
}

TEST_CASE("source tree: the rule for globals") {
  const std::string node = "protocol/zab/election.cc";
  checkRows({
      {node, "int counter = 0;", "global"},
      {node, "namespace zablab {\nnamespace {\nstd::map<int, int> cache;\n}\n}", "global"},
      {node, "namespace zablab::zab { std::vector<int> table{1, 2}; }", "global"},
      {node, "int table[] = {1, 2};", "global"},
      {node, "BOOST_DESCRIBE_STRUCT(Vote, (), (leader))\nint last = f(1);", "global"},
      {node, "inline int last;", "global"},
      {node, "void f() {\n  static int calls = 0;\n}", "static"},
      {node, "struct A {\n  static std::map<int, int> all;\n};", "static"},
      {node, "void f(int x) { static int calls{0}; }", "static"},
      {node, "void f() { thread_local int calls = 0; }", "impure"},
      {node, "namespace {\nconstexpr int limit = 3;\nconst std::string name = \"x\";\n}", ""},
      {node, "BOOST_DESCRIBE_STRUCT(Vote, (), (leader))\n\ninline constexpr Zxid none{-1};", ""},
      {node,
       "struct A {\n  int x = 0;\n  static constexpr int y = 1;\n  static A of(int x) { return {x}; }\n};",
       ""},
      {node, "static int f(int x) { return x; }", ""},
      {node, "bool operator==(const A& a, const A& b) { return a.x == b.x; }", ""},
      {node, "enum class Role : int { a, b };\nusing Id = int;\nusing namespace detail;\nclass Later;", ""},
      {node, "template <class T>\nvoid f(T x = 1) {\n  int y = 0;\n  y += x;\n}", ""},
      {node, "A::A(int x) : x_(x), y_{x} {}\nint A::f() const { return 0; }", ""},
      {node, "#define X int a;\nint f();\nstatic_assert(sizeof(int) == 4);", ""},
      {"sim/world.cc", "int counter = 0;", ""},
  });
}

TEST_CASE("source tree: the rule for tidiness") {
  checkRows({
      {"viz/dot.cc",
       "// TO"
       "DO: later",
       "left open"},
      {"viz/dot.cc",
       "// FIX"
       "ME",
       "left open"},
      {"tests/a.cc",
       "// X"
       "XX",
       "left open"},
      {"tests/a.cc",
       "// TO"
       "DOS are words too",
       ""},
      {"viz/dot.cc", "\tint x;", "tab"},
      {"viz/dot.cc", "int x; ", "blank at the end"},
      {"viz/dot.cc", "int x;\r", "carriage return"},
      {"viz/dot.cc", "// " + std::string(117, 'x'), ""},
      {"viz/dot.cc", "// " + std::string(118, 'x'), "longer than 120 columns"},
      {"viz/meson.build", "x = 1 ", "blank at the end"},
  });
  std::string arrows = "// ";
  for (int i = 0; i < 117; ++i) arrows += "\u2192";
  checkRows({{"viz/dot.cc", arrows, ""}});  // columns, not bytes

  REQUIRE(check("viz/dot.h", "int f();\n").size() == 1);
  CHECK(check("viz/dot.h", "int f();\n")[0].rule == "no #pragma once");
  CHECK(check("viz/dot.h", "#pragma once\nint f();\n").empty());
  REQUIRE(check("viz/dot.cc", "int f();").size() == 1);
  CHECK(check("viz/dot.cc", "int f();")[0].rule == "no newline at the end");
}

TEST_CASE("source tree: the rule for nodes") {
  const std::string mutation =
      "muta"
      "tion";
  checkRows({
      {"protocol/zab/election.cc", "// since 3.9.5", "history"},
      {"protocol/zab/election.cc", "// ZooKeeper 3.5 does", "history"},
      {"protocol/zab/election.cc", "// section 3.5 of the paper, 10.1.2.3", ""},
      {"protocol/zab/election.cc", "// ZOOKEEPER-1234", "history"},
      {"protocol/zab/election.cc", "const char* const x = \"ZOOKEEPER-1\";", "history"},
      {"protocol/zab/election.h", "// a " + mutation, "history"},
      {"protocol/zab/election.h", "int M" + mutation.substr(1) + "s();", "history"},
      {"protocol/zab/election.cc", "// as the documents tell it", "history"},
      {"protocol/zab/rules.h", "// ZOOKEEPER-1234", "history"},
      {"protocol/zab/rules.h", "// a value of release 3.9.5", "history"},
      {"protocol/zab/variants.h", "// ZOOKEEPER-1234 in 3.9.5, a " + mutation + ", a document's", ""},
      {"protocol/zab/variants.cc", "// 3.9.5", ""},
      {"protocol/zab/mutations.h", "// ZOOKEEPER-1234", ""},
      {"protocol/zab/zoo_cfg.cc", "// 3.6.0", ""},
      {"protocol/reflect.h", "// 3.6.0", ""},
      {"sim/world.cc", "// ZOOKEEPER-1234", ""},
  });
}

// ---- what serves all protocols contains no protocol's words

template <class E>
void addEnumerators(std::set<std::string>& words) {
  forEachEnumerator<E>([&](std::string_view name, E) { words.emplace(name); });
}

template <class Alternatives>
void addNames(std::set<std::string>& words) {
  json_detail::forEachAlternative<Alternatives>([&]<class A>() { words.emplace(A::name); });
}

template <class F>
void addWordsOf(std::set<std::string>& words) {
  words.emplace(F::name);
  addNames<typename F::Message>(words);
  addNames<typename F::Record>(words);
  addEnumerators<typename F::TimerKind>(words);
  const typename F::Rules rules{};
  forEachField(rules, [&](std::string_view name, const auto&) { words.emplace(name); });
}

/// The words in code and in its texts, without comments.
std::set<std::string> wordsIn(const std::string& text) {
  std::set<std::string> words;
  bool comment = false;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\n';
    if (text.compare(i, 2, "//") == 0) comment = true;
    if (c == '\n') comment = false;
    if (isWordChar(c) && !comment) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

TEST_CASE(
    "source tree: what serves all protocols has no protocol's messages, roles, phases, records, timers or "
    "rules") {
  std::set<std::string> theirs;
  addWordsOf<zab::Family>(theirs);
  addWordsOf<leader_followers::Family>(theirs);
  addWordsOf<quorum_register::Family>(theirs);
  addEnumerators<zab::Role>(theirs);
  addEnumerators<zab::Phase>(theirs);
  addEnumerators<leader_followers::Role>(theirs);
  addEnumerators<zab::Operation>(theirs);
  for (const Protocol* protocol : protocols()) {
    const OwnKeys keys = protocol->ownKeys();
    for (const Json* own : {&keys.step, &keys.server, &keys.scenario}) {
      for (const auto& [key, schema] : own->items()) theirs.insert(key);
    }
  }
  // English words that a protocol also uses.
  for (const char* word : {"entry",
                           "keep",
                           "counted",
                           "answer",
                           "answers",
                           "tail",
                           "join",
                           "give_up",
                           "vote",
                           "snapshot",
                           "election",
                           "broadcast",
                           "leader",
                           "follower",
                           "candidate",
                           "heartbeat",
                           "kept",
                           "silent",
                           "unanswered",
                           "read",
                           "write",
                           "sync",
                           "connect",
                           "role",
                           "group",
                           "view",
                           "clock",
                           "expected",
                           "put",
                           "weight",
                           "compare_and_set",
                           "lost_quorum",
                           "check",
                           "servers",
                           "data",
                           "watch",
                           "disconnect",
                           "delete",
                           "version",
                           "mode",
                           "exists",
                           "create",
                           "run",
                           "do",
                           "path",
                           "prefix",
                           "reader",
                           "members",
                           "parts",
                           "coordinator",
                           "metadata",
                           "resource"})
    theirs.erase(word);
  for (const std::string& word : wordsIn(readFile(ZABLAB_SOURCE_DIR "/protocol/vocabulary.h")))
    theirs.erase(word);
  REQUIRE(theirs.size() > 90);

  const std::map<std::string, std::set<std::string>> shown{
      {"checker/protocols.cc", {}},         // the list of them
      {"checker/execute.cc", {"LEADING"}},  // the file that `zablab new` begins with
      {"cli/format_commands.cc", {"zab", "zookeeper"}},
      {"cli/run.cc", {"decision"}},
      {"cli/overrides.cc", {"decision"}},
  };
  std::size_t files = 0;
  for (const std::string_view folder : {"sim", "checker", "viz", "cli"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(ZABLAB_SOURCE_DIR) / folder)) {
      const std::string path = entry.path().lexically_relative(ZABLAB_SOURCE_DIR).generic_string();
      if (!(path.ends_with(".h") || path.ends_with(".cc")) || !familyOf(path).empty()) continue;
      ++files;
      const auto allowed = shown.find(path);
      for (const std::string& word : wordsIn(readFile(entry.path()))) {
        const bool examples = allowed != shown.end() && allowed->second.contains(word);
        if (theirs.contains(word) && !examples) FAIL_CHECK(path, " has a protocol's word: ", word);
      }
    }
  }
  CHECK(files > 100);
}

// ---- the broadcast contains no word of what is built on it

TEST_CASE("source tree: the broadcast has no words of the register") {
  using zab::Register;
  std::set<std::string> theirs;
  addNames<Register::Messages>(theirs);
  addNames<Register::Events>(theirs);
  addEnumerators<zab::Operation>(theirs);
  addEnumerators<zab::TxnKind>(theirs);
  addEnumerators<zab::Outcome>(theirs);
  const zab::Rules rules{};
  forEachField(rules, [&](std::string_view name, const auto&) { theirs.emplace(name); });
  const zab::BroadcastRules below{};
  forEachField(below, [&](std::string_view name, const auto&) { theirs.erase(std::string(name)); });
  theirs.erase(std::string(zab::SyncChosen::name));
  // English words, and words that nodes and codecs use anyway.
  for (const char* word : {"read", "connect", "ok", "unknown", "answers"}) theirs.erase(word);
  REQUIRE(theirs.size() > 14);

  std::size_t files = 0;
  for (const std::string_view folder : {"sim/zab", "checker/zab"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(ZABLAB_SOURCE_DIR) / folder)) {
      ++files;
      const std::string path = entry.path().lexically_relative(ZABLAB_SOURCE_DIR).generic_string();
      for (const std::string& word : wordsIn(readFile(entry.path())))
        CHECK_MESSAGE(!theirs.contains(word), path, " has a word of the register: ", word);
    }
  }
  CHECK(files > 30);
  // It finds a word where there is one.
  CHECK(theirs.contains(*wordsIn("answered").begin()));
}

// ---- judges and the protocols that they judge

std::string codeAt(const std::string& path) {
  return codeOf(readFile(std::filesystem::path(ZABLAB_SOURCE_DIR) / path));
}

/// The headers of ours that these files include, and what those include.
std::set<std::string> headersOf(const std::set<std::string>& files) {
  std::set<std::string> reached;
  std::vector<std::string> left(files.begin(), files.end());
  while (!left.empty()) {
    const std::string text = readFile(std::filesystem::path(ZABLAB_SOURCE_DIR) / left.back());
    left.pop_back();
    const Strings lines = linesOf(text);
    const Strings code = linesOf(codeOf(text));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string header(includeOf(code[i], lines[i]));
      const bool ours = isOneOf(folderOf(header, 0), folders) &&
                        std::filesystem::exists(std::filesystem::path(ZABLAB_SOURCE_DIR) / header);
      if (ours && reached.insert(header).second) left.push_back(header);
    }
  }
  return reached;
}

TEST_CASE("source tree: the rule for judges") {
  const Declarations theirs = declarationsIn(codeOf(R"(
#pragma once
namespace zablab::kafka {
/// apply(x) is a word in a comment.
struct Tree : Base {
  explicit Tree(int size) : size_(size) {}
  bool operator==(const Tree&) const = default;
  int grow(int by) const { return inner(by); }
  static Tree planted();
};
BOOST_DESCRIBE_STRUCT(Tree, (), (size))
template <class S>
std::optional<Txn> prepare(const Tree& tree, int x = compute(1));
inline bool isWrite(OpCode code) { return code == OpCode::create && helper(code); }
inline constexpr int limit = least(3);
using Function = std::function<void(int)>;
}  // namespace zablab::kafka
)"));
  CHECK(theirs.functions == std::set<std::string>{"isWrite", "prepare"});
  CHECK(theirs.members == std::set<std::string>{"grow", "planted"});
  CHECK(theirs.classes == std::set<std::string>{"Tree"});
  const Declarations own = declarationsIn("struct Ledger { int own(int); bool shrink(); };");
  const auto called = [&](const std::string& code) {
    std::string names;
    for (const Call& call : callsOf(theirs, own, codeOf(code)))
      names += std::to_string(call.line) + call.name;
    return names;
  };
  CHECK(called("bool f() { return isWrite(code); }") == "1isWrite");
  CHECK(called("bool f() {\n  return kafka::prepare<S>(tree);\n}") == "2prepare");
  CHECK(called("bool f() { return any(all, kafka::isWrite); }") == "1isWrite");
  CHECK(called("int f() { return ledger.own(1).tree.grow(2) + tree->grow(1); }") == "1grow1grow");
  CHECK(called("Tree f() { return Tree::planted(); }") == "1planted");
  CHECK(called("Tree f() { return {.x = Tree{}, .y = a == b}; }").empty());
  CHECK(called("bool f() { return other::Plan::planted(); }").empty());
  CHECK(called("// isWrite(x)\nconst char* a = \"isWrite(x)\";").empty());
  CHECK(called("class Own {\n  int isWrite(int x);\n  int g() { return isWrite(1); }\n};").empty());
  CHECK(called("bool isWrite(Mine x) { return x.mine; }\nbool g() { return isWrite(Mine{}); }") ==
        "2isWrite");  // nobody sees which one is called: another name is needed
}

TEST_CASE("source tree: a judge calls no function of the protocol that it judges") {
  // To be mended: file and function. Nothing is added here.
  const std::set<std::pair<std::string, std::string>> exceptions{
      {"checker/redis_cluster/agreement.cc", "pingOf"},
      {"checker/redis_cluster/agreement.cc", "step"},
  };
  const std::filesystem::path top = ZABLAB_SOURCE_DIR;
  std::set<std::pair<std::string, std::string>> used;
  std::size_t judges = 0;
  Declarations engine;
  for (const auto& entry : std::filesystem::directory_iterator(top / "checker")) {
    if (entry.path().extension() == ".h") add(engine, declarationsIn(codeOf(readFile(entry.path()))));
  }
  engine.functions.clear();  // families are in namespaces of their own
  for (const auto& family : std::filesystem::directory_iterator(top / "checker")) {
    if (!std::filesystem::is_directory(top / "protocol" / family.path().filename())) continue;
    std::set<std::string> files;
    Declarations own = engine;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(family)) {
      const std::string path = entry.path().lexically_relative(top).generic_string();
      if (!(path.ends_with(".h") || path.ends_with(".cc"))) continue;
      add(own, declarationsIn(codeAt(path)));
      if (!runsNodes(path)) files.insert(path);
    }
    Declarations theirs;
    for (const std::string& header : headersOf(files)) {
      if (header.starts_with("protocol/") && !familyOf(header).empty())
        add(theirs, declarationsIn(codeAt(header)));
    }
    for (const std::string& path : files) {
      ++judges;
      for (const Call& call : callsOf(theirs, own, codeAt(path))) {
        if (used.emplace(path, call.name); exceptions.contains({path, call.name})) continue;
        FAIL_CHECK(path, ":", call.line, " calls ", call.name,
                   ", which the protocol declares: a judge reckons for itself, and has names of its own");
      }
    }
  }
  CHECK(judges > 60);
  for (const auto& one : exceptions)
    CHECK_MESSAGE(used.contains(one), one.first, " does not call ", one.second,
                  " any more: take it from the list");
}

// ---- rules that are not in use

/// "rule=value" of all rules that a scenario has under these overrides.
Strings rulesUnder(LoadedScenario scenario, const Overrides& overrides) {
  scenario.spec.variant.clear();
  scenario.spec.rules.clear();
  scenario.spec.mutations.clear();
  const AnyFamily& family = protocolOf(scenario).family();
  Strings names;
  const Json rules = family.rules(makeSetup(family, withOverrides(scenario, overrides)).cluster);
  for (const auto& [rule, value] : rules.items())
    names.push_back(rule + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  return names;
}

TEST_CASE("the container's build has every folder that Meson reads") {
  const std::filesystem::path root = ZABLAB_SOURCE_DIR;
  const std::string container = readFile(root / "Containerfile");
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_directory() && std::filesystem::exists(entry.path() / "meson.build"))
      folders.insert(entry.path().filename().string());
  }
  // What they name besides.
  static const std::regex elsewhere(R"re('\.\./([a-z]+)[/'])re");
  for (const std::string& folder : std::set(folders)) {
    const std::string text = readFile(root / folder / "meson.build");
    for (std::sregex_iterator at(text.begin(), text.end(), elsewhere), end; at != end; ++at)
      folders.insert((*at)[1]);
  }
  CHECK(folders.contains("examples"));
  for (const std::string& folder : folders) {
    if (std::filesystem::is_directory(root / folder) && !folder.starts_with("build"))
      CHECK_MESSAGE(container.find("COPY " + folder + " " + folder + "/\n") != std::string::npos, folder);
  }
}

TEST_CASE(
    "source tree: every value of every rule is in a variant, a mutation or a scenario, in every family") {
  std::map<std::string, LoadedScenario> examples;
  std::map<std::string, std::set<std::string>> used;
  for (const std::string& path : shippedFiles()) {  // a repair that no variant uses is shown by a story
    const Case one = loadCase(path);
    if (one.kind != Case::Kind::scenario) continue;
    const std::string name(protocolOf(one.scenario).name());
    examples.emplace(name, one.scenario);
    const auto note = [&](const auto& rules) {
      for (const auto& [rule, value] : rules) used[name].insert(rule + "=" + value);
    };
    note(one.scenario.spec.rules);
    for (const FailsWith& how : one.scenario.spec.fails_with) note(overridesOf(how).rules);
  }
  // Families on one broadcast share its rules: what one of them uses counts for all that list it with that
  // text.
  std::set<std::pair<std::string, std::string>> shared;
  for (const Protocol* protocol : protocols()) {
    const std::string name(protocol->name());
    const auto use = [&](const Overrides& overrides) {
      for (const std::string& rule : rulesUnder(examples.at(name), overrides)) used[name].insert(rule);
    };
    for (const NamedText& variant : protocol->variants()) use({.variant = variant.name});
    for (const NamedText& mutation : protocol->mutations()) use({.mutations = {mutation.name}});
    for (const NamedText& value : protocol->rules()) {
      if (used[name].contains(value.name)) shared.emplace(value.name, value.text);
    }
  }
  for (const Protocol* protocol : protocols()) {
    const std::string name(protocol->name());
    CAPTURE(name);
    std::set<std::string> listed;
    for (const NamedText& value : protocol->rules()) {
      CHECK_MESSAGE(listed.insert(value.name).second, value.name, " is listed twice");
      CHECK_MESSAGE(shared.contains({value.name, value.text}), value.name, " is used by nobody");
    }
    for (const std::string& value : used[name])
      CHECK_MESSAGE(listed.contains(value), value, " is not listed");
  }
}

}  // namespace
}  // namespace zablab
