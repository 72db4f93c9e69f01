// A search by several processes, the ranks. Each has the states whose fingerprints are its own, and is sent
// those that others find; a level is finished by all before anything is decided, so that counts, verdict and
// the length of a counterexample are those of one process.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "checker/check/checkpoint.h"
#include "checker/check/tables.h"
#include "sim/stored.h"

namespace zablab {

class Memories;

/// Pages are one process.
inline constexpr bool has_ranks = has_checkpoints;

/// A rank does not answer any more. Thrown by `Ranks::exchange`.
class RankLost : public std::runtime_error {
 public:
  RankLost() : std::runtime_error("a rank is lost") {}
};

/// How the processes reach each other (mpi/ has them in OpenMPI).
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual unsigned own() const = 0;  ///< from 0 on
  virtual unsigned count() const = 0;
  /// Sends each rank its bytes, and returns what each sends to this one. All ranks call it, equally often.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> to) = 0;

  /// Whose the state with this fingerprint is.
  unsigned ownerOf(std::uint64_t print) const {
    return static_cast<unsigned>((mix64(print) >> 32) * count() >> 32);
  }
  /// What each rank says, by rank: known to all of them.
  template <class T>
  std::vector<T> tellAll(const T& own_part) {
    std::vector<T> all;
    for (const Bytes& bytes : exchange(std::vector<Bytes>(count(), encode(own_part))))
      all.push_back(decode<T>(bytes));
    return all;
  }
};

/// A rank's part of what is sent: states, each after the values of components that it has and that its
/// receiver was not sent before; they have the sender's numbers.
class StateExchange {
 public:
  using Part = std::uint32_t;
  /// A state that was found by a move from one that its sender has.
  struct Sent {
    std::uint64_t print = 0;
    std::uint32_t parent = 0;  ///< an ordinal of the sender
    std::uint16_t move = 0;
  };

  StateExchange(Ranks& ranks, Tables& tables, Memories& memories, std::vector<StoredType> types);
  StateExchange(const StateExchange&) = delete;

  unsigned own() const { return own_; }
  bool isOwn(std::uint64_t print) const { return ranks_.ownerOf(print) == own_; }
  void put(unsigned rank, const Sent& state, const Part* tuple);
  void put(const Sent& state, const Part* tuple) { put(ranks_.ownerOf(state.print), state, tuple); }
  /// There is so much that it should be sent now.
  bool isFull() const { return waiting_ >= bytes_at_once; }

  /// Sends what was put, with `more`: this rank will have more to send in this level. Returns what was
  /// received, by rank.
  std::vector<Bytes> send(bool more);
  static bool hasMore(const Bytes& received) { return received[0] != 0; }
  static std::uint32_t countOf(const Bytes& received);
  /// Calls `take(state, tuple)` for each state in what was received, with tuples of this rank's numbers.
  void read(unsigned rank, const Bytes& received,
            const std::function<void(const Sent& state, const Part* tuple)>& take);

  /// The ranks that have the parents of this rank's states, in the order of their ordinals from 1 on.
  std::vector<std::uint16_t> parents;
  std::uint64_t states_sent = 0;  ///< to other ranks
  std::uint64_t bytes_sent = 0;

 private:
  enum class Kind : std::uint8_t { server = 1, disk, own, shared, channel, plain };
  static constexpr std::size_t kinds = 5;
  static constexpr std::size_t head_bytes = 5;
  static constexpr std::size_t bytes_at_once = 1U << 19;

  struct To {
    Bytes bytes;
    std::uint32_t states = 0;
    std::array<std::vector<bool>, kinds> knows;  ///< by kind and number
  };
  struct From {
    std::array<std::vector<Part>, kinds> numbers;  ///< this rank's, by kind and the sender's number
  };
  Kind kindOf(int part) const;
  template <class Writer>
  void putValue(Writer& writer, Kind kind, Part number) const;
  template <class Reader>
  Part getValue(Reader& reader, Kind kind);

  Ranks& ranks_;
  const unsigned own_;
  Tables& tables_;
  Memories& memories_;
  const std::vector<StoredType> types_;
  std::vector<Kind> kinds_of_;  ///< by part of a tuple
  std::vector<To> to_;
  std::vector<From> from_;
  std::size_t waiting_ = 0;
};

}  // namespace zablab
