// The program itself, run by tests: in a separate folder, without a shell.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace zablab {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

inline std::string contentsOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// A separate directory, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "zablab-cli-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

/// The program that is tested: that of this build, or what the environment variable ZABLAB names.
inline const char* program() {
  const char* const named = std::getenv("ZABLAB");
  return named != nullptr ? named : ZABLAB_BINARY;
}

/// Whether the process has its own handler for the signal (until it executes the program, it has this
/// process's handler).
inline bool handles(pid_t process, int signal) {
  std::error_code none;
  if (fs::read_symlink("/proc/" + std::to_string(process) + "/exe", none) != fs::canonical(program(), none))
    return false;
  std::istringstream lines(contentsOf("/proc/" + std::to_string(process) + "/status"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

/// Runs the program in `folder`, without a shell. `environment` replaces the whole environment except PATH;
/// `input` is the file that it reads as standard input; `signal` is sent to it once it handles that.
inline Ran zablab(const Folder& folder, Words words, Words environment = {"LC_ALL=C.UTF-8"},
                  const std::string& input = "/dev/null", int signal = 0) {
  const Folder streams;
  const std::string out = streams / "out";
  const std::string err = streams / "err";
  words.insert(words.begin(), program());
  const char* path = std::getenv("PATH");
  const bool has_path = std::any_of(environment.begin(), environment.end(),
                                    [](const std::string& one) { return one.starts_with("PATH="); });
  if (!has_path && path != nullptr) environment.push_back(std::string("PATH=") + path);
  std::vector<char*> arguments, settings;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& one : environment) settings.push_back(one.data());
  arguments.push_back(nullptr);
  settings.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t process = -1;
  const int error = posix_spawn(&process, program(), &actions, nullptr, arguments.data(), settings.data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(error == 0);
  for (bool sent = signal == 0; !sent;) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
    sent = handles(process, signal) || info.si_pid == process;
    if (sent) REQUIRE(kill(process, signal) == 0);
  }
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), contentsOf(out), contentsOf(err)};
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace zablab
