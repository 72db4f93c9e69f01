#include "checker/family_of.h"
#include "checker/zab/moves.h"
#include "checker/zab_register/check.h"
#include "checker/zab_register/clients.h"
#include "checker/zab_register/fuzz_run.h"
#include "checker/zab_register/invariants.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<zab::Family>();
const Protocol& zabProtocol() { return theProtocol<zab::Family>(); }

}  // namespace zablab
