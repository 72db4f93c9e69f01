#pragma once

#include "checker/zab/fuzz_run.h"

#include <algorithm>
#include <set>
#include <vector>

#include "checker/fuzz/watcher_of.h"

namespace zablab::zab {

template <class F>
std::string BroadcastFuzz<F>::placeName(std::uint32_t place) {
  const auto role = static_cast<Role>(place >> 8);
  std::string name(enumName(role));
  if (role != Role::LOOKING) name += " " + std::string(enumName(static_cast<Phase>(place & 255)));
  return name;
}

template <class F>
std::string BroadcastFuzz<F>::settingOf(const Cluster<F>& cluster) {
  const Config& config = cluster.configs.front();
  int voters = 0;
  for (const Member& member : config.members) voters += member.observer ? 0 : 1;
  return std::to_string(voters) + " voters, tick " + std::to_string(config.tick_ms) + " ms";
}

/// In addition to what all cores have to do: no role changes once all of the core has served, it reaches one
/// history, and no server leads outside it.
template <class F>
class BroadcastWatcher : public FuzzWatcherOf<F> {
 public:
  explicit BroadcastWatcher(const FuzzRun& run)
      : FuzzWatcherOf<F>(run),
        looking_since_(run.run.cluster().ids.size(), -1),
        resumed_at_(run.run.cluster().ids.size(), 0) {}

  void on(const AnyHappened& h) override {
    if (h.kind == Kind::resumed) resumed_at_[static_cast<std::size_t>(h.node)] = this->now();
    FuzzWatcher::on(h);
  }

  /// Whether all clients that still wait turn to servers that cannot join: such a server has accepted a later
  /// epoch than the leader's, from a leader that never had a quorum. It is excluded until there is another
  /// leader (Learner: "Leaders epoch, x is less than accepted epoch, y"). It looks repeatedly, and each of
  /// its votes prolongs the wait of a server that is about to decide (FastLeaderElection, finalizeWait): that
  /// one may look forever as well. If a server is excluded, any server that looks is therefore accepted.
  bool mayBeLeftOut() const override {
    const std::vector<ServerId> waiting_probes = this->waiting();
    if (waiting_probes.size() >= this->judgement_.probes.size()) return false;
    std::int64_t epoch = 0;
    for (const int leader : leading_) epoch = std::max(epoch, this->node(leader).epoch);
    bool one_is_ahead = false;
    for (const ServerId probe : waiting_probes) {
      const int server = this->serverOf(probe);
      const bool ahead = server >= 0 && this->run_.image(server).accepted_epoch.value_or(0) > epoch;
      if (!ahead && !(server >= 0 && this->node(server).role == Role::LOOKING)) return false;
      one_is_ahead = one_is_ahead || ahead;
    }
    return epoch > 0 && one_is_ahead;
  }

  void finish() override {
    if (leaderless_since_ >= 0) leaderless_ms_ += this->now() - leaderless_since_;
    this->note("leaderless, ms", leaderless_ms_);
  }

 protected:
  std::optional<Failure> isUnsettled() const override {
    for (const int leader : leading_) {
      if (leadsAlone(leader) && this->now() < endsLeadingBy(leader)) return goesOn(leader);
    }
    const Txns<typename F::Service>* first = nullptr;
    for (int i = 0; i < this->run_.cluster().serverCount(); ++i) {
      if (!this->isCore(i)) continue;
      if (first != nullptr && this->node(i).history != *first)
        return Failure{"stall: histories differ", "servers of the core have different histories",
                       this->now()};
      first = &this->node(i).history;
    }
    return std::nullopt;
  }

 private:
  void said(const Happened<F>& h) override {
    const auto at = static_cast<std::size_t>(h.node);
    if (holds_alternative<Looking>(*h.event)) {
      looking_since_[at] = this->now();
    } else if (holds_alternative<Decided>(*h.event) && looking_since_[at] >= 0) {
      this->note("election, ms", this->now() - looking_since_[at]);
      looking_since_[at] = -1;
    } else if (holds_alternative<Established>(*h.event)) {
      if (leaderless_since_ >= 0) {
        leaderless_ms_ += this->now() - leaderless_since_;
        if (led_before_) {
          this->note("failover, ms", this->now() - leaderless_since_);
          this->note("failover, messages", static_cast<std::int64_t>(this->sent_ - sent_before_));
        }
      }
      leaderless_since_ = -1;
      led_before_ = true;
      leading_.insert(h.node);
      if (this->isCore(h.node)) coreIsLed(h.node);
    } else if (const auto* role = get_if<RoleChanged>(h.event)) {
      if (this->isCore(h.node) && this->faultsAreOver()) roleOfCoreChanged(h.node, *role);
    }
  }

  void placeChanged(int i) override {
    if (this->node(i).role != Role::LEADING) noLongerLeads(i);
  }
  void ended(int i) override {
    noLongerLeads(i);
    looking_since_[static_cast<std::size_t>(i)] = -1;
  }

  /// Whether the state in which some cannot join has lasted: nothing changes it any more.
  bool endsWithoutThem() override {
    if (this->now() < next_look_) return false;
    next_look_ = this->now() + 1000;
    left_out_looks_ = this->faultsAreOver() && mayBeLeftOut() ? left_out_looks_ + 1 : 0;
    return left_out_looks_ > 20;
  }

  /// A server that leads outside the core is cut off from all others.
  bool leadsAlone(int leader) const { return !this->isCore(leader) && !this->run_.isPaused(leader); }
  /// When all its limits have expired: since the last fault, or since it stood still.
  Millis endsLeadingBy(int leader) const {
    const Config& config = this->run_.cluster().configs.front();
    return std::max(this->judgement_.faults_end_ms, resumed_at_[static_cast<std::size_t>(leader)]) +
           (config.init_limit + config.sync_limit + 2) * config.tick_ms;
  }
  Failure goesOn(int leader) const {
    return {"stall: a leader without a quorum goes on",
            "server " + std::to_string(this->idOf(leader)) + " leads, and hears no quorum", this->now()};
  }
  std::optional<Failure> judgeAtRest() const override {
    const auto alone =
        std::find_if(leading_.begin(), leading_.end(), [this](int leader) { return leadsAlone(leader); });
    return alone == leading_.end() ? std::nullopt : std::optional(goesOn(*alone));
  }

  void roleOfCoreChanged(int i, const RoleChanged& role) {
    this->forgetAnswersBy(i);
    if (!this->isSettledDown()) return;
    this->failure_ = Failure{"stall: a role changes without a fault",
                             "server " + std::to_string(this->idOf(i)) + " goes from " +
                                 std::string(enumName(role.from)) + " to " + std::string(enumName(role.to)) +
                                 " (" + std::string(enumName(role.reason)) + ") after all of the core served",
                             this->now()};
  }

  void coreIsLed(int i) {
    if (core_leading_.empty() && this->faultsAreOver() && !this->judgement_.probes.empty()) {
      const Millis took = this->now() - std::max(core_leaderless_since_, this->judgement_.faults_end_ms);
      if (took > slow_election_ms) this->slowest_ms_ = std::max(this->slowest_ms_, took);
    }
    core_leading_.insert(i);
  }

  void noLongerLeads(int i) {
    if (core_leading_.erase(i) != 0 && core_leading_.empty()) core_leaderless_since_ = this->now();
    if (leading_.erase(i) == 0 || !leading_.empty()) return;
    leaderless_since_ = this->now();
    sent_before_ = this->sent_;
  }

  /// An election of a core without faults that takes longer is reported.
  static constexpr Millis slow_election_ms = 20'000;

  Millis next_look_ = 0;
  int left_out_looks_ = 0;  ///< consecutive checks that found some excluded
  std::set<int> core_leading_;
  Millis core_leaderless_since_ = 0;
  std::vector<Millis> looking_since_;
  std::vector<Millis> resumed_at_;  ///< by index; 0: it has not stood still
  std::set<int> leading_;           ///< established leaders
  Millis leaderless_since_ = 0;
  Millis leaderless_ms_ = 0;
  bool led_before_ = false;
  std::uint64_t sent_before_ = 0;
};

}  // namespace zablab::zab
