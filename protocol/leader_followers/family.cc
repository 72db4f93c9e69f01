#include "protocol/leader_followers/family.h"

#include "protocol/leader_followers/client.h"
#include "protocol/leader_followers/server_impl.h"

namespace zablab::leader_followers {

template struct BasicFamily<Register>;
template VoteDecision decideVote<Register>(const Rules&, const BasicServer<Register>&, ServerId,
                                           const VoteRequest&);

Node Family::loaded(const Config&, const Rules&, ServerId self, const Durable& disk) {
  Node node = blank(self);
  load(node, disk);
  return node;
}

void Family::step(const Config& config, const Rules& rules, Node& node, const Input& input, Effects& out) {
  if (config.client) return stepClient({config, rules, node, out}, node.client, input);
  stepServer(config, rules, node, input, out);
}

bool Family::accepts(const Node& node, Link link) { return link == server_link || !node.client; }

}  // namespace zablab::leader_followers
