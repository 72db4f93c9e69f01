#include "checker/check/moves.h"

namespace zablab {

Moves::Moves(Tables& tables, const Limits& limits, const SearchWorld& world, const InternedStore& store)
    : tables_(tables),
      limits_(limits),
      world_(world),
      store_(store),
      cluster_(tables.cluster()),
      guards_(tables.check().guards()) {
  const FamilyCheck& check = tables.check();
  const auto numberOf = [&](const Value& request) { return RequestNumber{tables.requests.number(request)}; };
  for (const auto& [client, request] : limits.asks) asks_.emplace_back(client, numberOf(request));
  if (guards_.budgeted) {
    const std::uint32_t most = limits.of(Budget::writes) + limits.of(Budget::reads);
    for (std::uint32_t n = 1; n <= most; ++n) {
      writes_.push_back(numberOf(check.write(n)));
      reads_.push_back(numberOf(check.read(n)));
    }
  }
  if (guards_.turns && limits.of(Budget::turns) > 0) {
    for (int i = 0; i < cluster_.serverCount(); ++i)
      turns_.push_back(numberOf(check.turn(cluster_.ids[static_cast<std::size_t>(i)])));
  }
}

void Moves::listAll(Spent spent) {
  const std::size_t before = moves_->size();
  listMessages();
  listTimers({}, [this](int i, const Timer& timer) { return mayFire(i, timer, ruleOf(timer)); });
  const bool rest = moves_->size() == before;  // nothing can happen, except own steps and what waits for it
  if (rest) listTimers({}, [this](int, const Timer& timer) { return ruleOf(timer) == Fires::quiescent; });
  listOwnSteps();  // possible own steps do not prevent rest: they may be taken later
  if (isLeft(spent, Budget::timeouts)) {
    listTimers(Budget::timeouts, [this, rest](int i, const Timer& timer) {
      const Fires when = ruleOf(timer);
      const bool for_nothing = mayFire(i, timer, when) || (when == Fires::quiescent && rest);
      return when != Fires::never && when != Fires::lost_quorum && !for_nothing;
    });
  }
  listFaults(spent);
  listRequests(spent);
}

bool Moves::isAwaited() const {
  for (int i = 0; i < store_.size(); ++i) {
    if (store_.awaits(i)) return true;
  }
  return false;
}

void Moves::listAnswers(Spent spent, std::vector<Move>& moves) {
  moves_ = &moves;
  int i = 0;
  while (!store_.awaits(i)) ++i;
  if (isLeft(spent, Budget::crashes) && i < cluster_.serverCount()) {
    for (const Ends how : limits_.ends) listEnds(i, how);
  }
  if (store_.awaitsDurable(i)) return add({.kind = ActionKind::tell_durable, .a = i});
  const auto& asked = store_.server(i).awaited.ages.front();
  if (!asked.marked) return add({.kind = ActionKind::tell_age, .a = i});
  for (const Millis age : tables_.check().agesOf(cluster_, i, asked.key))
    add({.kind = ActionKind::tell_age, .a = i, .age = age});
}

std::optional<NumberedAction> Moves::consequence() const {
  for (Link link = 0; link < cluster_.links.size(); ++link) {
    if (const auto dial = dialAtOnce(link)) return dial;
  }
  return std::nullopt;
}

// ---- messages, connections and disks

void Moves::listMessages() {
  const int n = store_.size();
  for (Link link = 0; link < cluster_.links.size(); ++link) {
    if (((limits_.links >> link) & 1) == 0) continue;
    if (cluster_.links[link] == LinkKind::datagram) {
      listDatagrams(link, ActionKind::deliver, {});
      continue;
    }
    const bool dials = store_.holdsAny(Relation::dialling, link) && dialsAreMoves();
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (world_.canDeliver(link, from, to))
          add({.kind = ActionKind::deliver, .link = link, .a = from, .b = to});
        if (world_.canDeliverLate(link, from, to))
          add({.kind = ActionKind::deliver_late, .link = link, .a = from, .b = to});
        if (!dials || !world_.isDialling(link, from, to) || !runs(from)) continue;
        if (!reachEachOther(from, to)) {
          add({.kind = ActionKind::give_up, .link = link, .a = from, .b = to});
        } else if (!dialWaits(link, to)) {
          add({.kind = ActionKind::dial, .link = link, .a = from, .b = to});
        }
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    if (runs(i) && store_.hasUnsynced(i)) add({.kind = ActionKind::sync, .a = i});
  }
}

/// One of each group of equal messages in the same direction: the order of the wire puts them next to each
/// other. Those that a node sends to itself are neither lost nor duplicated.
void Moves::listDatagrams(Link link, ActionKind kind, std::optional<Budget> spends) {
  for (int from = 0; from < store_.size(); ++from) {
    for (int to = 0; to < store_.size(); ++to) {
      if (store_.isEmpty(link, from, to)) continue;
      if (kind == ActionKind::deliver ? !world_.canDeliver(link, from, to) : from == to) continue;
      const auto& wire = store_.channel(link, from, to).wire;
      for (std::size_t position = 0; position < wire.size(); ++position) {
        if (position > 0 && wire[position] == wire[position - 1]) continue;
        moves_->push_back({{.kind = kind,
                            .link = link,
                            .a = from,
                            .b = to,
                            .position = static_cast<std::uint32_t>(position)},
                           spends});
      }
    }
  }
}

/// The next dial of a slot link that succeeds without a separate move, if any.
std::optional<NumberedAction> Moves::dialAtOnce(Link link) const {
  if (!limits_.slots_connect_at_once || !isSlot(cluster_.links[link]) ||
      !store_.holdsAny(Relation::dialling, link))
    return std::nullopt;
  const int n = store_.size();
  for (int from = 0; from < n; ++from) {
    for (int to = 0; to < n; ++to) {
      if (world_.isDialling(link, from, to) && runs(from) && runs(to) && reachEachOther(from, to))
        return NumberedAction{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
    }
  }
  return std::nullopt;
}

// ---- timers

template <class Which>
void Moves::listTimers(std::optional<Budget> spends, Which&& which) {
  for (int i = 0; i < store_.size(); ++i) {
    if (!runs(i)) continue;
    store_.forEachTimer(i, [&](const Timer& timer) {
      if (which(i, timer)) moves_->push_back({{.kind = ActionKind::fire, .a = i, .timer = timer}, spends});
    });
  }
}

bool Moves::mayFire(int i, const Timer& timer, Fires when) const {
  switch (when) {
    case Fires::free: return true;
    case Fires::peer_unreachable:
      return isGone(i, tables_.check().peerOf(cluster_, store_.says(i), tables_.valueOf(timer)));
    case Fires::no_pending_votes:
    case Fires::lost_quorum: return ownRule(i, when);
    case Fires::never:
    case Fires::budgeted:
    case Fires::quiescent: return false;
  }
  return false;
}

bool Moves::isGone(int i, int peer) const {
  if (peer < 0) return false;
  if (runs(peer) && reachEachOther(i, peer)) return false;
  for (Link link = 0; link < cluster_.links.size(); ++link) {
    if (world_.canDeliver(link, peer, i)) return false;
  }
  return true;
}

// ---- faults

void Moves::listFaults(Spent spent) {
  const int n = cluster_.serverCount();
  const auto left = [&](Budget budget) { return isLeft(spent, budget); };
  for (int i = 0; i < n; ++i) {
    if (cluster_.scripted[static_cast<std::size_t>(i)]) continue;
    if (!store_.isUp(i)) {
      if (left(Budget::restarts)) add({.kind = ActionKind::start, .a = i}, Budget::restarts);
      if (left(Budget::wipes)) add({.kind = ActionKind::wipe, .a = i}, Budget::wipes);
    } else if (left(Budget::crashes)) {
      for (const Ends how : limits_.ends) listEnds(i, how);
    }
    if (store_.isUp(i) && store_.isPaused(i)) {
      add({.kind = ActionKind::resume, .a = i});
    } else if (left(Budget::pauses) && runs(i)) {
      add({.kind = ActionKind::pause, .a = i}, Budget::pauses);
    }
    if (left(Budget::disk_errors) && runs(i) && store_.hasUnsynced(i))
      add({.kind = ActionKind::fail_write, .a = i}, Budget::disk_errors);
  }
  if (left(Budget::overtakes)) listOvertakes();
  if (left(Budget::breaks)) listBreaks();
  for (const auto& [budget, kind] :
       {std::pair{Budget::drops, ActionKind::drop}, {Budget::duplicates, ActionKind::duplicate}}) {
    if (!left(budget)) continue;
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      if (cluster_.links[link] == LinkKind::datagram) listDatagrams(link, kind, budget);
    }
  }
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (!reachEachOther(a, b)) {
        add({.kind = ActionKind::heal, .a = a, .b = b});
        continue;
      }
      if (left(Budget::partitions)) add({.kind = ActionKind::cut, .a = a, .b = b}, Budget::partitions);
      if (!left(Budget::one_way_cuts)) continue;
      add({.kind = ActionKind::cut, .a = a, .b = b}, Budget::one_way_cuts);
      add({.kind = ActionKind::cut, .a = b, .b = a}, Budget::one_way_cuts);
    }
  }
}

void Moves::listEnds(int i, Ends how) {
  const bool power = how == Ends::power_loss || how == Ends::partial_power_loss;
  NumberedAction action{
      .kind = power ? ActionKind::lose_power : ActionKind::kill, .a = i, .in_flight = how == Ends::kill};
  if (how != Ends::partial_power_loss) return add(action, Budget::crashes);
  for (action.unsynced = 1; action.unsynced <= store_.unsynced(i); ++action.unsynced)
    add(action, Budget::crashes);
}

void Moves::listBreaks() {
  for (Link link = 0; link < cluster_.links.size(); ++link) {
    if (((limits_.links >> link) & 1) == 0 || cluster_.links[link] != LinkKind::tcp) continue;
    for (int a = 0; a < store_.size(); ++a) {
      for (int b = a + 1; b < store_.size(); ++b) {
        if (!world_.isOpen(link, a, b)) continue;
        for (const bool in_flight : {true, false})
          add({.kind = ActionKind::disrupt, .link = link, .a = a, .b = b, .in_flight = in_flight},
              Budget::breaks);
      }
    }
  }
}

void Moves::listOvertakes() {
  for (Link link = 0; link < cluster_.links.size(); ++link) {
    for (int from = 0; from < store_.size(); ++from) {
      for (int to = 0; to < store_.size(); ++to) {
        if (world_.canOvertake(link, from, to))
          add({.kind = ActionKind::overtake, .link = link, .a = from, .b = to}, Budget::overtakes);
      }
    }
  }
}

// ---- requests

void Moves::listRequests(Spent spent) {
  if (!asks_.empty()) {
    if (limits_.asks_order == AskOrder::one_by_one) {
      listNextOfAll(spent);
    } else {
      listNextOfEach(spent);
    }
  } else if (guards_.budgeted) {
    listBudgeted(spent);
  }
  if (guards_.turns && isLeft(spent, Budget::turns)) listTurns();
}

/// The next request of the model's list, once no client waits for an answer.
void Moves::listNextOfAll(Spent spent) {
  if (!isLeft(spent, Budget::asked)) return;
  for (int i = cluster_.serverCount(); i < store_.size(); ++i) {
    if (!says(i, guards_.idle)) return;
  }
  const auto& [client, request] = asks_[spent.of(Budget::asked)];
  add({.kind = ActionKind::ask, .a = client, .request = request}, Budget::asked);
}

/// The next request of each client that waits for nothing.
void Moves::listNextOfEach(Spent spent) {
  const int servers = cluster_.serverCount();
  for (int i = servers; i < store_.size(); ++i) {
    if (!says(i, guards_.idle)) continue;
    std::uint32_t before = spent.askedOf(i - servers);
    for (const auto& [client, request] : asks_) {
      if (client != i || before-- > 0) continue;
      add({.kind = ActionKind::ask, .a = i, .request = request}, Budget::asked);
      break;
    }
  }
}

/// Clients make requests, one at a time. If there are no clients, requests are made to servers that take
/// writes.
void Moves::listBudgeted(Spent spent) {
  const int servers = cluster_.serverCount();
  const std::uint32_t made = spent.of(Budget::writes) + spent.of(Budget::reads);
  const bool write = isLeft(spent, Budget::writes);
  for (int i = store_.size() == servers && write ? 0 : servers; i < store_.size(); ++i) {
    if (!runs(i)) continue;
    if (write && says(i, guards_.takes_writes))
      add({.kind = ActionKind::ask, .a = i, .request = writes_[made]}, Budget::writes);
    if (isLeft(spent, Budget::reads) && says(i, guards_.idle))
      add({.kind = ActionKind::ask, .a = i, .request = reads_[made]}, Budget::reads);
  }
}

/// A client turns to another server, at any time.
void Moves::listTurns() {
  const int servers = cluster_.serverCount();
  for (int i = servers; i < store_.size(); ++i) {
    if (!runs(i)) continue;
    const int leader = tables_.check().leaderOf(cluster_, store_.says(i));
    for (int to = 0; to < servers; ++to) {
      if (to != leader)
        add({.kind = ActionKind::ask, .a = i, .request = turns_[static_cast<std::size_t>(to)]},
            Budget::turns);
    }
  }
}

}  // namespace zablab
