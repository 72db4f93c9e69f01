#include "checker/zab_register/fuzz_run.h"

#include "checker/zab/fuzz_run_impl.h"
#include "checker/zab_register/swarm.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template struct zab::BroadcastFuzz<zab::Family>;

using Fuzz = FuzzOf<zab::Family>;

std::uint32_t Fuzz::answered(const zab::Event& event) {
  const auto* answer = get_if<zab::Answered>(&event);
  if (answer == nullptr || answer->outcome != zab::Outcome::ok) return 0;
  return all_operations & 1U << static_cast<unsigned>(answer->operation);
}

std::pair<ServerId, bool> Fuzz::clientOf(const zab::Node& node) {
  if (!node.client) return {no_server, false};
  return {node.client->server.value_or(no_server), !node.client->waiting.empty()};
}

DrawnRun Fuzz::draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return zab::drawRun(shape, choices, unable);
}

std::unique_ptr<FuzzWatcher> Fuzz::watcher(const FuzzRun& run) {
  return std::make_unique<zab::BroadcastWatcher<zab::Family>>(run);
}

}  // namespace zablab
