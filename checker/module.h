// A protocol in a module: a shared object that the program loads (`--protocol-module`). Its last line is
//
//     ZABLAB_PROTOCOL(raft::Family)
//
// outside namespaces, in the file that has the family's Binding, InvariantsOf, CheckOf and FuzzOf, and its
// CompareOf if it has one.
#pragma once

#include <cstdint>

#include "checker/compare/contender_of.h"
#include "checker/family_of.h"
#include "checker/version.h"
#include "sim/family_of.h"

namespace zablab {

/// What a module exports under the name `zablab_module`. The first two fields never change.
struct Module {
  std::uint64_t magic;
  const char* version;  ///< of the headers that it was compiled with
  const Protocol& (*protocol)();
  const Contender* (*contender)();  ///< null: it takes part in no comparisons
};
inline constexpr std::uint64_t module_magic = 0x7a61626c61620001;

namespace module_detail {

/// If there is a `CompareOf<F>`.
template <class F>
const Contender* contenderOrNone() {
  if constexpr (requires { CompareOf<F>::layout(); }) return &contenderOf<F>();
  return nullptr;
}

}  // namespace module_detail
}  // namespace zablab

#define ZABLAB_PROTOCOL(Family)                                                                          \
  extern "C" const zablab::Module zablab_module;                                                         \
  const zablab::Module zablab_module{zablab::module_magic, ZABLAB_VERSION, &zablab::theProtocol<Family>, \
                                     &zablab::module_detail::contenderOrNone<Family>};
