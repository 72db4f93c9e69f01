#include "checker/check/check_impl.h"
#include "checker/zab/check.h"
#include "checker/zab/moves.h"
#include "sim/zab/binding.h"

namespace zablab {

template void checkModelOf<zab::Family>(const LoadedModel&);
template CheckResult checkOf<zab::Family>(const LoadedModel&, const CheckOptions&);

}  // namespace zablab
