#include "checker/expectations.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "sim/called.h"
#include "sim/phrase.h"

namespace zablab {
namespace {

using States = std::map<ServerId, Json>;

const Json& never_up() {
  static const Json state{{"up", false}};
  return state;
}

/// Where `value` does not match `pattern`; empty if it matches.
Phrase difference(const Json& value, const Json& pattern, const std::string& path) {
  if (pattern.is_object() && value.is_object()) {
    for (const auto& [key, wanted] : pattern.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      const auto found = value.find(key);
      if (found == value.end()) {
        if (!isNobody(wanted)) return phrase("{field} is absent, expected {value}", inner, wanted.dump());
        continue;
      }
      Phrase text = difference(*found, wanted, inner);
      if (!text.empty()) return text;
    }
    return {};
  }
  if (pattern.is_array() && value.is_array() && pattern.size() == value.size()) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      Phrase text = difference(value[i], pattern[i], path + "[" + std::to_string(i) + "]");
      if (!text.empty()) return text;
    }
    return {};
  }
  if (value == pattern || (isNobody(value) && isNobody(pattern))) return {};
  return phrase("{field} is {value}, expected {value2}", path, value.dump(), pattern.dump());
}

/// The first place at which two values that differ do so, and what they have there; null: nothing.
struct Place {
  std::string path;
  const Json* one;
  const Json* other;
};
Place whereTheyDiffer(const Json& one, const Json& other, const std::string& path) {
  if (one.is_object() && other.is_object()) {
    for (const auto& [key, value] : one.items()) {
      const auto found = other.find(key);
      if (found == other.end()) return {path + "." + key, &value, nullptr};
      if (!sameValues(value, *found)) return whereTheyDiffer(value, *found, path + "." + key);
    }
    for (const auto& [key, value] : other.items()) {
      if (!one.contains(key)) return {path + "." + key, nullptr, &value};
    }
  }
  if (one.is_array() && other.is_array() && one.size() == other.size()) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!sameValues(one[i], other[i]))
        return whereTheyDiffer(one[i], other[i], path + "[" + std::to_string(i) + "]");
    }
  }
  return {path, &one, &other};
}

const Json* at(const Json& state, const std::string& path) {
  const Json* here = &state;
  std::size_t from = 0;
  while (from <= path.size()) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const auto found = here->is_object() ? here->find(path.substr(from, dot - from)) : here->end();
    if (!here->is_object() || found == here->end()) return nullptr;
    here = &*found;
    from = dot + 1;
  }
  return here;
}

struct Assessment {
  enum class Verdict { met, failed, undecided };
  Verdict verdict = Verdict::met;
  Phrase text;
  std::optional<std::uint64_t> event;
};

Assessment met() { return {}; }
Assessment failed(Phrase text, std::optional<std::uint64_t> event = {}) {
  return {Assessment::Verdict::failed, std::move(text), event};
}
Assessment undecided(Phrase text) { return {Assessment::Verdict::undecided, std::move(text), {}}; }

class Assessor {
 public:
  explicit Assessor(const Trace& trace)
      : trace_(trace), end_(trace.header.value("end", Millis{0})), cut_short_(isCutShort()) {}

  Assessment judge(const ExpectSpec& expect) const {
    if (!expect.any_of.empty()) return anyOf(expect);
    if (expect.invariant) return invariant(*expect.invariant);
    if (expect.packets) return packets(*expect.packets);
    if (expect.event) return events(expect);
    if (!expect.order.empty()) return order(expect.order);
    const bool forbidden = expect.never || expect.not_within;
    return forbidden && expect.server && expect.server->list.size() > 1 ? atNone(expect) : states(expect);
  }

 private:
  bool isCutShort() const {
    if (trace_.header.contains("broken_off")) return true;
    const auto until = trace_.header.find("until");
    if (until == trace_.header.end()) return false;
    if (end_ < trace_.scenario.value("until", Millis{0})) return true;
    if (!until->is_object()) return false;
    const EventPattern last{JsonValue::fromJson(*until, "until")};
    return std::any_of(trace_.events.begin(), trace_.events.end(),
                       [&](const TraceEvent& event) { return matches(last, event); });
  }

  /// Whether the run ended before the span did. A span without an end is the whole run.
  bool outlasts(const Span& span) const {
    if (span.to == Span{}.to) return cut_short_;
    return span.to > end_ || (cut_short_ && span.to == end_);
  }
  Assessment endedBefore() const { return undecided(phrase("the run ended at {time} ms", end_)); }

  /// What did not happen is undecided if the run was ended early.
  Assessment missing(Phrase text, std::optional<std::uint64_t> event = {}) const {
    return cut_short_ ? undecided(phrase("{what}; the run was ended at {time} ms", text, end_))
                      : failed(std::move(text), event);
  }

  Assessment anyOf(const ExpectSpec& expect) const {
    std::vector<Phrase> texts;
    bool open = false;
    for (const ExpectSpec& alternative : expect.any_of) {
      Assessment assessment = judge(alternative);
      if (assessment.verdict == Assessment::Verdict::met) return assessment;
      open = open || assessment.verdict == Assessment::Verdict::undecided;
      texts.push_back(std::move(assessment.text));
    }
    Phrase all = Phrase::list(std::move(texts), "; and ");
    return open ? undecided(std::move(all)) : failed(std::move(all));
  }

  Assessment invariant(const InvariantSpec& wanted) const {
    for (const TraceVerdict& verdict : trace_.verdicts) {
      if (verdict.kind != "invariant" || verdict.name != wanted.name) continue;
      // What has been violated stays violated, and what has been compared stays compared.
      const bool open = verdict.verdict != "violated" &&
                        (verdict.verdict == "not exercised" || wanted.verdict != "not exercised");
      if (cut_short_ && open) return endedBefore();
      if (verdict.verdict == wanted.verdict) return met();
      return failed(phrase("invariant {name}: {verdict}, expected {verdict2}{why}", wanted.name,
                           Phrase::words(verdict.verdict), Phrase::words(wanted.verdict), whyOf(verdict)),
                    verdict.event);
    }
    return failed(phrase("there is no invariant {name}", wanted.name));
  }

  /// An invariant may be not exercised for want of anything to compare, or because the run was too short to
  /// judge what it compared.
  static Phrase whyOf(const TraceVerdict& verdict) {
    const Phrase text = verdict.text.empty() ? Phrase() : phrase(" ({violation})", Phrase::of(verdict));
    if (verdict.verdict != "not exercised") return text;
    if (verdict.obligations == 0) return phrase(": there was nothing to compare{why}", text);
    return phrase(": compared {count} times, but not judged{why}", verdict.obligations, text);
  }

  Assessment packets(const PacketsSpec& spec) const {
    std::vector<const TraceEvent*> sent;
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == "sent" && event.node == spec.from &&
          event.data.value("receiver", no_server) == spec.to &&
          (spec.link.empty() || event.data.value("link", std::string()) == spec.link)) {
        sent.push_back(&event);
      }
    }
    const auto& patterns = spec.exactly ? *spec.exactly : *spec.contains;
    std::size_t next = 0;
    for (std::size_t i = 0; i < sent.size() && next < patterns.size(); ++i) {
      if (matches(patterns[next], *sent[i])) {
        ++next;
      } else if (spec.exactly) {
        return failed(
            phrase("packet {number} from {from} to {to} is {label}, expected {pattern}", i + 1,
                   Phrase::node(spec.from), Phrase::node(spec.to),
                   sent[i]->data.value("label", std::string("?")), patterns[next].fields.plain().dump()),
            sent[i]->index);
      }
    }
    if (next < patterns.size()) {
      return missing(phrase("packet {number} from {from} to {to} was never sent: {pattern}", next + 1,
                            Phrase::node(spec.from), Phrase::node(spec.to),
                            patterns[next].fields.plain().dump()));
    }
    if (spec.exactly && sent.size() > patterns.size()) {
      return failed(phrase("{count} packets from {from} to {to}, expected {count2}", sent.size(),
                           Phrase::node(spec.from), Phrase::node(spec.to), patterns.size()),
                    sent[patterns.size()]->index);
    }
    return spec.exactly && cut_short_ ? endedBefore() : met();
  }

  Assessment events(const ExpectSpec& expect) const {
    Span span;
    const Phrase pattern = expect.event->fields.plain().dump();
    Phrase what = phrase("event {pattern}", pattern);
    Count count = expect.count.value_or(Count{});
    if (expect.at) {
      span = {*expect.at, *expect.at};
      what = phrase("event {pattern} at {time} ms", pattern, *expect.at);
    }
    if (expect.by) {
      span = {0, *expect.by};
      what = phrase("event {pattern} by {time} ms", pattern, *expect.by);
    }
    const auto& forbidden = expect.never ? expect.never : expect.not_within;
    if (forbidden) span = *forbidden, count = {0, 0};
    std::int64_t seen = 0;
    std::optional<std::uint64_t> too_many;
    for (const TraceEvent& event : trace_.events) {
      if (event.time < span.from || event.time > span.to || !matches(*expect.event, event)) continue;
      if (seen++ == count.max) too_many = event.index;
    }
    const auto wrong = [&](std::int64_t wanted, Phrase otherwise) {
      return count.min == count.max ? phrase("{event}: seen {count}, expected {count2}", what, seen, wanted)
                                    : std::move(otherwise);
    };
    if (too_many)
      return failed(
          wrong(count.max, phrase("{event}: seen {count}, expected at most {count2}", what, seen, count.max)),
          too_many);
    const bool any_more = count.max == Count{}.max;
    if (seen >= count.min && (any_more || !outlasts(span))) return met();
    if (outlasts(span))
      return undecided(phrase("{event}: seen {count}; the run ended at {time} ms", what, seen, end_));
    return failed(
        wrong(count.min, phrase("{event}: seen {count}, expected at least {count2}", what, seen, count.min)));
  }

  Assessment order(const std::vector<EventPattern>& patterns) const {
    const TraceEvent* before = nullptr;
    for (const EventPattern& pattern : patterns) {
      const auto first = std::find_if(trace_.events.begin(), trace_.events.end(),
                                      [&](const TraceEvent& event) { return matches(pattern, event); });
      const std::string text = pattern.fields.plain().dump();
      if (first == trace_.events.end()) return missing(phrase("event {pattern} was never seen", text));
      if (before != nullptr && first->index <= before->index) {
        return failed(phrase("event {pattern} was first seen at {time} ms, before what should precede it",
                             text, first->time),
                      first->index);
      }
      before = &*first;
    }
    return met();
  }

  /// What no server may be: each is looked at by itself, because one of them is enough.
  Assessment atNone(const ExpectSpec& expect) const {
    Assessment all = met();
    for (const ServerId server : expect.server->list) {
      ExpectSpec one = expect;
      one.server->list = {server};
      const Assessment found = states(one);
      if (found.verdict == Assessment::Verdict::failed)
        return failed(phrase("{server}: {difference}", Phrase::server(server), found.text), found.event);
      if (found.verdict != Assessment::Verdict::met) all = found;
    }
    return all;
  }

  Assessment states(const ExpectSpec& expect) const {
    const std::vector<ServerId> servers = expect.equal ? expect.equal->servers : expect.server->list;
    const auto wrong = [&](const States& states) {
      return expect.equal ? unequal(*expect.equal, states) : unlike(expect, states);
    };

    States now;
    for (const ServerId server : servers) now[server] = never_up();
    Span span{0, std::numeric_limits<Millis>::max()};
    if (expect.at) span = {*expect.at, *expect.at};
    if (expect.by) span = {0, *expect.by};
    if (expect.always) span = *expect.always;
    const bool forbidden = expect.never || expect.not_within;
    if (expect.never) span = *expect.never;
    if (expect.not_within) span = *expect.not_within;
    if (span.from > end_) return endedBefore();

    Phrase last_wrong = wrong(now);
    std::optional<std::uint64_t> last_event;
    bool in_span = false;
    bool at_least_once = false;
    bool looked = false;
    Phrase first_wrong_inside;
    std::optional<std::uint64_t> first_event_inside;
    const auto moment = [&] {
      const auto starts = [&](const auto& one) { return isYetToStart(expect, one.second); };
      if (std::all_of(now.begin(), now.end(), starts)) return;
      looked = true;
      if (last_wrong.empty()) {
        at_least_once = true;
        if (forbidden && !first_event_inside) first_event_inside = last_event.value_or(0);
      } else if (!forbidden && first_wrong_inside.empty()) {
        first_wrong_inside = last_wrong;
        first_event_inside = last_event;
      }
    };
    for (const TraceEvent& event : trace_.events) {
      if (!expect.at && !expect.finally_ && !in_span && event.time > span.from && span.from > 0) {
        in_span = true;
        moment();  // the state in which the span begins
      }
      if (event.time > span.to) break;
      const auto changed = event.node && hasChanges(event) ? now.find(*event.node) : now.end();
      if (changed != now.end()) {
        applyChanges(changed->second, event);
        last_wrong = wrong(now);
        last_event = event.index;
      }
      if (expect.at_event) {
        if (matches(*expect.at_event, event)) moment();
      } else if (changed != now.end() && event.time >= span.from && !expect.at && !expect.finally_) {
        moment();
      }
    }
    if (expect.at || expect.finally_) {
      if (outlasts(span) && (expect.at || last_wrong.empty())) return endedBefore();
      return last_wrong.empty() ? met()
             : expect.at ? failed(phrase("at {time} ms {difference}", *expect.at, last_wrong), last_event)
                         : missing(phrase("at the end {difference}", last_wrong), last_event);
    }
    // A span in which nothing changes has the state in which it begins.
    if (!expect.at_event && !looked) moment();
    if (forbidden) {
      if (!first_event_inside) return outlasts(span) ? endedBefore() : met();
      return failed(
          phrase("at {time} ms it held", trace_.events.empty() ? 0 : trace_.events[*first_event_inside].time),
          first_event_inside);
    }
    if (expect.always || expect.at_event) {
      if (!first_wrong_inside.empty()) {
        const Millis time = first_event_inside ? trace_.events[*first_event_inside].time : 0;
        return failed(phrase("at {time} ms {difference}", time, first_wrong_inside), first_event_inside);
      }
      if (at_least_once && outlasts(span)) return endedBefore();
      for (const auto& [server, state] : now) {
        if (at_least_once && isYetToStart(expect, state))
          return failed(phrase("{server} never ran", Phrase::server(server)));
      }
      return at_least_once ? met() : missing(phrase("it was never observed: no such event happened"));
    }
    if (at_least_once) return met();
    if (outlasts(span))
      return undecided(phrase("not yet when the run ended at {time} ms: {difference}", end_, last_wrong));
    return failed(phrase("not by {time} ms: {difference}", *expect.by, last_wrong), last_event);
  }

  /// An `always` condition begins when the server does, unless it is about whether the server runs.
  static bool isYetToStart(const ExpectSpec& expect, const Json& state) {
    return expect.always && expect.state && state == never_up() && expect.state->find("up") == nullptr;
  }

  static Phrase unlike(const ExpectSpec& expect, const States& states) {
    const Json pattern = expect.state->plain();
    for (const auto& [server, state] : states) {
      if (isYetToStart(expect, state)) continue;
      const Phrase text = difference(state, pattern, "");
      if (!text.empty()) return phrase("{server}: {difference}", Phrase::server(server), text);
    }
    return {};
  }

  static Phrase unequal(const EqualSpec& equal, const States& states) {
    const Json* first = nullptr;
    ServerId first_server = 0;
    for (const ServerId server : equal.servers) {
      const Json* value = at(states.at(server), equal.field);
      if (value == nullptr) return phrase("{server} has no {field}", Phrase::server(server), equal.field);
      if (first == nullptr) {
        first = value;
        first_server = server;
      } else if (!sameValues(*value, *first)) {
        const Place place = whereTheyDiffer(*first, *value, equal.field);
        const auto textOf = [](const Json* there) {
          return there == nullptr ? phrase("nothing") : Phrase(there->dump());
        };
        return phrase("{field} is {value} at {server} and {value2} at {server2}", place.path,
                      textOf(place.one), Phrase::server(first_server), textOf(place.other),
                      Phrase::server(server));
      }
    }
    return {};
  }

  const Trace& trace_;
  Millis end_;
  bool cut_short_;  ///< ended by --until, or aborted
};

}  // namespace

std::vector<TraceVerdict> judge(const Trace& trace, const std::vector<ExpectSpec>& expectations) {
  const Assessor assessor(trace);
  const Names names = namesOf(trace);
  std::vector<TraceVerdict> verdicts;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Assessment assessment = assessor.judge(expectations[i]);
    TraceVerdict verdict;
    verdict.name = "expect[" + std::to_string(i) + "]";
    verdict.kind = "expectation";
    verdict.verdict = assessment.verdict == Assessment::Verdict::met      ? "met"
                      : assessment.verdict == Assessment::Verdict::failed ? "failed"
                                                                          : "undecided";
    verdict.obligations = 1;
    Phrase why = assessment.text.named(names);
    if (!why.empty() && !expectations[i].because.empty())
      why = phrase("{expectation} [{because}]", why, expectations[i].because);
    verdict.text = why.english();
    verdict.said = why.said();
    verdict.event = assessment.event;
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

Json stateAfter(const Trace& trace, ServerId server, std::uint64_t index) {
  Json state = never_up();
  for (const TraceEvent& event : trace.events) {
    if (event.index > index) break;
    if (event.node == server) applyChanges(state, event);
  }
  return state;
}

std::vector<std::string> namedInvariants(const std::vector<ExpectSpec>& expectations) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const ExpectSpec& expect : expectations) {
    if (expect.invariant) add(expect.invariant->name);
    for (const std::string& name : namedInvariants(expect.any_of)) add(name);
  }
  return names;
}

}  // namespace zablab
