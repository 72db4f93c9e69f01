#include "protocol/zab/quorum.h"

#include <map>

namespace zablab::zab {
namespace {

bool hasGroups(const Config& config) {
  return std::any_of(config.members.begin(), config.members.end(),
                     [](const Member& m) { return m.group.has_value(); });
}

bool isCounted(const Member& member, const BroadcastRules& rules) {
  return !member.observer || rules.counted == Counted::everybody;
}

bool exceedsHalf(std::int64_t part, std::int64_t whole, const BroadcastRules& rules) {
  return rules.majority == Majority::half ? 2 * part >= whole : 2 * part > whole;
}

struct Shares {
  std::int64_t all = 0;
  std::int64_t agreed = 0;
};

}  // namespace

bool isQuorum(const Config& config, const BroadcastRules& rules, std::span<const ServerId> agree) {
  const bool groups = hasGroups(config);
  std::map<std::int64_t, Shares> shares;  // by group; a single group 0 for a plain majority
  for (const Member& member : config.members) {
    if (!isCounted(member, rules) || (groups && !member.group)) continue;
    const std::int64_t weight = groups ? member.weight : 1;
    Shares& group = shares[member.group.value_or(0)];
    group.all += weight;
    if (std::find(agree.begin(), agree.end(), member.id) != agree.end()) group.agreed += weight;
  }
  Shares satisfied;
  for (const auto& [id, group] : shares) {
    if (group.all == 0) continue;
    ++satisfied.all;
    if (exceedsHalf(group.agreed, group.all, rules)) ++satisfied.agreed;
  }
  return satisfied.all > 0 &&
         (groups ? exceedsHalf(satisfied.agreed, satisfied.all, rules) : satisfied.agreed == 1);
}

std::int64_t quorumSize(const Config& config, const BroadcastRules& rules) {
  std::int64_t all = 0;
  if (hasGroups(config)) {
    std::map<std::int64_t, std::int64_t> weights;
    for (const Member& member : config.members) {
      if (isCounted(member, rules) && member.group) weights[*member.group] += member.weight;
    }
    all = std::count_if(weights.begin(), weights.end(), [](const auto& group) { return group.second != 0; });
  } else {
    all = std::count_if(config.members.begin(), config.members.end(),
                        [&](const Member& member) { return isCounted(member, rules); });
  }
  return rules.majority == Majority::half ? (all + 1) / 2 : all / 2 + 1;
}

bool isElectable(const Config& config, const BroadcastRules& rules, ServerId id) {
  const Member* member = config.find(id);
  return member != nullptr && (!member->observer || rules.electable == Electable::everybody);
}

std::int64_t weightOf(const Config& config, ServerId id) {
  if (!hasGroups(config)) return 1;
  const Member* member = config.find(id);
  return member == nullptr ? 0 : member->weight;
}

}  // namespace zablab::zab
