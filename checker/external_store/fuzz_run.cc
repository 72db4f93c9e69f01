#include "checker/external_store/fuzz_run.h"

#include <algorithm>

#include "checker/fuzz/swarm.h"
#include "checker/fuzz/watcher_of.h"
#include "sim/external_store/binding.h"

namespace zablab {
namespace external_store {
namespace {

class ExternalStoreSwarm : public Swarm {
 public:
  using Swarm::Swarm;

 private:
  /// The family's own topics.
  enum : std::uint8_t {
    leader_away = Topic::first_free,
    slow_store,
    resigns,
    members,
    store_leader_away,
    log_places,
    reads,
    reads_and_writes,
    asked_to_resign
  };

  static constexpr ServerId first_reader = first_client + 50;

  std::string mainLink() const override { return "store"; }
  std::string otherLink() const override { return "resource"; }
  std::array<int, 4> voterCounts() const override { return {2, 3, 3, 4}; }
  std::array<int, 5> observerCounts() const override { return {2, 2, 2, 4, 4}; }
  bool needsObservers() const override { return true; }
  std::size_t coreMin() const override { return 1; }
  Json observer() const override { return {{"kind", "store"}}; }
  std::vector<std::string> struck() const override {
    return names({TxnRequest::name, TxnReply::name, TxnRequest::name, TxnReply::name, KeepAlive::name,
                  KeptAlive::name, Watch::name, Changes::name});
  }
  std::vector<std::string> clogged() const override { return struck(); }

  /// The observers but the last, which is the resource.
  std::vector<ServerId> stores() const {
    return {servers().begin() + static_cast<std::ptrdiff_t>(voters().size()), servers().end() - 1};
  }
  bool isReplicated() const { return stores().size() > 1; }

  Json drawConfig() override {
    for (ServerSpec& spec : scenario().servers->list) {
      if (spec.id == servers().back()) spec.own = json({{"kind", "resource"}}).members();
    }
    Draws draws = drawsOf(Topic::timing);
    // A renewal is answered before the previous one no longer counts; in a replicated store it takes six
    // messages, and may wait for a disk.
    const Millis ttl = draws.of(2, isReplicated() ? std::array<Millis, 3>{4500, 4500, 6000}
                                                  : std::array<Millis, 3>{1500, 2000, 3000});
    quiet_ms = 6 * ttl + 3000;
    slow_ms_max = isReplicated() ? ttl / 30 : ttl / 15;
    // Clocks differ by a factor of two, at most.
    return {{"ttl_ms", ttl},
            {"margin_ms", ttl / 2 + 10},
            {"members", has(members, "members")},
            {"answer_limit_ms", isReplicated() ? 4000 : 1000},
            {"work_ms", draws.of(3, std::array<Millis, 3>{1, 20, 200})}};
  }

  CrashPoint drawPlace(Draws& draws) override {
    CrashPoint point{.where = anyone(draws, 2), .when = {}};
    Json event{{"node", point.where}};
    const std::int64_t kind = draws(3, 0, 9);
    if (kind < 2) {
      event["kind"] = "written";
      event["record"] = draws.of(5, names({Apply::name, Apply::name, Accept::name}));
      point.writes = true;
    } else if (kind < 7) {
      point.sends = kind >= 5;
      event["kind"] = point.sends ? "sent" : "delivered";
      event["type"] = draws.of(6, struck());
    } else {
      event["kind"] = draws.of(7, names({Contends::name, Elected::name, Elected::name, Follows::name,
                                         Notified::name, SteppedDown::name, KeyChanged::name}));
    }
    if (isReplicated()) {
      Draws of_log = drawsOf(log_places);
      const auto kinds =
          names({leader_followers::QuorumCounted::name, leader_followers::Committed::name,
                 leader_followers::Committed::name, leader_followers::BasicApplied<StoreLog>::name});
      const std::string which = of_log.of(1, kinds);
      const ServerId where = of_log.of(2, stores());
      if (of_log.chance(3, 400)) {
        point = {.where = where, .when = {}};
        event = {{"node", where}, {"kind", which}};
      }
    }
    return placedAt(draws, std::move(point), std::move(event));
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 3);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      for (std::int64_t burst = draws(2, 2, 6); burst > 0; --burst) {
        const Millis when = draws(3, 300, chaosMs());
        const std::int64_t times = draws(6, 1, 8);
        const Millis every = draws(7, 5, 400);
        ask(when, client, {{"write", true}}, times, every);
      }
    }
  }

  ServerId anyCandidate(Draws& draws, int question) { return draws.of(question, voters()); }

  void drawMore() override {
    if (has(leader_away, "leader_away")) drawAway();
    if (has(slow_store, "slow_store")) drawSlow();
    if (isReplicated() && has(store_leader_away, "store_leader_away")) drawStoreAway();
    if (has(reads, "reads")) drawReads();
    if (!has(resigns, "resigns")) return;
    Draws draws = drawsOf(resigns);
    for (std::int64_t count = draws(1, 1, 4); count > 0; --count) {
      const Millis when = draws(3, 300, chaosMs());
      at(when) = step::Ask{.who = anyCandidate(draws, 2),
                           .client = false,
                           .what = json({{"resign", true}}).members(),
                           .times = 1,
                           .every = 0};
    }
    if (scenario().clients.empty()) return;
    Draws by_clients = drawsOf(asked_to_resign);
    for (std::int64_t count = by_clients(1, 0, 3); count > 0; --count) {
      const Millis when = by_clients(2, 300, chaosMs());
      ask(when, scenario().clients.front().id, {{"resign", true}}, 1, 0);
    }
  }

  /// Clients of which some do nothing else, so that a write does not have to wait.
  void drawReads() {
    Draws draws = drawsOf(reads);
    const std::int64_t clients = draws(0, 1, 2);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_reader + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      for (std::int64_t burst = draws(2, 2, 6); burst > 0; --burst) {
        const Millis when = draws(3, 300, chaosMs());
        const ServerId store = draws.of(4, stores());
        const std::int64_t times = draws(6, 1, 8);
        const Millis every = draws(7, 5, 400);
        ask(when, client, {{"read", store}}, times, every);
      }
      Draws both = drawsOf(reads_and_writes);
      if (!both.chance(1, 500)) continue;
      for (std::int64_t burst = both(2, 1, 3); burst > 0; --burst) {
        const Millis when = both(3, 300, chaosMs());
        const std::int64_t times = both(4, 1, 8);
        const Millis every = both(5, 5, 400);
        ask(when, client, {{"write", true}}, times, every);
      }
    }
  }

  void drawAway() {
    Draws draws = drawsOf(leader_away);
    for (std::int64_t count = draws(1, 1, 4); count > 0; --count)
      takeAway(draws, 3, anyCandidate(draws, 2), stores(), 300);
  }

  /// A server of a replicated store ends, stands still, or is cut off from the others, but not from the
  /// candidates.
  void drawStoreAway() {
    Draws draws = drawsOf(store_leader_away);
    for (std::int64_t count = draws(1, 1, 4); count > 0; --count)
      takeAway(draws, 3, draws.of(2, stores()), stores(), 1000);
  }

  void drawSlow() {
    Draws draws = drawsOf(slow_store);
    for (std::int64_t count = draws(1, 1, 3); count > 0; --count) {
      const ServerId who = anyCandidate(draws, 2);
      const Millis when = draws(3, 300, chaosMs() - 500);
      const Millis end = std::min(when + draws(4, 300, longest_ms), chaosMs());
      const bool answers = draws.chance(5, 500);
      for (const ServerId store : stores()) {
        const Selector way{mainLink(), answers ? store : who, answers ? who : store, {}};
        at(when) = step::Hold{way};
        at(end) = step::Release{way};
      }
    }
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    ask(first_ask, probe, {{"write", true}}, recovery_ms / every - 1, every);
    expectAnswer({{"kind", "answered"}, {"node", probe}, {"outcome", "ok"}});
  }
};

/// In addition to what all cores have to do: one of its candidates leads with the key that is there, and the
/// others wait; if they register as members, each of them knows all; and the store's servers contain the
/// same.
class Watcher : public FuzzWatcherOf<Family> {
 public:
  using FuzzWatcherOf::FuzzWatcherOf;

 private:
  std::optional<Failure> isUnsettled() const override {
    const Config& config = run_.cluster().configs.front();
    int store = -1;
    for (const ServerId id : config.stores) {
      const Node& one = node(indexOf(id));
      const bool serves =
          one.store && (!one.replica || one.replica->server.role == leader_followers::Role::LEADING);
      if (serves) store = indexOf(id);
    }
    if (store < 0) return Failure{"stall: no store", "the store does not run, or has no leader", now()};
    const StoreState& contents = node(store).store->state;
    for (const ServerId id : config.stores) {
      if (!isCore(indexOf(id)) || !run_.isUp(indexOf(id))) continue;
      const StoreState& other = node(indexOf(id)).store->state;
      if (other.revision != contents.revision || other.keys != contents.keys ||
          other.leases != contents.leases)
        return Failure{"stall: the store's servers differ",
                       "server " + std::to_string(id) + " does not contain what the leader does", now()};
    }
    std::vector<KeyValue> keys;
    std::set<ServerId> members;
    for (const KeyValue& one : contents.keys) {
      if (one.key.prefix != Prefix::member) keys.push_back(one);
      if (one.key.prefix == Prefix::member) members.insert(one.value);
    }
    const auto first =
        std::min_element(keys.begin(), keys.end(), [](const KeyValue& one, const KeyValue& other) {
          return one.create_revision < other.create_revision;
        });
    if (first == keys.end()) return Failure{"stall: nobody leads", "there is no key", now()};
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (!isCore(i) || !node(i).candidate) continue;
      const Candidate& one = *node(i).candidate;
      if (config.members && (!members.contains(idOf(i)) || one.members != members))
        return Failure{"stall: a member is not known",
                       "server " + std::to_string(idOf(i)) + " is no member, or does not know them all",
                       now()};
      const bool holds = first->value == idOf(i);
      if (holds && one.role != Role::LEADING)
        return Failure{"stall: the holder does not lead",
                       "server " + std::to_string(idOf(i)) + " has the first key and does not lead", now()};
      if (!holds && one.role != Role::FOLLOWING)
        return Failure{"stall: a candidate does not follow",
                       "server " + std::to_string(idOf(i)) + " does not wait for the leader's end", now()};
    }
    return std::nullopt;
  }
};

}  // namespace
}  // namespace external_store

using Fuzz = FuzzOf<external_store::Family>;

std::uint32_t Fuzz::placeOf(const F::Node& node) {
  if (node.candidate)
    return 1 + 2 * static_cast<std::uint32_t>(node.candidate->role) + (node.candidate->lease != 0 ? 1 : 0);
  if (node.replica) return 20 + static_cast<std::uint32_t>(node.replica->server.role);
  if (node.store) return 10 + (node.store->state.keys.empty() ? 0 : 1);
  if (node.resource) return 12;
  return 0;
}

std::string Fuzz::placeName(std::uint32_t place) {
  switch (place) {
    case 0: return "blank";
    case 10: return "store without keys";
    case 11: return "store";
    case 12: return "resource";
    case 20:
    case 21:
    case 22: return "store " + std::string(enumName(static_cast<leader_followers::Role>(place - 20)));
    default:
      return std::string(enumName(static_cast<external_store::Role>((place - 1) / 2))) +
             (place % 2 == 0 ? "" : " without a lease");
  }
}

std::uint32_t Fuzz::answered(const F::Event& event) {
  const auto* answer = get_if<external_store::Answered>(&event);
  return answer != nullptr && answer->outcome == external_store::Outcome::ok
             ? 1U << static_cast<unsigned>(answer->operation)
             : 0;
}

std::pair<ServerId, bool> Fuzz::clientOf(const F::Node& node) {
  if (!node.client) return {no_server, false};
  return {node.client->leader.value_or(no_server), node.client->request.has_value()};
}

std::string Fuzz::settingOf(const Cluster<F>& cluster) {
  const external_store::Config& config = cluster.configs.front();
  return std::to_string(config.candidates.size()) + " candidates, " +
         (config.isReplicated() ? std::to_string(config.stores.size()) + " servers of the store, " : "") +
         "leases of " + std::to_string(config.ttl_ms) + " ms";
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return external_store::ExternalStoreSwarm(shape, choices, unable).draw();
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<external_store::Watcher>(run);
}

}  // namespace zablab
