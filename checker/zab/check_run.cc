#include "checker/zab/check_run.h"
#include "checker/check/check_impl.h"
#include "checker/zab/check.h"
#include "sim/zab/binding.h"

namespace zablab::zab {

void checkModel(const LoadedModel& model) {
  checkFamily<Family>(scenarioOf(model));
  check_detail::limitsOf<Family>(model);
}

CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  return check_detail::check<Family>(model, options);
}

}  // namespace zablab::zab
