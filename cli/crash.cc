#include "cli/crash.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zablab::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_watched = false;
#elif defined(__has_feature)
constexpr bool is_watched = !__has_feature(address_sanitizer);
#else
constexpr bool is_watched = true;
#endif

constexpr std::size_t stack_bytes = 64 * 1024;
constexpr std::uint64_t no_seed = std::numeric_limits<std::uint64_t>::max();
constexpr const char* variable = "ZABLAB_CRASHED";  // "seed signal", from one program to the next

struct Watched {
  int number;
  const char* name;
  struct sigaction before;
};
std::array watched{Watched{SIGSEGV, "SIGSEGV", {}},    Watched{SIGBUS, "SIGBUS", {}},
                   Watched{SIGFPE, "SIGFPE", {}},      Watched{SIGILL, "SIGILL", {}},
                   Watched{SIGABRT, "SIGABRT", {}},       // by abort() and by failed assertions
                   Watched{SIGVTALRM, "SIGVTALRM", {}}};  // of a thread's timer

thread_local std::uint64_t seed_being_run = no_seed;

/// What the handler needs, made before: it may not allocate.
struct Restart {
  std::uint64_t seed_max_s = 0;  ///< of processor time
  std::uint64_t before = 0;      ///< only for seeds less than this
  std::string words;             ///< the arguments, each ending in a zero
  std::vector<char*> arguments;
  std::vector<char*> environment;  ///< its first entry is `told`
  std::array<char, 64> told{};
};
Restart restart;

std::atomic_flag is_taken;  // by the thread that begins the program anew

void onSignal(int number) {
  const std::uint64_t seed = seed_being_run;
  for (const Watched& one : watched) {
    if (one.number != number || seed >= restart.before) continue;
    while (is_taken.test_and_set()) pause();
    char* const end = restart.told.data() + restart.told.size() - 1;
    char* at =
        std::to_chars(restart.told.data() + std::string_view(restart.told.data()).size(), end, seed).ptr;
    *at++ = ' ';
    for (const char* name = one.name; *name != 0; ++name) *at++ = *name;
    *at = 0;
    sigset_t all;  // what is blocked here would be blocked there
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    execve("/proc/self/exe", restart.arguments.data(), restart.environment.data());
  }
  if (number == SIGVTALRM) return;  // of a seed that has just ended
  signal(number, SIG_DFL);
  raise(number);
}

std::optional<Crash> crashTold(std::uint64_t seed_max_s) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string told(text);
  unsetenv(variable);
  Crash crash;
  const char* const end = told.data() + told.size();
  const auto [rest, error] = std::from_chars(told.data(), end, crash.seed);
  for (const Watched& one : watched) {
    if (error != std::errc{} || std::string_view(rest, end) != std::string(" ") + one.name) continue;
    if (one.number == SIGVTALRM) {
      crash.failure = {endless_step,
                       "it has not ended after " + std::to_string(seed_max_s) + " s of processor time", 0};
    } else {
      crash.failure = {program_crash, std::string("the program receives ") + one.name, 0};
    }
    return crash;
  }
  return std::nullopt;
}

/// What a thread needs in which seeds are run.
class ThreadWatch {
 public:
  ThreadWatch() {
    stack_t given{};
    given.ss_sp = stack_.get();
    given.ss_size = stack_bytes;
    sigaltstack(&given, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    has_timer_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  }
  ~ThreadWatch() {
    if (has_timer_) timer_delete(timer_);
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  ThreadWatch(const ThreadWatch&) = delete;

  /// 0: no more.
  void limit(std::uint64_t seconds) {
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<std::time_t>(seconds);
    if (has_timer_) timer_settime(timer_, 0, &spec, nullptr);
  }

 private:
  /// Of the handler, since a recursion without end leaves none.
  std::unique_ptr<char[]> stack_ = std::make_unique<char[]>(stack_bytes);
  timer_t timer_{};
  bool has_timer_ = false;
};

ThreadWatch& threadWatch() {
  thread_local ThreadWatch watch;
  return watch;
}

}  // namespace

void CrashWatch::begins(std::uint64_t seed) {
  if (restart.before == 0) return;
  threadWatch().limit(restart.seed_max_s);
  seed_being_run = seed;
}
void CrashWatch::ends() {
  if (restart.before == 0) return;
  seed_being_run = no_seed;
  threadWatch().limit(0);
}

CrashWatch::CrashWatch(std::uint64_t seed_max_s) : last_(crashTold(seed_max_s)) {
  if (!is_watched) return;
  restart = Restart{.seed_max_s = seed_max_s};
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  restart.words.assign(std::istreambuf_iterator<char>(file), {});
  for (std::size_t at = 0; at < restart.words.size(); at = restart.words.find('\0', at) + 1)
    restart.arguments.push_back(restart.words.data() + at);
  restart.arguments.push_back(nullptr);
  const std::string begin = std::string(variable) + "=";
  begin.copy(restart.told.data(), begin.size());
  restart.environment.push_back(restart.told.data());
  for (char** one = environ; *one != nullptr; ++one) restart.environment.push_back(*one);
  restart.environment.push_back(nullptr);
  restart.before = last_ ? last_->seed : no_seed;
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  for (Watched& one : watched) sigaction(one.number, &action, &one.before);
}

CrashWatch::~CrashWatch() {
  if (!is_watched) return;
  restart.before = 0;
  for (const Watched& one : watched) sigaction(one.number, &one.before, nullptr);
}

}  // namespace zablab::cli
