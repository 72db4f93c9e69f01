#include "protocol/zab_register/family.h"

#include "protocol/zab/step_impl.h"
#include "protocol/zab_register/client.h"

namespace zablab::zab {

template struct BasicFamily<Register>;
template void propose<Register>(const BasicContext<Register>&, const Register::Proposed&);

RegisterState stateAfter(const std::vector<Txn>& history) { return stateAfter<Register>(history); }

void Family::step(const NodeConfig& config, const Rules& rules, Node& node, const Input& input,
                  Effects& out) {
  if (config.client) return stepClient({config, rules, node, out}, input);
  stepServer(config, rules, node, input, out);
}

bool Family::accepts(const Node& node, Link link) {
  return link == client_link ? node.serves() || node.client : acceptsServer(node, link);
}

}  // namespace zablab::zab
