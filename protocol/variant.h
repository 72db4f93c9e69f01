// The variants of messages, events, records and requests: Boost.Variant2, under the names of the standard's.
// Visits, copies and comparisons are switches where libstdc++ has tables of functions: they are compiled in
// less than half the time, to a third of the code.
#pragma once

#include <boost/variant2/variant.hpp>

namespace zablab {

using boost::variant2::get;
using boost::variant2::get_if;
using boost::variant2::holds_alternative;
using boost::variant2::monostate;
using boost::variant2::variant;
using boost::variant2::variant_size_v;
using boost::variant2::visit;

}  // namespace zablab
