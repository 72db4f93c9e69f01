// The graph of the states that a model's bounds allow, in words, for models that are small enough to be
// drawn. It is walked breadth first with the moves of a search, and ends after the level at which a search
// would: it has the same states and transitions. A search itself keeps nothing for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/check/check.h"
#include "checker/check/worker.h"
#include "sim/json_reflect.h"
#include "sim/setup.h"
#include "sim/state_graph.h"
#include "sim/trace.h"

namespace zablab {

class GraphWalk : private AnyListener {
 public:
  using Part = InternedStore::Part;

  /// `invariants`: their names, by bit.
  GraphWalk(const AnyCluster& cluster, const FamilyCheck& check, const Limits& limits, SearchOptions options,
            const WorldValue<Any>& start, std::vector<Sought> sought, Names names,
            const std::vector<InvariantInfo>& invariants)
      : cluster_(cluster),
        options_(plain(std::move(options))),
        shared_(cluster, check, limits, options_, start, std::move(sought)),
        worker_(shared_),
        names_(std::move(names)),
        invariants_(invariants),
        header_(cluster.family->header()),
        environment_(cluster),
        before_(cluster),
        after_(cluster),
        world_(cluster, after_, environment_) {
    environment_.listener = this;
  }

  /// Empty if there are more than `graph_states_max` states. A limit of time, or an interrupt, ends it.
  std::optional<StateGraph> walk() {
    if (options_.clock) began_ = options_.clock();
    worker_.putStart();
    numberOf(worker_.store.tuple(), 0);
    std::size_t begin = 0;
    while (begin < tuples_.size() && !stopped_) {
      const std::size_t end = tuples_.size();
      for (; begin < end && !isOver(); ++begin) {
        if (!expand(begin)) return std::nullopt;
      }
      if (options_.states_max > 0 && tuples_.size() >= options_.states_max) break;
    }
    graph_.exhausted = begin == tuples_.size() && !stopped_;
    return std::move(graph_);
  }

  /// The actions of the graph that a path found by a search consists of.
  std::vector<std::uint64_t> pathAlong(const StateGraph& graph, const std::vector<Action<Any>>& way) const {
    std::vector<std::uint64_t> path;
    std::uint64_t at = 0;
    for (std::size_t next = 0; next < way.size();) {
      std::size_t i = 0;
      while (i < done_.size() && !(graph.actions[i].from == at && continues(way, next, done_[i]))) ++i;
      if (i == done_.size()) return {};
      path.push_back(i);
      at = graph.actions[i].to;
      next += done_[i].size();
    }
    return path;
  }

 private:
  bool isOver() {
    const bool interrupted = options_.interrupted != nullptr && *options_.interrupted;
    const bool late = options_.clock && options_.milliseconds_max > 0 &&
                      options_.clock() - began_ > options_.milliseconds_max;
    stopped_ = stopped_ || interrupted || late;
    return interrupted || late;
  }
  static SearchOptions plain(SearchOptions options) {
    options.exact = options.project = false;
    options.scratch.clear();
    return options;
  }
  static bool continues(const std::vector<Action<Any>>& way, std::size_t next,
                        const std::vector<Action<Any>>& done) {
    return next + done.size() <= way.size() &&
           std::equal(done.begin(), done.end(), way.begin() + static_cast<std::ptrdiff_t>(next));
  }

  /// The number of the state in the store; it may be new.
  std::uint64_t numberOf(const Part* tuple, std::uint64_t depth) {
    std::vector<Part> values(tuple, tuple + worker_.layout.size);
    const auto [found, fresh] = numbers_.try_emplace(values, tuples_.size());
    if (!fresh) return found->second;
    tuples_.push_back(std::move(values));
    graph_.states.push_back(stateOf(worker_.store.value(), depth));
    for (const auto& looking : shared_.sought) {
      if (looking->sought.never && looking->matches(tuple, shared_.tables)) stopped_ = true;
    }
    return found->second;
  }

  /// False: there are too many states.
  bool expand(std::size_t number) {
    const std::vector<Part> tuple = tuples_[number];
    const std::uint64_t depth = graph_.states[number].depth + 1;
    auto& store = worker_.store;
    auto& followers = worker_.followers;
    store.load(tuple.data());
    before_.setValue(store.value());
    worker_.listMoves();
    const std::size_t whole = followers.size();
    for (std::size_t k = 0; k < followers.size(); ++k) {
      store.load(tuple.data());
      std::vector<NumberedAction> numbered;
      InvariantMask violated = 0;
      if (!worker_.perform(tuple.data(), followers[k], violated, &numbered)) {
        ++graph_.pruned;
        continue;
      }
      if (k < whole) worker_.listEnds(store.spentIn(tuple.data()), k);
      violated &= options_.invariants;
      std::vector<Action<Any>> done;
      for (const NumberedAction& action : numbered) done.push_back(shared_.tables.valueOf(action));
      GraphAction action{number, numberOf(store.tuple(), depth), wordsOf(done), effectsOf(done), {}};
      for (std::size_t i = 0; i < invariants_.size(); ++i) {
        if ((violated >> i) & 1) action.violates.emplace_back(invariants_[i].name);
      }
      if (violated != 0) stopped_ = true;
      graph_.actions.push_back(std::move(action));
      done_.push_back(std::move(done));
      if (tuples_.size() > graph_states_max) return false;
    }
    return true;
  }

  // ---- words

  const AnyFamily& family() const { return *cluster_.family; }
  std::string name(int i) const { return names_(cluster_.ids[static_cast<std::size_t>(i)]); }

  GraphState stateOf(const WorldValue<Any>& value, std::uint64_t depth) const {
    GraphState state{depth, {}, {}};
    for (std::size_t i = 0; i < value.servers.size(); ++i) {
      if (!cluster_.scripted[i]) state.nodes.push_back(name(static_cast<int>(i)) + wordsOf(value.servers[i]));
    }
    const std::size_t n = value.servers.size();
    for (std::size_t i = 0; i < value.channels.size(); ++i) {
      const auto& channel = value.channels[i];
      const auto add = [&](const Value& message, const char* how) {
        state.messages.push_back(family().label(names_, message).english() + " from " +
                                 name(static_cast<int>(i / n % n)) + " to " + name(static_cast<int>(i % n)) +
                                 how);
      };
      for (const auto& item : channel.wire) {
        if (item) add(*item, "");
      }
      for (const auto& message : channel.late) add(message, ", late");
      if (channel.unsent) add(*channel.unsent, ", waiting for a connection");
    }
    return state;
  }

  /// What follows the node's name.
  std::string wordsOf(const Server<Any>& server) const {
    if (!server.up) return " is down";
    const Json node = toJson(server.node);
    std::string text = server.paused ? ": paused" : "";
    const auto add = [&](const std::string& words) { text += (text.empty() ? ": " : ", ") + words; };
    if (node.contains("role") && node.at("role").is_string()) add(node.at("role").get<std::string>());
    for (const Fact& fact : factsOf(header_, node)) {
      add(fact.name + " " +
          (fact.of_node             ? names_(fact.value.get<ServerId>())
           : fact.value.is_string() ? fact.value.get<std::string>()
                                    : onOneLine(fact.value)));
    }
    return text;
  }

  std::string link(const Action<Any>& action) const {
    return std::string(family().links()[action.link].name);
  }
  /// What the action brings, in the state before it.
  std::string contentOf(const Action<Any>& action) const {
    const auto& channel = before_.channel(action.link, action.a, action.b);
    if (action.kind == ActionKind::deliver_late)
      return family().label(names_, channel.late.front()).english();
    const bool ahead = action.kind == ActionKind::overtake;
    const auto& item = channel.wire[ahead ? channel.nextConnection() : action.position];
    return item ? family().label(names_, *item).english() : "the end of the connection";
  }
  static std::string dying(const CrashPoint& dies) {
    if (dies.write == 0) return "";
    const char* when = dies.at == AtWrite::before ? ", before write "
                       : dies.at == AtWrite::half ? ", in write "
                                                  : ", after write ";
    return std::string(dies.power_loss ? ", and loses power" : ", and is killed") + when +
           std::to_string(dies.write);
  }

  std::string wordsOf(const std::vector<Action<Any>>& done) const {
    const Action<Any>& action = done.front();
    if (action.kind == ActionKind::cut && done.size() == 1)
      return "what " + name(action.a) + " sends does not reach " + name(action.b) + " any more";
    return wordsOfKind(action) + dying(action.dies);
  }
  std::string wordsOfKind(const Action<Any>& action) const {
    const std::string a = action.a < 0 ? "" : name(action.a);
    const std::string b = action.b < 0 ? "" : name(action.b);
    const char* const in_flight = action.in_flight ? "" : ", and what was in flight is lost";
    switch (action.kind) {
      case ActionKind::deliver: return b + " reads " + contentOf(action) + " from " + a;
      case ActionKind::overtake:
        return b + " reads " + contentOf(action) + " from the next connection of " + a;
      case ActionKind::deliver_late: return b + " reads " + contentOf(action) + " from " + a + ", late";
      case ActionKind::dial: return a + " connects to " + b + " (" + link(action) + ")";
      case ActionKind::give_up: return a + " gives up its dial of " + b + " (" + link(action) + ")";
      case ActionKind::fire: return a + "'s timer " + family().timerName(action.timer.kind) + " fires";
      case ActionKind::sync: return a + "'s oldest write becomes durable";
      case ActionKind::fail_write: return a + "'s oldest write fails";
      case ActionKind::start: return a + " starts";
      case ActionKind::stop: return a + " is stopped";
      case ActionKind::kill: return a + " is killed" + in_flight;
      case ActionKind::lose_power:
        return a + " loses power" +
               (action.unsynced > 0 ? ", keeps " + std::to_string(action.unsynced) + " unsynced" : "");
      case ActionKind::pause: return a + " is paused";
      case ActionKind::resume: return a + " resumes";
      case ActionKind::wipe: return "the disk of " + a + " is emptied";
      case ActionKind::cut: return a + " and " + b + " are cut off from each other";
      case ActionKind::heal: return a + " and " + b + " reach each other again";
      case ActionKind::disrupt: return "the connection of " + a + " and " + b + " breaks" + in_flight;
      case ActionKind::drop: return contentOf(action) + " from " + a + " to " + b + " is lost";
      case ActionKind::duplicate: return contentOf(action) + " from " + a + " to " + b + " is duplicated";
      case ActionKind::ask:
        return family()
            .tellRequest(names_, cluster_.ids[static_cast<std::size_t>(action.a)], action.request)
            .english();
      case ActionKind::own: return std::string(actionName(family(), action.kind)) + " (" + a + ", " + b + ")";
      case ActionKind::tell_durable: return a + " learns that what it asked about is durable";
      case ActionKind::tell_age:
        return a + " learns an age: " + (action.age ? std::to_string(*action.age) + " ms" : "never marked");
    }
    return "";
  }

  /// What the nodes do, as a run tells it: the actions again, with what each step reports.
  std::vector<std::string> effectsOf(const std::vector<Action<Any>>& done) {
    effects_.clear();
    after_.setValue(before_.value());
    for (const Action<Any>& action : done) {
      environment_.node = subjectOf(action);
      world_.apply(action);
    }
    return effects_;
  }
  void on(const AnyHappened& happened) override {
    if (happened.kind != Kind::event) return;
    std::string text =
        family()
            .tellEvent(names_, cluster_.ids[static_cast<std::size_t>(happened.node)], *happened.event)
            .english();
    if (!text.empty()) effects_.push_back(std::move(text));
  }

  const AnyCluster& cluster_;
  const SearchOptions options_;
  Shared shared_;
  Worker worker_;
  const Names names_;
  const std::vector<InvariantInfo>& invariants_;
  const Json header_;
  WatchEnvironment environment_;
  DirectStore<Any> before_;  ///< the state that is expanded
  DirectStore<Any> after_;
  World<DirectStore<Any>, WatchEnvironment> world_;
  std::vector<std::string> effects_;

  std::vector<std::vector<Part>> tuples_;  ///< by the state's number
  std::map<std::vector<Part>, std::uint64_t> numbers_;
  std::vector<std::vector<Action<Any>>> done_;  ///< by the action's number
  StateGraph graph_;
  std::uint64_t began_ = 0;
  bool stopped_ = false;  ///< something is violated, a state was met that must not be, or a limit
};

}  // namespace zablab
