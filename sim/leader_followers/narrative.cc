#include "sim/leader_followers/words.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "sim/called.h"

namespace zablab::leader_followers {
namespace {

class Answer {
 public:
  explicit Answer(const Trace& trace) : called_(trace) {
    for (const TraceEvent& event : trace.events) {
      if (event.node) read(event);
    }
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> result;
    for (const auto& [server, generation] : leads_) {
      const bool elected = elected_ && elected_->first == server && elected_->second == generation;
      result.push_back(called_(Json(server)) + " leads generation " + std::to_string(generation) +
                       (elected ? ", elected by " + voters_ : ""));
    }
    if (elected_ && !leads_.contains(elected_->first))
      result.push_back(called_(Json(elected_->first)) + " was elected by " + voters_ + " in generation " +
                       std::to_string(elected_->second) + ", and leads no more");
    if (result.empty()) result.emplace_back("nobody leads when the run ends");
    result.insert(result.end(), tail_.begin(), tail_.end());
    if (!committed_.empty()) result.push_back(committed_);
    return result;
  }

 private:
  void read(const TraceEvent& event) {
    const Json& data = event.data;
    if (event.kind == "stopped" || event.kind == "started") {
      leads_.erase(*event.node);
    } else if (event.kind == "role") {
      leads_.erase(*event.node);
      if (data.at("to") == "LEADING") leads_[*event.node] = data.at("generation").get<std::int64_t>();
    } else if (event.kind == "quorum" && !data.at("pre").get<bool>()) {
      elected_ = {*event.node, data.at("generation").get<std::int64_t>()};
      voters_ = called_.all(data.at("by"));
      tail_.clear();
    } else if (event.kind == "truncated") {
      tail_.push_back(event.text);
    } else if (event.kind == "committed") {
      committed_ = event.text;
    }
  }

  const Called called_;
  std::map<std::int64_t, std::int64_t> leads_;                    ///< the generation, by server
  std::optional<std::pair<std::int64_t, std::int64_t>> elected_;  ///< the last server, and its generation
  std::string voters_;                                            ///< in that election
  std::vector<std::string> tail_;                                 ///< since that election
  std::string committed_;
};

}  // namespace

std::vector<std::string> Words::answer(const Trace& trace) { return Answer(trace).sentences(); }

}  // namespace zablab::leader_followers
