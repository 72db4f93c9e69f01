// The pure decisions of elections and broadcast that tables can test. tables_impl.h contains the definition,
// for one file of each family.
#pragma once

#include <vector>

#include "checker/tables.h"

namespace zablab::zab {

template <class F>
std::vector<TableFunction> tableFunctions();

}  // namespace zablab::zab
