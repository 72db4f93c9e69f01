// The meaning of links, disks, timers and faults, shown with puppets; and the rules for choices.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/mishaps.h"
#include "tests/toy_family.h"

template <class T>
struct doctest::StringMaker<std::vector<T>> {
  static String convert(const std::vector<T>& items) {
    String text = "{";
    for (const T& item : items) text += (&item == items.data() ? "" : ", ") + toString(item);
    return text + "}";
  }
};

namespace zablab {
namespace {

using toy::datagram;
using toy::Family;
using toy::slot;
using toy::tcp;
using toy::TimerKind;
using toy::V;
using Lines = std::vector<std::string>;

V::Effect send(Link link, ServerId to, std::int64_t number) { return V::Send{link, to, {number}, false}; }
V::Effect gated(Link link, ServerId to, std::int64_t number) { return V::Send{link, to, {number}, true}; }
V::Effect append(std::int64_t number) { return V::Write{{number}, false}; }
V::Effect writeNow(std::int64_t number) { return V::Write{{number}, true}; }
V::Effect timer(Millis lo, Millis hi) { return V::SetTimer{{TimerKind::once, no_server}, lo, hi}; }
V::Effect connect(Link link, ServerId to) { return V::Connect{link, to}; }
V::Effect disconnect(Link link, ServerId to) { return V::Disconnect{link, to}; }
V::Effect flush() { return V::Flush{}; }
V::Effect askDurable(std::int64_t key) { return V::AskDurable{key}; }
V::Effect mark(std::int64_t key) { return V::Mark{key}; }
V::Effect askAge(std::int64_t key) { return V::AskAge{key}; }

std::string topicName(ChoiceKind kind, std::uint8_t topic) {
  return kind == ChoiceKind::fault ? mishapTopicName(topic) : std::to_string(topic);
}

/// Puppets 1, 2, ... that run and are connected by TCP. Messages take 10 ms, syncs 5, dials 2.
class Stage : public Listener<Family> {
 public:
  explicit Stage(int servers, std::unique_ptr<ChoiceSource> source = std::make_unique<DefaultChoices>(),
                 Timing timing = {.latency = {{10, 10}, {10, 10}, {10, 10}}, .dial = {2, 2}, .fsync = {5, 5}})
      : cluster(clusterOf(servers)), choices(std::move(source), topicName), sim(cluster, timing, choices) {
    sim.listen(*this);
    for (int i = 0; i < servers; ++i) {
      sim.apply({.kind = ActionKind::start, .a = i});
      for (int j = 0; j < i; ++j) sim.world().open(tcp, j, i);
    }
    lines.clear();
  }

  /// Server `id` does these things at `when`, in one step.
  void does(Millis when, ServerId id, V::Effects effects) {
    sim.at(when, [this, id, effects = std::move(effects)] {
      if (!sim.store().isUp(at(id))) return;
      script_ = effects;
      sim.world().prompt(at(id));
    });
  }
  void apply(Millis when, Action<Family> action) {
    sim.at(when, [this, action] { sim.apply(action); });
  }
  /// Runs, and reports what happened.
  Lines run(Millis end) {
    sim.run(end);
    return std::exchange(lines, {});
  }
  const std::vector<std::int64_t>& disk(ServerId id) const { return sim.store().disk(at(id)).image.numbers; }
  const std::vector<std::int64_t>& heard(ServerId id) const { return sim.store().server(at(id)).node.heard; }
  static int at(ServerId id) { return static_cast<int>(id) - 1; }

  void on(const Happened<Family>& happened) override {
    const std::string now = std::to_string(sim.now()) + " ";
    const std::string node = std::to_string(happened.node + 1);
    const std::string way = std::to_string(happened.from + 1) + "->" + std::to_string(happened.to);
    const std::string number = happened.content ? " " + std::to_string(happened.content->number) : "";
    const std::string record = happened.record ? " " + std::to_string(happened.record->number) : "";
    const std::string request = happened.request ? " " + std::to_string(happened.request->number) : "";
    switch (happened.kind) {
      case Kind::delivered: lines.push_back(now + way + number); break;
      case Kind::lost:
        lines.push_back(now + way + number + " lost: " + std::string(enumName(happened.reason)));
        break;
      case Kind::closed:
        lines.push_back(now + node + " sees the end of " + std::to_string(happened.to));
        break;
      case Kind::connected: lines.push_back(now + way + " connected"); break;
      case Kind::refused: lines.push_back(now + way + " refused"); break;
      case Kind::synced: lines.push_back(now + node + " synced" + record); break;
      case Kind::timer: lines.push_back(now + node + " timer"); break;
      case Kind::asked: lines.push_back(now + node + " asked" + request); break;
      case Kind::stopped:
        lines.push_back(now + node + " down: " + std::string(enumName(happened.stopped)));
        break;
      case Kind::durable:
        lines.push_back(now + node + " durable " + std::to_string(*happened.durable_key));
        break;
      case Kind::age:
        lines.push_back(now + node + " age " + std::to_string(*happened.mark) + ": " +
                        (happened.age ? std::to_string(*happened.age) : "never"));
        break;
      default: break;
    }
  }

  Cluster<Family> cluster;
  Choices choices;
  Simulator<Family> sim;
  Lines lines;

 private:
  Cluster<Family> clusterOf(int servers) {
    Cluster<Family> made;
    for (int id = 1; id <= servers; ++id) made.ids.push_back(id);
    const auto count = static_cast<std::size_t>(servers);
    made.configs.resize(count);
    for (auto& config : made.configs) {
      config.act = [this](toy::Node&, const V::Input& input, V::Effects& out) {
        if (holds_alternative<V::Prompt>(input)) out = std::exchange(script_, {});
        if (const auto* asked = get_if<V::Asked>(&input)) out = {send(tcp, 2, asked->request.number)};
      };
    }
    made.scripted.assign(count, false);
    for (const auto& link : Family::links) made.links.push_back(link.kind);
    return made;
  }

  V::Effects script_;
};

// ---- disks

TEST_CASE("kernel: a gated send waits for the sync, and later sends to that peer wait behind it") {
  Stage stage(3);
  stage.does(0, 1, {append(1), gated(tcp, 2, 7), send(tcp, 2, 8), send(tcp, 3, 9)});
  CHECK(stage.run(50) == Lines{"5 1 synced 1", "10 1->3 9", "15 1->2 7", "15 1->2 8"});
}

TEST_CASE("kernel: a gate covers what earlier steps wrote, and a later step's send after it") {
  Stage stage(2);
  stage.does(0, 1, {append(1), append(2)});
  stage.does(1, 1, {gated(tcp, 2, 7)});
  stage.does(2, 1, {send(tcp, 2, 8)});
  stage.does(30, 1, {gated(tcp, 2, 9)});  // nothing is unsynced: it is sent immediately
  CHECK(stage.run(50) == Lines{"5 1 synced 1", "10 1 synced 2", "20 1->2 7", "20 1->2 8", "40 1->2 9"});
}

TEST_CASE("kernel: a kill keeps what was appended, a power loss what the disk chose; gated sends die") {
  struct Row {
    ActionKind kind;
    std::uint32_t unsynced;
    std::vector<std::int64_t> disk;
  };
  for (const Row& row :
       {Row{ActionKind::kill, 0, {1, 2, 3}}, Row{ActionKind::stop, 0, {1, 2, 3}},
        Row{ActionKind::lose_power, 0, {1}}, Row{ActionKind::lose_power, 1, {1, 2}},
        Row{ActionKind::lose_power, 2, {1, 2, 3}}, Row{ActionKind::lose_power, 9, {1, 2, 3}}}) {
    Stage stage(2);
    stage.does(0, 1, {append(1)});
    stage.does(6, 1, {append(2), gated(tcp, 2, 7), append(3)});
    stage.apply(8, {.kind = row.kind, .a = 0, .unsynced = row.unsynced});
    stage.run(50);
    CHECK(stage.disk(1) == row.disk);
    for (const std::int64_t number : stage.heard(2)) CHECK(number != 7);
  }
}

TEST_CASE("kernel: a blocking write is durable at once; a failing one ends the process") {
  Stage stage(2);
  stage.does(0, 1, {writeNow(1), send(tcp, 2, 7)});
  stage.sim.write_fails = [](int, const toy::Record& record) { return record.number == 3; };
  stage.does(20, 1, {writeNow(2), writeNow(3), writeNow(4), send(tcp, 2, 8)});
  CHECK(stage.run(50) == Lines{"10 1->2 7", "20 1 down: exit", "30 2 sees the end of 1"});
  CHECK(stage.disk(1) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("kernel: a node is notified of an asynchronous write that fails") {
  Stage stage(2);
  stage.sim.write_fails = [](int, const toy::Record&) { return true; };
  stage.does(0, 1, {append(1), gated(tcp, 2, 7)});
  CHECK(stage.run(50) == Lines{});
  CHECK(stage.disk(1).empty());
}

TEST_CASE(
    "kernel: what waits after a failed write is not written either, whether or not the process survives") {
  for (const bool exits : {false, true}) {
    Stage stage(2);
    stage.sim.write_fails = [](int, const toy::Record& record) { return record.number == 2; };
    stage.does(0, 1, {append(1), append(2), gated(tcp, 2, 7), append(3), gated(tcp, 2, 8)});
    if (exits) stage.apply(12, {.kind = ActionKind::kill, .a = 0});
    stage.run(50);
    CHECK(stage.disk(1) == std::vector<std::int64_t>{1});
    for (const std::int64_t number : stage.heard(2)) CHECK(number == 0);
  }
}

TEST_CASE("kernel: a flush whose write fails ends the process, as a blocking write does") {
  Stage stage(2);
  stage.sim.write_fails = [](int, const toy::Record& record) { return record.number == 2; };
  stage.does(0, 1, {append(1), append(2), append(3), flush(), send(tcp, 2, 7)});
  CHECK(stage.run(50) == Lines{"0 1 synced 1", "0 1 down: exit", "10 2 sees the end of 1"});
  CHECK(stage.disk(1) == std::vector<std::int64_t>{1});
}

TEST_CASE("kernel: a process can end between two writes of one step, before or after an effect") {
  const auto ends = [](bool before) {
    Stage stage(2);
    if (before) {
      stage.sim.before_effect = [](int, const V::Effect& effect) {
        const auto* write = get_if<V::Write>(&effect);
        const std::optional<Simulator<Family>::Ending> end{{HowStopped::kill}};
        return write && write->record.number == 2 ? end : std::nullopt;
      };
    } else {
      stage.does(0, 1, {});
    }
    struct EndAfter : Listener<Family> {
      explicit EndAfter(Simulator<Family>& sim) : simulator(sim) {}
      void on(const Happened<Family>& happened) override {
        if (happened.kind == Kind::written && happened.record->number == 2) {
          simulator.endProcess(happened.node, HowStopped::power_loss);
        }
      }
      Simulator<Family>& simulator;
    } end_after(stage.sim);
    stage.sim.listen(end_after);
    stage.does(1, 1, {writeNow(1), writeNow(2), writeNow(3), send(tcp, 2, 7)});
    stage.run(50);
    CHECK(!stage.sim.store().isUp(0));
    return stage.disk(1);
  };
  CHECK(ends(true) == std::vector<std::int64_t>{1});
  CHECK(ends(false) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("kernel: a stalled disk syncs nothing until it resumes") {
  Stage stage(2);
  stage.sim.stallDisk(0, true);
  stage.does(0, 1, {append(1), gated(tcp, 2, 7)});
  stage.sim.at(100, [&] { stage.sim.stallDisk(0, false); });
  CHECK(stage.run(200) == Lines{"105 1 synced 1", "115 1->2 7"});
}

TEST_CASE("kernel: a flush makes everything durable inside the step, and gated sends go in their order") {
  Stage stage(3);
  stage.does(0, 1, {append(1), gated(tcp, 2, 6)});
  stage.does(1, 1, {append(2), gated(tcp, 2, 7), send(tcp, 3, 8), flush(), writeNow(3), send(tcp, 2, 9)});
  stage.does(2, 1, {flush(), gated(tcp, 3, 5)});  // nothing is unsynced: it is sent immediately
  CHECK(stage.run(50) == Lines{"1 1 synced 1", "1 1 synced 2", "11 1->3 8", "11 1->2 6", "11 1->2 7",
                               "11 1->2 9", "12 1->3 5"});
  CHECK(stage.disk(1) == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("kernel: a process can end between two syncs of a flush") {
  struct EndAfterFirst : Listener<Family> {
    EndAfterFirst(Simulator<Family>& sim, HowStopped how) : simulator(sim), how_(how) {}
    void on(const Happened<Family>& happened) override {
      const bool first = happened.kind == Kind::synced && happened.record->number == 1;
      if (first) simulator.endProcess(happened.node, how_);
    }
    Simulator<Family>& simulator;
    HowStopped how_;
  };
  for (const HowStopped how : {HowStopped::power_loss, HowStopped::kill}) {
    Stage stage(2);
    EndAfterFirst end(stage.sim, how);
    stage.sim.listen(end);
    stage.does(0, 1, {append(1), gated(tcp, 2, 7), append(2), flush(), writeNow(3), send(tcp, 2, 8)});
    stage.run(50);
    CHECK(!stage.sim.store().isUp(0));
    // What was appended and not synced is held by the kernel, and a power loss destroys it.
    CHECK(stage.disk(1) ==
          (how == HowStopped::kill ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1}));
    for (const std::int64_t number : stage.heard(2)) CHECK(number == 0);
  }
}

TEST_CASE("kernel: after a flush the disk continues as before") {
  Stage stage(2);
  stage.does(0, 1, {append(1), flush()});
  stage.does(20, 1, {append(2), gated(tcp, 2, 7)});
  CHECK(stage.run(50) == Lines{"0 1 synced 1", "25 1 synced 2", "35 1->2 7"});
}

// ---- requests

TEST_CASE("kernel: a request is a separate step") {
  Stage stage(2);
  stage.apply(3, {.kind = ActionKind::ask, .a = 0, .request = {41}});
  stage.apply(3, {.kind = ActionKind::ask, .a = 0, .request = {42}});
  CHECK(stage.run(50) == Lines{"3 1 asked 41", "3 1 asked 42", "13 1->2 41", "13 1->2 42"});
}

// ---- TCP

TEST_CASE("kernel: the end of a connection is read after what was in flight") {
  Stage stage(2);
  stage.does(0, 1, {send(tcp, 2, 7), disconnect(tcp, 2)});
  stage.does(3, 1, {send(tcp, 2, 8)});  // closed by itself
  stage.does(4, 2, {send(tcp, 1, 9)});  // closed by the other, unread
  CHECK(stage.run(50) == Lines{"3 1->2 8 lost: not_connected", "4 2->1 9 lost: not_connected", "10 1->2 7",
                               "10 2 sees the end of 1"});
}

TEST_CASE("kernel: a closing end does not read what was in transit to it; a new connection starts clean") {
  Stage stage(2);
  stage.does(0, 2, {send(tcp, 1, 5)});
  stage.does(1, 1, {send(tcp, 2, 6), disconnect(tcp, 2), connect(tcp, 2), send(tcp, 2, 7)});
  stage.does(4, 1, {send(tcp, 2, 8)});
  CHECK(stage.run(50) == Lines{"1 2->1 5 lost: connection_closed", "1 1->2 7 lost: not_connected",
                               "3 1->2 connected", "11 1->2 6", "11 2 sees the end of 1", "14 1->2 8"});
}

TEST_CASE("kernel: both ends are notified of a broken connection; what was in flight arrives or is lost") {
  for (const bool in_flight : {true, false}) {
    Stage stage(2);
    stage.does(0, 1, {send(tcp, 2, 7)});
    stage.apply(1, {.kind = ActionKind::disrupt, .link = tcp, .a = 0, .b = 1, .in_flight = in_flight});
    const Lines seen = stage.run(50);
    CHECK(stage.heard(1) == std::vector<std::int64_t>{0});
    CHECK(stage.heard(2) == (in_flight ? std::vector<std::int64_t>{7, 0} : std::vector<std::int64_t>{0}));
    if (!in_flight) CHECK(seen.front() == "1 1->2 7 lost: connection_broken");
  }
}

TEST_CASE("kernel: peers are notified of a kill, of a power loss only once the machine is back") {
  Stage stage(3);
  stage.apply(0, {.kind = ActionKind::lose_power, .a = 0});
  stage.does(5, 2, {send(tcp, 1, 7)});
  stage.apply(20, {.kind = ActionKind::start, .a = 0});
  stage.apply(50, {.kind = ActionKind::kill, .a = 2});
  CHECK(stage.run(100) == Lines{"0 1 down: power_loss", "5 2->1 7 lost: peer_lost_power",
                                "30 2 sees the end of 1", "30 3 sees the end of 1", "50 3 down: kill",
                                "60 2 sees the end of 3"});
}

TEST_CASE("kernel: the end of an earlier connection, not read yet, outlives what is lost with a process") {
  for (const ActionKind how : {ActionKind::kill, ActionKind::lose_power}) {
    Stage stage(2);
    stage.apply(0, {.kind = ActionKind::cut, .a = 0, .b = 1});
    stage.apply(5, {.kind = ActionKind::stop, .a = 0});
    stage.apply(10, {.kind = ActionKind::start, .a = 0});
    stage.apply(20, {.kind = how, .a = 0, .in_flight = false});
    stage.apply(30, {.kind = ActionKind::start, .a = 0});
    stage.apply(100, {.kind = ActionKind::heal, .a = 0, .b = 1});
    CHECK(stage.run(200).back() == "100 2 sees the end of 1");
  }
}

TEST_CASE("kernel: a dial is refused if no process runs there") {
  Stage stage(2);
  stage.apply(0, {.kind = ActionKind::kill, .a = 1});
  stage.does(20, 1, {connect(tcp, 2)});
  CHECK(stage.run(50) == Lines{"0 2 down: kill", "10 1 sees the end of 2", "22 1->2 refused"});
}

TEST_CASE("kernel: a cut holds what TCP has in transit, and makes dials fail after their time-out") {
  Stage stage(3);
  stage.apply(0, {.kind = ActionKind::cut, .a = 0, .b = 1});
  stage.does(1, 1, {send(tcp, 2, 7), send(tcp, 3, 8)});
  stage.does(2, 2, {send(tcp, 1, 9)});  // one direction only
  stage.does(3, 3, {disconnect(tcp, 1)});
  stage.apply(5, {.kind = ActionKind::cut, .a = 0, .b = 2});
  stage.does(20, 1, {connect(tcp, 3)});
  stage.apply(6000, {.kind = ActionKind::heal, .a = 0, .b = 1});
  CHECK(stage.run(7000) == Lines{"3 1->3 8 lost: connection_closed", "12 2->1 9", "13 1 sees the end of 3",
                                 "5020 1->3 refused", "6000 1->2 7"});
}

TEST_CASE("kernel: a cut that heals in time delays a dial until TCP retries") {
  Stage stage(2);
  stage.does(0, 1, {disconnect(tcp, 2)});
  stage.apply(20, {.kind = ActionKind::cut, .a = 1, .b = 0});
  stage.does(20, 1, {connect(tcp, 2)});
  stage.apply(500, {.kind = ActionKind::heal, .a = 1, .b = 0});
  CHECK(stage.run(7000) == Lines{"10 2 sees the end of 1", "1020 1->2 connected"});
}

TEST_CASE("kernel: many releases at one instant are no endless exchange, however much is held back") {
  Stage stage(2);
  constexpr std::int64_t messages = 200;
  for (int i = 0; i < messages; ++i) stage.sim.hold({datagram, 0, 1, {}});
  V::Effects sends;
  for (std::int64_t number = 1; number <= messages; ++number) sends.push_back(send(datagram, 2, number));
  stage.does(0, 1, std::move(sends));
  for (int i = 0; i < messages; ++i) {
    stage.sim.at(100, [&stage] {
      bool one = true;
      stage.sim.release([&one](const auto&) { return std::exchange(one, false); });
    });
  }
  CHECK(stage.run(99) == Lines{});
  CHECK(stage.run(200).size() == messages);
}

// ---- slots

TEST_CASE("kernel: in a slot the newest replaces what has not left yet") {
  Stage stage(2);
  stage.does(0, 1, {send(slot, 2, 1), send(slot, 2, 2)});
  stage.does(1, 1, {send(slot, 2, 3)});
  stage.does(5, 1, {send(slot, 2, 4), send(slot, 2, 5)});  // connected: first in, first out
  CHECK(stage.run(50) == Lines{"0 1->2 1 lost: replaced_by_newer", "1 1->2 2 lost: replaced_by_newer",
                               "2 1->2 connected", "12 1->2 3", "15 1->2 4", "15 1->2 5"});
}

TEST_CASE("kernel: what a slot link sent last is sent again on reconnection, unless something newer waits") {
  Stage stage(2);
  stage.does(0, 1, {send(slot, 2, 1)});
  stage.apply(20, {.kind = ActionKind::disrupt, .link = slot, .a = 0, .b = 1});
  stage.does(30, 2, {send(slot, 1, 5)});  // dials, and both ends send what they sent last
  stage.apply(60, {.kind = ActionKind::disrupt, .link = slot, .a = 0, .b = 1});
  stage.does(70, 1, {send(slot, 2, 2)});
  CHECK(stage.run(100) == Lines{"2 1->2 connected", "12 1->2 1", "32 2->1 connected", "42 2->1 5",
                                "42 1->2 1", "72 1->2 connected", "82 1->2 2", "82 2->1 5"});
}

// ---- timers and pauses

TEST_CASE("kernel: a timer set again replaces, a cancelled one never fires, a slow clock takes longer") {
  Stage stage(3);
  stage.does(0, 1, {timer(10, 20)});
  stage.does(5, 1, {timer(10, 20)});
  stage.does(0, 2, {timer(10, 20)});
  stage.does(9, 2, {V::CancelTimer{{TimerKind::once, no_server}}});
  stage.sim.setClockRate(2, 1500);
  stage.does(0, 3, {timer(10, 20)});
  CHECK(stage.run(50) == Lines{"15 3 timer", "15 1 timer"});
}

TEST_CASE("kernel: a pause freezes timers, parks messages and dials, and stops syncs") {
  Stage stage(3);
  stage.does(0, 1, {timer(10, 10), append(1), gated(tcp, 3, 6), connect(slot, 3)});
  stage.apply(1, {.kind = ActionKind::pause, .a = 0});
  stage.does(2, 2, {send(tcp, 1, 7)});
  stage.apply(100, {.kind = ActionKind::resume, .a = 0});
  CHECK(stage.run(200) ==
        Lines{"100 1->3 connected", "100 2->1 7", "105 1 synced 1", "109 1 timer", "115 1->3 6"});
}

TEST_CASE("kernel: a resumed process reads what came in order of arrival, not of sender") {
  Stage stage(4);
  stage.apply(1, {.kind = ActionKind::pause, .a = 0});
  stage.does(2, 4, {send(tcp, 1, 7)});
  stage.does(3, 2, {send(datagram, 1, 8)});
  stage.does(4, 3, {send(tcp, 1, 9)});
  stage.does(5, 4, {send(datagram, 1, 10)});
  stage.does(5, 2, {send(tcp, 1, 11), send(datagram, 1, 12)});
  stage.apply(100, {.kind = ActionKind::resume, .a = 0});
  CHECK(stage.run(200) ==
        Lines{"100 4->1 7", "100 2->1 8", "100 3->1 9", "100 4->1 10", "100 2->1 11", "100 2->1 12"});
}

TEST_CASE("kernel: a kill during a pause leaves nothing behind") {
  Stage stage(2);
  stage.does(0, 1, {timer(10, 10), append(1)});
  stage.apply(1, {.kind = ActionKind::pause, .a = 0});
  stage.does(2, 2, {send(tcp, 1, 7)});
  stage.apply(50, {.kind = ActionKind::kill, .a = 0});
  stage.apply(60, {.kind = ActionKind::start, .a = 0});
  CHECK(stage.run(200) ==
        Lines{"50 1 down: kill", "50 2->1 7 lost: receiver_down", "50 1 synced 1", "60 2 sees the end of 1"});
  CHECK(!stage.sim.store().isPaused(0));
}

// ---- what nodes request from the world

TEST_CASE(
    "kernel: a process that asks is notified when everything before is durable, and before anything else") {
  Stage stage(3);
  stage.does(0, 1, {append(1), askDurable(5), append(2), gated(tcp, 2, 9), askDurable(6), askDurable(7)});
  stage.does(0, 2, {askDurable(8), append(3), flush()});
  stage.does(0, 3, {append(4), askDurable(9), flush(), writeNow(5)});
  stage.apply(0, {.kind = ActionKind::ask, .a = 1, .request = {41}});
  CHECK(stage.run(50) == Lines{"0 2 synced 3", "0 2 durable 8", "0 3 synced 4", "0 3 durable 9",
                               "0 2 asked 41", "0 2->2 41", "5 1 synced 1", "5 1 durable 5", "10 1 synced 2",
                               "10 1 durable 6", "10 1 durable 7", "20 1->2 9"});
}

TEST_CASE("kernel: a process that ends, or cannot write, is not notified of what it asked about") {
  Stage stage(2);
  stage.does(0, 1, {append(1), askDurable(5)});
  stage.apply(1, {.kind = ActionKind::kill, .a = 0});
  stage.apply(2, {.kind = ActionKind::start, .a = 0});
  stage.sim.write_fails = [](int server, const toy::Record&) { return server == 1; };
  stage.does(0, 2, {append(2), askDurable(6)});
  for (const std::string& line : stage.run(50)) CHECK(line.find("durable") == std::string::npos);
}

TEST_CASE("kernel: an age is by the node's own clock, which continues while its process is paused") {
  Stage stage(3);
  stage.does(0, 1, {mark(1)});
  stage.apply(10, {.kind = ActionKind::pause, .a = 0});
  stage.apply(20, {.kind = ActionKind::resume, .a = 0});
  stage.does(30, 1, {askAge(1), mark(1), askAge(2), mark(2)});
  stage.apply(30, {.kind = ActionKind::kill, .a = 1});
  stage.does(35, 1, {askAge(1), askAge(2), askAge(1)});

  stage.sim.setClockRate(2, 1500);  // slow
  stage.does(0, 3, {mark(1)});
  stage.does(30, 3, {askAge(1)});
  stage.sim.at(60, [&] { stage.sim.setClockRate(2, 500); });
  stage.does(90, 3, {askAge(1)});
  CHECK(stage.run(100) == Lines{"30 1 age 1: 30", "30 1 age 2: never", "30 2 down: kill", "30 3 age 1: 20",
                                "35 1 age 1: 5", "35 1 age 2: 5", "35 1 age 1: 5", "40 1 sees the end of 2",
                                "40 3 sees the end of 2", "90 3 age 1: 100"});
}

TEST_CASE("kernel: marks are lost with their process") {
  for (const ActionKind how : {ActionKind::kill, ActionKind::lose_power, ActionKind::stop}) {
    Stage stage(1);
    stage.does(0, 1, {mark(1)});
    stage.apply(1, {.kind = how, .a = 0});
    stage.apply(2, {.kind = ActionKind::start, .a = 0});
    stage.does(3, 1, {askAge(1)});
    CHECK(stage.run(50).back() == "3 1 age 1: never");
  }
}

TEST_CASE("kernel: a run with a new question at every answer is ended") {
  Stage stage(1);
  stage.cluster.configs[0].act = [](toy::Node&, const V::Input& input, V::Effects& out) {
    if (holds_alternative<V::Prompt>(input) || holds_alternative<V::Age>(input)) out = {askAge(1)};
  };
  stage.does(1, 1, {});
  CHECK_THROWS_AS(stage.run(10), EndlessRun);
}

// ---- datagrams

TEST_CASE("kernel: datagrams are dropped, doubled and overtaken one by one") {
  Stage stage(3);
  stage.choices.pin({{"latency 2 1->2 #0", 30}, {"latency 2 1->2 #2", 5}});
  stage.does(0, 1, {send(datagram, 2, 1), send(datagram, 2, 2), send(datagram, 2, 3), send(datagram, 3, 4)});
  stage.apply(1, {.kind = ActionKind::duplicate, .link = datagram, .a = 0, .b = 1, .position = 1});
  stage.apply(2, {.kind = ActionKind::drop, .link = datagram, .a = 0, .b = 2, .position = 0});
  CHECK(stage.run(100) ==
        Lines{"2 1->3 4 lost: dropped", "10 1->2 2", "11 1->2 2", "15 1->2 3", "40 1->2 1"});
}

TEST_CASE("kernel: a datagram that came while its receiver was paused is lost with the process") {
  for (const ActionKind how : {ActionKind::kill, ActionKind::lose_power, ActionKind::stop}) {
    Stage stage(2);
    stage.sim.world().disrupt(tcp, 0, 1, false);
    stage.apply(1, {.kind = ActionKind::pause, .a = 0});
    stage.does(2, 2, {send(datagram, 1, 7)});
    stage.does(45, 2, {send(datagram, 1, 8)});
    stage.apply(50, {.kind = how, .a = 0});
    stage.apply(51, {.kind = ActionKind::start, .a = 0});
    const Lines seen = stage.run(200);
    CHECK(std::find(seen.begin(), seen.end(), "50 2->1 7 lost: receiver_down") != seen.end());
    CHECK(seen.back() == "55 2->1 8");
  }
}

TEST_CASE("kernel: datagrams into a cut or to a stopped process are lost") {
  Stage stage(3);
  stage.apply(0, {.kind = ActionKind::cut, .a = 0, .b = 1});
  stage.apply(0, {.kind = ActionKind::kill, .a = 2});
  stage.does(1, 1, {send(datagram, 2, 1), send(datagram, 3, 2), send(tcp, 77, 3)});
  const Lines seen = stage.run(50);
  CHECK(std::find(seen.begin(), seen.end(), "1 1->2 1 lost: cut") != seen.end());
  CHECK(std::find(seen.begin(), seen.end(), "11 1->3 2 lost: receiver_down") != seen.end());
  CHECK(std::find(seen.begin(), seen.end(), "1 1->77 3 lost: no_such_server") != seen.end());
}

// ---- over random runs with faults

/// Counts the fate of every message, and watches the disks.
class Ledger : public Listener<Family> {
 public:
  explicit Ledger(const Simulator<Family>& sim) : sim_(sim) {}
  void on(const Happened<Family>& happened) override {
    switch (happened.kind) {
      case Kind::sent:
        ++sent;
        if (!under_way_.insert(happened.message).second) ++wrong;
        break;
      case Kind::delivered:
      case Kind::lost:
        ++(happened.kind == Kind::lost ? lost : delivered);
        if (under_way_.erase(happened.message) != 1) ++wrong;
        break;
      case Kind::transmitted:
        if (!under_way_.contains(happened.message)) ++wrong;
        break;
      case Kind::written:
        if (!happened.blocking) break;
        [[fallthrough]];
      case Kind::synced: durable_[happened.node].push_back(happened.record->number); break;
      case Kind::started:
        ++starts;
        if (happened.disk->numbers != durable_[happened.node]) ++wrong;  // what was synced is never lost
        break;
      default: break;
    }
  }
  /// Checks that as many messages exist as are neither delivered nor lost.
  bool balanced() const {
    std::size_t standing = 0;
    for (const auto& channel : sim_.store().value().channels) {
      standing += channel.unsent.has_value();
      for (const auto& item : channel.wire) standing += item.has_value();
    }
    return standing == under_way_.size() && sent == delivered + lost + under_way_.size();
  }
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
  std::uint64_t starts = 0;
  std::uint64_t wrong = 0;

 private:
  const Simulator<Family>& sim_;
  std::set<std::uint64_t> under_way_;
  std::map<int, std::vector<std::int64_t>> durable_;
};

/// Every puppet writes and sends on all links whenever its timer fires, and dials lost peers.
void chatter(int servers, toy::Node& node, const V::Input& input, V::Effects& out) {
  const auto to = [&](std::int64_t steps) { return (node.self - 1 + steps) % servers + 1; };
  if (holds_alternative<V::Start>(input)) {
    for (int step = 1; step < servers; ++step) out.push_back(connect(tcp, to(step)));
    out.push_back(timer(5, 50));
  } else if (holds_alternative<V::Fired>(input)) {
    const auto number = static_cast<std::int64_t>(node.heard.size()) + 1;
    out.push_back(append(number));
    out.push_back(send(tcp, to(1), number));
    out.push_back(gated(tcp, to(1), number + 1));
    out.push_back(send(tcp, to(1), number + 2));
    out.push_back(send(slot, to(1), number));
    out.push_back(send(slot, to(2), number));
    out.push_back(send(datagram, to(2), number));
    if (number % 5 == 0) out.push_back(flush());
    if (number % 7 == 0) out.push_back(writeNow(number));
    if (number % 11 == 0) out.push_back(disconnect(tcp, to(1)));
    out.push_back(timer(5, 50));
  } else if (const auto* gone = get_if<V::Disconnected>(&input)) {
    if (gone->peer < node.self) out.push_back(connect(tcp, gone->peer));
  }
  if (node.heard.size() > 20) node.heard.clear();
}

TEST_CASE("kernel: every message is delivered once, lost once or in transit; what was synced is never lost") {
  Ledger all{Stage(2).sim};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Stage stage(3, std::make_unique<SeededChoices>(seed),
                {.latency = {{1, 30}, {1, 30}, {1, 60}}, .dial = {1, 10}, .fsync = {1, 20}});
    for (auto& config : stage.cluster.configs) {
      config.act = [](toy::Node& node, const V::Input& input, V::Effects& out) {
        chatter(3, node, input, out);
      };
    }
    Ledger ledger(stage.sim);
    stage.sim.listen(ledger);
    Mishaps<Family> mishaps(stage.cluster, stage.sim, stage.choices, {});
    mishaps.arm();
    for (int i = 0; i < 3; ++i) {
      stage.apply(0, {.kind = ActionKind::kill, .a = i});
    }
    for (Millis now = 0; now <= 10'000; now += 500) {
      stage.sim.run(now);
      CHECK(ledger.balanced());
    }
    CHECK(ledger.wrong == 0);
    for (int i = 0; i < 3; ++i) {  // faults come to an end
      CHECK(stage.sim.store().isUp(i));
      CHECK(!stage.sim.store().isPaused(i));
      for (int j = 0; j < 3; ++j) CHECK(stage.sim.world().reaches(i, j));
    }
    all.sent += ledger.sent;
    all.delivered += ledger.delivered;
    all.lost += ledger.lost;
    all.starts += ledger.starts;
  }
  CHECK(all.sent > 100'000);
  CHECK(all.lost > 1000);
  CHECK(all.starts > 400);
}

// ---- choices

TEST_CASE("choices: seeded draws are frozen") {
  SeededChoices seed_1(1);
  SeededChoices seed_2(2);
  const Question latency{ChoiceKind::latency, 0, 3, 1};
  const Question fsync{ChoiceKind::fsync, 0, 3};
  std::vector<std::uint64_t> drawn;
  for (std::uint32_t nth = 0; nth < 3; ++nth) drawn.push_back(seed_1.pick(latency, nth, 1000));
  drawn.push_back(seed_2.pick(latency, 0, 1000));
  drawn.push_back(seed_1.pick(fsync, 0, 1000));
  CHECK(drawn == std::vector<std::uint64_t>{988, 828, 636, 147, 807});
}

TEST_CASE("choices: an address states the question, its subjects and its ordinal number; 0 is the default") {
  Choices choices(std::make_unique<SeededChoices>(1), topicName);
  const Question question{ChoiceKind::latency, 2, 3, 1};
  for (int i = 0; i < 3; ++i) choices.within(question, 10, 1000);
  REQUIRE(choices.made().size() == 3);
  CHECK(choices.made()[2].address == "latency 2 3->1 #2");
  choices.draw({ChoiceKind::fault, mishapTopic(Mishap::kill, MishapQuestion::when)}, 1000);
  CHECK(choices.made().back().address == "fault kill when #0");

  Choices defaults(std::make_unique<DefaultChoices>(), topicName);
  CHECK(defaults.within(question, 10, 1000) == 10);
  CHECK(defaults.made().empty());
}

TEST_CASE("choices: pinned addresses take their value, and unused pins are reported") {
  Choices choices(std::make_unique<SeededChoices>(1), topicName);
  choices.pin({{"fsync 0 3 #1", 4}, {"fsync 0 3 #9", 5}, {"fsync 0 4 #0", 0}});
  Choices plain(std::make_unique<SeededChoices>(1), topicName);
  const Question third{ChoiceKind::fsync, 0, 3};
  const Question fourth{ChoiceKind::fsync, 0, 4};
  CHECK(choices.draw(third, 100) == plain.draw(third, 100));
  CHECK(choices.draw(third, 100) == 4);
  plain.draw(third, 100);
  CHECK(choices.draw(third, 100) == plain.draw(third, 100));
  CHECK(choices.draw(fourth, 100) == 0);
  CHECK(choices.unusedPins() == Lines{"fsync 0 3 #9"});
}

TEST_CASE("choices: bytes are used in the order of the questions, then the default") {
  ByteChoices bytes({7, 1, 2, 200});
  const Question question{};
  CHECK(bytes.pick(question, 0, 256) == 7);
  CHECK(bytes.pick(question, 1, 1000) == 0x0102);
  CHECK(bytes.pick(question, 2, 1) == 0);  // a question with one answer takes no byte
  CHECK(bytes.pick(question, 3, 3) == 200 % 3);
  CHECK(bytes.pick(question, 4, 1000) == 0);
}

/// What a run chose, by address; 0 is not stored.
std::map<std::string, std::uint64_t> chosenBy(const std::function<void(Stage&, MishapCounts&)>& differently) {
  Stage stage(3, std::make_unique<SeededChoices>(11),
              {.latency = {{1, 300}, {1, 300}, {1, 300}}, .dial = {1, 100}, .fsync = {1, 200}});
  for (auto& config : stage.cluster.configs) {
    config.act = [](toy::Node& node, const V::Input& input, V::Effects& out) {
      chatter(3, node, input, out);
    };
  }
  for (int i = 0; i < 3; ++i) stage.sim.world().stop(i, HowStopped::kill, true, 0);
  MishapCounts counts;
  counts.of(Mishap::kill) = {1, 4};
  differently(stage, counts);
  Mishaps<Family> mishaps(stage.cluster, stage.sim, stage.choices, counts);
  mishaps.arm();
  for (int i = 0; i < 3; ++i) stage.sim.apply({.kind = ActionKind::start, .a = i});
  stage.sim.run(3000);
  std::map<std::string, std::uint64_t> chosen;
  for (const Choice& choice : stage.choices.made()) chosen.emplace(choice.address, choice.value);
  return chosen;
}

struct Change {
  std::string what;
  std::string own;  ///< the address of the one choice that it is to change
  std::function<void(Stage&, MishapCounts&)> make;
};

TEST_CASE("choices: an additional message, another behaviour or other mishaps change no other choice") {
  const auto base = chosenBy([](Stage&, MishapCounts&) {});
  CHECK(base.size() > 300);
  const std::vector<Change> changes{
      {"a message more", "",
       [](Stage& stage, MishapCounts&) {
         stage.does(500, 1, {send(datagram, 3, 1), append(9)});
       }},
      {"a message less", "",
       [](Stage& stage, MishapCounts&) {
         for (auto& config : stage.cluster.configs) {
           config.act = [act = config.act](toy::Node& node, const V::Input& input, V::Effects& out) {
             act(node, input, out);
             std::erase_if(out, [](const V::Effect& effect) {
               const auto* sent = get_if<V::Send>(&effect);
               return sent != nullptr && sent->link == slot;
             });
           };
         }
       }},
      {"a planted bug", "",
       [](Stage& stage, MishapCounts&) {
         for (auto& config : stage.cluster.configs) {
           config.act = [act = config.act](toy::Node& node, const V::Input& input, V::Effects& out) {
             act(node, input, out);
             for (V::Effect& effect : out) {
               if (auto* sent = get_if<V::Send>(&effect)) sent->after_durable = false;
             }
           };
         }
       }},
      {"other mishaps", "fault break count #0",
       [](Stage&, MishapCounts& counts) {
         counts.of(Mishap::pause) = {0, 0};
         counts.of(Mishap::break_) = {2, 9};
       }},
      {"a pinned choice", "timer 0 2 #3",
       [](Stage& stage, MishapCounts&) {
         stage.choices.pin({{"timer 0 2 #3", 40}});
       }},
  };
  for (const Change& change : changes) {
    CAPTURE(change.what);
    const auto changed = chosenBy(change.make);
    std::size_t shared = 0;
    for (const auto& [address, value] : changed) {
      const auto at = base.find(address);
      if (at == base.end() || address == change.own) continue;
      ++shared;
      const std::string where = address;
      CAPTURE(where);
      CHECK(at->second == value);
    }
    CHECK(shared > 200);
  }
}

}  // namespace
}  // namespace zablab
