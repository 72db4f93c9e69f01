// A two-phase commit: each site has an ephemeral node of its name, into which it writes its vote. A
// coordinator reads the votes of all, and creates the node `decision`, which the sites wait for. Who has
// voted to commit waits until then: it is blocked if the coordinator dies. A site with a new session waits
// until the node of its old session is gone: a site is never counted twice.
#pragma once

#include <array>
#include <vector>

#include "protocol/recipes/worker.h"

namespace zablab::recipes {

/// A site, as the coordinator knows it.
struct SiteState {
  std::string node;
  std::string vote;      ///< "commit" or "abort"; empty: none yet
  bool watched = false;  ///< it is notified when there is one
  bool operator==(const SiteState&) const = default;
};
BOOST_DESCRIBE_STRUCT(SiteState, (), (node, vote, watched))

struct TwoPhaseCommit : Worker {
  static constexpr std::string_view name = "two_phase_commit";
  static constexpr std::array acts{Act::commit, Act::abort};
  bool coordinator = false;
  std::int32_t members = 1;      ///< how many sites there are
  bool watches = false;          ///< a site: the decision; the coordinator: the list of sites
  bool decided = false;          ///< there is a decision, which it has to read
  std::string outcome;           ///< "commit" or "abort"; empty: not known
  std::string node;              ///< of a site
  std::string vote;              ///< of a site
  bool exists = false;           ///< a site: there is a node of its name, and it does not know whose
  bool waits = false;            ///< a site: for the end of the node of its old session
  bool voted = false;            ///< the vote is in its node
  std::vector<SiteState> sites;  ///< of the coordinator
  bool operator==(const TwoPhaseCommit&) const = default;
};
BOOST_DESCRIBE_STRUCT(TwoPhaseCommit, (Worker),
                      (coordinator, members, watches, decided, outcome, node, vote, exists, waits, voted,
                       sites))

inline void configure(TwoPhaseCommit& transaction, const Settings& settings) {
  transaction.members = settings.limit;
  transaction.coordinator = settings.coordinator;
}

void step(const Hands& hands, TwoPhaseCommit& transaction, const Input& input);

}  // namespace zablab::recipes
