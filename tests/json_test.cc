#include "sim/json.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "protocol/variant.h"
#include "sim/json_reflect.h"
#include "sim/plain_json.h"

namespace zablab {
namespace {

using Kind = JsonValue::Kind;

/// The error that `body` must throw.
template <class Body>
InputError errorOf(Body&& body) {
  try {
    body();
  } catch (const InputError& error) {
    return error;
  }
  FAIL("no InputError was thrown");
  return InputError("", std::nullopt, "");
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Line and column as "3:7"; "-" without a position.
std::string place(const std::optional<Position>& position) {
  return position ? std::to_string(position->line) + ":" + std::to_string(position->column) : "-";
}

/// A case of bad input: where it is refused, and one word each of the message and the hint.
struct Refused {
  std::string text;
  std::string at;
  std::string message;
  std::string hint;
};

template <class Body>
void checkRefused(const std::vector<Refused>& cases, Body&& body) {
  for (const Refused& refused : cases) {
    CAPTURE(refused.text);
    const InputError error = errorOf([&] { body(refused.text); });
    CAPTURE(std::string(error.what()));
    CHECK(place(error.position) == refused.at);
    CHECK(contains(error.message, refused.message));
    CHECK(contains(error.hint, refused.hint));
    CHECK(std::string(error.what()).starts_with("f:"));
  }
}

// ---- places

void listPlaces(const JsonValue& value, std::string& out) {
  out += place(value.position()) + " ";
  if (value.kind() == Kind::array) {
    for (const JsonValue& element : value.elements()) listPlaces(element, out);
  } else if (value.kind() == Kind::object) {
    for (const JsonValue& member : value.members()) {
      out += member.key() + "@" + place(member.keyPosition()) + " ";
      listPlaces(member, out);
    }
  }
}

TEST_CASE("every value and every key knows its place") {
  struct Case {
    std::string text;
    std::string places;
  };
  const std::vector<Case> cases = {
      {"7", "1:1 "},
      {" \n\t-0.5e+3\n", "2:2 "},
      {"[1,22 ,333]", "1:1 1:2 1:4 1:8 "},
      {"[1,\n 22\n,333\n]", "1:1 1:2 2:2 3:2 "},
      {"[0,0.0,1E5,-0]", "1:1 1:2 1:4 1:8 1:12 "},
      {"[[],[ ],{},[{}]]", "1:1 1:2 1:5 1:9 1:12 1:13 "},
      {"{\"a\":1,\"b\":{\"c\":[]}}", "1:1 a@1:2 1:6 b@1:8 1:12 c@1:13 1:17 "},
      {"{\r\n\t\"a\" :\r\n\ttrue\r\n}", "1:1 a@2:2 3:2 "},
      {"[\"\xC3\xA9\",\"\xE2\x82\xAC\",\"\xF0\x9F\x98\x80\",1]", "1:1 1:2 1:6 1:10 1:14 "},
      {"{\"\xC3\xA9\": null}", "1:1 \xC3\xA9@1:2 1:7 "},
      {"[\"a\\\"],[\\\\\",\"\\u00e9:,\",null,false]", "1:1 1:2 1:13 1:24 1:29 "},
      {"\xEF\xBB\xBF[1]", "1:1 1:2 "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    std::string places;
    listPlaces(parseJson("f", c.text), places);
    CHECK(places == c.places);
  }
}

/// A random value; `places` gets the offsets of its values in the text that is appended to `out`.
void appendRandom(std::mt19937& random, int depth, std::string& out, std::vector<std::size_t>& places) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto space = [&] {
    for (unsigned n = pick(3); n > 0; --n) out += " \t\n\r"[pick(4)];
  };
  const std::array<std::string, 9> leaves = {
      "null", "true", "false", "0", "-12", "3.25", "1e-7", "\"x\\\\\\\"\"", "\"\xE2\x82\xAC[,:\""};
  const unsigned shape = depth == 0 ? 0 : pick(3);
  space();
  places.push_back(out.size());
  if (shape == 0) {
    out += leaves[pick(leaves.size())];
  } else {
    out += shape == 1 ? '[' : '{';
    const unsigned count = pick(4);
    for (unsigned i = 0; i < count; ++i) {
      if (i > 0) out += ',';
      space();
      if (shape == 2) {
        out += "\"k\\t" + std::to_string(i) + "\"";
        space();
        out += ':';
      }
      appendRandom(random, depth - 1, out, places);
    }
    space();
    out += shape == 1 ? ']' : '}';
  }
  space();
}

void collectPlaces(const JsonValue& value, std::vector<std::string>& out) {
  out.push_back(place(value.position()));
  if (value.kind() == Kind::array) {
    for (const JsonValue& element : value.elements()) collectPlaces(element, out);
  } else if (value.kind() == Kind::object) {
    for (const JsonValue& member : value.members()) collectPlaces(member, out);
  }
}

TEST_CASE("places are right in random texts") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::vector<std::size_t> offsets;
    appendRandom(random, 4, text, offsets);
    std::vector<std::string> expected;
    for (const std::size_t offset : offsets) {
      Position position;
      for (const char c : text.substr(0, offset)) {
        if (c == '\n') {
          position = {position.line + 1, 1};
        } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
          ++position.column;
        }
      }
      expected.push_back(place(position));
    }
    std::vector<std::string> found;
    const JsonValue value = parseJson("f", text);
    collectPlaces(value, found);
    REQUIRE_MESSAGE(found == expected, text);
    REQUIRE(value.plain() == Json::parse(text));
  }
}

TEST_CASE("values know their paths and outlive the document") {
  std::optional<JsonValue> kept;
  {
    const JsonValue root = parseJson("f", R"({"steps": [0, {"at": {"a b": [[7]]}}]})");
    CHECK(root.path().empty());
    const JsonValue& at = *root.find("steps")->elements()[1].find("at");
    CHECK(at.path() == "steps[1].at");
    kept = at.find("a b")->elements()[0].elements()[0];
  }
  CHECK(kept->path() == "steps[1].at[\"a b\"][0][0]");
  CHECK(kept->asInt64() == 7);
  CHECK(kept->file() == "f");
  CHECK(place(kept->position()) == "1:32");
  CHECK(parseJson("f", "[[1,2]]").elements()[0].elements()[1].path() == "[0][1]");
  CHECK(JsonValue().path().empty());
  CHECK(JsonValue().isNull());
}

TEST_CASE("plain copies, equality and values without a file") {
  const std::string text = R"({"b":[1,-2,18446744073709551615,0.5,null],"a":{"x":"\u00e9\n","y":[true,{}]}})";
  const JsonValue value = parseJson("f", text);
  CHECK(value.plain() == Json::parse(text));
  CHECK(value.plain().dump() == Json::parse(text).dump());
  const JsonValue again = JsonValue::fromJson(value.plain(), "made");
  CHECK(again == value);
  CHECK(again.plain() == value.plain());
  CHECK_FALSE(again == parseJson("f", "[]"));
  CHECK_FALSE(parseJson("f", R"({"a":1,"b":1})") == parseJson("f", R"({"b":1,"a":1})"));
  CHECK_FALSE(again.position());
  CHECK_FALSE(again.find("a")->keyPosition());
  const InputError wrong = errorOf([&] { again.find("a")->find("y")->asInt64(); });
  CHECK(std::string(wrong.what()) == "made: error: `a.y` must be a whole number, found an array");
  CHECK(std::string(again.find("a")->error("is odd").what()) == "made: error: `a`: is odd");
}

TEST_CASE("an error shows the line, a caret and a hint") {
  const JsonValue value = parseJson("dir/s.json", "{\n\t\"\xC3\xA9\": \"\xE2\x82\xAC\", \"at\": 1.5\r\n}");
  const InputError error = value.find("at")->error("is odd", "make it even");
  CHECK(std::string(error.what()) ==
        "dir/s.json:2:18: error: is odd\n"
        "  \t\"\xC3\xA9\": \"\xE2\x82\xAC\", \"at\": 1.5\n"
        "  \t                ^\n"
        "hint: make it even");
  CHECK(error.file == "dir/s.json");
  CHECK(error.position == Position{2, 18});
  CHECK(error.message == "is odd");
  CHECK(error.hint == "make it even");
  CHECK(place(value.keyError("at", "").position) == "2:12");
  CHECK(place(value.keyError("none", "").position) == "1:1");

  // Of a long line only the surroundings are shown.
  const JsonValue list = parseJson("f", "[" + std::string(5000, ' ') + "1," + std::string(5000, ' ') + "2]");
  const std::string what = list.elements()[0].error("here").what();
  CHECK(what.size() < 400);
  CHECK(contains(what, ":5002: error: here\n  ...   "));
  const std::size_t caret_line = what.rfind('\n') + 1;
  const std::size_t source_line = what.find('\n') + 1;
  CHECK(what[source_line + (what.rfind('^') - caret_line)] == '1');
}

// ---- what is refused

TEST_CASE("bad JSON is refused at its place") {
  const std::string deep_64 = std::string(64, '[') + std::string(64, ']');
  CHECK(parseJson("f", deep_64).kind() == Kind::array);
  checkRefused(
      {
          {"", "1:1", "the file is empty", ""},
          {" \n\t\n", "1:1", "the file is empty", ""},
          {"\xEF\xBB\xBF", "1:1", "the file is empty", ""},
          // truncated
          {"{", "1:2", "ends too early, expected a key in double quotes or `}`", "`{` at line 1, column 1"},
          {"[1,\n 2\n\n", "2:3", "ends too early, expected `,` or `]`",
           "`[` at line 1, column 1 is not closed"},
          {"[1,", "1:4", "ends too early, expected a value", "is not closed"},
          {"{\"a\"", "1:5", "expected `:` after the key", ""},
          {"{\"a\":", "1:6", "ends too early, expected a value", ""},
          {"{\"a\":1,", "1:8", "ends too early, expected a key", ""},
          {"[\"ab", "1:2", "this string is not closed", ""},
          {"[\"ab\\", "1:2", "this string is not closed", ""},
          {"[tru", "1:2", "expected a value or `]`, found `tru`", "true"},
          {"[-", "1:2", "`-` is not a number", ""},
          // trailing text
          {"{} {}", "1:4", "expected the end of the file, found `{`", "one JSON value"},
          {"1\n2", "2:1", "expected the end of the file, found `2`", ""},
          {"{}]", "1:3", "expected the end of the file, found `]`", ""},
          {std::string("{}\0", 3), "1:3", "found the character U+0000", ""},
          {std::string("[\0]", 3), "1:2", "found the character U+0000", ""},
          // separators
          {"[1 2]", "1:4", "expected `,` or `]`, found `2`", ""},
          {"[1 \"a\"]", "1:4", "expected `,` or `]`, found a string", ""},
          {"[1,,2]", "1:4", "expected a value, found `,`", ""},
          {"[,1]", "1:2", "expected a value or `]`, found `,`", ""},
          {"[1,\n]", "1:3", "there must be no comma before `]`", "remove the comma"},
          {"{\"a\":1,}", "1:7", "there must be no comma before `}`", "remove"},
          {"{\"a\" 1}", "1:6", "expected `:` after the key, found `1`", ""},
          {"{\"a\"::1}", "1:6", "expected a value, found `:`", ""},
          {"{\"a\":1 \"b\":2}", "1:8", "expected `,` or `}`, found a string", ""},
          {"[1}", "1:3", "expected `,` or `]`, found `}`", "`[` at line 1, column 1 is not closed"},
          {"]", "1:1", "expected a value, found `]`", ""},
          // habits of other languages
          {"{a: 1}", "1:2", "expected a key in double quotes or `}`, found `a`", "\"a\""},
          {"{'a': 1}", "1:2", "found `'`", "double quotes"},
          {"{1: 2}", "1:2", "expected a key in double quotes or `}`, found `1`", ""},
          {"[True]", "1:2", "found `True`", "did you mean true?"},
          {"[abc]", "1:2", "found `abc`", "strings are written in double quotes"},
          {"[1, // one\n2]", "1:5", "found `/`", "no comments"},
          {"# a", "1:1", "found `#`", "no comments"},
          {"[\xC3\xA9]", "1:2", "found `\xC3\xA9`", ""},
          // numbers
          {"[+1]", "1:2", "found `+1`", "numbers look like"},
          {"[.5]", "1:2", "found `.5`", "numbers look like"},
          {"[1.]", "1:2", "`1.` is not a number", "numbers look like"},
          {"[-a]", "1:2", "`-a` is not a number", ""},
          {"[1e]", "1:2", "`1e` is not a number", ""},
          {"[007]", "1:3", "found `07`", "leading zeros"},
          {"[1, 1e999]", "1:5", "the number `1e999` is too large", ""},
          // strings
          {"[\"\xE2\x82\xAC\\q\"]", "1:4", "no such escape: `\\q`", "backslash"},
          {"[\"\\u12g4\"]", "1:3", "four hexadecimal digits", ""},
          {"[\"\\ud800 \"]", "1:3", "surrogate", ""},
          {"[\"a\\ud800\\u0041\"]", "1:4", "surrogate", ""},
          {"[\"\\udc00\"]", "1:3", "surrogate", ""},
          {"[\"a\tb\"]", "1:4", "U+0009 must be escaped", "\\t"},
          {std::string("[\"a\0\"]", 6), "1:4", "U+0000 must be escaped", "\\u0000"},
          {"[1,\n\"a\n\"]", "2:1", "not closed on its line", "\\n"},
          // UTF-8
          {"[\"\xFF\"]", "1:3", "not valid UTF-8 (byte FF)", "UTF-8"},
          {"[\"\xC3\"]", "1:3", "not valid UTF-8", ""},
          {"[\"\xC0\x80\"]", "1:3", "not valid UTF-8", ""},
          {"[\"\xED\xA0\x80\"]", "1:3", "not valid UTF-8", ""},
          {"[\"\xF4\x90\x80\x80\"]", "1:3", "not valid UTF-8", ""},
          {"\xFF\xFE{", "1:1", "not valid UTF-8", ""},
          {"[1]\n\xE2\x82", "2:1", "not valid UTF-8", ""},
          // duplicates and depth
          {"{\"a\":1,\n \"b\":2, \"a\":3}", "2:9", "`a` occurs twice, first at line 1, column 2", ""},
          {"[{\"\\u0061\":1,\"a\":3}]", "1:14", "`a` occurs twice, first at line 1, column 3", ""},
          {"[" + deep_64 + "]", "1:65", "nested deeper than 64", ""},
          {std::string(100000, '['), "1:65", "nested deeper than 64", ""},
      },
      [](const std::string& text) {
        CHECK_FALSE(plainJson(text));
        parseJson("f", text);
      });
}

TEST_CASE("JSON without places is the same JSON") {
  std::string keys;
  for (int i = 0; i < 40; ++i)
    keys += "\"" + std::to_string(i * 7 % 40) + "\": {\"" + std::to_string(i) + "\": []}, ";
  for (const std::string& text : {
           std::string(" 7\n"),
           std::string("[-0, -1, 1.5e3, 9223372036854775808, 18446744073709551616]"),
           std::string(
               "{\"b\": [], \"a\": {}, \"\\u0000\": [null, true, \"\\ud83d\\ude00\"], \"\": [[1], [2]]}"),
           "{" + keys + "\"last\": 1}",
           std::string(64, '[') + std::string(64, ']'),
       }) {
    CAPTURE(text);
    const std::optional<Json> plain = plainJson(text);
    REQUIRE(plain);
    CHECK(plain->dump() == parseJson("f", text).plain().dump());
    CHECK(plain == parseJson("f", text).plain());
  }
  CHECK_FALSE(plainJson("{" + keys + "\"13\": 1}"));
}

TEST_CASE("surrogate pairs, escapes and twice the same key in different objects are fine") {
  CHECK(parseJson("f", "\"\\ud83d\\ude00\\/\\b\"").asString() == "\xF0\x9F\x98\x80/\b");
  CHECK(parseJson("f", R"([{"a":{"a":1}},{"a":2}])").elements().size() == 2);
}

TEST_CASE("reading a value as what it is not") {
  checkRefused(
      {
          {R"({"i": "x"})", "1:7", "`i` must be a whole number, found a string", ""},
          {R"({"i": 1.50})", "1:7", "`i` must be a whole number, found 1.50", ""},
          {R"({"i": 1e3})", "1:7", "`i` must be a whole number, found 1e3", ""},
          {R"({"i": 9223372036854775808})", "1:7", "to 9223372036854775807, found 9223372036854775808", ""},
          {R"({"u": -1})", "1:7", "`u` must be a whole number from 0 to 18446744073709551615, found -1", ""},
          {R"({"u": 18446744073709551616})", "1:7", "must be a whole number, found 18446744073709551616", ""},
          {R"({"b": 0})", "1:7", "`b` must be true or false, found 0", ""},
          {R"({"s": false})", "1:7", "`s` must be a string, found false", ""},
          {R"({"a": {}})", "1:7", "`a` must be an array, found an object", ""},
          {R"({"o": []})", "1:7", "`o` must be an object, found an array", ""},
          {R"({"o": null})", "1:7", "`o` must be an object, found null", ""},
          {R"([])", "1:1", "the top level must be an object, found an array", ""},
      },
      [](const std::string& text) {
        const JsonValue root = parseJson("f", text);
        if (const JsonValue* value = root.find("i")) value->asInt64();
        if (const JsonValue* value = root.find("u")) value->asUint64();
        if (const JsonValue* value = root.find("b")) value->asBool();
        if (const JsonValue* value = root.find("s")) value->asString();
        if (const JsonValue* value = root.find("a")) value->elements();
        if (const JsonValue* value = root.find("o")) value->members();
      });
  CHECK(parseJson("f", "9223372036854775807").asInt64() == std::numeric_limits<std::int64_t>::max());
  CHECK(parseJson("f", "-9223372036854775808").asInt64() == std::numeric_limits<std::int64_t>::min());
  CHECK(parseJson("f", "18446744073709551615").asUint64() == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("files") {
  namespace fs = std::filesystem;
  const fs::path dir =
      fs::temp_directory_path() / ("zablab_json_test_" + std::to_string(std::random_device()()));
  fs::create_directory(dir);
  const auto refusal = [](const fs::path& path) {
    const InputError error = errorOf([&] { loadJson(path.string()); });
    CHECK(std::string(error.what()).starts_with(path.string() + ": error: "));
    CHECK_FALSE(error.position);
    return error.message;
  };
  const fs::path file = dir / "s.json";
  std::ofstream(file) << "{\"a\": [1]}\n";
  CHECK(loadJson(file.string()).find("a")->elements()[0].path() == "a[0]");
  CHECK(loadJson(file.string()).file() == file.string());
  CHECK(refusal(dir / "none.json") == "there is no such file");
  CHECK(refusal(file / "below") == "there is no such file");
  // Beside a file of a similar name, also without its ending.
  const fs::path other = dir / "a-leader-dies.json";
  std::ofstream(other) << "{}\n";
  for (const char* name :
       {"a-leader-die.json", "A_leader_dies.json", "a-leader-dies", "a-laeder-dies.json"}) {
    const InputError error = errorOf([&] { loadJson((dir / name).string()); });
    CHECK_MESSAGE(error.hint == "did you mean " + other.string() + "?", name);
  }
  CHECK(errorOf([&] { loadJson((dir / "quorum.json").string()); }).hint.empty());
  fs::remove(other);
  CHECK(refusal(dir) == "this is a directory, not a file");
  CHECK(refusal("/dev/null") == "this is not a regular file");
  CHECK(refusal(dir / std::string(300, 'x')).starts_with("cannot be read: "));
  fs::permissions(file, fs::perms::none);
  if (!std::ifstream(file)) CHECK(refusal(file).starts_with("cannot be read: "));  // root can read everything
  fs::resize_file(file, json_bytes_max + 1);
  fs::permissions(file, fs::perms::owner_all);
  CHECK(contains(refusal(file), "larger than 64 MiB"));
  fs::remove_all(dir);
  CHECK(contains(errorOf([] { parseJson("f", std::string(json_bytes_max + 1, ' ')); }).what(),
                 "f: error: larger than 64 MiB"));
}

TEST_CASE("near misses") {
  const std::vector<std::string> names = {"latency_ms", "restart", "at", "LOOKING", "kill", "nodes"};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"latncy_ms", "latency_ms"},
      {"latency-ms", "latency_ms"},
      {"restrat", "restart"},
      {"looking", "LOOKING"},
      {"node", "nodes"},
      {"klil", "kill"},
      {"ta", "at"},
      {"xyz", ""},
      {"", ""},
      {"z", ""},
      {"stop", ""},
      {std::string(1000, 'a'), ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.first);
    CHECK(nearest(c.first, names) == c.second);
  }
  CHECK(nearest("x", {}).empty());
}

// ---- the worst result of any input is a refusal

const std::string sample = R"({ "name": "caf\u00e9 €", "n": [0, -1, 2.5e-3, 18446744073709551615],
)"
                           "\t"
                           R"("deep": {"a": [[], {}, [{"k": null}]], "t": true, "f": false} }
)";

void mustParseOrRefuse(const std::string& text) {
  try {
    const JsonValue value = parseJson("f", text);
    std::string places;
    listPlaces(value, places);
    REQUIRE(Json::parse(text, nullptr, false) == value.plain());
    REQUIRE(plainJson(text) == value.plain());
  } catch (const InputError& error) {
    REQUIRE(error.position);
    REQUIRE_FALSE(plainJson(text));
  }
}

TEST_CASE("every truncation is refused") {
  for (std::size_t size = 0; size + 2 <= sample.size(); ++size) {
    CAPTURE(size);
    const InputError error = errorOf([&] { parseJson("f", sample.substr(0, size)); });
    CHECK(error.position);
  }
  mustParseOrRefuse(sample);
}

TEST_CASE("every corruption of one byte is parsed or refused") {
  for (std::size_t at = 0; at < sample.size(); ++at) {
    std::string text = sample;
    for (int byte = 0; byte < 256; ++byte) {
      text[at] = static_cast<char>(byte);
      mustParseOrRefuse(text);
    }
    mustParseOrRefuse(sample.substr(0, at) + sample.substr(at + 1));
  }
}

}  // namespace

// ---- structs

namespace json_test {

enum class Color { red, green, default_ };
BOOST_DESCRIBE_ENUM(Color, red, green, default_)

struct Point {
  std::int8_t x = 1;
  std::uint16_t y = 2;
  bool operator==(const Point&) const = default;
  static constexpr std::array required{"x"};
  static constexpr std::string_view schema_name = "Point";
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))

struct Elected {
  ServerId leader = no_server;
  std::int64_t epoch = 0;
  std::vector<Point> points;
  bool operator==(const Elected&) const = default;
};
BOOST_DESCRIBE_STRUCT(Elected, (), (leader, epoch, points))

struct Celsius {
  std::int64_t degrees = 0;
  auto operator<=>(const Celsius&) const = default;
};

struct Go {
  static constexpr std::string_view name = "go";
  std::int64_t steps = 1;
  bool operator==(const Go&) const = default;
};
BOOST_DESCRIBE_STRUCT(Go, (), (steps))

struct Turn {
  static constexpr std::string_view name = "turn";
  static constexpr std::array required{"to"};
  Color to{};
  bool operator==(const Turn&) const = default;
};
BOOST_DESCRIBE_STRUCT(Turn, (), (to))

struct Tree {
  static constexpr std::string_view schema_name = "tree";
  std::string leaf;
  std::vector<Tree> children;
  bool operator==(const Tree&) const = default;

  static constexpr std::string_view describeField(std::string_view field) {
    return field == "leaf" ? "what hangs on it" : "";
  }
};
BOOST_DESCRIBE_STRUCT(Tree, (), (leaf, children))

struct Base {
  bool flag = false;
  bool operator==(const Base&) const = default;
};
BOOST_DESCRIBE_STRUCT(Base, (), (flag))

struct All : Base {
  Color default_ = Color::green;
  std::optional<Point> point;
  std::vector<bool> bits;
  std::array<std::int64_t, 2> two{};
  std::set<std::int64_t> some;
  std::map<std::string, Point> by_name;
  std::map<std::int8_t, std::string> by_number;
  std::map<Color, std::int64_t> by_color;
  variant<monostate, Go, Turn> act;
  std::pair<std::string, std::uint64_t> pair;
  Celsius warm;
  Tree tree;
  Json any;
  std::optional<JsonValue> kept;
  std::vector<std::optional<std::int64_t>> holes;
  bool operator==(const All&) const = default;
};
BOOST_DESCRIBE_STRUCT(All, (Base),
                      (default_, point, bits, two, some, by_name, by_number, by_color, act, pair, warm, tree,
                       any, kept, holes))

}  // namespace json_test

template <>
struct JsonCodec<json_test::Celsius> {
  static Json write(const json_test::Celsius& value) { return std::to_string(value.degrees) + " C"; }
  static json_test::Celsius read(const JsonValue& value) {
    if (!value.asString().ends_with(" C")) throw value.error("write it as \"20 C\"");
    return {std::stoll(value.asString())};
  }
  static Json schema() { return Json{{"type", "string"}, {"pattern", " C$"}}; }
};

namespace {

using namespace json_test;

const std::string all_text =
    R"({"flag":true,"default":"default","point":{"x":-128,"y":65535},"bits":[true,false],)"
    R"("two":[7,-7],"some":[1,5],"by_name":{"p":{"x":3,"y":4}},"by_number":{"-1":"a","7":"b"},)"
    R"("by_color":[["red",1],["default",2]],"act":{"type":"turn","to":"green"},)"
    R"("pair":["s",18446744073709551615],"warm":"20 C",)"
    R"("tree":{"leaf":"l","children":[{"leaf":"m","children":[]}]},)"
    R"("any":{"z":[1,null],"a":0.5},"kept":{"deep":[1]},"holes":[1,null]})";

TEST_CASE("a struct with everything goes to JSON and back") {
  const JsonValue value = parseJson("f", all_text);
  const All all = read<All>(value);
  CHECK(toJson(all).dump() == all_text);
  CHECK(read<All>(JsonValue::fromJson(toJson(all), "g")) == all);
  CHECK(all.default_ == Color::default_);
  CHECK(all.act == variant<monostate, Go, Turn>(Turn{Color::green}));
  CHECK(all.by_color == std::map<Color, std::int64_t>{{Color::red, 1}, {Color::default_, 2}});
  CHECK(all.holes == std::vector<std::optional<std::int64_t>>{1, std::nullopt});
  CHECK(all.kept->find("deep")->position() == value.find("kept")->find("deep")->position());
  CHECK(all.kept->find("deep")->elements()[0].path() == "kept.deep[0]");

  const Json plain = toJson(All{});
  CHECK_FALSE(plain.contains("point"));
  CHECK_FALSE(plain.contains("kept"));
  CHECK(plain["act"].is_null());
  CHECK(read<All>(JsonValue::fromJson(plain, "g")) == All{});
  CHECK(read<All>(parseJson("f", "{}")) == All{});
}

TEST_CASE("the id of no server is null, and only where there may be none") {
  using json_test::Elected;
  CHECK(toJson(Elected{}).dump() == R"({"leader":null,"epoch":0,"points":[]})");
  CHECK(toJson(Elected{.leader = 3, .epoch = 1, .points = {}}).dump() ==
        R"({"leader":3,"epoch":1,"points":[]})");
  CHECK(read<Elected>(parseJson("f", R"({"leader": null, "epoch": 4})")) == Elected{.epoch = 4});
  // As earlier versions wrote it.
  CHECK(read<Elected>(parseJson("f", R"({"leader": -9223372036854775808})")) == Elected{});
  Elected merged{.leader = 3, .epoch = 4, .points = {}};
  readInto(merged, parseJson("f", R"({"leader": null})"));
  CHECK(merged == Elected{.epoch = 4});
  // What belongs to nobody has no number, either.
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  CHECK(toJson(Elected{.epoch = none}).dump() == R"({"leader":null,"epoch":null,"points":[]})");
  CHECK(read<Elected>(parseJson("f", R"({"leader": null, "epoch": null})")) == Elected{.epoch = none});
  CHECK_THROWS_AS(read<Elected>(parseJson("f", R"({"leader": 3, "epoch": null})")), InputError);
  CHECK_THROWS_AS(read<Elected>(parseJson("f", R"({"epoch": null})")), InputError);
  const Json schema = schemaOf<Elected>("a vote");
  CHECK(schema["$defs"]["a_vote"]["properties"]["leader"].contains("anyOf"));
  CHECK(schema["$defs"]["a_vote"]["properties"]["epoch"]["type"] == "integer");
}

TEST_CASE("what structs refuse") {
  checkRefused(
      {
          {R"({"flga": true})", "1:2", "unknown key `flga`",
           "did you mean `flag`? known names: flag, default, point"},
          {R"({"zzzzzzz": true})", "1:2", "unknown key `zzzzzzz`", "known names: flag"},
          {R"({"default_": "red"})", "1:2", "unknown key `default_`", "`default`"},
          {R"({"flag": 1})", "1:10", "`flag` must be true or false, found 1", ""},
          {R"({"default": "gren"})", "1:13", "`default`: unknown name `gren`", "did you mean `green`?"},
          {R"({"default": 3})", "1:13", "`default` must be a string, found 3", "red, green, default"},
          {R"({"point": {"x": 128}})", "1:17", "`point.x` must be a whole number from -128 to 127, found 128",
           ""},
          {R"({"point": {"x": 1, "y": -1}})", "1:25", "from 0 to 65535, found -1", ""},
          {R"({"point": {"x": 1, "y": 65536}})", "1:25", "from 0 to 65535, found 65536", ""},
          {R"({"point": {"y": 1}})", "1:11", "`point` needs `x`", ""},
          {R"({"point": {"x": 1, "z": 1}})", "1:20", "unknown key `z` in `point`", "known names: x, y"},
          {R"({"point": []})", "1:11", "`point` must be an object, found an array", ""},
          {R"({"two": [1]})", "1:9", "`two` must have 2 elements, found 1", ""},
          {R"({"some": [1, 2, 1]})", "1:17", "`some[2]` occurs twice", ""},
          {R"({"some": 1})", "1:10", "`some` must be an array, found 1", ""},
          {R"({"by_number": {"1": "", "01": ""}})", "1:25",
           "the key `01` must be a whole number from -128 to 127", ""},
          {R"({"by_number": {"128": ""}})", "1:16", "the key `128` must be a whole number", ""},
          {R"({"by_number": {"": ""}})", "1:16", "must be a whole number", ""},
          {R"({"by_color": [["red", 1], ["red", 2]]})", "1:28", "`by_color[1][0]` occurs twice", ""},
          {R"({"by_color": [["red"]]})", "1:15", "`by_color[0]` must have 2 elements, found 1", ""},
          {R"({"act": {"steps": 1}})", "1:9", "`act` needs `type`", "known names: go, turn"},
          {R"({"act": {"type": "trun"}})", "1:18", "unknown type `trun`",
           "did you mean `turn`? known names: go, turn"},
          {R"({"act": {"type": 1}})", "1:18", "`act.type` must be a string, found 1", ""},
          {R"({"act": {"type": "go", "to": "red"}})", "1:24", "unknown key `to` in `act`", "steps"},
          {R"({"act": {"type": "turn"}})", "1:9", "`act` needs `to`", ""},
          {R"({"act": 1})", "1:9", "`act` must be an object with a `type`, or null, found 1", ""},
          {R"({"pair": ["a", 1, 2]})", "1:10", "`pair` must have 2 elements, found 3", ""},
          {R"({"warm": "20"})", "1:10", "write it as \"20 C\"", ""},
          {R"({"tree": {"children": [{"children": [{"leaf": 1}]}]}})", "1:47",
           "`tree.children[0].children[0].leaf`", ""},
          {"[]", "1:1", "the top level must be an object, found an array", ""},
      },
      [](const std::string& text) { read<All>(parseJson("f", text)); });
  checkRefused({{R"({"y": 1})", "1:1", "the top level needs `x`", ""}},
               [](const std::string& text) { read<Point>(parseJson("f", text)); });
}

TEST_CASE("a hint lists the known names, unless they are many and one is near") {
  const auto hintFor = [](const char* text, std::size_t count) {
    std::vector<std::string> known{"latency_ms"};
    while (known.size() < count) known.push_back("field" + std::to_string(known.size()));
    const JsonValue object = parseJson("f", text);
    return errorOf([&] { json_detail::throwUnknownKey(object.members()[0], known); }).hint;
  };
  const char* const near = R"({"latncy_ms": 1})";
  const char* const far = R"({"xyz": 1})";
  CHECK(hintFor(near, 2) == "did you mean `latency_ms`? known names: latency_ms, field1");
  CHECK(hintFor(far, 2) == "known names: latency_ms, field1");
  CHECK(hintFor(near, 32).starts_with("did you mean `latency_ms`? known names: latency_ms, field1, "));
  CHECK(hintFor(near, 32).ends_with(", field31"));
  CHECK(hintFor(near, 33) == "did you mean `latency_ms`?");
  CHECK(hintFor(far, 33).starts_with("known names: latency_ms, field1, "));
  CHECK(hintFor(far, 33).ends_with(", field32"));
}

TEST_CASE("without a file the path leads to the place, once") {
  const auto refusal = [](const char* text) {
    return std::string(errorOf([&] { read<All>(JsonValue::fromJson(Json::parse(text), "made")); }).what());
  };
  CHECK(refusal(R"({"point": {"y": 1}})") == "made: error: `point` needs `x`");
  CHECK(contains(refusal(R"({"point": {"z": 1}})"), "made: error: unknown key `z` in `point`\nhint: "));
  CHECK(contains(refusal(R"({"by_number": {"z": 1}})"), "made: error: `by_number`: the key `z` must be"));
}

TEST_CASE("readInto replaces the named fields alone") {
  const All before = read<All>(parseJson("f", all_text));
  All all = before;
  readInto(all,
           parseJson("f", R"({"point": {"y": 9}, "tree": {"leaf": "new"}, "some": [3], "by_name": {}})"));
  All expected = before;
  expected.point = Point{-128, 9};  // x is required of a new point, not of a change
  expected.tree.leaf = "new";
  expected.some = {3};
  expected.by_name.clear();
  CHECK(all == expected);

  readInto(all, parseJson("f", R"({"point": null, "act": null})"));
  CHECK_FALSE(all.point);
  CHECK(all.act.index() == 0);
  CHECK(contains(errorOf([&] { readInto(all, parseJson("f", R"({"point": {"y": 9}})")); }).message,
                 "needs `x`"));
  CHECK(contains(errorOf([&] { readInto(all, parseJson("f", R"({"by_name": {"a": {}}})")); }).message,
                 "needs `x`"));
  CHECK(contains(errorOf([&] { readInto(all, parseJson("f", R"({"tree": {"laef": ""}})")); }).hint, "leaf"));

  Point point{5, 6};
  readInto(point, parseJson("f", R"({"y": 7})"));
  CHECK(point == Point{5, 7});
}

TEST_CASE("the schema of a recursive struct") {
  CHECK(schemaOf<Tree>("a tree") == Json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "a tree",
    "$ref": "#/$defs/tree",
    "$defs": {"tree": {
      "type": "object",
      "properties": {
        "leaf": {"type": "string", "description": "what hangs on it"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
      "additionalProperties": false}}})"));
}

TEST_CASE("the schema of everything") {
  const Json schema = schemaOf<All>("all of it");
  CHECK(schema["$ref"] == "#/$defs/all_of_it");
  const Json& definitions = schema["$defs"];
  const Json& all = definitions["all_of_it"]["properties"];
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"flag", R"({"type":"boolean"})"},
      {"default", R"({"type":"string","enum":["red","green","default"]})"},
      {"point", R"({"anyOf":[{"$ref":"#/$defs/Point"},{"type":"null"}]})"},
      {"two", R"({"type":"array","items":{"type":"integer","minimum":-9223372036854775808,)"
              R"("maximum":9223372036854775807},"minItems":2,"maxItems":2})"},
      {"by_name", R"({"type":"object","additionalProperties":{"$ref":"#/$defs/Point"}})"},
      {"by_number", R"({"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"},)"
                    R"("additionalProperties":{"type":"string"}})"},
      {"act", R"({"oneOf":[{"type":"null"},{"$ref":"#/$defs/go"},{"$ref":"#/$defs/turn"}]})"},
      {"warm", R"({"type":"string","pattern":" C$"})"},
      {"any", "{}"},
      {"kept", "{}"},
      {"tree", R"({"$ref":"#/$defs/tree"})"},
  };
  for (const auto& field : fields) {
    CAPTURE(field.first);
    CHECK(all[field.first].dump() == field.second);
  }
  CHECK(all["some"]["uniqueItems"] == true);
  CHECK(all["by_color"]["items"]["prefixItems"].size() == 2);
  CHECK(all["pair"]["prefixItems"][1]["maximum"] == std::numeric_limits<std::uint64_t>::max());
  CHECK(definitions["Point"].dump() ==
        R"({"type":"object","properties":{"x":{"type":"integer","minimum":-128,)"
        R"("maximum":127},"y":{"type":"integer","minimum":0,"maximum":65535}},)"
        R"("required":["x"],"additionalProperties":false})");
  CHECK(definitions["turn"]["properties"]["type"]["const"] == "turn");
  CHECK(definitions["turn"]["required"] == Json::array({"type", "to"}));
  CHECK(definitions.size() == 5);
  CHECK(schemaOf<std::vector<Base>>("")["$defs"].contains("type_1"));
  CHECK(schemaOf<bool>("flag")["type"] == "boolean");
}

}  // namespace
}  // namespace zablab
