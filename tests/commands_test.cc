// The commands apart from their results: limits and signals, standard input, completions and manuals.
#include <doctest/doctest.h>

#include <string>

#include "checker/execute.h"
#include "sim/json_reflect.h"
#include "tests/program.h"

namespace zablab {
namespace {

const std::string drawn = ZABLAB_SOURCE_DIR "/scenarios/election/000-F1b-any-delays.json";
const std::string settled = ZABLAB_SOURCE_DIR "/scenarios/election/000-F1-three-servers-start.json";
const std::string small_model = ZABLAB_SOURCE_DIR "/scenarios/models/a-follower-comes-back.json";
const std::string large_model = ZABLAB_SOURCE_DIR "/scenarios/large-models/zab-3-settled.json";

TEST_CASE("a search that was stopped is never as expected") {
  const Folder folder;
  const Ran ran = zablab(folder, {"check", large_model, "--memory", "64M", "--jobs", "1"});
  CHECK(ran.status == 3);
  CHECK(has(ran.out, "not exhausted: stopped by memory"));
  CHECK(has(ran.out, "the search did not end"));
  CHECK_FALSE(has(ran.out, "as expected"));
}

TEST_CASE("a campaign that a signal ends tells what it has, with status 3") {
  const Folder folder;
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ran ran = zablab(folder, {"fuzz", "--seeds", "0:1000000000", "--out", "out"}, {"LC_ALL=C.UTF-8"},
                           "/dev/null", signal);
    CHECK(ran.status == 3);
    CHECK(has(ran.out, "stopped before the end"));
    CHECK(has(contentsOf(folder / "out/summary.json"), "\"complete\":false"));
  }
  const Ran search = zablab(folder, {"check", large_model, small_model, "--jobs", "1"}, {"LC_ALL=C.UTF-8"},
                            "/dev/null", SIGTERM);
  CHECK(search.status == 3);
  CHECK(has(search.out, "stopped by interrupt"));
  CHECK(has(search.err, "were not searched"));
}

TEST_CASE("more followers than a slice is reckoned with fill no set for ever") {
  const Folder folder;
  const Ran ran =
      zablab(folder, {"check", large_model, "--servers", "9", "--max-states", "3000", "--jobs", "1"});
  CHECK(ran.status == 3);
  CHECK(has(ran.out, "stopped by states"));
}

TEST_CASE("a search begins where a scenario or a trace is, and not behind its end") {
  const Folder folder;
  REQUIRE(zablab(folder, {"run", settled, "--trace", "run.json"}).status == 0);
  const Words bounds{"--elections", "1", "--max-states", "100", "--json"};
  const auto from = [&](const std::string& where) {
    Words words{"check", small_model, "--from", where};
    words.insert(words.end(), bounds.begin(), bounds.end());
    return zablab(folder, words);
  };
  CHECK(from("run.json").status == 3);
  CHECK(from("run.json@20").status == 3);
  const Json of_scenario = Json::parse(from(settled + "@20").out);
  const Json of_trace = Json::parse(from("run.json@20").out);
  CHECK(of_scenario["generated"] == of_trace["generated"]);
  CHECK(of_scenario["distinct"] == of_trace["distinct"]);
  const Ran behind = from("run.json@99999");
  CHECK(behind.status == 2);
  CHECK(has(behind.out, "there is no event 99999"));
}

TEST_CASE("a run that passes says what clients have lost in it, and what it is") {
  const Folder folder;
  const std::string lossy =
      ZABLAB_SOURCE_DIR "/scenarios/recovery/000-C7b-an-acknowledged-P3-is-lost-naive.json";
  CHECK(has(zablab(folder, {"run", lossy}).out, " checks, 1 of 3 acknowledged writes lost)"));
  CHECK(Json::parse(zablab(folder, {"run", lossy, "--json"}).out)["clients"]["lost"].size() == 1);
  CHECK_FALSE(has(zablab(folder, {"run", settled}).out, "lost"));
  CHECK(has(zablab(folder, {"run", lossy, "--text"}).out, "A, B and C have logged P3"));
}

TEST_CASE("a run as an entry of `fails_with` says") {
  const Folder folder;
  const std::string path = folder.write("three.json", R"({
    "kind": "scenario", "name": "3 leads", "servers": 3, "until": 2000, "connected": true,
    "expect": [{"finally": true, "server": 3, "state": {"role": "LEADING"}},
               {"finally": true, "server": 1, "state": {"role": "FOLLOWING"}}],
    "fails_with": [{"mutation": "fle_keeps_first_vote"}, {"steps": [{"at": 100, "kill": 1}]}]})");
  const auto problems = [&](const Words& words) {
    Words all{"run", path, "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = zablab(folder, all);
    const Json line = Json::parse(ran.out);
    CHECK(ran.status == (line["problems"].empty() ? 0 : 1));
    return line["problems"].size();
  };
  CHECK(problems({}) == 0);
  CHECK(problems({"--fails-with", "0"}) == 2);
  CHECK(problems({"--fails-with", "1"}) == 1);
  const Ran ran = zablab(folder, {"run", path, "--fails-with", "1"});
  CHECK(has(ran.out, "see: zablab run " + path + " --fails-with 1 --text"));
}

TEST_CASE("a counterexample is a trace and a scenario") {
  const Folder folder;
  const Ran ran = zablab(folder, {"check", small_model, "--mutate", "newleader_before_snap", "--trace",
                                  "$(id).json", "--scenario", "s.json"});
  CHECK(ran.status == 1);
  CHECK(has(ran.out, "zablab render '$(id).json' -o out.svg"));
  CHECK(has(ran.out, "zablab run s.json --text"));
  CHECK(zablab(folder, {"run", "s.json"}).status == 1);
  CHECK(zablab(folder, {"replay", "$(id).json"}).status == 0);
}

TEST_CASE("explain, diff, replay and shrink print one object if they are asked to") {
  const Folder folder;
  const std::string failover = ZABLAB_SOURCE_DIR "/scenarios/recovery/000-C1-leader-dies-with-P3.json";
  REQUIRE(zablab(folder, {"run", failover, "--trace", "a.json"}).status == 0);
  REQUIRE(zablab(folder, {"run", failover, "--mutate", "retain_db_no_ff", "--trace", "b.json"}).status == 1);
  const auto told = [&](const Words& words, int status) {
    const Ran ran = zablab(folder, words);
    CHECK(ran.status == status);
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 1);
    return Json::parse(ran.out);
  };
  const Json lost = told({"explain", "b.json", "--json"}, 0);
  CHECK(lost.at("mutations") == Json::array({"retain_db_no_ff"}));
  CHECK(lost.at("why").at(0).at("mutations") == Json::array({"retain_db_no_ff"}));
  CHECK(told({"explain", "a.json", "--json"}, 0).at("outages").at(0).at("parts").size() > 1);

  const Json trace = Json::parse(loadText(folder / "a.json"));
  const Json differs = told({"diff", "a.json", "b.json", "--json"}, 1);
  const auto common = differs.at("events_in_common").get<std::size_t>();
  CHECK(differs.at("same") == false);
  CHECK(differs.at("first").at("event") == trace.at("events").at(common));
  CHECK(differs.at("first").at("event") != differs.at("second").at("event"));
  CHECK(differs.at("verdicts").at(0).at("first") != differs.at("verdicts").at(0).at("second"));
  CHECK(told({"diff", "a.json", "a.json", "--json"}, 0).at("same") == true);

  CHECK(told({"replay", "a.json", "--json"}, 0) ==
        Json{{"same", true}, {"events", trace.at("events").size()}, {"differences", Json::array()}});
  const Json shrunk = told({"shrink", "b.json", "--json"}, 0);
  CHECK(shrunk.at("scenario").at("kind") == "scenario");
  CHECK(shrunk.at("shrunk") == true);
  CHECK(zablab(folder, {"explain", "a.json", "--json", "--lang", "zh"}).status == 2);
  CHECK(zablab(folder, {"diff", "a.json", "b.json", "--json", "--lang", "zh"}).status == 2);
}

TEST_CASE("standard input stands for a file") {
  const Folder folder;
  REQUIRE(zablab(folder, {"run", drawn, "--seed", "3", "--trace", "run.json"}).status == 0);
  const auto fed = [&](const Words& words) {
    return zablab(folder, words, {"LC_ALL=C.UTF-8"}, folder / "run.json");
  };
  CHECK(has(fed({"replay", "-"}).out, "the same"));
  CHECK(fed({"render", "-", "-o", "run.txt"}).status == 0);
  CHECK(fed({"check", small_model, "--from", "-", "--max-states", "10"}).status == 3);
  CHECK(fed({"shrink", "-"}).status == 2);  // nothing fails
}

TEST_CASE("an invariant that searches alone judge is listed so, and asked of no run") {
  const Folder folder;
  const Ran list = zablab(folder, {"list", "invariants", "--protocol", "quorum_register", "--json"});
  bool found = false;
  for (const Json& row : Json::parse(list.out)) {
    const bool is = row["name"] == "converged";
    CHECK(has(row["text"], "(checked only by searches)") == is);
    found = found || is;
  }
  CHECK(found);
  const Ran drawn_runs =
      zablab(folder, {"fuzz", "--protocol", "quorum_register", "--seeds", "0:1", "--invariant", "converged"});
  CHECK(drawn_runs.status == 2);
  CHECK(has(drawn_runs.err, "`converged` is checked only by searches"));
  const Ran run = zablab(folder, {"run", folder.write("one.json", R"({"kind": "scenario", "name": "one",
"protocol": "quorum_register", "servers": 3, "until": 10,
"expect": [{"invariant": {"name": "converged"}}]})")});
  CHECK(run.status == 2);
  CHECK(has(run.err, "`converged` is checked only by searches"));
}

TEST_CASE("fuzz takes the invariants of its protocol, whatever another one calls by the same name") {
  const Folder folder;
  // ZooKeeper's clients have one of this name, which states alone show.
  const Ran own = zablab(
      folder, {"fuzz", "--protocol", "external_store", "--seeds", "0:2", "--invariant", "one-believer"});
  CHECK(own.status == 0);
  const Ran other = zablab(folder, {"fuzz", "--protocol", "zab", "--seeds", "0:2", "--invariant", "no-herd"});
  CHECK(other.status == 2);
  CHECK(has(other.err, "`zab` has no invariant `no-herd`"));
}

/// Checks that every `$ref` below `part` names a definition of `schema`.
void checkReferences(const Json& schema, const Json& part) {
  if (part.is_object() && part.contains("$ref")) {
    const std::string name = part["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
    CHECK_MESSAGE(schema["$defs"].contains(name), name);
  }
  if (!part.is_structured()) return;
  for (const Json& child : part) checkReferences(schema, child);
}

/// Checks that every key of the value is one of the definition's properties.
void checkKeys(const Json& definition, const Json& value) {
  CHECK(definition["additionalProperties"] == false);
  for (const auto& member : value.items())
    CHECK_MESSAGE(definition["properties"].contains(member.key()), member.key());
}

TEST_CASE("schemas: all references are defined, and every key of the shipped files is in them") {
  const Json scenario = scenarioSchema();
  const Json model = modelSchema();
  for (const Json* schema : {&scenario, &model}) checkReferences(*schema, *schema);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(ZABLAB_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    const Json file = Json::parse(contentsOf(entry.path()));
    const std::string kind = file.value("kind", "");
    if (kind != "scenario" && kind != "model") continue;
    CAPTURE(entry.path().string());
    ++files;
    const Json& defined = (kind == "model" ? model : scenario)["$defs"];
    checkKeys(defined[kind], file);
    const Json none = Json::array();
    for (const Json& step : file.value("steps", none))
      checkKeys(defined["scenario"]["properties"]["steps"]["items"], step);
    for (const Json& ask : file.value("asks", none)) checkKeys(defined["ask"], ask);
    if (!file.contains("servers") || !file["servers"].is_array()) continue;
    for (const Json& server : file["servers"]) checkKeys(defined["server"], server);
  }
  CHECK(files > 400);
}

TEST_CASE("what passes cannot be made small") {
  const Folder folder;
  for (const char* file :
       {"election/000-F1-three-servers-start.json", "leader-followers/004-1-only-the-leader-serves.json",
        "quorum-register/004-Q3-a-read-that-writes-back-is-found-by-the-next.json"}) {
    CAPTURE(std::string(file));
    const Ran ran = zablab(folder, {"shrink", std::string(ZABLAB_SOURCE_DIR "/scenarios/") + file});
    CHECK(ran.status == 2);
    CHECK(has(ran.err, "nothing fails in"));
  }
}

TEST_CASE("what had no effect is told") {
  const Folder folder;
  const std::string file = folder.write("late.json",
                                        R"({"kind": "scenario", "name": "late", "servers": 3, "until": 1000,
"timing": {"latency_ms": 1, "dial_ms": 1, "fsync_ms": 1},
"steps": [{"at": 5000, "kill": 1},
          {"when": {"event": {"kind": "ahead"}}, "kill": 2},
          {"after": 10, "start": 2}],
"expect": [{"finally": true, "server": 3, "state": {"role": "LEADING"}}]})");
  const Ran ran = zablab(folder, {"run", file, "--seed", "7"});
  CHECK(ran.status == 0);
  CHECK(
      has(ran.out, "warning: steps[0] (line 3): not done: its time is 5000 ms, and the run ends at 1000 ms"));
  CHECK(has(ran.out, "warning: steps[1] (line 4): not done: what it waits for never happened"));
  CHECK(has(ran.out, "warning: steps[2] (line 5): not done: the step before it was not done"));
  CHECK(has(ran.out, "warning: the seed changes nothing"));
  CHECK(Json::parse(zablab(folder, {"run", file, "--json"}).out).at("warnings").size() == 3);
  CHECK_FALSE(has(zablab(folder, {"run", drawn, "--seed", "7"}).out, "warning"));
}

TEST_CASE("an empty picture is an error, and an option that a picture advises exists") {
  const Folder folder;
  REQUIRE(zablab(folder, {"run", settled, "--trace", "run.json"}).status == 0);
  for (const Words& words : {Words{"--from", "999999ms"}, Words{"--kinds", "comitted"}}) {
    Words all{"render", "run.json", "-o", "out.dot"};
    all.insert(all.end(), words.begin(), words.end());
    CHECK(zablab(folder, all).status == 2);
  }
  CHECK(folder.names() == std::vector<std::string>{"run.json"});
  // A kind of event that this run happens to have none of is no error beside others.
  CHECK(zablab(folder, {"render", "run.json", "-o", "-", "--kinds", "role,undecided"}).status == 2);
  CHECK(zablab(folder, {"render", "run.json", "-o", "-", "--kinds", "role,write_failed"}).status == 0);
  const std::string whole =
      zablab(folder, {"render", "run.json", "-o", "-", "--self", "--no-fold", "--width", "200"}).out;
  const std::string narrow = zablab(folder, {"render", "run.json", "-o", "-", "--width", "60"}).out;
  CHECK_FALSE(has(whole, "to oneself not drawn"));
  CHECK(has(narrow, "--self"));
}

TEST_CASE("render writes a trace for other tools, by the ending of the file's name") {
  const Folder folder;
  REQUIRE(zablab(folder, {"run", settled, "--trace", "run.json"}).status == 0);
  const std::vector<std::pair<std::string, std::string>> beginnings = {
      {"run.mmd", "sequenceDiagram\n"},
      {"run.shiviz", "(?<host>"},
      {"run.itf.json", "{\"#meta\":"},
      {"run.perfetto.json", "{\"displayTimeUnit\":"}};
  const std::string help = zablab(folder, {"render", "--help"}).out;
  for (const auto& [name, beginning] : beginnings) {
    CHECK(zablab(folder, {"render", "run.json", "-o", name}).status == 0);
    CHECK(contentsOf(folder / name).starts_with(beginning));
    CHECK(has(help, name.substr(3)));
    const Ran nothing = zablab(folder, {"render", "run.json", "-o", "no-" + name, "--from", "999999ms"});
    CHECK(nothing.status == 2);
    CHECK(has(nothing.err, "there is nothing to write: the trace has no such events"));
  }
  CHECK(folder.names().size() == 5);
}

TEST_CASE("what is printed to be pasted is quoted, and no file steers the terminal") {
  const Folder folder;
  const std::string name = "$(id)'\x1b[2J.json";
  folder.write(name, R"({"kind": "scenario", "name": "red \u001b[31m", "servers": 3, "until": 100,
"expect": [{"finally": true, "server": 1, "state": {"role": "LEADING"}, "because": "\u001b]0;x\u0007"}]})");
  const Ran ran = zablab(folder, {"run", name});
  CHECK(ran.status == 1);
  CHECK(has(ran.out, R"(see: zablab run $'$(id)\'\x1b[2J.json' --text)"));
  CHECK_FALSE(has(ran.out + ran.err, "\x1b"));
  CHECK_FALSE(has(ran.out + ran.err, "\x07"));
}

TEST_CASE("characters that change the direction of text are escaped wherever they come from") {
  const Folder folder;
  const std::vector<std::string> marks{"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
                                       "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  std::string all;
  for (const std::string& mark : marks) all += mark;
  const auto anyIn = [&](const Ran& ran) {
    return std::any_of(marks.begin(), marks.end(),
                       [&](const std::string& mark) { return has(ran.out + ran.err, mark); });
  };
  const std::string text = R"({"kind": "scenario", "name": "name )" + all + R"(", "until": 400, "servers": [
{"id": 1, "name": "a)" + all +
                           R"("}, {"id": 2, "name": "b"}], "steps": [{"at": 5, "note": "note )" + all +
                           R"("}], "expect": [{"by": 1, "server": 1, "state": {"role": "LEADING"},
"because": "why )" + all + R"("}]})";
  const std::string name = "file" + marks[7] + ".json";
  folder.write(name, text);
  folder.write("bad.json", R"({"kind": "scenario", ")" + all + R"(": 1})");
  const std::vector<Words> rows{{"run", name},
                                {"run", name, "--json"},
                                {"run", name, "--text"},
                                {"run", name, "--trace", "t.json"},
                                {"run", name, "--trace", "-"},
                                {"run", name, "--state", "1"},
                                {"run", "bad.json"},
                                {"run", "missing" + all},
                                {"run", name, "--mutate", all},
                                {"validate", name, "bad.json"},
                                {"validate", name, "bad.json", "--json"},
                                {"list", "scenarios", "."},
                                {"explain", "t.json"},
                                {"replay", "t.json"},
                                {"render", "t.json", "-o", "-"},
                                {all}};
  for (const Words& words : rows) {
    CAPTURE(words[0]);
    const Ran ran = zablab(folder, words);
    CHECK_MESSAGE(!anyIn(ran), ran.out, ran.err);
  }
  CHECK(has(zablab(folder, {"run", name}).out, R"(why \u061c\u200e\u200f\u202a)"));
  CHECK(has(zablab(folder, {"run", name}).out, R"(zablab run $'file\xe2\x80\xae.json' --text)"));
  const Json line = Json::parse(zablab(folder, {"run", name, "--json"}).out);
  CHECK(line["name"] == "name " + all);
  const Ran trace = zablab(folder, {"run", name, "--trace", "-"});
  CHECK(Json::parse(trace.out)["header"]["title"] == "name " + all);
  CHECK(has(zablab(folder, {"explain", "t.json", "--lang", "zh"}).out, "启动"));  // other characters stay
}

TEST_CASE("status 3: a search or a campaign that had nothing to compare") {
  const Folder folder;
  const std::string model = ZABLAB_SOURCE_DIR "/scenarios/models/election-2.json";
  const Ran named = zablab(folder, {"check", model, "--invariant", "committed-never-lost"});
  CHECK(named.status == 3);
  CHECK(has(named.out, "undecided, exhausted: nothing to compare for committed-never-lost"));
  CHECK_FALSE(has(named.out, "holds"));
  const Ran json = zablab(folder, {"check", model, "--invariant", "committed-never-lost", "--json"});
  CHECK(json.status == 3);
  CHECK(Json::parse(json.out)["verdict"] == "undecided");
  CHECK(Json::parse(json.out)["undecided"].size() == 1);
  CHECK(zablab(folder, {"check", model, "--invariant", "decided-by-quorum"}).status == 0);
  CHECK(zablab(folder,
               {"check", model, "--invariant", "decided-by-quorum", "--invariant", "committed-never-lost"})
            .status == 3);
  CHECK(zablab(folder, {"check", model}).status == 0);
  const Ran strict = zablab(folder, {"check", model, "--strict"});
  CHECK(strict.status == 3);
  CHECK(has(strict.out, "committed-never-lost"));
  const Ran limited = zablab(folder, {"check", model, "--max-states", "5"});
  CHECK(limited.status == 3);
  CHECK(has(limited.out, "undecided, not exhausted: stopped by states"));

  const Words seeds{"fuzz", "--seeds", "0:2", "--faults", "calm"};
  const auto fuzzed = [&](Words more) {
    more.insert(more.begin(), seeds.begin(), seeds.end());
    return zablab(folder, more);
  };
  CHECK(fuzzed({}).status == 0);
  const Ran idle = fuzzed({"--invariant", "one-leader-per-round"});
  CHECK(idle.status == 3);
  CHECK(has(idle.out, "undecided: nothing to compare for one-leader-per-round"));
  const Json summary =
      Json::parse(fuzzed({"--invariant", "one-leader-per-round", "--json", "--out", "o"}).out)["summary"];
  CHECK(summary["verdict"] == "undecided");
  CHECK(summary["undecided"].size() == 1);
  CHECK(zablab(folder, {"merge", "o"}).status == 3);
  CHECK(Json::parse(fuzzed({"--json"}).out)["summary"]["verdict"] == "nothing found");

  const Ran nothing = zablab(folder, {"run", folder.write("idle.json", R"({"kind": "scenario", "name": "idle",
"servers": [{"id": 1, "down": true}], "until": 10})")});
  CHECK(nothing.status == 3);
  CHECK(has(nothing.out, "undecided: there was nothing to compare"));
  CHECK(has(nothing.out, "undecided  idle"));

  for (const char* command : {"run", "check", "fuzz", "conform"}) {
    CAPTURE(command);
    CHECK(has(zablab(folder, {command, "--help"}).out, "3 undecided"));
  }
}

TEST_CASE("the manual and the completions name every command and option") {
  const Folder folder;
  const std::string manual = zablab(folder, {"manual"}).out;
  const std::string bash = zablab(folder, {"completion", "bash"}).out;
  const std::string zsh = zablab(folder, {"completion", "zsh"}).out;
  for (const char* word : {"run", "fuzz", "check", "render", "completion"}) {
    CHECK(has(manual, std::string(".SS zablab ") + word));
    CHECK(has(bash, std::string("    ") + word + ") options="));
    CHECK(has(zsh, std::string("    ") + word + ")\n"));
  }
  for (const char* option : {"max-states", "strict", "no-fold"}) {
    CHECK(has(bash, std::string("--") + option));
    CHECK(has(zsh, std::string("--") + option));
  }
  CHECK(has(manual, "\\-\\-no\\-fold"));
  CHECK(zablab(folder, {"completion", "fish"}).status == 2);
}

}  // namespace
}  // namespace zablab
