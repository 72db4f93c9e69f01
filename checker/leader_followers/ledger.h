// What the monitors share: a book of what every server has written and made durable, which servers were
// elected, and what was claimed as committed. All of it is computed independently from writes, messages and
// the decisions that servers report; no node's state is read.
//
// An entry is *committed* when a leader reports that it counted a quorum for it, and so is everything before
// it in that leader's log. It is *backed* while a quorum of servers has it durable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/book.h"
#include "checker/leader_followers/memory.h"
#include "protocol/leader_followers/family.h"

namespace zablab::leader_followers {

class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  /// The effects of the last event seen.
  struct Facts {
    std::size_t claimed_from = 0;  ///< newly committed, by place in the list
    std::size_t claimed_to = 0;
    std::optional<std::size_t> conflict;  ///< where a claim contradicts an older one
    std::optional<ServerId> led_before;   ///< another leader of the generation of the leader elected now
    bool elected = false;
    bool log_changed = false;            ///< the durable log was written
    std::int64_t generation_before = 0;  ///< the durable generation before a write became durable
    std::optional<Index> read_floor;     ///< of the client's read that has just been answered
  };

  explicit Ledger(const Cluster<Family>& cluster) : Book(cluster) {
    shared_.durable.resize(static_cast<std::size_t>(cluster.serverCount()));
  }

  void on(const Happened<Family>& seen) override;

  const Facts& facts() const { return facts_; }
  /// Whether the Append being read is older than the generation of its reader.
  bool readsOlderAppend() const { return reads_older_append_; }
  /// For whom and in which generation the server has decided to vote in the present step, if it has.
  struct Granted {
    ServerId candidate = no_server;
    std::int64_t generation = 0;
  };
  const std::optional<Granted>& granted() const { return granted_; }
  /// Whether a quorum has this entry durable in this place.
  bool isBacked(std::size_t place, const Entry& entry);

  // ---- for a search, which keeps the memory elsewhere
  /// The content of a disk when the world begins, and a server that already runs then.
  void begin(int server, const Durable& disk);
  void begin(int server, const Node& state);
  /// Discards the rest when all monitors have seen an event. Between steps only the memory is kept.
  void settle() { facts_ = {}; }

 private:
  void onDurable(int server, const Record& record);
  void onEvent(int server, const Event& event);
  void onAnswered(int client, const Answered& answered);

  bool reads_older_append_ = false;
  std::optional<Granted> granted_;
  Facts facts_;
};

}  // namespace zablab::leader_followers
