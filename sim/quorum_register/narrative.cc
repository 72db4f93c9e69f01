#include "sim/quorum_register/words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "sim/called.h"

namespace zablab::quorum_register {

std::vector<std::string> Words::answer(const Trace& trace) {
  const Called called(trace);
  std::vector<std::pair<std::int64_t, std::string>> last;  // by client
  std::map<std::int64_t, std::string> open;                // the operation, by client
  std::size_t ended = 0;
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    if (event.kind == "invoked") {
      open[*event.node] = event.data.at("request").at("operation").get<std::string>();
    } else if (event.kind == "stopped") {
      open.erase(*event.node);
    } else if (event.kind == "answered" && event.data.at("outcome") != "busy") {
      open.erase(*event.node);
      std::erase_if(last, [&](const auto& one) { return one.first == *event.node; });
      last.emplace_back(*event.node, event.text);
      ++ended;
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [client, text] : last) sentences.push_back(text);
  if (ended > last.size()) {
    const std::size_t before = ended - last.size();
    sentences.push_back(std::to_string(before) + (before == 1 ? " request" : " requests") + " ended before");
  }
  for (const auto& [client, operation] : open) {
    sentences.push_back(called(Json(client)) + "'s " +
                        (operation == "compare_and_set" ? "comparison" : operation) +
                        " has no answer when the run ends");
  }
  if (sentences.empty()) sentences.emplace_back("nothing was read or written");
  return sentences;
}

}  // namespace zablab::quorum_register
