// What a family tells of its clients' requests, and of what becomes of the data that they write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "sim/run.h"
#include "sim/run_of.h"

namespace zablab {

enum class Asked : std::uint8_t { read, write, other };

/// The end of a client's request.
struct ClientAnswer {
  std::int64_t number = 0;  ///< the request's, unique in a run
  Asked what{};
  bool done = false;       ///< otherwise it failed, or the client does not know
  std::int64_t value = 0;  ///< that was read, as the write that it comes from is numbered; 0: none
};

/// Who answers reads. Those that come later have greater numbers.
struct Serving {
  int server = -1;  ///< by index; -1: nobody
  std::int64_t number = 0;
  bool operator==(const Serving&) const = default;
};

/// The requests and the data of one run.
class ClientsView : public AnyListener {
 public:
  /// Whether a client is answered such a request.
  virtual bool isAnswered(const Value& request) const = 0;
  /// What a client's event says; empty: it is not the end of a request.
  virtual std::optional<ClientAnswer> answered(const Value& event) const = 0;
  /// Who would answer a read of what was written, as servers see it at present. `write`: the event by which
  /// the client was answered.
  virtual Serving readFrom(const Value& write) const = 0;
  /// Writes with the same number are read from the same server.
  virtual std::int64_t partOf(const Value& write) const = 0;
  /// Whether that server has what was written, or what has replaced it; if nobody would answer, whether any
  /// server has it, perhaps on its disk.
  virtual bool isKept(const Value& write) const = 0;
  /// Whether this server has it.
  virtual bool has(int server, const Value& write) const = 0;
};

/// How a family tells it; in checker/<family>/clients.h.
///
///     static bool isAnswered(const F::Request&);
///     static std::optional<ClientAnswer> answered(const F::Event&);
///
/// and, if clients write:
///
///     static Serving readFrom(const RunOf<F>&, const F::Event& write);
///     static bool has(const F::Node&, const F::Event& write);      // a process
///     static bool has(const F::Durable&, const F::Event& write);   // the disk of a server that is down
///     static std::int64_t partOf(const F::Event& write);   // if not all writes are read from the same
///     server
///
/// or, if who leads keeps its data elsewhere, what follows from the run's events:
///
///     struct Data {
///       void on(const Happened<F>&);
///       bool has(const F::Event& write) const;
///       int server;  // where they are, by index
///     };
template <class F>
struct ClientsOf;

template <class F>
concept HasClients = requires(const typename F::Event& event) {
  ClientsOf<F>::answered(event);
};

/// That of a family whose clients do not write.
template <class F>
class ClientsViewOf : public ClientsView {
  using Of = ClientsOf<F>;

 public:
  explicit ClientsViewOf(ScenarioRun&) {}
  void on(const AnyHappened&) override {}
  bool isAnswered(const Value& request) const override {
    return Of::isAnswered(request.as<typename F::Request>());
  }
  std::optional<ClientAnswer> answered(const Value& event) const override {
    return Of::answered(event.as<typename F::Event>());
  }
  Serving readFrom(const Value&) const override { return {}; }
  std::int64_t partOf([[maybe_unused]] const Value& write) const override {
    if constexpr (requires { &Of::partOf; }) return Of::partOf(write.as<typename F::Event>());
    return 0;
  }
  bool isKept(const Value&) const override { return true; }
  bool has(int, const Value&) const override { return true; }
};

template <class F>
class WritesInNodes : public ClientsViewOf<F> {
  using Of = ClientsOf<F>;
  using Event = typename F::Event;

 public:
  explicit WritesInNodes(ScenarioRun& run) : ClientsViewOf<F>(run), run_(run) {}
  Serving readFrom(const Value& write) const override { return Of::readFrom(run_, write.as<Event>()); }
  bool isKept(const Value& write) const override {
    const Serving serving = readFrom(write);
    if (serving.server >= 0) return has(serving.server, write);
    for (int i = 0; i < run_.cluster().serverCount(); ++i) {
      if (has(i, write)) return true;
    }
    return false;
  }
  bool has(int server, const Value& write) const override {
    const Event& event = write.as<Event>();
    return run_.isUp(server) ? Of::has(run_.node(server), event) : Of::has(run_.image(server), event);
  }

 private:
  RunOf<F> run_;
};

template <class F>
class WritesElsewhere : public ClientsViewOf<F> {
 public:
  using ClientsViewOf<F>::ClientsViewOf;
  void on(const AnyHappened& happened) override { data_.on(Typed<F>::happened(happened)); }
  bool isKept(const Value& write) const override { return data_.has(write.as<typename F::Event>()); }
  bool has(int server, const Value& write) const override { return server == data_.server && isKept(write); }

 private:
  typename ClientsOf<F>::Data data_;
};

using ClientsOfRun = std::unique_ptr<ClientsView> (*)(ScenarioRun& run);
/// A family's view of a run; null: it tells nothing of its clients.
template <class F>
std::unique_ptr<ClientsView> clientsOf([[maybe_unused]] ScenarioRun& run) {
  if constexpr (!HasClients<F>) {
    return nullptr;
  } else if constexpr (requires { typename ClientsOf<F>::Data; }) {
    return std::make_unique<WritesElsewhere<F>>(run);
  } else if constexpr (requires { &ClientsOf<F>::readFrom; }) {
    return std::make_unique<WritesInNodes<F>>(run);
  } else {
    return std::make_unique<ClientsViewOf<F>>(run);
  }
}

/// Of the servers that run, the one that leads with the greatest number. `numberOf`: the number with which a
/// node leads; empty: it does not.
template <class F, class NumberOf>
Serving leaderBy(const RunOf<F>& run, NumberOf numberOf) {
  Serving leader;
  for (int i = 0; i < run.cluster().serverCount(); ++i) {
    if (!run.isUp(i)) continue;
    const std::optional<std::int64_t> number = numberOf(run.node(i));
    if (number && (leader.server < 0 || *number > leader.number)) leader = {i, *number};
  }
  return leader;
}

}  // namespace zablab
