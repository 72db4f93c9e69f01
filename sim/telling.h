// Describes what happens in the words of a trace: the kind and the data of its event. Causes, changes of
// state and texts for people are added by the recorder.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/happened.h"
#include "sim/json_reflect.h"

namespace zablab {

/// The name in scenarios and traces of what distinguishes timers of one kind.
template <class F>
inline constexpr const char* timer_key_word =
    std::is_same_v<typename F::Vocabulary::TimerKey, ServerId> ? "peer" : "key";

template <class F>
class Telling {
 public:
  Telling(const Cluster<F>& cluster, Names names)
      : cluster_(cluster), names_(std::move(names)), started_(cluster.ids.size(), false) {}

  const Names& names() const { return names_; }
  ServerId idOf(int i) const { return cluster_.ids[static_cast<std::size_t>(i)]; }
  /// Whether a process of this server has run at any time before the present event.
  bool startedBefore(int node) const { return started_[static_cast<std::size_t>(node)]; }
  /// Called for everything, after it was reported.
  void note(const Happened<F>& h) {
    if (h.kind == Kind::started || h.kind == Kind::taken_up)
      started_[static_cast<std::size_t>(h.node)] = true;
  }

  /// Empty if no event is made from it.
  std::string_view kind(const Happened<F>& h) const {
    switch (h.kind) {
      case Kind::event: return Binding<F>::kindName(*h.event);
      case Kind::taken_up: return startedBefore(h.node) ? "taken_up" : "started";
      case Kind::step_over:
      case Kind::dialled:
      case Kind::timer_set:
      case Kind::cut:  // reported once for all directions of a fault
      case Kind::healed: return "";
      default: return enumName(h.kind);
    }
  }

  Json data(const Happened<F>& h) const {
    switch (h.kind) {
      case Kind::started:
        return {{"how", startedBefore(h.node) ? "restart" : "start"}, {"disk", toJson(*h.disk)}};
      case Kind::taken_up:
        return startedBefore(h.node) ? Json::object() : Json{{"how", "placed"}, {"disk", toJson(*h.disk)}};
      case Kind::delivered: {
        Json data{{"message", h.message},
                  {"link", linkName(h.link)},
                  {"from", idOf(h.from)},
                  {"type", Binding<F>::typeName(*h.content)},
                  {"label", Binding<F>::label(names_, *h.content)}};
        if (h.late) data["late"] = true;
        return data;
      }
      case Kind::connected:
      case Kind::refused:
      case Kind::closed: return {{"link", linkName(h.link)}, {"peer", h.to}};
      case Kind::timer: {
        Json data{{"timer", Binding<F>::timerName(h.timer.kind)}};
        using Key = typename F::Vocabulary::TimerKey;
        if (h.timer.key != noTimerKey<Key>()) data[timer_key_word<F>] = toJson(h.timer.key);
        return data;
      }
      case Kind::asked: return toJson(*h.request);
      case Kind::durable: return {{"key", toJson(*h.durable_key)}};
      case Kind::age: return {{"key", toJson(*h.mark)}, {"ms", h.age ? Json(*h.age) : Json(nullptr)}};
      case Kind::event: return Binding<F>::data(names_, *h.event);
      case Kind::sent: {
        Json data{{"message", h.message},
                  {"link", linkName(h.link)},
                  {"receiver", h.to},
                  {"type", Binding<F>::typeName(*h.content)},
                  {"label", Binding<F>::label(names_, *h.content)},
                  {"content", toJson(*h.content)}};
        if (h.how == SentHow::waiting) data["waiting"] = true;
        if (h.how == SentHow::again) data["again"] = true;
        if (h.how == SentHow::copy) data["copy"] = true;
        return data;
      }
      case Kind::transmitted: return {{"message", h.message}, {"link", linkName(h.link)}, {"receiver", h.to}};
      case Kind::lost:
        return {{"message", h.message},
                {"link", linkName(h.link)},
                {"from", idOf(h.from)},
                {"receiver", h.to},
                {"label", Binding<F>::label(names_, *h.content)},
                {"reason", std::string(enumName(h.reason))}};
      case Kind::written: {
        Json data = record(*h.record);
        data["durable"] = h.blocking;
        return data;
      }
      case Kind::write_failed:
      case Kind::synced: return record(*h.record);
      case Kind::stopped: {
        Json data{{"how", std::string(enumName(h.stopped))}};
        if (!h.why.empty()) data["reason"] = std::string(h.why);
        return data;
      }
      case Kind::broken: return {{"link", linkName(h.link)}, {"between", Json::array({idOf(h.from), h.to})}};
      case Kind::paused:
      case Kind::resumed:
      case Kind::wiped:
      case Kind::step_over:
      case Kind::dialled:
      case Kind::timer_set:
      case Kind::cut:
      case Kind::healed: break;
    }
    return Json::object();
  }

 private:
  static std::string linkName(Link link) { return std::string(F::links[link].name); }
  static Json record(const typename F::Record& record) {
    return {{"record", Binding<F>::recordName(record)}, {"content", toJson(record)}};
  }

  const Cluster<F>& cluster_;
  Names names_;
  std::vector<bool> started_;
};

}  // namespace zablab
