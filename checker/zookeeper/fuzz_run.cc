#include "checker/zookeeper/fuzz_run.h"

#include <optional>
#include <string>

#include "checker/zab/fuzz_run_impl.h"
#include "checker/zookeeper/progress.h"
#include "checker/zookeeper/swarm.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template struct zab::BroadcastFuzz<zookeeper::Family>;

namespace {

/// In addition, whoever waits in a recipe, at a server of the core, gets what it waits for.
class RecipeWatcher : public zab::BroadcastWatcher<zookeeper::Family> {
 public:
  using BroadcastWatcher::BroadcastWatcher;

 private:
  std::optional<Failure> isUnsettled() const override {
    if (const std::optional<Failure> failure = BroadcastWatcher::isUnsettled()) return failure;
    if (now() < zookeeper::late_connections_end_ms && waitsForFirstConnection())
      return Failure{"stall: a client is not connected", "a client may still connect", now()};
    zookeeper::Progress progress;
    for (int i = run_.cluster().serverCount(); i < static_cast<int>(run_.cluster().ids.size()); ++i) {
      if (!run_.isUp(i)) continue;
      const int server = serverOf(idOf(i));
      progress.add(node(i), server >= 0 && isCore(server) ? &node(server).service : nullptr);
    }
    const zookeeper::Progress::Which violated = progress.violated();
    for (std::size_t which = 0; which < violated.size(); ++which) {
      if (!violated.test(which)) continue;
      return Failure{"stall: " + std::string(zookeeper::Progress::invariants[which].name),
                     progress.violation(which).english(), now()};
    }
    return std::nullopt;
  }

  bool waitsForFirstConnection() const {
    for (int i = run_.cluster().serverCount(); i < static_cast<int>(run_.cluster().ids.size()); ++i) {
      if (!run_.isUp(i) || !node(i).client) continue;
      if (node(i).client->program && node(i).client->session == zookeeper::no_session) return true;
    }
    return false;
  }
};

}  // namespace

using Fuzz = FuzzOf<zookeeper::Family>;
using zookeeper::Error, zookeeper::OpCode;

std::uint32_t Fuzz::answered(const zookeeper::Event& event) {
  if (const auto* state = get_if<zookeeper::ClientStateChanged>(&event))
    return state->to == zookeeper::ClientState::CONNECTED ? 1 : 0;
  const auto* answer = get_if<zookeeper::Answered>(&event);
  if (answer == nullptr || answer->result.error != Error::OK) return 0;
  return answer->op.code == OpCode::setData ? 2 : answer->op.code == OpCode::getData ? 4 : 0;
}

std::pair<ServerId, bool> Fuzz::clientOf(const zookeeper::Node& node) {
  if (!node.client) return {no_server, false};
  return {node.client->server.value_or(no_server), !node.client->waiting.empty()};
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return zookeeper::drawRun(shape, choices, unable);
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<RecipeWatcher>(run);
}

}  // namespace zablab
