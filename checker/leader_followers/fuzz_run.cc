#include "checker/leader_followers/fuzz_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "checker/fuzz/swarm.h"
#include "checker/fuzz/watcher_of.h"
#include "sim/leader_followers/binding.h"

namespace zablab {
namespace leader_followers {
namespace {

class LeaderFollowersSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  /// The family's own topics.
  enum : std::uint8_t { blocking_disk = Topic::first_free };

  std::string mainLink() const override { return "server"; }
  Json turn(ServerId server) const override { return {{"connect", server}}; }
  std::vector<std::string> struck() const override {
    return names({VoteRequest::name, VoteResponse::name, Append::name, AppendResponse::name, Append::name,
                  AppendResponse::name, Forwarded::name});
  }
  std::vector<std::string> clogged() const override { return struck(); }

  Json drawConfig() override {
    Draws draws = drawsOf(Topic::timing);
    const TimingSpec& timing = scenario().timing;
    // Large enough for sending an entry, its fsync after another one, and sending the answer.
    const Millis round_trip = 2 * (timing.latency_ms.hi + timing.fsync_ms.hi);
    const Millis least = std::max(draws.of(2, std::array<Millis, 3>{300, 600, 1000}), 3 * round_trip);
    Json config{{"election_timeout_min_ms", least},
                {"election_timeout_max_ms", 2 * least - 1},
                {"heartbeat_ms", least / 5},
                {"check_quorum_ms", least}};
    if (has(blocking_disk, "blocking_disk")) config["waits_for_disk"] = true;
    quiet_ms = 4 * least + 1000;
    slow_ms_max = std::min<Millis>(150, least / 8);
    // A write requested of a follower takes six messages, four of them between servers, and waits for two
    // disks, each after another entry.
    read_after_ms = 3 * round_trip + 4 * slow_ms_max;
    return config;
  }

  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    std::int64_t nth_max = 6;
    const std::int64_t kind = draws(3, 0, 9);
    if (kind < 3) {
      event["kind"] = "written";
      event["record"] =
          draws.of(5, names({WriteVote::name, WriteEntry::name, WriteEntry::name, Truncate::name}));
      point.writes = true;
    } else if (kind < 5) {
      event["kind"] = "synced";
      nth_max = 12;
    } else if (kind < 8) {
      point.sends = kind >= 7;
      event["kind"] = point.sends ? "sent" : "delivered";
      event["type"] = draws.of(6, struck());
    } else {
      event["kind"] = "role";
      event["to"] = draws.of(
          7, names({enumName(Role::LOOKING_FOR_LEADER), enumName(Role::FOLLOWING), enumName(Role::LEADING)}));
    }
    return placedAt(draws, std::move(point), std::move(event), nth_max);
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 2);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = anyone(draws, 1)});
      for (std::int64_t burst = draws(2, 2, 6); burst > 0; --burst) {
        const Millis when = draws(3, 300, chaosMs());
        if (draws.chance(4, 500)) ask(when, client, turn(anyone(draws, 5)));
        const std::int64_t times = draws(6, 1, 4);
        const Millis every = draws(7, 5, 200);
        ask(when, client, {{draws.chance(8, 700) ? "write" : "read", true}}, times, every);
      }
    }
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    const std::int64_t times = recovery_ms / every - 1;
    ask(first_ask, probe, {{"write", true}}, times, every);
    ask(first_ask + read_after_ms, probe, {{"read", true}}, times, every);
    for (const char* operation : {"put", "read"}) {
      expectAnswer({{"kind", "answered"}, {"node", probe}, {"operation", operation}, {"outcome", "ok"}});
    }
  }
};

/// In addition to what all cores have to do: one of its servers leads, all others know it, their logs become
/// the same, and all of them know all of it as committed. Then nothing changes any more.
class Watcher : public FuzzWatcherOf<Family> {
 public:
  using FuzzWatcherOf::FuzzWatcherOf;

  void on(const AnyHappened& happened) override {
    FuzzWatcherOf::on(happened);
    if (happened.kind == Kind::asked) {
      asked_at_ = now();
      calm_ = false;
    }
    noteRequest(Typed<Family>::happened(happened));
    if (happened.kind == Kind::step_over && isServer(happened.node)) judgeRequests(happened.node);
    // Half of the quiet time is enough for whatever the last request has begun.
    if (!calm_ && isSettledDown() && now() >= asked_at_ + judgement_.quiet_ms / 2) calm_ = !isUnsettled();
  }

 private:
  void said(const Happened<Family>& h) override {
    if (!calm_ || failure_ || !isServer(h.node) || !isCore(h.node)) return;
    const auto* silent = get_if<Silent>(h.event);
    const bool changes = holds_alternative<RoleChanged>(*h.event) || holds_alternative<Looking>(*h.event) ||
                         holds_alternative<VoteDecided>(*h.event) || holds_alternative<Truncated>(*h.event) ||
                         (silent != nullptr && isCore(indexOf(silent->follower)));
    if (changes) failure_ = Failure{"stall: no rest", "the core changes although nothing has happened", now()};
  }

  /// Which requests a server has received from clients and not answered.
  void noteRequest(const Happened<Family>& h) {
    if (!isServer(h.node)) return;
    auto& open = open_[h.node];
    if (h.kind == Kind::stopped) open.clear();
    if (h.kind == Kind::closed && h.link == client_link)
      std::erase_if(open, [&](const auto& one) { return one.first == h.to; });
    if (h.kind == Kind::delivered) {
      if (const auto* request = get_if<ClientRequest>(h.content)) open.insert({idOf(h.from), request->number});
    }
    if (h.kind == Kind::sent) {
      if (const auto* reply = get_if<Reply>(h.content)) open.erase({h.to, reply->number});
    }
  }

  /// It works on each of them: a leader itself, another server has forwarded it to the leader that it follows.
  void judgeRequests(int i) {
    const Node& one = node(i);
    bool leaves = (one.role != Role::LEADING && !(one.writes.empty() && one.reads.empty())) ||
                  (!one.leader && !one.handed_on.empty());
    for (const auto& open : open_[i]) {
      const auto is = [&](const auto& request) {
        return request.client == open.first && request.number == open.second;
      };
      const bool there = std::any_of(one.writes.begin(), one.writes.end(), is) ||
                         std::any_of(one.reads.begin(), one.reads.end(), is) ||
                         std::any_of(one.handed_on.begin(), one.handed_on.end(), is);
      leaves = leaves || !there;
    }
    if (leaves && !failure_)
      failure_ = Failure{"stall: a request is left",
                         "server " + std::to_string(idOf(i)) + " leaves a client without an answer", now()};
  }

  std::optional<Failure> isUnsettled() const override {
    const Node* leader = nullptr;
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (isCore(i) && node(i).role == Role::LEADING) leader = &node(i);
    }
    if (leader == nullptr) return Failure{"stall: nobody leads", "no server of the core leads", now()};
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isCore(i)) continue;
      const Node& one = node(i);
      const std::string who = "server " + std::to_string(idOf(i));
      if (one.leader != leader->self || one.generation != leader->generation)
        return Failure{"stall: a server is not led", who + " does not follow the leader", now()};
      if (one.log != leader->log)
        return Failure{"stall: logs differ", "servers of the core have different logs", now()};
      if (one.commit_index != lastIndex(one.log))
        return Failure{"stall: not committed", who + " does not know all of its log as committed", now()};
      const auto follower = leader->followers.find(one.self);
      if (follower == leader->followers.end() || follower->second.silent)
        return Failure{"stall: a server counts as silent", "the leader takes " + who + " for silent", now()};
    }
    return std::nullopt;
  }

  Millis asked_at_ = 0;  ///< the last request by a client
  bool calm_ = false;    ///< the core has settled since, and has no reason to change
  std::map<int, std::set<std::pair<ServerId, std::int64_t>>> open_;  ///< by server: clients' requests
};

}  // namespace
}  // namespace leader_followers

using Fuzz = FuzzOf<leader_followers::Family>;

std::string Fuzz::placeName(std::uint32_t place) {
  const auto role = static_cast<leader_followers::Role>(place >> 8);
  const auto campaign = static_cast<leader_followers::Campaign>(place & 255);
  std::string name(enumName(role));
  if (campaign != leader_followers::Campaign::none) name += " " + std::string(enumName(campaign));
  return name;
}

std::uint32_t Fuzz::answered(const F::Event& event) {
  const auto* answer = get_if<leader_followers::Answered>(&event);
  if (answer == nullptr || answer->outcome != leader_followers::Outcome::ok) return 0;
  return all_operations & 1U << static_cast<unsigned>(answer->operation);
}

std::pair<ServerId, bool> Fuzz::clientOf(const F::Node& node) {
  if (!node.client) return {no_server, false};
  return {node.client->server.value_or(no_server), node.client->request.has_value()};
}

std::string Fuzz::settingOf(const Cluster<F>& cluster) {
  return std::to_string(cluster.serverCount()) + " servers, election time-out " +
         std::to_string(cluster.configs.front().election_timeout_min_ms) + " ms";
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return leader_followers::LeaderFollowersSwarm(shape, choices, unable).draw();
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<leader_followers::Watcher>(run);
}

}  // namespace zablab
