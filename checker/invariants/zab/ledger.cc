#include "checker/invariants/zab/ledger.h"

#include <algorithm>

#include "protocol/zab/log.h"
#include "protocol/zab/quorum.h"

namespace zablab::zab {
namespace {

std::uint64_t hashOf(const Txn& txn) {
  std::uint64_t hash = mix64(static_cast<std::uint64_t>(txn.zxid.value));
  hash = mix64(hash ^ static_cast<std::uint64_t>(txn.value));
  hash = mix64(hash ^ static_cast<std::uint64_t>(txn.client));
  return mix64(hash ^ (static_cast<std::uint64_t>(txn.number) << 2) ^ static_cast<std::uint64_t>(txn.kind));
}

std::uint64_t keyOf(std::uint64_t chain, std::int64_t epoch) {
  return mix64(chain ^ (static_cast<std::uint64_t>(epoch) * 0x9e3779b97f4a7c15ULL));
}

History historyOf(const std::vector<Txn>& txns) {
  History history;
  history.reserve(txns.size());
  for (const Txn& txn : txns) extend(history, txn);
  return history;
}

}  // namespace

void extend(History& history, const Txn& txn) {
  const std::uint64_t before = history.empty() ? 0 : history.back().chain;
  history.push_back({txn.zxid, mix64(before ^ hashOf(txn))});
}

std::optional<std::size_t> find(const History& history, Zxid zxid) {
  for (std::size_t i = history.size(); i > 0; --i) {
    if (history[i - 1].zxid == zxid) return i - 1;
  }
  return std::nullopt;
}

void Ledger::on(const Happened<Family>& seen) {
  facts_ = {};
  switch (seen.kind) {
    case Kind::started:
    case Kind::taken_up:
      if (seen.disk != nullptr) adoptImage(seen.node, *seen.disk);
      placing_ = seen.kind == Kind::taken_up && seen.disk != nullptr;
      return;
    case Kind::stopped:
      at(seen.node).memory.clear();
      at(seen.node).role = Role::LOOKING;
      at(seen.node).phase = Phase::election;
      at(seen.node).asked_epoch = 0;
      commits_sent_.clear();
      return;
    case Kind::wiped: return adoptImage(seen.node, {});
    case Kind::written:
      if (seen.blocking) onRecord(seen.node, *seen.record);
      return;
    case Kind::synced: return onRecord(seen.node, *seen.record);
    case Kind::event: return onEvent(seen.node, *seen.event);
    case Kind::sent: return onSent(seen);
    case Kind::delivered:
      if (const auto* info = std::get_if<LeaderInfo>(seen.content)) at(seen.node).asked_epoch = info->epoch;
      return;
    case Kind::step_over: {
      placing_ = false;
      // A leader sends COMMIT just before it applies what it commits.
      for (const Zxid zxid : std::exchange(commits_sent_, {})) {
        const auto position = find(at(seen.node).memory, zxid);
        if (position) {
          claim(seen.node, *position, at(seen.node).current(), false);
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

bool Ledger::isBacked(const Entry& entry) const {
  for (auto epoch = held_epochs_.rbegin(); epoch != held_epochs_.rend(); ++epoch) {
    const auto found = held_.find(keyOf(entry.chain, *epoch));
    if (found == held_.end()) continue;
    const auto [known, fresh] = quorums_.try_emplace(found->second, false);
    if (fresh) known->second = areQuorumTo(0, found->second);
    if (known->second) return true;
  }
  return false;
}

bool Ledger::areQuorumTo(int server, std::uint64_t set) const {
  return isQuorum(cluster_.configs[static_cast<std::size_t>(server)], Rules{}, idsOf(set));
}

std::vector<ServerId> Ledger::idsOf(std::uint64_t set) const {
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster_.ids.size(); ++i) {
    if ((set >> i) & 1) servers.push_back(cluster_.ids[i]);
  }
  return servers;
}

std::vector<ServerId> Ledger::holders(const Entry& entry) const {
  std::uint64_t all = 0;
  for (const std::int64_t epoch : held_epochs_) {
    const auto found = held_.find(keyOf(entry.chain, epoch));
    if (found != held_.end()) all |= found->second;
  }
  return idsOf(all);
}

void Ledger::onRecord(int server, const Record& record) {
  Book& book = at(server);
  Family::write(book.image, record);
  if (const auto* txn = std::get_if<WriteTxn>(&record)) {
    // What an older snapshot covers is not read again.
    const bool shadowed = book.image.snapshot && txn->txn.zxid <= book.image.snapshot->last;
    if (shadowed) return;
    extend(book.durable, txn->txn);
    noteHeld(server, book.durable.back());
  } else if (std::holds_alternative<WriteCurrentEpoch>(record)) {
    noteAllHeld(server);
  } else if (!std::holds_alternative<WriteAcceptedEpoch>(record)) {
    rereadDurable(server);
  }
}

void Ledger::onEvent(int server, const Event& event) {
  Book& book = at(server);
  if (const auto* applied = std::get_if<Applied>(&event)) {
    extend(book.memory, applied->txn);
  } else if (const auto* loaded = std::get_if<HistoryLoaded>(&event)) {
    book.memory = historyOf(loaded->history);
  } else if (const auto* role = std::get_if<RoleChanged>(&event)) {
    book.role = role->to;
    book.phase = role->phase;
  } else if (const auto* phase = std::get_if<PhaseChanged>(&event)) {
    book.phase = phase->phase;
  } else if (const auto* established = std::get_if<Established>(&event)) {
    facts_.established = true;
    facts_.given = placing_;
    facts_.by = server;
    epochs_.push_back({established->epoch, server, book.memory});
    if (!book.memory.empty()) claim(server, book.memory.size() - 1, established->epoch, facts_.given);
  }
}

void Ledger::onSent(const Happened<Family>& seen) {
  Book& book = at(seen.node);
  if (seen.link == learner_link && book.role == Role::LEADING && book.phase == Phase::broadcast) {
    if (const auto* commit = std::get_if<Commit>(seen.content)) {
      commits_sent_.push_back(commit->zxid);
    } else if (const auto* inform = std::get_if<Inform>(seen.content)) {
      commits_sent_.push_back(inform->txn.zxid);
    }
  } else if (seen.link == client_link) {
    const auto* answer = std::get_if<Answer>(seen.content);
    if (answer == nullptr || book.memory.empty()) return;
    facts_.shown = true;
    facts_.by = seen.node;
    const bool reads = answer->operation == Operation::read || answer->operation == Operation::sync;
    const auto position = reads ? std::optional(book.memory.size() - 1) : find(book.memory, answer->zxid);
    if (position) claim(seen.node, *position, book.current(), false);
  }
}

void Ledger::adoptImage(int server, const Durable& image) {
  at(server).image = image;
  rereadDurable(server);
}

void Ledger::rereadDurable(int server) {
  Book& book = at(server);
  Node node;
  node.files = book.image;
  readHistory(Config{}, node);
  book.durable = historyOf(node.history);
  noteAllHeld(server);
}

void Ledger::noteHeld(int server, const Entry& entry) {
  const std::int64_t epoch = at(server).current();
  if (std::find(held_epochs_.begin(), held_epochs_.end(), epoch) == held_epochs_.end()) {
    held_epochs_.push_back(epoch);
  }
  held_[keyOf(entry.chain, epoch)] |= std::uint64_t{1} << server;
}

void Ledger::noteAllHeld(int server) {
  for (const Entry& entry : at(server).durable) noteHeld(server, entry);
}

void Ledger::claim(int server, std::size_t position, std::int64_t epoch, bool given) {
  const History& history = at(server).memory;
  facts_.by = server;
  const std::size_t known = std::min(claims_.size(), position + 1);
  if (known > 0 && history[known - 1].chain != claims_[known - 1].entry.chain) {
    facts_.conflict = true;
    facts_.conflict_at = known - 1;
    return;
  }
  if (claims_.size() > position) return;
  if (facts_.claimed_from == facts_.claimed_to) facts_.claimed_from = claims_.size();
  for (std::size_t i = claims_.size(); i <= position; ++i) claims_.push_back({history[i], epoch});
  facts_.claimed_to = claims_.size();
  facts_.given = given;
}

}  // namespace zablab::zab
