// The monitors of one thread of a search, if all of them read one book: a search keeps the book's memory
// elsewhere, restores it before a step and takes it after. A family's `CheckOf` may derive from it.
//
// A book has the memory of each server (`own`), one of all of them (`shared`, `setShared`), and knows whether
// the latter was used since it was set (`sharedTouched`), as checker/book.h defines it. May be omitted:
// `settle`, which discards what it keeps about an event for the monitors to read; `begin(node, disk)`,
// `begin(node, state)` and `begin(world)`: what it knows of a world in which nothing has happened yet.
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

/// `create`: makes the monitors that read the book.
template <class F, class Book, std::unique_ptr<MonitorSet<F>> (*create)(std::unique_ptr<Book>)>
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

  explicit BookMonitors(const Cluster<F>& cluster) : cluster_(cluster) {
    auto book = std::make_unique<Book>(cluster);
    book_ = book.get();
    set_ = create(std::move(book));
    obligations_.resize(set_->monitors().size());
  }

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
  /// The memories of monitors that have seen only this.
  std::pair<std::vector<OwnMemory>, SharedMemory> memoriesOf(const WorldValue<F>& value) {
    Book book(cluster_);
    const int size = static_cast<int>(value.servers.size());
    for (int node = 0; node < size; ++node) {
      const auto& server = value.servers[static_cast<std::size_t>(node)];
      const auto& disk = value.disks[static_cast<std::size_t>(node)].image;
      if constexpr (requires { book.begin(node, disk); }) book.begin(node, disk);
      if constexpr (requires { book.begin(node, server.node); }) {
        if (server.up) book.begin(node, server.node);
      }
    }
    if constexpr (requires { book.begin(value); }) book.begin(value);
    std::vector<OwnMemory> owns;
    for (int node = 0; node < size; ++node) owns.push_back(book.own(node));
    return {std::move(owns), book.shared()};
  }
  std::vector<InvariantInfo> invariants() const {
    std::vector<InvariantInfo> list;
    for (const auto& monitor : set_->monitors()) list.push_back(monitor->info());
    return list;
  }
  const std::vector<std::uint64_t>& obligations() const { return obligations_; }

 protected:
  const Cluster<F>& cluster_;
  std::vector<std::uint64_t> obligations_;  ///< by bit

 private:
  Book* book_ = nullptr;  ///< the set's
  std::unique_ptr<MonitorSet<F>> set_;
  int server_ = -1;
};

}  // namespace zablab
