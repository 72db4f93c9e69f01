#include "checker/zookeeper/progress.h"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <variant>

#include "protocol/recipes/line.h"
#include "protocol/zookeeper/paths.h"

namespace zablab::zookeeper {
namespace {

enum : std::size_t { leads, passes, taken, ends, arrives };

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

bool includesAll(const std::set<std::string>& those, const std::set<std::string>& each) {
  return std::includes(those.begin(), those.end(), each.begin(), each.end());
}

bool waitsForTurn(const recipes::Holder& holder) {
  return holder.connected && !holder.holds && !holder.leaving && !holder.closing && !holder.gave_up;
}

/// A site's node is named after its session: without it, it cannot vote any more.
SessionId sessionOf(const recipes::SiteState& site) {
  const std::string_view name = nameOf(site.node);
  SessionId session = no_session;
  std::from_chars(name.data() + name.find('-') + 1, name.data() + name.size(), session);
  return session;
}

bool goesOn(const recipes::Worker& worker) { return worker.connected && !worker.closing && !worker.ended; }

}  // namespace

struct Progress::Visit {
  Progress& self;
  const Tree* tree;

  void judge(std::size_t which, bool fails) const {
    self.judged_.set(which);
    if (fails) self.violated_.set(which);
  }

  void see(const recipes::Holder& holder) const {
    if (holder.holds) self.held_.insert(holder.path);
    if (tree != nullptr && waitsForTurn(holder)) self.waiting_.insert(holder.path);
  }
  void see(const recipes::DoubleBarrier& barrier) const {
    if (barrier.inside && !barrier.leaving) self.inside_.insert(barrier.path);
    if (tree != nullptr && barrier.inside && barrier.leaving) self.leaving_.insert(barrier.path);
  }
  void see(const recipes::Barrier& barrier) const {
    if (tree != nullptr && goesOn(barrier) && barrier.waits)
      judge(passes, tree->find(barrier.path) == nullptr);
  }
  void see(const recipes::QueueClient& queue) const {
    if (tree == nullptr || !goesOn(queue) || queue.wanted == 0) return;
    const std::vector<std::string> items = recipes::inOrder(childrenOf(*tree, queue.path));
    judge(taken, std::any_of(items.begin(), items.end(), [&](const std::string& item) {
            return tree->find(queue.path + "/" + item + "/taken") == nullptr;
          }));
  }
  void see(const recipes::TwoPhaseCommit& transaction) const {
    if (tree == nullptr || !goesOn(transaction) || !transaction.outcome.empty()) return;
    const bool decided = tree->find(transaction.path + "/decision") != nullptr;
    const auto& sites = transaction.sites;
    const bool can_decide =
        !sites.empty() && std::all_of(sites.begin(), sites.end(), [&](const recipes::SiteState& site) {
          const ZNode* node = tree->find(site.node);
          return node == nullptr || !node->data.value_or("").empty() ||
                 !tree->sessions.contains(sessionOf(site));
        });
    judge(ends, decided || can_decide);
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
    judge(arrives, differs);
  }
  void see(const recipes::Group& group) const {
    if (tree == nullptr || !goesOn(group) || !group.lists) return;
    judge(arrives, childrenOf(*tree, group.path) != group.members);
  }
  void see(const recipes::Naming&) const {}
};

bool Progress::waits(const Node& client) {
  if (!client.client || !client.client->program) return false;
  return std::visit(
      [](const auto& recipe) {
        using R = std::remove_cvref_t<decltype(recipe)>;
        if constexpr (std::is_base_of_v<recipes::Holder, R>) return waitsForTurn(recipe);
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
  std::visit([&](const auto& recipe) { Visit{*this, tree}.see(recipe); }, *client.client->program);
}

Progress::Which Progress::judged() const {
  Which judged = judged_;
  if (!waiting_.empty()) judged.set(leads);
  if (!leaving_.empty()) judged.set(passes);
  return judged;
}

Progress::Which Progress::violated() const {
  Which violated = violated_;
  if (!includesAll(held_, waiting_)) violated.set(leads);
  if (!includesAll(inside_, leaving_)) violated.set(passes);
  return violated;
}

}  // namespace zablab::zookeeper
