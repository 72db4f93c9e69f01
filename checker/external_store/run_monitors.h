// The invariants of an election on an external store that only runs judge: what the store, the resource and
// leaders answer, what they execute, whom they tell, and how long everybody waits.
#pragma once

#include <span>

#include "checker/external_store/records.h"

namespace zablab::external_store {

std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::external_store
