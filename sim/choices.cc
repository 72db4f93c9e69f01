#include "sim/choices.h"

#include "protocol/reflect.h"

namespace zablab {
namespace {

std::uint64_t keyOf(const Question& question) {
  std::uint64_t key = mix64((static_cast<std::uint64_t>(question.kind) << 8) | question.topic);
  key = mix64(key ^ static_cast<std::uint64_t>(question.a));
  return mix64(key ^ static_cast<std::uint64_t>(question.b));
}

}  // namespace

std::uint64_t SeededChoices::pick(const Question& question, std::uint32_t nth, std::uint64_t options) {
  return mix64(mix64(seed_ ^ keyOf(question)) + nth) % options;
}

std::uint64_t ByteChoices::pick(const Question&, std::uint32_t, std::uint64_t options) {
  std::uint64_t value = 0;
  for (std::uint64_t range = options - 1; range > 0 && at_ < bytes_.size(); range >>= 8) {
    value = (value << 8) | bytes_[at_++];
  }
  return value % options;
}

std::size_t Choices::Hash::operator()(const Question& question) const {
  return static_cast<std::size_t>(keyOf(question));
}

void Choices::pin(std::vector<Choice> choices) {
  for (Choice& choice : choices) pinned_[std::move(choice.address)] = choice.value;
}

std::uint64_t Choices::draw(const Question& question, std::uint64_t options) {
  const std::uint32_t nth = asked_[question]++;
  if (pinned_.empty() && options == 1) return 0;
  std::uint64_t value = options == 1 ? 0 : source_->pick(question, nth, options);
  std::string address;
  if (!pinned_.empty()) {
    address = addressOf(question, nth);
    const auto pin = pinned_.find(address);
    if (pin != pinned_.end()) {
      value = pin->second;
      used_pins_.insert(address);
    }
  }
  if (value != 0 && remembering_)
    made_.push_back({address.empty() ? addressOf(question, nth) : address, value});
  return value;
}

std::vector<std::string> Choices::unusedPins() const {
  std::vector<std::string> unused;
  for (const auto& [address, value] : pinned_) {
    if (!used_pins_.contains(address)) unused.push_back(address);
  }
  return unused;
}

std::string Choices::addressOf(const Question& question, std::uint32_t nth) const {
  std::string text(enumName(question.kind));
  const std::string topic = topic_name_(question.kind, question.topic);
  if (!topic.empty()) text += " " + topic;
  if (question.a != no_server) text += " " + std::to_string(question.a);
  if (question.b != no_server) text += "->" + std::to_string(question.b);
  return text + " #" + std::to_string(nth);
}

}  // namespace zablab
