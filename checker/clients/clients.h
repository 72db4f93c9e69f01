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
  std::int64_t number = 0;  ///< the request's
  Asked what{};
  bool done = false;       ///< otherwise it failed, or the client does not know
  std::int64_t value = 0;  ///< that was read, as the write that it comes from is numbered; 0: none
};

/// The requests and the data of one run.
class ClientsView : public AnyListener {
 public:
  /// Whether a client is answered such a request.
  virtual bool isAnswered(const Value& request) const = 0;
  /// What a client's event says; empty: it is not the end of a request.
  virtual std::optional<ClientAnswer> answered(const Value& event) const = 0;
  /// Who would answer a read of what was written, by index, as servers see it at present; -1: nobody. `write`:
  /// the event by which the client was answered.
  virtual int readFrom(const Value& write) const = 0;
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
///     static int readFrom(const RunOf<F>&, const F::Event& write);
///     static bool has(const F::Node&, const F::Event& write);      // a process
///     static bool has(const F::Durable&, const F::Event& write);   // the disk of a server that is down
///
/// Instead of the last three, if who leads keeps its data elsewhere: what follows from the run's events.
///
///     struct Data {
///       void on(const Happened<F>&);
///       bool has(const F::Event& write) const;
///     };
template <class F>
struct ClientsOf;

template <class F>
concept HasClients = requires(const typename F::Event& event) {
  ClientsOf<F>::answered(event);
};

template <class F>
class ClientsViewOf : public ClientsView {
  using Of = ClientsOf<F>;
  using Event = typename F::Event;
  static constexpr bool has_data = requires { typename Of::Data; };

 public:
  explicit ClientsViewOf(ScenarioRun& run) : run_(run) {}

  void on([[maybe_unused]] const AnyHappened& happened) override {
    if constexpr (has_data) data_.on(Typed<F>::happened(happened));
  }
  bool isAnswered(const Value& request) const override {
    return Of::isAnswered(request.as<typename F::Request>());
  }
  std::optional<ClientAnswer> answered(const Value& event) const override {
    return Of::answered(event.as<Event>());
  }
  int readFrom([[maybe_unused]] const Value& write) const override {
    if constexpr (!has_data) return Of::readFrom(run_, write.as<Event>());
    if constexpr (has_data) return -1;
  }
  bool isKept(const Value& write) const override {
    const Event& event = write.as<Event>();
    if constexpr (has_data) {
      return data_.has(event);
    } else {
      const int reader = Of::readFrom(run_, event);
      if (reader >= 0) return has(reader, write);
      for (int i = 0; i < run_.cluster().serverCount(); ++i) {
        if (has(i, write)) return true;
      }
      return false;
    }
  }
  bool has([[maybe_unused]] int server, const Value& write) const override {
    const Event& event = write.as<Event>();
    if constexpr (has_data) {
      return data_.has(event);
    } else {
      return run_.isUp(server) ? Of::has(run_.node(server), event) : Of::has(run_.image(server), event);
    }
  }

 private:
  struct NoData {};
  template <class Own>
  static auto dataOf() {
    if constexpr (requires { typename Own::Data; }) return typename Own::Data{};
    if constexpr (!requires { typename Own::Data; }) return NoData{};
  }
  RunOf<F> run_;
  decltype(dataOf<Of>()) data_{};
};

using ClientsOfRun = std::unique_ptr<ClientsView> (*)(ScenarioRun& run);
/// A family's view of a run; null: it tells nothing of its clients.
template <class F>
std::unique_ptr<ClientsView> clientsOf([[maybe_unused]] ScenarioRun& run) {
  if constexpr (HasClients<F>) return std::make_unique<ClientsViewOf<F>>(run);
  return nullptr;
}

/// Of the servers that run, the one that leads with the greatest number, by index; -1: nobody. `numberOf`: the
/// number with which a node leads; empty: it does not.
template <class F, class NumberOf>
int leaderBy(const RunOf<F>& run, NumberOf numberOf) {
  int leader = -1;
  std::int64_t greatest = 0;
  for (int i = 0; i < run.cluster().serverCount(); ++i) {
    if (!run.isUp(i)) continue;
    const std::optional<std::int64_t> number = numberOf(run.node(i));
    if (!number || (leader >= 0 && *number <= greatest)) continue;
    leader = i;
    greatest = *number;
  }
  return leader;
}

}  // namespace zablab
