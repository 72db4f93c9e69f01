// Pictures of traces. The main test reads the DOT text back with a reader of its own and compares what it
// finds with the trace: everything is there once, on its lane, in order, and nothing else. It runs on two
// small stories and on many generated ones. Golden texts lie in tests/data/viz; ZABLAB_WRITE_GOLDEN=1 in the
// environment writes them anew.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "sim/trace.h"
#include "viz/dot.h"
#include "viz/graphviz.h"
#include "viz/ladder.h"
#include "viz/text.h"

namespace zablab::viz {
namespace {

namespace fs = std::filesystem;

// ---- traces

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
    Json data = {{"message", number}, {"link", "election"}, {"to", to}, {"type", type}, {"label", label}};
    data.update(more);
    sent_[number] = {from, to, label, type, add(from, "sent", data, "", step_)};
    return number;
  }

  void transmit(int message) {
    const Sent& sent = sent_.at(message);
    add(sent.from, "transmitted", {{"message", message}, {"link", "election"}, {"to", sent.to}}, "",
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
         {"to", sent.to},
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

/// Three servers elect the third.
Trace threeServersStart() {
  TraceBuilder t("Three servers elect a leader", 3);
  std::map<std::pair<int, int>, int> first;
  for (int node = 1; node <= 3; ++node) {
    t.start(node);
    const std::string own = "(1," + std::to_string(node) + ",0)";
    for (int peer = 1; peer <= 3; ++peer) {
      first[{node, peer}] = t.send(node, peer, own, peer == node ? Json::object() : Json{{"waiting", true}});
    }
  }
  for (int node = 1; node <= 3; ++node) {
    t.deliver(first[{node, node}]);
    t.box(node, {{1, node == 1 ? 1 : 0}, {2, node == 2 ? 2 : 0}, {3, node == 3 ? 3 : 0}}, node);
  }
  t.now = 2;
  for (const auto& [way, message] : first) {
    if (way.first != way.second) t.transmit(message);
  }
  t.now = 5;
  t.deliver(first[{3, 2}]);
  t.add(2, "vote", Json::object(), "2 adopts (1,3,0) from 3: id 3 > 2");
  const int from_2_to_1 = t.send(2, 1, "(1,3,0)"), from_2_to_3 = t.send(2, 3, "(1,3,0)");
  t.box(2, {{1, 0}, {2, 3}, {3, 3}}, 3, true);
  t.now = 6;
  t.deliver(first[{2, 1}]);
  t.add(1, "vote", Json::object(), "1 adopts (1,2,0) from 2: id 2 > 1");
  t.box(1, {{1, 2}, {2, 2}, {3, 0}}, 2, true);
  t.now = 7;
  t.deliver(first[{3, 1}]);
  t.add(1, "vote", Json::object(), "1 adopts (1,3,0) from 3: id 3 > 2");
  const int from_1_to_3 = t.send(1, 3, "(1,3,0)");
  t.box(1, {{1, 3}, {2, 2}, {3, 3}}, 3, true);
  t.now = 9;
  t.deliver(from_2_to_3);
  t.add(3, "quorum", Json::object(), "3 counts 2, 3 for 3: a quorum");
  t.box(3, {{1, 1}, {2, 3}, {3, 3}}, 3, true);
  t.deliver(from_2_to_1);
  t.box(1, {{1, 3}, {2, 3}, {3, 3}}, 3, true);
  t.now = 12;
  t.deliver(from_1_to_3);
  t.box(3, {{1, 3}, {2, 3}, {3, 3}}, 3, true);
  t.now = 14;
  t.lose(first[{1, 2}], "connection_broken");
  t.now = 215;
  t.role(1, "FOLLOWING", "1 follows 3");
  t.role(3, "LEADING", "3 leads");
  t.now = 217;
  t.role(2, "FOLLOWING", "2 follows 3");
  return t.trace;
}

/// Everything else that a picture knows: crash, power loss, pause, cuts, losses, waiting, folding, log boxes,
/// verdicts.
Trace leaderCrashes() {
  TraceBuilder t("A leader crashes", 3);
  for (int node = 1; node <= 3; ++node) {
    t.start(node);
    t.role(node, node == 3 ? "LEADING" : "FOLLOWING");
  }
  for (int beat = 0; beat < 6; ++beat) {
    t.now += 100;
    std::vector<int> pings;
    for (int node = 1; node <= 2; ++node) pings.push_back(t.send(3, node, "PING", Json::object(), "PING"));
    t.now += 3;
    for (const int ping : pings) t.deliver(ping);
  }
  t.now = 1000;
  t.add(3, "logged",
        {{"picture",
          {{"cells",
            Json::array({{{"text", "1.1"}, {"mark", "committed"}}, {{"text", "1.2"}, {"mark", "gone"}}})},
           {"quorum", false},
           {"caption", "log"}}}});
  const int lost = t.send(3, 1, "(1.2)", Json::object(), "PROPOSAL"),
            kept = t.send(3, 2, "(1.2)", Json::object(), "PROPOSAL");
  t.now = 1004;
  t.lose(lost, "dropped");
  t.deliver(kept);
  t.now = 1010;
  t.add(3, "stopped", {{"how", "kill"}}, "3 is killed");
  t.now = 1200;
  t.role(1, "LOOKING", "1 looks: the leader is gone");
  const int to_2 = t.send(1, 2, "(2,1,1.1)"), to_3 = t.send(1, 3, "(2,1,1.1)", {{"waiting", true}});
  t.now = 1202;
  t.add(2, "paused");
  t.links("cut", {{1, 2}});
  t.now = 1300;
  t.links("healed", {{1, 2}});
  t.links("cut", {{1, 2}, {2, 1}, {1, 3}, {3, 1}});
  t.now = 1400;
  t.add(2, "resumed");
  t.deliver(to_2);
  t.role(2, "SYNCING");
  t.now = 1500;
  t.lose(to_3, "replaced_by_newer");
  t.send(1, 3, "(3,1,1.1)", {{"waiting", true}});
  t.now = 1600;
  t.start(3, "restart");
  t.now = 1700;
  t.links("healed", {{1, 2}, {2, 1}, {1, 3}, {3, 1}});
  t.add(std::nullopt, "note", Json::object(), "now the power goes");
  t.add(2, "stopped", {{"how", "power_loss"}}, "2 loses power");
  t.send(3, 1, "(3,3,1.1)", {{"copy", true}});
  t.trace.verdicts.push_back({"one_leader", "invariant", "violated", 3, "two leaders in epoch 2", 20});
  return t.trace;
}

/// Writes of a client, each logged, synced and committed by five servers; a log is drawn by its last entries.
class Broadcast {
 public:
  static constexpr int client = 101;

  explicit Broadcast(const std::string& title) : t(title, 5) {
    Json& header = t.trace.header;
    header["message_groups"] = {{"VOTE"},
                                {"REQUEST", "REPLY"},
                                {"PROPOSAL"},
                                {"COMMIT"},
                                {"ACK"},
                                {"FOLLOWERINFO", "LEADERINFO", "ACKEPOCH"},
                                {"DIFF", "NEWLEADER", "UPTODATE"}};
    for (Json& server : header["nodes"]) server["name"] = name(server["id"].get<int>());
    t.addClient(client);
  }

  static std::string name(int node) { return std::string(1, static_cast<char>('A' + node - 1)); }

  void role(int node, const std::string& to, const std::string& phase, const std::string& text = "") {
    t.role(node, to, text, phase);
    role_[node] = to;
  }

  void phase(int node, const std::string& phase, const std::string& text = "") {
    t.add(node, "phase", {{"role", role_[node]}, {"phase", phase}}, text);
  }

  void log(int node, const std::string& zxid, const std::string& mark, const std::string& kind) {
    auto& log = log_[node];
    const auto found =
        std::find_if(log.begin(), log.end(), [&](const auto& one) { return one.first == zxid; });
    if (found == log.end())
      log.emplace_back(zxid, mark);
    else
      found->second = mark;
    if (kind.empty()) return;
    const std::size_t first = log.size() > 3 ? log.size() - 3 : 0;
    Json cells = Json::array();
    if (first > 0) cells.push_back({{"text", "…"}, {"mark", "plain"}});
    for (std::size_t i = first; i < log.size(); ++i) {
      cells.push_back({{"text", log[i].first}, {"mark", log[i].second}});
    }
    t.add(node, kind, {{"picture", {{"caption", "log"}, {"cells", cells}}}});
  }

  void acks(int node, const std::string& caption, const std::set<int>& acked, const std::string& text) {
    Json cells = Json::array();
    for (int peer = 1; peer <= 5; ++peer) {
      cells.push_back({{"text", name(peer)}, {"mark", acked.contains(peer) ? "counted" : "empty"}});
    }
    t.add(node, "quorum", {{"picture", {{"caption", caption}, {"quorum", true}, {"cells", cells}}}}, text);
  }

  int send(int from, int to, const std::string& type, const std::string& detail = "") {
    return t.send(from, to, detail.empty() ? type : type + " " + detail, Json::object(), type);
  }

  /// The leader logs and proposes; returns the proposals by receiver.
  std::map<int, int> propose(int leader, const std::set<int>& followers, const std::string& zxid) {
    const int request = send(client, leader, "REQUEST", "set " + zxid);
    t.now += 3;
    t.deliver(request, name(leader) + " gives the write zxid " + zxid + " and proposes it");
    log(leader, zxid, "proposed", "appended");
    std::map<int, int> proposals;
    for (const int follower : followers) proposals[follower] = send(leader, follower, "PROPOSAL", zxid);
    t.now += 1;
    log(leader, zxid, "durable", "synced");
    return proposals;
  }

  /// A follower logs a proposal, syncs it and acknowledges it.
  int accept(int follower, int leader, int proposal, const std::string& zxid) {
    t.deliver(proposal);
    log(follower, zxid, "proposed", "appended");
    t.now += 1;
    log(follower, zxid, "durable", "synced");
    return send(follower, leader, "ACK", zxid);
  }

  /// The acknowledgements arrive; the second one makes a quorum with the leader's own.
  void commit(int leader, const std::map<int, int>& acks_by_follower, const std::string& zxid) {
    std::set<int> acked = {leader};
    std::map<int, int> commits;
    int reply = 0;
    for (const auto& [follower, ack] : acks_by_follower) {
      t.now += 1;
      t.deliver(ack);
      acked.insert(follower);
      if (acked.size() != 3) continue;
      acks(leader, "quorum for " + zxid, acked,
           name(leader) + " commits " + zxid + ": three of five have it");
      log(leader, zxid, "committed", "committed");
      for (const auto& [other, unused] : acks_by_follower)
        commits[other] = send(leader, other, "COMMIT", zxid);
      reply = send(leader, client, "REPLY", "ok");
    }
    for (const auto& [follower, message] : commits) {
      t.now += 1;
      t.deliver(message);
      log(follower, zxid, "committed", "committed");
    }
    t.deliver(reply, "the client knows that " + zxid + " is written");
  }

  TraceBuilder t;

 private:
  std::map<int, std::string> role_;
  std::map<int, std::vector<std::pair<std::string, std::string>>> log_;
};

/// One write, then the leader crashes in the middle of the next; the one follower that has it is elected and
/// brings the others up to date.
Trace leaderFailsOver() {
  Broadcast run("A write outlives its leader");
  TraceBuilder& t = run.t;
  constexpr int old_leader = 5, new_leader = 4;
  const std::set<int> others = {1, 2, 3};
  for (int node = 1; node <= 5; ++node) {
    t.add(node, "started", {{"how", "placed"}});
    run.role(node, node == old_leader ? "LEADING" : "FOLLOWING", "broadcast");
    run.log(node, "1.1", "committed", "");
    run.log(node, "1.2", "committed", "loaded");
  }
  t.now = 10;
  std::map<int, int> acks;
  for (const auto& [follower, proposal] : run.propose(old_leader, {1, 2, 3, 4}, "1.3")) {
    acks[follower] = run.accept(follower, old_leader, proposal, "1.3");
  }
  run.commit(old_leader, acks, "1.3");

  t.now = 40;
  const std::map<int, int> proposals = run.propose(old_leader, {1, 2, 3, 4}, "1.4");
  t.lose(run.accept(new_leader, old_leader, proposals.at(new_leader), "1.4"), "connection_broken");
  for (const int follower : others) t.lose(proposals.at(follower), "connection_broken");
  t.add(old_leader, "stopped", {{"how", "kill"}}, "E crashes: 1.4 has reached D alone");
  t.now += 5;
  for (int node = 1; node <= 4; ++node)
    run.role(node, "LOOKING", "election", run.name(node) + " looks for a leader");

  std::vector<int> votes;
  for (const int follower : others) votes.push_back(t.send(new_leader, follower, "(2,D,1.4)"));
  std::vector<int> answers;
  for (const int vote : votes) {
    t.now += 1;
    t.deliver(vote, "adopts (2,D,1.4): its log is longer");
    const int follower = static_cast<int>(*t.trace.events.back().node);
    answers.push_back(t.send(follower, new_leader, "(2,D,1.4)"));
    run.role(follower, "FOLLOWING", "discovery");
  }
  for (const int answer : answers) {
    t.now += 2;
    t.deliver(answer);
  }
  run.role(new_leader, "LEADING", "discovery", "D leads");

  const auto exchange = [&](const std::string& ask, const std::string& what, const std::string& answer,
                            const std::string& then, const std::function<void(int)>& effect) {
    std::map<int, int> asked, answered;
    t.now += 2;
    for (const int follower : others) asked[follower] = run.send(new_leader, follower, ask, what);
    for (const auto& [follower, message] : asked) {
      t.now += 1;
      t.deliver(message);
      effect(follower);
      if (!answer.empty()) answered[follower] = run.send(follower, new_leader, answer, then);
    }
    for (const auto& [follower, message] : answered) {
      t.now += 1;
      t.deliver(message);
    }
  };
  for (const int follower : others) {
    const int info = run.send(follower, new_leader, "FOLLOWERINFO", "1");
    t.now += 1;
    t.deliver(info);
  }
  exchange("LEADERINFO", "2", "ACKEPOCH", "1.3", [](int) {});
  run.phase(new_leader, "synchronization",
            "D has a quorum for epoch 2: nobody follows an older leader any more");
  exchange("DIFF", "1.4", "", "", [&](int follower) { run.phase(follower, "synchronization"); });
  exchange("NEWLEADER", "2.0", "ACK", "2.0",
           [&](int follower) { run.log(follower, "1.4", "durable", "synced"); });
  run.acks(new_leader, "quorum for epoch 2", {1, 2, 3, 4},
           "D's history is now that of epoch 2; 1.4 is committed");
  run.log(new_leader, "1.4", "committed", "committed");
  run.phase(new_leader, "broadcast");
  exchange("UPTODATE", "", "", "", [&](int follower) {
    run.log(follower, "1.4", "committed", "committed");
    run.phase(follower, "broadcast", run.name(follower) + " serves clients again");
  });

  t.now += 500;
  t.add(old_leader, "started", {{"how", "restart"}}, "E restarts");
  run.role(old_leader, "LOOKING", "election");
  run.role(old_leader, "FOLLOWING", "synchronization",
           "E finds D and follows it; its log has an entry that D's has, too");
  run.log(old_leader, "1.4", "gone", "truncated");
  return t.trace;
}

/// A small generator (one draw per expression: compilers order them as they like): nothing of a run, but
/// everything that a picture must cope with.
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

void randomLog(Dice& dice, TraceBuilder& t, int node) {
  static const std::vector<std::string> marks = {"plain", "proposed", "durable", "committed", "gone"};
  Json cells = Json::array();
  if (dice.chance(50)) cells.push_back({{"text", "…"}, {"mark", "plain"}});
  for (int i = dice.below(5); i >= 0; --i) {
    const std::string zxid = "1." + std::to_string(dice.below(30));
    cells.push_back({{"text", zxid}, {"mark", marks[static_cast<std::size_t>(dice.below(5))]}});
  }
  Json picture = {{"cells", cells}};
  if (dice.chance(80)) picture["caption"] = dice.chance(80) ? "log" : "its log, as it is on the disk";
  t.add(node, "appended", {{"picture", picture}});
}

Trace randomTrace(std::uint64_t seed, int steps) {
  Dice dice(seed);
  const int servers = 1 + dice.below(6);
  TraceBuilder t("random " + std::to_string(seed), servers);
  const std::vector<std::string> roles = {"LOOKING",   "FOLLOWING", "LEADING",
                                          "OBSERVING", "SYNCING",   "STRANGE"};
  const std::vector<std::string> phases = {"", "election", "discovery", "synchronization", "broadcast"};
  constexpr int client = 101;
  const bool has_client = dice.chance(40);
  if (has_client) t.addClient(client);
  std::vector<int> flying, waiting;
  std::vector<bool> up(static_cast<std::size_t>(servers) + 1, false);
  std::set<std::pair<int, int>> cut;
  const auto take = [&](std::vector<int>& from) {
    const auto at = from.begin() + dice.below(static_cast<int>(from.size()));
    const int message = *at;
    from.erase(at);
    return message;
  };
  for (int step = 0; step < steps; ++step) {
    const int pause_max = dice.chance(10) ? 2000 : 12;
    if (dice.chance(60)) t.now += dice.below(pause_max);
    const int node = 1 + dice.below(servers);
    const auto here = static_cast<std::size_t>(node);
    const int what = dice.below(100);
    if (!up[here]) {
      t.start(node, step < servers ? "start" : "restart");
      up[here] = true;
    } else if (what < 30) {
      for (int sends = 1 + dice.below(servers); sends > 0; --sends) {
        const bool waits = dice.chance(20);
        const int peer = 1 + dice.below(servers);
        const std::string label =
            dice.chance(80) ? "(1," + std::to_string(node) + ",0)" : "a rather long label 0x1";
        Json more = Json::object();
        if (waits) more["waiting"] = true;
        if (dice.chance(5)) more["again"] = true;
        (waits ? waiting : flying)
            .push_back(t.send(node, peer, label, more, dice.chance(20) ? "PING" : "VOTE"));
      }
      if (has_client && dice.chance(20))
        flying.push_back(t.send(client, node, "set a", Json::object(), "REQUEST"));
      if (has_client && dice.chance(20))
        flying.push_back(t.send(node, client, "ok", Json::object(), "REPLY"));
    } else if (what < 60 && !flying.empty()) {
      const int message = take(flying);
      t.deliver(message,
                dice.chance(30) ? "a text that tells what was made of this message by its receiver" : "");
      if (dice.chance(50)) {
        std::vector<std::pair<int, int>> votes;
        for (int voter = 1; voter <= servers; ++voter) votes.emplace_back(voter, dice.below(servers + 1));
        const int at = static_cast<int>(*t.trace.events.back().node);
        const int candidate = 1 + dice.below(servers);
        t.box(at, votes, candidate, dice.chance(30));
        if (dice.chance(30)) randomLog(dice, t, at);
        if (dice.chance(30)) t.role(at, roles[static_cast<std::size_t>(dice.below(6))]);
        if (dice.chance(30)) flying.push_back(t.send(at, 1 + dice.below(servers), "(1,2,3)"));
      }
    } else if (what < 68 && !waiting.empty()) {
      const int message = take(waiting);
      t.transmit(message);
      flying.push_back(message);
    } else if (what < 74 && !flying.empty()) {
      t.lose(take(flying), "connection_broken");
    } else if (what < 78 && !waiting.empty()) {
      t.lose(take(waiting), "replaced_by_newer");
    } else if (what < 84) {
      const std::string& role = roles[static_cast<std::size_t>(dice.below(6))];
      const std::string phase = phases[static_cast<std::size_t>(dice.below(5))];
      const std::string words = dice.chance(50) ? "it changes its role, or reaches a phase" : "";
      if (dice.chance(50))
        t.role(node, role, words, phase);
      else
        t.add(node, "phase", {{"role", role}, {"phase", phase}}, words);
    } else if (what < 88) {
      const std::vector<std::string> ways = {"kill", "power_loss", "stop", "exit"};
      t.add(node, "stopped", {{"how", ways[static_cast<std::size_t>(dice.below(4))]}}, "it stops");
      up[here] = false;
    } else if (what < 90) {
      t.add(node, "paused");
      t.now += 20;
      t.add(node, "resumed");
    } else if (what < 93 && servers > 1) {
      std::vector<std::pair<int, int>> ways;
      for (int a = 1; a <= servers; ++a) {
        for (int b = 1; b <= servers; ++b) {
          if (a != b && ((a <= node) != (b <= node)) && !dice.chance(10)) ways.emplace_back(a, b);
        }
      }
      cut.insert(ways.begin(), ways.end());
      t.links("cut", ways);
    } else if (what < 96 && !cut.empty()) {
      t.links("healed", {cut.begin(), cut.end()});
      cut.clear();
    } else if (what < 98) {
      t.add(std::nullopt, "note", Json::object(),
            "somebody says something about what is to come, at some length");
    } else {
      t.add(node, dice.chance(50) ? "wiped" : "set");
    }
  }
  return t.trace;
}

// ---- a reader of DOT

struct Element {
  std::string from, to;  ///< names; a node has no `to`
  std::map<std::string, std::string> attributes;

  std::string id() const { return get("id"); }
  std::string get(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
  bool has(const std::string& word) const {
    std::istringstream words(get("class"));
    std::string one;
    while (words >> one) {
      if (one == word) return true;
    }
    return false;
  }
  double x() const { return std::atof(get("pos").c_str()); }
  double y() const { return -std::atof(get("pos").substr(get("pos").find(',') + 1).c_str()); }  // downwards
};

/// Reads what Graphviz would read: statements of quoted names with attributes in brackets.
class DotReader {
 public:
  explicit DotReader(const std::string& text) : text_(text) {
    at_ = text.find('{') + 1;
    while (skip() && text_[at_] != '}') statement();
    std::size_t rest = at_ + 1;
    while (rest < text.size() && text[rest] == '\n') ++rest;
    need(rest == text.size());
  }

  std::map<std::string, Element> nodes;
  std::vector<Element> edges;

 private:
  static void need(bool holds) {
    if (!holds) FAIL("this is not the DOT text that toDot writes");
  }

  bool skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == ';')) ++at_;
    need(at_ < text_.size());
    return true;
  }

  void statement() {
    Element element;
    const bool is_default = text_[at_] != '"';
    element.from = word();
    skip();
    if (text_.compare(at_, 2, "->") == 0) {
      at_ += 2;
      skip();
      element.to = word();
      skip();
    }
    need(text_[at_] == '[');
    ++at_;
    while (skip() && text_[at_] != ']') {
      const std::string key = word();
      need(text_[at_] == '=');
      ++at_;
      need(element.attributes.emplace(key, word()).second);
      skip();
      if (text_[at_] == ',') ++at_;
    }
    ++at_;
    need(text_[at_] == ';');
    if (is_default) return;
    if (element.to.empty())
      need(nodes.emplace(element.from, element).second);
    else
      edges.push_back(element);
  }

  std::string word() {
    std::string result;
    if (text_[at_] == '"') {
      for (++at_; text_[at_] != '"'; ++at_) {
        need(text_[at_] != '\n');
        if (text_[at_] == '\\' && text_[at_ + 1] == '"')
          ++at_;
        else if (text_[at_] == '\\')
          result += text_[at_++];
        result += text_[at_];
      }
      ++at_;
    } else if (text_[at_] == '<') {
      int depth = 0;
      do {
        depth += text_[at_] == '<' ? 1 : text_[at_] == '>' ? -1 : 0;
        need(text_[at_] != '\n');
        result += text_[at_++];
      } while (depth > 0);
    } else {
      while (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.' ||
             text_[at_] == '-' || text_[at_] == '_') {
        result += text_[at_++];
      }
      need(!result.empty());
    }
    return result;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

/// What Graphviz shows for a label or a tooltip that is not HTML.
std::string shownText(const std::string& escaped) {
  std::string result;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '\\' && i + 1 < escaped.size()) {
      ++i;
      if (escaped[i] == '\\')
        result += '\\';
      else
        CHECK((escaped[i] == 'l' || escaped[i] == 'r'));
    } else if (escaped.compare(i, 5, "&amp;") == 0) {
      result += '&';
      i += 4;
    } else {
      if (escaped[i] == '&') FAIL_CHECK("an entity: " << escaped);
      result += escaped[i];
    }
  }
  return result;
}

// ---- is a picture right?

bool near(double a, double b) { return a - b < 0.11 && b - a < 0.11; }

/// Compares a whole picture with its trace.
class PictureCheck {
 public:
  PictureCheck(const Trace& trace, const LadderOptions& options)
      : trace_(trace),
        options_(options),
        ladder_(layOut(trace, options)),
        text_(toDot(ladder_)),
        dot_(text_) {
    for (const Json& node : trace.header["nodes"]) {
      const std::string id = "head-" + std::to_string(lane_x_.size());
      REQUIRE(dot_.nodes.contains(id));
      lane_x_[node["id"].get<std::int64_t>()] = dot_.nodes.at(id).x();
    }
    collect();
  }

  void run() {
    collectTurns();
    checkMessages();
    checkLifelines();
    checkBoxes();
    checkNothingElse();
  }

 private:
  struct Expected {
    std::int64_t from = 0, to = 0;
    std::optional<std::uint64_t> sent, left, end;
    bool lost = false, waiting = false;
  };

  /// What the roles and phases of the trace make of the lifelines.
  struct Turn {
    std::string tone, label;
  };

  void collectTurns() {
    struct Standing {
      std::string role, phase;  // the phase: if it has a tone
    };
    std::map<std::int64_t, Standing> present;
    const Json &roles = trace_.header["roles"], &phases = trace_.header["phases"];
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == "started" || event.kind == "stopped") present.erase(*event.node);
      if (event.kind != "role" && event.kind != "phase") continue;
      Standing& now = present[*event.node];
      const Standing before = now;
      now.role = event.data[event.kind == "role" ? "to" : "role"].get<std::string>();
      now.phase = event.data.value("phase", "");
      if (!phases.contains(now.phase)) now.phase = "";
      const bool role_too = event.kind == "role" || now.role != before.role;
      if (!role_too && now.phase == before.phase) continue;
      Turn& turn = turns_[event.index];
      turn.tone = now.phase.empty() ? roles.value(now.role, "other") : phases[now.phase].get<std::string>();
      turn.label = now.phase.empty() ? now.role : role_too ? now.role + "\\n" + now.phase : now.phase;
    }
  }

  bool isClient(std::int64_t id) const {
    const Json& nodes = trace_.header["nodes"];
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const Json& node) { return node["id"] == id && node["kind"] == "client"; });
  }

  void collect() {
    for (const TraceEvent& event : trace_.events) {
      if (!event.data.contains("message")) continue;
      Expected& message = messages_[event.data["message"].get<int>()];
      if (event.kind == "sent") {
        message.from = *event.node;
        message.to = event.data["to"].get<std::int64_t>();
        message.sent = event.index;
        message.waiting = event.data.value("waiting", false);
        if (!message.waiting) message.left = event.index;
      }
      if (event.kind == "transmitted") message.left = event.index;
      if (event.kind == "delivered" || event.kind == "lost") message.end = event.index;
      if (event.kind == "lost") message.lost = true;
    }
    for (const Element& edge : dot_.edges) {
      if (edge.has("message")) edges_[edge.id()].push_back(&edge);
    }
  }

  const Element& node(const std::string& name) const {
    REQUIRE_MESSAGE(dot_.nodes.contains(name), name);
    return dot_.nodes.at(name);
  }

  bool folded(int number) const { return folded_.contains(number); }

  void checkMessages() {
    int drawn = 0, folded = 0;
    for (const auto& [number, message] : messages_) {
      const std::string id = 'm' + std::to_string(number);
      CAPTURE(id);
      if (message.from == message.to && !options_.self_messages) {
        CHECK(!edges_.contains(id));
        continue;
      }
      if (!edges_.contains(id)) {
        const TraceEvent& sent = trace_.events[*message.sent];
        CHECK(options_.fold_heartbeats);
        CHECK(sent.data["type"] == "PING");
        folded_.insert(number);
        ++folded;
        continue;
      }
      ++drawn;
      REQUIRE(edges_.at(id).size() == 1);
      checkMessage(*edges_.at(id).front(), number, message);
    }
    CHECK(edges_.size() == static_cast<std::size_t>(drawn));
    const bool told =
        std::any_of(ladder_.subtitle.begin(), ladder_.subtitle.end(),
                    [](const std::string& line) { return line.find("folded") != std::string::npos; });
    CHECK(told == (folded > 0));
  }

  void checkMessage(const Element& edge, int number, const Expected& message) const {
    const Element &tail = node(edge.from), &head = node(edge.to);
    const double from_x = lane_x_.at(message.from), to_x = lane_x_.at(message.to);
    CHECK(tail.y() < head.y());
    CHECK(edge.has("lost") == message.lost);
    CHECK(edge.has("unsent") == !message.left.has_value());
    CHECK(edge.has("under-way") == !message.end.has_value());
    CHECK(dot_.nodes.contains("loss-" + std::to_string(number)) == message.lost);
    if (message.left) CHECK(near(tail.x(), from_x));
    if (message.end && !message.lost) CHECK(near(head.x(), to_x));
    if (message.lost && message.left && message.from != message.to) {
      CHECK(edge.to == "loss-" + std::to_string(number));
      CHECK(head.x() > std::min(from_x, to_x));
      CHECK(head.x() < std::max(from_x, to_x));
    }
    if (!message.left) CHECK(std::abs(tail.x() - from_x) < 45);
    const bool waited = message.waiting && message.left;
    const auto waits = [&](const Element& other) { return other.id() == "wait-" + std::to_string(number); };
    CHECK(std::count_if(dot_.edges.begin(), dot_.edges.end(), waits) == (waited ? 1 : 0));
    const std::string shown = shownText(edge.get("tooltip"));
    CHECK(shown.find("message " + std::to_string(number) + ":") == 0);
  }

  /// Stretches of lifelines, one after the other, of the right tones.
  void checkLifelines() {
    std::map<std::int64_t, std::vector<const Element*>> bands;
    for (const auto& [name, element] : dot_.nodes) {
      if (!element.has("band")) continue;
      for (const auto& [id, x] : lane_x_) {
        if (near(element.x(), x)) bands[id].push_back(&element);
      }
    }
    for (auto& [node_id, list] : bands) {
      const std::int64_t id = node_id;
      std::sort(list.begin(), list.end(), [](const Element* a, const Element* b) { return a->y() < b->y(); });
      std::vector<std::string> found, expected;
      const std::size_t lane = static_cast<std::size_t>(std::distance(lane_x_.begin(), lane_x_.find(id)));
      expected.push_back(isClient(id) ? "client life-" + std::to_string(lane) : "absent");
      for (const Element* band : list) found.push_back(stretch(*band));
      for (const TraceEvent& event : trace_.events) {
        if (event.node == id) expect(event, expected);
      }
      CAPTURE(id);
      CHECK(found == expected);
      for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        const double below = list[i]->y() + std::atof(list[i]->get("height").c_str()) * 36;
        const double above = list[i + 1]->y() - std::atof(list[i + 1]->get("height").c_str()) * 36;
        CHECK(below - above < 0.2);
        CHECK(above - below < 0.2);
      }
    }
    CHECK(bands.size() == lane_x_.size());
  }

  static std::string stretch(const Element& band) {
    std::istringstream words(band.get("class"));
    std::string word, tone;
    words >> word >> tone;
    return tone + (band.has("paused") ? " paused" : "") + (tone == "absent" ? "" : " " + band.id());
  }

  void expect(const TraceEvent& event, std::vector<std::string>& stretches) const {
    const std::string index = std::to_string(event.index);
    const auto tone = [&] {
      const std::string& last = stretches.back();
      return last.substr(0, last.find(' '));
    };
    const char* up = isClient(*event.node) ? "client" : "unknown";
    if (event.kind == "started") stretches.push_back(std::string(up) + " up-" + index);
    if (event.kind == "stopped") stretches.push_back("down down-" + index);
    if (event.kind == "paused") stretches.push_back(tone() + " paused pause-" + index);
    if (event.kind == "resumed") stretches.push_back(tone() + " resume-" + index);
    if (!turns_.contains(event.index)) return;
    // A role right after a first start takes the place of the bare start.
    const TraceEvent& before = trace_.events[event.index - 1];
    const bool at_start =
        before.kind == "started" && before.node == event.node && before.data["how"] != "restart";
    if (at_start) stretches.pop_back();
    stretches.push_back(turns_.at(event.index).tone + " role-" + index);
  }

  void checkBoxes() const {
    static const std::map<std::string, std::string> signs = {
        {"proposed", "□"}, {"durable", "■"}, {"committed", "✓"}, {"gone", "✗"}};
    std::size_t expected = 0;
    for (const TraceEvent& event : trace_.events) {
      if (!event.data.contains("picture")) continue;
      ++expected;
      const std::string id = "box-" + std::to_string(event.index);
      const Element& box = node(id);
      const Json& picture = event.data["picture"];
      CHECK(box.has("quorum") == picture.value("quorum", false));
      for (std::size_t i = 0; i < picture["cells"].size(); ++i) {
        const std::string mark = picture["cells"][i]["mark"].get<std::string>();
        const std::string words = picture["cells"][i]["text"].get<std::string>();
        const Element& drawn = node(id + '-' + std::to_string(i));
        CHECK(drawn.has(words == "…" ? "omitted" : mark));
        CHECK(shownText(drawn.get("label")) == words + (signs.contains(mark) ? signs.at(mark) : ""));
      }
      CHECK(!dot_.nodes.contains(id + '-' + std::to_string(picture["cells"].size())));
      for (const auto& [lane, x] : lane_x_) {
        if (lane != *event.node) CHECK(std::abs(box.x() - lane_x_.at(*event.node)) < std::abs(box.x() - x));
      }
      if (!picture.contains("caption")) continue;
      CHECK(shownText(node(id + "-caption").get("label")) == picture["caption"].get<std::string>());
    }
    CHECK(count("box") == expected);
  }

  std::size_t count(const std::string& word) const {
    return static_cast<std::size_t>(std::count_if(dot_.nodes.begin(), dot_.nodes.end(),
                                                  [&](const auto& entry) { return entry.second.has(word); }));
  }

  void checkNothingElse() const {
    std::size_t losses = 0, crashes = 0, restarts = 0;
    for (const auto& [number, message] : messages_) {
      const bool self = message.from == message.to && !options_.self_messages;
      if (message.lost && !self && !folded(number)) ++losses;
    }
    for (const TraceEvent& event : trace_.events) {
      const std::string how = event.data.contains("how") ? event.data["how"].get<std::string>() : "";
      if (event.kind == "stopped" && (how == "kill" || how == "power_loss")) {
        ++crashes;
        const Element& crash = node("crash-" + std::to_string(event.index));
        CHECK(crash.has(how == "kill" ? "kill" : "power-loss"));
        CHECK(near(crash.x(), lane_x_.at(*event.node)));
      }
      if (how == "restart") {
        ++restarts;
        CHECK(near(node("restart-" + std::to_string(event.index)).x(), lane_x_.at(*event.node)));
      }
      const auto turn = turns_.find(event.index);
      if (turn == turns_.end()) continue;
      const Element& tag = node("tag-" + std::to_string(event.index));
      CHECK(tag.get("label") == turn->second.label);
      CHECK(tag.has(turn->second.tone));
    }
    CHECK(count("loss") == losses);
    CHECK(count("crash") == crashes);
    CHECK(count("restart") == restarts);
    CHECK(count("role") == turns_.size());
    std::set<std::string> ids;
    for (const auto& entry : dot_.nodes) {
      CHECK_MESSAGE(ids.insert(entry.second.id()).second, entry.second.id());
    }
    for (const Element& edge : dot_.edges) {
      CHECK(dot_.nodes.contains(edge.from));
      CHECK(dot_.nodes.contains(edge.to));
      CHECK_MESSAGE(ids.insert(edge.id()).second, edge.id());
    }
  }

  const Trace& trace_;
  const LadderOptions& options_;
  Ladder ladder_;
  std::string text_;
  DotReader dot_;
  std::map<std::int64_t, double> lane_x_;
  std::map<std::uint64_t, Turn> turns_;  ///< by event
  std::map<int, Expected> messages_;
  std::map<std::string, std::vector<const Element*>> edges_;
  std::set<int> folded_;
};

void checkPicture(const Trace& trace, const LadderOptions& options) { PictureCheck(trace, options).run(); }

/// What viz/ladder.h promises of every layout.
void checkLayout(const Ladder& ladder) {
  std::vector<std::pair<std::string, Rect>> things;
  const auto add = [&](const std::string& name, const Rect& place) { things.emplace_back(name, place); };
  std::vector<Rect> labels;
  for (const Arrow& arrow : ladder.arrows) {
    const std::string number = std::to_string(arrow.message);
    CHECK(arrow.start.y < arrow.end.y);
    if (arrow.label_place) {
      add("label " + number, *arrow.label_place);
      labels.push_back(*arrow.label_place);
    }
    if (arrow.caption_place) add("cause " + number, *arrow.caption_place);
    const Tenths half = arrow.left ? 40 : 30;
    if (arrow.fate == Arrow::Fate::lost) {
      add("loss " + number, {arrow.end.x - half, arrow.end.y - half, arrow.end.x + half, arrow.end.y + half});
    }
  }
  for (const Box& box : ladder.boxes) add("box " + std::to_string(box.event), box.place);
  for (const Tag& tag : ladder.tags) {
    if (!tag.text.empty()) add("tag " + std::to_string(tag.event), tag.place);
  }
  for (const Shade& shade : ladder.shades) {
    if (shade.text_place) add(shade.id, *shade.text_place);
  }
  for (const Divider& divider : ladder.dividers) {
    if (divider.place && !divider.text.empty())
      add("divider " + std::to_string(divider.event), *divider.place);
  }
  for (const Heads& heads : ladder.heads) {
    for (const Rect& head : heads.places) add("head " + std::to_string(heads.row), head);
  }
  for (std::size_t i = 0; i < things.size(); ++i) {
    for (std::size_t j = i + 1; j < things.size(); ++j) {
      if (!things[i].second.overlaps(things[j].second)) continue;
      FAIL_CHECK(things[i].first << " on " << things[j].first);
    }
  }
  for (const auto& thing : things) {
    const Rect& place = thing.second;
    CHECK_MESSAGE((place.left >= 0 && place.right <= ladder.width && place.bottom <= ladder.height),
                  thing.first);
  }
  for (const Band& band : ladder.bands) {
    CHECK_MESSAGE((band.top >= ladder.rows_top && band.bottom <= ladder.rows_bottom), band.id);
  }
  for (const Rect& label : labels) {
    CHECK(std::none_of(ladder.lanes.begin(), ladder.lanes.end(), [&](const Lane& lane) {
      return label.overlaps({lane.x - 70, label.top, lane.x + 70, label.bottom});
    }));
  }
  for (std::size_t i = 0; i + 1 < ladder.narration.size(); ++i) {
    CHECK(ladder.narration[i].place.bottom <= ladder.narration[i + 1].place.top);
    CHECK(ladder.narration[i].place.right <= ladder.lanes_left);
  }
  for (std::size_t i = 0; i + 1 < ladder.rows.size(); ++i)
    CHECK(ladder.rows[i].y + 240 <= ladder.rows[i + 1].y);
}

// ---- files

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void checkGolden(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(ZABLAB_SOURCE_DIR) / "tests/data/viz" / name;
  if (std::getenv("ZABLAB_WRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  CHECK_MESSAGE(readFile(path) == text, name,
                " is not what is drawn; look at the difference, then write it anew");
}

/// A folder that is gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "zablab-viz-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  std::string script(const std::string& text) const {
    const fs::path file = path / "program";
    std::ofstream(file) << "#!/bin/sh\n" << text;
    chmod(file.c_str(), 0755);
    return file.string();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }

  fs::path path;
};

GraphvizError::Kind failure(const std::function<void()>& draw, const std::string& words) {
  try {
    draw();
  } catch (const GraphvizError& error) {
    CHECK_MESSAGE(std::string(error.what()).find(words) != std::string::npos, error.what());
    return error.kind;
  }
  FAIL("nothing failed");
  return GraphvizError::Kind::failed;
}

/// Draws with the real program where there is one.
void drawIfPossible(const std::string& dot, const std::function<void(const std::string&)>& look) {
  const Folder folder;
  const std::string path = (folder.path / "out.svg").string();
  try {
    drawDot(dot, ImageFormat::svg, path, {});
  } catch (const GraphvizError& error) {
    REQUIRE_MESSAGE(error.kind == GraphvizError::Kind::missing, error.what());
    return;
  }
  CHECK(folder.files() == 1);
  look(readFile(path));
}

/// Every language's worst: quotes, escapes, markup, control and invisible characters, broken UTF-8.
std::string nastyText(Dice& dice) {
  static const std::vector<std::string> parts = {"\"",
                                                 "\\",
                                                 "\\\\",
                                                 "\\n",
                                                 "\\N",
                                                 "\\\"",
                                                 "<",
                                                 ">",
                                                 "&",
                                                 "&amp;",
                                                 "&#39;",
                                                 "<B>",
                                                 "</TD>",
                                                 "]]>",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 std::string(1, '\0'),
                                                 "\x01",
                                                 "\x1b[31m",
                                                 "\x7f",
                                                 "\xc3",
                                                 "\xff\xfe",
                                                 "\xe2\x80\xae",
                                                 "\xef\xbf\xbf",
                                                 "ä",
                                                 "→",
                                                 "漢字",
                                                 "😀",
                                                 "́",
                                                 "%s",
                                                 "$(reboot)",
                                                 "`",
                                                 "'",
                                                 ";",
                                                 "];",
                                                 "//",
                                                 "/*",
                                                 "#",
                                                 "-->",
                                                 "a",
                                                 "b c",
                                                 " "};
  std::string text;
  for (int i = dice.below(12); i >= 0; --i)
    text += parts[static_cast<std::size_t>(dice.below(static_cast<int>(parts.size())))];
  return text;
}

Trace nastyTrace(std::uint64_t seed) {
  Dice dice(seed);
  TraceBuilder t(nastyText(dice), 3);
  t.trace.header["variant"] = nastyText(dice);
  t.trace.header["mutations"] = Json::array({nastyText(dice)});
  t.trace.header["label"] = nastyText(dice);
  for (Json& node : t.trace.header["nodes"]) {
    node["name"] = nastyText(dice);
    node["kind"] = nastyText(dice);
  }
  for (int node = 1; node <= 3; ++node) t.start(node);
  t.now = 5;
  const auto nasty = [&] { return nastyText(dice); };
  const std::vector<std::string> words = {nasty(), nasty(), nasty(), nasty(), nasty(), nasty(),
                                          nasty(), nasty(), nasty(), nasty(), nasty(), nasty()};
  const int one = t.send(1, 2, words[0], {{"content", words[1]}}, words[2]);
  const int two = t.send(1, 3, words[3], Json::object(), words[4]);
  t.now = 6;
  t.deliver(one, words[5]);
  Json picture = {{"cells", Json::array({{{"text", words[6]}, {"mark", words[7]}}})}, {"quorum", true}};
  picture["caption"] = words[8];
  t.add(2, "box", {{"picture", picture}}, words[9]);
  t.trace.header["phases"] = {{words[1], "syncing"}};
  t.role(2, words[10], words[11], words[1]);
  t.lose(two, nastyText(dice));
  t.add(3, "stopped", {{"how", "exit"}, {"reason", nastyText(dice)}}, words[1]);
  t.add(std::nullopt, nastyText(dice), {{"selector", words[2]}}, words[3]);
  t.add(std::nullopt, "held", {{"selector", nastyText(dice)}});
  t.add(std::nullopt, "note", Json::object(), nastyText(dice));
  t.trace.verdicts.push_back({nastyText(dice), "invariant", "violated", 1, nastyText(dice), 3});
  return t.trace;
}

bool isHarmless(const std::string& text, bool ascii) {
  return std::all_of(text.begin(), text.end(), [=](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\n' || (byte >= 0x20 && byte != 0x7F && (!ascii || byte < 0x7F));
  });
}

// ---- tests

const std::vector<RowMode> all_modes = {RowMode::event, RowMode::causal, RowMode::time};

TEST_CASE("viz: a picture is right") {
  for (const Trace& trace : {threeServersStart(), leaderCrashes(), leaderFailsOver()}) {
    for (const RowMode mode : all_modes) {
      for (const bool self : {false, true}) {
        LadderOptions options;
        options.rows = mode;
        options.self_messages = self;
        checkPicture(trace, options);
        checkLayout(layOut(trace, options));
      }
    }
  }
}

TEST_CASE("viz: pictures of generated traces are right") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Trace trace = randomTrace(seed, 15 + static_cast<int>(seed % 7) * 12);
    for (const RowMode mode : all_modes) {
      LadderOptions options;
      options.rows = mode;
      options.self_messages = seed % 3 == 0;
      options.fold_heartbeats = seed % 4 != 0;
      checkPicture(trace, options);
      checkLayout(layOut(trace, options));
    }
  }
}

TEST_CASE("viz: golden texts") {
  const Ladder start = layOut(threeServersStart(), {});
  checkGolden("start.dot", toDot(start));
  checkGolden("start.txt", toText(start, {120, false, false}));
  LadderOptions dark;
  dark.theme = Theme::dark;
  const Ladder crash = layOut(leaderCrashes(), dark);
  checkGolden("crash.dot", toDot(crash));
  checkGolden("crash.txt", toText(crash, {100, true, false}));
  const Ladder failover = layOut(leaderFailsOver(), {});
  checkGolden("failover.dot", toDot(failover));
  checkGolden("failover.txt", toText(failover, {160, false, false}));
}

TEST_CASE("viz: Graphviz draws the golden pictures") {
  for (const Trace& trace : {threeServersStart(), leaderCrashes(), leaderFailsOver()}) {
    const std::string text = toDot(layOut(trace, {}));
    const DotReader dot(text);
    drawIfPossible(text, [&](const std::string& svg) {
      CHECK(svg.find("</svg>") != std::string::npos);
      for (const Element& edge : dot.edges) {
        if (!edge.has("message")) continue;
        CHECK(svg.find("<g id=\"" + edge.id() + "\" class=\"edge message ") != std::string::npos);
      }
    });
  }
}

TEST_CASE("viz: whatever the texts hold, the DOT text stays well-formed") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const Trace trace = nastyTrace(seed);
    const Ladder ladder = layOut(trace, {});
    const std::string text = toDot(ladder);
    const DotReader dot(text);
    for (const Lane& lane : ladder.lanes) CHECK(clean(lane.name) == lane.name);
    for (const Arrow& arrow : ladder.arrows) {
      const std::string id = "label-" + std::to_string(arrow.message);
      if (arrow.label_place) CHECK(shownText(dot.nodes.at(id).get("label")) == arrow.label);
    }
    CHECK(isHarmless(text, false));
    for (const Narration& entry : ladder.narration) {
      if (entry.kind == Narration::Kind::violation) continue;
      const std::string id = "text-" + std::to_string(entry.event);
      CHECK(shownText(dot.nodes.at(id).get("label")) == entry.lines.front());
    }
    for (const bool ascii : {false, true}) {
      CHECK(isHarmless(toText(ladder, {100, ascii, false}), ascii));
    }
    if (seed % 25 != 0) continue;
    drawIfPossible(text, [](const std::string& svg) { CHECK(svg.find("</svg>") != std::string::npos); });
  }
}

TEST_CASE("viz: text for pictures is made harmless and measured") {
  CHECK(clean("a\tb\n") == "a␉b␊");
  CHECK(clean("\x7f\xc2\x85") == "␡�");
  CHECK(clean("ok \xe2\x80\xae\xff\xed\xa0\x80") == "ok \ufffd\ufffd\ufffd\ufffd\ufffd");
  CHECK(clean("→漢😀") == "→漢😀");
  CHECK(columns("→漢😀e\xcc\x81") == 6);
  CHECK(textWidth("il", Face::sans, 100) < textWidth("mw", Face::sans, 100));
  CHECK(textWidth("il", Face::mono, 100) == textWidth("mw", Face::mono, 100));
  CHECK(elideColumns("abcdef", 4) == "abc…");
  CHECK(elideColumns("abcd", 4) == "abcd");
  CHECK(wrapColumns("one two three", 7, 5) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapColumns("one two three", 7, 1) == std::vector<std::string>{"one tw…"});
  CHECK(wrapColumns("abcdefghij k", 4, 5) == std::vector<std::string>{"abcd", "efgh", "ij k"});
  CHECK(wrapColumns("", 4, 5).empty());
}

TEST_CASE("viz: unrelated steps of one instant share a row, related ones do not") {
  TraceBuilder t("rows", 3);
  for (int node = 1; node <= 3; ++node) t.start(node);
  const int message = t.send(1, 2, "x");
  t.deliver(message);
  const Ladder ladder = layOut(t.trace, {});
  REQUIRE(ladder.rows.size() == 2);
  CHECK(ladder.arrows.at(0).row_from == 0);
  CHECK(ladder.arrows.at(0).row_to == 1);
}

TEST_CASE("viz: events that draw nothing take no row") {
  TraceBuilder t("rows", 2);
  t.start(1);
  t.now = 5;
  t.add(1, "timer", {{"timer", "tick"}});
  t.add(1, "written", {{"record", "epoch"}});
  t.now = 9;
  t.add(1, "timer", {{"timer", "tick"}}, "its patience ends");
  const Ladder ladder = layOut(t.trace, {});
  CHECK(ladder.rows.size() == 2);
  CHECK(ladder.rows[1].number == 4);
}

TEST_CASE("viz: heartbeats are folded and counted") {
  const Trace trace = leaderCrashes();
  const Ladder folded = layOut(trace, {});
  const auto fold = std::find_if(folded.narration.begin(), folded.narration.end(),
                                 [](const Narration& entry) { return entry.kind == Narration::Kind::fold; });
  REQUIRE(fold != folded.narration.end());
  CHECK(fold->full == "12 × PING folded");
  LadderOptions all;
  all.fold_heartbeats = false;
  CHECK(layOut(trace, all).arrows.size() == folded.arrows.size() + 12);
  LadderOptions more;
  more.heartbeats = {"VOTE"};
  CHECK(layOut(trace, more).arrows.size() < folded.arrows.size());
}

TEST_CASE("viz: a window, a choice of servers or of kinds, and a page say what they leave out") {
  const Trace trace = threeServersStart();
  const Ladder whole = layOut(trace, {});
  const auto has = [](const std::vector<std::string>& lines, const std::string& words) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  CHECK(whole.banners_top.empty());
  CHECK(whole.banners_bottom.empty());

  LadderOptions page;
  page.page_rows = 3;
  const Ladder first = layOut(trace, page);
  CHECK(first.rows.size() == 3);
  REQUIRE(has(first.banners_bottom, "3 of " + std::to_string(whole.rows.size()) + " rows drawn"));
  CHECK(has(first.banners_bottom, "--from " + std::to_string(whole.rows[3].number)));
  checkLayout(first);

  LadderOptions rest;
  rest.from = Bound{Bound::Unit::event, static_cast<std::int64_t>(whole.rows[3].number)};
  const Ladder second = layOut(trace, rest);
  CHECK(second.rows.size() == whole.rows.size() - 3);
  CHECK(has(second.banners_top, "left out: --from 0"));
  CHECK(std::any_of(second.bands.begin(), second.bands.end(),
                    [](const Band& band) { return band.row_from < 0 && band.role == "LOOKING"; }));
  checkLayout(second);

  LadderOptions times;
  times.from = Bound{Bound::Unit::time_ms, 5};
  times.to = Bound{Bound::Unit::time_ms, 9};
  const Ladder middle = layOut(trace, times);
  CHECK(middle.rows.front().time == 5);
  CHECK(middle.rows.back().time == 9);
  checkLayout(middle);

  LadderOptions servers;
  servers.nodes = {1, 3};
  const Ladder two = layOut(trace, servers);
  CHECK(two.lanes.size() == 2);
  CHECK(has(two.subtitle, "messages of other servers"));
  checkLayout(two);

  LadderOptions kinds;
  kinds.kinds = {"sent"};
  const Ladder bare = layOut(trace, kinds);
  CHECK(bare.boxes.empty());
  CHECK(bare.arrows.size() == whole.arrows.size());
  kinds.kinds = {"box"};
  CHECK(layOut(trace, kinds).arrows.empty());
  CHECK(layOut(trace, kinds).boxes.size() == whole.boxes.size());
}

TEST_CASE("viz: a partition is shaded by its sides, a cut of single ways is named") {
  const Ladder ladder = layOut(leaderCrashes(), {});
  std::vector<std::string> texts;
  for (const Shade& shade : ladder.shades) texts.push_back(shade.text);
  CHECK(texts == std::vector<std::string>{"cut: 1 → 2 (one way)", "1 alone", "2, 3 among themselves"});
}

TEST_CASE("viz: a phase with a tone of its own changes the band, and the label says so once") {
  const Ladder ladder = layOut(leaderFailsOver(), {});
  const auto lane = [&](const std::string& name) {
    const auto found = std::find_if(ladder.lanes.begin(), ladder.lanes.end(),
                                    [&](const Lane& one) { return one.name == name; });
    return static_cast<int>(found - ladder.lanes.begin());
  };
  const auto bands = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const Band& band : ladder.bands) {
      if (band.lane != lane(name) || band.tone == Tone::absent) continue;
      result.push_back(band.role + (band.phase.empty() ? "" : " · " + band.phase));
      CHECK((band.tone == Tone::syncing) == !band.phase.empty());
    }
    return result;
  };
  const auto tags = [&](const std::string& name) {
    std::vector<std::string> result;
    for (const Tag& tag : ladder.tags) {
      if (tag.lane == lane(name) && tag.kind == Tag::Kind::role)
        result.push_back(tag.text + (tag.detail.empty() ? "" : " · " + tag.detail));
    }
    return result;
  };
  CHECK(bands("D") == std::vector<std::string>{"FOLLOWING", "LOOKING", "LEADING · discovery",
                                               "LEADING · synchronization", "LEADING"});
  CHECK(tags("D") == std::vector<std::string>{"FOLLOWING", "LOOKING", "LEADING · discovery",
                                              "synchronization", "LEADING"});
  CHECK(bands("client 101") == std::vector<std::string>{""});
  CHECK(tags("client 101").empty());
}

TEST_CASE("viz: the legend has every look that occurs, once") {
  std::vector<std::string> texts;
  for (const LegendEntry& entry : layOut(leaderFailsOver(), {}).legend) texts.push_back(entry.text);
  const std::vector<std::string> expected = {"LOOKING",
                                             "LEADING",
                                             "FOLLOWING",
                                             "syncing",
                                             "down",
                                             "crash",
                                             "restart",
                                             "VOTE",
                                             "REQUEST, REPLY",
                                             "PROPOSAL",
                                             "COMMIT",
                                             "ACK",
                                             "FOLLOWERINFO, LEADERINFO, ACKEPOCH",
                                             "DIFF, NEWLEADER, UPTODATE",
                                             "lost",
                                             "counted",
                                             "nothing heard yet",
                                             "logged, not durable yet",
                                             "durable",
                                             "committed",
                                             "gone",
                                             "quorum",
                                             "label = (round, candidate, zxid)"};
  CHECK(texts == expected);
}

TEST_CASE("viz: a client is on no side of a partition that does not touch it") {
  TraceBuilder t("cut", 3);
  t.addClient(101);
  for (int node = 1; node <= 3; ++node) t.start(node);
  const auto blocks = [&] {
    std::vector<std::string> texts;
    for (const Shade& shade : layOut(t.trace, {}).shades) {
      texts.push_back(shade.text + " " + std::to_string(shade.lane_from) + std::to_string(shade.lane_to));
    }
    return texts;
  };
  t.now = 5;
  t.links("cut", {{1, 2}, {2, 1}, {1, 3}, {3, 1}});
  CHECK(blocks() == std::vector<std::string>{"1 alone 00", "2, 3 among themselves 12"});
  t.links("cut", {{1, 101}, {101, 1}});
  CHECK(blocks().back() == "2, 3, client 101 among themselves 13");
}

TEST_CASE("viz: an empty trace and a trace without servers have a picture") {
  Trace trace;
  const Ladder nothing = layOut(trace, {});
  const std::string text = toDot(nothing);
  const DotReader dot(text);
  CHECK(!toText(nothing, {}).empty());
  trace.header["nodes"] = Json::array({{{"id", 1}}});
  const Ladder one = layOut(trace, {});
  CHECK(one.lanes.size() == 1);
  CHECK(one.banners_bottom.size() == 1);
}

TEST_CASE("viz: text keeps to its width, and says when it cuts") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Ladder ladder = layOut(randomTrace(seed, 60), {});
    if (ladder.lanes.size() > 5) continue;
    for (const int width : {100, 130, 160}) {
      std::istringstream lines(toText(ladder, {width, seed % 2 == 0, false}));
      std::string line;
      while (std::getline(lines, line)) {
        CHECK(columns(line) <= width);
        CHECK((line.empty() || line.back() != ' '));
      }
    }
  }
  TraceBuilder t("cut", 5);
  for (int node = 1; node <= 5; ++node) t.start(node);
  t.now = 3;
  t.deliver(t.send(1, 2, "a label as long as thirty five"));
  CHECK(toText(layOut(t.trace, {}), {100, false, false}).find("cut to fit 100 columns") != std::string::npos);
  CHECK(toText(layOut(threeServersStart(), {}), {140, false, false}).find("cut to fit") == std::string::npos);
  CHECK(toText(layOut(t.trace, {}), {100, false, true}).find("\033[") != std::string::npos);
}

TEST_CASE("viz: the text has the rows of the picture") {
  const Ladder ladder = layOut(threeServersStart(), {});
  std::istringstream lines(toText(ladder, {140, false, false}));
  std::string line;
  std::vector<std::string> numbers;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first;
    if (words >> first &&
        std::all_of(first.begin(), first.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      if (line.find("ms") != std::string::npos || line.size() > 6) numbers.push_back(first);
    }
  }
  std::vector<std::string> expected = {"1"};  // the line of names
  for (const Row& row : ladder.rows) expected.push_back(std::to_string(row.number));
  CHECK(numbers == expected);
}

TEST_CASE("viz: running a program that fails leaves no file behind") {
  const Folder folder;
  const std::string out = (folder.path / "out.svg").string();
  const std::string dot = toDot(layOut(threeServersStart(), {}));
  GraphvizOptions options;

  options.program = "zablab-no-such-program";
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); }, "package `graphviz`") ==
        GraphvizError::Kind::missing);
  options.program = folder.script("echo first >&2; echo 'syntax error near x' >&2; exit 3\n");
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); },
                "ended with status 3\n  first\n  syntax error") == GraphvizError::Kind::failed);
  options.program = folder.script("kill -9 $$\n");
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); }, "signal 9") ==
        GraphvizError::Kind::failed);
  options.program = folder.script("exec sleep 20\n");
  options.time_limit_ms = 200;
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, out, options); }, "longer than 200 ms") ==
        GraphvizError::Kind::timed_out);
  CHECK(failure([&] { drawDot(dot, ImageFormat::svg, (folder.path / "no/out.svg").string(), options); },
                "cannot write") == GraphvizError::Kind::file);
  CHECK(folder.files() == 1);  // the script
}

TEST_CASE("viz: what the program writes replaces the file") {
  const Folder folder;
  const fs::path out = folder.path / "out.svg";
  std::ofstream(out) << "old";
  GraphvizOptions options;
  options.program = folder.script("echo \"$@\"; exec cat\n");
  drawDot(std::string(300'000, 'x'), ImageFormat::png, out.string(), options);
  CHECK(readFile(out) == "-Tpng -Gdpi=96\n" + std::string(300'000, 'x'));
  options.program = folder.script("exec 0<&-; echo done\n");  // reads nothing
  drawDot(std::string(300'000, 'x'), ImageFormat::svg, out.string(), options);
  CHECK(readFile(out) == "done\n");
  CHECK(folder.files() == 2);
}

TEST_CASE("viz: a PNG that cairo could not draw is refused before anything runs") {
  Ladder ladder = layOut(threeServersStart(), {});
  ladder.height = 400'000;
  GraphvizOptions options;
  options.program = "zablab-no-such-program";
  CHECK(failure([&] { drawLadder(ladder, ImageFormat::png, "/nowhere/out.png", options); }, "--page") ==
        GraphvizError::Kind::too_large);
}

TEST_CASE("viz: a long trace is drawn in pages without much ado") {
  const Trace trace = randomTrace(5, 3000);
  const Ladder ladder = layOut(trace, {});
  CHECK(ladder.rows.size() == 400);
  CHECK(ladder.heads.size() == 10);
  REQUIRE(ladder.banners_bottom.size() >= 1);
  CHECK(ladder.banners_bottom[0].find("400 of ") == 0);
}

}  // namespace
}  // namespace zablab::viz
