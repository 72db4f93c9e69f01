#include "checker/zab_register/check.h"

#include "checker/zab/check_impl.h"
#include "checker/zab_register/invariants.h"

namespace zablab {

template class zab::BroadcastCheck<zab::Family>;

std::uint32_t CheckOf<zab::Family>::view(const zab::NodeConfig& config, const zab::Rules& rules,
                                         const zab::Node& node) {
  if (!config.client) return viewOfServer(config, rules, node);
  if (!node.client || !node.client->server) return settled;
  return withLeader(node.client->waiting.empty() ? settled | takes_writes | idle : settled, config,
                    node.client->server);
}

}  // namespace zablab
