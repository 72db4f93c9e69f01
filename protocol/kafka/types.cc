#include "protocol/kafka/types.h"

#include <array>

namespace zablab::kafka {
namespace {

constexpr std::array<std::string_view, 4> labels{"leader=", "leader_epoch=", "isr=", "controller_epoch="};
constexpr std::int64_t no_leader = -1;

/// Takes the text up to `end`, and `end` with it.
std::string_view take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

}  // namespace

std::optional<std::int64_t> numberOf(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  constexpr std::size_t digits_max = 18;
  if (text.empty() || text.size() > digits_max) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return negative ? -value : value;
}

std::string textOf(const Partition& partition) {
  std::string isr;
  for (const ServerId replica : partition.isr) isr += (isr.empty() ? "" : ",") + std::to_string(replica);
  const std::int64_t leader = partition.leader == no_server ? no_leader : partition.leader;
  return std::string(labels[0]) + std::to_string(leader) + " " + std::string(labels[1]) +
         std::to_string(partition.leader_epoch) + " " + std::string(labels[2]) + isr + " " +
         std::string(labels[3]) + std::to_string(partition.controller_epoch);
}

std::optional<Partition> partitionOf(std::string_view text) {
  std::array<std::string_view, labels.size()> fields;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    fields[i] = take(text, ' ');
    if (!fields[i].starts_with(labels[i])) return std::nullopt;
    fields[i].remove_prefix(labels[i].size());
  }
  const auto leader = numberOf(fields[0]);
  const auto leader_epoch = numberOf(fields[1]);
  const auto controller_epoch = numberOf(fields[3]);
  if (!leader || !leader_epoch || !controller_epoch) return std::nullopt;
  Partition partition{*leader == no_leader ? no_server : *leader, *leader_epoch, {}, *controller_epoch};
  for (std::string_view isr = fields[2]; !isr.empty();) {
    const auto replica = numberOf(take(isr, ','));
    if (!replica) return std::nullopt;
    partition.isr.push_back(*replica);
  }
  return partition;
}

}  // namespace zablab::kafka
