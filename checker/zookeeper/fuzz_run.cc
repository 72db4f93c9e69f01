#include "checker/zookeeper/fuzz_run.h"

#include "checker/zab/fuzz_run_impl.h"
#include "checker/zookeeper/invariants.h"
#include "checker/zookeeper/swarm.h"
#include "sim/zookeeper/binding.h"

namespace zablab {

template struct zab::BroadcastFuzz<zookeeper::Family>;

using Fuzz = FuzzOf<zookeeper::Family>;
using zookeeper::Error, zookeeper::OpCode;

std::uint32_t Fuzz::answered(const zookeeper::Event& event) {
  if (const auto* state = std::get_if<zookeeper::ClientStateChanged>(&event))
    return state->to == zookeeper::ClientState::CONNECTED ? 1 : 0;
  const auto* answer = std::get_if<zookeeper::Answered>(&event);
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

RunOutcome Fuzz::run(const LoadedScenario& scenario, const Judgement& judgement, Counter& counter,
                     std::uint64_t seed, std::unique_ptr<ChoiceSource> source, std::vector<Choice>* made) {
  return runCounted<zookeeper::Family, zab::BroadcastWatcher<zookeeper::Family>>(
      scenario, judgement, counter, seed, std::move(source), made);
}

}  // namespace zablab
