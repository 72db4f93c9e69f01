// A double barrier: `members` clients enter together and leave together. Each creates a node of its name; the
// one that finds all of them creates the node `ready`, which the others wait for. To leave, each deletes its
// node, and waits until there is none. A client with a new session waits until the node of its old session is
// gone: it is never counted twice.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <string>

#include "protocol/recipes/recipe.h"

namespace zablab::recipes {

enum class BarrierStage : std::uint8_t {
  outside,
  looking,     ///< it looks whether `ready` is there, and watches it
  blocked,     ///< `ready` is there from before: it waits for its end
  joining,     ///< it creates its node
  owning,      ///< there is one of its name: it looks whose it is, and watches it
  replacing,   ///< it waits for the end of the node of its old session
  recalling,   ///< it waits until it would see a node that it may have created
  counting,    ///< it lists the nodes
  announcing,  ///< it creates `ready`
  waiting,     ///< for `ready`
  inside,
  listing,    ///< it leaves, and lists the nodes
  deleting,   ///< it deletes its node
  observing,  ///< it sets a watch on another's node
  staying,    ///< it waits for the end of that
  suspended,  ///< it is not connected
};
BOOST_DESCRIBE_ENUM(BarrierStage, outside, looking, blocked, joining, owning, replacing, recalling, counting,
                    announcing, waiting, inside, listing, deleting, observing, staying, suspended)

struct DoubleBarrier {
  static constexpr std::string_view name = "double_barrier";
  static constexpr std::array acts{Act::enter, Act::leave};
  std::string path;
  std::int32_t members = 1;
  SessionId session = no_session;  ///< that it has, or had last
  bool connected = false;
  BarrierStage stage{};
  bool joined = false;   ///< it has its node
  bool unsure = false;   ///< it may have one that it does not know
  bool ready = false;    ///< it was notified of `ready`
  bool inside = false;   ///< it has entered
  bool leaving = false;  ///< it was instructed to leave
  std::string watched;
  bool operator==(const DoubleBarrier&) const = default;
};
BOOST_DESCRIBE_STRUCT(DoubleBarrier, (),
                      (path, members, session, connected, stage, joined, unsure, ready, inside, leaving,
                       watched))

inline void configure(DoubleBarrier& barrier, const Settings& settings) { barrier.members = settings.limit; }

void step(const Hands& hands, DoubleBarrier& barrier, const Input& input);

}  // namespace zablab::recipes
