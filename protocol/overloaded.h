// A visitor of variants made of one function for each alternative.
#pragma once

namespace zablab {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it by itself

}  // namespace zablab
