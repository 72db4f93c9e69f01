// The invariants of the recipes that clients run.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/zab/recovery_monitor.h"
#include "checker/zookeeper/ledger.h"
#include "checker/zookeeper/recipe_terms.h"

namespace zablab::zookeeper {
namespace {

using recipes::BeliefChanged;
using zab::words;

class RecipeMonitor : public zab::BasicRecoveryMonitor<Family> {
 public:
  using BasicRecoveryMonitor::BasicRecoveryMonitor;

 protected:
  /// Whether no committed transaction has ended it.
  bool isOpen(SessionId session) const {
    const auto& claims = shared().claims;
    return std::none_of(claims.begin(), claims.end(), [&](const Claim& claim) {
      const Payload& payload = claim.entry.txn.payload;
      return payload.kind == TxnKind::close_session && payload.session == session;
    });
  }
  /// The children of a node in the committed history up to this zxid that satisfy `wanted(owner)`.
  template <class Wanted>
  std::set<std::string> children(const std::string& parent, Zxid up_to, Wanted&& wanted) const {
    std::set<std::string> names;
    for (const Claim& claim : shared().claims) {
      if (claim.entry.zxid() > up_to) break;
      const Payload& payload = claim.entry.txn.payload;
      for (const Change& change : payload.changes) {
        if (model::above(change.path) != parent) continue;
        if (change.kind == ChangeKind::create && wanted(payload.session)) names.insert(change.path);
        if (change.kind == ChangeKind::remove) names.erase(change.path);
      }
    }
    return names;
  }
  /// The transaction that has created this node, in the committed history up to this zxid.
  Zxid createdBy(const std::string& path, Zxid up_to) const {
    Zxid czxid;
    for (const Claim& claim : shared().claims) {
      if (claim.entry.zxid() > up_to) break;
      for (const Change& change : claim.entry.txn.payload.changes) {
        if (change.kind == ChangeKind::create && change.path == path) czxid = claim.entry.zxid();
      }
    }
    return czxid;
  }
  /// The nodes of a line in the order of their creation, in the committed history up to this zxid.
  std::vector<std::string> lineOf(const std::string& parent, Zxid up_to) const {
    std::vector<std::string> line;
    for (const Claim& claim : shared().claims) {
      if (claim.entry.zxid() > up_to) break;
      for (const Change& change : claim.entry.txn.payload.changes) {
        if (model::above(change.path) != parent || !placeNumber(change.path)) continue;
        if (change.kind == ChangeKind::create) line.push_back(change.path);
        if (change.kind == ChangeKind::remove) std::erase(line, change.path);
      }
    }
    return line;
  }
};

class OneHolder : public RecipeMonitor {
 public:
  explicit OneHolder(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "one-holder",
        "no more clients than a recipe lets in believe that they lead or hold it while their sessions are "
        "open: one, the leases of a semaphore, or readers alone"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* belief = get_if<BeliefChanged>(seen.event);
    if (belief == nullptr || !belief->holds) return;
    const bool open = isOpen(belief->session);
    ServerId other = no_server;
    std::int64_t count = 1;
    std::int64_t limit = belief->limit;  // the smallest of those that limit it
    for (const auto& [id, believer] : shared().service.believers[belief->path]) {
      if (id == ledger_.id(seen.node) || !open || !isOpen(believer.session)) continue;
      other = id;
      ++count;
      if (believer.limit > 0)
        limit = limit > 0 ? std::min<std::int64_t>(limit, believer.limit) : believer.limit;
    }
    check(limit == 0 || count <= limit, [&] {
      const Phrase self = client(seen.node);
      return limit > 1 ? phrase("{client} holds {path} in session {session}, and so does {other}, and others",
                                self, belief->path, belief->session, Phrase::client(other))
                       : phrase("{client} holds {path} in session {session}, and so does {other}", self,
                                belief->path, belief->session, Phrase::client(other));
    });
  }
};

class FirstInLine : public RecipeMonitor {
 public:
  explicit FirstInLine(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {
        "first-in-line",
        "who begins to lead or to hold has its turn in the state that it has seen: its node is there, and "
        "no more nodes before it than a recipe lets in"};
  }
  void on(const Happened<Family>& seen) override {
    const auto& part = own(seen.node).service.part;
    const auto* belief = get_if<BeliefChanged>(seen.event);
    if (belief == nullptr || !belief->holds || !part || !goesInTurn(part->recipe)) return;
    const std::vector<std::string> line = lineOf(belief->path, part->seen);
    const auto place = std::find(line.begin(), line.end(), belief->place);
    const bool there = place != line.end();
    // What no committed transaction has created is in another store, of servers that have lost their disks:
    // its lines are not those of the committed history.
    if (!there && !belief->place.empty() && createdBy(belief->place, Zxid{INT64_MAX}) == Zxid{}) return;
    const bool reads = belief->limit == 0;
    std::int64_t before = 0;
    std::string first;
    for (auto node = line.begin(); node != place; ++node) {
      if (reads && !isWritersPlace(model::lastName(*node))) continue;
      ++before;
      first = *node;
    }
    check(there && before < std::max<std::int64_t>(belief->limit, 1), [&] {
      const Phrase self = client(seen.node);
      if (belief->place.empty()) return phrase("{client} holds {path} without a node", self, belief->path);
      return there ? phrase("{client} holds {path} with {node}, and {first} is before it", self, belief->path,
                            belief->place, first)
                   : phrase("{client} holds {path} with {node}, which is not in the line", self, belief->path,
                            belief->place);
    });
  }
};

class OnePlace : public RecipeMonitor {
 public:
  explicit OnePlace(Ledger& ledger) : RecipeMonitor(ledger, zab::claim_kinds) {}
  InvariantInfo info() const override { return {"one-place", "a session has one node in a line at a time"}; }
  void on(const Happened<Family>&) override {
    if (ledger_.facts().given) return;
    forNewClaims([&](std::size_t, const Claim& claim) {
      const Payload& payload = claim.entry.txn.payload;
      for (const Change& change : payload.changes) {
        if (change.kind != ChangeKind::create || change.node_kind != NodeKind::ephemeral) continue;
        const std::string parent(model::above(change.path));
        if (!shared().service.lines.contains(parent)) continue;
        std::set<std::string> others =
            children(parent, claim.entry.zxid(), [&](SessionId owner) { return owner == payload.session; });
        others.erase(change.path);
        check(others.empty(), [&] {
          return phrase("session {session} has {node} in the line, and creates {other}", payload.session,
                        *others.begin(), change.path);
        });
      }
    });
  }
};

class NoHerd : public RecipeMonitor {
 public:
  explicit NoHerd(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"no-herd",
            "no contender is notified twice that a node of its line is gone; where contenders watch their "
            "predecessors one is notified, and in a shared lock nobody who still waits for a node behind it"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* watched = get_if<Watched>(seen.event);
    const auto& part = own(seen.node).service.part;
    if (watched == nullptr || !part) return;
    if (!electsLeader(part->recipe) && !goesInTurn(part->recipe)) return;
    if (watched->event.type == EventType::NodeChildrenChanged && watched->event.path == part->path)
      return judgeList(seen.node, *part);
    if (watched->event.type != EventType::NodeDeleted || watched->event.path == part->node) return;
    judgeTwice(seen.node, watched->event.path, *part);
    if (part->watching != watched->event.path || part->node.empty()) return;
    // Whoever is out of the line without knowing it may still watch.
    const std::vector<std::string> line = lineOf(part->path, Zxid{INT64_MAX});
    const auto place = std::find(line.begin(), line.end(), part->node);
    if (place == line.end()) return;
    using enum recipes::Recipe;
    if (part->recipe == predecessor_watch_election || part->recipe == leader_latch || part->recipe == lock)
      judgeAlone(seen.node, watched->event.path);
    if (part->recipe == shared_lock)
      judgeShared(seen.node, watched->event.path, {line.begin(), place},
                  !isWritersPlace(model::lastName(*place)));
  }

 private:
  /// Whoever watches the list as well is notified again.
  void judgeTwice(int node, const std::string& gone, const Part& part) {
    const std::string parent(model::above(gone));
    if (gone != part.path && parent != (part.path == "/" ? "" : part.path)) return;
    const auto [from, to] = own(node).service.watches.equal_range(parent.empty() ? "/" : parent);
    const bool twice = std::any_of(from, to, [](const auto& watch) { return watch.second.child; });
    check(!twice, [&] {
      return phrase("{client} is notified that {node} is gone, and watches the list in which it was",
                    client(node), gone);
    });
  }
  /// Whoever watches a node of the list as well would be notified twice if this goes.
  void judgeList(int node, const Part& part) {
    const auto& watches = own(node).service.watches;
    const std::string prefix = part.path + "/";
    auto other = watches.lower_bound(prefix);
    while (other != watches.end() && other->first == part.node) ++other;
    check(other == watches.end() || !other->first.starts_with(prefix), [&] {
      return phrase("{client} watches the list of {path}, and {node} as well", client(node), part.path,
                    other->first);
    });
  }
  void judgeAlone(int node, const std::string& gone) {
    const ServerId self = ledger_.id(node);
    const auto first = shared().service.notified.try_emplace(gone, self).first;
    check(first->second == self, [&] {
      return phrase("{client} and {other} are notified that {node} is gone", client(node),
                    Phrase::client(first->second), gone);
    });
  }
  /// `before`: the nodes before its own, none of which was created since it has set its watch.
  void judgeShared(int node, const std::string& gone, const std::vector<std::string>& before, bool reads) {
    const auto behind = std::find_if(before.begin(), before.end(), [&](const std::string& one) {
      return placeNumber(one) > placeNumber(gone) && !(reads && !isWritersPlace(model::lastName(one)));
    });
    check(behind == before.end(), [&] {
      return phrase("{client} is notified that {node} is gone, and still waits for {other}", client(node),
                    gone, *behind);
    });
  }
};

class BeliefEnds : public RecipeMonitor {
 public:
  explicit BeliefEnds(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::step_over)) {}
  InvariantInfo info() const override {
    return {"belief-ends",
            "a client that learns that its session is over does not believe that it leads or holds"};
  }
  void on(const Happened<Family>& seen) override {
    if (!ledger_.facts().service.session_over) return;
    const auto& part = own(seen.node).service.part;
    const auto& all = shared().service.believers;
    const auto believers = all.find(part->path);
    check(believers == all.end() || !believers->second.contains(ledger_.id(seen.node)), [&] {
      return phrase("{client} has learned that its session is over, and still holds {path}",
                    client(seen.node), part->path);
    });
  }
};

class FencingTokens : public RecipeMonitor {
 public:
  explicit FencingTokens(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"fencing", "a resource serves nobody who comes with a lower number than it has served"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* served = get_if<Served>(seen.event);
    if (served == nullptr || !served->accepted) return;
    std::int64_t& last = own(seen.node).service.served;
    check(served->token >= last, [&] {
      return phrase("{resource} serves {client} with the number {number}, and has served {last}",
                    client(seen.node), Phrase::client(served->client), served->token, last);
    });
    last = std::max(last, served->token);
  }
};

class BarrierWhole : public RecipeMonitor {
 public:
  explicit BarrierWhole(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"barrier-whole",
            "nobody enters a double barrier before all members of its round have come, and nobody leaves it "
            "while another is there"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* passed = get_if<recipes::BarrierPassed>(seen.event);
    if (passed == nullptr) return;
    passed->inside ? judgeEntry(seen.node, *passed) : judgeExit(seen.node, *passed);
  }

 private:
  /// What a client has seen of a barrier.
  struct Round {
    bool ready = false;
    std::set<std::string> came;         ///< since `ready` was deleted last
    std::set<std::string> there;        ///< the members' nodes
    std::set<std::string> left_behind;  ///< those of them that were there when `ready` was deleted last
  };
  Round roundOf(int node, const std::string& path) {
    Round round;
    const Zxid seen = own(node).service.part->seen;
    for (const Claim& claim : shared().claims) {
      if (claim.entry.zxid() > seen) break;
      for (const Change& change : claim.entry.txn.payload.changes) {
        if (model::above(change.path) == path) note(round, change);
      }
    }
    return round;
  }
  static void note(Round& round, const Change& change) {
    const bool created = change.kind == ChangeKind::create;
    if (!created && change.kind != ChangeKind::remove) return;
    if (model::lastName(change.path) == "ready") {
      round.ready = created;
      if (created) return;
      round.came.clear();
      round.left_behind = round.there;
    } else if (created) {
      round.came.insert(change.path);
      round.there.insert(change.path);
    } else {
      round.there.erase(change.path);
      round.left_behind.erase(change.path);
    }
  }
  void judgeEntry(int node, const recipes::BarrierPassed& passed) {
    const std::size_t came = roundOf(node, passed.path).came.size();
    check(static_cast<std::int64_t>(came) >= passed.members, [&] {
      return phrase("{client} enters {path} when {count} of {members} have come", client(node), passed.path,
                    came, passed.members);
    });
  }
  /// Without `ready`, whoever has come since it was deleted is of the next round.
  void judgeExit(int node, const recipes::BarrierPassed& passed) {
    const Round round = roundOf(node, passed.path);
    const std::set<std::string>& inside = round.ready ? round.there : round.left_behind;
    check(inside.empty(), [&] {
      return phrase("{client} leaves {path}, and {node} is still there", client(node), passed.path,
                    *inside.begin());
    });
  }
};

class BarrierOpen : public RecipeMonitor {
 public:
  explicit BarrierOpen(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"barrier-open", "nobody passes a barrier whose node is there in the state that it has seen"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* passed = get_if<recipes::BarrierPassed>(seen.event);
    const auto& part = own(seen.node).service.part;
    if (passed == nullptr || part->recipe != recipes::Recipe::barrier) return;
    const std::set<std::string> there =
        children(std::string(model::above(passed->path)), part->seen, [](SessionId) { return true; });
    check(!there.contains(passed->path),
          [&] { return phrase("{client} passes {path}, which is there", client(seen.node), passed->path); });
  }
};

class TakenOnce : public RecipeMonitor {
 public:
  explicit TakenOnce(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"taken-once", "an item is not taken again while the session is open in which it was taken"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* taken = get_if<recipes::ItemTaken>(seen.event);
    // Whoever has lost its session may not know it yet.
    if (taken == nullptr || !isOpen(taken->session)) return;
    const Zxid czxid = createdBy(taken->item, own(seen.node).service.part->seen);
    const auto [before, first] = shared().service.taken[taken->item].try_emplace(czxid, taken->session);
    const SessionId other = std::exchange(before->second, taken->session);
    check(first || !isOpen(other), [&] {
      return phrase("{client} takes {item}, which was taken in session {session}", client(seen.node),
                    taken->item, other);
    });
  }
};

class ItemProcessed : public RecipeMonitor {
 public:
  explicit ItemProcessed(Ledger& ledger) : RecipeMonitor(ledger, zab::claim_kinds) {}
  InvariantInfo info() const override {
    return {"item-processed", "no item of a protected queue is deleted before a consumer has taken it"};
  }
  void on(const Happened<Family>&) override {
    if (ledger_.facts().given) return;
    forNewClaims([&](std::size_t, const Claim& claim) {
      for (const Change& change : claim.entry.txn.payload.changes) {
        const auto& service = shared().service;
        if (change.kind != ChangeKind::remove || !placeNumber(change.path) ||
            !service.protected_queues.contains(std::string(model::above(change.path))))
          continue;
        const auto taken = service.taken.find(change.path);
        const bool was = taken != service.taken.end() &&
                         taken->second.contains(createdBy(change.path, claim.entry.zxid()));
        check(was, [&] { return phrase("{item} is deleted, and nobody has taken it", change.path); });
      }
    });
  }
};

class TransactionAgrees : public RecipeMonitor {
 public:
  explicit TransactionAgrees(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"transaction-agrees", "all who know how a transaction ends know the same"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* decided = get_if<recipes::TransactionDecided>(seen.event);
    if (decided == nullptr) return;
    std::optional<bool>& outcome = shared().service.transactions[decided->path].outcome;
    check(outcome.value_or(decided->commit) == decided->commit, [&] {
      const Phrase self = client(seen.node);
      return decided->commit
                 ? phrase("to {client} {path} is committed, to another it is aborted", self, decided->path)
                 : phrase("to {client} {path} is aborted, to another it is committed", self, decided->path);
    });
    outcome = decided->commit;
  }
};

class TransactionVotes : public RecipeMonitor {
 public:
  explicit TransactionVotes(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"transaction-votes", "a transaction is committed only if all its sites have voted to commit"};
  }
  void on(const Happened<Family>& seen) override {
    const ServerId self = ledger_.id(seen.node);
    if (const auto* voted = get_if<recipes::SiteVoted>(seen.event)) {
      shared().service.transactions[voted->path].sites[self] = voted->commit;
      return;
    }
    const auto* decided = get_if<recipes::TransactionDecided>(seen.event);
    if (decided == nullptr || !decided->commit) return;
    const auto& sites = shared().service.transactions[decided->path].sites;
    const auto votes =
        std::count_if(sites.begin(), sites.end(), [](const auto& site) { return site.second; });
    check(votes >= decided->members, [&] {
      return phrase("to {client} {path} is committed with {count} of {members} votes", client(seen.node),
                    decided->path, votes, decided->members);
    });
  }
};

class ConfigWhole : public RecipeMonitor {
 public:
  explicit ConfigWhole(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"config-whole",
            "an application works with parts of a configuration that were written equally often"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* configured = get_if<recipes::Configured>(seen.event);
    if (configured == nullptr) return;
    const auto& versions = configured->versions;
    const bool whole =
        std::adjacent_find(versions.begin(), versions.end(), std::not_equal_to<>()) == versions.end();
    check(whole, [&] {
      return phrase("{client} works with the versions {versions} of the parts of {path}", client(seen.node),
                    listOf(versions, [](std::int32_t version) { return Phrase(version); }), configured->path);
    });
  }
};

class GroupKnown : public RecipeMonitor {
 public:
  explicit GroupKnown(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override {
    return {"group-view", "what a client knows of a group are the members in the state that it has seen"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* known = get_if<recipes::MembersSeen>(seen.event);
    if (known == nullptr) return;
    std::set<std::string> paths;
    for (const std::string& member : known->members) paths.insert(known->path + "/" + member);
    const std::set<std::string> there =
        children(known->path, own(seen.node).service.part->seen, [](SessionId) { return true; });
    check(paths == there, [&] {
      return phrase("{client} knows {count} members of {path}, and there are {total}, or others",
                    client(seen.node), paths.size(), known->path, there.size());
    });
  }
};

class NameOnce : public RecipeMonitor {
 public:
  explicit NameOnce(Ledger& ledger) : RecipeMonitor(ledger, kindBits(Kind::event)) {}
  InvariantInfo info() const override { return {"name-once", "no name is given twice"}; }
  void on(const Happened<Family>& seen) override {
    const auto* given = get_if<recipes::NameGiven>(seen.event);
    if (given == nullptr) return;
    check(shared().service.names.insert(given->given).second, [&] {
      return phrase("{client} is given {path}, as another was", client(seen.node), given->given);
    });
  }
};

}  // namespace
}  // namespace zablab::zookeeper

namespace zablab {

void zab::ServiceBook<zookeeper::Family>::addRecipes(
    zookeeper::Ledger& ledger, std::vector<std::unique_ptr<Monitor<zookeeper::Family>>>& monitors) {
  using namespace zookeeper;
  monitors.push_back(std::make_unique<OneHolder>(ledger));
  monitors.push_back(std::make_unique<FirstInLine>(ledger));
  monitors.push_back(std::make_unique<OnePlace>(ledger));
  monitors.push_back(std::make_unique<NoHerd>(ledger));
  monitors.push_back(std::make_unique<BeliefEnds>(ledger));
  monitors.push_back(std::make_unique<FencingTokens>(ledger));
  monitors.push_back(std::make_unique<BarrierWhole>(ledger));
  monitors.push_back(std::make_unique<BarrierOpen>(ledger));
  monitors.push_back(std::make_unique<TakenOnce>(ledger));
  monitors.push_back(std::make_unique<ItemProcessed>(ledger));
  monitors.push_back(std::make_unique<TransactionAgrees>(ledger));
  monitors.push_back(std::make_unique<TransactionVotes>(ledger));
  monitors.push_back(std::make_unique<ConfigWhole>(ledger));
  monitors.push_back(std::make_unique<GroupKnown>(ledger));
  monitors.push_back(std::make_unique<NameOnce>(ledger));
}

}  // namespace zablab
