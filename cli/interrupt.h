// Ctrl-C and a request to terminate (as batch systems send it), which the program queries to decide whether
// to continue.
#pragma once

#include <atomic>
#include <csignal>

namespace zablab::cli {

inline std::atomic<bool> interrupted{false};

/// A signal requests an end; a second one has the system's default effect.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
  }
  Interruptible(const Interruptible&) = delete;
  ~Interruptible() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
  }

 private:
  struct sigaction before_int_ {};
  struct sigaction before_term_ {};
};

}  // namespace zablab::cli
