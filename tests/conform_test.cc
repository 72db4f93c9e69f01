// The decisions of real ZooKeeper 3.8.0 servers (recordings/), replayed against the nodes: all agree; and the
// comparison is shown to be effective.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "checker/zab/conform.h"
#include "protocol/zab_register/rules.h"
#include "sim/json_reflect.h"

namespace zablab::zab {
namespace {

const std::string recorded = ZABLAB_SOURCE_DIR "/recordings/zookeeper-3.8.0/";

const std::vector<ElectionCall>& calls() {
  static const auto all = readElectionCalls(loadJson(recorded + "election_calls.json"));
  return all;
}

const std::vector<SyncDecision>& decisions() {
  static const auto all = readSyncDecisions(loadJson(recorded + "sync_decisions.json"));
  return all;
}

/// The recording lacks a notification that the server read: it changed to the vote (2,2,1.2), received that
/// vote from itself, and no server had suggested it (recordings/README.md).
const std::set<std::size_t> incomplete{40};

/// `broadcasts` is one too high in these, and in the incomplete one (recordings/README.md).
const std::set<std::size_t> interrupted{48, 109, 115};

template <class Record>
Agreement agreement(const Record& record, const Rules& rules = {}) {
  return conform(record, rules).agreement;
}

TEST_CASE("conform: every call of lookForLeader that was recorded completely went as in the node") {
  CHECK(calls().size() == 118);
  std::size_t decided = 0;
  std::size_t punctual = 0;
  for (std::size_t i = 0; i < calls().size(); ++i) {
    const ElectionVerdict verdict = conform(calls()[i], {});
    CAPTURE(i);
    CAPTURE(verdict.why);
    CHECK(verdict.agreement == (incomplete.contains(i) ? Agreement::undecidable : Agreement::agrees));
    decided += verdict.late_ms ? 1 : 0;
    punctual += verdict.punctual() ? 1 : 0;
  }
  CHECK(decided == calls().size() - incomplete.size());
  CHECK(punctual * 10 >= decided * 9);
}

TEST_CASE("conform: with the notification that the recording lacks, the call agrees") {
  ElectionCall call = calls()[40];
  HeardRow missing{call.t - 1, 2, Role::LOOKING, 2, 2, 1, {Zxid::of(1, 2)}};
  call.received.insert(call.received.begin(), missing);
  CHECK(agreement(call) == Agreement::agrees);
}

TEST_CASE("conform: a recording of servers on loopback agrees throughout") {
  const std::string loopback = ZABLAB_SOURCE_DIR "/recordings/zookeeper-3.8.0-loopback/";
  for (const ElectionCall& call : readElectionCalls(loadJson(loopback + "election_calls.json"))) {
    const ElectionVerdict verdict = conform(call, {});
    CAPTURE(verdict.why);
    CHECK(verdict.agreement == Agreement::agrees);
    CHECK(verdict.punctual());
  }
  for (const SyncDecision& decision : readSyncDecisions(loadJson(loopback + "sync_decisions.json"))) {
    const SyncVerdict verdict = conform(decision, {});
    CAPTURE(verdict.why);
    CHECK(verdict.agreement == Agreement::agrees);
  }
}

TEST_CASE("conform: every synchronization went as in the node") {
  CHECK(decisions().size() == 86);
  for (std::size_t i = 0; i < decisions().size(); ++i) {
    const SyncVerdict verdict = conform(decisions()[i], {});
    CAPTURE(i);
    CAPTURE(verdict.why);
    CHECK(verdict.agreement == Agreement::agrees);
  }
}

// ---- altered recordings

ServerId anotherVoter(const ElectionCall& call, ServerId than) {
  return *std::find_if(call.voters.begin(), call.voters.end(), [&](ServerId id) { return id != than; });
}

TEST_CASE("conform: a different result does not agree, in any call") {
  using Change = std::function<void(ElectionCall&)>;
  const std::vector<Change> changes{
      [](ElectionCall& call) { call.result->leader = anotherVoter(call, call.result->leader); },
      [](ElectionCall& call) { ++call.result->zxid.value.value; },
      [](ElectionCall& call) {
        call.result->state = call.result->state == Role::FOLLOWING ? Role::LEADING : Role::FOLLOWING;
      },
      [](ElectionCall& call) { *call.t_end += 500; },
      [](ElectionCall& call) { call.result.reset(); },
  };
  for (std::size_t i = 0; i < calls().size(); ++i) {
    if (incomplete.contains(i)) continue;
    for (std::size_t k = 0; k < changes.size(); ++k) {
      ElectionCall call = calls()[i];
      changes[k](call);
      CAPTURE(i);
      CAPTURE(k);
      // Without a result, it may remain undecided whether the server was killed too early.
      CHECK(agreement(call) != Agreement::agrees);
      if (call.result) CHECK(agreement(call) == Agreement::differs);
    }
  }
}

TEST_CASE("conform: a different broadcast, one more or one less does not agree, in any call") {
  using Change = std::function<void(ElectionCall&, BroadcastRow&)>;
  const std::vector<Change> changes{
      [](ElectionCall& call, BroadcastRow& row) { row.leader = anotherVoter(call, row.leader); },
      [](ElectionCall&, BroadcastRow& row) { ++row.zxid.value.value; },
      [](ElectionCall&, BroadcastRow& row) { ++row.peer_epoch; },
      [](ElectionCall&, BroadcastRow& row) { ++row.round; },
  };
  std::size_t tried = 0;
  std::size_t heard_whole = 0;  // calls whose server received everything that it sent
  for (std::size_t i = 0; i < calls().size(); ++i) {
    if (incomplete.contains(i)) continue;
    const std::size_t size = calls()[i].proposals_broadcast.size();
    for (std::size_t b = 0; b < size; ++b) {
      CAPTURE(i);
      CAPTURE(b);
      for (const Change& change : changes) {
        ElectionCall call = calls()[i];
        change(call, call.proposals_broadcast[b]);
        CHECK(agreement(call) == Agreement::differs);
        ++tried;
      }
      ElectionCall less = calls()[i];
      less.proposals_broadcast.erase(less.proposals_broadcast.begin() + static_cast<std::ptrdiff_t>(b));
      CHECK(agreement(less) == Agreement::differs);
      ElectionCall more = calls()[i];
      BroadcastRow another = more.proposals_broadcast[b];
      ++another.zxid.value.value;
      more.proposals_broadcast.insert(more.proposals_broadcast.begin() + static_cast<std::ptrdiff_t>(b) + 1,
                                      another);
      CHECK(agreement(more) == Agreement::differs);
    }
    // A server broadcast as often as it received its own notification, and the count includes what it no
    // longer received. Whether an observer, which never receives its own notifications, broadcast again at a
    // time-out or dialled again shows only there.
    const bool observer_may_dial = !calls()[i].voter && !calls()[i].timeouts.empty();
    ElectionCall fewer = calls()[i];
    --fewer.broadcasts;
    CHECK((agreement(fewer) == Agreement::agrees) == (interrupted.contains(i) || observer_may_dial));
    ElectionCall more = calls()[i];
    ++more.broadcasts;
    const auto own = [&](const HeardRow& heard) { return heard.from == more.sid; };
    const auto last = std::find_if(more.received.rbegin(), more.received.rend(), own);
    if (last == more.received.rend()) {
      CHECK(agreement(more) == Agreement::differs);
      continue;
    }
    if (agreement(more) == Agreement::agrees) ++heard_whole;
    more.received.insert(last.base(), *last);
    CHECK(agreement(more) == Agreement::differs);
  }
  CHECK(tried > 600);
  CHECK(heard_whole == 110);
}

// Two notifications that decided something, by a changed vote or by completing the quorum, are exchanged.
// That is detected, unless both are votes for the same leader: then one is as good as the other. Usually the
// server has then sent a vote before it received it.
TEST_CASE("conform: the order of two decisive notifications counts") {
  std::size_t differs = 0;
  std::size_t undecidable = 0;
  std::size_t the_same = 0;
  for (std::size_t i = 0; i < calls().size(); ++i) {
    if (incomplete.contains(i)) continue;
    const std::vector<std::size_t> decisive = conform(calls()[i], {}).decisive;
    for (std::size_t a = 0; a < decisive.size(); ++a) {
      for (std::size_t b = a + 1; b < decisive.size(); ++b) {
        ElectionCall call = calls()[i];
        HeardRow& first = call.received[decisive[a]];
        HeardRow& second = call.received[decisive[b]];
        std::swap(first, second);
        std::swap(first.t, second.t);
        const ElectionVerdict verdict = conform(call, {});
        if (verdict.agreement != Agreement::agrees) {
          ++(verdict.agreement == Agreement::differs ? differs : undecidable);
          continue;
        }
        CAPTURE(i);
        CAPTURE(decisive[a]);
        CAPTURE(decisive[b]);
        CHECK(first.leader == second.leader);
        ++the_same;
      }
    }
  }
  CHECK(differs == 9);
  CHECK(undecidable == 54);
  CHECK(the_same == 15);
}

TEST_CASE("conform: a different fact about a synchronization does not agree, in any decision") {
  using Change = std::function<bool(SyncDecision&)>;  // false: there is nothing to change
  const std::vector<Change> changes{
      [](SyncDecision& decision) {
        decision.sent.op = decision.sent.op == SyncMode::SNAP ? SyncMode::DIFF : SyncMode::SNAP;
        return true;
      },
      [](SyncDecision& decision) {
        ++decision.sent.zxid.value.value;
        return true;
      },
      [](SyncDecision& decision) {
        if (!decision.truncated) return ++decision.proposals_before_NEWLEADER > 0;
        decision.proposals_before_NEWLEADER = 10'000;  // in a truncated recording more may have followed
        return true;
      },
      [](SyncDecision& decision) {
        if (!decision.truncated) return ++decision.commits_before_NEWLEADER > 0;
        decision.commits_before_NEWLEADER = 10'000;
        return true;
      },
      [](SyncDecision& decision) {
        if (decision.first_last) ++decision.first_last->first.value.value;
        return decision.first_last.has_value();
      },
      [](SyncDecision& decision) {
        if (decision.first_last) ++decision.first_last->last.value.value;
        return decision.first_last.has_value();
      },
  };
  for (std::size_t i = 0; i < decisions().size(); ++i) {
    for (std::size_t k = 0; k < changes.size(); ++k) {
      SyncDecision decision = decisions()[i];
      if (!changes[k](decision)) continue;
      CAPTURE(i);
      CAPTURE(k);
      CHECK(agreement(decision) == Agreement::differs);
    }
  }
}

// ---- what a record says about itself, in hand-made records

/// Server 1 of three begins alone, broadcasts again after 200 ms and again after 400, then receives a vote
/// from server 2 and follows it. A server's own notifications come back a millisecond later.
ElectionCall alone() {
  ElectionCall call;
  call.sid = 1;
  call.t = 1000;
  call.t_end = 2002;
  call.own.leader = 1;
  call.round = 1;
  call.received = {{1001, 1, Role::LOOKING, 1, 1, 0, {}},
                   {1203, 1, Role::LOOKING, 1, 1, 0, {}},
                   {1606, 1, Role::LOOKING, 1, 1, 0, {}},
                   {1800, 2, Role::LOOKING, 2, 1, 0, {}},
                   {1801, 1, Role::LOOKING, 2, 1, 0, {}}};
  call.proposals_broadcast = {{1, {}, 0, 1}, {2, {}, 0, 1}};
  call.broadcasts = 4;
  call.timeouts = {{1204, 400}, {1606, 800}};
  call.result = {2, {}, Role::FOLLOWING};
  call.voters = {1, 2, 3};
  return call;
}

/// Server 1 of three comes to an ensemble that 3 leads, and joins it so soon that it does not receive its own
/// notification.
ElectionCall joinsAtOnce() {
  ElectionCall call = alone();
  call.received = {{1002, 2, Role::FOLLOWING, 3, 1, 1, {}}, {1003, 3, Role::LEADING, 3, 1, 1, {}}};
  call.t_end = 1003;
  call.proposals_broadcast.pop_back();
  call.broadcasts = 1;
  call.timeouts.clear();
  call.result = {3, {}, Role::FOLLOWING};
  return call;
}

/// Server 1 of three is overtaken by a later round while its first notifications to itself are in transit.
ElectionCall overtaken() {
  ElectionCall call = alone();
  call.received = {{1000, 2, Role::LOOKING, 2, 2, 0, {}},
                   {1001, 1, Role::LOOKING, 1, 1, 0, {}},
                   {1002, 1, Role::LOOKING, 2, 2, 0, {}},
                   {1020, 3, Role::LOOKING, 3, 2, 0, {}},
                   {1021, 1, Role::LOOKING, 3, 2, 0, {}}};
  call.t_end = 1222;
  call.proposals_broadcast = {{1, {}, 0, 1}, {2, {}, 0, 2}, {3, {}, 0, 2}};
  call.broadcasts = 3;
  call.timeouts.clear();
  call.result = {3, {}, Role::FOLLOWING};
  return call;
}

Rules mutated(const char* name) {
  const Mutation* const mutation = ruleTables().mutation(name);
  REQUIRE(mutation != nullptr);
  Rules rules;
  mutate(rules, *mutation);
  return rules;
}

/// The result, and the reason if it is not agreement.
std::string outcome(const ElectionCall& call, const Rules& rules = {}) {
  const ElectionVerdict verdict = conform(call, rules);
  return std::string(enumName(verdict.agreement)) + (verdict.why.empty() ? "" : ": " + verdict.why);
}

bool says(const std::string& outcome, const char* what) { return outcome.find(what) != std::string::npos; }

TEST_CASE("conform: hand-made calls agree") {
  CHECK(outcome(alone()) == "agrees");
  CHECK(outcome(joinsAtOnce()) == "agrees");
}

TEST_CASE("conform: a server broadcast as often as it received its own notification") {
  // Delayed within a broadcast, for however short a time: a log in which broadcasts are separated by pauses
  // shows two.
  ElectionCall held_up = alone();
  ++held_up.broadcasts;
  CHECK(outcome(held_up) == "agrees");
  CHECK(says(outcome(held_up, mutated("fle_says_it_once")), "differs"));

  ElectionCall once_more = alone();
  once_more.received.push_back({1802, 1, Role::LOOKING, 2, 1, 0, {}});
  ++once_more.broadcasts;
  CHECK(says(outcome(once_more), "differs"));

  ElectionCall never_heard = alone();
  never_heard.received.pop_back();
  --never_heard.broadcasts;
  CHECK(says(outcome(never_heard), "differs"));
}

TEST_CASE("conform: the count includes broadcasts that a server no longer received itself") {
  ElectionCall call = joinsAtOnce();
  ++call.broadcasts;
  CHECK(says(outcome(call), "differs: "));
  call = joinsAtOnce();
  --call.broadcasts;
  CHECK(says(outcome(call), "differs: "));

  // It received its own notification after the node had all that it needed to join.
  call = joinsAtOnce();
  call.received.push_back({1003, 1, Role::LOOKING, 1, 1, 0, {}});
  ++call.broadcasts;
  CHECK(outcome(call) == "agrees");
  call.received.push_back({1003, 1, Role::LOOKING, 1, 1, 0, {}});
  CHECK(says(outcome(call), "differs: "));
}

TEST_CASE("conform: an answer to itself is not a broadcast, and may be missing") {
  ElectionCall call = overtaken();
  CHECK(outcome(call) == "agrees");
  // The receiving thread was slower, saw that its own notification was old, and answered.
  call.received.insert(call.received.begin() + 3, {1003, 1, Role::LOOKING, 2, 2, 0, {}});
  CHECK(outcome(call) == "agrees");
  ++call.broadcasts;
  call.received.insert(call.received.begin() + 3, {1003, 1, Role::LOOKING, 2, 2, 0, {}});
  CHECK(says(outcome(call), "differs: "));
}

TEST_CASE("conform: a time-out is judged by when the server received its own notification again") {
  // The broadcast began in time, at 1203, and was delayed: the line logged after it comes late.
  ElectionCall held_up = alone();
  held_up.timeouts[0].t = 1360;
  held_up.received[2].t += 156;
  held_up.timeouts[1].t += 156;
  CHECK(outcome(held_up) == "agrees");
  CHECK(says(outcome(held_up, mutated("fle_no_back_off")), "differs"));
  CHECK(says(outcome(held_up, mutated("fle_says_it_once")), "differs"));
  held_up.received[1].t = 1201;  // in the same millisecond as the time-out
  CHECK(outcome(held_up) == "agrees");

  ElectionCall late = held_up;
  late.received[1].t = 1320;
  CHECK(says(outcome(late), "differs"));

  ElectionCall early = alone();
  early.received[1].t = 1090;
  CHECK(says(outcome(early), "differs"));
  early.timeouts[0].t = 1110;  // within bounds if it had been the beginning
  CHECK(says(outcome(early), "differs"));

  // The next wait begins with the line, not with the broadcast.
  ElectionCall next_too_soon = held_up;
  next_too_soon.received[2].t = 1604;
  next_too_soon.timeouts[1].t = 1605;
  CHECK(says(outcome(next_too_soon), "differs"));

  // At the first time-out it dialled, at the second it broadcast and was delayed: what it received is from
  // the second.
  ElectionCall dialled = alone();
  dialled.received.erase(dialled.received.begin() + 1);
  --dialled.broadcasts;
  dialled.timeouts[1].t = 1700;
  CHECK(outcome(dialled) == "agrees");
}

TEST_CASE("conform: an answer to an own old notification is no broadcast after a wait") {
  // It answers its notification of round 1 when it is in round 2 already, waits, and broadcasts again.
  ElectionCall call = overtaken();
  call.voters = {1, 2, 3, 4, 5};
  call.received = {{1000, 2, Role::LOOKING, 2, 2, 0, {}}, {1001, 1, Role::LOOKING, 1, 1, 0, {}},
                   {1002, 1, Role::LOOKING, 2, 2, 0, {}}, {1003, 1, Role::LOOKING, 2, 2, 0, {}},
                   {1203, 1, Role::LOOKING, 2, 2, 0, {}}, {1300, 3, Role::LOOKING, 3, 2, 0, {}},
                   {1301, 1, Role::LOOKING, 3, 2, 0, {}}, {1310, 4, Role::LOOKING, 3, 2, 0, {}}};
  call.t_end = 1511;
  call.broadcasts = 4;
  call.timeouts = {{1204, 400}};
  CHECK(outcome(call) == "agrees");
  call.received[4].t = 1050;  // too early
  CHECK(says(outcome(call), "differs"));
}

TEST_CASE("conform: a server that sends what it had not received cannot be judged") {
  // The notification that suggested the vote for 2 is not recorded at all, or comes afterwards.
  ElectionCall call = alone();
  call.received.erase(call.received.begin() + 3);
  CHECK(says(outcome(call), "undecidable: "));
  call = alone();
  std::swap(call.received[3], call.received[4]);
  std::swap(call.received[3].t, call.received[4].t);
  CHECK(says(outcome(call), "undecidable: "));
  CHECK(conform(call, {}).notification == 3);
  call.received.insert(call.received.begin(), {999, 2, Role::LOOKING, 2, 1, 0, {}});
  CHECK_FALSE(says(outcome(call), "undecidable: "));

  // Likewise with a round, an epoch and a zxid.
  call = overtaken();
  call.received.erase(call.received.begin());
  CHECK(says(outcome(call), "undecidable: "));
  call = overtaken();
  ++call.received[4].peer_epoch;
  ++call.proposals_broadcast[2].peer_epoch;
  CHECK(says(outcome(call), "undecidable: "));
  call = overtaken();
  ++call.received[4].zxid.value.value;
  ++call.proposals_broadcast[2].zxid.value.value;
  CHECK(says(outcome(call), "undecidable: "));

  // It received its own notification more often than it broadcast.
  call = alone();
  --call.broadcasts;
  CHECK(says(outcome(call), "undecidable: "));

  // A vote that others had suggested may have been sent wrongly: then the call differs.
  call = alone();
  call.received[3].leader = call.received[4].leader = 3;
  CHECK(says(outcome(call), "differs: "));
  call = overtaken();
  call.received[1].round = 2;
  CHECK(says(outcome(call), "differs: "));
}

// It is not checked which vote is better, only whether the server can have known it.
TEST_CASE("conform: a server that takes the worse of two votes differs") {
  ElectionCall call = alone();
  call.received.resize(3);
  call.received.push_back({1800, 3, Role::LOOKING, 3, 1, 0, {}});
  call.received.push_back({1801, 2, Role::LOOKING, 2, 1, 0, {}});
  call.received.push_back({1802, 1, Role::LOOKING, 2, 1, 0, {}});
  CHECK(says(outcome(call), "differs: "));
}

TEST_CASE("conform: without the only notification that suggested a vote, a recorded call cannot be judged") {
  std::size_t undecidable = 0;
  for (std::size_t i = 0; i < calls().size(); ++i) {
    if (incomplete.contains(i)) continue;
    for (const BroadcastRow& row : calls()[i].proposals_broadcast) {
      ElectionCall call = calls()[i];
      if (row.leader == call.sid || !call.voter) continue;
      const auto same = [&](const HeardRow& heard) { return heard.notification().vote == row.vote(); };
      const bool heard = std::any_of(call.received.begin(), call.received.end(),
                                     [&](const HeardRow& one) { return one.from == call.sid && same(one); });
      if (!heard) continue;
      std::erase_if(call.received, [&](const HeardRow& one) { return one.from != call.sid && same(one); });
      CAPTURE(i);
      const ElectionVerdict verdict = conform(call, {});
      CAPTURE(verdict.why);
      CHECK(verdict.agreement != Agreement::agrees);
      if (verdict.agreement == Agreement::undecidable) ++undecidable;
    }
  }
  CHECK(undecidable > 50);
}

/// A leader that has all of epoch 1 in memory sends its snapshot to a learner that has nothing, and whose log
/// is unusable.
SyncDecision snapshotBefore(const char* zxid) {
  const std::string json = R"([{"scenario": "by hand", "leader": 3, "learner": 1, "voter": true,
      "minCommittedLog": "0x100000001", "maxCommittedLog": "0x100000003", "lastProcessedZxid": "0x100000003",
      "peerLastZxid": "0x0", "sent": ["SNAP", ")" +
                           std::string(zxid) + R"("], "proposals_before_NEWLEADER": 0, "first_last": null,
      "commits_before_NEWLEADER": 0, "committedLog": [["0x100000001", "0x100000003"]],
      "txnLog": {"usable": false, "zxids": []}, "reconstructed": false, "truncated": false}])";
  return readSyncDecisions(parseJson("recording.json", json)).front();
}

TEST_CASE("conform: a SNAP may name the zero of the epoch that began in between") {
  CHECK(agreement(snapshotBefore("0x100000003")) == Agreement::agrees);
  CHECK(agreement(snapshotBefore("0x200000000")) == Agreement::agrees);
  CHECK(agreement(snapshotBefore("0x500000000")) == Agreement::agrees);  // epochs are skipped
  CHECK(agreement(snapshotBefore("0x100000000")) == Agreement::differs);
  CHECK(agreement(snapshotBefore("0x0")) == Agreement::differs);
  CHECK(agreement(snapshotBefore("0x200000001")) == Agreement::differs);
  CHECK(agreement(snapshotBefore("0x100000004")) == Agreement::differs);

  SyncDecision decision = snapshotBefore("0x200000000");
  decision.sent.op = SyncMode::DIFF;  // that is logged under the lock
  CHECK(agreement(decision) == Agreement::differs);
  decision.sent.op = SyncMode::TRUNC;
  CHECK(agreement(decision) == Agreement::differs);
  decision = snapshotBefore("0x200000000");
  decision.peerLastZxid.value = Zxid::of(1, 1);  // within the committed log
  CHECK(agreement(decision) == Agreement::differs);
}

// ---- planted bugs

TEST_CASE("conform: planted bugs fail calls and decisions in which the nodes agree") {
  struct Row {
    const char* mutation;
    std::vector<std::size_t> calls;
    std::vector<std::size_t> decisions;
  };
  const Row rows[] = {
      {"no_epoch_in_vote", {6, 61, 62}, {}},           // peerEpoch distinguishes votes of two elections
      {"fle_join_compares_round", {10}, {}},           // an old and a fresh reply of one ensemble
      {"fle_join_without_leader", {46}, {}},           // four followers of a dead leader
      {"fle_join_without_quorum", {21}, {}},           // the leader's reply comes first
      {"fle_never_joins", {5, 6, 10}, {}},             // restarted servers
      {"fle_counts_observers", {61, 62, 63}, {}},      // two observers
      {"fle_ignores_higher_round", {20, 26, 32}, {}},  // the others looked once more
      {"fle_keeps_first_vote", {0, 1, 2}, {}},
      {"fle_no_finalize_wait", {0, 1, 2}, {}},
      {"fle_no_back_off", {3, 8, 14}, {}},
      {"fle_says_it_once", {3, 8, 14}, {}},
      {"fle_round_stays", {0, 1, 2}, {}},
      {"diff_without_trunc", {}, {67}},  // a tail that the leader does not have
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.mutation));
    const Mutation* const mutation = ruleTables().mutation(row.mutation);
    REQUIRE(mutation != nullptr);
    Rules rules;
    mutate(rules, *mutation);
    for (const std::size_t i : row.calls) {
      CAPTURE(i);
      CHECK(agreement(calls()[i]) == Agreement::agrees);
      CHECK(agreement(calls()[i], rules) == Agreement::differs);
    }
    for (const std::size_t i : row.decisions) {
      CAPTURE(i);
      CHECK(agreement(decisions()[i]) == Agreement::agrees);
      CHECK(agreement(decisions()[i], rules) == Agreement::differs);
    }
  }
}

TEST_CASE("conform: the tables of other releases fail a synchronization that was recorded completely") {
  Rules rules;
  REQUIRE_FALSE(setRule(rules, "sync_table", "across_epochs"));
  CHECK_FALSE(decisions()[37].reconstructed);
  CHECK(agreement(decisions()[37], rules) == Agreement::differs);
}

// ---- bad input

/// The first record of a file, with some of its fields replaced; null removes one.
std::string recordWith(const std::string& file, const char* changes) {
  Json record = loadJson(recorded + file).plain()[0];
  const Json fields = Json::parse(changes);
  for (const auto& [key, value] : fields.items()) {
    if (value == "removed") {
      record.erase(key);
    } else {
      record[key] = value;
    }
  }
  return Json::array({record}).dump();
}

template <class Read>
std::string errorOf(Read&& read, const std::string& text) {
  try {
    read(parseJson("recording.json", text));
  } catch (const InputError& error) {
    return error.message;
  }
  return "";
}

TEST_CASE("conform: the largest zxid is treated like any other") {
  const std::string largest =
      recordWith("sync_decisions.json",
                 R"({"txnLog": {"usable": true, "zxids": [["0x7fffffffffffffff", "0x7fffffffffffffff"]]}})");
  const auto read = readSyncDecisions(parseJson("recording.json", largest));
  CHECK(transactions(read.front().txnLog.zxids).size() == 1);
}

TEST_CASE("conform: invalid recordings are refused, with the error") {
  struct Row {
    const char* changes;
    const char* message;
  };
  const Row elections[] = {
      {R"({"round": "removed"})", "needs `round`"},
      {R"({"rounds": 1})", "rounds"},
      {R"({"round": 0})", "rounds begin with 1"},
      {R"({"sid": 9})", "neither voter nor observer"},
      {R"({"voter": false})", "`voter` contradicts"},
      {R"({"voters": [1, 1, 2, 3]})", "named twice"},
      {R"({"voters": []})", "no voters"},
      {R"({"t_end": 1000})", "ends before it begins"},
      {R"({"t_end": null})", "has an end"},
      {R"({"duration_ms": 604})", "is not `t_end` - `t`"},
      {R"({"min_ms": 0})", "`min_ms`"},
      {R"({"own": [2, "0x0", 0]})", "for itself"},
      {R"({"own": [1, "100", 0]})", "is not a zxid"},
      {R"({"own": [1, "0x", 0]})", "is not a zxid"},
      {R"({"own": [1, "0x10000000000000000", 0]})", "is not a zxid"},
      {R"({"own": [1, "0x0"]})", "2 values instead of 3"},
      {R"({"result": [7, "0x0", "FOLLOWING"]})", "unknown server 7"},
      {R"({"result": [3, "0x0", "FOLLOW"]})", "FOLLOW"},
      {R"({"received": [[1489, 8, "LOOKING", 1, 1, 0, "0x0"]]})", "unknown server 8"},
      {R"({"received": [[1489, 1, "LOOKING", 8, 1, 0, "0x0"]]})", "unknown server 8"},
      {R"({"received": [[1489, 1, "LOOKING", 1, 1, 0, "0x0"], [1488, 2, "LOOKING", 2, 1, 0, "0x0"]]})",
       "times decrease"},
      {R"({"received": [[99999, 1, "LOOKING", 1, 1, 0, "0x0"]]})", "after the call's end"},
      {R"({"timeouts": [[1600, 400], [1500, 800]]})", "times decrease"},
      {R"({"timeouts": [[1400, 400]]})", "before the beginning of the call"},
      {R"({"proposals_broadcast": [[1, "0x0", 0, 1], [8, "0x0", 0, 1]]})", "unknown server 8"},
      {R"({"broadcasts": 1})", "more `proposals_broadcast`"},
      {R"({"groups": [[1, 2], [2, 3]]})", "in two groups"},
      {R"({"groups": [[1, 9]]})", "unknown server 9"},
      {R"({"weights": {"9": 1}})", "unknown server 9"},
      {R"({"weights": {"1": -1}})", "from 0 to"},
      {R"({"weights": {"1": 4611686018427387904}})", "from 0 to"},
      {R"({"t": 9223372036854775807, "t_end": 9223372036854775807})", "times are"},
      {R"({"round": 9223372036854775807})", "rounds begin"},
  };
  for (const Row& row : elections) {
    CAPTURE(std::string(row.changes));
    const std::string message = errorOf(readElectionCalls, recordWith("election_calls.json", row.changes));
    CAPTURE(message);
    CHECK(message.find(row.message) != std::string::npos);
  }
  const Row syncs[] = {
      {R"({"sent": "removed"})", "needs `sent`"},
      {R"({"sent": ["NONE", "0x0"]})", "DIFF, TRUNC or SNAP"},
      {R"({"learner": 3})", "the leader itself"},
      {R"({"minCommittedLog": "0x1"})", "less than `minCommittedLog`"},
      {R"({"maxCommittedLog": "0x100000001", "lastProcessedZxid": "0x100000001"})", "is empty"},
      {R"({"committedLog": [["0x100000001", "0x100000003"]]})", "reaches beyond"},
      {R"({"minCommittedLog": "0x100000001", "maxCommittedLog": "0x100000004", "lastProcessedZxid": "0x100000004",
           "committedLog": [["0x100000001", "0x100000003"]]})",
       "does not reach"},
      {R"({"committedLog": [["0x100000003", "0x100000001"]]})", "a run is"},
      {R"({"committedLog": [["0x100000001", "0x200000001"]]})", "a run is"},
      {R"({"committedLog": [["0x100000001", "0x100000003"], ["0x100000003", "0x100000004"]]})", "decrease"},
      {R"({"txnLog": {"usable": true, "zxids": [["0x100000001", "0x1ffffffff"]]}})", "more than"},
      {R"({"maxCommittedLog": "0x2", "committedLog": [["0x1", "0x2"]], "minCommittedLog": "0x1"})",
       "less than `maxCommittedLog`"},
      {R"({"reconstructed": true, "committedLog": [["0x100000001", "0x100000003"]]})", "reaches beyond"},
      {R"({"txnLog": {"usable": true}})", "needs `zxids`"},
      {R"({"proposals_before_NEWLEADER": 1})", "`null` if and only if"},
      {R"({"commits_before_NEWLEADER": 1})", "can be committed"},
      {R"({"proposals_before_NEWLEADER": -1})", "at least 0"},
  };
  for (const Row& row : syncs) {
    CAPTURE(std::string(row.changes));
    const std::string message = errorOf(readSyncDecisions, recordWith("sync_decisions.json", row.changes));
    CAPTURE(message);
    CHECK(message.find(row.message) != std::string::npos);
  }
  CHECK(errorOf(readElectionCalls, "{}").find("an array") != std::string::npos);
  CHECK(errorOf(readElectionCalls, "[]").find("is empty") != std::string::npos);
  CHECK(errorOf(readElectionCalls, "[{\"scenario\": \"cut o") != "");
}

}  // namespace
}  // namespace zablab::zab
