// What must hold of a register that a quorum of replicas keeps, what a search requires of the family besides
// its steps, and its random runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/family.h"
#include "checker/history/register.h"
#include "sim/quorum_register/binding.h"

namespace zablab {
namespace quorum_register {

// ---- the memory of the monitors: only what a later verdict can depend on, because an exhaustive search
// distinguishes states by it

/// For one server or client.
struct OwnMemory {
  Version stored;            ///< a replica: its last write, durable or not
  std::int64_t request = 0;  ///< a client: the last that it began
  /// The replicas whose answers to it were read before it was finished, by index, one bit each.
  std::uint64_t heard = 0;
  bool waits = false;  ///< it is not finished yet
  Version seen;        ///< the newest version that it has read or written
  ZABLAB_FIELDS(OwnMemory, (stored, request, heard, waits, seen));
};

/// A durable copy: a home's own, or what a stand-in keeps for it.
struct Copy {
  int holder = -1;  ///< by index
  ServerId home = no_server;
  Version version;
  ZABLAB_FIELDS(Copy, (holder, home, version));
};

struct SharedMemory {
  history::RegisterHistory history;
  std::vector<Copy> copies;  ///< by holder, then by home
  ZABLAB_FIELDS(SharedMemory, (history, copies));
};

/// The history of the clients' requests and answers, and what is durable where: computed from durable writes,
/// messages and what clients report about their requests.
class Ledger : public Book<Family, OwnMemory, SharedMemory> {
 public:
  using Book::Book;

  void begin(int server, const Durable& disk);
  void on(const Happened<Family>& seen) override;

  /// What the replica had before the last write, or start, seen.
  const Version& storedBefore() const { return stored_before_; }
  /// The homes whose copy, there or with a stand-in, is durable and at least as new.
  std::vector<ServerId> homesThatHave(const Version& version);

 private:
  void onRecord(int server, const Record& record);
  void onEvent(int server, const Event& event);
  void note(int holder, ServerId home, const Version& version);

  Version stored_before_;
};

/// Those that a search judges as well. Not all invariants are guaranteed under all rules: the rules serve to
/// show that.
std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);
/// All of them, of a run.
std::unique_ptr<MonitorSet<Family>> runMonitors(const Cluster<Family>& cluster);

}  // namespace quorum_register

template <>
struct InvariantsOf<quorum_register::Family> {
  static std::unique_ptr<MonitorSet<quorum_register::Family>> all(
      const Cluster<quorum_register::Family>& cluster) {
    return quorum_register::runMonitors(cluster);
  }
};

template <>
struct CheckOf<quorum_register::Family>
    : BookMonitors<quorum_register::Family, quorum_register::Ledger, &quorum_register::monitorsWith> {
  using F = quorum_register::Family;
  using BookMonitors::BookMonitors;

  static constexpr std::uint32_t idle = 1;       ///< it waits for no answer; replicas never do
  static constexpr std::uint32_t has_hints = 2;  ///< a stand-in
  static std::uint32_t view(const F::Config& config, const F::Rules& rules, const F::Node& node);
  static Fires firesByDefault(F::TimerKind kind);

  static constexpr std::array state_invariants{
      InvariantInfo{"converged",
                    "if nothing was lost or is in flight, every client was answered and no stand-in keeps "
                    "anything, all homes have the same value"}};
  StateVerdict judge(const StoreOf<F>& store);
};

extern template const FamilyCheck& theCheck<quorum_register::Family>();

template <>
struct FuzzOf<quorum_register::Family> {
  using F = quorum_register::Family;

  static constexpr std::array settings{
      FuzzSetting{"datagrams", FuzzPreset::lossy, 700},        ///< messages are lost, or arrive twice
      FuzzSetting{"client_cut", FuzzPreset::partitions, 400},  ///< a client is cut off from a server
      FuzzSetting{"client_clog", FuzzPreset::lossy, 400},      ///< a link between them holds messages back
      FuzzSetting{"skew", FuzzPreset::pauses, 500},            ///< clients' clocks differ
      FuzzSetting{"uneven", FuzzPreset::calm, 300},            ///< R and W are not majorities
      FuzzSetting{"hints", FuzzPreset::swarm, 600},      ///< stand-ins keep copies, which count for no quorum
      FuzzSetting{"initial", FuzzPreset::swarm, 300},    ///< the register begins with another value than 0
      FuzzSetting{"hint_left", FuzzPreset::swarm, 300},  ///< a stand-in keeps a copy from the beginning
  };
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);

  /// Whether a replica has been written to, and whether it keeps anything for another.
  static std::uint32_t placeOf(const F::Node& node) {
    return (node.stored.version == quorum_register::Version{} ? 0U : 1U) | (node.hints.empty() ? 0U : 2U);
  }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place);

  static constexpr std::uint32_t all_operations =
      1U << static_cast<unsigned>(quorum_register::Operation::write) |
      1U << static_cast<unsigned>(quorum_register::Operation::read);
  static constexpr const char* operations_text = "a write and a read";
  static std::uint32_t answered(const F::Event& event);
  /// It turns to no server, and ends each request by itself.
  static std::pair<ServerId, bool> clientOf(const F::Node&) { return {no_server, false}; }
  static std::string settingOf(const Cluster<F>& cluster);

  static std::unique_ptr<FuzzWatcher> watcher(const FuzzRun& run);
};

}  // namespace zablab
