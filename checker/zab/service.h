// What a service built on the broadcast adds to the ledger: what its answers show to clients, and the memory
// of its own invariants. This is all that the broadcast's invariants require of a service.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <vector>

#include "checker/monitor.h"
#include "protocol/zab/types.h"
#include "sim/happened.h"

namespace zablab::zab {

template <class F>
class BasicLedger;

/// An answer shows a client the history of the server that gives it: a claim that this much is committed.
struct Showing {
  std::optional<Zxid> only;  ///< up to this transaction; if empty, all that the server has
};

/// Specialised for each family in the folder of its service, before anything instantiates the ledger:
///
///     struct Own, Shared    described: its monitors' memory for one server or client, and for all
///     struct Facts          the effects of the last event seen; discarded with the next
///     kinds                 the kinds of events that it notes, one bit each (Monitor::kinds)
///     note(ledger, seen, facts)   updates its book, after the ledger's own. What it returns was shown to a
///                           client by server `seen.node`
///     onRoleOver(own)       discards what only a role that is over reads
///     monitors(ledger)      its own invariants
template <class F>
struct ServiceBook;

template <class F>
concept HasServiceBook = requires(BasicLedger<F>& ledger, const Happened<F>& seen,
                                  typename ServiceBook<F>::Own& own, typename ServiceBook<F>::Facts& facts) {
  typename ServiceBook<F>::Shared;
  { ServiceBook<F>::kinds } -> std::convertible_to<std::uint64_t>;
  { ServiceBook<F>::note(ledger, seen, facts) } -> std::same_as<std::optional<Showing>>;
  ServiceBook<F>::onRoleOver(own);
  { ServiceBook<F>::monitors(ledger) } -> std::same_as<std::vector<std::unique_ptr<Monitor<F>>>>;
};

}  // namespace zablab::zab
