// The pure decisions of the ZAB family that tables can ask for.
#pragma once

#include <vector>

#include "checker/tables.h"

namespace zablab::zab {

std::vector<TableFunction> tableFunctions();

}  // namespace zablab::zab
