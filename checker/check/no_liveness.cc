// In pages: what they search asks for nothing in the end, and the search for it would be a fortieth of a
// page.
#include "checker/check/liveness.h"

namespace zablab {

LivenessResult searchLiveness(const AnyCluster&, const FamilyCheck&, const Limits&, const SearchOptions&,
                              const WorldValue<Any>&, const std::vector<LivenessProperty>& properties,
                              const FairnessByName&, const std::function<void(std::uint64_t)>&) {
  LivenessResult result;
  result.stopped_by = "not in a page";
  for (const LivenessProperty& property : properties)
    result.properties.push_back({property.name, "undecided", {}});
  return result;
}

}  // namespace zablab
