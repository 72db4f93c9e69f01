// Runs that end the program or do not end: what a protocol's error leads to that no exception tells, such as
// a pointer to nothing, a recursion or a loop without end.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/fuzz/campaign.h"

namespace zablab::cli {

/// A seed whose run ended the program, or did not end.
struct Crash {
  std::uint64_t seed = 0;
  Failure failure;  ///< `program_crash` or `endless_step`
};

/// While it exists, a seed that ends the program by a signal for an error (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
/// SIGABRT), or takes more than `seed_max_s` seconds of processor time, begins the program anew, with the
/// same arguments, and `last()` tells of it there. That program watches only seeds less than this one, so
/// that it is the last one sooner or later. Not with AddressSanitizer, which reports such errors itself.
class CrashWatch : public SeedWatch {
 public:
  explicit CrashWatch(std::uint64_t seed_max_s);
  ~CrashWatch() override;
  CrashWatch(const CrashWatch&) = delete;
  void begins(std::uint64_t seed) override;
  void ends() override;

  /// By which this program was begun anew.
  const std::optional<Crash>& last() const { return last_; }

 private:
  std::optional<Crash> last_;
};

}  // namespace zablab::cli
