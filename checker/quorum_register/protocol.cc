#include "checker/family_of.h"
#include "checker/quorum_register/checks.h"

namespace zablab {

template const FamilyCheck& theCheck<quorum_register::Family>();
const Protocol& quorumRegisterProtocol() { return protocolOf<quorum_register::Family>(); }

}  // namespace zablab
