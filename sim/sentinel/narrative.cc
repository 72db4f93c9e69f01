#include "sim/sentinel/words.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/called.h"

namespace zablab::sentinel {
namespace {

class Answer {
 public:
  explicit Answer(const Trace& trace) : called_(trace) {
    for (const TraceEvent& event : trace.events) {
      if (event.node) read(event);
    }
  }

  std::vector<Phrase> sentences() const {
    std::vector<Phrase> result;
    if (!elected_.empty()) result.push_back(elected_);
    std::map<Followed, std::vector<Phrase>> followers;
    for (const auto& [sentinel, followed] : follows_) followers[followed].push_back(called_(Json(sentinel)));
    for (const auto& [followed, sentinels] : followers) {
      result.push_back(phrase("{servers}: the master is {master} since configuration {epoch}",
                              Phrase::list(sentinels), followed.master, followed.config_epoch));
    }
    if (result.empty()) result.push_back(phrase("the master is the same as at the beginning"));
    return result;
  }

 private:
  struct Followed {
    std::string master;
    std::int64_t config_epoch = 0;
    auto operator<=>(const Followed&) const = default;
  };

  void read(const TraceEvent& event) {
    const Json& data = event.data;
    if (event.kind == "elected") {
      elected_ = Phrase::of(event);
    } else if (event.kind == "switch_master") {
      follows_[*event.node] = {called_(data.at("to")), data.at("config_epoch").get<std::int64_t>()};
    }
  }

  const Called called_;
  std::map<std::int64_t, Followed> follows_;  ///< by sentinel
  Phrase elected_;
};

}  // namespace

std::vector<Phrase> Words::answer(const Trace& trace) { return Answer(trace).sentences(); }

}  // namespace zablab::sentinel
