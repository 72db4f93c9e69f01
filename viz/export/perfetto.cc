#include "viz/export/perfetto.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "viz/export/exported.h"

namespace zablab::viz {
namespace {

constexpr int slice_columns_max = 100;
constexpr std::int64_t ns_per_ms = 1'000'000, ns_apart = 1000;
constexpr std::int64_t time_ms_max = 9'000'000'000'000;  ///< so that nanoseconds are within 64 bits

/// A time of the format, which is in microseconds.
std::string micros(std::int64_t ns) {
  const std::string rest = std::to_string(1000 + ns % 1000);
  return std::to_string(ns / 1000) + (ns % 1000 == 0 ? "" : "." + rest.substr(1));
}

/// The moments of the events in the window, in nanoseconds. They grow strictly.
class Moments {
 public:
  Moments(const Trace& trace, std::size_t begin, std::size_t end) : begin_(begin) {
    std::size_t first = begin;
    while (first < end) {
      std::size_t next = first;
      while (next < end && trace.events[next].time == trace.events[first].time) ++next;
      addMillisecond(trace.events[first].time, static_cast<std::int64_t>(next - first));
      first = next;
    }
  }

  std::int64_t start(std::size_t position) const { return position < begin_ ? first() : at(position).start; }
  std::int64_t end(std::size_t position) const { return at(position).start + at(position).width; }
  std::int64_t first() const { return moments_.front().start; }
  std::int64_t last() const { return moments_.back().start + moments_.back().width; }

 private:
  struct Moment {
    std::int64_t start = 0, width = 0;
  };
  const Moment& at(std::size_t position) const { return moments_[position - begin_]; }

  void addMillisecond(std::int64_t time, std::int64_t count) {
    if (time > time_ms_max) {
      throw InputError("", std::nullopt,
                       "the time " + std::to_string(time) +
                           " ms is too late for this format, which ends at " + std::to_string(time_ms_max) +
                           " ms");
    }
    const std::int64_t width = std::max<std::int64_t>(1, std::min(ns_apart, ns_per_ms / (count + 1)));
    const std::int64_t from = std::max(time * ns_per_ms, moments_.empty() ? 0 : last());
    for (std::int64_t i = 0; i < count; ++i) moments_.push_back({from + i * width, width});
  }

  std::size_t begin_;
  std::vector<Moment> moments_;
};

/// What can be drawn as a curve: numbers, and lengths of lists, of a node's state and of its disk.
void collectNumbers(const std::string& path, const Json& value,
                    std::map<std::string, std::int64_t>& numbers) {
  if (value.is_array()) numbers[path + " (length)"] = static_cast<std::int64_t>(value.size());
  if (value.is_number_integer()) numbers[path] = value.get<std::int64_t>();
  if (!value.is_object() || path != "disk") return;
  for (const auto& [key, member] : value.items()) collectNumbers(path + "." + key, member, numbers);
}

class EventsWriter {
 public:
  EventsWriter(const Trace& trace, const LadderOptions& options)
      : trace_(trace),
        exported_(trace, options),
        story_(exported_.story()),
        moments_(trace, story_.window_begin, story_.window_end) {}

  std::string write() {
    end_ = moments_.last();
    const std::optional<std::int64_t> end_of_run = numberOf(trace_.header, "end");
    if (story_.window_end == trace_.events.size() && end_of_run && *end_of_run <= time_ms_max)
      end_ = std::max(end_, *end_of_run * ns_per_ms);
    writeRoles();
    writeSteps();
    writeVerdicts();
    if (slices_ == 0) {
      throw nothingToWrite("the trace has no such events", "--kinds, --nodes, --from and --to choose events");
    }
    writeCounters();
    writeLeftOut();
    writeNames();
    return text();
  }

 private:
  /// A line of the file.
  struct Entry {
    std::int64_t at = 0, lasts = 0;
    std::string text;
  };
  struct Track {
    std::size_t process = 0, thread = 0;
  };

  std::size_t network() const { return story_.lanes.size() + 1; }
  static Track roles(int lane) {
    const auto process = static_cast<std::size_t>(lane) + 1;
    return {process, process * 10 + 1};
  }
  Track steps(int lane) const {
    const std::size_t process = lane < 0 ? network() : static_cast<std::size_t>(lane) + 1;
    return {process, process * 10 + 2};
  }
  void add(const char* phase, Track track, std::int64_t at, const std::string& name, std::int64_t lasts,
           const std::string& more, const Json& args = nullptr) {
    used_.insert(track.thread);
    entries_.push_back({at, lasts,
                        "{\"ph\":\"" + std::string(phase) + "\",\"ts\":" + micros(at) + more + ",\"pid\":" +
                            std::to_string(track.process) + ",\"tid\":" + std::to_string(track.thread) +
                            ",\"name\":" + onOneLine(Json(elideColumns(name, slice_columns_max))) +
                            (args.is_null() ? "" : ",\"args\":" + onOneLine(args)) + "}"});
  }

  void addSlice(Track track, const char* category, std::int64_t from, std::int64_t to,
                const std::string& name, const Json& args) {
    add("X", track, from, name, to - from, ",\"dur\":" + micros(to - from) + ",\"cat\":\"" + category + "\"",
        args);
  }

  // ---- roles

  struct Stretch {
    std::string name;
    std::int64_t from = 0;
    Json args;
  };
  /// What a node's lifeline is at a moment: a role (or that it is down), a phase in it, a pause in both.
  struct Standings {
    std::optional<Stretch> role, phase, pause;
  };

  void close(std::optional<Stretch>& stretch, int lane, std::int64_t at) {
    if (stretch && at > stretch->from)
      addSlice(roles(lane), "role", stretch->from, at, stretch->name, stretch->args);
    stretch.reset();
  }

  void writeRoles() {
    std::vector<Standings> standings(story_.lanes.size());
    for (std::size_t position = 0; position < story_.window_end; ++position) {
      const int lane = exported_.lane(position);
      if (lane >= 0) changeStanding(position, lane, standings[static_cast<std::size_t>(lane)]);
    }
    for (std::size_t lane = 0; lane < standings.size(); ++lane)
      closeAll(standings[lane], static_cast<int>(lane), end_);
  }

  void closeAll(Standings& now, int lane, std::int64_t at) {
    close(now.role, lane, at);
    close(now.phase, lane, at);
    close(now.pause, lane, at);
  }

  void changeStanding(std::size_t position, int lane, Standings& now) {
    const TraceEvent& event = trace_.events[position];
    const std::int64_t at = moments_.start(position);
    const Json args = {{"event", position}, {"text", clean(event.text)}};
    const auto turn = story_.turns.find(position);
    if (event.kind == "started" || event.kind == "stopped") {
      closeAll(now, lane, at);
      if (event.kind == "stopped") now.role = Stretch{"down", at, args};
    } else if (event.kind == "paused") {
      close(now.pause, lane, at);
      now.pause = Stretch{"paused", at, args};
    } else if (event.kind == "resumed") {
      close(now.pause, lane, at);
    } else if (turn != story_.turns.end()) {
      const Standing& to = turn->second.to;
      std::optional<Stretch> pause = now.pause;
      if (turn->second.names_role || !now.role) {
        closeAll(now, lane, at);
        now.role = Stretch{isBlank(to.role) ? "no role" : to.role, at, args};
      } else {
        close(now.phase, lane, at);
        close(now.pause, lane, at);
      }
      if (!isBlank(to.phase)) now.phase = Stretch{to.phase, at, args};
      if (pause) now.pause = Stretch{pause->name, at, pause->args};
    }
  }

  // ---- steps and messages

  Json argsOf(std::size_t position) const {
    const TraceEvent& event = trace_.events[position];
    Json args = {{"event", position}, {"kind", event.kind}, {"time_ms", event.time}};
    if (event.cause) args["cause"] = *event.cause;
    if (!event.text.empty()) args["text"] = clean(event.text);
    Json data = event.data;
    if (data.is_object()) data.erase("picture");
    if (!data.empty()) args["data"] = std::move(data);
    return args;
  }

  void writeSteps() {
    for (const Step& step : story_.steps) {
      if (retells(step)) continue;
      if (step.events.front() < story_.window_begin || step.events.front() >= story_.window_end) continue;
      writeStep(step);
    }
  }

  void writeStep(const Step& step) {
    // A message that is lost at once is in the sender's step, but on the network's track.
    std::vector<std::size_t> here;
    for (const std::size_t position : step.events) {
      if (!exported_.tells(position)) continue;
      if (exported_.lane(position) == step.lane)
        here.push_back(position);
      else
        writeEvent(position, moments_.end(position));
    }
    if (here.empty()) return;
    // The first slice contains the others.
    const std::int64_t end = step.lane < 0 ? moments_.end(here.front()) : moments_.end(here.back());
    writeEvent(here.front(), end);
    for (std::size_t i = 1; i < here.size(); ++i) writeEvent(here[i], moments_.end(here[i]));
  }

  void writeEvent(std::size_t position, std::int64_t end) {
    const char* const category = exported_.message(position) != nullptr ? "message" : "event";
    addSlice(steps(exported_.lane(position)), category, moments_.start(position), end,
             exported_.words(position), argsOf(position));
    ++slices_;
    addFlow(position);
  }

  bool inFile(const std::optional<std::size_t>& position) const {
    return position && exported_.tells(*position);
  }

  /// The part of a message's arrow at an event: it starts where the message is sent, is continued where it
  /// leaves if it has waited, and ends where it arrives or is lost.
  void addFlow(std::size_t position) {
    const Message* const about = exported_.message(position);
    if (about == nullptr || !inFile(about->end)) return;
    const std::optional<std::size_t> start = inFile(about->sent) ? about->sent : about->transmitted;
    if (!inFile(start) || *start >= *about->end || position > *about->end) return;
    const bool between = position == about->transmitted && position > *start;
    if (position != *start && !between && position != *about->end) return;
    const char* const phase = position == *start ? "s" : between ? "t" : "f";
    const auto id = static_cast<std::size_t>(about - story_.messages.data()) + 1;
    add(phase, steps(exported_.lane(position)), moments_.start(position), "message", 0,
        ",\"cat\":\"message\",\"id\":" + std::to_string(id) + (position == *start ? "" : ",\"bp\":\"e\""));
  }

  void writeVerdicts() {
    for (const auto& [position, verdict] : exported_.brokenVerdicts()) {
      if (!exported_.inWindow(position)) continue;
      add("i", steps(exported_.lane(position)), moments_.start(position),
          clean(verdict->verdict + ": " + verdict->name), 0, ",\"s\":\"t\"",
          {{"event", position}, {"text", clean(verdict->text)}});
    }
  }

  // ---- counters

  struct Curve {
    std::vector<std::pair<std::int64_t, std::int64_t>> points;  ///< moments and values
    std::set<std::int64_t> values;                              ///< while the node has the number
  };

  void addPoint(Curve& curve, std::int64_t at, std::int64_t value) {
    if (!curve.points.empty() && curve.points.back().second == value) return;
    if (!curve.points.empty() && curve.points.back().first == at)
      curve.points.back().second = value;
    else
      curve.points.emplace_back(at, value);
  }

  void writeCurve(const Curve& curve, std::size_t process, const std::string& name) {
    for (const auto& [at, value] : curve.points)
      add("C", {process, process * 10 + 2}, at, name, 0, "", {{"value", value}});
  }

  void writeCounters() {
    std::vector<Json> states(story_.lanes.size(), Json::object());
    std::vector<std::map<std::string, Curve>> curves(story_.lanes.size());
    Curve under_way;
    std::int64_t count = 0;
    for (std::size_t position = 0; position < story_.window_end; ++position) {
      if (const Message* const message = exported_.message(position); message != nullptr && message->drawn) {
        if (message->sent == position) ++count;
        if (message->end == position && message->sent && *message->sent < position) --count;
        addPoint(under_way, moments_.start(position), count);
      }
      const int lane = exported_.lane(position);
      if (lane < 0 || !hasChanges(trace_.events[position])) continue;
      const auto at = static_cast<std::size_t>(lane);
      takeNumbers(position, states[at], curves[at]);
    }
    writeCurve(under_way, network(), "messages under way");
    for (std::size_t lane = 0; lane < curves.size(); ++lane) {
      for (const auto& [path, curve] : curves[lane]) {
        const bool negative =
            std::any_of(curve.values.begin(), curve.values.end(), [](std::int64_t v) { return v < 0; });
        if (curve.values.size() > 1 && !negative) writeCurve(curve, lane + 1, clean(path));
      }
    }
  }

  /// A number that a node no longer has, because it is down, is drawn as 0.
  void takeNumbers(std::size_t position, Json& state, std::map<std::string, Curve>& curves) {
    const TraceEvent& event = trace_.events[position];
    applyChanges(state, event);
    const std::int64_t at = moments_.start(position);
    for (const std::string& field : changedFields(event)) {
      std::map<std::string, std::int64_t> numbers;
      if (state.contains(field)) collectNumbers(field, state.at(field), numbers);
      for (auto& [path, curve] : curves) {
        const bool of_field =
            path == field || path.starts_with(field + ".") || path.starts_with(field + " (");
        if (of_field && !numbers.contains(path)) addPoint(curve, at, 0);
      }
      for (const auto& [path, number] : numbers) {
        addPoint(curves[path], at, number);
        curves[path].values.insert(number);
      }
    }
  }

  // ---- the file

  void writeLeftOut() {
    left_out_ = exported_.untoldPhrases();
    for (const std::string& phrase : left_out_)
      add("i", steps(-1), moments_.first(), "left out: " + phrase, 0, ",\"s\":\"t\"");
  }

  void addName(const char* what, std::size_t process, std::size_t thread, const Json& args) {
    names_ += "{\"ph\":\"M\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
              ",\"name\":\"" + what + "\",\"args\":" + onOneLine(args) + "},\n";
  }

  void writeNames() {
    for (std::size_t process = 1; process <= network(); ++process) {
      const bool node = process < network();
      const std::size_t role = process * 10 + 1, step = process * 10 + 2;
      if (!node && !used_.contains(step)) continue;
      const std::string name =
          node ? elideColumns(story_.lanes[process - 1].title(), slice_columns_max) : "network";
      addName("process_name", process, step, {{"name", name}});
      addName("process_sort_index", process, step, {{"sort_index", process}});
      if (used_.contains(role)) {
        addName("thread_name", process, role, {{"name", "role"}});
        addName("thread_sort_index", process, role, {{"sort_index", 1}});
      }
      addName("thread_name", process, step, {{"name", node ? "steps" : "events"}});
      addName("thread_sort_index", process, step, {{"sort_index", 2}});
    }
  }

  std::string text() {
    // A slice comes before those that it contains, and before the arrows that begin or end at it.
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.at, -a.lasts) < std::pair(b.at, -b.lasts);
    });
    const Json about = {{"title", runTitle(trace_)},
                        {"run", runPhrases(trace_)},
                        {"answer", answerPhrases(trace_)},
                        {"left_out", left_out_}};
    std::string result =
        "{\"displayTimeUnit\":\"ms\",\"metadata\":" + onOneLine(about) + ",\"traceEvents\":[\n" + names_;
    for (const Entry& entry : entries_) result += entry.text + (&entry == &entries_.back() ? "\n" : ",\n");
    return result + "]}\n";
  }

  const Trace& trace_;
  const Exported exported_;
  const Story& story_;
  const Moments moments_;
  std::vector<Entry> entries_;
  std::string names_;
  std::set<std::size_t> used_;  ///< the threads that have something
  std::vector<std::string> left_out_;
  std::int64_t end_ = 0;
  std::size_t slices_ = 0;
};

}  // namespace

std::string toPerfetto(const Trace& trace, const LadderOptions& options) {
  return EventsWriter(trace, options).write();
}

}  // namespace zablab::viz
