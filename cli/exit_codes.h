// The meaning of the program's exit status. If several apply, the stronger one takes precedence: 2, 4, 1, 3,
// 0.
#pragma once

namespace zablab::cli {

enum ExitCode : int {
  held = 0,          ///< everything held
  broken = 1,        ///< a rule was violated, an expectation failed, a difference was found
  bad_input = 2,     ///< incorrect usage, or an invalid input
  inconclusive = 3,  ///< undecided: a limit was reached before, or there was nothing to compare
  trouble = 4,       ///< an error of the program or of the environment
};

/// The stronger of two.
constexpr ExitCode larger(ExitCode a, ExitCode b) {
  constexpr int rank[] = {0, 2, 4, 1, 3};
  return rank[a] >= rank[b] ? a : b;
}

}  // namespace zablab::cli
