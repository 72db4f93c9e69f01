// Queues: items are sequential nodes below one node, and the first of them is taken first. A plain queue's
// consumer has an item when it has deleted it: at most one has it, and none if that consumer dies. In a
// protected queue the consumer locks the item, processes it, and then deletes it: at least one processes it.
#pragma once

#include <array>
#include <vector>

#include "protocol/recipes/worker.h"

namespace zablab::recipes {

enum class QueueStage : std::uint8_t {
  listing,
  locking,    ///< it creates the lock of the first item
  owning,     ///< the lock is there: it looks whose it is
  reading,    ///< the first item
  removing,   ///< the first item
  observing,  ///< all items are locked: it watches the lock of one
  waiting,
};
BOOST_DESCRIBE_ENUM(QueueStage, listing, locking, owning, reading, removing, observing, waiting)

struct QueueClient : Worker {
  std::vector<std::string> to_put;  ///< the data of the items that it has to put
  std::int32_t wanted = 0;          ///< how many items it has to take
  QueueStage stage{};
  bool stale = false;              ///< the list has changed
  bool watched = false;            ///< under the rule `once`: it has watched the list
  std::vector<std::string> items;  ///< the names that it has still to try
  std::string locked;              ///< one that another has locked
  std::string data;                ///< of the first item
  bool operator==(const QueueClient&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueueClient, (Worker), (to_put, wanted, stage, stale, watched, items, locked, data))

struct Queue : QueueClient {
  static constexpr std::string_view name = "queue";
  static constexpr Recipe recipe = Recipe::queue;
  static constexpr std::array acts{Act::put, Act::take};
};
BOOST_DESCRIBE_STRUCT(Queue, (QueueClient), ())

struct ProtectedQueue : QueueClient {
  static constexpr std::string_view name = "protected_queue";
  static constexpr Recipe recipe = Recipe::protected_queue;
  static constexpr std::array acts{Act::put, Act::take};
};
BOOST_DESCRIBE_STRUCT(ProtectedQueue, (QueueClient), ())

void step(const Hands& hands, Recipe recipe, QueueClient& queue, const Input& input);

}  // namespace zablab::recipes
