// The book that the monitors read: the history of the clients' requests and answers, and what is durable
// where. It is computed from durable writes, messages and what clients report about their requests.
#pragma once

#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/quorum_register/memory.h"
#include "protocol/quorum_register/family.h"

namespace zablab::quorum_register {

class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  /// What the replica had before the last write, or start, seen.
  const Version& storedBefore() const { return stored_before_; }
  /// The homes whose copy, there or with a stand-in, is durable and at least as new.
  std::vector<ServerId> homesThatHave(const Version& version);

  // ---- for a search, which keeps the memory elsewhere
  /// The content of a disk when the world begins.
  void begin(int server, const Durable& disk);

 private:
  void onRecord(int server, const Record& record);
  void onEvent(int server, const Event& event);
  void note(int holder, ServerId home, const Version& version);
  void forget(int holder, ServerId home);

  Version stored_before_;
};

}  // namespace zablab::quorum_register
