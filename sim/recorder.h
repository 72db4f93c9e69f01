// Turns what happens in a world into a trace.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/family.h"
#include "sim/json_type.h"
#include "sim/recorded_states.h"
#include "sim/simulator.h"
#include "sim/telling.h"
#include "sim/trace.h"

namespace zablab {

class Recorder : public AnyListener {
 public:
  using Timer = Any::Vocabulary::Timer;

  Recorder(const AnyCluster& cluster, const Simulator<Any>& simulator, const Telling& telling,
           std::vector<TraceEvent>& events)
      : cluster_(cluster),
        simulator_(simulator),
        telling_(telling),
        events_(events),
        states_(cluster.ids.size(), events),
        noted_(cluster.ids.size()),
        noted_disks_(cluster.ids.size()),
        logs_(cluster.ids.size()),
        unsynced_(cluster.ids.size()),
        stepped_(cluster.ids.size()),
        node_type_(cluster.family->patternTypes().node),
        disk_type_(cluster.family->patternTypes().durable) {}

  void on(const AnyHappened& h) override {
    switch (h.kind) {
      case Kind::started:
        beginStep(h, {},
                  telling_.startedBefore(h.node) ? phrase("{node} restarts", name(h.node))
                                                 : phrase("{node} starts", name(h.node)));
        break;
      case Kind::delivered: beginStep(h, causeOf(h.message)); break;
      case Kind::connected:
      case Kind::refused: beginStep(h, lookUp(dials_, {h.link, h.from, h.to})); break;
      case Kind::closed: beginStep(h, {}); break;
      case Kind::timer: beginStep(h, lookUp(timers_, {h.node, h.timer})); break;
      case Kind::write_failed:
        beginStep(h, takeWritten(h.node),
                  phrase("{node} cannot write its {record}", name(h.node), family().recordName(*h.record)));
        break;
      case Kind::taken_up:
        beginStep(
            h, {},
            telling_.startedBefore(h.node) ? Phrase() : phrase("{node} is already running", name(h.node)));
        break;
      case Kind::asked:
        beginStep(h, {}, family().tellRequest(telling_.names(), idOf(h.node), *h.request));
        break;
      case Kind::durable:
      case Kind::age: beginStep(h, stepped_[at(h.node)]); break;
      case Kind::step_over:
        if (step_) {
          noteChanges(h.node, *step_);
          stepped_[at(h.node)] = step_;
        }
        showLog(h.node, events_.size() - 1);
        step_.reset();
        break;
      case Kind::event: add(h, step_, family().tellEvent(telling_.names(), idOf(h.node), *h.event)); break;
      case Kind::sent:
        // Outside a step only the end of a sync releases messages.
        setCause(h.message, add(h, step_ ? step_ : synced_));
        break;
      case Kind::transmitted: setCause(h.message, add(h, causeOf(h.message))); break;
      case Kind::lost: add(h, causeOf(h.message)); break;
      case Kind::dialled:
        if (step_) dials_[{h.link, h.from, h.to}] = *step_;
        break;
      case Kind::timer_set:
        if (step_) timers_[{h.node, h.timer}] = *step_;
        break;
      case Kind::written: {
        const std::uint64_t index = add(h, step_);
        noteChanges(h.node, index, h.blocking);
        if (!h.blocking) unsynced_[at(h.node)].push_back(index);
        break;
      }
      case Kind::synced: {
        synced_ = add(h, takeWritten(h.node));
        const std::uint64_t index = *synced_;
        stepped_[at(h.node)] = index;
        noteChanges(h.node, index, true);
        if (!step_) showLog(h.node, index);
        break;
      }
      case Kind::stopped: {
        const std::uint64_t index = add(h, step_, stopText(h));
        unsynced_[at(h.node)].clear();
        step_.reset();
        noteDisk(h.node, index);
        noted_[at(h.node)].reset();
        states_.noteEnd(h.node, index);
        break;
      }
      case Kind::paused: add(h, {}, phrase("{node} is paused", name(h.node))); break;
      case Kind::resumed: add(h, {}, phrase("{node} resumes", name(h.node))); break;
      case Kind::wiped:
        noteChanges(h.node, add(h, {}, phrase("the disk of {node} is emptied", name(h.node))));
        break;
      case Kind::cut:
      case Kind::healed: break;  // reported once for all directions of a fault, by say()
      case Kind::broken:
        add(h, {},
            phrase("the connection between {node} and {peer} breaks", name(h.from), telling_.names()(h.to)));
        break;
    }
  }

  /// An event that the world does not report: a cut, a hold, a note.
  std::uint64_t say(int node, std::string kind, Json data, const Phrase& text = {}) {
    return addEvent(node, std::move(kind), std::move(data), {}, text);
  }

  /// Records how a server's state has changed since it was last recorded, at event `index`. What is equal is
  /// not converted to JSON again: logs are long, and most steps leave them unchanged.
  void noteChanges(int node, std::uint64_t index, bool disk_alone = false) {
    noteDisk(node, index);
    if (disk_alone) return;
    const auto& server = simulator_.store().server(node);
    std::optional<Value>& noted = noted_[at(node)];
    states_.note(node, index, "", "up", server.up);
    if (!server.up || cluster_.scripted[at(node)]) return;
    states_.noteMembers(node, index, "", node_type_, noted ? noted->get() : nullptr, server.node.get());
    noted = server.node;
  }

 private:
  const AnyFamily& family() const { return *cluster_.family; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  ServerId idOf(int i) const { return cluster_.ids[at(i)]; }
  std::string name(int i) const { return telling_.names()(idOf(i)); }

  /// Draws a server's log, if it looks different from its last drawing, at the newest of the server's events
  /// up to `index`.
  void showLog(int node, std::uint64_t index) {
    if (!simulator_.store().isUp(node) || cluster_.scripted[at(node)]) return;
    Json picture =
        family().logPicture(simulator_.store().server(node).node, simulator_.store().disk(node).image);
    if (picture == logs_[at(node)]) return;
    while (index > 0 && (events_[index].node != idOf(node) || events_[index].data.contains("picture")))
      --index;
    const bool emptied = picture.is_null();  // a log that has lost its last entry
    if (events_[index].node == idOf(node)) {
      Json& drawn = events_[index].data["picture"] = emptied ? logs_[at(node)] : picture;
      if (emptied) drawn["cells"] = {{{"text", "empty"}, {"mark", "plain"}}};
    }
    logs_[at(node)] = std::move(picture);
  }

  void noteDisk(int node, std::uint64_t index) {
    const auto& disk = simulator_.store().disk(node).image;
    std::optional<Value>& noted = noted_disks_[at(node)];
    if (noted && *noted == disk) return;
    states_.noteMember(node, index, "", "disk", disk_type_, noted ? noted->get() : nullptr, disk.get());
    noted = disk;
  }

  Phrase stopText(const AnyHappened& h) const {
    const std::string node = name(h.node);
    const Phrase why = Phrase::words(h.why);
    switch (h.stopped) {
      case HowStopped::stop: return phrase("{node} is stopped", node);
      case HowStopped::kill:
        return why.empty() ? phrase("{node} is killed", node) : phrase("{node} is killed {when}", node, why);
      case HowStopped::power_loss:
        return why.empty() ? phrase("{node} loses power", node)
                           : phrase("{node} loses power {when}", node, why);
      case HowStopped::exit: return phrase("{node} exits: {why}", node, why);
    }
    return {};
  }

  void beginStep(const AnyHappened& h, std::optional<std::uint64_t> cause, const Phrase& text = {}) {
    step_ = events_.size();
    add(h, cause, text);
  }

  /// The event that handed the oldest unsynced write to the disk.
  std::optional<std::uint64_t> takeWritten(int node) {
    auto& written = unsynced_[at(node)];
    if (written.empty()) return step_;
    const std::uint64_t index = written.front();
    written.pop_front();
    return index;
  }

  std::uint64_t add(const AnyHappened& h, std::optional<std::uint64_t> cause, const Phrase& text = {}) {
    return addEvent(h.node, std::string(telling_.kind(h)), telling_.data(h), cause, text);
  }

  std::uint64_t addEvent(int node, std::string kind, Json data, std::optional<std::uint64_t> cause,
                         const Phrase& text) {
    TraceEvent event;
    event.index = events_.size();
    event.time = simulator_.now();
    if (node >= 0) event.node = idOf(node);
    event.kind = std::move(kind);
    event.data = std::move(data);
    event.cause = cause;
    event.text = text.english();
    event.said = text.said();
    events_.push_back(std::move(event));
    return events_.size() - 1;
  }

  std::optional<std::uint64_t> causeOf(std::uint64_t message) const {
    return message < message_events_.size() ? std::optional(message_events_[message]) : std::nullopt;
  }
  void setCause(std::uint64_t message, std::uint64_t index) {
    if (message >= message_events_.size()) message_events_.resize(message + 1);
    message_events_[message] = index;
  }
  template <class Key>
  static std::optional<std::uint64_t> lookUp(const std::map<Key, std::uint64_t>& map,
                                             const std::type_identity_t<Key>& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }

  const AnyCluster& cluster_;
  const Simulator<Any>& simulator_;
  const Telling& telling_;
  std::vector<TraceEvent>& events_;
  RecordedStates states_;
  std::vector<std::optional<Value>> noted_;  ///< the same, as node values
  std::vector<std::optional<Value>> noted_disks_;
  std::vector<Json> logs_;                           ///< as last drawn
  std::vector<std::deque<std::uint64_t>> unsynced_;  ///< the events that wrote what is not durable yet
  std::optional<std::uint64_t> synced_;              ///< the last sync
  /// By server: its last step, or sync. What it is notified of immediately follows from that.
  std::vector<std::optional<std::uint64_t>> stepped_;
  std::vector<std::uint64_t> message_events_;  ///< the event that sent each message
  std::map<std::tuple<Link, int, ServerId>, std::uint64_t> dials_;
  std::map<std::pair<int, Timer>, std::uint64_t> timers_;
  std::optional<std::uint64_t> step_;  ///< the event that began the present step
  const json_detail::StructType& node_type_;
  const json_detail::Type& disk_type_;
};

}  // namespace zablab
