// A register that a quorum of replicas keeps: what document 004 tells of it, every way within bounds, and
// drawn ways with every fault.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checker/check/search.h"
#include "checker/quorum_register/check.h"
#include "checker/quorum_register/trial.h"
#include "protocol/quorum_register/mutations.h"
#include "sim/quorum_register/binding.h"
#include "sim/run.h"
#include "sim/simulator.h"

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

Rules rulesOf(std::string_view variant) { return findVariant(variant)->rules; }
Rules mutated(std::string_view mutation, Rules rules = {}) {
  mutate(rules, *findMutation(mutation));
  return rules;
}

// ---- by hand

struct Environment : IdleEnvironment<F> {
  static constexpr bool watches = true;
  std::vector<Listener<F>*> listeners;
  void tell(const Happened<F>& happened) {
    for (Listener<F>* listener : listeners) listener->on(happened);
  }
};

/// What clients were answered, by client and number.
struct Answers : Listener<F> {
  std::map<std::pair<int, std::int64_t>, Answered> all;
  void on(const Happened<F>& seen) override {
    if (seen.kind != Kind::event) return;
    if (const auto* answered = std::get_if<Answered>(seen.event))
      all[{seen.node, answered->request}] = *answered;
  }
};

/// A cluster whose every message is delivered or lost by hand.
class Stage {
 public:
  explicit Stage(const Rules& rules, const Size& size = {})
      : cluster_(clusterOf(rules, size)), store_(cluster_), world_(cluster_, store_, environment_) {
    monitors_ = allMonitors(cluster_);
    environment_.listeners = {monitors_.get(), &answers_};
    for (int i = 0; i < store_.size(); ++i) world_.start(i);
  }

  void ask(ServerId client, const Request& request) { world_.ask(at(client), request); }
  /// Delivers whatever these say to each other, until they have said everything.
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
  /// Delivers the oldest datagram of this way.
  void deliver(ServerId from, ServerId to) { world_.deliver(quorum_link, at(from), at(to)); }
  void duplicate(ServerId from, ServerId to) { world_.duplicate(quorum_link, at(from), at(to), 0); }
  /// Loses what is on its way between this one and the others.
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
      if (monitor->info().name == invariant) return monitor->violation().value_or("");
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

/// A write of 2 that reaches server 1 alone, and that its client gives up.
void writeToOne(Stage& stage) {
  stage.ask(w1, writes(2, 1));
  stage.talk({w1, 1});
  stage.lose(w1, {2, 3});
  stage.fire(w1, TimerKind::give_up);
}

TEST_CASE("quorum register: 004-Q1, DQ-1: a read finds what a later read does not") {
  Rules rules = rulesOf("quorum");
  rules.versions = Versions::own_counter;  // the document's writer asks nobody
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
  CHECK(stage.violation("linearizable") ==
        "client 13 read 1 fits in no order. Until then these fit: client 11 write 2, without an answer, "
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

TEST_CASE(
    "quorum register: 004-Q2: read repair makes all replicas equal, the answer and nothing else does not") {
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
    // The same from a read that hears of the new value after its answer.
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
  CHECK(!stage.isAnswered(c1, 1));  // one replica has it, as far as it knows
  stage.talk({c1, 2});
  CHECK(stage.answer(c1, 1).value == 2);
  CHECK(stage.values() == std::vector<std::int64_t>{2, 2, 1});
  stage.ask(c2, reads(1));
  stage.talk({c2, 2, 3});
  CHECK(stage.answer(c2, 1).value == 2);
  CHECK(stage.violated().empty());
  // A replica that has it already is as good as one that acknowledges it.
  Stage told(rules, {.clients = 3});
  told.ask(w1, writes(2, 1));
  told.talk({w1, 1, 3});
  told.lose(w1, {2});
  told.ask(c1, reads(1));
  told.talk({c1, 1});
  told.talk({c1, 2});  // 2 is behind; and what it is told is lost
  CHECK(told.answer(c1, 1).of == std::vector<ServerId>{1, 2});
}

TEST_CASE("quorum register: DQ-4: a repair after the answer comes too late where something ends before it") {
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
  // A stand-in keeps it over a loss of power, and hands it over in the end.
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

TEST_CASE("quorum register: a datagram that comes twice counts once, unless messages are counted") {
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

TEST_CASE("quorum register: what a replica acknowledges is durable, unless it acknowledges at once") {
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

// ---- every way

struct Model {
  Rules rules;
  Size size;
  std::vector<std::pair<ServerId, Request>> asks;
  bool one_after_the_other = true;
  std::uint32_t drops = 0;
  std::uint32_t copies = 0;
  std::uint32_t timeouts = 0;
  std::uint32_t crashes = 0;
  std::vector<Ends> ends{Ends::power_loss};
  Fires give_up = Fires::paid;
  Fires stand_in = Fires::never;
};
struct Searched {
  SearchCounts counts;
  std::uint32_t violated = 0;
  std::vector<Action<F>> way;
  std::vector<std::uint64_t> obligations;
};

Limits<F> limitsOf(const Model& model, const Cluster<F>& cluster) {
  Limits<F> limits;
  const auto bound = [&](Budget budget, std::uint32_t most) {
    limits.bounds[static_cast<std::size_t>(budget)] = most;
  };
  for (const auto& [client, request] : model.asks) limits.asks.push_back({cluster.indexOf(client), request});
  bound(Budget::asked, model.one_after_the_other ? static_cast<std::uint32_t>(model.asks.size()) : 0);
  bound(Budget::breaks, model.drops);
  bound(Budget::overtakes, model.copies);
  bound(Budget::timeouts, model.timeouts);
  bound(Budget::crashes, model.crashes);
  bound(Budget::restarts, model.crashes);
  limits.ends = model.ends;
  limits.fires = {model.give_up, model.stand_in, Fires::never};
  return limits;
}

using Witness = std::function<void(Search<F>&, const InternedStore<F>& after)>;

Searched searched(const Model& model, std::uint32_t invariants, const Witness& witness = {}) {
  const Cluster<F> cluster = clusterOf(model.rules, model.size);
  const Limits<F> limits = limitsOf(model, cluster);
  Stage stage(model.rules, model.size);
  SearchOptions options;
  options.invariants = invariants;
  Search<F> search(cluster, limits, options, stage.value());
  if (witness) {
    search.setWitness(
        [&](const InternedStore<F>::Value*, const InternedStore<F>& after) { witness(search, after); });
  }
  Searched result;
  result.counts = search.breadthFirst();
  if (const auto found = search.counterexample()) {
    result.violated = found->first;
    result.way = found->second;
  }
  result.obligations = search.obligations();
  return result;
}

constexpr std::uint32_t everything = ~std::uint32_t{0};

/// The document's write and two reads, one after the other; each message arrives or is lost.
Model documentsModel(const Rules& rules) {
  return {.rules = rules,
          .size = {.clients = 3},
          .asks = {{w1, writes(2, 1)}, {c1, reads(1)}, {c2, reads(1)}},
          .drops = 6,
          .give_up = Fires::rest};
}

/// Which servers have the new value in the end, and whom the two reads heard, a bit each.
using Heard = std::tuple<unsigned, unsigned, unsigned>;

/// Every outcome, and whether the history with it is linearizable.
std::map<Heard, std::set<bool>> outcomesOf(const Model& model, SearchCounts* counts = nullptr) {
  std::map<Heard, std::set<bool>> outcomes;
  const int homes = model.size.homes;
  const Searched result = searched(model, 0, [&](Search<F>& search, const InternedStore<F>& after) {
    const Layout& layout = after.layout();
    const auto& shared = search.memories().shareds[after.part(layout.shared_at)];
    const auto own = [&](int i) -> const OwnMemory& {
      return search.memories().owns[after.part(layout.own_at + i)];
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
  CHECK(result.counts.exhausted);
  if (counts != nullptr) *counts = result.counts;
  return outcomes;
}

TEST_CASE("quorum register: of the 72 outcomes of a write and two reads exactly 6 are not linearizable") {
  Rules rules = rulesOf("quorum");
  rules.versions = Versions::own_counter;
  SearchCounts counts;
  const auto outcomes = outcomesOf(documentsModel(rules), &counts);
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
  CHECK(counts.distinct == 29'079);
  CHECK(counts.generated == 123'382);
}

/// What a search finds with a change of the rules.
struct Found {
  std::string_view mutation;
  std::uint32_t breaks;  ///< the invariant that it is to break
  std::size_t length;    ///< of the shortest way to it
};
/// A model in which nothing is found without, and what is found with changes.
struct Row {
  Model model;
  std::uint64_t states;  ///< without
  std::vector<Found> found;
};

/// The monitors of a run say the same of a search's way.
bool isViolatedOnTheWay(const Model& model, const std::vector<Action<F>>& way, std::string_view invariant) {
  Stage stage(model.rules, model.size);
  for (const Action<F>& action : way) stage.apply(action);
  const List violated = stage.violated();
  return std::find(violated.begin(), violated.end(), invariant) != violated.end();
}

std::vector<Row> rows() {
  const Rules one_writer = rulesOf("abd-one-writer");
  const Rules abd = rulesOf("abd");
  const Model story{.rules = one_writer,
                    .size = {.clients = 3},
                    .asks = {{w1, writes(2, 1)}, {c1, reads(1)}, {c2, reads(1)}},
                    .timeouts = 1};
  const Model two_writers{.rules = abd,
                          .size = {.clients = 2},
                          .asks = {{c1, writes(2, 1, 9)}, {w1, writes(3, 1, 5)}, {w1, reads(2)}}};
  Model beside = story;
  beside.size = {.stand_ins = 2, .clients = 2};
  beside.asks = {{w1, writes(2, 1)}, {c1, reads(1)}};
  beside.stand_in = Fires::free;
  beside.timeouts = 0;
  Model one_read = story;
  one_read.asks.pop_back();
  Model doubled = one_read;
  doubled.copies = 1;
  Model crash = one_read;
  crash.timeouts = 0;
  crash.crashes = 1;
  Model same_reader = story;
  same_reader.size.clients = 2;
  same_reader.asks = {{w1, writes(2, 1)}, {c1, reads(1)}, {c1, reads(2)}};
  Model later = two_writers;
  later.asks.pop_back();
  return {
      {story,
       721'631,
       {{"dynamo_no_write_back", Check::linearizable, 13}, {"dynamo_async_repair", Check::linearizable, 13}}},
      {same_reader, 638'047, {{"dynamo_no_write_back", Check::monotonic_reads, 13}}},
      {two_writers,
       1'335'541,
       {{"dynamo_lww_skew", Check::linearizable, 15},
        {"qr_several_count_by_themselves", Check::linearizable, 15}}},
      {beside, 841, {{"dynamo_sloppy", Check::linearizable, 11}, {"dynamo_sloppy", Check::regular, 11}}},
      {one_read,
       8105,
       {{"dynamo_r_plus_w_le_n", Check::linearizable, 10}, {"qr_first_ack", Check::write_quorum, 3}}},
      {doubled,
       124'916,
       {{"qr_counts_messages", Check::write_quorum, 5}, {"qr_counts_messages", Check::read_quorum, 7}}},
      {later,
       50'083,
       {{"qr_keeps_last_arrived", Check::replica_forward, 16},
        {"qr_keeps_last_arrived", Check::converged, 26}}},
      {crash, 18'283, {{"qr_acks_at_once", Check::replica_forward, 4}}},
  };
}

std::string nameOf(const Cluster<F>& cluster, std::uint32_t invariant) {
  const auto list = CheckOf<F>(cluster).invariants();
  const auto which = static_cast<std::size_t>(std::countr_zero(invariant));
  return which < list.size() ? std::string(list[which].name) : "";
}

TEST_CASE("quorum register: a search finds each change without hints, and nothing without it") {
  std::set<std::string_view> searched_for;
  for (const Row& row : rows()) {
    CAPTURE(row.states);
    const Searched good = searched(row.model, everything);
    CHECK(good.counts.exhausted);
    CHECK(good.violated == 0);
    CHECK(good.counts.distinct == row.states);
    for (const Found& found : row.found) {
      CAPTURE(found.mutation);
      CAPTURE(found.breaks);
      searched_for.insert(found.mutation);
      Model changed = row.model;
      changed.rules = mutated(found.mutation, changed.rules);
      const Searched bad = searched(changed, found.breaks);
      CHECK((bad.violated & found.breaks) != 0);
      CHECK(bad.way.size() == found.length);
      if (found.breaks == Check::converged) continue;  // what a state shows is no monitor's
      const std::string name = nameOf(clusterOf(changed.rules, changed.size), found.breaks);
      CHECK(isViolatedOnTheWay(changed, bad.way, name));
    }
  }
  for (const Mutation& mutation : mutations()) {
    if (mutation.kind == "safety") CHECK_MESSAGE(searched_for.contains(mutation.name), mutation.name);
  }
}

TEST_CASE("quorum register: four replicas have the outcomes that counting says") {
  // Reads of 2 of 4, writes of 3: a write that too few have, a read that meets them, a read that does not.
  Rules rules = rulesOf("quorum");
  rules.versions = Versions::own_counter;
  Model model = documentsModel(rules);
  model.size = {.homes = 4, .clients = 3, .r = 2, .w = 3};
  model.drops = 8;
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
  std::size_t found = 0;
  SearchCounts counts;
  const auto outcomes = outcomesOf(model, &counts);
  for (const auto& [outcome, fits] : outcomes) found += fits.contains(false);
  CHECK(outcomes.size() == all);
  CHECK(found == bad);
  CHECK(counts.distinct == 1'247'671);
}

/// Models in which nothing may be violated, with what is not promised left out.
struct Held {
  const char* name;
  Model model;
  std::uint32_t invariants;
  std::uint64_t states;
  std::uint64_t transitions;
};
std::vector<Held> heldModels() {
  const Rules one_writer = rulesOf("abd-one-writer");
  Rules plain = rulesOf("quorum");
  plain.versions = Versions::own_counter;
  const std::vector<std::pair<ServerId, Request>> story{{w1, writes(2, 1)}, {c1, reads(1)}, {c2, reads(1)}};
  constexpr std::uint32_t inside = Check::write_quorum | Check::read_quorum | Check::replica_forward;
  return {
      {"the document's, with write-back", documentsModel(one_writer), everything & ~Check::converged, 312'590,
       1'845'038},
      {"the document's, regular", documentsModel(plain), inside | Check::regular, 29'079, 123'382},
      {"a write beside two reads, with write-back",
       {.rules = one_writer,
        .asks = {{w1, writes(2, 1)}, {c1, reads(1)}, {c1, reads(2)}},
        .one_after_the_other = false},
       everything,
       761'978,
       3'941'976},
      {"two writes at once, with write-back",
       {.rules = rulesOf("abd"),
        .asks = {{w1, writes(2, 1)}, {c1, writes(3, 1)}},
        .one_after_the_other = false},
       everything,
       687'857,
       3'574'835},
      {"a replica that loses power, regular",
       {.rules = plain, .size = {.clients = 3}, .asks = story, .timeouts = 1, .crashes = 1},
       inside | Check::regular,
       1'449'935,
       7'627'170},
  };
}

TEST_CASE(
    "quorum register: write-back is linearizable and R + W > N regular, whatever happens within bounds") {
  std::vector<std::uint64_t> obligations;
  for (const Held& held : heldModels()) {
    CAPTURE(std::string(held.name));
    const Searched result = searched(held.model, held.invariants);
    CHECK(result.counts.exhausted);
    CHECK(result.violated == 0);
    CHECK(result.counts.distinct == held.states);
    CHECK(result.counts.generated == held.transitions);
    obligations.resize(result.obligations.size());
    for (std::size_t i = 0; i < obligations.size(); ++i) obligations[i] += result.obligations[i];
  }
  for (const std::uint64_t exercised : obligations) CHECK(exercised > 0);
}

TEST_CASE("quorum register: threads, whole states and depth first come to the same counts") {
  const Model model = documentsModel([] {
    Rules rules = rulesOf("quorum");
    rules.versions = Versions::own_counter;
    return rules;
  }());
  const Cluster<F> cluster = clusterOf(model.rules, model.size);
  const Limits<F> limits = limitsOf(model, cluster);
  const Stage stage(model.rules, model.size);
  for (const unsigned threads : {1U, 3U}) {
    for (const bool exact : {false, true}) {
      SearchOptions options;
      options.invariants = 0;
      options.threads = threads;
      options.exact = exact;
      Search<F> search(cluster, limits, options, stage.value());
      const SearchCounts counts = threads == 1 && exact ? search.depthFirst() : search.breadthFirst();
      CHECK(counts.exhausted);
      CHECK(counts.distinct == 29'079);
      CHECK(counts.generated == 123'382);
    }
  }
}

TEST_CASE(
    "quorum register: 004-Q2: from where one replica has the value a read repairs all, in every order") {
  for (const ReadRepair repair : {ReadRepair::none, ReadRepair::asynchronous, ReadRepair::write_back}) {
    CAPTURE(enumName(repair));
    Model model{.rules = rulesOf("abd-one-writer"), .asks = {{c1, reads(1)}}};
    model.rules.read_repair = repair;
    Stage stage(model.rules, model.size);
    writeToOne(stage);
    const Cluster<F> cluster = clusterOf(model.rules, model.size);
    const Limits<F> limits = limitsOf(model, cluster);
    SearchOptions options;
    options.invariants = Check::converged;
    Search<F> search(cluster, limits, options, stage.value());
    search.breadthFirst();
    CHECK(search.counterexample().has_value() == (repair == ReadRepair::none));
  }
}

TEST_CASE("quorum register: comparisons on top of quorums: a search finds two that both set their value") {
  Model model{.rules = rulesOf("abd"),
              .asks = {{w1, compares(1, 2, 1)}, {c1, compares(1, 3, 1)}},
              .one_after_the_other = false};
  const Searched both = searched(model, Check::linearizable);
  CHECK(both.violated == Check::linearizable);
  CHECK(isViolatedOnTheWay(model, both.way, "linearizable"));
  model.one_after_the_other = true;
  const Searched apart = searched(model, everything);
  CHECK(apart.counts.exhausted);
  CHECK(apart.violated == 0);
}

TEST_CASE("quorum register: every value of every rule is some variant's or some mutation's, and is listed") {
  std::set<std::string> used;
  for (const Variant& variant : variants()) {
    forEachField(variant.rules, [&](std::string_view rule, const auto& value) {
      used.insert(std::string(rule) + "=" + std::string(enumName(value)));
    });
  }
  for (const Mutation& mutation : mutations()) {
    used.insert(std::string(mutation.rule) + "=" + std::string(mutation.value));
    CHECK(!setRule(*std::make_unique<Rules>(), mutation.rule, mutation.value));
  }
  std::set<std::string> listed;
  for (const RuleValue& value : ruleValues()) {
    const std::string name = std::string(value.rule) + "=" + std::string(value.value);
    CHECK_MESSAGE(listed.insert(name).second, name, " is listed twice");
  }
  CHECK(used == listed);
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

// ---- drawn ways

struct Sum {
  std::map<std::string, std::uint64_t> violations;  ///< runs, by invariant
  std::map<std::string, std::uint64_t> obligations;
  std::map<std::string, std::uint64_t> answers;
  std::map<std::string, std::uint64_t> happened;
  std::uint64_t converged = 0;
};
Sum trials(const Trial& trial, std::uint64_t seeds) {
  Sum sum;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrialOutcome outcome = runTrial(trial, seed);
    for (const auto& entry : outcome.violations) ++sum.violations[entry.first];
    for (const auto& [name, count] : outcome.obligations) sum.obligations[name] += count;
    for (const auto& [name, count] : outcome.answers) sum.answers[name] += count;
    for (const auto& [name, count] : outcome.happened) sum.happened[name] += count;
    sum.converged += outcome.converged;
  }
  return sum;
}

TEST_CASE("quorum register: in 3000 drawn runs write-back breaks nothing, and all has happened") {
  const Sum sum = trials(underFaults(rulesOf("abd")), 3000);
  CHECK(sum.violations.empty());
  CHECK(sum.converged == 3000);
  for (const auto& entry : sum.obligations) CHECK_MESSAGE(entry.second > 10'000, entry.first);
  for (const char* name :
       {"read ok", "read failed", "read busy", "write ok", "write failed", "write unknown"})
    CHECK_MESSAGE(sum.answers.at(name) > 1000, name);
  for (const char* name : {"drop", "duplicate", "cut", "repair before_answer", "repair after_answer",
                           "told of newer", "told of older", "told of there_already"})
    CHECK_MESSAGE(sum.happened.at(name) > 1000, name);
}

TEST_CASE(
    "quorum register: in drawn runs each habit of real stores shows, and what it does not break holds") {
  struct Drawn {
    std::string_view variant;
    std::string_view mutation;  ///< on top; empty: none
    std::uint64_t seeds;
    std::set<std::string> breaks;
  };
  const std::set<std::string> all_of_it{"linearizable", "monotonic-reads", "regular"};
  for (const Drawn& row : std::vector<Drawn>{
           {"quorum", "", 1000, {"linearizable", "monotonic-reads"}},
           {"abd", "dynamo_no_write_back", 1000, {"linearizable", "monotonic-reads"}},
           {"abd", "dynamo_async_repair", 1000, {"linearizable"}},
           {"dynamo", "", 1000, all_of_it},
           {"abd", "dynamo_sloppy", 1000, all_of_it},
           {"abd", "dynamo_lww_skew", 300, {"linearizable", "regular"}},
           {"abd", "qr_several_count_by_themselves", 300, {"linearizable", "regular"}},
           {"abd",
            "dynamo_r_plus_w_le_n",
            300,
            {"linearizable", "monotonic-reads", "read-quorum", "regular"}},
           {"abd", "qr_first_ack", 300, {"linearizable", "monotonic-reads", "regular", "write-quorum"}},
           {"abd", "qr_acks_at_once", 300, {"replica-forward", "write-quorum"}},
       }) {
    CAPTURE(row.variant);
    CAPTURE(row.mutation);
    Rules rules = rulesOf(row.variant);
    if (!row.mutation.empty()) rules = mutated(row.mutation, rules);
    const Sum sum = trials(underFaults(rules), row.seeds);
    std::set<std::string> broken;
    for (const auto& entry : sum.violations) broken.insert(entry.first);
    std::string list;
    for (const std::string& name : broken) list += name + " ";
    CHECK_MESSAGE(broken == row.breaks, list);
    if (row.variant == "quorum") CHECK(sum.converged < row.seeds);
  }
}

TEST_CASE("quorum register: write-back is linearizable in drawn runs where R + W > N, and not otherwise") {
  struct Quorums {
    int n;
    std::int64_t r, w;
  };
  for (const Quorums& one :
       std::array{Quorums{3, 1, 3}, Quorums{3, 3, 1}, Quorums{3, 2, 3}, Quorums{4, 2, 3}, Quorums{5, 3, 3},
                  Quorums{5, 2, 4}, Quorums{3, 1, 1}, Quorums{3, 1, 2}, Quorums{4, 2, 2}, Quorums{5, 2, 3}}) {
    CAPTURE(one.n);
    CAPTURE(one.r);
    CAPTURE(one.w);
    Trial trial = underFaults(rulesOf("abd"));
    trial.homes = one.n;
    trial.read_quorum = one.r;
    trial.write_quorum = one.w;
    const Sum sum = trials(trial, 300);
    CHECK(sum.violations.empty() == (one.r + one.w > one.n));
    CHECK(sum.violations.contains("linearizable") == (one.r + one.w <= one.n));
    CHECK(!sum.violations.contains("write-quorum"));
    CHECK(sum.answers.at("read ok") > 1000);
  }
}

TEST_CASE("quorum register: in drawn runs stand-ins hand over what they keep, unless they never do") {
  Trial trial = underFaults(rulesOf("dynamo"));
  trial.knobs.strikes = {};  // which may come when everything else is over
  trial.knobs
      .pauses = {};  // what came for a server that ends while it stands still waits for the next message
  const Sum hands_over = trials(trial, 500);
  CHECK(hands_over.converged == 500);
  CHECK(hands_over.happened.at("stood in") > 1000);
  CHECK(hands_over.happened.at("handed over") > 1000);
  trial.rules = mutated("qr_never_hands_off", trial.rules);
  const Sum keeps = trials(trial, 500);
  CHECK(keeps.converged < 250);
  CHECK(!keeps.happened.contains("handed over"));
}

TEST_CASE("quorum register: one writer that counts by itself needs nobody to ask") {
  Trial trial = underFaults(rulesOf("abd-one-writer"));
  trial.one_writer = true;
  const Sum sum = trials(trial, 1000);
  CHECK(sum.violations.empty());
  CHECK(!sum.answers.contains("write failed"));
}

// ---- in words

/// The document's story as a scenario: server 1 alone gets the write, and is cut off before the second read.
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
            {{"at", 10}, {"write", {{"client", 11}, {"value", 2}}}},
            {{"at", 600}, {"read", {{"client", 12}}}},
            {{"at", 700}, {"pause", 1}},
            {{"at", 710}, {"read", {{"client", 13}}}},
            {{"at", 800}, {"resume", 1}},
            {{"at", 900}, {"read", {{"client", 12}}}}}},
          {"until", 1000}};
}

TEST_CASE("quorum register: a scenario tells the document's story, and write-back changes its end") {
  for (const bool writes_back : {false, true}) {
    CAPTURE(writes_back);
    const JsonValue document = JsonValue::fromJson(storyOf(writes_back ? "abd" : "quorum"), "a story");
    const LoadedScenario scenario{readScenario(document), document};
    checkFamily<F>(scenario);
    ScenarioRun<F> run(scenario, makeSetup<F>(scenario), {});
    const auto monitors = allMonitors(run.cluster());
    run.watch(*monitors);
    const Trace trace = run.execute();
    List answers;
    for (const TraceEvent& event : trace.events) {
      if (event.kind == "answered") answers.push_back(event.text);
    }
    CHECK(
        answers ==
        List{"writer1 cannot know what became of its write", "c1 reads 2 (v1 of writer1), as 1, 2 have it",
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
    CHECK(has("weighed", "1 takes v1 of writer1"));
    CHECK(has("quorum_read", "c1 has heard 1, 2: the newest is 2 (v1 of writer1)"));
    CHECK(has("delivered", "WRITE 2 (v1 of writer1)"));
    CHECK(has("repair", "c1 tells 2, 3 of 2 (v1 of writer1) before it returns it") == writes_back);
  }
}

TEST_CASE("quorum register: what stands in JSON is read again, and what is wrong there is said") {
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
      checkFamily<F>({readScenario(document), document});
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
             "server 2 is a home itself"));
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
             "a replica coordinates nothing"));
}

}  // namespace
}  // namespace zablab::quorum_register
