#include "checker/family_of.h"
#include "checker/quorum_register/checks.h"
#include "checker/quorum_register/clients.h"

namespace zablab {

template const FamilyCheck& theCheck<quorum_register::Family>();
const Protocol& quorumRegisterProtocol() { return theProtocol<quorum_register::Family>(); }

}  // namespace zablab
