// The register's part of the ledger: which requests clients made to which server, and what the answers show
// them.
#pragma once

#include "checker/zab/ledger.h"
#include "checker/zab_register/memory.h"

namespace zablab::zab {

using Ledger = BasicLedger<Family>;
extern template class BasicLedger<Family>;

}  // namespace zablab::zab
