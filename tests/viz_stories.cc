#include "tests/viz_stories.h"

namespace zablab::viz {
namespace {

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

}  // namespace

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

}  // namespace zablab::viz
