#include "sim/sentinel/narrative.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

  std::vector<std::string> sentences() const {
    std::vector<std::string> result;
    if (!elected_.empty()) result.push_back(elected_);
    std::map<std::string, std::string> followers;
    for (const auto& [sentinel, config] : follows_) {
      std::string& list = followers[config];
      list += (list.empty() ? "" : ", ") + called_(Json(sentinel));
    }
    for (const auto& [config, sentinels] : followers) result.push_back(sentinels + ": " + config);
    if (result.empty()) result.emplace_back("the master is the same as at the beginning");
    if (acknowledged_.empty()) return result;
    const auto lost = std::count_if(acknowledged_.begin(), acknowledged_.end(),
                                    [](const Acknowledged& write) { return write.lost; });
    result.push_back(std::to_string(acknowledged_.size()) + " writes were acknowledged, " +
                     std::to_string(lost) + " of them lost");
    return result;
  }

 private:
  struct Acknowledged {
    std::int64_t server = 0;
    std::int64_t offset = 0;
    bool lost = false;
  };

  void read(const TraceEvent& event) {
    const Json& data = event.data;
    const auto integer = [&](const char* field) { return data.at(field).get<std::int64_t>(); };
    if (event.kind == "elected") {
      elected_ = event.text;
    } else if (event.kind == "switch_master") {
      follows_[*event.node] = "the master is " + called_(data.at("to")) + " since configuration " +
                              std::to_string(integer("config_epoch"));
    } else if (event.kind == "role" && data.at("to") == "master" && !data.at("started").get<bool>()) {
      // What the new master does not have yet is lost, and so is what another one accepts from now on.
      for (Acknowledged& write : acknowledged_) write.lost = write.lost || write.offset > integer("offset");
      master_ = *event.node;
    } else if (event.kind == "answered" && data.at("operation") == "write" && data.at("outcome") == "ok") {
      const std::int64_t server = integer("server");
      acknowledged_.push_back({server, integer("offset"), master_ && server != *master_});
    }
  }

  const Called called_;
  std::map<std::int64_t, std::string> follows_;  ///< by sentinel
  std::string elected_;
  std::optional<std::int64_t> master_;  ///< the last that was promoted
  std::vector<Acknowledged> acknowledged_;
};

}  // namespace

std::vector<std::string> answerOf(const Trace& trace) { return Answer(trace).sentences(); }

}  // namespace zablab::sentinel
