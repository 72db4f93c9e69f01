#include "sim/sentinel/words.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/called.h"
#include "sim/scenario.h"

namespace zablab::sentinel {
namespace {

class Answer {
 public:
  explicit Answer(const Trace& trace) : called_(trace) {
    for (const Json& node : trace.header.value("nodes", Json::array())) {
      if (node.value("kind", "") == "redis") redis_.insert(node.at("id").get<std::int64_t>());
    }
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
    if (acknowledged_.empty()) return result;
    const auto lost = std::count_if(acknowledged_.begin(), acknowledged_.end(),
                                    [this](const Acknowledged& write) { return isLost(write); });
    result.push_back(
        phrase("{count} writes were acknowledged, {lost} of them lost", acknowledged_.size(), lost));
    return result;
  }

 private:
  struct Followed {
    std::string master;
    std::int64_t config_epoch = 0;
    auto operator<=>(const Followed&) const = default;
  };
  struct Acknowledged {
    std::int64_t server = 0;  ///< that accepted it
    Json entry;               ///< as servers store it
  };

  /// Judged by content, when the run ends: the last master does not have it. Before a failover, and for the
  /// master of a group of its own, that is the server that accepted it.
  bool isLost(const Acknowledged& write) const {
    if (master_ && has(*master_, write.entry)) return false;
    const bool own_group = own_masters_.contains(write.server) && !watched_.contains(write.server);
    const bool of_others = master_ && !own_group;
    return of_others || !has(write.server, write.entry);
  }
  bool has(std::int64_t server, const Json& entry) const {
    const auto state = states_.find(server);
    if (state == states_.end()) return false;
    const bool up = state->second.value("up", false);
    const auto kept = kept_.find(server);
    if (!up && kept == kept_.end()) return false;
    const Json& data = up ? state->second.at("redis").at("data") : kept->second;
    return std::find(data.begin(), data.end(), entry) != data.end();
  }

  /// What the Redis servers have.
  void keepState(const TraceEvent& event) {
    Json& state = states_.try_emplace(*event.node, Json::object()).first->second;
    const bool redis = state.value("up", false) && state.contains("redis") && state.at("redis").is_object();
    if (event.kind == "stopped" && redis) kept_[*event.node] = state.at("redis").at("data");
    if (event.kind == "wiped") kept_.erase(*event.node);
    if (hasChanges(event)) applyChanges(state, event);
  }

  void read(const TraceEvent& event) {
    if (redis_.contains(*event.node)) keepState(event);
    if (event.kind == "started" && event.changes.contains("sentinel") &&
        event.changes.at("sentinel").is_object())
      watched_.insert(serverIn(event.changes.at("sentinel").at("master")));
    const Json& data = event.data;
    const auto integer = [&](const char* field) { return data.at(field).get<std::int64_t>(); };
    if (event.kind == "elected") {
      elected_ = Phrase::of(event);
    } else if (event.kind == "switch_master") {
      follows_[*event.node] = {called_(data.at("to")), integer("config_epoch")};
      if (integer("config_epoch") >= config_epoch_) {
        config_epoch_ = integer("config_epoch");
        master_ = integer("to");
      }
    } else if (event.kind == "role" && data.at("to") == "master" && data.at("started").get<bool>()) {
      own_masters_.insert(*event.node);
    } else if (event.kind == "role" && data.at("to") == "master") {
      master_ = *event.node;
    } else if (event.kind == "answered" && data.at("operation") == "write" && data.at("outcome") == "ok") {
      acknowledged_.push_back({integer("server"), {{"client", *event.node}, {"number", integer("number")}}});
    }
  }

  const Called called_;
  std::map<std::int64_t, Followed> follows_;  ///< by sentinel
  Phrase elected_;
  std::optional<std::int64_t> master_;  ///< the last that was promoted
  std::int64_t config_epoch_ = 0;       ///< of the newest configuration
  std::set<std::int64_t> redis_;
  std::set<std::int64_t> own_masters_;   ///< that have started as masters
  std::set<std::int64_t> watched_;       ///< the masters that sentinels begin with
  std::map<std::int64_t, Json> states_;  ///< of Redis servers
  std::map<std::int64_t, Json> kept_;    ///< what those that are down had
  std::vector<Acknowledged> acknowledged_;
};

}  // namespace

std::vector<Phrase> Words::answer(const Trace& trace) { return Answer(trace).sentences(); }

}  // namespace zablab::sentinel
