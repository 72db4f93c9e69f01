// The engine for pages: a module of WebAssembly that imports nothing but the few functions of WASI that its
// standard library mentions (viz/explorer/worker.js has them), and that a page calls as
//
//     room = engine_room(bytes); write the request there; at = engine_answer(); read engine_answer_bytes()
//     bytes
//
// An answer stays until the next request. What is known of it before that is a line on standard output.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "live/answer.h"

namespace {

std::string& request() {
  static std::string text;
  return text;
}

std::string& answered() {
  static std::string text;
  return text;
}

void print(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::uint64_t milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

extern "C" {

__attribute__((export_name("engine_room"))) char* engineRoom(std::size_t bytes) {
  request().assign(bytes, '\0');
  return request().data();
}

__attribute__((export_name("engine_answer"))) const char* engineAnswer() {
  answered() = zablab::live::answer(request(), print, milliseconds);
  return answered().c_str();
}

__attribute__((export_name("engine_answer_bytes"))) std::size_t engineAnswerBytes() {
  return answered().size();
}
}
