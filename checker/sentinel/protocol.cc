#include "checker/protocol_impl.h"
#include "checker/sentinel/check.h"
#include "checker/sentinel/fuzz_run.h"
#include "checker/sentinel/invariants.h"
#include "sim/sentinel/binding.h"

namespace zablab {

const Protocol& sentinelProtocol() {
  static const ProtocolOf<sentinel::Family> protocol;
  return protocol;
}

}  // namespace zablab
