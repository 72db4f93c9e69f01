#include "checker/protocol_impl.h"
#include "checker/zab_register/check.h"
#include "checker/zab_register/fuzz_run.h"
#include "checker/zab_register/invariants.h"
#include "sim/zab_register/binding.h"

namespace zablab {

const Protocol& zabProtocol() {
  static const ProtocolOf<zab::Family> protocol;
  return protocol;
}

}  // namespace zablab
