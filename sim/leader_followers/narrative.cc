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

  std::vector<Phrase> sentences() const {
    std::vector<Phrase> result;
    for (const auto& [server, generation] : leads_) {
      const bool elected = elected_ && elected_->first == server && elected_->second == generation;
      result.push_back(elected
                           ? phrase("{server} leads generation {generation}, elected by {servers}",
                                    called_(server), generation, voters_)
                           : phrase("{server} leads generation {generation}", called_(server), generation));
    }
    if (elected_ && !leads_.contains(elected_->first))
      result.push_back(
          phrase("{server} was elected by {servers} in generation {generation}, and leads no more",
                 called_(elected_->first), voters_, elected_->second));
    if (result.empty()) result.push_back(phrase("nobody leads when the run ends"));
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
      voters_ = listOf(data.at("by"), called_);
      tail_.clear();
    } else if (event.kind == "truncated") {
      tail_.push_back(Phrase::of(event));
    } else if (event.kind == "committed") {
      committed_ = Phrase::of(event);
    }
  }

  const Called called_;
  std::map<std::int64_t, std::int64_t> leads_;                    ///< the generation, by server
  std::optional<std::pair<std::int64_t, std::int64_t>> elected_;  ///< the last server, and its generation
  Phrase voters_;                                                 ///< in that election
  std::vector<Phrase> tail_;                                      ///< since that election
  Phrase committed_;
};

}  // namespace

std::vector<Phrase> Words::answer(const Trace& trace) { return Answer(trace).sentences(); }

}  // namespace zablab::leader_followers
