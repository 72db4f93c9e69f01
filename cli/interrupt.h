// Ctrl-C, as a question whether to go on.
#pragma once

#include <atomic>
#include <csignal>

namespace zablab::cli {

inline std::atomic<bool> interrupted{false};

/// Ctrl-C asks for an end; a second one is the system's.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  Interruptible(const Interruptible&) = delete;
  ~Interruptible() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

}  // namespace zablab::cli
