#pragma once

#include "checker/zab/ledger.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "checker/zab/majorities.h"

namespace zablab::zab {

template <class S>
std::uint64_t hashOf(const BasicTxn<S>& txn) {
  std::uint64_t hash = mix64(static_cast<std::uint64_t>(txn.zxid.value));
  const auto add = [&](const auto& field) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_integral_v<Field> || std::is_enum_v<Field>) {
      hash = mix64(hash ^ static_cast<std::uint64_t>(field));
    } else {
      hash = mix64(hash ^ contentHash(field));
    }
  };
  if constexpr (DescribedStruct<typename S::Payload>) {
    forEachField(txn.payload, [&](const char*, const auto& field) { add(field); });
  } else {
    add(txn.payload);
  }
  return hash;
}

/// Appends a transaction to a history.
template <class F>
void extend(std::vector<BasicEntry<F>>& history, const BasicTxn<typename F::Service>& txn) {
  const std::uint64_t before = history.empty() ? 0 : history.back().chain;
  history.push_back({txn, mix64(before ^ hashOf(txn))});
}

template <class F>
BasicHistory<F> historyOf(const Txns<typename F::Service>& txns) {
  BasicHistory<F> history;
  history.reserve(txns.size());
  for (const auto& txn : txns) extend<F>(history, txn);
  return history;
}

template <class F>
void BasicLedger<F>::on(const Happened<F>& seen) {
  static_assert(HasServiceBook<F>);
  settle();
  keep(seen);
  if (((Book::kinds >> static_cast<unsigned>(seen.kind)) & 1) == 0) return;
  if (const auto showing = Book::note(*this, seen, facts_.service)) onShown(seen.node, *showing);
}

template <class F>
void BasicLedger<F>::keep(const Happened<F>& seen) {
  if (seen.node >= 0) {
    facts_.accepted_before = own(seen.node).accepted();
    facts_.current_before = own(seen.node).current();
  }
  switch (seen.kind) {
    case Kind::started:
    case Kind::taken_up:
      if (seen.disk != nullptr) adoptImage(seen.node, *seen.disk);
      placing_ = seen.kind == Kind::taken_up && seen.disk != nullptr;
      own(seen.node).placed = placing_;
      return;
    case Kind::stopped:
      endRole(own(seen.node));
      own(seen.node).memory.clear();
      own(seen.node).role = Role::LOOKING;
      own(seen.node).phase = Phase::election;
      commits_sent_.clear();
      notification_.reset();
      return;
    case Kind::wiped: return adoptImage(seen.node, {});
    case Kind::written:
      if (seen.blocking) onRecord(seen.node, *seen.record);
      return;
    case Kind::synced: return onRecord(seen.node, *seen.record);
    case Kind::event: return onEvent(seen.node, *seen.event);
    case Kind::sent: return onSent(seen);
    case Kind::delivered:
      if (const auto* info = get_if<LeaderInfo>(seen.content)) own(seen.node).asked_epoch = info->epoch;
      if (const auto* said = get_if<Notification>(seen.content)) {
        if (own(seen.node).role == Role::LOOKING) notification_ = {id(seen.from), *said};
      }
      return;
    case Kind::step_over: {
      placing_ = false;
      hear(own(seen.node));
      // A leader sends COMMIT just before it applies what it commits.
      for (const Zxid zxid : std::exchange(commits_sent_, {})) {
        const auto position = find(own(seen.node).memory, zxid);
        if (position) {
          claim(seen.node, *position, own(seen.node).current(), false);
        } else {
          facts_.committed_unknown = true;
          facts_.by = seen.node;
        }
      }
      return;
    }
    default: return;
  }
}

template <class F>
void BasicLedger<F>::settle() {
  // For claimed entries it no longer matters which servers have them.
  for (std::size_t i = facts_.claimed_from; i < facts_.claimed_to; ++i) {
    shared().held.erase(shared_.claims[i].entry.chain);
  }
  facts_ = {};
}

template <class F>
bool BasicLedger<F>::isBacked(const Entry& entry) {
  const auto found = shared().held.find(entry.chain);
  return found != shared_.held.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](auto& by) {
           const auto [known, fresh] = quorums_.try_emplace(by.second, false);
           if (fresh) known->second = areQuorumTo(0, by.second);
           return known->second;
         });
}

template <class F>
bool BasicLedger<F>::areQuorumTo(int server, std::uint64_t set) const {
  return areMajority(cluster_.configs[static_cast<std::size_t>(server)], idsOf(set));
}

template <class F>
std::vector<ServerId> BasicLedger<F>::idsOf(std::uint64_t set) const {
  return membersOf(set, cluster_.ids);
}

template <class F>
std::vector<ServerId> BasicLedger<F>::holders(const Entry& entry) {
  std::uint64_t all = 0;
  for (const auto& [epoch, servers] : shared().held[entry.chain]) all |= servers;
  return idsOf(all);
}

template <class F>
void BasicLedger<F>::onRecord(int server, const typename F::Record& record) {
  OwnMemory& memory = own(server);
  F::write(memory.image, record);
  if (const auto* txn = get_if<BasicWriteTxn<Service>>(&record)) {
    // What an older snapshot covers is not read again.
    const bool shadowed = memory.image.snapshot && txn->txn.zxid <= memory.image.snapshot->last;
    if (shadowed) return;
    extend<F>(memory.durable, txn->txn);
    noteHeld(server, memory.durable.size() - 1);
  } else if (holds_alternative<WriteCurrentEpoch>(record)) {
    noteAllHeld(server);
  } else if (!holds_alternative<WriteAcceptedEpoch>(record)) {
    rereadDurable(server);
  }
}

/// Discards what only the present role reads.
template <class F>
void BasicLedger<F>::endRole(OwnMemory& memory) {
  memory.asked_epoch = 0;
  memory.round = 0;
  memory.heard.clear();
  memory.promised_by = 0;
  memory.placed = false;
  memory.told = {};
  memory.awaited.clear();
  Book::onRoleOver(memory.service);
}

/// The notification of the present step has been processed.
template <class F>
void BasicLedger<F>::hear(OwnMemory& memory) {
  if (!notification_) return;
  const auto& [from, said] = *notification_;
  Heard& heard = memory.heard[from];
  // A server that now leads or follows has voted as well; it may have moved on to another round since.
  if (said.state == Role::LOOKING || said.vote.election_epoch == memory.round) {
    const bool older_count = cluster_.rules.ballot_box == BallotBox::by_zxid;
    if (!older_count) heard.votes.clear();
    heard.votes.push_back(said.vote);
    heard.state = said.state;
  }
  if (said.state != Role::LOOKING) {
    heard.settled = said.vote;
    heard.leads = said.state == Role::LEADING;
  }
  notification_.reset();
}

template <class F>
void BasicLedger<F>::onEvent(int server, const typename F::Event& event) {
  OwnMemory& memory = own(server);
  if (const auto* applied = get_if<BasicApplied<Service>>(&event)) {
    extend<F>(memory.memory, applied->txn);
  } else if (const auto* loaded = get_if<BasicHistoryLoaded<Service>>(&event)) {
    memory.memory = historyOf<F>(loaded->history);
  } else if (holds_alternative<Ignored>(event)) {
    notification_.reset();
  } else if (const auto* looking = get_if<Looking>(&event)) {
    memory.round = looking->round;
  } else if (const auto* raised = get_if<RoundRaised>(&event)) {
    memory.round = raised->to;
    for (auto& [from, heard] : memory.heard) {
      heard.votes.clear();
      heard.state = Role::LOOKING;
    }
  } else if (holds_alternative<Decided>(event)) {
    hear(memory);
  } else if (const auto* role = get_if<RoleChanged>(&event)) {
    if (role->reason != RoleReason::placed) endRole(memory);
    memory.role = role->to;
    memory.phase = role->phase;
  } else if (const auto* phase = get_if<PhaseChanged>(&event)) {
    memory.phase = phase->phase;
  } else if (const auto* established = get_if<Established>(&event)) {
    facts_.established = true;
    facts_.given = placing_;
    facts_.by = server;
    shared().epochs.push_back({established->epoch, server, memory.memory});
    if (!memory.memory.empty()) claim(server, memory.memory.size() - 1, established->epoch, facts_.given);
  }
}

template <class F>
void BasicLedger<F>::onSent(const Happened<F>& seen) {
  const OwnMemory& book = own(seen.node);
  if (seen.link != learner_link || book.role != Role::LEADING || book.phase != Phase::broadcast) return;
  if (const auto* commit = get_if<Commit>(seen.content)) {
    commits_sent_.push_back(commit->zxid);
  } else if (const auto* inform = get_if<BasicInform<Service>>(seen.content)) {
    commits_sent_.push_back(inform->txn.zxid);
  }
}

template <class F>
void BasicLedger<F>::onShown(int server, const Showing& showing) {
  const OwnMemory& book = own(server);
  if (book.memory.empty()) return;
  facts_.shown = true;
  facts_.by = server;
  const auto position =
      showing.only ? find(book.memory, *showing.only) : std::optional(book.memory.size() - 1);
  if (position) claim(server, *position, book.current(), false);
}

template <class F>
void BasicLedger<F>::adoptImage(int server, const BasicDurable<Service>& image) {
  own(server).image = image;
  rereadDurable(server);
}

template <class F>
void BasicLedger<F>::rereadDurable(int server) {
  OwnMemory& memory = own(server);
  History found;
  Zxid newest;
  if (const auto& snapshot = memory.image.snapshot) {
    found = historyOf<F>(snapshot->history);
    newest = snapshot->last;
  }
  // The log's first file may begin before the snapshot.
  const auto& log = memory.image.log;
  auto at = std::find_if(log.begin(), log.end(), [&](const auto& txn) { return txn.zxid > newest; });
  for (; at != log.end(); ++at) extend<F>(found, *at);
  const History before = std::exchange(memory.durable, std::move(found));
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool kept = i < memory.durable.size() && memory.durable[i].chain == before[i].chain;
    if (!kept) noteLost(server, before[i]);
  }
  noteAllHeld(server);
}

template <class F>
void BasicLedger<F>::noteHeld(int server, std::size_t position) {
  const Entry& entry = own(server).durable[position];
  const auto& claims = shared().claims;
  if (position < claims.size() && claims[position].entry == entry) return;
  shared_.held[entry.chain][own(server).current()] |= std::uint64_t{1} << server;
}

/// It is no longer durable there: truncated, replaced by a snapshot, wiped.
template <class F>
void BasicLedger<F>::noteLost(int server, const Entry& entry) {
  const auto found = shared().held.find(entry.chain);
  if (found == shared_.held.end()) return;
  auto& by_epoch = found->second;
  for (auto& [epoch, servers] : by_epoch) servers &= ~(std::uint64_t{1} << server);
  std::erase_if(by_epoch, [](const auto& held) { return held.second == 0; });
  if (by_epoch.empty()) shared_.held.erase(found);
}

template <class F>
void BasicLedger<F>::noteAllHeld(int server) {
  for (std::size_t i = 0; i < own(server).durable.size(); ++i) noteHeld(server, i);
}

template <class F>
void BasicLedger<F>::claim(int server, std::size_t position, std::int64_t epoch, bool given) {
  const History& history = own(server).memory;
  auto& claims = shared().claims;
  facts_.by = server;
  const std::size_t known = std::min(claims.size(), position + 1);
  if (known > 0 && history[known - 1].chain != claims[known - 1].entry.chain) {
    facts_.conflict = true;
    facts_.conflict_at = known - 1;
    return;
  }
  if (claims.size() > position) return;
  if (facts_.claimed_from == facts_.claimed_to) facts_.claimed_from = claims.size();
  for (std::size_t i = claims.size(); i <= position; ++i) claims.push_back({history[i], epoch});
  facts_.claimed_to = claims.size();
  facts_.given = given;
}

}  // namespace zablab::zab
