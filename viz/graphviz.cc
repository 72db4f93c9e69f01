#include "viz/graphviz.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "viz/dot.h"

extern char** environ;

namespace zablab::viz {
namespace {

using Kind = GraphvizError::Kind;
using Clock = std::chrono::steady_clock;

constexpr std::size_t words_kept_max = 4000;

/// A file descriptor that is closed when it goes out of scope.
class Handle {
 public:
  explicit Handle(int descriptor = -1) : descriptor_(descriptor) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  int get() const { return descriptor_; }
  bool isOpen() const { return descriptor_ >= 0; }
  void set(int descriptor) {
    close();
    descriptor_ = descriptor;
  }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

/// A file next to `path` that replaces it at the end, and is removed otherwise.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), temporary_(path + ".XXXXXX") {
    const int descriptor = mkstemp(temporary_.data());
    if (descriptor < 0) {
      throw GraphvizError(Kind::file, "cannot write beside " + path + ": " + std::strerror(errno));
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, static_cast<mode_t>(0666) & ~mask);
    handle_.set(descriptor);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!kept_) unlink(temporary_.c_str());
  }

  int get() const { return handle_.get(); }

  void keep() {
    handle_.close();
    if (rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw GraphvizError(Kind::file, "cannot write " + path_ + ": " + std::strerror(errno));
    }
    kept_ = true;
  }

 private:
  std::string path_, temporary_;
  Handle handle_;
  bool kept_ = false;
};

/// A program with the text on its standard input, `output` as its standard output and a pipe for its error
/// messages.
class Program {
 public:
  Program(std::vector<std::string> words, int output) {
    std::array<int, 2> to_it{}, from_it{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to_it.data()) != 0) fail();
    input_.set(to_it[0]);
    const Handle its_input(to_it[1]);
    if (pipe2(from_it.data(), O_CLOEXEC) != 0) fail();
    complaints_.set(from_it[0]);
    const Handle its_complaints(from_it[1]);
    fcntl(input_.get(), F_SETFL, O_NONBLOCK);
    fcntl(complaints_.get(), F_SETFL, O_NONBLOCK);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its_input.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, its_complaints.get(), STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int error = posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) {
      throw GraphvizError(Kind::missing,
                          "the program `" + words[0] +
                              "` was not found; install the package `graphviz`, or write DOT instead");
    }
    if (error != 0)
      throw GraphvizError(Kind::failed, "cannot run `" + words[0] + "`: " + std::strerror(error));
    running_ = true;
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (running_) stop();
  }

  /// Writes the text and reads the output until the program ends. False when the time is over: the program is
  /// then killed.
  bool talk(std::string_view text, Clock::time_point deadline) {
    while (complaints_.isOpen()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) {
        stop();
        return false;
      }
      if (text.empty()) input_.close();
      std::array<pollfd, 2> waiting = {{{complaints_.get(), POLLIN, 0}, {input_.get(), POLLOUT, 0}}};
      if (poll(waiting.data(), input_.isOpen() ? 2 : 1,
               static_cast<int>(std::min<std::int64_t>(left, 1000))) < 0) {
        if (errno == EINTR) continue;
        fail();
      }
      if (waiting[0].revents != 0) listen();
      if (input_.isOpen() && waiting[1].revents != 0) feed(text);
    }
    return waitUntil(deadline);
  }

  /// As returned by waitpid.
  int status() const { return status_; }

  const std::string& complaints() const { return words_; }

 private:
  [[noreturn]] static void fail() {
    throw GraphvizError(Kind::failed, std::string("cannot run Graphviz: ") + std::strerror(errno));
  }

  void feed(std::string_view& text) {
    const ssize_t sent = send(input_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      text = {};  // it no longer reads; its exit status shows why
    }
  }

  void listen() {
    std::array<char, 4096> part{};
    const ssize_t got = read(complaints_.get(), part.data(), part.size());
    if (got > 0) {
      words_.append(part.data(), static_cast<std::size_t>(got));
      if (words_.size() > 2 * words_kept_max) words_.erase(0, words_.size() - words_kept_max);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      complaints_.close();
    }
  }

  bool waitUntil(Clock::time_point deadline) {
    while (true) {
      const pid_t ended = waitpid(process_, &status_, WNOHANG);
      if (ended == process_ || (ended < 0 && errno != EINTR)) {
        running_ = false;
        return true;
      }
      if (Clock::now() >= deadline) {
        stop();
        return false;
      }
      poll(nullptr, 0, 2);
    }
  }

  void stop() {
    kill(process_, SIGKILL);
    while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    running_ = false;
  }

  Handle input_, complaints_;
  pid_t process_ = -1;
  bool running_ = false;
  int status_ = 0;
  std::string words_;
};

/// The last lines of a program's output, indented.
std::string tail(const std::string& words) {
  std::string result;
  std::size_t begin = words.size();
  for (int lines = 0; lines < 6 && begin > 0; ++lines) {
    const std::size_t line_break = words.rfind('\n', begin - 1);
    begin = line_break == std::string::npos ? 0 : line_break;
  }
  std::string line;
  for (const char c : words.substr(begin) + '\n') {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.empty()) result += "\n  " + clean(line);
    line.clear();
  }
  return result;
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::int64_t pngPixels(const Sheet& sheet, int dpi) {
  const std::int64_t longer = std::max(sheet.width, sheet.height);
  return (longer * dpi + 719) / 720;
}

void drawDot(const std::string& dot, ImageFormat format, const std::string& path,
             const GraphvizOptions& options) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(options.time_limit_ms);
  std::vector<std::string> words = {options.program, format == ImageFormat::svg ? "-Tsvg" : "-Tpng"};
  if (format == ImageFormat::png) words.push_back("-Gdpi=" + std::to_string(options.dpi));
  NewFile file(path);
  Program program(std::move(words), file.get());
  if (!program.talk(dot, deadline)) {
    throw GraphvizError(Kind::timed_out,
                        "`" + options.program + "` took longer than " +
                            std::to_string(options.time_limit_ms) +
                            " ms and was stopped; draw fewer rows with --page, --from and --to");
  }
  if (!WIFEXITED(program.status()) || WEXITSTATUS(program.status()) != 0) {
    throw GraphvizError(Kind::failed,
                        "`" + options.program + "` " + ending(program.status()) + tail(program.complaints()));
  }
  file.keep();
}

void drawSheet(const Sheet& sheet, ImageFormat format, const std::string& path,
               const GraphvizOptions& options) {
  if (format == ImageFormat::png && pngPixels(sheet, options.dpi) > png_pixels_max) {
    throw GraphvizError(Kind::too_large, "a PNG of this picture would be " +
                                             std::to_string(pngPixels(sheet, options.dpi)) +
                                             " pixels long, and " + std::to_string(png_pixels_max) +
                                             " is the limit; use SVG, or fewer rows with --page");
  }
  drawDot(toDot(sheet), format, path, options);
}

}  // namespace zablab::viz
