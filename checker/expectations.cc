#include "checker/expectations.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>

namespace zablab {
namespace {

using States = std::map<ServerId, Json>;

const Json& never_up() {
  static const Json state{{"up", false}};
  return state;
}

/// Where `value` does not match `pattern`, in words; empty if it matches.
std::string difference(const Json& value, const Json& pattern, const std::string& path) {
  if (pattern.is_object() && value.is_object()) {
    for (const auto& [key, wanted] : pattern.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      const auto found = value.find(key);
      if (found == value.end()) {
        if (!isNobody(wanted)) return inner + " is absent, expected " + wanted.dump();
        continue;
      }
      const std::string text = difference(*found, wanted, inner);
      if (!text.empty()) return text;
    }
    return "";
  }
  if (pattern.is_array() && value.is_array() && pattern.size() == value.size()) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const std::string text = difference(value[i], pattern[i], path + "[" + std::to_string(i) + "]");
      if (!text.empty()) return text;
    }
    return "";
  }
  if (value == pattern || (isNobody(value) && isNobody(pattern))) return "";
  return path + " is " + value.dump() + ", expected " + pattern.dump();
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
  std::string text;
  std::optional<std::uint64_t> event;
};

Assessment met() { return {}; }
Assessment failed(std::string text, std::optional<std::uint64_t> event = {}) {
  return {Assessment::Verdict::failed, std::move(text), event};
}
Assessment undecided(std::string text) { return {Assessment::Verdict::undecided, std::move(text), {}}; }

std::string when(Millis time) { return "at " + std::to_string(time) + " ms"; }

class Assessor {
 public:
  explicit Assessor(const Trace& trace)
      : trace_(trace),
        end_(trace.header.value("end", Millis{0})),
        cut_short_(trace.header.contains("until") && end_ < trace.scenario.value("until", Millis{0})) {}

  Assessment judge(const ExpectSpec& expect) const {
    if (!expect.any_of.empty()) return anyOf(expect);
    if (expect.invariant) return invariant(*expect.invariant);
    if (expect.packets) return packets(*expect.packets);
    if (expect.event) return events(expect);
    if (!expect.order.empty()) return order(expect.order);
    return states(expect);
  }

 private:
  /// What did not happen is undecided if the run was ended early.
  Assessment missing(std::string text, std::optional<std::uint64_t> event = {}) const {
    return cut_short_ ? undecided(text + "; the run was ended " + when(end_))
                      : failed(std::move(text), event);
  }

  Assessment anyOf(const ExpectSpec& expect) const {
    std::string texts;
    bool open = false;
    for (const ExpectSpec& alternative : expect.any_of) {
      Assessment assessment = judge(alternative);
      if (assessment.verdict == Assessment::Verdict::met) return assessment;
      open = open || assessment.verdict == Assessment::Verdict::undecided;
      texts += (texts.empty() ? "" : "; and ") + assessment.text;
    }
    return open ? undecided(texts) : failed(texts);
  }

  Assessment invariant(const InvariantSpec& wanted) const {
    for (const TraceVerdict& verdict : trace_.verdicts) {
      if (verdict.kind != "invariant" || verdict.name != wanted.name) continue;
      if (verdict.verdict == wanted.verdict) return met();
      return failed("invariant " + wanted.name + ": " + verdict.verdict + ", expected " + wanted.verdict +
                        whyOf(verdict),
                    verdict.event);
    }
    return failed("there is no invariant " + wanted.name);
  }

  /// An invariant may be not exercised for want of anything to compare, or because the run was too short to
  /// judge what it compared.
  static std::string whyOf(const TraceVerdict& verdict) {
    const std::string text = verdict.text.empty() ? "" : " (" + verdict.text + ")";
    if (verdict.verdict != "not exercised") return text;
    if (verdict.obligations == 0) return ": there was nothing to compare" + text;
    return ": compared " + std::to_string(verdict.obligations) + " times, but not judged" + text;
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
    const std::string way = "from " + std::to_string(spec.from) + " to " + std::to_string(spec.to);
    const auto& patterns = spec.exactly ? *spec.exactly : *spec.contains;
    std::size_t next = 0;
    for (std::size_t i = 0; i < sent.size() && next < patterns.size(); ++i) {
      if (matches(patterns[next], *sent[i])) {
        ++next;
      } else if (spec.exactly) {
        return failed("packet " + std::to_string(i + 1) + " " + way + " is " +
                          sent[i]->data.value("label", std::string("?")) + ", expected " +
                          patterns[next].fields.plain().dump(),
                      sent[i]->index);
      }
    }
    if (next < patterns.size()) {
      return missing("packet " + std::to_string(next + 1) + " " + way +
                     " was never sent: " + patterns[next].fields.plain().dump());
    }
    if (spec.exactly && sent.size() > patterns.size()) {
      return failed(
          std::to_string(sent.size()) + " packets " + way + ", expected " + std::to_string(patterns.size()),
          sent[patterns.size()]->index);
    }
    return met();
  }

  Assessment events(const ExpectSpec& expect) const {
    Span span;
    std::string where;
    Count count = expect.count.value_or(Count{});
    if (expect.at) span = {*expect.at, *expect.at}, where = " " + when(*expect.at);
    if (expect.by) span = {0, *expect.by}, where = " by " + std::to_string(*expect.by) + " ms";
    const auto& forbidden = expect.never ? expect.never : expect.not_within;
    if (forbidden) span = *forbidden, count = {0, 0};
    std::int64_t seen = 0;
    std::optional<std::uint64_t> last;
    for (const TraceEvent& event : trace_.events) {
      if (event.time < span.from || event.time > span.to || !matches(*expect.event, event)) continue;
      ++seen;
      last = event.index;
      if (seen > count.max) break;
    }
    const std::string text = "event " + expect.event->fields.plain().dump() + where + " was seen " +
                             std::to_string(seen) + (seen > count.max ? " times or more" : " times");
    if (seen > count.max) return failed(text + ", expected at most " + std::to_string(count.max), last);
    if (seen >= count.min) return met();
    if ((expect.at || expect.by) && span.to > end_) return undecided(text + "; the run ended " + when(end_));
    return missing(text + ", expected " + std::to_string(count.min));
  }

  Assessment order(const std::vector<EventPattern>& patterns) const {
    const TraceEvent* before = nullptr;
    for (const EventPattern& pattern : patterns) {
      const auto first = std::find_if(trace_.events.begin(), trace_.events.end(),
                                      [&](const TraceEvent& event) { return matches(pattern, event); });
      const std::string text = "event " + pattern.fields.plain().dump();
      if (first == trace_.events.end()) return missing(text + " was never seen");
      if (before != nullptr && first->index <= before->index)
        return failed(text + " was first seen " + when(first->time) + ", before what should precede it",
                      first->index);
      before = &*first;
    }
    return met();
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

    std::string last_wrong = wrong(now);
    std::optional<std::uint64_t> last_event;
    bool in_span = false;
    bool at_least_once = false;
    std::string first_wrong_inside;
    std::optional<std::uint64_t> first_event_inside;
    const auto moment = [&] {
      const auto starts = [&](const auto& one) { return isYetToStart(expect, one.second); };
      if (std::all_of(now.begin(), now.end(), starts)) return;
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
      if (expect.at && *expect.at > end_) return undecided("the run ended " + when(end_));
      return last_wrong.empty() ? met()
             : expect.at        ? failed(when(*expect.at) + " " + last_wrong, last_event)
                                : missing("at the end " + last_wrong, last_event);
    }
    if (forbidden) {
      if (!first_event_inside) return met();
      return failed(when(trace_.events.empty() ? 0 : trace_.events[*first_event_inside].time) + " it held",
                    first_event_inside);
    }
    if (expect.always || expect.at_event) {
      if (!first_wrong_inside.empty()) {
        const Millis time = first_event_inside ? trace_.events[*first_event_inside].time : 0;
        return failed(when(time) + " " + first_wrong_inside, first_event_inside);
      }
      return at_least_once ? met() : missing("it was never observed: no such event happened");
    }
    if (at_least_once) return met();
    if (*expect.by > end_) return undecided("not yet when the run ended " + when(end_) + ": " + last_wrong);
    return failed("not by " + std::to_string(*expect.by) + " ms: " + last_wrong, last_event);
  }

  /// An `always` condition begins when the server does, unless it is about whether the server runs.
  static bool isYetToStart(const ExpectSpec& expect, const Json& state) {
    return expect.always && expect.state && state == never_up() && expect.state->find("up") == nullptr;
  }

  static std::string unlike(const ExpectSpec& expect, const States& states) {
    const Json pattern = expect.state->plain();
    for (const auto& [server, state] : states) {
      if (isYetToStart(expect, state)) continue;
      const std::string text = difference(state, pattern, "");
      if (!text.empty()) return "server " + std::to_string(server) + ": " + text;
    }
    return "";
  }

  static std::string unequal(const EqualSpec& equal, const States& states) {
    const Json* first = nullptr;
    ServerId first_server = 0;
    for (const ServerId server : equal.servers) {
      const Json* value = at(states.at(server), equal.field);
      if (value == nullptr) return "server " + std::to_string(server) + " has no " + equal.field;
      if (first == nullptr) {
        first = value;
        first_server = server;
      } else if (*value != *first) {
        return equal.field + " is " + first->dump() + " at server " + std::to_string(first_server) + " and " +
               value->dump() + " at server " + std::to_string(server);
      }
    }
    return "";
  }

  const Trace& trace_;
  Millis end_;
  bool cut_short_;  ///< ended by --until
};

}  // namespace

std::vector<TraceVerdict> judge(const Trace& trace, const std::vector<ExpectSpec>& expectations) {
  const Assessor assessor(trace);
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
    verdict.text = assessment.text;
    if (!assessment.text.empty() && !expectations[i].because.empty())
      verdict.text += " [" + expectations[i].because + "]";
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
