#include "checker/zab/tables_impl.h"
#include "sim/zab_register/binding.h"

namespace zablab::zab {

template std::vector<TableFunction> tableFunctions<Family>();

}  // namespace zablab::zab
