#include "checker/external_store/check.h"
#include "checker/external_store/fuzz_run.h"
#include "checker/external_store/invariants.h"
#include "checker/protocol_impl.h"
#include "sim/external_store/binding.h"

namespace zablab {

const Protocol& externalStoreProtocol() {
  static const ProtocolOf<external_store::Family> protocol;
  return protocol;
}

}  // namespace zablab
