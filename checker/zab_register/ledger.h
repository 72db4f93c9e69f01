// The register's part of the ledger: what clients asked of which server, and what answers show them.
#pragma once

#include "checker/zab/ledger.h"
#include "checker/zab_register/memory.h"

namespace zablab::zab {

using Ledger = BasicLedger<Family>;
extern template class BasicLedger<Family>;

}  // namespace zablab::zab
