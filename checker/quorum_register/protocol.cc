#include "checker/protocol_impl.h"
#include "checker/quorum_register/check.h"
#include "checker/quorum_register/fuzz_run.h"
#include "checker/quorum_register/invariants.h"
#include "sim/quorum_register/binding.h"

namespace zablab {

const Protocol& quorumRegisterProtocol() {
  static const ProtocolOf<quorum_register::Family> protocol;
  return protocol;
}

}  // namespace zablab
