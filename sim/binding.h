// What the engines ask of a family beside its steps: how its values are said to people, and how scenarios
// name them. Specialised once for each family, in sim/<family>/binding.h.
#pragma once

namespace zablab {

template <class Family>
struct Binding;

}  // namespace zablab
