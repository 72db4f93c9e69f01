#include "checker/kafka/check.h"

#include "checker/zookeeper/check.h"

namespace zablab {

using KafkaCheck = CheckOf<kafka::Family>;

std::uint32_t KafkaCheck::view(const kafka::Config&, const kafka::Rules&, const kafka::Node& node) {
  const bool waits = node.client && (node.client->asked || !node.zookeeper.client->waiting.empty());
  const bool works = node.broker && (node.broker->item || !node.broker->registered);
  return (waits ? 0 : idle) | (works ? 0 : settled);
}

Fires KafkaCheck::firesByDefault(F::TimerKind kind) {
  return CheckOf<zookeeper::Family>::firesByDefault(kind);
}

std::pair<std::vector<KafkaCheck::OwnMemory>, KafkaCheck::SharedMemory> KafkaCheck::memoriesOf(
    const WorldValue<F>& value) {
  return {std::vector<OwnMemory>(value.servers.size()), SharedMemory{}};
}

}  // namespace zablab
