#include "checker/kafka/check.h"
#include "checker/kafka/fuzz_run.h"
#include "checker/kafka/invariants.h"
#include "checker/protocol_impl.h"
#include "sim/kafka/binding.h"

namespace zablab {

const Protocol& kafkaProtocol() {
  static const ProtocolOf<kafka::Family> protocol;
  return protocol;
}

}  // namespace zablab
