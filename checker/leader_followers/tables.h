// The pure decisions of Leader and Followers that tables can test.
#pragma once

#include <vector>

#include "checker/tables.h"

namespace zablab::leader_followers {

std::vector<TableFunction> tableFunctions();

}  // namespace zablab::leader_followers
