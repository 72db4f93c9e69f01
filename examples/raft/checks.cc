// What must hold of Raft: figure 3 of the paper, and that its clients see one register. How it is drawn and
// searched.
#include <array>

#include "checker/book.h"
#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/fuzz/default_fuzz.h"
#include "checker/history/linearizable.h"
#include "checker/history/register.h"
#include "checker/module.h"
#include "raft.h"
#include "sim/default_binding.h"

namespace raft {

using namespace zablab;
using history::RegisterOp;
using Seen = Happened<Family>;

// ---- the book: what is on disk, who was elected, what was said to be committed, what clients asked and were
// answered

struct Own {
  std::int64_t leads = 0;  ///< the term that it leads; 0: none
  ZABLAB_FIELDS(Own, (leads));
};
struct Commit {
  Entry entry;
  std::int64_t term = 0;  ///< of the leader that committed it
  ZABLAB_FIELDS(Commit, (entry, term));
};
struct Shared {
  std::map<ServerId, Log> logs;
  std::map<std::int64_t, ServerId> leaders;  ///< by term
  std::vector<Commit> committed;             ///< as it was said first
  history::RegisterHistory history;
  ZABLAB_FIELDS(Shared, (logs, leaders, committed, history));
};

struct Ledger : Book<Family, Own, Shared> {
  using Book::Book;

  std::int64_t before = 0;  ///< how long the log was before the write that is seen
  Log& log(int node) { return shared().logs[id(node)]; }
  void begin(int node, const Durable& disk) {
    own(node) = {};
    if (!isClient(node)) log(node) = disk.log;
  }
  void on(const Seen& seen) override {
    if (seen.kind == Kind::started) begin(seen.node, *seen.disk);
    if (seen.kind == Kind::wiped) begin(seen.node, {});
    if (recordIn<SaveTerm>(seen)) own(seen.node) = {};
    if (const auto* saved = recordIn<SaveLog>(seen)) {
      before = std::ssize(log(seen.node));
      replace(log(seen.node), saved->after, saved->entries);
    }
    if (const auto* elected = eventIn<Elected>(seen)) {
      own(seen.node).leads = elected->term;
      shared().leaders.emplace(elected->term, id(seen.node));
    }
    if (const auto* invoked = eventIn<Invoked>(seen)) {
      const auto value = written(invoked->request);
      shared().history.invoke(id(seen.node), value ? RegisterOp::write(*value) : RegisterOp::read());
    }
    if (const auto* answered = eventIn<Answered>(seen)) {
      const RegisterOp op = shared().history.open(id(seen.node))->op;
      shared().history.answer(id(seen.node), op.returns(answered->read ? answered->value : 0));
    }
  }
};

using Invariant = zablab::Invariant<Ledger>;

void electionSafety(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr) return;
  const ServerId first = ledger.shared().leaders.at(elected->term);
  judge(first == ledger.id(seen.node), [&] {
    return phrase("{server} is elected in term {term}, as {other} was", ledger.who(seen.node), elected->term,
                  Phrase::node(first));
  });
}
void leaderAppendOnly(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* saved = recordIn<SaveLog>(seen);
  if (saved == nullptr || ledger.own(seen.node).leads == 0) return;
  judge(saved->after >= ledger.before,
        [&] { return phrase("{server} leads, and cuts its log", ledger.who(seen.node)); });
}
void logMatching(Ledger& ledger, const Seen& seen, Judge judge) {
  if (recordIn<SaveLog>(seen) == nullptr) return;
  const Log& log = ledger.log(seen.node);
  for (const auto& [id, other] : ledger.shared().logs) {
    std::int64_t index = std::min(std::ssize(log), std::ssize(other));
    while (index > 0 && placeAt(log, index) != placeAt(other, index)) --index;
    judge(std::equal(log.begin(), log.begin() + index, other.begin()), [&, id = id] {
      return phrase(
          "{server} and {other} have the same term at index {index}, and different entries up to it",
          ledger.who(seen.node), Phrase::node(id), index);
    });
  }
}
void leaderCompleteness(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr) return;
  const Log& log = ledger.log(seen.node);
  for (std::size_t i = 0; const Commit& commit : ledger.shared().committed) {
    const bool has_it = i < log.size() && log[i] == commit.entry;
    ++i;
    if (commit.term < elected->term)
      judge(has_it, [&] {
        return phrase(
            "{server} is elected in term {term} without entry {index}, which was committed in term "
            "{before}",
            ledger.who(seen.node), elected->term, i, commit.term);
      });
  }
}
void stateMachineSafety(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* said = eventIn<Committed>(seen);
  if (said == nullptr) return;
  const Log& log = ledger.log(seen.node);
  auto& committed = ledger.shared().committed;
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(said->place.index), log.size()); ++i) {
    if (i == committed.size()) committed.push_back({log[i], ledger.own(seen.node).leads});
    judge(committed[i].entry == log[i], [&] {
      return phrase("{server} applies another entry of index {index} than a server before it",
                    ledger.who(seen.node), i + 1);
    });
  }
}
void linearizable(Ledger& ledger, const Seen& seen, Judge judge) {
  if (eventIn<Answered>(seen) == nullptr) return;
  const auto judgement = history::judge(ledger.shared().history, history::Register{});
  if (judgement.verdict == history::Verdict::gave_up) return judge.passOver();
  judge(judgement.verdict == history::Verdict::yes,
        [&] { return history::explain(ledger.shared().history, judgement, &Phrase::client); });
}

constexpr std::array invariants{
    Invariant{{"election-safety", "at most one leader is elected in a term"}, &electionSafety},
    Invariant{{"leader-append-only", "a leader removes no entry of its log"}, &leaderAppendOnly},
    Invariant{{"log-matching", "logs that have the same term at an index are the same up to it"},
              &logMatching},
    Invariant{{"leader-completeness", "whoever is elected has what was committed in older terms"},
              &leaderCompleteness},
    Invariant{{"state-machine-safety", "no two servers apply different entries of an index"},
              &stateMachineSafety},
    Invariant{{"linearizable", "some order of the requests explains all answers"}, &linearizable}};

std::unique_ptr<MonitorSet<Family>> monitors(std::unique_ptr<Ledger> ledger) {
  return monitorsOf<Ledger>(std::move(ledger), invariants);
}

constexpr Mutation planted(std::string_view name, std::string_view found_by, std::string_view text) {
  return {name, "", "", "safety", found_by, text, "bug", name};
}

}  // namespace raft

namespace zablab {

template <>
struct Binding<raft::Family> : DefaultBinding<raft::Family> {
  static constexpr std::string_view default_variant = "paper";
  static constexpr std::array variants{Variant<raft::Rules>{"paper", {}, "as the paper has it"}};
  static constexpr std::array mutations{
      raft::planted("forgets_its_vote", "election-safety",
                    "after a restart a server does not know for whom it voted"),
      raft::planted("ignores_logs", "leader-completeness",
                    "a server votes for a candidate whose log is older"),
      raft::planted("trusts_its_leader", "log-matching",
                    "entries are appended after an entry of another term"),
      raft::planted("commits_other_terms", "leader-completeness",
                    "a leader commits by counting copies of older terms"),
      raft::planted("cuts_its_log", "leader-append-only",
                    "a new leader removes what it does not know to be committed"),
      raft::planted("answers_at_once", "linearizable",
                    "a client is answered before its request is committed")};
  static constexpr std::array<std::string_view, 4> milestones{"campaigns", "elected", "committed",
                                                              "answered"};

  static Json header() {
    Json header = DefaultBinding::header();
    header["roles"] = {{"CANDIDATE", "seeking"}, {"FOLLOWER", "following"}, {"LEADER", "leading"}};
    header["attempts"] = {{{"kind", "campaigns"}}};
    header["elections"] = {{{"kind", "elected"}}};
    return header;
  }
  static Json logPicture(const raft::Node& node, const raft::Durable& disk) {
    return lastCells(phrase("log"), disk.log.size(), [&](std::size_t i) -> LogCell {
      const auto [term, index] = raft::placeAt(disk.log, static_cast<std::int64_t>(i) + 1);
      return {std::to_string(term) + "." + std::to_string(index),
              index <= node.commit ? "committed" : "durable"};
    });
  }
};

template <>
struct InvariantsOf<raft::Family> : InvariantsWith<raft::Family, raft::Ledger, &raft::monitors> {};

template <>
struct CheckOf<raft::Family> : BookMonitors<raft::Family, raft::Ledger, &raft::monitors> {
  using BookMonitors::BookMonitors;
  static constexpr std::uint32_t settled = 1;
  static constexpr std::uint32_t idle = 2;
  static std::uint32_t view(const raft::Config&, const raft::Rules&, const raft::Node& node) {
    return (node.role != raft::Role::CANDIDATE ? settled : 0) | (node.asking ? 0 : idle);
  }
  static bool looks(const raft::Family::Event& event) { return holds_alternative<raft::Campaigns>(event); }
  static Fires firesByDefault(raft::TimerKind kind) {
    return kind == raft::TimerKind::election ? Fires::free : Fires::quiescent;
  }
};

template <>
struct FuzzOf<raft::Family> : DefaultFuzz<raft::Family> {
  static DrawnConfig drawConfig(Draws& draws, const TimingSpec& timing) {
    const Millis least =
        std::max<Millis>(draws(1, 100, 500), 4 * (timing.latency_ms.hi + timing.fsync_ms.hi));
    return {{{"election_min_ms", least},
             {"election_max_ms", 2 * least},
             {"heartbeat_ms", least / 4},
             {"batch", draws(2, 1, 4)}},
            4 * least,
            least / 8};
  }
  static Json drawAsk(Draws& draws) { return {{draws.chance(20, 600) ? "write" : "read", true}}; }
  static constexpr const char* probe = R"({"read": true})";
  static constexpr const char* answer_kind = "answered";
};

/// What clients are answered, and who has what they wrote: checker/clients/clients.h.
template <>
struct ClientsOf<raft::Family> {
  using F = raft::Family;
  static bool isAnswered(const F::Request&) { return true; }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<raft::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    return ClientAnswer{answer->number, answer->read ? Asked::read : Asked::write, true, answer->value};
  }
  static Serving readFrom(const RunOf<F>& run, const F::Event&) {
    return leaderBy(run, [](const raft::Node& node) {
      return node.role == raft::Role::LEADER ? std::optional(node.saved.term) : std::nullopt;
    });
  }
  static bool has(const raft::Node& node, const F::Event& write) { return hasIn(node.saved.log, write); }
  static bool has(const raft::Durable& disk, const F::Event& write) { return hasIn(disk.log, write); }

 private:
  static bool hasIn(const raft::Log& log, const F::Event& write) {
    return std::any_of(log.begin(), log.end(), [&](const raft::Entry& entry) {
      return entry.request.number == get<raft::Answered>(write).number;
    });
  }
};

/// For comparisons with other protocols: checker/compare/contender_of.h.
template <>
struct CompareOf<raft::Family> {
  using F = raft::Family;
  static constexpr std::string_view settings =
      "five servers; elections after 150 to 300 ms, heartbeats every 50 ms";
  static ComparedCluster layout() {
    return {.setting = {{"servers", 5}},
            .machines = {{1}, {2}, {3}, {4}, {5}},
            .voters = 5,
            .write = {{"write", true}},
            .read = Json{{"read", true}}};
  }
  static bool votes(const raft::Node&) { return true; }
  static std::optional<Reign> claim(const Happened<F>& seen, const RunOf<F>& run) {
    if (seen.kind != Kind::step_over || run.node(seen.node).role != raft::Role::LEADER) return std::nullopt;
    return Reign{run.node(seen.node).saved.term, seen.node};
  }
  static bool acceptedBy(const F::Event& event, const Reign& reign, const RunOf<F>& run) {
    const raft::Log& log = run.node(reign.server).saved.log;
    return std::any_of(log.begin(), log.end(), [&](const raft::Entry& entry) {
      return entry.term == reign.number && entry.request.number == get<raft::Answered>(event).number;
    });
  }
};

}  // namespace zablab

ZABLAB_PROTOCOL(raft::Family)
