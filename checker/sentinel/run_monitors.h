// The invariants of Sentinel that only runs judge: what servers answer and copy, what is on the disk before
// it is told, and how long everybody waits.
#pragma once

#include <span>

#include "checker/sentinel/records.h"

namespace zablab::sentinel {

std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::sentinel
