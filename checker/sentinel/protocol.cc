#include "checker/family_of.h"
#include "checker/sentinel/check.h"
#include "checker/sentinel/clients.h"
#include "checker/sentinel/fuzz_run.h"
#include "checker/sentinel/monitors.h"
#include "checker/sentinel/moves.h"
#include "sim/sentinel/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<sentinel::Family>();
const Protocol& sentinelProtocol() { return theProtocol<sentinel::Family>(); }

}  // namespace zablab
