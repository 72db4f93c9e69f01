#include "checker/family_of.h"
#include "checker/quorum_register/check.h"
#include "checker/quorum_register/fuzz_run.h"
#include "checker/quorum_register/monitors.h"
#include "sim/quorum_register/binding.h"

namespace zablab {

template <>
const FamilyCheck& theCheck<quorum_register::Family>() {
  static const FamilyCheckOf<quorum_register::Family> check;
  return check;
}

const Protocol& quorumRegisterProtocol() {
  static const ProtocolOf<quorum_register::Family> protocol;
  return protocol;
}

}  // namespace zablab
