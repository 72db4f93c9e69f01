#include "checker/family_of.h"
#include "checker/kafka/check.h"
#include "checker/kafka/clients.h"
#include "checker/kafka/fuzz_run.h"
#include "checker/kafka/monitors.h"
#include "checker/kafka/moves.h"
#include "sim/kafka/binding.h"

namespace zablab {

template const FamilyCheck& theCheck<kafka::Family>();
const Protocol& kafkaProtocol() { return theProtocol<kafka::Family>(); }

}  // namespace zablab
