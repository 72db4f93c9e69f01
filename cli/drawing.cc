#include "cli/drawing.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "checker/protocol.h"
#include "viz/story.h"

namespace zablab::cli {
namespace {

/// `1500` is an event, `1500ms` a time.
std::optional<viz::Bound> boundOf(const std::string& option, const std::string& word) {
  if (word.empty()) return std::nullopt;
  constexpr std::uint64_t largest = 1'000'000'000'000;
  if (!word.ends_with("ms")) {
    return viz::Bound{viz::Bound::Unit::event, static_cast<std::int64_t>(numberOf(option, word, 0, largest))};
  }
  const std::uint64_t time = numberOf(option, word.substr(0, word.size() - 2), 0, largest);
  return viz::Bound{viz::Bound::Unit::time_ms, static_cast<std::int64_t>(time)};
}

/// The kinds of events in traces of this trace's protocol, or those in it if the protocol is unknown.
std::vector<std::string> kindsOf(const Trace& trace) {
  const auto protocol = trace.header.find("protocol");
  if (protocol != trace.header.end() && protocol->is_string()) {
    if (const Protocol* const known = findProtocol(protocol->get<std::string>())) return known->eventKinds();
  }
  std::vector<std::string> kinds;
  for (const TraceEvent& event : trace.events) kinds.push_back(event.kind);
  return kinds;
}

std::set<std::string> kindsWanted(const std::string& list, const Trace& trace) {
  std::set<std::string> kinds;
  std::istringstream words(list);
  const std::vector<std::string> known = kindsOf(trace);
  for (std::string kind; std::getline(words, kind, ',');) {
    if (std::find(known.begin(), known.end(), kind) == known.end())
      throw UsageError("--kinds: there are no events of the kind " + inBackticks(kind) +
                       didYouMean(kind, known, ""));
    kinds.insert(kind);
  }
  return kinds;
}

std::set<std::int64_t> nodesWanted(const std::string& list, const Trace& trace) {
  std::vector<std::pair<std::string, std::int64_t>> known;
  for (const Json& one : trace.header.value("nodes", Json::array())) {
    if (const std::optional<std::int64_t> id = viz::numberOf(one, "id"))
      known.emplace_back(std::to_string(*id), *id);
  }
  std::set<std::int64_t> nodes;
  std::istringstream words(list);
  for (std::string node; std::getline(words, node, ',');)
    nodes.insert(oneOf<std::int64_t>("--nodes", node, known));
  return nodes;
}

}  // namespace

bool Drawing::any() const {
  const std::string* const all[] = {&from, &to, &page, &nodes, &kinds, &rows, &detail};
  return self || unfolded ||
         std::any_of(std::begin(all), std::end(all), [](const std::string* word) { return !word->empty(); });
}

viz::LadderOptions Drawing::options() const {
  viz::LadderOptions options;
  options.self_messages = self;
  options.fold_heartbeats = !unfolded;
  options.from = boundOf("--from", from);
  options.to = boundOf("--to", to);
  if (!page.empty()) options.page_rows = static_cast<int>(numberOf("--page", page, 0, 1'000'000));
  if (!rows.empty()) {
    options.rows = oneOf<viz::RowMode>(
        "--rows", rows,
        {{"event", viz::RowMode::event}, {"causal", viz::RowMode::causal}, {"time", viz::RowMode::time}});
  }
  if (!detail.empty()) {
    options.detail = oneOf<viz::Detail>(
        "--detail", detail,
        {{"full", viz::Detail::full}, {"story", viz::Detail::story}, {"outline", viz::Detail::outline}});
  }
  if (!theme.empty())
    options.theme =
        oneOf<viz::Theme>("--theme", theme, {{"light", viz::Theme::light}, {"dark", viz::Theme::dark}});
  if (!language.empty()) options.book = &bookOf(language);
  return options;
}

const viz::PhraseBook& bookOf(const std::string& language) {
  const auto known = oneOf<viz::Language>("--lang", language.empty() ? "en" : language,
                                          {{"en", viz::Language::en}, {"zh", viz::Language::zh}});
  return viz::phrasesOf(known);
}

void Drawing::choose(viz::LadderOptions& options, const Trace& trace) const {
  if (!kinds.empty()) options.kinds = kindsWanted(kinds, trace);
  if (!nodes.empty()) options.nodes = nodesWanted(nodes, trace);
}

void addDrawing(Command& command, Drawing& drawing) {
  command.options.add_options()  //
      ("from", po::value(&drawing.from)->value_name("AT"),
       "begin at this event, or at this time, as in 2000ms")                                         //
      ("to", po::value(&drawing.to)->value_name("AT"), "end at this event or time")                  //
      ("page", po::value(&drawing.page)->value_name("N"), "rows of the picture; 0: all (400)")       //
      ("nodes", po::value(&drawing.nodes)->value_name("IDS"), "draw only these servers, as in 1,3")  //
      ("kinds", po::value(&drawing.kinds)->value_name("KINDS"),
       "draw only these kinds of events, as in sent,role")  //
      ("detail", po::value(&drawing.detail)->value_name("DETAIL"),
       "full; story: what the result depends on; outline: a story without messages (full)")  //
      ("rows", po::value(&drawing.rows)->value_name("MODE"),
       "event, causal or time: what a row is (event)")                                    //
      ("theme", po::value(&drawing.theme)->value_name("THEME"), "light or dark (light)")  //
      ("lang", po::value(&drawing.language)->value_name("LANG"), lang_text)               //
      ("self", po::bool_switch(&drawing.self), "draw what servers send to themselves")    //
      ("no-fold", po::bool_switch(&drawing.unfolded), "draw every heartbeat");
}

}  // namespace zablab::cli
