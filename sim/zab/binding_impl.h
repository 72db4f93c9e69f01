#pragma once

#include "sim/zab/binding.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "protocol/zab/log_impl.h"
#include "sim/sentences.h"
#include "sim/zab/words.h"

namespace zablab::zab {

template <class F>
Json logPicture(const typename F::Node& node, const typename F::Durable& disk) {
  constexpr std::size_t cells_max = 5;
  // What this server knows to be committed: its history, once it serves.
  const auto isCommitted = [&](const auto& txn) {
    return node.serves() && std::find(node.history.rbegin(), node.history.rend(), txn) != node.history.rend();
  };
  const auto isDurable = [&](const auto& txn) {
    return (disk.snapshot && txn.zxid <= disk.snapshot->last) ||
           std::find(disk.log.rbegin(), disk.log.rend(), txn) != disk.log.rend();
  };
  Txns<typename F::Service> entries = node.history;
  for (const auto& txn : node.files.log) {
    if (entries.empty() || txn.zxid > entries.back().zxid) entries.push_back(txn);
  }
  if (entries.empty()) return nullptr;
  Json cells = Json::array();
  const std::size_t first = entries.size() > cells_max ? entries.size() - cells_max : 0;
  if (first > 0) cells.push_back({{"text", "…"}, {"mark", "plain"}});
  for (std::size_t i = first; i < entries.size(); ++i) {
    const auto& txn = entries[i];
    const char* mark = isCommitted(txn) ? "committed" : isDurable(txn) ? "durable" : "proposed";
    // What was written into the file again is in it twice.
    const auto copies = std::count(node.files.log.begin(), node.files.log.end(), txn);
    for (std::ptrdiff_t copy = 0; copy < std::max<std::ptrdiff_t>(copies, 1); ++copy)
      cells.push_back({{"text", text(txn.zxid)}, {"mark", mark}});
  }
  return cellsPicture(phrase("log"), std::move(cells));
}

template <class F>
std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<typename F::Node>>& placed) {
  std::vector<Opened> opened;
  const auto orElse = [](auto& field, auto value) {
    if (field == std::decay_t<decltype(field)>{}) field = value;
  };
  for (auto& node : placed) {
    if (!node || !node->serves()) continue;
    orElse(node->epoch, node->currentEpoch());
    if (node->role != Role::LEADING) continue;
    const auto start = Zxid::of(node->epoch, 0);
    node->last_processed = std::max(node->last_processed, start);
    orElse(node->last_committed, node->last_processed);
    node->epoch_fixed = node->promised = true;
    const auto& log = node->files.log;
    orElse(node->last_proposed, std::max(log.empty() ? start : log.back().zxid, start));
  }
  for (std::size_t i = 0; i < placed.size(); ++i) {
    auto& node = placed[i];
    if (!node || !node->learns() || !node->serves()) continue;
    const int leader = cluster.indexOf(*node->leader);
    const auto at = static_cast<std::size_t>(leader);
    const bool leads = leader >= 0 && placed[at] && placed[at]->role == Role::LEADING && placed[at]->serves();
    if (leader < 0 || (!leads && !cluster.scripted[at])) {
      node->phase = Phase::discovery;  // it will find no leader there
      node->epoch = 0;
      continue;
    }
    node->newleader_acked = true;
    opened.push_back({learner_link, static_cast<int>(i), leader});
    if (!leads) continue;
    placed[at]->learners[node->self] = {.observer = node->role == Role::OBSERVING,
                                        .stage = LearnerStage::up_to_date,
                                        .last = node->last_processed};
  }
  return opened;
}

template <class F>
void checkState(const JsonValue& place, ServerId id, typename F::Node& node) {
  if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  if (node.learns() && !node.leader) {
    throw place.error("a server that is " + std::string(enumName(node.role)) + " has a leader",
                      "name it, as in \"leader\": 3");
  }
  constexpr std::int64_t doublings_max = 32;  // of one millisecond: more than any configured wait
  if (node.doublings < 0 || node.doublings > doublings_max)
    throw place.keyError("doublings", "`doublings` is from 0 to " + std::to_string(doublings_max));
  const auto& log = node.files.log;
  if (node.role == Role::LEADING && node.last_proposed != Zxid{} && !log.empty() &&
      node.last_proposed < log.back().zxid)
    throw place.keyError("last_proposed",
                         "`last_proposed` is " + text(node.last_proposed) +
                             ", and this leader's log ends with " + text(log.back().zxid),
                         "a leader logs what it proposes: leave it out, or let it be the last of the log");
  node.service = stateAfter<typename F::Service>(node.history);
}

}  // namespace zablab::zab
