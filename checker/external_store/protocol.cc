#include "checker/external_store/check.h"
#include "checker/external_store/clients.h"
#include "checker/external_store/fuzz_run.h"
#include "checker/external_store/monitors.h"
#include "checker/family_of.h"
#include "sim/external_store/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<external_store::Family>();
const Protocol& externalStoreProtocol() { return theProtocol<external_store::Family>(); }

}  // namespace zablab
