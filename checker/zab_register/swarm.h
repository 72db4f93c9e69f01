// A random run of the family `zab`, drawn as a scenario: the ensemble (checker/zab/swarm_impl.h), what
// clients ask, what goes wrong. Then faults stop on a core that is a quorum of voters, and the core has to
// serve.
#pragma once

#include <set>

#include "checker/fuzz/drawn.h"
#include "sim/choices.h"

namespace zablab::zab {

/// The same for the same choices and shape, whatever rules it is run with. Servers of `unable` are not chosen
/// for the core: what is left has to be a quorum of the voters.
DrawnRun drawRun(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable = {});

}  // namespace zablab::zab
