// The commands on the pages: each is run as written there, in a folder like the repository's, or listed as
// too long and run with less. What is not a command of zablab is looked up: scripts, their options, names of
// test cases.
#include <doctest/doctest.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json_reflect.h"
#include "tests/program.h"

namespace zablab {
namespace {

const fs::path root = ZABLAB_SOURCE_DIR;

/// Of this many seeds from 0 on, a command of a page is run with the first few.
constexpr std::uint64_t campaign_seeds = 200;
constexpr std::string_view first_seeds = "0:10";

/// Other commands that take longer than a test may. Each is run nevertheless with `value` in place of the
/// option's own value, or with the option appended if the command does not have it; a word that is no option
/// is itself replaced.
struct Long {
  std::string_view command;
  std::string_view option;
  std::string_view value;
  bool stopped = false;  // by a limit, with status 3 regardless of what the page says
};
constexpr std::array long_commands{
    Long{"fuzz --seeds 0:1000 --mutate retain_db_no_ff --out found", "--seeds", "0:10"},
    Long{"fuzz --seeds 0:3000 --rule snap_log=kept", "--seeds", "59:60"},
    Long{"fuzz --seeds 0:1000000 --shard {}/8 --out out/{}", "--seeds", "0:16"},
    Long{"fuzz --seeds 0:10000000 --shard $SLURM_ARRAY_TASK_ID/64 --out out/$SLURM_ARRAY_TASK_ID", "--seeds",
         "0:64"},
    Long{"fuzz --seeds 0:10000000 --shard $JOB_COMPLETION_INDEX/64 --out /out/$JOB_COMPLETION_INDEX",
         "--seeds", "0:64"},
    Long{"fuzz --first --seeds 0:1000", "--seeds", "0:5"},
    Long{"compare --faults SCRIPT --seeds 0:500 --jobs 2", "--seeds", "0:5"},
    Long{"compare --faults leader-pauses --seeds 0:5 --parts", "--seeds", "0:1"},
    Long{"compare --faults leader-pauses --protocols zab --set sync_limit=2 --seeds 0:5 --parts", "--seeds",
         "0:1"},
    Long{"fuzz bench/workloads/failover5.json --seeds 0:600", "--seeds", "0:5"},
    Long{"fuzz --protocol redis_cluster --variant real --seeds 1332:1333", "", "--no-shrink"},
    Long{"check scenarios/large-models/zab-3-full.json --writes 2 --memory 16G", "--max-states", "1000",
         true},
    // scripts/test.sh runs all of them.
    Long{"run scenarios", "scenarios", "scenarios/recovery"},
    // The page states which models.
    Long{"check --max-states 20000", "", "scenarios/models/election-3.json", true},
};

/// Placeholders for something of the reader's, or filled in by another program.
const std::map<std::string, std::string> stands_for{
    {"FILE", "scenarios/found/retain_db_no_ff.json"},
    {"FILE...", "scenarios/found/retain_db_no_ff.json"},
    {"M", "retain_db_no_ff"},
    {"P", "kafka"},
    {"SCRIPT", "leader-dies"},
    {"NAME", "semaphore"},
    {"N", "5"},
    {"T", "run.json"},
    {"F", "run.svg"},
    {"$SLURM_ARRAY_TASK_ID", "0"},
    {"$JOB_COMPLETION_INDEX", "0"},
};

/// The files that commands which are not run would leave.
const std::map<std::string, std::string> leaves{
    {"scripts/record-zookeeper.sh my", "recordings/zookeeper-3.8.0-loopback"},
};

/// Programs that are not part of this project.
const std::set<std::string> elsewhere{"git", "cd", "meson", "ninja", "podman", "docker", "man"};

/// One command between `&&` and `|`.
struct Simple {
  Words words;
  std::string output;  // after `>`
  bool piped = false;  // from the previous one
};

struct Line {
  std::string page;
  int number = 0;
  std::vector<Simple> commands;
  std::string remark;  // a comment at its end, or what follows `...`
};

/// Splits as a shell does, as far as the pages need it: words, quotes, `&&`, `;`, `|`, `>` and `#`.
Line readLine(const std::string& text) {
  Line line;
  Simple now;
  std::optional<std::string> word;
  bool to_file = false;
  const auto endWord = [&] {
    if (!word) return;
    (to_file ? now.output : now.words.emplace_back()) = *word;
    to_file = false;
    word.reset();
  };
  const auto endCommand = [&](bool pipe) {
    endWord();
    if (!now.words.empty()) line.commands.push_back(now);
    now = {};
    now.piped = pipe;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const std::size_t end = text.find(c, at + 1);
      if (end == std::string::npos) break;
      word = word.value_or("") + text.substr(at + 1, end - at - 1);
      at = end;
    } else if (c == '#' && !word) {
      line.remark = text.substr(at + 1);
      break;
    } else if (c == ' ') {
      endWord();
    } else if (c == '|' || c == ';' || text.compare(at, 2, "&&") == 0) {
      if (c == '&') ++at;
      endCommand(c == '|');
    } else if (c == '>') {
      endWord();
      to_file = true;
    } else {
      word = word.value_or("") + c;
    }
  }
  endCommand(false);
  return line;
}

const std::set<std::string>& subcommands() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    const Folder folder;
    std::istringstream help(zablab(folder, {"--help"}).out);
    std::string line;
    while (std::getline(help, line) && line != "Commands:") continue;
    while (std::getline(help, line) && line.starts_with("  "))
      found.insert(readLine(line).commands[0].words[0]);
    return found;
  }();
  return names;
}

/// The place of the program's name: at the beginning, after a path, or as an image's name followed by a
/// command.
std::optional<std::size_t> programIn(const Words& words) {
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    if (words[at].ends_with("/zablab") || (at == 0 && words[at] == "zablab")) return at;
    if (words[at] == "zablab" && subcommands().contains(words[at + 1])) return at;
  }
  return std::nullopt;
}

bool isCommand(const Line& line) {
  return std::any_of(line.commands.begin(), line.commands.end(), [](const Simple& one) {
    return programIn(one.words) || (one.words[0].starts_with("scripts/") && one.words[0] != "scripts/");
  });
}

struct Page {
  fs::path path;
  std::vector<Line> lines;                     // from blocks, and other commands in `...`
  std::vector<Line> options;                   // texts in `...` that begin with an option
  std::map<int, std::string> whole_scenarios;  // ```json, by the line that it ends at
  std::map<int, std::string> quoted;           // lines of ``` blocks without a language
};

Page readPage(const fs::path& path) {
  Page page{path, {}, {}, {}, {}};
  std::istringstream in(contentsOf(path));
  int number = 0;
  std::string block;  // its language
  std::string json;   // all of it, if that is what it is
  bool inside = false;
  const auto add = [&](Line line, std::vector<Line>& to) {
    line.page = fs::relative(path, root).string();
    line.number = number;
    if (!line.commands.empty()) to.push_back(std::move(line));
  };
  for (std::string text; std::getline(in, text);) {
    ++number;
    CAPTURE(path.filename().string());
    CAPTURE(number);
    const bool indented = text.starts_with("    ");
    text.erase(0, text.find_first_not_of(' '));
    if (inside ? block != "sh" : indented)
      CHECK_MESSAGE(!isCommand(readLine(text)), "a command stands in ```sh");
    if (text.starts_with("```")) {
      if (inside && block == "json") page.whole_scenarios[number] = json;
      inside = !inside;
      block = text.substr(3);
      json.clear();
    } else if (inside && block == "sh") {
      CHECK_FALSE(text.ends_with("\\"));  // a command is one line
      add(readLine(text), page.lines);
    } else if (inside && block.starts_with("json")) {
      json += text + "\n";
    } else if (inside && block.empty()) {
      page.quoted[number] = text;
    } else if (inside) {
      // `command: [sh, -c, '...']`: a command in quotes, within another kind of file
      static const std::regex quoted("'([^']*)'");
      for (std::sregex_iterator at(text.begin(), text.end(), quoted), end; at != end; ++at) {
        if (Line line = readLine((*at)[1]); isCommand(line)) add(std::move(line), page.lines);
      }
    } else {
      for (std::size_t at = text.find('`'); at != std::string::npos;) {
        const std::size_t end = text.find('`', at + 1);
        if (end == std::string::npos) break;
        Line line = readLine(text.substr(at + 1, end - at - 1));
        at = text.find('`', end + 1);
        line.remark = text.substr(end + 1, std::min(at, text.size()) - end - 1);
        if (isCommand(line)) {
          add(std::move(line), page.lines);
        } else if (!line.commands.empty() && line.commands[0].words[0].starts_with("-")) {
          add(std::move(line), page.options);
        }
      }
    }
  }
  CHECK_FALSE(inside);
  return page;
}

const std::vector<Page>& pages() {
  static const std::vector<Page> all = [] {
    std::vector<fs::path> paths{root / "README.md", root / "CONTRIBUTING.md", root / "recordings/README.md"};
    for (const char* folder : {"docs", "docs/generated", "docs/course/en", "docs/course/zh"}) {
      for (const auto& entry : fs::directory_iterator(root / folder)) {
        if (entry.path().extension() == ".md") paths.push_back(entry.path());
      }
    }
    std::vector<Page> read;
    for (const fs::path& path : paths) read.push_back(readPage(path));
    return read;
  }();
  return all;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void replaceAll(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// Whether the text contains the option, and not only a longer one that begins with it.
bool hasOption(const std::string& text, const std::string& option) {
  for (std::size_t at = text.find(option); at != std::string::npos; at = text.find(option, at + 1)) {
    const char next = at + option.size() < text.size() ? text[at + option.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '-') return true;
  }
  return false;
}

/// `(status 1)` after a command, or in its comment; otherwise it has to end with 0.
int statusOf(const Line& line) {
  std::smatch found;
  const std::regex pattern(R"(^[^a-z]*status (\d))");
  return std::regex_search(line.remark, found, pattern) ? std::stoi(found[1]) : 0;
}

/// The words as the program receives them in `folder`.
Words filledIn(const Words& words, const Folder& folder) {
  Words filled;
  for (std::string word : words) {
    if (const auto whole = stands_for.find(word); whole != stands_for.end()) word = whole->second;
    for (const auto& [name, value] : stands_for) {
      if (name.starts_with("$")) replaceAll(word, name, value);
    }
    if (word.starts_with("/out")) word.erase(0, 1);  // an image's folder, where the page puts out/
    if (word.ends_with("/*")) {
      const std::string parent = word.substr(0, word.size() - 1);
      std::set<std::string> names;
      for (const auto& entry : fs::directory_iterator(folder / parent))
        names.insert(parent + entry.path().filename().string());
      filled.insert(filled.end(), names.begin(), names.end());
    } else {
      filled.push_back(word);
    }
  }
  return filled;
}

class Reader {
 public:
  /// `copies` has the folders of the repository that commands read.
  Reader(const Page& page, const Folder& copies) : page_(page) {
    for (const std::string& name : copies.names())
      fs::create_directory_symlink(copies / name, folder_ / name);
  }

  void readAll() {
    for (const Line& line : page_.lines) {
      CAPTURE(line.page);
      CAPTURE(line.number);
      takeScenarios(line.number);
      Words numbers;      // of `seq A B |`
      std::string typed;  // of `printf TEXT |`
      for (const Simple& one : line.commands) {
        const std::optional<std::size_t> program = programIn(one.words);
        if (one.words[0] == "seq") {
          REQUIRE(one.words.size() == 3);
          for (int i = std::stoi(one.words[1]); i <= std::stoi(one.words[2]); ++i)
            numbers.push_back(std::to_string(i));
        } else if (one.words[0] == "printf") {
          REQUIRE(one.words.size() == 2);
          typed = one.words[1];
          replaceAll(typed, "\\n", "\n");
        } else if (program && one.piped && !typed.empty()) {
          run(line, one, *program + 1, "{}", folder_.write("typed", typed));
        } else if (program && one.piped) {
          REQUIRE(one.words[0] == "parallel");
          for (const std::string& number : numbers) run(line, one, *program + 1, number);
        } else if (program) {
          run(line, one, *program + 1, "{}");
        } else {
          lookUp(one.words);
        }
      }
    }
  }

  std::size_t ran() const { return ran_; }
  /// What the page's commands printed.
  const std::string& printed() const { return printed_; }
  const std::set<std::string_view>& listed() const { return listed_; }

 private:
  /// A complete scenario on a page is the content of my.json at that point.
  void takeScenarios(int before) {
    for (const auto& [end, text] : page_.whole_scenarios) {
      if (end < before && end > taken_ && fs::exists(folder_ / "my.json")) folder_.write("my.json", text);
    }
    taken_ = before;
  }

  void run(const Line& line, const Simple& one, std::size_t first, const std::string& number,
           const std::string& input = "/dev/null") {
    Words words(one.words.begin() + static_cast<std::ptrdiff_t>(first), one.words.end());
    if (std::find(words.begin(), words.end(), "--protocol-module") != words.end()) {
      // scripts/modules.sh builds modules, and runs what a page does with them.
      CHECK(has(contentsOf(root / "scripts/modules.sh"), "\"$zablab\" " + words.front()));
      return;
    }
    const std::string text = joined(words);
    int status = statusOf(line);
    bool may_stop = false;
    if (const auto* less = std::find_if(long_commands.begin(), long_commands.end(),
                                        [&](const Long& which) { return which.command == text; });
        less != long_commands.end()) {
      listed_.insert(less->command);
      if (less->stopped) status = 3;
      const auto option = std::find(words.begin(), words.end(), less->option);
      if (option != words.end()) {
        *(option + (less->option.starts_with("--") ? 1 : 0)) = less->value;
      } else {
        if (!less->option.empty()) words.emplace_back(less->option);
        words.emplace_back(less->value);
      }
    } else if (words.size() == 2 && words[0] == "check" && page_.quoted.empty()) {
      // What all of its states show, another test compares with what the model's file says.
      words.insert(words.end(), {"--max-states", "2000"});
      may_stop = true;
    } else if (status == 0) {
      const auto option = std::find(words.begin(), words.end(), "--seeds");
      if (option != words.end() && isCampaign(*(option + 1))) *(option + 1) = first_seeds;
    }
    if (words.size() == 1 && !words[0].starts_with("--") && one.output.empty()) words.emplace_back("--help");
    for (std::string& word : words) replaceAll(word, "{}", number);
    words = filledIn(words, folder_);
    CAPTURE(joined(words));
    // So wide that no sentence is broken.
    const Ran ran = zablab(folder_, words, {"LC_ALL=C.UTF-8", "COLUMNS=1000"}, input);
    printed_ += ran.out;
    CAPTURE(ran.out);
    CAPTURE(ran.err);
    if (lacksEngine(words)) {
      CHECK(ran.status == 4);
      CHECK(has(ran.err, "is not there; scripts/page.sh builds those of the program's protocols"));
      return;
    }
    if (!may_stop || ran.status != 3) CHECK(ran.status == status);
    CHECK_FALSE(has(ran.out, "warning:"));
    CHECK_FALSE(has(ran.err, "warning:"));
    CHECK_FALSE(has(ran.err, "error"));
    if (!one.output.empty()) folder_.write(one.output, ran.out);
    ++ran_;
  }

  /// Whether the command needs the engine for pages, which only scripts/page.sh builds. With it,
  /// tests/browser/live.test.mjs tests what comes of it.
  static bool lacksEngine(const Words& words) {
    return std::find(words.begin(), words.end(), "--live") != words.end() &&
           !fs::exists(fs::path(ZABLAB_BINARY).parent_path() / "live/zab.wasm");
  }

  static bool isCampaign(const std::string& seeds) {
    return seeds.starts_with("0:") && seeds.find_first_not_of("0123456789", 2) == std::string::npos &&
           std::stoull(seeds.substr(2)) >= campaign_seeds;
  }

  /// A command that is not run: checks that what it names exists.
  void lookUp(const Words& words) {
    CAPTURE(joined(words));
    static const std::regex assignment("[A-Z_]+=.*");
    std::size_t first = 0;
    while (first + 1 < words.size() && std::regex_match(words[first], assignment)) ++first;
    std::string program = words[first];
    if (program.starts_with("./")) program.erase(0, 2);
    if (program == "mkdir") {
      fs::create_directories(folder_ / words.back());
      return;
    }
    if (const auto left = leaves.find(joined(words)); left != leaves.end())
      fs::copy(root / left->second, folder_ / left->first.substr(left->first.rfind(' ') + 1));
    if (program.starts_with("scripts/") || program.starts_with("bench/")) {
      CHECK(fs::exists(root / program));
      const std::string script = contentsOf(root / program);
      for (const std::string& word : words) {
        if (word.starts_with("--") && word != "--help")
          CHECK_MESSAGE(hasOption(script, word), program, " has no ", word);
      }
    } else if (program.starts_with("build")) {
      const std::string target = "executable('" + fs::path(program).filename().string() + "'";
      CHECK(has(contentsOf(root / "tests/meson.build") + contentsOf(root / "bench/meson.build"), target));
    } else {
      CHECK(elsewhere.contains(program));
    }
    for (const std::string& word : words) {
      CAPTURE(word);
      if (word.starts_with("scenarios/") || word.starts_with("bench/workloads/"))
        CHECK(fs::exists(root / word));
    }
  }

  const Page& page_;
  Folder folder_;
  int taken_ = 0;
  std::size_t ran_ = 0;
  std::string printed_;
  std::set<std::string_view> listed_;
};

TEST_CASE("the pages: every command does what the page says, or is listed as taking long") {
  std::size_t ran = 0;
  std::size_t quoted = 0;
  std::set<std::string_view> listed;
  const Folder copies;  // so that no command changes the repository
  for (const char* name : {"scenarios", "recordings", "bench"})
    fs::copy(root / name, copies / name, fs::copy_options::recursive);
  for (const Page& page : pages()) {
    Reader reader(page, copies);
    reader.readAll();
    ran += reader.ran();
    // Elsewhere a block without a language may be anything.
    if (page.path.parent_path().parent_path() == root / "docs/course" || page.path.stem() == "stepping") {
      for (const auto& line : page.quoted) {
        CHECK_MESSAGE(has(reader.printed(), line.second), page.path.string(), ":", line.first,
                      ": no command on the page prints: ", line.second);
        ++quoted;
      }
    }
    listed.insert(reader.listed().begin(), reader.listed().end());
  }
  MESSAGE(ran, " commands were run, ", listed.size(), " of them with less than on the page");
  CHECK(ran > 130);
  CHECK(quoted > 30);
  for (const Long& one : long_commands)
    CHECK_MESSAGE(listed.contains(one.command), one.command, " is on no page");
}

TEST_CASE("the pages: every option that they name is one of the program or of a script") {
  std::set<std::string> known{"--user"};  // of docker
  const Folder folder;
  for (const std::string& name : subcommands()) {
    const Json described = Json::parse(zablab(folder, {name, "--describe-this-command"}).out);
    for (const Json& option : described.at("options"))
      known.insert("--" + option.at("name").get<std::string>());
  }
  std::string scripts;
  for (const auto& entry : fs::directory_iterator(root / "scripts")) {
    if (entry.is_regular_file()) scripts += contentsOf(entry.path());
  }
  std::size_t found = 0;
  for (const Page& page : pages()) {
    for (const Line& line : page.options) {
      for (const std::string& word : line.commands[0].words) {
        if (!word.starts_with("--")) continue;
        CHECK_MESSAGE((known.contains(word) || hasOption(scripts, word)), line.page, ":", line.number, ": ",
                      word);
        ++found;
      }
    }
  }
  CHECK(found > 50);
}

TEST_CASE("the pages: every filter of test cases finds one") {
  std::set<std::string> names, files;
  for (const auto& entry : fs::directory_iterator(root / "tests")) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = contentsOf(entry.path());
    static const std::regex declared(R"re(TEST_CASE\(\s*"([^"]*)"\))re");
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
      names.insert((*at)[1]);
      files.insert(entry.path().string());
    }
  }
  CHECK(names.size() > 100);
  std::size_t filters = 0;
  const auto look = [&](const Line& line, const std::string& word) {
    const bool of_file = word.starts_with("-sf=");
    if (!of_file && !word.starts_with("-tc=") && !word.starts_with("-tce=")) return;
    std::istringstream parts(word.substr(word.find('=') + 1));
    for (std::string part; std::getline(parts, part, ',');) {
      if (part.empty()) continue;
      const auto& all = of_file ? files : names;
      CHECK_MESSAGE(std::any_of(all.begin(), all.end(),
                                [&](const auto& one) { return fnmatch(part.c_str(), one.c_str(), 0) == 0; }),
                    line.page, ":", line.number, ": ", part);
      ++filters;
    }
  };
  for (const Page& page : pages()) {
    for (const auto* lines : {&page.lines, &page.options}) {
      for (const Line& line : *lines) {
        for (const Simple& one : line.commands) {
          for (const std::string& word : one.words) look(line, word);
        }
      }
    }
  }
  CHECK(filters > 10);
}

}  // namespace
}  // namespace zablab
