// The pure decisions of elections and broadcast that tables can ask for. tables_impl.h has the definition,
// for one file of each family.
#pragma once

#include <vector>

#include "checker/tables.h"

namespace zablab::zab {

template <class F>
std::vector<TableFunction> tableFunctions();

}  // namespace zablab::zab
