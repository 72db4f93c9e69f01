// zablab-mpi: `zablab check` by several processes, which mpirun starts.
#include <mpi.h>

#include <chrono>
#include <climits>
#include <cstdio>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include "checker/check/ranks.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"

namespace zablab {
namespace {

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int own = 0, count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    own_ = static_cast<unsigned>(own);
    count_ = static_cast<unsigned>(count);
  }
  unsigned own() const override { return own_; }
  unsigned count() const override { return count_; }

  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    std::vector<int> to_sizes, from_sizes(count_);
    for (const Bytes& bytes : to) to_sizes.push_back(sizeOf(bytes.size()));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoall(to_sizes.data(), 1, MPI_INT, from_sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait(request);
    std::vector<int> to_places, from_places;
    join(to, to_places);
    std::size_t received_bytes = 0;
    for (const int size : from_sizes) {
      from_places.push_back(sizeOf(received_bytes));
      received_bytes += static_cast<std::size_t>(size);
    }
    sizeOf(received_bytes);
    if (received_.size() < received_bytes) received_.resize(received_bytes);
    MPI_Ialltoallv(sent_.data(), to_sizes.data(), to_places.data(), MPI_BYTE, received_.data(),
                   from_sizes.data(), from_places.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    wait(request);
    std::vector<Bytes> from;
    for (unsigned rank = 0; rank < count_; ++rank) {
      const auto begin = received_.begin() + from_places[rank];
      from.emplace_back(begin, begin + from_sizes[rank]);
    }
    return from;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static int sizeOf(std::size_t bytes) {
    if (bytes > INT_MAX) throw std::runtime_error("more than 2 GiB would be sent at once");
    return static_cast<int>(bytes);
  }
  void join(const std::vector<Bytes>& parts, std::vector<int>& places) {
    sent_.clear();
    for (const Bytes& part : parts) {
      places.push_back(sizeOf(sent_.size()));
      sent_.insert(sent_.end(), part.begin(), part.end());
    }
    sizeOf(sent_.size());
  }

  /// mpirun asks the others to end if one is lost: what that one would send never comes.
  static void wait(MPI_Request& request) {
    constexpr int at_once = 2000;
    std::optional<Clock::time_point> asked_to_end;
    for (int tries = 0;; ++tries) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      if (tries > at_once) std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (!cli::interrupted) continue;
      if (!asked_to_end) asked_to_end = Clock::now();
      if (Clock::now() - *asked_to_end > std::chrono::milliseconds(400)) throw RankLost();
    }
  }

  unsigned own_ = 0;
  unsigned count_ = 0;
  Bytes sent_;      ///< what was sent last, its memory kept for the next
  Bytes received_;  ///< the same of what was received
};

/// The first rank reports for all: the others write nothing.
struct Nowhere : std::streambuf {
  int overflow(int character) override { return character == EOF ? 0 : character; }
};

int commandOfRank(Ranks& ranks, const cli::Words& words, bool& together) {
  try {
    const std::string usage = "usage: mpirun -n N zablab-mpi check MODEL|DIR... [options]";
    if (words == cli::Words{"--help"} || words == cli::Words{"-h"}) {
      std::cout << usage
                << "\n`zablab check --help` describes the options; docs/model-checking.md which of them "
                   "ranks have.\n";
      return cli::held;
    }
    if (words.empty() || words[0] != "check") throw cli::UsageError(usage);
    const cli::ExitCode code = cli::checkCommand(cli::Words(words.begin() + 1, words.end()), ranks, together);
    std::cout.flush();
    return code;
  } catch (const cli::UsageError& error) {
    std::cerr << "zablab-mpi: " << cli::printableLines(error.what()) << "\n";
    return cli::bad_input;
  } catch (const InputError& error) {
    std::cerr << error.what() << "\n";
    return cli::bad_input;
  } catch (const std::exception& error) {
    together = false;
    std::fprintf(stderr, "zablab-mpi: rank %u: %s\n", ranks.own(), error.what());
    return cli::trouble;
  }
}

}  // namespace
}  // namespace zablab

int main(int count, char** words) {
  using namespace zablab;
  MPI_Init(&count, &words);
  MpiRanks ranks;
  Nowhere nowhere;
  std::streambuf* const own_output = std::cout.rdbuf();
  std::streambuf* const own_errors = std::cerr.rdbuf();
  if (ranks.own() != 0) {
    std::cout.rdbuf(&nowhere);
    std::cerr.rdbuf(&nowhere);
  }
  bool together = true;  // no rank is lost, and none has failed alone
  int code = cli::trouble;
  {
    const cli::EscapedOutput escaped_output(std::cout);
    const cli::EscapedOutput escaped_errors(std::cerr);
    code = commandOfRank(ranks, cli::Words(words + 1, words + count), together);
  }
  std::cout.rdbuf(own_output);
  std::cerr.rdbuf(own_errors);
  if (!together) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
