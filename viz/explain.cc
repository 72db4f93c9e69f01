#include "viz/explain.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "viz/language.h"
#include "viz/outages.h"

namespace zablab::viz {
namespace {

constexpr int text_width = 100;
constexpr std::size_t why_lines_max = 7;

/// Identifiers as words: `sender_down` becomes `sender down`.
std::string inWords(std::string identifier) {
  std::replace(identifier.begin(), identifier.end(), '_', ' ');
  return identifier;
}
std::string identifierIn(const Json& data, const char* key) { return inWords(wordOf(data, key)); }

std::string labelOf(const Message& message, const PhraseBook& book) {
  return clean(book.said(message.label_said, nameOf(message)));
}

std::string nameIn(const Json& data, const char* key, const Story& story) {
  const std::optional<std::int64_t> node = numberOf(data, key);
  return node ? story.name(*node) : wordOf(data, key);
}

/// What was sent, left, arrived or was lost.
std::string messageEvent(const Message& message, const std::string& kind, const PhraseBook& book) {
  const PhraseBook::Fields fields{{"node", message.from_name},
                                  {"from", message.from_name},
                                  {"receiver", message.to_name},
                                  {"label", labelOf(message, book)},
                                  {"loss", message.reason.empty() ? "?" : book.word(message.reason)}};
  if (kind == "lost") return book.form("{label} from {from} to {receiver} is lost: {loss}", fields);
  if (kind == "transmitted") return book.form("{label} leaves {node} for {receiver}", fields);
  std::string text = book.form(message.waiting ? "{node} has {label} for {receiver}: no connection yet"
                                               : "{node} sends {label} to {receiver}",
                               fields);
  if (message.again) text = book.form("{text}, again", {{"text", text}});
  if (message.copy) text = book.form("{text}, duplicated by the network", {{"text", text}});
  return text;
}

/// A record by its name and its first plain fields, as in "txn (zxid 1.2, kind single)".
std::string recordWords(const Json& data) {
  const std::string name = wordOf(data, "record");
  std::string fields;
  int count = 0;
  const std::function<void(const Json&)> add = [&](const Json& content) {
    for (const auto& [key, value] : content.items()) {
      if (value.is_object()) add(value);
      if (value.is_structured() || value.is_null() || key == "type" || count == 2) continue;
      fields += (count++ == 0 ? "" : ", ") + inWords(clean(key)) + " " + wordOf(content, key.c_str());
    }
  };
  if (data.contains("content") && data.at("content").is_object()) add(data.at("content"));
  return fields.empty() ? name : name + " (" + fields + ")";
}

/// An event of a kind that every protocol has; empty if it is another one.
std::string generalEvent(const TraceEvent& event, const Story& story, const PhraseBook& book) {
  const Json& data = event.data;
  const std::string node = event.node ? story.name(*event.node) : "";
  if (const std::optional<std::int64_t> number = numberOf(data, "message")) {
    const auto found = story.message_of.find(static_cast<std::uint64_t>(*number));
    if (found != story.message_of.end()) {
      const Message& message = story.messages[found->second];
      return event.kind == "delivered"
                 ? book.form("{node} receives {label} from {from}",
                             {{"node", node}, {"label", labelOf(message, book)}, {"from", message.from_name}})
                 : messageEvent(message, event.kind, book);
    }
  }
  if (event.kind == "written" || event.kind == "synced") {
    return book.form(event.kind == "written" ? "{node} writes {record}" : "{node} has {record} on its disk",
                     {{"node", node}, {"record", recordWords(data)}});
  }
  if (event.kind == "timer") {
    const std::string peer = nameIn(data, "peer", story);
    return book.form(
        "{node}'s timer {timer} fires",
        {{"node", node}, {"timer", identifierIn(data, "timer") + (peer.empty() ? "" : " ") + peer}});
  }
  const PhraseBook::Fields fields{{"node", node},
                                  {"peer", nameIn(data, "peer", story)},
                                  {"link", identifierIn(data, "link")},
                                  {"key", wordOf(data, "key")},
                                  {"ms", wordOf(data, "ms").empty() ? "-" : wordOf(data, "ms")}};
  if (event.kind == "connected") return book.form("{node} is connected to {peer} ({link})", fields);
  if (event.kind == "refused") return book.form("{node} is refused by {peer} ({link})", fields);
  if (event.kind == "closed") return book.form("{node} loses its connection to {peer} ({link})", fields);
  if (event.kind == "durable") return book.form("{node} learns that {key} is durable", fields);
  if (event.kind == "age") return book.form("{node} learns the age of {key}: {ms} ms", fields);
  if (event.kind == "taken_up") return book.form("{node} starts looking again", fields);
  return "";
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string timeOf(const TraceEvent& event) { return padded(std::to_string(event.time) + " ms", 9) + "  "; }

std::string causesOf(const Trace& trace, const Story& story, std::uint64_t last, std::size_t causes_max,
                     const PhraseBook& book) {
  std::string text;
  std::optional<std::uint64_t> at = last;
  for (std::size_t count = 0; at && *at < trace.events.size(); ++count) {
    const TraceEvent& event = trace.events[*at];
    if (count == causes_max)
      return text + "    " + book.form("and what led to this: --causes lists more") + "\n";
    text += "    " + book.form("event") + " " + padded(std::to_string(*at), 5) + timeOf(event) +
            wordsOf(event, story, book) + "\n";
    at = event.cause;
  }
  return text;
}

std::string settingsOf(const Trace& trace, const PhraseBook& book) {
  std::string text = wordOf(trace.header, "protocol") + " " + wordOf(trace.header, "variant");
  const auto add = [&](const std::string& more) {
    text = book.form("{one}, {more}", {{"one", text}, {"more", more}});
  };
  const std::string rules = textsIn(trace.header, "rules");
  const std::string mutations = textsIn(trace.header, "mutations");
  const std::string seed = wordOf(trace.header, "seed");
  if (!rules.empty()) add(book.form("rules {rules}", {{"rules", rules}}));
  if (!mutations.empty()) add(book.form("mutations {mutations}", {{"mutations", mutations}}));
  add(seed.empty() ? book.form("no seed") : book.form("seed {seed}", {{"seed", seed}}));
  return text;
}

/// What the run is: its title, what its scenario says about it and from where that is, and its settings.
std::string introductionOf(const Trace& trace, const PhraseBook& book) {
  constexpr std::size_t lines = 40;
  std::string text;
  const auto add = [&](const std::string& part) {
    for (const std::string& line : wrapColumns(part, text_width, lines)) text += "  " + line + "\n";
  };
  if (const std::string about = scenarioText(trace.scenario, "about", book.language()); !about.empty())
    add(about);
  if (const std::string source = wordOf(trace.scenario, "because"); !source.empty())
    add(book.form("source: {source}", {{"source", source}}));
  add(settingsOf(trace, book));
  return text;
}

std::string verdictOf(const TraceVerdict& verdict, const PhraseBook& book) {
  const std::string word = book.word(clean(verdict.verdict));
  if (verdict.text.empty()) return word;
  return book.form("{verdict}: {why}",
                   {{"verdict", word}, {"why", clean(book.said(verdict.said, verdict.text))}});
}

/// Of each acknowledged write that nobody can read any more: since when, and what led to that.
std::string lossesOf(const Trace& trace, const Story& story, std::size_t causes_max, const PhraseBook& book) {
  std::string text;
  if (!trace.header.is_object() || !trace.header.contains("clients")) return text;
  const Json& clients = trace.header["clients"];
  if (!clients.is_object() || !clients.contains("lost") || !clients["lost"].is_array()) return text;
  for (const Json& lost : clients["lost"]) {
    const auto since = numberOf(lost, "time");
    if (!lost.is_object() || !since) continue;
    text +=
        "\n" +
        book.form("{client} was answered request {number}, and nobody can read what it wrote since {ms} ms",
                  {{"client", nameIn(lost, "client", story)},
                   {"number", wordOf(lost, "number")},
                   {"ms", std::to_string(*since)}}) +
        "\n";
    if (const auto event = numberOf(lost, "lost_by"); event && *event >= 0)
      text += "  " + book.form("its causes, the last first:") + "\n" +
              causesOf(trace, story, static_cast<std::uint64_t>(*event), causes_max, book);
  }
  return text;
}

/// "a, b"
std::string inList(const std::vector<std::string>& words, const PhraseBook& book) {
  std::string text;
  for (const std::string& word : words)
    text = text.empty() ? word : book.form("{one}, {more}", {{"one", text}, {"more", word}});
  return text;
}

std::vector<std::string> harmsOf(const Why& why, const Story& story, const PhraseBook& book) {
  std::vector<std::string> harms;
  for (const std::string& name : why.violated)
    harms.push_back(book.form("{name} is {what}", {{"name", clean(name)}, {"what", book.word("violated")}}));
  for (const std::int64_t client : why.lost)
    harms.push_back(book.form("a write of {client} is lost", {{"client", story.name(client)}}));
  return harms;
}

/// What was planted, and what was drawn, and is needed.
std::vector<std::string> settingsOf(const Why& why, const Trace& trace, const PhraseBook& book) {
  std::vector<std::string> settings;
  for (const std::string& mutation : why.mutations)
    settings.push_back(book.form("the mutation {name}", {{"name", clean(mutation)}}));
  for (const std::string& rule : why.rules)
    settings.push_back(book.form("the rule {name}", {{"name", clean(rule)}}));
  if (why.variant)
    settings.push_back(book.form("the variant {name}", {{"name", wordOf(trace.header, "variant")}}));
  for (const std::string& step : why.steps)
    settings.push_back(book.form("the step {name}", {{"name", clean(step)}}));
  for (const std::string& choice : why.choices)
    settings.push_back(book.form("the choice {name}", {{"name", clean(choice)}}));
  return settings;
}

std::string holdersOf(const std::vector<std::int64_t>& holders, const Story& story, const PhraseBook& book) {
  if (holders.empty()) return book.form("nobody has the write");
  std::vector<std::string> names;
  for (const std::int64_t holder : holders) names.push_back(story.name(holder));
  return book.form("who has the write: {servers}", {{"servers", inList(names, book)}});
}

struct WhyLine {
  const TraceEvent* event;
  bool needed;
  bool tells_holders;
  std::string words;
};

/// What was needed, and what became of what was lost, in order. What is needed of one instant is one line.
std::vector<WhyLine> linesOf(const Why& why, const Trace& trace, const Story& story, const PhraseBook& book) {
  std::vector<WhyLine> lines;
  for (const Why::Event& line : why.events) {
    const TraceEvent& event = trace.events[line.event];
    std::string words = wordsOf(event, story, book);
    if (line.holders)
      words = book.form("{one}; {more}", {{"one", words}, {"more", holdersOf(*line.holders, story, book)}});
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const WhyLine& earlier) {
      return earlier.event->time == event.time && earlier.needed && line.needed;
    });
    if (same != lines.end()) {
      same->words = book.form("{one}; {more}", {{"one", same->words}, {"more", words}});
    } else {
      lines.push_back({&event, line.needed, line.holders.has_value(), std::move(words)});
    }
  }
  return lines;
}

/// What is rather left out if there is no room: a process that ends matters most.
int rankOf(const WhyLine& line) {
  static const std::map<std::string_view, int> ranks{{"stopped", 0}, {"wiped", 0},    {"paused", 1},
                                                     {"cut", 1},     {"broken", 1},   {"held", 5},
                                                     {"started", 6}, {"released", 7}, {"asked", 8}};
  const auto found = ranks.find(line.event->kind);
  if (!line.needed) return line.tells_holders ? 2 : found != ranks.end() && found->second == 0 ? 3 : 4;
  return found == ranks.end() ? 5 : found->second;
}

/// So many of them, in order; the last one stays.
std::vector<WhyLine> shownOf(std::vector<WhyLine> lines, std::size_t count) {
  while (lines.size() > count) {
    const auto worst = std::max_element(
        lines.begin(), lines.end() - 1,
        [](const WhyLine& one, const WhyLine& other) { return rankOf(one) < rankOf(other); });
    lines.erase(worst);
  }
  return lines;
}

}  // namespace

std::string wordsOf(const TraceEvent& event, const Story& story, const PhraseBook& book) {
  if (!event.text.empty()) return clean(book.said(event.said, event.text));
  const std::string words = generalEvent(event, story, book);
  if (!words.empty()) return words;
  return (event.node ? story.name(*event.node) + " " : "") + book.word(inWords(clean(event.kind)));
}

std::string whysOf(const Trace& trace, const PhraseBook& book) {
  if (trace.why.empty()) return "";
  const Story story = outlineOf(trace);
  struct Found {
    std::string lines, settings;
    std::vector<std::string> harms;
  };
  std::vector<Found> found;
  for (const Why& why : trace.why) {
    std::vector<std::string> lines;
    const std::size_t room = why_lines_max - 1 - (why.untried > 0 ? 1 : 0);
    for (const WhyLine& line : shownOf(linesOf(why, trace, story, book), room))
      lines.push_back((line.needed ? "*" : " ") + timeOf(*line.event) +
                      wrapColumns(line.words, text_width, 1)[0]);
    if (why.untried > 0) {
      lines.push_back(
          "  " + book.form("{count} parts of the scenario were not left out: it would take too many events",
                           {{"count", std::to_string(why.untried)}}));
    }
    std::string text;
    for (const std::string& line : lines) text += "  " + line + "\n";
    const std::string settings = inList(settingsOf(why, trace, book), book);
    const std::vector<std::string> harms = harmsOf(why, story, book);
    if (found.empty() || found.back().lines != text || found.back().settings != settings)
      found.push_back({text, settings, {}});
    found.back().harms.insert(found.back().harms.end(), harms.begin(), harms.end());
  }
  std::string text;
  for (const Found& one : found) {
    std::string what = inList(one.harms, book);
    if (!one.settings.empty())
      what = book.form("{harms}, with {settings}", {{"harms", what}, {"settings", one.settings}});
    text += "  " + book.form("Why {harms} (*: without it, this did not happen):", {{"harms", what}}) + "\n" +
            one.lines;
  }
  return text;
}

std::string explain(const Trace& trace, std::size_t causes_max, const PhraseBook& book) {
  const Story story = outlineOf(trace);
  std::string text = titleOf(trace, book) + "\n" + whysOf(trace, book) + introductionOf(trace, book) + "\n";
  const std::vector<std::string> result = resultOf(trace, book);
  for (const std::string& sentence : result) text += "  " + sentence + "\n";
  if (!result.empty()) text += "\n";
  if (const std::string outages = outagesText(trace, book); !outages.empty()) text += outages + "\n";
  std::optional<std::int64_t> time;
  std::string before;
  for (std::size_t position = 0; position < trace.events.size(); ++position) {
    const TraceEvent& event = trace.events[position];
    if (event.text.empty()) continue;
    if (!story.narrated.contains(position) && !story.changesLifeline(trace, position)) continue;
    const std::string line = clean(book.said(event.said, event.text));
    if (time == event.time && line == before) continue;
    text += (time == event.time ? std::string(11, ' ') : timeOf(event)) + line + "\n";
    time = event.time;
    before = line;
  }
  text += lossesOf(trace, story, causes_max, book);
  for (const TraceVerdict& verdict : trace.verdicts) {
    if (verdict.verdict != "violated") continue;
    text +=
        "\n" +
        book.form("{name} is {what}", {{"name", clean(verdict.name)}, {"what", verdictOf(verdict, book)}}) +
        "\n";
    if (verdict.event)
      text += "  " + book.form("its causes, the last first:") + "\n" +
              causesOf(trace, story, *verdict.event, causes_max, book);
  }
  return text;
}

std::string compare(const Trace& one, const Trace& other, const PhraseBook& book) {
  if (one.events == other.events && one.verdicts == other.verdicts &&
      settingsOf(one, book) == settingsOf(other, book))
    return "";
  const std::size_t at = eventsInCommon(one, other);
  const std::string first = book.form("first:  ");
  const std::string second = book.form("second: ");
  std::string text = first + settingsOf(one, book) + "\n" + second + settingsOf(other, book) + "\n\n";
  if (at == one.events.size() && at == other.events.size()) {
    text += book.form("The same happens in both; the servers' states or the verdicts differ.") + "\n";
  } else if (at == 0) {
    text += book.form("They differ from the first event.") + "\n";
  } else {
    text +=
        book.form("The same happens up to event {event}, at {time} ms. Then:",
                  {{"event", std::to_string(at - 1)}, {"time", std::to_string(one.events[at - 1].time)}}) +
        "\n";
  }
  for (const Trace* trace : {&one, &other}) {
    const Story story = outlineOf(*trace);
    const std::string which = "  " + (trace == &one ? first : second);
    if (at < trace->events.size()) {
      text += which + std::to_string(trace->events[at].time) +
              " ms: " + wordsOf(trace->events[at], story, book) + "\n";
    } else if (one.events.size() != other.events.size()) {
      text += which + book.form("no more events") + "\n";
    }
  }
  text += "\n" + book.form("Results:") + "\n";
  for (const Trace* trace : {&one, &other}) {
    std::string all;
    for (const std::string& sentence : resultOf(*trace, book))
      all += (all.empty() ? "" : book.form("; ")) + sentence;
    text += "  " + (trace == &one ? first : second) + (all.empty() ? book.form("not stated") : all) + "\n";
  }
  std::string verdicts;
  for (const TraceVerdict& verdict : one.verdicts) {
    const auto same = [&](const TraceVerdict& candidate) {
      return candidate.name == verdict.name && candidate.kind == verdict.kind;
    };
    const auto found = std::find_if(other.verdicts.begin(), other.verdicts.end(), same);
    if (found == other.verdicts.end() || verdictOf(*found, book) == verdictOf(verdict, book)) continue;
    verdicts += "  " + clean(verdict.name) + "\n    " + first + verdictOf(verdict, book) + "\n    " + second +
                verdictOf(*found, book) + "\n";
  }
  if (!verdicts.empty()) text += "\n" + book.form("Verdicts that differ:") + "\n" + verdicts;
  return text;
}

}  // namespace zablab::viz
