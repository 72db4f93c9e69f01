// An ensemble and its clients on a network that delivers every message at once, in order: what is asked is
// done before the next thing happens. Time passes only when it is asked to. The invariants about clients
// judge it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/monitor.h"
#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {

class QuietEnsemble {
 public:
  static constexpr ServerId first_client = 100;

  struct Setting {
    int servers = 3;      ///< voters, with ids from 1
    std::size_t clients = 8;  ///< with ids from `first_client`
    ServerId leader = 3;  ///< more than half of the others have smaller ids, or it is the only one
    Millis tick_ms = 2000;
    Millis container_check_ms = 60'000;
  };
  /// Elected and serving.
  QuietEnsemble(const Setting& setting, const Rules& rules);

  /// Gives a client an instruction, and lets everything happen that follows from it.
  void ask(ServerId client, Request request);
  /// The same for several at once: none is carried out before all are given.
  void ask(ServerId client, std::vector<Request> requests);
  /// Lets time pass.
  void pass(Millis ms);
  /// A server's process ends; what it has written stays.
  void kill(ServerId server);
  void start(ServerId server);
  /// The order in which a server that runs again reads what has arrived: of one connection in order, of
  /// several in any order.
  enum class Backlog : std::uint8_t { as_arrived, clients_first };
  /// A server's process is stopped: what arrives waits, and its timers stand still.
  void pause(ServerId server);
  void resume(ServerId server, Backlog order);
  bool isPaused(ServerId server) const { return paused_.contains(server); }
  /// Lets time pass until all servers that run serve.
  void serveAgain();
  /// Whether there is a server of this id, and its process runs.
  bool isUp(ServerId server) const { return server >= 1 && server <= servers_ && !down_.contains(server); }
  bool leads(ServerId server) const;
  bool isServing(ServerId server) const { return isUp(server) && nodes_.at(server).serves(); }
  /// It has no leader, and answers reads.
  bool isReadOnly(ServerId server) const { return isUp(server) && nodes_.at(server).read_only; }
  /// What the client has learned since it was last taken, in order.
  std::vector<Event> take(ServerId client);

  const Client& client(ServerId id);
  /// The first violation of an invariant, with its name; empty: all hold.
  std::string violation() const;
  /// The newest transaction of the leader.
  Zxid last() const;
  /// The leader's tree; null if no server leads.
  const Tree* tree() const;

 private:
  struct Connection {
    ServerId dialler = no_server;
    ServerId other = no_server;
    bool dialler_open = true;
    bool other_open = true;
  };
  struct Arrival {
    ServerId to = no_server;
    std::optional<std::size_t> connection;  ///< through which it comes; empty: not through one
    bool dials = false;
    Input input;
    std::uint64_t message = 0;  ///< its number
  };
  struct Paused {
    std::deque<Arrival> waiting;
    std::vector<std::pair<V::Timer, Millis>> timers;  ///< with what is left of their time
  };
  using Timers = std::map<std::pair<ServerId, V::Timer>, Millis>;

  Node& node(ServerId id);
  /// One that runs, if there is one; null if no server leads.
  const Node* leader() const;
  bool allServe();
  void step(ServerId id, const Input& input, std::uint64_t message = 0);
  void perform(ServerId id, const Effects& effects);
  void tell(Happened<Family> happened);
  int indexOf(ServerId id) const { return cluster_.indexOf(id); }
  void dial(ServerId from, Link link, ServerId to);
  void settle();
  void fireNext();
  bool& endOf(std::size_t connection, ServerId id);
  std::optional<std::size_t> openConnection(Link link, ServerId a, ServerId b) const;

  int servers_;
  Rules rules_;
  NodeConfig config_;
  Cluster<Family> cluster_;
  std::unique_ptr<MonitorSet<Family>> monitors_;
  std::map<ServerId, Node> nodes_;
  std::map<ServerId, Durable> down_;  ///< servers that are down, and their disks
  std::map<ServerId, Paused> paused_;
  std::vector<std::pair<Link, Connection>> connections_;
  std::deque<Arrival> queue_;
  std::deque<Arrival> own_;  ///< what servers tell themselves when something is durable: at once
  Timers timers_;
  Millis now_ = 0;
  std::uint64_t messages_ = 0;  ///< sent so far
  std::map<ServerId, std::vector<Event>> learned_;
};

}  // namespace zablab::zookeeper
