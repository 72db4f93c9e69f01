// The monitors of one thread of a search, if all of them read one book: a search keeps the book's memory
// elsewhere, restores it before a step and takes it after. A family's `CheckOf` may derive from it, and then
// has to define only the initial memory (`memoriesOf`).
//
// A book has the memory of each server (`own`), one of all of them (`shared`, `setShared`), and knows whether
// the latter was used since it was set (`sharedTouched`). What it keeps about an event for the monitors to
// read is discarded by `settle`, which may be omitted.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "checker/check/options.h"
#include "checker/monitor.h"
#include "sim/direct.h"

namespace zablab {

template <class F, class Book>
class BookMonitors {
 public:
  using OwnMemory = std::remove_cvref_t<decltype(std::declval<Book&>().own(0))>;
  using SharedMemory = std::remove_cvref_t<decltype(std::declval<Book&>().shared())>;
  struct Seen {
    OwnMemory own;
    SharedMemory shared;
    InvariantMask violated = 0;
    bool touches_shared = false;
  };

  Listener<F>& listener() { return *set_; }
  void begin(int server, const OwnMemory& own, const SharedMemory& shared) {
    server_ = server;
    book_->own(server) = own;
    book_->setShared(shared);
  }
  Seen end() {
    if constexpr (requires(Book & book) { book.settle(); }) book_->settle();
    Seen seen;
    seen.touches_shared = book_->sharedTouched();
    seen.own = book_->own(server_);
    seen.shared = book_->shared();
    for (std::size_t i = 0; i < set_->monitors().size(); ++i) {
      auto& monitor = *set_->monitors()[i];
      obligations_[i] += monitor.takeObligations();
      if (monitor.takeViolation()) seen.violated |= InvariantMask{1} << i;
    }
    return seen;
  }
  std::vector<InvariantInfo> invariants() const {
    std::vector<InvariantInfo> list;
    for (const auto& monitor : set_->monitors()) list.push_back(monitor->info());
    return list;
  }
  const std::vector<std::uint64_t>& obligations() const { return obligations_; }

 protected:
  /// `set`: creates the monitors that read the book.
  BookMonitors(const Cluster<F>& cluster, std::unique_ptr<MonitorSet<F>> (*set)(std::unique_ptr<Book>))
      : cluster_(cluster) {
    auto book = std::make_unique<Book>(cluster);
    book_ = book.get();
    set_ = set(std::move(book));
    obligations_.resize(set_->monitors().size());
  }

  const Cluster<F>& cluster_;
  std::vector<std::uint64_t> obligations_;  ///< by bit

 private:
  Book* book_ = nullptr;  ///< the set's
  std::unique_ptr<MonitorSet<F>> set_;
  int server_ = -1;
};

}  // namespace zablab
