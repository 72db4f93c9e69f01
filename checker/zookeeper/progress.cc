#include "checker/zookeeper/progress.h"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

#include "checker/zookeeper/model.h"
#include "checker/zookeeper/recipe_terms.h"
#include "protocol/variant.h"

namespace zablab::zookeeper {
namespace {

enum : std::size_t { leads, passes, taken, ends, arrives, takes_part };

/// The names of a node's children.
std::vector<std::string> childrenOf(const Tree& tree, const std::string& path) {
  const std::string prefix = path + "/";
  std::vector<std::string> names;
  for (auto at = tree.nodes.lower_bound(prefix); at != tree.nodes.end() && at->first.starts_with(prefix);
       ++at) {
    if (at->first.find('/', prefix.size()) == std::string::npos)
      names.push_back(at->first.substr(prefix.size()));
  }
  return names;
}

/// A path that is in `those` and not in `held`.
const std::pair<const std::string, ServerId>* missing(const std::map<std::string, ServerId>& those,
                                                      const std::set<std::string>& held) {
  const auto found =
      std::find_if(those.begin(), those.end(), [&](const auto& one) { return !held.contains(one.first); });
  return found == those.end() ? nullptr : &*found;
}

bool waitsForTurn(const recipes::Holder& holder) {
  return holder.connected && !holder.holds && !holder.leaving && !holder.closing && !holder.gave_up;
}

bool takesNoPart(const recipes::Holder& holder, bool has_place) {
  return holder.connected && holder.wanted && !holder.closing && (holder.gave_up || !has_place);
}
bool takesNoPart(const recipes::Contender& contender) {
  return takesNoPart(contender, contender.stage != recipes::Stage::outside);
}
bool takesNoPart(const recipes::UnfairElection& election) {
  return takesNoPart(election, election.stage != recipes::Attempt::outside);
}

/// Whether the client that a site's node is named after has a session: without one, it cannot vote.
bool canVote(const Tree& tree, const recipes::SiteState& site) {
  const std::string_view name = model::lastName(site.node);
  ServerId client = no_server;
  std::from_chars(name.data() + name.find('-') + 1, name.data() + name.size(), client);
  return std::any_of(tree.sessions.begin(), tree.sessions.end(), [client](const auto& session) {
    return (session.first - client) % session_ids_apart == 0;
  });
}

bool goesOn(const recipes::Worker& worker) { return worker.connected && !worker.closing && !worker.ended; }

}  // namespace

struct Progress::Visit {
  Progress& self;
  ServerId client;
  const Tree* tree;

  Phrase who() const { return Phrase::client(client); }
  /// `describe()`: how it fails, in words.
  template <class Describe>
  void judge(std::size_t which, bool fails, Describe&& describe) const {
    self.judged_.set(which);
    if (fails) self.violations_[which] = describe();
  }

  template <class R>
  requires std::is_base_of_v<recipes::Holder, R>
  void see(const R& recipe) const {
    const recipes::Holder& holder = recipe;
    if (holder.holds) self.held_.insert(holder.path);
    if (tree == nullptr) return;
    if (waitsForTurn(holder)) self.waiting_.emplace(holder.path, client);
    if (holder.connected && holder.wanted && !holder.closing)
      judge(takes_part, takesNoPart(recipe), [&] {
        return phrase("{client} was instructed to take part in {path}, and takes none", who(), holder.path);
      });
  }
  void see(const recipes::DoubleBarrier& barrier) const {
    if (barrier.inside && !barrier.leaving) self.inside_.insert(barrier.path);
    if (tree != nullptr && barrier.inside && barrier.leaving) self.leaving_.emplace(barrier.path, client);
  }
  void see(const recipes::Barrier& barrier) const {
    if (tree != nullptr && goesOn(barrier) && barrier.waits)
      judge(passes, tree->find(barrier.path) == nullptr,
            [&] { return phrase("{client} waits at {path}, which is gone", who(), barrier.path); });
  }
  void see(const recipes::QueueClient& queue) const {
    if (tree == nullptr || !goesOn(queue) || queue.wanted == 0) return;
    const std::vector<std::string> items = childrenOf(*tree, queue.path);
    const bool free = std::any_of(items.begin(), items.end(), [&](const std::string& item) {
      return placeNumber(item) && tree->find(queue.path + "/" + item + "/taken") == nullptr;
    });
    judge(taken, free, [&] {
      return phrase("{client} waits for an item of {path}, where there is one that nobody has locked", who(),
                    queue.path);
    });
  }
  void see(const recipes::TwoPhaseCommit& transaction) const {
    if (tree == nullptr || !goesOn(transaction) || !transaction.outcome.empty()) return;
    const bool decided = tree->find(transaction.path + "/decision") != nullptr;
    const auto& sites = transaction.sites;
    const bool can_decide =
        !sites.empty() && std::all_of(sites.begin(), sites.end(), [&](const recipes::SiteState& site) {
          const ZNode* node = tree->find(site.node);
          return node == nullptr || !node->data.value_or("").empty() || !canVote(*tree, site);
        });
    judge(ends, decided || can_decide, [&] {
      return decided ? phrase("{client} waits for the decision of {path}, which is there", who(),
                              transaction.path)
                     : phrase("{client} waits for the decision of {path}, which can be made", who(),
                              transaction.path);
    });
  }
  void see(const recipes::Configuration& configuration) const {
    if (tree == nullptr || !goesOn(configuration)) return;
    bool differs = configuration.versions.empty();
    for (std::size_t i = 0; i < configuration.versions.size(); ++i) {
      const ZNode* part =
          tree->find(configuration.parts > 1 ? configuration.path + "/part-" + std::to_string(i + 1)
                                             : configuration.path);
      differs = differs || part == nullptr || part->version != configuration.versions[i];
    }
    judge(arrives, differs, [&] {
      return phrase("{client} does not know the configuration {path} as it is", who(), configuration.path);
    });
  }
  void see(const recipes::Group& group) const {
    if (tree == nullptr || !goesOn(group) || !group.lists) return;
    judge(arrives, childrenOf(*tree, group.path) != group.members, [&] {
      return phrase("{client} does not know the members of {path} as they are", who(), group.path);
    });
  }
  /// Of others nothing is known.
  void see(const recipes::Worker&) const {}
};

bool Progress::waits(const Node& client) {
  if (!client.client || !client.client->program) return false;
  return visit(
      [](const auto& recipe) {
        using R = std::remove_cvref_t<decltype(recipe)>;
        if constexpr (std::is_base_of_v<recipes::Holder, R>)
          return waitsForTurn(recipe) || takesNoPart(recipe);
        if constexpr (std::is_same_v<R, recipes::DoubleBarrier>) return recipe.leaving;
        if constexpr (std::is_same_v<R, recipes::Barrier>) return recipe.waits;
        if constexpr (std::is_base_of_v<recipes::QueueClient, R>) return recipe.wanted > 0;
        if constexpr (std::is_same_v<R, recipes::TwoPhaseCommit>) return recipe.outcome.empty();
        return std::is_same_v<R, recipes::Configuration> || std::is_base_of_v<recipes::Group, R>;
      },
      *client.client->program);
}

void Progress::add(const Node& client, const Tree* tree) {
  if (!client.client || !client.client->program) return;
  if (client.client->state != ClientState::CONNECTED) tree = nullptr;
  visit([&](const auto& recipe) { Visit{*this, client.self, tree}.see(recipe); }, *client.client->program);
}

Progress::Which Progress::judged() const {
  Which judged = judged_;
  if (!waiting_.empty()) judged.set(leads);
  if (!leaving_.empty()) judged.set(passes);
  return judged;
}

Progress::Which Progress::violated() const {
  Which violated;
  for (std::size_t which = 0; which < violations_.size(); ++which)
    violated.set(which, !violations_[which].empty());
  if (missing(waiting_, held_) != nullptr) violated.set(leads);
  if (missing(leaving_, inside_) != nullptr) violated.set(passes);
  return violated;
}

Phrase Progress::violation(std::size_t which) const {
  if (const auto* waits = which == leads ? missing(waiting_, held_) : nullptr)
    return phrase("{client} waits for its turn in {path}, where nobody leads or holds",
                  Phrase::client(waits->second), waits->first);
  if (const auto* waits = which == passes ? missing(leaving_, inside_) : nullptr)
    return phrase("{client} waits to leave {path}, where nobody is who stays", Phrase::client(waits->second),
                  waits->first);
  return violations_[which];
}

}  // namespace zablab::zookeeper
