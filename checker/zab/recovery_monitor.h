// What the monitors of recovery, broadcast and service have in common: the book, and texts for what they
// find.
#pragma once

#include <string>
#include <vector>

#include "checker/monitor.h"
#include "checker/zab/ledger.h"

namespace zablab::zab {

inline std::string words(Zxid zxid) {
  return std::to_string(zxid.epoch()) + "." + std::to_string(zxid.counter());
}

inline Phrase words(const std::vector<ServerId>& servers) {
  return listOf(servers, Phrase::node, phrase("none"));
}

/// The kinds of events that can bring a claim.
inline constexpr std::uint64_t claim_kinds = kindBits(Kind::event, Kind::sent, Kind::step_over);

/// A monitor that reads the ledger, for some kinds of events.
template <class F>
class BasicRecoveryMonitor : public Monitor<F> {
 public:
  using Seen = Happened<F>;
  using Ledger = BasicLedger<F>;

  BasicRecoveryMonitor(Ledger& ledger, std::uint64_t kinds) : ledger_(ledger), kinds_(kinds) {}
  std::uint64_t kinds() const override { return kinds_; }

 protected:
  auto& own(int node) const { return ledger_.own(node); }
  auto& shared() const { return ledger_.shared(); }
  Phrase server(int index) const { return ledger_.serverAt(index); }
  Phrase client(int index) const { return Phrase::client(ledger_.id(index)); }
  Phrase theClaimer() const { return server(ledger_.facts().by); }
  /// It has no process and no disk: the scenario sends its messages.
  bool isScripted(int index) const { return ledger_.cluster().scripted[static_cast<std::size_t>(index)]; }

  /// Calls `visit(position, claim)` for what the present event has newly claimed.
  template <class Visit>
  void forNewClaims(Visit&& visit) const {
    const auto& facts = ledger_.facts();
    for (std::size_t i = facts.claimed_from; i < facts.claimed_to; ++i) visit(i, shared().claims[i]);
  }

  Ledger& ledger_;

 private:
  std::uint64_t kinds_;
};

/// Whether the history has this entry at this place, and therefore the same entries before it.
template <class F>
bool stands(const std::vector<BasicEntry<F>>& history, std::size_t position, const BasicEntry<F>& entry) {
  return position < history.size() && history[position].chain == entry.chain;
}

}  // namespace zablab::zab
