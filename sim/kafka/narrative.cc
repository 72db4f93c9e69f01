#include "sim/kafka/words.h"

#include <cstdint>
#include <map>
#include <set>

#include "sim/called.h"
#include "sim/scenario.h"

namespace zablab::kafka {
namespace {

/// Only the controller chooses leaders: another broker does nothing when it is asked for the preferred one.
class AskedInVain {
 public:
  explicit AskedInVain(const Trace& trace) : called_(trace) {}

  /// Empty: the event is not such a request.
  std::string read(const TraceEvent& event) {
    if (!event.node) return "";
    if (event.kind == "controller_elected") active_.insert(*event.node);
    if (event.kind == "resigned" || event.kind == "stopped") active_.erase(*event.node);
    if (event.kind != "asked") return "";
    const std::string operation = event.data.value("operation", "");
    if (operation == "connect") turned_to_[*event.node] = serverIn(event.data.at("server"));
    const auto turned = turned_to_.find(*event.node);
    if (operation != "elect_preferred" || turned == turned_to_.end() || turned->second == no_server ||
        active_.contains(turned->second))
      return "";
    return called_(Json(turned->second)) + " is not the controller, and does nothing when " +
           called_(Json(*event.node)) + " asks for the preferred leader";
  }

 private:
  const Called called_;
  std::set<std::int64_t> active_;                   ///< the controllers
  std::map<std::int64_t, std::int64_t> turned_to_;  ///< by client
};

}  // namespace

std::vector<std::string> Words::narrate(const Trace& trace) {
  std::vector<std::string> lines;
  AskedInVain in_vain(trace);
  for (const TraceEvent& event : trace.events) {
    if (const std::string text = in_vain.read(event); !text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + text);
    const bool refused = event.kind == "controller_request" && !event.data.at("accepted").get<bool>();
    const bool matters = refused || event.kind == "controller_elected" || event.kind == "election_lost" ||
                         event.kind == "resigned" || event.kind == "leader_chosen" ||
                         event.kind == "session_expired" || event.kind == "log_truncated" ||
                         event.kind == "isr_changed";
    if (matters && !event.text.empty())
      lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
  }
  return lines;
}

std::vector<Phrase> Words::answer(const Trace& trace) {
  Phrase elected;
  Phrase chosen;
  int elections = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == "controller_elected") {
      elected = Phrase::of(event);
      ++elections;
    }
    if (event.kind == "leader_chosen") chosen = Phrase::of(event);
  }
  if (elections == 0) return {phrase("no broker became the controller")};
  std::vector<Phrase> sentences{elections == 1 ? phrase("1 controller was elected")
                                               : phrase("{count} controllers were elected", elections),
                                elected};
  if (!chosen.empty()) sentences.push_back(chosen);
  return sentences;
}

}  // namespace zablab::kafka
