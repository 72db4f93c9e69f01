// Histories of clients: what is linearizable, sequentially consistent and regular, against known histories
// and against all permutations.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "checker/history/linearizable.h"
#include "checker/history/register.h"
#include "sim/run_of.h"
#include "sim/zab_register/binding.h"

namespace zablab::history {
namespace {

using Op = RegisterOp;

const auto client_name = [](ServerId id) { return "client " + std::to_string(id); };

/// Builds a history: one event after the other.
struct Told {
  RegisterHistory history;
  Told& asks(ServerId client, const Op& op) {
    history.invoke(client, op);
    return *this;
  }
  Told& gets(ServerId client, std::int64_t returned = 0) {
    history.answer(client, history.open(client)->op.returns(returned));
    return *this;
  }
  Told& fails(ServerId client) {
    history.fail(client);
    return *this;
  }
  Told& writes(ServerId client, std::int64_t value) { return asks(client, Op::write(value)).gets(client); }
  Told& reads(ServerId client, std::int64_t value) { return asks(client, Op::read()).gets(client, value); }
};

std::vector<std::size_t> orderOf(const Judgement<Register>& judgement) {
  std::vector<std::size_t> order;
  for (const auto& placed : judgement.order) order.push_back(placed.call);
  return order;
}

Verdict verdictOf(const Told& told, Order order = Order::real_time, std::int64_t initial = 0) {
  return judge(told.history, Register{initial}, order).verdict;
}
Verdict regularityOf(const Told& told, std::int64_t initial = 0) {
  return regular(told.history, Register{initial}).verdict;
}

TEST_CASE("history: a quorum's new-old inversion fits in no order, and the place and reason are reported") {
  // 004-Q1: x is 1; a write of 2 reaches one replica and is never answered; a read returns 2, and a later
  // one 1.
  Told told;
  told.asks(1, Op::write(2)).reads(2, 2).reads(3, 1);
  const auto judgement = judge(told.history, Register{1});
  CHECK(judgement.verdict == Verdict::no);
  REQUIRE(judgement.misplaced);
  CHECK(*judgement.misplaced == 2);
  CHECK(orderOf(judgement) == std::vector<std::size_t>{0, 1});
  CHECK(judgement.possible == std::vector<Op>{Op::read().returns(2)});
  CHECK(explain(told.history, judgement, client_name).english() ==
        "client 3 read 1 fits in no order. Before it, this order fits: client 1 write 2, without an answer; "
        "client 2 read 2. It could have been: read 2");
  // One client's two reads are not monotonic either, which violates sequential consistency; for two clients
  // it requires nothing, nor does regularity.
  CHECK(verdictOf(told, Order::per_client, 1) == Verdict::yes);
  CHECK(regularityOf(told, 1) == Verdict::yes);
  Told same;
  same.asks(1, Op::write(2)).reads(2, 2).reads(2, 1);
  CHECK(verdictOf(same, Order::real_time, 1) == Verdict::no);
  CHECK(verdictOf(same, Order::per_client, 1) == Verdict::no);
  CHECK(regularityOf(same, 1) == Verdict::yes);
  // In the opposite order it is a write that takes effect late.
  Told late;
  late.asks(1, Op::write(2)).reads(2, 1).reads(3, 2);
  CHECK(verdictOf(late, Order::real_time, 1) == Verdict::yes);
}

TEST_CASE(
    "history: the inversion needs a concurrent write: once it is answered, the second read is simply old") {
  Told during;
  during.asks(1, Op::write(2)).reads(2, 2).reads(3, 1).gets(1);
  CHECK(verdictOf(during, Order::real_time, 1) == Verdict::no);
  CHECK(regularityOf(during, 1) == Verdict::yes);
  Told after;
  after.writes(1, 2).reads(3, 1);
  CHECK(verdictOf(after, Order::real_time, 1) == Verdict::no);
  CHECK(regularityOf(after, 1) == Verdict::no);
  CHECK(explain(after.history, regular(after.history, Register{1}), client_name).english() ==
        "client 3 read 1 fits in no order. Before it, this order fits: client 1 write 2. It could have been: "
        "read 2");
  CHECK(verdictOf(after, Order::per_client, 1) == Verdict::yes);
  // Reads that overlap may see it in any order.
  Told overlap;
  overlap.asks(1, Op::write(2)).asks(2, Op::read()).asks(3, Op::read()).gets(2, 2).gets(3, 1);
  CHECK(verdictOf(overlap, Order::real_time, 1) == Verdict::yes);
}

TEST_CASE("history: a write without an answer takes effect at any time after its invocation, or never") {
  Told never;
  never.asks(1, Op::write(5)).reads(2, 0).reads(2, 0);
  CHECK(verdictOf(never) == Verdict::yes);
  Told late;
  late.asks(1, Op::write(5)).writes(2, 7).reads(2, 7).reads(3, 5).reads(2, 5);
  CHECK(verdictOf(late) == Verdict::yes);
  Told twice;  // once, and not again
  twice.asks(1, Op::write(5)).reads(2, 5).writes(2, 7).reads(2, 5);
  CHECK(verdictOf(twice) == Verdict::no);
  Told before;  // not before it was asked for
  before.reads(2, 5).asks(1, Op::write(5));
  CHECK(verdictOf(before) == Verdict::no);
  // A client that gave up and makes another request leaves the old write open.
  Told on;
  on.asks(1, Op::write(5)).writes(1, 6).reads(2, 6).reads(2, 5);
  CHECK(verdictOf(on) == Verdict::yes);
  // A call that certainly failed has no effect.
  Told failed;
  failed.asks(1, Op::write(5)).fails(1).writes(1, 6).reads(2, 6).reads(2, 5);
  CHECK(verdictOf(failed) == Verdict::no);
  CHECK(failed.history.calls.size() == 3);
}

TEST_CASE("history: equal values may be either write's") {
  Told both;
  both.writes(1, 5).writes(2, 7).asks(1, Op::write(5)).reads(2, 5).reads(3, 7);
  CHECK(verdictOf(both) == Verdict::no);
  Told open;  // the first 5 is the first write's; the second one's write is open
  open.asks(1, Op::write(5)).asks(2, Op::write(5)).reads(3, 5).writes(3, 7).reads(3, 7).reads(3, 5);
  CHECK(verdictOf(open) == Verdict::yes);
  open.writes(3, 8).reads(3, 5);
  CHECK(verdictOf(open) == Verdict::no);
}

TEST_CASE("history: of two comparisons with one value one is refused") {
  Told both;
  both.asks(1, Op::compareAndSet(1, 2)).asks(2, Op::compareAndSet(1, 3)).gets(1, 1).gets(2, 1);
  const auto judgement = judge(both.history, Register{1});
  CHECK(judgement.verdict == Verdict::no);
  CHECK(judgement.possible == std::vector<Op>{Op::compareAndSet(1, 3).returns(0)});
  CHECK(explain(both.history, judgement, client_name).english() ==
        "client 2 compare and set 1 to 3, done fits in no order. Before it, this order fits: client 1 "
        "compare and "
        "set 1 to 2, done. It could have been: compare and set 1 to 3, refused");
  Told one;
  one.asks(1, Op::compareAndSet(1, 2)).asks(2, Op::compareAndSet(1, 3)).gets(1, 0).gets(2, 1).reads(1, 3);
  CHECK(verdictOf(one, Order::real_time, 1) == Verdict::yes);
  Told open;  // without an answer: done, as the read shows
  open.asks(1, Op::compareAndSet(1, 2)).asks(2, Op::compareAndSet(2, 3)).gets(2, 1);
  CHECK(verdictOf(open, Order::real_time, 1) == Verdict::yes);
  open.asks(2, Op::compareAndSet(2, 3)).gets(2, 1);
  CHECK(verdictOf(open, Order::real_time, 1) == Verdict::no);
}

TEST_CASE("history: a bound on configurations is kept, and nothing is claimed then") {
  // Writes that are all concurrent, and a read of a value that was never written: every subset is explored.
  Told told;
  for (ServerId client = 1; client <= 12; ++client) told.asks(client, Op::write(client));
  told.reads(20, 99);
  const auto exact = judge(told.history, Register{}, Order::real_time, {1'000'000});
  CHECK(exact.verdict == Verdict::no);
  CHECK(exact.configurations == 12 * (1 << 11));  // a set and its last write; one more would be a new one
  const auto short_of = judge(told.history, Register{}, Order::real_time, {exact.configurations - 1});
  CHECK(short_of.verdict == Verdict::gave_up);
  CHECK(!short_of.misplaced);
  CHECK(explain(told.history, short_of, client_name).english() ==
        "not decided: 24576 configurations were not enough");
}

TEST_CASE("history: a long history with few concurrent calls takes little effort") {
  Told told;
  for (std::int64_t i = 1; i <= 300; ++i) {
    told.asks(1, Op::write(i)).asks(2, Op::read()).gets(2, i % 2 == 0 ? i : i - 1).gets(1).reads(3, i);
  }
  const auto good = judge(told.history, Register{});
  CHECK(good.verdict == Verdict::yes);
  CHECK(good.order.size() == 900);
  CHECK(good.configurations < 3000);
  told.history.calls[601].op.returned = 199;  // 201 is written; 200 is there
  const auto bad = judge(told.history, Register{});
  CHECK(bad.verdict == Verdict::no);
  REQUIRE(bad.misplaced);
  CHECK(*bad.misplaced == 601);
  CHECK(bad.possible == std::vector<Op>{Op::read().returns(200), Op::read().returns(201)});
}

TEST_CASE("history: what cannot be distinguished is the same history") {
  Told one;
  one.asks(1, Op::write(1)).asks(2, Op::read()).asks(3, Op::read()).gets(3, 0).gets(2, 1);
  Told other;
  other.asks(3, Op::read()).asks(1, Op::write(1)).asks(2, Op::read()).gets(2, 1).gets(3, 0);
  CHECK(one.history == other.history);
  other.asks(3, Op::read());
  CHECK(other.history.now == 1);
}

// ---- all histories of a few operations, against all permutations

/// An event of a history, by call.
struct Event {
  std::size_t call = 0;
  bool answer = false;
};
struct Generated {
  std::vector<Op> ops;  ///< with answers, if they have one
  std::vector<ServerId> clients;
  std::vector<Event> events;
};

/// Calls `visit` for every history of up to `calls` calls, of these operations and answers. Each call has a
/// separate client, or one of two.
void forAllHistories(std::size_t calls, bool two_clients, const std::vector<std::vector<Op>>& choices,
                     const std::function<void(const Generated&)>& visit) {
  Generated here;
  std::vector<std::size_t> waiting;       // calls without an answer that may still get one
  std::vector<std::size_t> which(calls);  // by call: of the choices
  const std::function<void()> goOn = [&] {
    visit(here);
    const std::size_t call = here.ops.size();
    const auto ask = [&](std::size_t k, ServerId client) {
      which[call] = k;
      here.ops.push_back(Register::unanswered(choices[k].front()));
      here.clients.push_back(client);
      here.events.push_back({call, false});
      const std::vector<std::size_t> before = waiting;
      std::erase_if(waiting, [&](std::size_t other) { return here.clients[other] == client; });
      waiting.push_back(call);
      goOn();
      waiting = before;
      here.events.pop_back();
      here.clients.pop_back();
      here.ops.pop_back();
    };
    for (std::size_t k = 0; call < calls && k < choices.size(); ++k) {
      if (!two_clients) ask(k, static_cast<ServerId>(call + 1));
      for (ServerId client = 1; two_clients && client <= 2; ++client) ask(k, client);
    }
    for (std::size_t w = 0; w < waiting.size(); ++w) {
      const std::size_t over = waiting[w];
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(w));
      here.events.push_back({over, true});
      const Op open = here.ops[over];
      for (const Op& answered : choices[which[over]]) {
        here.ops[over] = answered;
        goOn();
      }
      here.ops[over] = open;
      here.events.pop_back();
      waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(w), over);
    }
  };
  goOn();
}

/// By definition: a permutation of all answered calls and some of the others that fits and keeps the required
/// order. It uses no memory of configurations, no moments, and no code of the search.
bool fitsInSomeOrder(const Generated& generated, Order order, std::int64_t initial) {
  const std::size_t calls = generated.ops.size();
  std::vector<std::size_t> invoked(calls), answered(calls, ~std::size_t{0});
  for (std::size_t at = 0; at < generated.events.size(); ++at)
    (generated.events[at].answer ? answered : invoked)[generated.events[at].call] = at;
  std::vector<bool> placed(calls);
  const std::function<bool(std::int64_t)> placeRest = [&](std::int64_t value) {
    bool complete = true;
    for (std::size_t i = 0; i < calls; ++i) {
      if (placed[i]) continue;
      if (answered[i] != ~std::size_t{0}) complete = false;
      bool first = true;
      for (std::size_t j = 0; j < calls; ++j) {
        const bool before = answered[j] < invoked[i];
        const bool matters = order == Order::real_time || generated.clients[j] == generated.clients[i];
        if (!placed[j] && j != i && before && matters) first = false;
      }
      if (!first) continue;
      const Op& op = generated.ops[i];
      std::int64_t after = value;
      bool fits = true;
      if (op.action == RegisterAction::write) {
        after = op.value;
      } else if (op.action == RegisterAction::read) {
        fits = !op.returned || *op.returned == value;
      } else {
        const bool equal = value == op.expected;
        fits = !op.returned || (*op.returned == 1) == equal;
        if (equal) after = op.value;
      }
      if (!fits) continue;
      placed[i] = true;
      const bool found = placeRest(after);
      placed[i] = false;
      if (found) return true;
    }
    return complete;
  };
  return placeRest(initial);
}

RegisterHistory historyOf(const Generated& generated) {
  RegisterHistory history;
  for (const Event& event : generated.events) {
    const ServerId client = generated.clients[event.call];
    if (event.answer) {
      history.answer(client, generated.ops[event.call]);
    } else {
      history.invoke(client, Register::unanswered(generated.ops[event.call]));
    }
  }
  return history;
}

struct Count {
  std::uint64_t histories = 0;
  std::uint64_t fit = 0;
  std::uint64_t wrong = 0;
};
Count compareAll(std::size_t calls, const std::vector<std::vector<Op>>& choices,
                 Order order = Order::real_time) {
  Count count;
  forAllHistories(calls, order == Order::per_client, choices, [&](const Generated& generated) {
    const RegisterHistory history = historyOf(generated);
    const auto judgement = judge(history, Register{}, order);
    const bool fits = fitsInSomeOrder(generated, order, 0);
    ++count.histories;
    count.fit += fits;
    bool right = judgement.verdict == (fits ? Verdict::yes : Verdict::no);
    // The order that is shown is one of them.
    std::int64_t value = 0;
    for (const auto& placed : judgement.order) {
      const auto after = Register{}.apply(value, placed.op);
      if (!after) right = false;
      value = after.value_or(value);
    }
    // The call that is named fits with each of the other answers that are named, and never with its own.
    if (!fits && order == Order::real_time && !judgement.misplaced) right = false;
    if (!fits && judgement.misplaced) {
      const Op& own = history.calls[*judgement.misplaced].op;
      if (std::find(judgement.possible.begin(), judgement.possible.end(), own) != judgement.possible.end())
        right = false;
    }
    if (!right && count.wrong++ == 0) FAIL_CHECK(explain(history, judgement, client_name).english());
  });
  return count;
}

const std::vector<std::vector<Op>> reads_and_writes{
    {Op::read().returns(0), Op::read().returns(1)}, {Op::write(0).returns(0)}, {Op::write(1).returns(0)}};
const std::vector<std::vector<Op>> with_comparisons{
    {Op::read().returns(0), Op::read().returns(1)},
    {Op::write(1).returns(0)},
    {Op::compareAndSet(0, 1).returns(0), Op::compareAndSet(0, 1).returns(1)},
    {Op::compareAndSet(1, 0).returns(0), Op::compareAndSet(1, 0).returns(1)}};

TEST_CASE("history: every history of four reads and writes has the verdict of all permutations") {
  const Count count = compareAll(4, reads_and_writes);
  CHECK(count.wrong == 0);
  CHECK(count.histories == 56'705);
  CHECK(count.fit == 37'458);
}

TEST_CASE(
    "history: every history of five reads and writes of one value has the verdict of all permutations") {
  const Count count = compareAll(5, {reads_and_writes[0], reads_and_writes[2]});
  CHECK(count.wrong == 0);
  CHECK(count.histories == 453'258);
  CHECK(count.fit == 245'920);
}

TEST_CASE("history: every history of four operations with comparisons has the verdict of all permutations") {
  const Count count = compareAll(4, with_comparisons);
  CHECK(count.wrong == 0);
  CHECK(count.histories == 445'261);
  CHECK(count.fit == 214'703);
}

TEST_CASE("history: every history of two clients' four calls is in their order as all permutations have it") {
  const Count count = compareAll(4, reads_and_writes, Order::per_client);
  CHECK(count.wrong == 0);
  CHECK(count.histories == 142'131);
  CHECK(count.fit == 98'245);
}

TEST_CASE("history: a linearizable register is sequentially consistent and regular, and not the reverse") {
  std::array<int, 8> seen{};
  forAllHistories(4, true, reads_and_writes, [&](const Generated& generated) {
    const RegisterHistory history = historyOf(generated);
    const bool linear = judge(history, Register{}).verdict == Verdict::yes;
    const bool in_order = judge(history, Register{}, Order::per_client).verdict == Verdict::yes;
    const bool is_regular = regular(history, Register{}).verdict == Verdict::yes;
    ++seen[static_cast<std::size_t>(linear * 4 + in_order * 2 + is_regular)];
  });
  CHECK(seen[4] + seen[5] + seen[6] == 0);
  for (const int kind : {0, 2, 3, 7}) CHECK(seen[static_cast<std::size_t>(kind)] > 0);
}

TEST_CASE("history: concurrent calls of one client are distinguished by number") {
  RegisterHistory history;
  history.invoke(1, Op::write(1), 1);
  history.invoke(1, Op::read(), 2);
  history.invoke(1, Op::write(3), 3);
  CHECK(history.open(1, 2)->op == Op::read());
  history.answer(1, Op::read().returns(0), 2);
  CHECK(history.open(1, 2) == nullptr);
  history.answer(1, Op::write(1).returns(0), 1);
  // One client's calls are in the order in which it made them, and concurrent with all others.
  CHECK(judge(history, Register{}).verdict == Verdict::yes);
  CHECK(judge(history, Register{}, Order::per_client).verdict == Verdict::no);
  history.fail(1, 3);
  CHECK(history.calls.size() == 2);
  history.invoke(2, Op::read(), 1);
  history.answer(2, Op::read().returns(3), 1);
  CHECK(judge(history, Register{}).verdict == Verdict::no);
}

// ---- another family's clients

/// What ZooKeeper's clients write and read, as a history. The service is one register.
struct Clients : Listener<zab::Family> {
  explicit Clients(const Cluster<zab::Family>& of) : cluster(of) {}
  void on(const Happened<zab::Family>& seen) override {
    if (seen.node < 0) return;
    const ServerId client = cluster.ids[static_cast<std::size_t>(seen.node)];
    if (seen.kind == Kind::asked) {
      if (const auto op = opOf(seen.request->operation, seen.request->value))
        history.invoke(client, *op, seen.request->number);
    } else if (seen.kind == Kind::event) {
      const auto* answered = get_if<zab::Answered>(seen.event);
      if (answered == nullptr || history.open(client, answered->number) == nullptr) return;
      const Op op = history.open(client, answered->number)->op;
      if (answered->outcome == zab::Outcome::not_sent) history.fail(client, answered->number);
      if (answered->outcome == zab::Outcome::ok)
        history.answer(client, op.returns(answered->value.value_or(0)), answered->number);
    }
  }
  static std::optional<Op> opOf(zab::Operation operation, std::int64_t value) {
    if (operation == zab::Operation::read) return Op::read();
    return operation == zab::Operation::put ? std::optional(Op::write(value)) : std::nullopt;
  }
  const Cluster<zab::Family>& cluster;
  RegisterHistory history;
};

TEST_CASE(
    "history: a read at ZooKeeper's follower that is behind fits its clients' orders, and no real-time one") {
  for (const bool syncs : {false, true}) {
    CAPTURE(syncs);
    Json text{{"kind", "scenario"},
              {"name", "a follower is behind"},
              {"servers", 3},
              {"clients", {{{"id", 11}, {"server", 3}}, {{"id", 12}, {"server", 1}}}},
              {"steps",
               {{{"at", 3000}, {"hold", {{"link", "learner"}, {"from", 3}, {"to", 1}}}},
                {{"at", 3100}, {"client", 11}, {"write", 5}},
                syncs ? Json{{"at", 3300}, {"client", 12}, {"sync", true}}
                      : Json{{"at", 3300}, {"note", "no sync"}},
                {{"at", 3400}, {"client", 12}, {"read", true}},
                {{"at", 4000}, {"release", {{"link", "learner"}, {"from", 3}, {"to", 1}}}},
                {{"at", 5000}, {"client", 12}, {"read", true}}}},
              {"until", 6000}};
    const JsonValue document = JsonValue::fromJson(text, "a story");
    const LoadedScenario scenario{readScenario(document), document};
    ScenarioRun any(scenario, makeSetup(theFamily<zab::Family>(), scenario), {});
    RunOf<zab::Family> run(any);
    Clients clients(run.cluster());
    run.watch(clients);
    any.executeBare();
    const RegisterHistory& history = clients.history;
    REQUIRE(history.calls.size() == 3);
    CHECK(history.calls[1].op == Op::read().returns(syncs ? 5 : 0));
    CHECK(history.calls[2].op == Op::read().returns(5));
    CHECK(judge(history, Register{}).verdict == (syncs ? Verdict::yes : Verdict::no));
    CHECK(judge(history, Register{}, Order::per_client).verdict == Verdict::yes);
    if (syncs) continue;
    CHECK(explain(history, judge(history, Register{}), client_name).english() ==
          "client 12 read 0 fits in no order. Before it, this order fits: client 11 write 5. It could have "
          "been: "
          "read 5");
  }
}

}  // namespace
}  // namespace zablab::history
