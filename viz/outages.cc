#include "viz/outages.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

#include "viz/explain.h"

namespace zablab::viz {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
constexpr std::size_t outages_shown_max = 4, lines_max = 6;

/// A server leads, from one position on, up to and without another one.
struct Reign {
  std::int64_t node = 0;
  std::size_t begin = 0, end = nowhere;
  bool has(std::size_t position) const { return begin <= position && position < end; }
};

/// What happened to servers from outside.
struct Strike {
  std::size_t position = 0;
  std::vector<std::int64_t> nodes;
  bool hits(std::int64_t node) const { return std::find(nodes.begin(), nodes.end(), node) != nodes.end(); }
};

class Search {
 public:
  Search(const Trace& trace, const Story& story) : events_(trace.events), story_(story) {
    for (std::size_t position = 0; position < events_.size(); ++position) note(position);
  }

  std::vector<Outage> all() const {
    std::vector<Outage> outages;
    for (const Reign& reign : reigns_) {
      if (auto outage = before(reign)) outages.push_back(std::move(*outage));
    }
    return outages;
  }

 private:
  void note(std::size_t position) {
    const TraceEvent& event = events_[position];
    const auto present = std::find_if(reigns_.rbegin(), reigns_.rend(), [&](const Reign& reign) {
      return event.node == reign.node && reign.end == nowhere;
    });
    if (event.kind == "stopped" && present != reigns_.rend()) present->end = position;
    const auto turn = story_.turns.find(position);
    if (turn != story_.turns.end() && event.node) {
      const bool leads = turn->second.to.tone == Tone::leading;
      if (leads && present == reigns_.rend()) reigns_.push_back({*event.node, position});
      if (!leads && present != reigns_.rend()) present->end = position;
    }
    std::vector<std::int64_t> nodes;
    if ((event.kind == "stopped" || event.kind == "paused") && event.node) nodes.push_back(*event.node);
    if (event.kind == "broken" || event.kind == "cut") {
      const auto told = event.data.find(event.kind == "cut" ? "links" : "between");
      if (told != event.data.end()) addNumbers(*told, nodes);
    }
    if (!nodes.empty()) strikes_.push_back({position, std::move(nodes)});
  }

  static void addNumbers(const Json& json, std::vector<std::int64_t>& numbers) {
    if (json.is_number_integer()) numbers.push_back(json.get<std::int64_t>());
    if (!json.is_array()) return;
    for (const Json& element : json) addNumbers(element, numbers);
  }

  std::optional<std::size_t> strikeOn(std::int64_t node, std::size_t after, std::size_t before) const {
    const auto found = std::find_if(strikes_.begin(), strikes_.end(), [&](const Strike& strike) {
      return strike.position > after && strike.position < before && strike.hits(node);
    });
    return found == strikes_.end() ? std::nullopt : std::optional(found->position);
  }

  /// When this timer fired before, if that led to its being set again.
  std::optional<std::size_t> firedBefore(std::size_t position) const {
    const TraceEvent& event = events_[position];
    if (event.kind != "timer") return std::nullopt;
    std::optional<std::uint64_t> at = event.cause;
    while (at && events_[*at].node == event.node) {
      if (events_[*at].kind == "timer" && events_[*at].data == event.data) return *at;
      if (events_[*at].time != events_[*event.cause].time) return std::nullopt;
      at = events_[*at].cause;
    }
    return std::nullopt;
  }

  /// The event that led to this one. A timer that fires again and again lets its node look at what has
  /// happened since: at the last thing that has changed its state, of those that are about `about` if there
  /// is one.
  std::optional<std::size_t> predecessor(std::size_t position, std::optional<std::int64_t> about) const {
    const TraceEvent& event = events_[position];
    if (event.kind == "closed") {
      const auto peer = numberOf(event.data, "peer");
      for (auto strike = strikes_.rbegin(); peer && strike != strikes_.rend(); ++strike) {
        const bool of_both = strike->nodes.size() == 1 || (event.node && strike->hits(*event.node));
        if (strike->position < position && strike->hits(*peer) && of_both) return strike->position;
      }
    }
    if (!event.cause) return std::nullopt;
    std::optional<std::uint64_t> last;
    if (const auto before = firedBefore(position)) {
      for (std::size_t at = position - 1; at > *before; --at) {
        const TraceEvent& earlier = events_[at];
        if (earlier.node != event.node || !hasChanges(earlier) || !beginsStep(earlier.kind)) continue;
        if (about && (numberOf(earlier.data, "peer") == about || numberOf(earlier.data, "from") == about))
          return at;
        if (!last) last = at;
      }
    }
    return last ? last : event.cause;
  }

  /// From the event back to what has no cause.
  std::vector<std::size_t> chainOf(std::size_t position, std::optional<std::int64_t> about) const {
    std::vector<std::size_t> chain{position};
    while (const auto earlier = predecessor(chain.back(), about)) chain.push_back(*earlier);
    return chain;
  }

  /// By what the leader was lost after whom this one leads.
  struct Loss {
    std::optional<std::size_t> by;       ///< empty: nobody has led before
    std::optional<std::int64_t> leader;  ///< that was lost
  };
  std::optional<Loss> lossBefore(const Reign& reign, const std::vector<std::size_t>& chain) const {
    for (const std::size_t position : chain) {
      for (const Reign& earlier : reigns_) {
        if (&earlier == &reign || events_[position].node != earlier.node || !earlier.has(position)) continue;
        if (const auto strike = strikeOn(earlier.node, position, reign.begin))
          return Loss{strike, earlier.node};
        if (earlier.end < reign.begin) return Loss{earlier.end, earlier.node};
      }
    }
    // Nothing that came from a leader led to this: the one that has ended last, if nobody has led since.
    const Reign* last = nullptr;
    bool is_led = false;
    for (const Reign& earlier : reigns_) {
      if (earlier.begin >= reign.begin) continue;
      is_led = is_led || earlier.end >= reign.begin;
      if (earlier.end < reign.begin && (last == nullptr || earlier.end > last->end)) last = &earlier;
    }
    if (last == nullptr) return is_led ? std::nullopt : std::optional(Loss{});
    for (const Reign& later : reigns_) {
      if (later.begin > last->end && later.begin < reign.begin) return std::nullopt;
    }
    std::size_t by = last->end;
    for (const Strike& strike : strikes_) {
      if (last->has(strike.position) && strike.hits(last->node)) by = strike.position;
    }
    return Loss{by, last->node};
  }

  std::optional<Outage> before(const Reign& reign) const {
    std::vector<std::size_t> chain = chainOf(reign.begin, {});
    auto loss = lossBefore(reign, chain);
    if (loss && loss->leader) {
      chain = chainOf(reign.begin, loss->leader);
      loss = lossBefore(reign, chain);
    }
    if (!loss) return std::nullopt;
    Outage outage;
    outage.lost_by = loss->by;
    outage.led_by = reign.begin;
    outage.begin = loss->by ? events_[*loss->by].time : events_.front().time;
    outage.end = events_[reign.begin].time;
    if (outage.begin == outage.end) return std::nullopt;
    for (std::size_t i = 0; i < chain.size() && events_[chain[i]].time > outage.begin; ++i) {
      Outage::Part part;
      part.event = chain[i];
      part.end = events_[chain[i]].time;
      part.begin = outage.begin;
      part.kind = Outage::Part::Kind::scenario;
      if (i + 1 < chain.size()) {
        part.begin = std::max(outage.begin, events_[chain[i + 1]].time);
        part.kind = kindOf(events_[chain[i]]);
        const auto& cause = events_[chain[i]].cause;
        if (cause) part.whole_ms = part.end - events_[*cause].time;
      }
      if (part.begin < part.end) outage.parts.push_back(part);
    }
    std::reverse(outage.parts.begin(), outage.parts.end());
    return outage;
  }

  static Outage::Part::Kind kindOf(const TraceEvent& event) {
    using Kind = Outage::Part::Kind;
    if (event.kind == "timer") return Kind::timer;
    if (event.kind == "connected" || event.kind == "refused") return Kind::connecting;
    if (event.kind == "closed") return Kind::closed;
    if (event.kind == "synced" || event.kind == "durable" || event.kind == "write_failed") return Kind::disk;
    return Kind::messages;
  }

  const std::vector<TraceEvent>& events_;
  const Story& story_;
  std::vector<Reign> reigns_;  ///< by their beginnings
  std::vector<Strike> strikes_;
};

/// A field of a server's configuration: its own, or everybody's.
std::optional<std::int64_t> fieldOf(const Trace& trace, std::int64_t node, const std::string& field) {
  const auto servers = trace.scenario.find("servers");
  if (servers != trace.scenario.end() && servers->is_array()) {
    for (const Json& server : *servers) {
      if (!server.is_object() || numberOf(server, "id") != node || !server.contains("config")) continue;
      if (const auto own = numberOf(server["config"], field.c_str())) return own;
    }
  }
  const auto configuration = trace.header.find("configuration");
  if (configuration == trace.header.end()) return std::nullopt;
  return numberOf(*configuration, field.c_str());
}

/// A form as in "sync_limit × tick_ms", "tick_ms / 2" or "min_ms to max_ms", with the values of its fields;
/// empty if they do not give the duration.
std::string formWithValues(const Trace& trace, std::int64_t node, const std::string& form, std::int64_t ms) {
  std::istringstream words(form);
  std::string text, sign = "to";
  std::optional<std::int64_t> least;
  std::int64_t present = 0;  // of what has been read since the last "to", from left to right
  for (std::string word; words >> word;) {
    text += text.empty() ? "" : " ";
    if (word == "×" || word == "/" || word == "-" || word == "+" || word == "to") {
      if (word == "to") least = present;
      sign = word;
      text += word;
      continue;
    }
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    if (std::from_chars(word.data(), end, value).ptr == end) {
      text += word;
    } else {
      const auto field = fieldOf(trace, node, word);
      if (!field) return "";
      value = *field;
      text += word + " " + std::to_string(value);
    }
    if (sign == "to") present = value;
    if (sign == "×") present *= value;
    if (sign == "/" && value != 0) present /= value;
    if (sign == "-") present -= value;
    if (sign == "+") present += value;
  }
  return least.value_or(present) <= ms && ms <= present ? text : "";
}

std::string padded(std::int64_t ms) {
  const std::string text = std::to_string(ms);
  return std::string(9 - std::min<std::size_t>(9, text.size()), ' ') + text + " ms  ";
}

}  // namespace

std::vector<Outage> outagesOf(const Trace& trace, const Story& story) {
  if (trace.events.empty()) return {};
  return Search(trace, story).all();
}

std::string settingOf(const Trace& trace, const Outage::Part& part) {
  const TraceEvent& event = trace.events[part.event];
  const auto timers = trace.header.find("timers");
  if (timers == trace.header.end() || !timers->is_object() || !event.node) return "";
  const auto forms = timers->find(wordOf(event.data, "timer"));
  if (forms == timers->end()) return "";
  for (const Json& form : *forms) {
    if (!form.is_string()) continue;
    std::string text = formWithValues(trace, *event.node, form.get<std::string>(), part.whole_ms);
    if (!text.empty()) return text;
  }
  return "";
}

std::string wordsOf(const Trace& trace, const Story& story, const Outage::Part& part, Parts parts,
                    const PhraseBook& book) {
  using Kind = Outage::Part::Kind;
  const TraceEvent& event = trace.events[part.event];
  switch (part.kind) {
    case Kind::timer: {
      std::string words = clean(wordOf(event.data, "timer"));
      if (const std::string setting = settingOf(trace, part); !setting.empty())
        words = book.form("{one}, {more}", {{"one", words}, {"more", setting}});
      if (parts == Parts::of_all_servers || !event.node) return words;
      return book.form("{node} waits: {timer}", {{"node", story.name(*event.node)}, {"timer", words}});
    }
    case Kind::messages: return book.form("messages on their way");
    case Kind::disk: return book.form("writes that become durable");
    case Kind::connecting: return book.form("connections that are made");
    case Kind::closed: return book.form("ends of connections that are noticed");
    case Kind::scenario: return book.form("until {event}", {{"event", wordsOf(event, story, book)}});
  }
  return "";
}

namespace {

/// Parts of an outage that the words name the same, together.
struct Line {
  std::string name;
  std::optional<Outage::Part> first = {};  ///< empty: the rest
  std::int64_t ms = 0;
  int times = 0;
  std::int64_t earlier_ms = 0;  ///< that a timer had run before
};

/// In the order in which they begin; the shortest are one, at the end.
std::vector<Line> linesOf(const Trace& trace, const Story& story, const Outage& outage,
                          const PhraseBook& book) {
  std::vector<Line> lines;
  for (const Outage::Part& part : outage.parts) {
    const std::string name = wordsOf(trace, story, part, Parts::of_one_server, book);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.name == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), {name, part});
    line->ms += part.end - part.begin;
    if (part.kind == Outage::Part::Kind::timer && part.begin == outage.begin)
      line->earlier_ms = part.whole_ms - (part.end - part.begin);
    ++line->times;
  }
  Line rest{book.form("other parts")};
  while (lines.size() > lines_max - (rest.times > 0 ? 1 : 0)) {
    const auto least = std::min_element(lines.begin(), lines.end(),
                                        [](const Line& a, const Line& b) { return a.ms < b.ms; });
    rest.ms += least->ms;
    rest.times += least->times;
    lines.erase(least);
  }
  if (rest.times > 0) lines.push_back(std::move(rest));
  return lines;
}

const char* nameOf(Outage::Part::Kind kind) {
  using Kind = Outage::Part::Kind;
  switch (kind) {
    case Kind::timer: return "timer";
    case Kind::messages: return "messages";
    case Kind::disk: return "disk";
    case Kind::connecting: return "connecting";
    case Kind::closed: return "closed";
    case Kind::scenario: return "scenario";
  }
  return "";
}

}  // namespace

Json outagesJson(const Trace& trace) {
  const Story story = outlineOf(trace);
  Json list = Json::array();
  for (const Outage& outage : outagesOf(trace, story)) {
    if (list.size() == outages_shown_max) break;
    Json told{
        {"begin", outage.begin}, {"end", outage.end}, {"led_by", outage.led_by}, {"parts", Json::array()}};
    if (outage.lost_by) told["lost_by"] = *outage.lost_by;
    for (const Line& line : linesOf(trace, story, outage, englishPhrases())) {
      Json part{
          {"kind", line.first ? nameOf(line.first->kind) : "other"}, {"ms", line.ms}, {"times", line.times}};
      if (line.first) {
        part["event"] = line.first->event;
        if (line.first->kind == Outage::Part::Kind::timer) part["setting"] = settingOf(trace, *line.first);
      }
      if (line.earlier_ms > 0) part["earlier_ms"] = line.earlier_ms;
      told["parts"].push_back(std::move(part));
    }
    list.push_back(std::move(told));
  }
  return list;
}

namespace {

/// An outage in words.
struct Told {
  std::string when;
  std::vector<std::pair<std::int64_t, std::string>> parts;  ///< how many ms, and on what
};

Told toldOf(const Trace& trace, const Story& story, const Outage& outage, const PhraseBook& book) {
  const TraceEvent& end = trace.events[outage.led_by];
  Told told{book.form("{ms} ms from {begin} ms ({event}) until {node} leads at {end} ms:",
                      {{"ms", std::to_string(outage.end - outage.begin)},
                       {"begin", std::to_string(outage.begin)},
                       {"event", outage.lost_by ? wordsOf(trace.events[*outage.lost_by], story, book)
                                                : book.form("the run begins")},
                       {"node", end.node ? story.name(*end.node) : ""},
                       {"end", std::to_string(outage.end)}}),
            {}};
  for (const Line& line : linesOf(trace, story, outage, book)) {
    std::string words = line.name;
    if (line.times > 1)
      words = book.form("{what}, {count} times", {{"what", words}, {"count", std::to_string(line.times)}});
    if (line.earlier_ms > 0)
      words = book.form("{what}; {ms} ms of it are before",
                        {{"what", words}, {"ms", std::to_string(line.earlier_ms)}});
    told.parts.emplace_back(line.ms, std::move(words));
  }
  return told;
}

/// The first ones, each by `say`, and how many more there are.
template <class Say>
void forEachOutage(const Trace& trace, const PhraseBook& book, Say say) {
  const Story story = outlineOf(trace);
  const std::vector<Outage> outages = outagesOf(trace, story);
  const std::size_t shown = std::min(outages.size(), outages_shown_max);
  for (std::size_t i = 0; i < shown; ++i) say(toldOf(trace, story, outages[i], book));
  if (shown < outages.size())
    say(Told{book.form("and {count} times more", {{"count", std::to_string(outages.size() - shown)}}), {}});
}

}  // namespace

std::string outagesText(const Trace& trace, const PhraseBook& book) {
  std::string text;
  forEachOutage(trace, book, [&](const Told& told) {
    text += "  " + told.when + "\n";
    for (const auto& [ms, words] : told.parts) text += padded(ms) + words + "\n";
  });
  return text;
}

std::vector<std::string> outageLines(const Trace& trace, const PhraseBook& book) {
  std::vector<std::string> lines;
  forEachOutage(trace, book, [&](const Told& told) {
    std::string& line = lines.emplace_back(told.when);
    for (std::size_t i = 0; i < told.parts.size(); ++i)
      line += (i == 0 ? " " : "; ") + std::to_string(told.parts[i].first) + " ms " + told.parts[i].second;
  });
  return lines;
}

}  // namespace zablab::viz
