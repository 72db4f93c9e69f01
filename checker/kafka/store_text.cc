#include "checker/kafka/store_text.h"

#include <charconv>

namespace zablab::kafka {
namespace {

/// The value after `label=`, up to the next space or the end; the text goes on behind it.
std::optional<std::string_view> valueOf(std::string_view label, std::string_view& text) {
  if (!text.starts_with(label)) return std::nullopt;
  text.remove_prefix(label.size());
  if (!text.starts_with('=')) return std::nullopt;
  text.remove_prefix(1);
  const std::string_view value = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), value.size() + 1));
  return value;
}

}  // namespace

std::string registrationPath(ServerId broker) { return "/brokers/ids/" + std::to_string(broker); }

std::optional<std::int64_t> readNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Partition> readState(std::string_view text) {
  const auto number = [&](std::string_view label) {
    const auto value = valueOf(label, text);
    return value ? readNumber(*value) : std::nullopt;
  };
  Partition state;
  const auto leader = number("leader");
  const auto leader_epoch = number("leader_epoch");
  auto isr = valueOf("isr", text);
  const auto controller_epoch = number("controller_epoch");
  if (!leader || !leader_epoch || !isr || !controller_epoch) return std::nullopt;
  if (*leader >= 0) state.leader = *leader;
  state.leader_epoch = *leader_epoch;
  state.controller_epoch = *controller_epoch;
  while (!isr->empty()) {
    const std::string_view one = isr->substr(0, isr->find(','));
    const auto replica = readNumber(one);
    if (!replica) return std::nullopt;
    state.isr.push_back(*replica);
    isr->remove_prefix(std::min(isr->size(), one.size() + 1));
  }
  return state;
}

}  // namespace zablab::kafka
