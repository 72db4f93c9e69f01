// The invariants of a quorum register that only runs judge: what replicas and clients answer, whom they bring
// up to date, and how long everybody waits.
#pragma once

#include <span>

#include "checker/quorum_register/records.h"

namespace zablab::quorum_register {

std::span<const zablab::Invariant<Records>> runInvariants();

}  // namespace zablab::quorum_register
