#include "checker/zab/recording_kinds.h"

#include <array>

#include "checker/zab/conform.h"
#include "sim/zab/words.h"

namespace zablab::zab {
namespace {

/// The number of records by result.
struct Counts {
  std::array<std::uint64_t, 3> of{};

  void add(Agreement agreement) { ++of[static_cast<std::size_t>(agreement)]; }
  std::uint64_t operator[](Agreement agreement) const { return of[static_cast<std::size_t>(agreement)]; }
  std::uint64_t all() const { return of[0] + of[1] + of[2]; }
  Json json() const { return {{"agree", of[0]}, {"differ", of[1]}, {"undecidable", of[2]}}; }
  std::string words() const { return std::to_string(of[0]) + " agree, " + std::to_string(of[1]) + " differ"; }
};

class Elections : public Conformance {
 public:
  explicit Elections(const BroadcastRules& rules) : rules_(rules) {}
  std::string_view records() const override { return "calls"; }
  std::vector<ConformLine> judge(const JsonValue& document) override {
    std::vector<ConformLine> lines;
    for (const ElectionCall& call : readElectionCalls(document)) lines.push_back(judge(call));
    return lines;
  }
  Json summary() const override {
    Json json = counts_.json();
    json["undecidable"] = counts_[Agreement::undecidable];
    json["moments"] = decided_;
    json["punctual"] = punctual_;
    return json;
  }
  std::string words() const override {
    return counts_.words() + ", " + std::to_string(counts_[Agreement::undecidable]) + " undecidable; " +
           std::to_string(punctual_) + " of " + std::to_string(decided_) + " times of decision within " +
           std::to_string(punctual_ms) + " ms";
  }

 private:
  ConformLine judge(const ElectionCall& call) {
    const ElectionVerdict verdict = conform(call, rules_);
    counts_.add(verdict.agreement);
    decided_ += verdict.late_ms ? 1 : 0;
    punctual_ += verdict.punctual() ? 1 : 0;
    ConformLine line{verdict.agreement,
                     call.scenario + ", server " + std::to_string(call.sid) + ", round " +
                         std::to_string(call.round) + ": ",
                     verdict.why,
                     {{"scenario", call.scenario}, {"server", call.sid}, {"t", call.t}}};
    line.what += call.result ? std::string(enumName(call.result->state)) + " with the vote for " +
                                   std::to_string(call.result->leader)
                             : "ended before it decided";
    line.fields["decisive"] = verdict.decisive;
    if (verdict.notification) line.fields["notification"] = *verdict.notification;
    if (verdict.late_ms) {
      line.fields["late_ms"] = *verdict.late_ms;
      if (!verdict.punctual())
        line.what += ", " + std::to_string(*verdict.late_ms) + " ms later than the node";
    }
    return line;
  }

  BroadcastRules rules_;
  Counts counts_;
  std::uint64_t decided_ = 0;   ///< in agreement, with a time to compare
  std::uint64_t punctual_ = 0;  ///< of these
};

class Syncs : public Conformance {
 public:
  explicit Syncs(const BroadcastRules& rules) : rules_(rules) {}
  std::string_view records() const override { return "decisions"; }
  std::vector<ConformLine> judge(const JsonValue& document) override {
    std::vector<ConformLine> lines;
    for (const SyncDecision& decision : readSyncDecisions(document)) lines.push_back(judge(decision));
    return lines;
  }
  Json summary() const override {
    Json json = counts_.json();
    json["reconstructed"] = reconstructed_.json();
    return json;
  }
  std::string words() const override {
    return counts_.words() + (reconstructed_.all() == 0
                                  ? ""
                                  : "; of " + std::to_string(reconstructed_.all()) + " reconstructed ones " +
                                        reconstructed_.words());
  }

 private:
  ConformLine judge(const SyncDecision& decision) {
    const SyncVerdict verdict = conform(decision, rules_);
    (decision.reconstructed ? reconstructed_ : counts_).add(verdict.agreement);
    return {verdict.agreement,
            decision.scenario + ", " + std::to_string(decision.leader) + " to " +
                std::to_string(decision.learner) + ": " + std::string(enumName(decision.sent.op)) + " " +
                text(decision.sent.zxid.value) + (decision.reconstructed ? " (reconstructed)" : ""),
            verdict.why,
            {{"scenario", decision.scenario},
             {"leader", decision.leader},
             {"learner", decision.learner},
             {"reconstructed", decision.reconstructed}}};
  }

  BroadcastRules rules_;
  Counts counts_;         ///< of records that were recorded as they are
  Counts reconstructed_;  ///< of records whose log was reconstructed afterwards
};

}  // namespace

std::unique_ptr<Conformance> judgeElections(const BroadcastRules& rules) {
  return std::make_unique<Elections>(rules);
}
std::unique_ptr<Conformance> judgeSyncs(const BroadcastRules& rules) {
  return std::make_unique<Syncs>(rules);
}

}  // namespace zablab::zab
