// The book that the monitors read: votes, flags, and what nodes.conf of each node contains. It is computed
// from messages, durable writes, and the flags and promotions that nodes report.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/redis_cluster/memory.h"
#include "protocol/redis_cluster/family.h"

namespace zablab::redis_cluster {

/// What nodes.conf says when a node starts; without one, the cluster is as it was created.
NodesConf confOn(const Durable& disk, const Config& config);

class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  using Book::Book;

  void on(const Happened<Family>& seen) override;

  /// The masters that had slots when the cluster was created. Failovers do not change how many there are.
  std::size_t electorate() const;
  std::size_t quorum() const { return electorate() / 2 + 1; }
  /// The request for a vote that the present step processes.
  const AuthRequest* request() const { return request_ ? &*request_ : nullptr; }
  /// What nodes.conf contained before the last write, or start, seen.
  const NodesConf& confBefore() const { return conf_before_; }
  /// Whether the node had voted in the epoch of the vote that it sends now.
  bool votesAgain() const { return votes_again_; }
  /// Who was elected before in the epoch of the last election; `no_server`: nobody.
  ServerId otherWinner() const { return other_winner_; }

  /// The manual failover that ends with the present promotion.
  const Handover* handover() const { return handover_ ? &*handover_ : nullptr; }

  // ---- for a search, which keeps the memory elsewhere
  void settle() {
    request_.reset();
    conf_before_ = {};
    votes_again_ = false;
    other_winner_ = no_server;
    handover_.reset();
  }
  /// The content of a disk when the world begins, and the flags and manual failovers of nodes that already
  /// run then.
  void begin(int server, const Durable& disk);
  void begin(const WorldValue<Family>& world);

 private:
  void noteSynced(int server, const Record& record);
  void onManual(ServerId server, const ManualFailover& event);
  /// Of a server that is no longer what it was.
  void endHandovers(ServerId server);
  void countWrite(ServerId server, const Record& record);
  void onEvent(int server, const Event& event);
  void onSent(int server, const Message& message);
  void onDelivered(int server, int from, const Message& message);
  NodesConf confOf(int server, const Durable& disk) const;

  std::optional<AuthRequest> request_;
  NodesConf conf_before_;
  bool votes_again_ = false;
  ServerId other_winner_ = no_server;
  std::optional<Handover> handover_;
};

}  // namespace zablab::redis_cluster
