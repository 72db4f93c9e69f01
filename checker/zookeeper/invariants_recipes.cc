// The invariants of the recipes that clients run.
#include <algorithm>
#include <set>
#include <string>

#include "checker/zab/recovery_monitor.h"
#include "checker/zookeeper/ledger.h"
#include "protocol/recipes/line.h"
#include "protocol/zookeeper/paths.h"

namespace zablab::zookeeper {
namespace {

using recipes::BeliefChanged;
using zab::words;

class RecipeMonitor : public zab::BasicRecoveryMonitor<Family> {
 public:
  using BasicRecoveryMonitor::BasicRecoveryMonitor;

 protected:
  std::string client(int index) const { return "client " + std::to_string(ledger_.id(index)); }
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
        if (parentOf(change.path) != (parent == "/" ? "" : parent)) continue;
        if (change.kind == ChangeKind::create && wanted(payload.session)) names.insert(change.path);
        if (change.kind == ChangeKind::remove) names.erase(change.path);
      }
    }
    return names;
  }
};

class OneHolder : public RecipeMonitor {
 public:
  explicit OneHolder(Ledger& ledger) : RecipeMonitor(ledger, zab::kindsOf(Kind::event)) {}
  InvariantInfo info() const override {
    return {"one-holder", "no two clients believe that they are the one while the sessions of both are open"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* belief = std::get_if<BeliefChanged>(seen.event);
    if (belief == nullptr || !belief->holds) return;
    const auto& believers = shared().service.believers[belief->path];
    const bool open = isOpen(belief->session);
    const auto other = std::find_if(believers.begin(), believers.end(), [&](const auto& one) {
      return one.first != ledger_.id(seen.node) && open && isOpen(one.second);
    });
    check(other == believers.end(), [&] {
      return client(seen.node) + " leads at " + belief->path + " in session " +
             std::to_string(belief->session) + ", and client " + std::to_string(other->first) +
             " does in session " + std::to_string(other->second);
    });
  }
};

class FirstInLine : public RecipeMonitor {
 public:
  explicit FirstInLine(Ledger& ledger) : RecipeMonitor(ledger, zab::kindsOf(Kind::event)) {}
  InvariantInfo info() const override {
    return {"first-in-line",
            "who begins to lead in a fair election has the lowest number in the state that it has seen"};
  }
  void on(const Happened<Family>& seen) override {
    const auto& part = own(seen.node).service.part;
    const auto* belief = std::get_if<BeliefChanged>(seen.event);
    if (belief == nullptr || !belief->holds || !part || part->recipe == recipes::Recipe::unfair_election)
      return;
    const std::set<std::string> line = children(belief->path, part->seen, [](SessionId) { return true; });
    const auto first = std::min_element(line.begin(), line.end(), [](const auto& a, const auto& b) {
      return recipes::numberOf(a) < recipes::numberOf(b);
    });
    check(first != line.end() && *first == belief->place, [&] {
      return client(seen.node) + " leads with " + (belief->place.empty() ? "no node" : belief->place) +
             ", and " + (line.empty() ? "nobody is in the line" : *first + " is the first of the line");
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
        const std::string parent(parentOf(change.path));
        if (!shared().service.lines.contains(parent)) continue;
        std::set<std::string> others =
            children(parent, claim.entry.zxid(), [&](SessionId owner) { return owner == payload.session; });
        others.erase(change.path);
        check(others.empty(), [&] {
          return "session " + std::to_string(payload.session) + " has " + *others.begin() +
                 " in the line, and creates " + change.path;
        });
      }
    });
  }
};

class NoHerd : public RecipeMonitor {
 public:
  explicit NoHerd(Ledger& ledger) : RecipeMonitor(ledger, zab::kindsOf(Kind::event)) {}
  InvariantInfo info() const override {
    return {"no-herd", "where contenders watch their predecessors, a node that goes notifies one of them"};
  }
  void on(const Happened<Family>& seen) override {
    const auto* watched = std::get_if<Watched>(seen.event);
    const auto& part = own(seen.node).service.part;
    if (watched == nullptr || watched->event.type != EventType::NodeDeleted || !part) return;
    if (part->recipe != recipes::Recipe::predecessor_watch_election) return;
    if (part->watching != watched->event.path || part->node.empty() || part->watching == part->node) return;
    // Whoever is out of the line without knowing it may still watch.
    if (!children(part->path, Zxid{INT64_MAX}, [](SessionId) { return true; }).contains(part->node)) return;
    const ServerId self = ledger_.id(seen.node);
    const auto first = shared().service.notified.try_emplace(watched->event.path, self).first;
    check(first->second == self, [&] {
      return client(seen.node) + " and client " + std::to_string(first->second) + " are notified that " +
             watched->event.path + " is gone";
    });
  }
};

class BeliefEnds : public RecipeMonitor {
 public:
  explicit BeliefEnds(Ledger& ledger) : RecipeMonitor(ledger, zab::kindsOf(Kind::step_over)) {}
  InvariantInfo info() const override {
    return {"belief-ends", "a client that learns that its session is over does not believe that it leads"};
  }
  void on(const Happened<Family>& seen) override {
    if (!ledger_.facts().service.session_over) return;
    const auto& part = own(seen.node).service.part;
    const auto& all = shared().service.believers;
    const auto believers = all.find(part->path);
    check(believers == all.end() || !believers->second.contains(ledger_.id(seen.node)), [&] {
      return client(seen.node) + " has learned that its session is over, and goes on to lead at " +
             part->path;
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
}

}  // namespace zablab
