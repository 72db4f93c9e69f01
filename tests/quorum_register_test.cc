// A register that a quorum of replicas keeps: the cases of document 004, every path within bounds, and drawn
// paths with every fault.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checker/check/search.h"
#include "checker/fuzz/campaign.h"
#include "checker/protocol.h"
#include "checker/quorum_register/checks.h"
#include "protocol/quorum_register/rules.h"
#include "sim/quorum_register/binding.h"
#include "sim/run_of.h"
#include "tests/prepared.h"
#include "tests/shipped.h"

namespace zablab::quorum_register {
namespace {

using F = Family;
using Check = CheckOf<F>;

constexpr ServerId first_client = 11;

Request reads(std::int64_t number) { return {Operation::read, 0, 0, number}; }
Request writes(std::int64_t value, std::int64_t number, std::int64_t clock = 0) {
  return {Operation::write, value, 0, number, clock};
}
Request compares(std::int64_t expected, std::int64_t value, std::int64_t number) {
  return {Operation::compare_and_set, value, expected, number};
}

struct Size {
  int homes = 3;
  int stand_ins = 0;
  int clients = 2;
  std::int64_t r = 2;
  std::int64_t w = 2;
};
Cluster<F> clusterOf(const Rules& rules, const Size& size) {
  Cluster<F> cluster;
  Config config;
  config.read_quorum = size.r;
  config.write_quorum = size.w;
  config.initial = 1;
  for (int id = 1; id <= size.homes + size.stand_ins; ++id) {
    (id <= size.homes ? config.homes : config.stand_ins).push_back(id);
    cluster.ids.push_back(id);
  }
  for (int i = 0; i < size.clients; ++i) cluster.ids.push_back(first_client + i);
  cluster.clients = static_cast<std::size_t>(size.clients);
  cluster.configs.assign(cluster.ids.size(), config);
  for (std::size_t i = cluster.ids.size() - cluster.clients; i < cluster.ids.size(); ++i)
    cluster.configs[i].client = true;
  cluster.scripted.assign(cluster.ids.size(), false);
  cluster.rules = rules;
  cluster.links = {LinkKind::datagram};
  return cluster;
}

Rules rulesOf(std::string_view variant) { return ruleTables().variant(variant)->rules; }
Rules mutated(std::string_view mutation, Rules rules = {}) {
  mutate(rules, *ruleTables().mutation(mutation));
  return rules;
}

// ---- hand-made cases

struct Environment : IdleEnvironment<F> {
  static constexpr bool watches = true;
  std::vector<Listener<F>*> listeners;
  void tell(const Happened<F>& happened) {
    for (Listener<F>* listener : listeners) listener->on(happened);
  }
};

/// The answers to clients, by client and number.
struct Answers : Listener<F> {
  std::map<std::pair<int, std::int64_t>, Answered> all;
  void on(const Happened<F>& seen) override {
    if (seen.kind != Kind::event) return;
    if (const auto* answered = get_if<Answered>(seen.event)) all[{seen.node, answered->request}] = *answered;
  }
};

/// A cluster in which every message is delivered or lost explicitly.
class Stage {
 public:
  explicit Stage(const Rules& rules, const Size& size = {})
      : cluster_(clusterOf(rules, size)), store_(cluster_), world_(cluster_, store_, environment_) {
    monitors_ = monitorsWith(std::make_unique<Ledger>(cluster_));
    environment_.listeners = {monitors_.get(), &answers_};
    for (int i = 0; i < store_.size(); ++i) world_.start(i);
  }

  void ask(ServerId client, const Request& request) { world_.ask(at(client), request); }
  /// Delivers all messages between these nodes, until there are no more.
  void talk(const std::vector<ServerId>& nodes) {
    for (bool any = true; any;) {
      any = false;
      for (const ServerId from : nodes) {
        for (const ServerId to : nodes) {
          while (world_.canDeliver(quorum_link, at(from), at(to))) {
            world_.deliver(quorum_link, at(from), at(to));
            any = true;
          }
        }
      }
    }
  }
  /// Delivers the oldest datagram in this direction.
  void deliver(ServerId from, ServerId to) { world_.deliver(quorum_link, at(from), at(to)); }
  void duplicate(ServerId from, ServerId to) { world_.duplicate(quorum_link, at(from), at(to), 0); }
  /// Loses what is in transit between this node and the others.
  void lose(ServerId node, const std::vector<ServerId>& others) {
    for (const ServerId other : others) {
      for (const auto& [from, to] : {std::pair{node, other}, std::pair{other, node}}) {
        while (!store_.isEmpty(quorum_link, at(from), at(to))) world_.drop(quorum_link, at(from), at(to), 0);
      }
    }
  }
  void fire(ServerId node, TimerKind kind) { world_.fire(at(node), {kind}); }
  void apply(const Action<F>& action) { world_.apply(action); }
  void restart(ServerId node, HowStopped how) {
    world_.stop(at(node), how, true, 0);
    world_.start(at(node));
  }

  Answered answer(ServerId client, std::int64_t number) const {
    return answers_.all.at({at(client), number});
  }
  bool isAnswered(ServerId client, std::int64_t number) const {
    return answers_.all.contains({at(client), number});
  }
  std::vector<std::int64_t> values() const {
    std::vector<std::int64_t> values;
    for (const ServerId home : cluster_.configs.front().homes)
      values.push_back(store_.server(at(home)).node.stored.value);
    return values;
  }
  const Node& node(ServerId id) const { return store_.server(at(id)).node; }
  std::vector<std::string> violated() const {
    std::vector<std::string> names;
    for (const auto& monitor : monitors_->monitors()) {
      if (monitor->violation()) names.push_back(std::string(monitor->info().name));
    }
    return names;
  }
  std::string violation(std::string_view invariant) const {
    for (const auto& monitor : monitors_->monitors()) {
      if (monitor->info().name == invariant) return monitor->violation().value_or(Phrase()).english();
    }
    return "no such invariant";
  }
  const WorldValue<F>& value() const { return store_.value(); }
  const Cluster<F>& cluster() const { return cluster_; }

 private:
  int at(ServerId id) const { return cluster_.indexOf(id); }

  Cluster<F> cluster_;
  Environment environment_;
  DirectStore<F> store_;
  World<DirectStore<F>, Environment> world_;
  std::unique_ptr<MonitorSet<F>> monitors_;
  Answers answers_;
};

using List = std::vector<std::string>;

constexpr ServerId w1 = first_client;
constexpr ServerId c1 = first_client + 1;
constexpr ServerId c2 = first_client + 2;

/// A write of 2 that reaches only server 1, and that its client gives up.
void writeToOne(Stage& stage) {
  stage.ask(w1, writes(2, 1));
  stage.talk({w1, 1});
  stage.lose(w1, {2, 3});
  stage.fire(w1, TimerKind::give_up);
}

TEST_CASE("quorum register: 004-Q1, DQ-1: a read finds what a later read does not") {
  Rules rules = rulesOf("quorum");
  rules.versions = Versions::own_counter;  // the document's writer asks no replica
  Stage stage(rules, {.clients = 3});
  writeToOne(stage);
  CHECK(stage.values() == std::vector<std::int64_t>{2, 1, 1});
  CHECK(stage.answer(w1, 1).outcome == Outcome::unknown);
  stage.ask(c1, reads(1));
  stage.talk({c1, 1, 2});
  CHECK(stage.answer(c1, 1).value == 2);
  CHECK(stage.answer(c1, 1).of == std::vector<ServerId>{1, 2});
  CHECK(stage.violated().empty());
  // Server 1 is down for a while.
  stage.ask(c2, reads(1));
  stage.talk({c2, 2, 3});
  CHECK(stage.answer(c2, 1).value == 1);
  CHECK(stage.violated() == List{"linearizable"});
  CHECK(
      stage.violation("linearizable") ==
      "client 13 read 1 fits in no order. Before it, this order fits: client 11 write 2, without an answer; "
      "client 12 read 2. It could have been: read 2");
  // 004-Q2, DQ-2: server 1 is back, and so is the value.
  stage.ask(c2, reads(2));
  stage.talk({c2, 1, 3});
  CHECK(stage.answer(c2, 2).value == 2);
}

TEST_CASE("quorum register: one client's two reads are not even monotonic") {
  Rules rules = rulesOf("quorum");
  rules.versions = Versions::own_counter;
  Stage stage(rules);
  writeToOne(stage);
  stage.ask(c1, reads(1));
  stage.talk({c1, 1, 2});
  stage.lose(c1, {3});
  stage.ask(c1, reads(2));
  stage.talk({c1, 2, 3});
  CHECK(stage.violated() == List{"linearizable", "monotonic-reads"});
}

TEST_CASE("quorum register: 004-Q2: read repair makes all replicas equal, the answer alone does not") {
  for (const ReadRepair repair : {ReadRepair::none, ReadRepair::asynchronous, ReadRepair::write_back}) {
    CAPTURE(enumName(repair));
    Rules rules = rulesOf("abd-one-writer");
    rules.read_repair = repair;
    Stage stage(rules);
    writeToOne(stage);
    stage.ask(c1, reads(1));
    stage.talk({c1, 1, 2, 3});
    CHECK(stage.answer(c1, 1).value == 2);
    const bool repairs = repair != ReadRepair::none;
    CHECK(stage.values() ==
          (repairs ? std::vector<std::int64_t>{2, 2, 2} : std::vector<std::int64_t>{2, 1, 1}));
    // The same from a read that receives the new value after its answer.
    Stage late(rules);
    writeToOne(late);
    late.ask(c1, reads(1));
    late.talk({c1, 2, 3});
    CHECK(late.answer(c1, 1).value == 1);
    late.talk({c1, 1, 2, 3});
    CHECK(late.values() == stage.values());
  }
}

TEST_CASE("quorum register: 004-Q3, DQ-3: a read that writes back first is found by the next") {
  Rules rules = rulesOf("abd-one-writer");
  Stage stage(rules, {.clients = 3});
  writeToOne(stage);
  stage.ask(c1, reads(1));
  stage.deliver(c1, 1);
  stage.deliver(c1, 2);
  stage.deliver(1, c1);
  stage.deliver(2, c1);
  CHECK(!stage.isAnswered(c1, 1));  // as far as it knows, one replica has it
  stage.talk({c1, 2});
  CHECK(stage.answer(c1, 1).value == 2);
  CHECK(stage.values() == std::vector<std::int64_t>{2, 2, 1});
  stage.ask(c2, reads(1));
  stage.talk({c2, 2, 3});
  CHECK(stage.answer(c2, 1).value == 2);
  CHECK(stage.violated().empty());
  // A replica that already has it counts like one that acknowledges it.
  Stage told(rules, {.clients = 3});
  told.ask(w1, writes(2, 1));
  told.talk({w1, 1, 3});
  told.lose(w1, {2});
  told.ask(c1, reads(1));
  told.talk({c1, 1});
  told.talk({c1, 2});  // 2 is behind; and what is sent to it is lost
  CHECK(told.answer(c1, 1).of == std::vector<ServerId>{1, 2});
}

TEST_CASE("quorum register: DQ-4: a repair after the answer comes too late if a process ends before it") {
  Rules rules = mutated("dynamo_async_repair", rulesOf("abd-one-writer"));
  Stage stage(rules, {.clients = 3});
  writeToOne(stage);
  stage.ask(c1, reads(1));
  stage.deliver(c1, 1);
  stage.deliver(c1, 2);
  stage.deliver(1, c1);
  stage.deliver(2, c1);
  CHECK(stage.answer(c1, 1).value == 2);
  stage.lose(c1, {1, 2, 3});  // the client's machine ends, with the repair
  stage.ask(c2, reads(1));
  stage.talk({c2, 2, 3});
  CHECK(stage.answer(c2, 1).value == 1);
  CHECK(stage.violated() == List{"linearizable"});
}

TEST_CASE("quorum register: DQ-5: the last write wins by clocks, and an acknowledged write is lost") {
  Stage stage(mutated("dynamo_lww_skew"), {.clients = 3});
  stage.ask(w1, writes(2, 1, 9));  // its clock is ahead
  stage.talk({w1, 1, 2, 3});
  stage.ask(c1, writes(3, 1, 5));
  stage.talk({c1, 1, 2, 3});
  CHECK(stage.answer(c1, 1).outcome == Outcome::ok);
  stage.ask(c2, reads(1));
  stage.talk({c2, 1, 2, 3});
  CHECK(stage.answer(c2, 1).value == 2);
  CHECK(stage.violated() == List{"linearizable", "regular"});
  // With clocks that agree with the order of the writes nothing is wrong.
  Stage right(mutated("dynamo_lww_skew"), {.clients = 3});
  right.ask(w1, writes(2, 1, 5));
  right.talk({w1, 1, 2, 3});
  right.ask(c1, writes(3, 1, 9));
  right.talk({c1, 1, 2, 3});
  right.ask(c2, reads(1));
  right.talk({c2, 1, 2, 3});
  CHECK(right.answer(c2, 1).value == 3);
  CHECK(right.violated().empty());
}

TEST_CASE("quorum register: DQ-6: a write to stand-ins is not read at home, although R + W > N") {
  Rules rules = mutated("dynamo_sloppy", rulesOf("abd-one-writer"));
  Stage stage(rules, {.stand_ins = 2});
  stage.ask(w1, writes(2, 1));
  stage.talk({w1, 1});
  stage.lose(w1, {2, 3});
  stage.fire(w1, TimerKind::stand_in);
  stage.talk({w1, 4, 5});
  CHECK(stage.answer(w1, 1).outcome == Outcome::ok);
  CHECK(stage.node(4).hints.at(2).value == 2);
  CHECK(stage.violated().empty());
  stage.ask(c1, reads(1));
  stage.talk({c1, 2, 3});
  CHECK(stage.answer(c1, 1).value == 1);
  CHECK(stage.violated() == List{"linearizable", "regular"});
  // A stand-in keeps it across a loss of power, and finally hands it over.
  stage.restart(4, HowStopped::power_loss);
  for (const ServerId stand_in : {4, 5}) {
    if (!stage.node(stand_in).hints.empty()) stage.fire(stand_in, TimerKind::hand_off);
  }
  stage.talk({2, 3, 4, 5});
  CHECK(stage.values() == std::vector<std::int64_t>{2, 2, 2});
  CHECK(stage.node(4).hints.empty());
  CHECK(stage.node(5).hints.empty());
}

TEST_CASE("quorum register: a home and its stand-in count once") {
  Rules rules = mutated("dynamo_sloppy", rulesOf("abd-one-writer"));
  Stage stage(rules, {.stand_ins = 1, .w = 2});
  stage.ask(w1, writes(2, 1));
  stage.fire(w1, TimerKind::stand_in);
  stage.talk({w1, 4});  // for server 1
  stage.talk({w1, 1});
  CHECK(!stage.isAnswered(w1, 1));
  stage.talk({w1, 2});
  CHECK(stage.answer(w1, 1).outcome == Outcome::ok);
  CHECK(stage.violated().empty());
}

TEST_CASE("quorum register: DQ-7: two comparisons find the same value, and both set theirs") {
  Stage stage(rulesOf("abd"));
  stage.ask(w1, compares(1, 2, 1));
  stage.ask(c1, compares(1, 3, 1));
  for (const ServerId client : {w1, c1}) {
    for (const ServerId server : {1, 2}) {
      stage.deliver(client, server);
      stage.deliver(server, client);
    }
  }
  stage.talk({w1, c1, 1, 2, 3});
  CHECK(stage.answer(w1, 1).value == 1);
  CHECK(stage.answer(c1, 1).value == 1);
  CHECK(stage.violated() == List{"linearizable"});  // nothing was read
  // One after the other, the second one is refused.
  Stage apart(rulesOf("abd"));
  apart.ask(w1, compares(1, 2, 1));
  apart.talk({w1, 1, 2, 3});
  apart.ask(c1, compares(1, 3, 1));
  apart.talk({c1, 1, 2, 3});
  CHECK(apart.answer(c1, 1).value == 0);
  CHECK(apart.violated().empty());
}

TEST_CASE("quorum register: a datagram that arrives twice counts once, unless messages are counted") {
  for (const bool messages : {false, true}) {
    CAPTURE(messages);
    Rules rules = rulesOf("abd-one-writer");
    if (messages) rules = mutated("qr_counts_messages", rules);
    Stage stage(rules);
    stage.ask(w1, writes(2, 1));
    stage.duplicate(w1, 1);
    stage.talk({w1, 1});
    CHECK(stage.isAnswered(w1, 1) == messages);
    CHECK(stage.violated() == (messages ? List{"write-quorum"} : List{}));
    stage.talk({w1, 1, 2, 3});
    stage.ask(c1, reads(1));
    stage.duplicate(c1, 1);
    stage.talk({c1, 1});
    CHECK(stage.isAnswered(c1, 1) == messages);
    CHECK(stage.violated() == (messages ? List{"write-quorum", "read-quorum"} : List{}));
  }
}

TEST_CASE(
    "quorum register: a request that is given up has failed where nothing was stored, and no later answer "
    "counts") {
  Stage stage(rulesOf("abd"));
  stage.ask(w1, writes(2, 1));
  stage.talk({w1, 1});
  stage.fire(w1, TimerKind::give_up);
  CHECK(stage.answer(w1, 1).outcome == Outcome::failed);
  stage.ask(w1, writes(3, 2));
  stage.talk({w1, 2});  // answers the first request as well
  CHECK(!stage.isAnswered(w1, 2));
  CHECK(stage.values() == std::vector<std::int64_t>{1, 1, 1});
  stage.ask(w1, reads(3));
  CHECK(stage.answer(w1, 3).outcome == Outcome::busy);
  stage.talk({w1, 1});
  stage.lose(w1, {1, 2, 3});
  stage.fire(w1, TimerKind::give_up);
  CHECK(stage.answer(w1, 2).outcome == Outcome::unknown);
  CHECK(stage.violated().empty());
}

TEST_CASE("quorum register: what a replica acknowledges is durable, unless it acknowledges immediately") {
  for (const bool at_once : {false, true}) {
    CAPTURE(at_once);
    Rules rules = rulesOf("abd-one-writer");
    if (at_once) rules = mutated("qr_acks_at_once", rules);
    Stage stage(rules);
    stage.ask(w1, writes(2, 1));
    stage.talk({w1, 1, 2});
    stage.lose(w1, {3});
    CHECK(stage.answer(w1, 1).outcome == Outcome::ok);
    for (const ServerId server : {1, 2}) stage.restart(server, HowStopped::power_loss);
    stage.ask(c1, reads(1));
    stage.talk({c1, 1, 2, 3});
    CHECK(stage.answer(c1, 1).value == (at_once ? 1 : 2));
    CHECK(stage.violated() ==
          (at_once ? List{"linearizable", "regular", "write-quorum", "replica-forward"} : List{}));
  }
}

// ---- every path

LoadedModel shippedModel(const std::string& name, const std::function<void(Json&)>& change = {}) {
  Json text =
      loadCase(std::string(ZABLAB_SOURCE_DIR) + "/scenarios/models/" + name + ".json").model.document.plain();
  if (change) change(text);
  return modelOf(text);
}

/// Which servers have the new value in the end, and which replicas the two reads heard from, one bit each.
using Heard = std::tuple<unsigned, unsigned, unsigned>;

/// Every outcome of a write and two reads, and whether the history with it is linearizable.
std::map<Heard, std::set<bool>> outcomesOf(const LoadedModel& model, SearchCounts* counts = nullptr) {
  const Prepared ready = prepared<F>(model);
  SearchOptions options;
  options.invariants = 0;
  Search search(ready.cluster(), ready.check, ready.limits, options, ready.start);
  std::map<Heard, std::set<bool>> outcomes;
  const int homes = ready.cluster().serverCount();
  search.setWitness([&](const InternedStore::Part*, const InternedStore& after) {
    const Layout& layout = after.layout();
    const auto& shared =
        search.memories().shareds[after.part(layout.shared_at)].as<WithoutJson<SharedMemory>>().value;
    const auto own = [&](int i) -> const OwnMemory& {
      return search.memories().owns[after.part(layout.own_at + i)].as<WithoutJson<OwnMemory>>().value;
    };
    int answered_reads = 0;
    for (const auto& call : shared.history.calls)
      answered_reads += call.answered && call.op.action == history::RegisterAction::read;
    if (answered_reads < 2) return;
    unsigned have = 0;
    for (int i = 0; i < homes; ++i) have |= static_cast<unsigned>(own(i).stored != Version{}) << i;
    const bool fits = history::judge(shared.history, history::Register{1}).verdict == history::Verdict::yes;
    outcomes[{have, static_cast<unsigned>(own(homes + 1).heard), static_cast<unsigned>(own(homes + 2).heard)}]
        .insert(fits);
  });
  const SearchCounts counted = search.breadthFirst();
  CHECK(counted.exhausted);
  if (counts != nullptr) *counts = counted;
  return outcomes;
}

TEST_CASE("quorum register: of the 72 outcomes of a write and two reads exactly 6 are not linearizable") {
  const LoadedModel model = shippedModel("004-Q1-outcomes");
  SearchCounts counts;
  const auto outcomes = outcomesOf(model, &counts);
  std::set<Heard> bad;
  for (const auto& [outcome, fits] : outcomes) {
    CHECK(fits.size() == 1);  // it depends on nothing else
    const auto& [have, first, second] = outcome;
    CHECK(std::popcount(first) == 2);
    CHECK(std::popcount(second) == 2);
    const bool inverted = have != 0 && (first & have) != 0 && (second & have) == 0;
    CHECK(fits.contains(!inverted));
    if (inverted) CHECK(std::popcount(have) == 1);
    if (inverted) bad.insert(outcome);
  }
  CHECK(outcomes.size() == 72);
  CHECK(bad.size() == 6);
  CHECK(counts.distinct == model.spec.expect.distinct);
}

TEST_CASE("quorum register: four replicas have the outcomes that counting predicts") {
  // Reads of 2 of 4, writes of 3: a write that too few replicas have, a read that reaches them, a read that
  // does not.
  std::size_t all = 0;
  std::size_t bad = 0;
  for (unsigned have = 0; have < 16; ++have) {
    for (unsigned first = 0; first < 16; ++first) {
      for (unsigned second = 0; second < 16; ++second) {
        if (std::popcount(first) != 2 || std::popcount(second) != 2) continue;
        ++all;
        bad += (first & have) != 0 && (second & have) == 0;
      }
    }
  }
  CHECK(all == 576);
  CHECK(bad == 66);
  const auto outcomes = outcomesOf(shippedModel("004-Q1-outcomes", [](Json& text) {
    text["servers"] = 4;
    text["config"]["write_quorum"] = 3;
    text["bounds"]["drops"] = 8;
  }));
  std::size_t found = 0;
  for (const auto& entry : outcomes) found += entry.second.contains(false);
  CHECK(outcomes.size() == all);
  CHECK(found == bad);
}

TEST_CASE("quorum register: a search finds each change by the invariant it violates, on a shortest path") {
  struct Row {
    const char* model;
    const char* mutation;
    const char* breaks;
    std::uint64_t length;
  };
  std::set<std::string_view> searched_for;
  for (const Row& row : std::vector<Row>{
           {"quorum-one-writer", "dynamo_no_write_back", "linearizable", 13},
           {"quorum-one-writer", "dynamo_async_repair", "linearizable", 13},
           {"quorum-same-reader", "dynamo_no_write_back", "monotonic-reads", 13},
           {"quorum-two-writers", "dynamo_lww_skew", "linearizable", 15},
           {"quorum-two-writers", "qr_several_count_by_themselves", "linearizable", 15},
           {"quorum-two-writers", "qr_keeps_last_arrived", "replica-forward", 16},
           {"quorum-two-writers", "qr_keeps_last_arrived", "converged", 26},
           {"quorum-stand-ins", "dynamo_sloppy", "linearizable", 11},
           {"quorum-stand-ins", "dynamo_sloppy", "regular", 11},
           {"004-Q1-outcomes", "dynamo_r_plus_w_le_n", "regular", 8},
           {"004-Q1-outcomes", "qr_first_ack", "write-quorum", 3},
           {"quorum-doubled", "qr_counts_messages", "write-quorum", 5},
           {"quorum-doubled", "qr_counts_messages", "read-quorum", 7},
           {"quorum-power-loss", "qr_acks_at_once", "replica-forward", 4},
       }) {
    CAPTURE(row.model);
    CAPTURE(row.mutation);
    CAPTURE(row.breaks);
    searched_for.insert(row.mutation);
    const CheckResult result = check(shippedModel(row.model,
                                                  [&](Json& text) {
                                                    text["mutations"] = {row.mutation};
                                                    text["invariants"] = {row.breaks};
                                                  }),
                                     {});
    CHECK(result.violated == row.breaks);
    CHECK(result.length == row.length);
    REQUIRE(result.scenario);
    if (row.breaks == std::string("converged")) continue;  // a state invariant is not judged by a monitor
    // The monitors of a run judge the path in the same way, and every action of it can be done there.
    const Trace trace =
        runScenario(readCase("a way", JsonValue::fromJson(*result.scenario, "a way")).scenario).trace;
    for (const TraceEvent& event : trace.events) CHECK(event.kind != "skipped");
    const bool violated =
        std::any_of(trace.verdicts.begin(), trace.verdicts.end(), [&](const TraceVerdict& verdict) {
          return verdict.name == row.breaks && verdict.verdict == "violated";
        });
    CHECK(violated);
  }
  const auto cluster = clusterOf(rulesOf("abd"), {});
  std::set<std::string_view> judged;  // the others are judged in runs only
  for (const InvariantInfo& one : CheckOf<F>(cluster).invariants()) judged.insert(one.name);
  for (const Mutation& mutation : ruleTables().mutations) {
    if (mutation.kind == "safety" && judged.contains(mutation.found_by))
      CHECK_MESSAGE(searched_for.contains(mutation.name), mutation.name);
  }
}

TEST_CASE("quorum register: 004-Q2: a read repairs what it receives with write-back as well") {
  for (const char* repair : {"write_back", "asynchronous", "none"}) {
    CAPTURE(repair);
    const CheckResult result = check(
        shippedModel("004-Q2-one-read-repairs", [&](Json& text) { text["rules"]["read_repair"] = repair; }),
        {});
    CHECK(result.violated == (repair == std::string("none") ? "converged" : ""));
    CHECK(result.exhausted == result.violated.empty());
  }
}

TEST_CASE("quorum register: comparisons one after the other are as good as on one server") {
  const CheckResult apart =
      check(shippedModel("quorum-comparisons", [](Json& text) { text["asks_order"] = "one_by_one"; }), {});
  CHECK(apart.verdict == "holds");
}

TEST_CASE("search: two orders of the same datagrams are one state") {
  const AnyCluster cluster = anyCluster(clusterOf(rulesOf("abd"), {}));
  DirectStore<Any> one(cluster);
  DirectStore<Any> other(cluster);
  const Value first{Message(Read{1})};
  const Value second{Message(Write{1, {{1, 11, 1}, 2}})};
  one.channel(quorum_link, 3, 0).wire = {first, second, first};
  other.channel(quorum_link, 3, 0).wire = {second, first, first};
  Tables tables(cluster, theCheck<F>());
  InternedStore left(tables);
  InternedStore right(tables);
  left.setValue(one.value());
  right.setValue(other.value());
  CHECK(left.fingerprint() == right.fingerprint());
  CHECK(std::equal(left.tuple(), left.tuple() + left.layout().size, right.tuple()));
  // Also if they come one after the other.
  InternedStore third(tables);
  third.setValue(DirectStore<Any>(cluster).value());
  for (const Value& message : {first, first, second})
    third.change(quorum_link, 3, 0, ChannelChange::put, {tables.messages.number(message)});
  CHECK(third.fingerprint() == left.fingerprint());
  other.channel(quorum_link, 3, 0).wire.pop_back();
  right.setValue(other.value());
  CHECK(left.fingerprint() != right.fingerprint());
}

TEST_CASE("quorum register: rules are set by name, and every value is listed") {
  std::set<std::string> listed;
  for (const RuleValue& value : ruleTables().values)
    listed.insert(std::string(value.rule) + "=" + std::string(value.value));
  Rules rules;
  forEachField(rules, [&](std::string_view rule, auto& field) {
    forEachEnumerator<std::remove_reference_t<decltype(field)>>([&](std::string_view value, auto) {
      CHECK(listed.contains(std::string(rule) + "=" + std::string(value)));
    });
  });
  CHECK(setRule(rules, "quorum", "none") == "there is no rule \"quorum\"");
  CHECK(setRule(rules, "kept", "none") == "the rule \"kept\" has no value \"none\"");
  CHECK(changedRules(mutated("dynamo_sloppy")) == List{"write_targets=sloppy"});
}

// ---- drawn paths

FuzzTarget swarmOf(const std::string& variant, const std::string& mutation = "") {
  FuzzTarget target{.protocol = "quorum_register"};
  target.shape.knobs = knobsOf(FuzzPreset::swarm, findProtocol("quorum_register")->fuzzSettings());
  target.overrides.variant = variant;
  if (!mutation.empty()) target.overrides.mutations.push_back(mutation);
  return target;
}

/// Findings by kind.
std::map<std::string, std::uint64_t> found(const FuzzTarget& target, std::uint64_t seeds,
                                           FuzzStatistics* statistics = nullptr) {
  std::map<std::string, std::uint64_t> kinds;
  const CampaignResult result = runCampaign(target, {0, seeds}, 1, {});
  for (const Finding& finding : result.findings) ++kinds[finding.failure.what];
  if (statistics != nullptr) *statistics = result.statistics;
  return kinds;
}

TEST_CASE("quorum register: in 3000 drawn runs write-back violates nothing, and every fault has happened") {
  FuzzStatistics statistics;
  CHECK(found(swarmOf("abd"), 3000, &statistics).empty());
  CHECK(statistics.obligations.size() == 10);
  for (const auto& entry : statistics.obligations) CHECK_MESSAGE(entry.second > 10'000, entry.first);
  CHECK(statistics.passed_over.empty());
  CHECK(statistics.neverFired().empty());
  for (const std::string_view type : {Read::name, ReadReply::name, Write::name, WriteAck::name})
    CHECK_MESSAGE(statistics.lost.at(std::string(type)) > 1000, type);
}

TEST_CASE("quorum register: drawn runs find each change within some seeds, by the invariant it violates") {
  struct Drawn {
    const char* variant;
    const char* mutation;  ///< additionally; empty: none
    std::uint64_t seeds;
    std::vector<const char*> breaks;  ///< among what ends a run
    std::optional<int> stand_ins = std::nullopt;
  };
  std::set<std::string_view> drawn_for;
  for (const Drawn& row : std::vector<Drawn>{
           {"quorum", "", 50, {"linearizable", "monotonic-reads"}},
           {"dynamo", "", 50, {"linearizable", "monotonic-reads"}},
           {"abd", "dynamo_no_write_back", 50, {"linearizable"}},
           {"abd", "dynamo_async_repair", 50, {"linearizable"}},
           {"abd", "dynamo_lww_skew", 20, {"linearizable"}},
           {"abd", "dynamo_sloppy", 60, {"linearizable"}, 2},
           {"abd", "dynamo_r_plus_w_le_n", 50, {"read-quorum", "linearizable"}},
           {"abd", "qr_several_count_by_themselves", 10, {"linearizable"}},
           {"abd", "qr_first_ack", 10, {"write-quorum"}},
           {"abd", "qr_counts_messages", 10, {"read-quorum", "write-quorum"}},
           {"abd", "qr_keeps_last_arrived", 10, {"replica-forward"}},
           {"abd", "qr_acks_at_once", 80, {"write-quorum", "replica-forward"}},
           {"abd", "qr_takes_the_last_answer", 10, {"client-answers"}},
           {"abd", "qr_ignores_late_answers", 30, {"homes-brought-up"}},
           {"abd", "qr_keeps_first_hint", 100, {"replica-answers"}},
           {"abd", "qr_drops_hint_when_sent", 30, {"replica-answers"}},
           {"abd", "qr_stands_in_at_once", 30, {"hands-over"}},
           {"dynamo", "qr_never_hands_off", 20, {"hands-over", "stall: hints stay"}},
           {"abd", "qr_never_hands_off", 50, {"hands-over", "stall: hints stay"}},
       }) {
    CAPTURE(row.variant);
    CAPTURE(row.mutation);
    drawn_for.insert(row.mutation);
    FuzzTarget target = swarmOf(row.variant, row.mutation);
    target.shape.observers = row.stand_ins;
    for (const std::string name : row.breaks) {
      if (!name.starts_with("stall")) target.invariants = {name};
      CHECK_MESSAGE(found(target, row.seeds).contains(name), name);
      target.invariants.clear();
    }
  }
  for (const Mutation& mutation : ruleTables().mutations)
    CHECK_MESSAGE(drawn_for.contains(mutation.name), mutation.name);
}

// ---- in words

/// The document's story as a scenario: only server 1 gets the write, and is cut off before the second read.
Json storyOf(const std::string& variant) {
  const auto held = [](ServerId from, ServerId to) {
    return Json{{"at", 0}, {"hold", {{"link", "quorum"}, {"from", from}, {"to", to}}}};
  };
  return {{"kind", "scenario"},
          {"name", "a read finds what a later read does not"},
          {"protocol", "quorum_register"},
          {"variant", variant},
          {"rules", {{"versions", "own_counter"}}},
          {"config", {{"initial", 1}}},
          {"servers", 3},
          {"clients",
           {{{"id", 11}, {"name", "writer1"}}, {{"id", 12}, {"name", "c1"}}, {{"id", 13}, {"name", "c2"}}}},
          {"timing", {{"latency_ms", 1}}},
          {"steps",
           {held(11, 2),
            held(11, 3),
            held(12, 3),
            {{"at", 10}, {"client", 11}, {"write", 2}, {"clock", 5}},
            {{"at", 600}, {"client", 12}, {"read", true}},
            {{"at", 700}, {"pause", 1}},
            {{"at", 710}, {"client", 13}, {"read", true}},
            {{"at", 800}, {"resume", 1}},
            {{"at", 900}, {"client", 12}, {"read", true}}}},
          {"until", 1000}};
}

TEST_CASE("quorum register: a scenario has the document's story, and write-back changes its end") {
  for (const bool writes_back : {false, true}) {
    CAPTURE(writes_back);
    const JsonValue document = JsonValue::fromJson(storyOf(writes_back ? "abd" : "quorum"), "a story");
    const LoadedScenario scenario{readScenario(document), document};
    checkScenario(theFamily<F>(), scenario);
    ScenarioRun any(scenario, makeSetup(theFamily<F>(), scenario), {});
    RunOf<F> run(any);
    const auto monitors = InvariantsOf<F>::all(run.cluster());
    run.watch(*monitors);
    const Trace trace = any.execute();
    List answers;
    for (const TraceEvent& event : trace.events) {
      if (event.kind == "answered") answers.push_back(event.text);
    }
    CHECK(
        answers ==
        List{"writer1 does not know if its write was done", "c1 reads 2 (v1 of writer1), as 1, 2 have it",
             writes_back ? "c2 reads 2 (v1 of writer1), as 2, 3 have it" : "c2 reads 1 (v0), as 2, 3 have it",
             "c1 reads 2 (v1 of writer1), as 1, 2 have it"});
    CHECK(monitors->monitors().front()->violation().has_value() != writes_back);
    const auto has = [&](std::string_view kind, std::string_view text) {
      return std::any_of(trace.events.begin(), trace.events.end(), [&](const TraceEvent& event) {
        return event.kind == kind && (event.text.find(text) != std::string::npos ||
                                      event.data.dump().find(text) != std::string::npos);
      });
    };
    CHECK(has("version", "writer1 writes 2 (v1 of writer1): its own count"));
    CHECK(has("weighed", "1 stores v1 of writer1"));
    CHECK(has("quorum_read", "c1 has answers from 1, 2: the newest is 2 (v1 of writer1)"));
    CHECK(has("delivered", "WRITE 2 (v1 of writer1)"));
    CHECK(has("repair", "c1 sends 2 (v1 of writer1) to 2, 3 before it returns it") == writes_back);
  }
}

TEST_CASE("quorum register: what is written in JSON is read again, and errors there are reported") {
  const Version version{3, 11, 5};
  CHECK(toJson(version) == "3/11/5");
  CHECK(toJson(Version{}) == "first");
  for (const Version& one : {version, Version{}, Version{-1, 2, 3}})
    CHECK(read<Version>(JsonValue::fromJson(toJson(one), "a version")) == one);
  for (const char* text : {"", "3", "3/11", "3/11/5/", "3/11/5x", "3/11/x", "3//5", " 3/11/5"})
    CHECK_THROWS_AS(read<Version>(JsonValue::fromJson(text, "a version")), InputError);

  const auto errorOf = [](const std::function<void(Json&)>& change) -> std::string {
    Json text = storyOf("abd");
    change(text);
    const JsonValue document = JsonValue::fromJson(text, "a story");
    try {
      checkScenario(theFamily<F>(), {readScenario(document), document});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& error, std::string_view what) {
    return error.find(what) != std::string::npos;
  };
  CHECK(errorOf([](Json&) {}).empty());
  CHECK(says(errorOf([](Json& text) { text["variant"] = "abc"; }), "there is no variant `abc`"));
  CHECK(says(errorOf([](Json& text) { text["rules"] = {{"kept", "oldest"}}; }), "has no value \"oldest\""));
  CHECK(says(errorOf([](Json& text) { text["mutations"] = {"dynamo"}; }), "there is no mutation `dynamo`"));
  CHECK(says(errorOf([](Json& text) {
               text["config"] = {{"read_quorum", 4}};
             }),
             "`read_quorum` is from 1 to 3"));
  CHECK(says(errorOf([](Json& text) {
               text["config"] = {{"homes", {1, 2}}, {"stand_ins", {2}}};
             }),
             "server 2 is a home"));
  CHECK(errorOf([](Json& text) { text["config"] = {{"stand_ins", {3}}}; }).empty());
  // A server that runs from the beginning, with a hint.
  CHECK(errorOf([](Json& text) {
          text["servers"] = {{{"id", 1}},
                             {{"id", 2}},
                             {{"id", 3},
                              {"disk", {{"stored", {{"version", "1/11/1"}, {"value", 7}}}}},
                              {"state", Json::object()}}};
        }).empty());
  CHECK(says(errorOf([](Json& text) {
               text["servers"] = {{{"id", 1}}, {{"id", 2}}, {{"id", 3}, {"state", {{"counter", 1}}}}};
             }),
             "a replica does not coordinate requests"));
}

}  // namespace
}  // namespace zablab::quorum_register
