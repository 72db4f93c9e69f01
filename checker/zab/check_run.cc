#include "checker/zab/check_run.h"
#include "checker/check/check_impl.h"
#include "checker/zab/check.h"
#include "sim/zab/binding.h"

namespace zablab::zab {

void checkModel(const LoadedModel& model) {
  const LoadedScenario scenario = scenarioOf(model);
  checkFamily<Family>(scenario);
  check_detail::checkGoals<Family>(model, makeSetup<Family>(scenario).cluster);
  check_detail::limitsOf<Family>(model, makeSetup<Family>(scenario).cluster);
}

CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  return check_detail::check<Family>(model, options);
}

}  // namespace zablab::zab
