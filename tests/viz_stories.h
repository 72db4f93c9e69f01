// Traces to draw: small stories as a run would produce them, and random ones that do not come from a run but
// contain everything that a picture must cope with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace.h"

namespace zablab::viz {

/// Writes a trace event by event, as a run would.
class TraceBuilder {
 public:
  explicit TraceBuilder(const std::string& title, int servers) {
    trace.header = {{"title", title},
                    {"protocol", "zab"},
                    {"variant", "sample"},
                    {"seed", 7},
                    {"mutations", Json::array()},
                    {"nodes", Json::array()},
                    {"roles",
                     {{"LOOKING", "seeking"},
                      {"FOLLOWING", "following"},
                      {"LEADING", "leading"},
                      {"OBSERVING", "observing"},
                      {"SYNCING", "syncing"}}},
                    {"phases", {{"discovery", "syncing"}, {"synchronization", "syncing"}}},
                    {"label", "(round, candidate, zxid)"},
                    {"heartbeats", Json::array({"PING"})}};
    for (int id = 1; id <= servers; ++id) {
      trace.header["nodes"].push_back({{"id", id}, {"name", std::to_string(id)}, {"kind", "voter"}});
    }
  }

  void addClient(int id) {
    trace.header["nodes"].push_back(
        {{"id", id}, {"name", "client " + std::to_string(id)}, {"kind", "client"}});
  }

  std::uint64_t add(std::optional<std::int64_t> node, const std::string& kind, Json data = Json::object(),
                    const std::string& text = "", std::optional<std::uint64_t> cause = std::nullopt) {
    TraceEvent event;
    event.index = trace.events.size();
    event.time = now;
    event.node = node;
    event.kind = kind;
    event.data = std::move(data);
    event.cause = cause;
    event.text = text;
    trace.events.push_back(std::move(event));
    return trace.events.size() - 1;
  }

  void start(int node, const std::string& how = "start") {
    add(node, "started", {{"how", how}}, std::to_string(node) + (how == "start" ? " starts" : " restarts"));
    role(node, "LOOKING");
  }

  void role(int node, const std::string& to, const std::string& text = "", const std::string& phase = "") {
    Json data = {{"from", "?"}, {"to", to}};
    if (!phase.empty()) data["phase"] = phase;
    add(node, "role", data, text);
  }

  int send(int from, int to, const std::string& label, Json more = Json::object(),
           const std::string& type = "VOTE") {
    const int number = ++messages_;
    Json data = {
        {"message", number}, {"link", "election"}, {"receiver", to}, {"type", type}, {"label", label}};
    data.update(more);
    sent_[number] = {from, to, label, type, add(from, "sent", data, "", step_)};
    return number;
  }

  void transmit(int message) {
    const Sent& sent = sent_.at(message);
    add(sent.from, "transmitted", {{"message", message}, {"link", "election"}, {"receiver", sent.to}}, "",
        sent.event);
  }

  void deliver(int message, const std::string& text = "") {
    const Sent& sent = sent_.at(message);
    step_ = add(sent.to, "delivered",
                {{"message", message},
                 {"link", "election"},
                 {"from", sent.from},
                 {"type", sent.type},
                 {"label", sent.label}},
                text, sent.event);
  }

  void lose(int message, const std::string& reason) {
    const Sent& sent = sent_.at(message);
    add(std::nullopt, "lost",
        {{"message", message},
         {"link", "election"},
         {"from", sent.from},
         {"receiver", sent.to},
         {"label", sent.label},
         {"reason", reason}},
        "", sent.event);
  }

  /// Votes as "1→3"; those for `candidate` are counted.
  void box(int node, const std::vector<std::pair<int, int>>& votes, int candidate, bool quorum = false) {
    Json cells = Json::array();
    for (const auto& [voter, vote] : votes) {
      const std::string text = std::to_string(voter) + "→" + (vote == 0 ? "?" : std::to_string(vote));
      cells.push_back({{"text", text},
                       {"mark", vote == candidate ? "counted"
                                : vote == 0       ? "empty"
                                                  : "plain"}});
    }
    Json picture = {{"cells", cells}, {"quorum", quorum}};
    if (quorum) picture["caption"] = "quorum for " + std::to_string(candidate);
    add(node, "box", {{"picture", picture}}, "", step_);
  }

  void links(const std::string& kind, const std::vector<std::pair<int, int>>& ways) {
    Json list = Json::array();
    for (const auto& [from, to] : ways) list.push_back(Json::array({from, to}));
    add(std::nullopt, kind, {{"links", list}},
        kind == "cut" ? "the network is cut" : "the network is healed");
  }

  Trace trace;
  std::int64_t now = 0;

 private:
  struct Sent {
    int from = 0, to = 0;
    std::string label, type;
    std::uint64_t event = 0;
  };
  std::map<int, Sent> sent_;
  int messages_ = 0;
  std::optional<std::uint64_t> step_;
};

/// A small generator (one draw per expression, because compilers may order them freely): not from a run, but
/// with everything that a picture must cope with.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  int below(int limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ >> 16) % static_cast<std::uint64_t>(limit));
  }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

/// Three servers elect the third.
Trace threeServersStart();
/// Everything else that a picture knows: crash, power loss, pause, cuts, losses, waiting, folding, log boxes,
/// verdicts.
Trace leaderCrashes();
/// One write, then the leader crashes in the middle of the next; the one follower that has it is elected and
/// brings the others up to date.
Trace leaderFailsOver();
Trace randomTrace(std::uint64_t seed, int steps);

}  // namespace zablab::viz
