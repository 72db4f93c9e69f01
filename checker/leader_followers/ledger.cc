#include "checker/leader_followers/ledger.h"

#include <algorithm>

namespace zablab::leader_followers {
namespace {

/// What the disk has after it; not by the nodes' own code, which is judged with them.
void perform(Durable& disk, const Record& record) {
  if (const auto* vote = get_if<WriteVote>(&record)) {
    disk.generation = vote->generation;
    disk.voted_for = vote->voted_for;
  } else if (const auto* entry = get_if<WriteEntry>(&record)) {
    disk.log.push_back(entry->entry);
  } else if (const auto* cut = get_if<Truncate>(&record)) {
    disk.log.resize(std::min(disk.log.size(), static_cast<std::size_t>(cut->index)));
  }
}

}  // namespace

void Ledger::on(const Happened<Family>& seen) {
  settle();
  switch (seen.kind) {
    case Kind::started:
    case Kind::taken_up: {
      if (seen.disk == nullptr) return;
      OwnMemory& memory = own(seen.node);
      memory = {*seen.disk, seen.disk->log, seen.disk->generation, std::nullopt};
      return;
    }
    case Kind::stopped: {
      OwnMemory& memory = own(seen.node);
      // Only the disk remains of a process that has ended. Unsynced writes that are durable nevertheless
      // follow as `synced`.
      memory.leader.reset();
      memory.generation = 0;
      memory.log.clear();
      reads_older_append_ = false;
      return;
    }
    case Kind::wiped:
      own(seen.node) = {};
      if (!isClient(seen.node)) shared().durable[static_cast<std::size_t>(seen.node)].clear();
      return;
    case Kind::written: {
      OwnMemory& memory = own(seen.node);
      if (const auto* vote = get_if<WriteVote>(seen.record)) memory.generation = vote->generation;
      if (const auto* entry = get_if<WriteEntry>(seen.record)) memory.log.push_back(entry->entry);
      if (const auto* cut = get_if<Truncate>(seen.record))
        memory.log.resize(static_cast<std::size_t>(cut->index));
      if (seen.blocking) onDurable(seen.node, *seen.record);
      return;
    }
    case Kind::synced: return onDurable(seen.node, *seen.record);
    case Kind::event: return onEvent(seen.node, *seen.event);
    case Kind::delivered: {
      const auto* append = get_if<Append>(seen.content);
      reads_older_append_ = append != nullptr && append->generation < own(seen.node).generation;
      return;
    }
    case Kind::asked:
      if (isClient(seen.node) && seen.request->operation == Operation::read)
        shared().asked[id(seen.node)] = shared_.shown;
      return;
    case Kind::step_over:
      reads_older_append_ = false;
      granted_.reset();
      return;
    default: return;
  }
}

void Ledger::begin(int server, const Durable& disk) {
  own(server) = {.image = disk, .log = {}, .generation = 0, .leader = std::nullopt};
  if (!isClient(server)) shared().durable[static_cast<std::size_t>(server)] = disk.log;
}

void Ledger::begin(int server, const Node& state) {
  OwnMemory& memory = own(server);
  memory.log = state.log;
  memory.generation = state.generation;
  memory.leader = state.leader;
  if (state.role == Role::LEADING) shared().leaders[state.generation] = state.self;
  // What a server has applied was committed, at the latest by its own leader.
  auto& committed = shared().committed;
  for (auto i = committed.size(); i < static_cast<std::size_t>(state.commit_index); ++i)
    committed.push_back({state.log[i], state.generation});
}

bool Ledger::isBacked(std::size_t place, const Entry& entry) {
  const auto& logs = shared().durable;
  const auto holders = std::count_if(
      logs.begin(), logs.end(), [&](const Log& log) { return place < log.size() && log[place] == entry; });
  return static_cast<std::size_t>(holders) > cluster_.configs[0].members.size() / 2;
}

void Ledger::onDurable(int server, const Record& record) {
  if (isClient(server)) return;  // which has no disk
  OwnMemory& memory = own(server);
  facts_.generation_before = memory.image.generation;
  perform(memory.image, record);
  if (holds_alternative<WriteVote>(record)) return;
  facts_.log_changed = true;
  shared().durable[static_cast<std::size_t>(server)] = memory.image.log;
}

void Ledger::onEvent(int server, const Event& event) {
  OwnMemory& memory = own(server);
  if (const auto* answered = get_if<Answered>(&event)) return onAnswered(server, *answered);
  if (const auto* vote = get_if<VoteDecided>(&event); vote != nullptr && vote->granted && !vote->pre)
    granted_ = {vote->candidate, vote->generation};
  if (const auto* role = get_if<RoleChanged>(&event)) {
    memory.generation = role->generation;
    memory.leader = role->leader;
    if (role->to != Role::LEADING) return;
    facts_.elected = true;
    const ServerId self = id(server);
    const ServerId first = shared().leaders.emplace(role->generation, self).first->second;
    if (first != self) facts_.led_before = first;
  } else if (const auto* committed = get_if<Committed>(&event)) {
    auto& claims = shared().committed;
    const auto end = std::min(static_cast<std::size_t>(committed->up_to.index), memory.log.size());
    for (std::size_t i = 0; i < std::min(end, claims.size()); ++i) {
      if (!(claims[i].entry == memory.log[i]) && !facts_.conflict) facts_.conflict = i;
    }
    if (facts_.conflict) return;
    facts_.claimed_from = std::min(claims.size(), end);
    facts_.claimed_to = end;
    for (std::size_t i = claims.size(); i < end; ++i) claims.push_back({memory.log[i], memory.generation});
  }
}

void Ledger::onAnswered(int client, const Answered& answered) {
  auto& memory = shared();
  if (answered.operation == Operation::read) {
    const auto asked = memory.asked.find(id(client));
    if (asked != memory.asked.end()) {
      if (answered.outcome == Outcome::ok) facts_.read_floor = asked->second;
      memory.asked.erase(asked);
    }
  }
  if (answered.outcome == Outcome::ok) memory.shown = std::max(memory.shown, answered.index);
}

}  // namespace zablab::leader_followers
