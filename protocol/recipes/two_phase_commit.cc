#include "protocol/recipes/two_phase_commit.h"

#include <algorithm>
#include <utility>

#include "protocol/variant.h"

namespace zablab::recipes {
namespace {

constexpr std::string_view commits = "commit";
constexpr std::string_view aborts = "abort";

struct TransactionStep : WorkerStep<TransactionStep> {
  TwoPhaseCommit& me;

  TransactionStep(const Hands& with, TwoPhaseCommit& transaction)
      : WorkerStep{with, Recipe::two_phase_commit, transaction}, me(transaction) {}

  std::string decisionPath() const { return below("decision"); }
  void decide(std::string outcome) const {
    me.outcome = std::move(outcome);
    hands.emit(TransactionDecided{me.path, me.outcome == commits, me.members});
  }

  void instructed(const Instructed& instructed) const {
    const bool votes = instructed.act == Act::commit || instructed.act == Act::abort;
    if (!votes || me.coordinator || !me.vote.empty() || !me.outcome.empty()) return hands.emit(NotHeld{});
    me.vote = instructed.act == Act::commit ? commits : aborts;
    hands.emit(SiteVoted{me.path, instructed.act == Act::commit});
  }
  void work() const {
    if (!me.outcome.empty()) return;
    if (me.decided) return ask(Purpose::base, operation(OpCode::getData, decisionPath()));
    me.coordinator ? coordinate() : takePart();
  }

  // ---- a site

  std::string ownPath() const { return below("site-" + std::to_string(hands.nodeNumber(me.session))); }
  void takePart() const {
    const bool ephemeral = hands.rules.site_node == SiteNode::ephemeral;
    if (me.waits) return;
    if (me.exists) return ask(Purpose::catch_up, operation(OpCode::exists, ownPath(), true));
    if (me.node.empty()) return ask(Purpose::join, creation(ownPath(), ephemeral ? ephemeral_mode : 0));
    if (!me.vote.empty() && !me.voted) {
      Op op = operation(OpCode::setData, me.node);
      op.data = me.vote;
      return ask(Purpose::announce, std::move(op));
    }
    if (!me.watches) ask(Purpose::observe, operation(OpCode::exists, decisionPath(), true));
  }
  void answeredSite(const Answer& answer) const {
    const Error error = answer.result.error;
    if (answer.purpose == Purpose::join) {
      if (error == Error::NONODE) return createBase();
      error == Error::NODEEXISTS ? static_cast<void>(me.exists = true)
                                 : static_cast<void>(me.node = ownPath());
    } else if (answer.purpose == Purpose::catch_up) {
      me.exists = false;
      if (error != Error::OK) return;
      // A persistent node is its own, whichever session it had.
      const SessionId owner = answer.result.stat->ephemeral_owner;
      me.waits = owner != no_session && owner != me.session;
      if (!me.waits) me.node = ownPath();
    } else if (answer.purpose == Purpose::announce) {
      if (error != Error::OK) return me.node.clear();
      me.voted = true;
      // Without its vote there is no commit.
      if (me.vote == aborts) decide(std::string(aborts));
    } else if (answer.purpose == Purpose::observe) {
      (error == Error::OK ? me.decided : me.watches) = true;
    }
  }

  // ---- the coordinator

  void coordinate() const {
    if (std::ssize(me.sites) < me.members) {
      if (!me.watches) ask(Purpose::list, operation(OpCode::getChildren, me.path, true));
      return;
    }
    if (const std::string verdict = verdictOf(); !verdict.empty())
      return ask(Purpose::announce, creation(decisionPath(), 0, verdict));
    if (const SiteState* site = toRead()) ask(Purpose::observe, operation(OpCode::getData, site->node, true));
  }
  const SiteState* toRead() const {
    const auto site = std::find_if(me.sites.begin(), me.sites.end(),
                                   [](const SiteState& one) { return one.vote.empty() && !one.watched; });
    return site == me.sites.end() ? nullptr : &*site;
  }
  std::string verdictOf() const {
    const auto count = [&](std::string_view vote) {
      return std::count_if(me.sites.begin(), me.sites.end(),
                           [&](const SiteState& one) { return one.vote == vote; });
    };
    const bool all = hands.rules.twopc_decision == TwopcDecision::all_votes;
    if (all ? count(commits) == me.members : count(commits) * 2 > me.members) return std::string(commits);
    return std::string(count(aborts) > 0 && all ? aborts : "");
  }
  void answeredCoordinator(const Answer& answer) const {
    const Error error = answer.result.error;
    if (answer.purpose == Purpose::list) {
      if (error == Error::NONODE) return createBase();
      me.watches = true;
      counted(answer.result.children);
    } else if (answer.purpose == Purpose::observe) {
      // Another site may have to be read first by now.
      const auto site = std::find_if(me.sites.begin(), me.sites.end(),
                                     [&](const SiteState& one) { return one.node == answer.op.path; });
      if (site == me.sites.end()) return;
      // A site that is gone has not voted to commit.
      site->vote = error == Error::OK ? answer.result.data.value_or("") : std::string(aborts);
      site->watched = true;
    } else if (answer.purpose == Purpose::announce) {
      // Or another coordinator has decided.
      error == Error::OK ? decide(verdictOf()) : static_cast<void>(me.decided = true);
    }
  }
  void counted(std::vector<std::string> names) const {
    std::erase_if(names, [](const std::string& name) { return !name.starts_with("site-"); });
    if (std::ssize(names) < me.members) return;
    std::sort(names.begin(), names.end());
    names.resize(static_cast<std::size_t>(me.members));
    for (const std::string& name : names) me.sites.push_back({.node = below(name)});
  }

  void answered(const Answer& answer) const {
    if (answer.purpose == Purpose::base) {
      if (answer.result.error == Error::OK) return decide(answer.result.data.value_or(""));
      me.decided = false;
      return;
    }
    me.coordinator ? answeredCoordinator(answer) : answeredSite(answer);
  }
  void changed(const NodeEvent& event) const {
    if (event.path == decisionPath() && event.type == EventType::NodeCreated) me.decided = true;
    if (event.path == me.path) me.watches = false;
    if (event.path == ownPath() && event.type == EventType::NodeDeleted) me.waits = false;
    for (SiteState& site : me.sites) {
      if (site.node == event.path) site.watched = false;
    }
  }
  void unknown(Purpose) const {}
  void looksAgain() const {
    me.exists = me.exists || std::exchange(me.waits, false);
    me.watches = false;
    for (SiteState& site : me.sites) site.watched = false;
  }
  void sessionOver() const {
    me.node.clear();
    me.exists = me.waits = me.voted = false;
    looksAgain();
  }
};

}  // namespace

void step(const Hands& hands, TwoPhaseCommit& transaction, const Input& input) {
  const TransactionStep step(hands, transaction);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
