#include "checker/protocol_impl.h"
#include "checker/zab/fuzz_run.h"
#include "checker/zab/invariants.h"
#include "sim/zab/binding.h"

namespace zablab {

const Protocol& zabProtocol() {
  static const ProtocolOf<zab::Family> protocol;
  return protocol;
}

}  // namespace zablab
