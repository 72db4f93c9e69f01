// What an exhaustive search requires of the family `zab` besides its steps.
#pragma once

#include "checker/zab/check.h"
#include "checker/zab_register/ledger.h"

namespace zablab {

namespace zab {
extern template class BroadcastCheck<Family>;
}  // namespace zab

template <>
struct CheckOf<zab::Family> : zab::BroadcastCheck<zab::Family> {
  using BroadcastCheck::BroadcastCheck;

  static constexpr std::uint32_t idle = first_own;  ///< a client that waits for nothing
  static std::uint32_t view(const zab::NodeConfig& config, const zab::Rules& rules, const zab::Node& node);
  static constexpr std::size_t links_of_servers = 2;  ///< the last is for clients
  /// The model's n-th request.
  static zab::Request write(std::uint32_t n) { return {zab::Operation::put, n, n, no_server}; }
  static zab::Request read(std::uint32_t n) { return {zab::Operation::read, 0, n, no_server}; }
  static zab::Request turn(ServerId server) { return {zab::Operation::connect, 0, 0, server}; }
};

extern template const FamilyCheck& theCheck<zab::Family>();

}  // namespace zablab
