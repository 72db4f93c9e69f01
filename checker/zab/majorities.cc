#include "checker/zab/majorities.h"

#include <algorithm>
#include <map>
#include <optional>

namespace zablab::zab {
namespace {

struct Share {
  std::int64_t all = 0;
  std::int64_t part = 0;
  bool isMajority() const { return part + part > all; }
};

const Member* memberOf(const Config& config, ServerId server) {
  const auto at = std::find_if(config.members.begin(), config.members.end(),
                               [server](const Member& member) { return member.id == server; });
  return at == config.members.end() ? nullptr : &*at;
}

bool areGrouped(const Config& config) {
  return std::any_of(config.members.begin(), config.members.end(),
                     [](const Member& member) { return member.group.has_value(); });
}

}  // namespace

bool areMajority(const Config& config, const std::vector<ServerId>& servers) {
  const bool grouped = areGrouped(config);
  std::map<std::optional<std::int64_t>, Share> groups;  // without groups, one of all voters
  for (const Member& member : config.members) {
    if (member.observer || member.group.has_value() != grouped) continue;
    Share& group = groups[member.group];
    const std::int64_t weight = grouped ? member.weight : 1;
    group.all += weight;
    if (std::find(servers.begin(), servers.end(), member.id) != servers.end()) group.part += weight;
  }
  Share of_groups;
  for (const auto& [name, group] : groups) {
    if (group.all == 0) continue;
    ++of_groups.all;
    if (group.isMajority()) ++of_groups.part;
  }
  return of_groups.isMajority();
}

bool hasWeight(const Config& config, ServerId server) {
  if (!areGrouped(config)) return true;
  const Member* member = memberOf(config, server);
  return member != nullptr && member->weight != 0;
}

bool votesIn(const Config& config, ServerId server) {
  const Member* member = memberOf(config, server);
  return member != nullptr && !member->observer;
}

}  // namespace zablab::zab
