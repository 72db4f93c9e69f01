// What the program's exit status says. Where several apply, the larger claim wins: 2, 4, 1, 3, 0.
#pragma once

namespace zablab::cli {

enum ExitCode : int {
  held = 0,          ///< everything held
  broken = 1,        ///< a rule was violated, an expectation failed, a difference was found
  bad_input = 2,     ///< usage, or an input that is not what it should be
  inconclusive = 3,  ///< it could not be told
  trouble = 4,       ///< an internal error, or the environment's
};

/// The larger claim of two.
constexpr ExitCode larger(ExitCode a, ExitCode b) {
  constexpr int rank[] = {0, 2, 4, 1, 3};
  return rank[a] >= rank[b] ? a : b;
}

}  // namespace zablab::cli
