#include "sim/choices.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

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
  for (Choice& choice : choices) {
    const std::size_t mark = choice.address.rfind(" #");
    std::uint32_t nth = 0;
    const char* const end = choice.address.data() + choice.address.size();
    const char* const digits = mark == std::string::npos ? end : choice.address.data() + mark + 2;
    if (const auto [stopped, error] = std::from_chars(digits, end, nth);
        error != std::errc() || stopped != end) {
      never_asked_.push_back(std::move(choice.address));
      continue;
    }
    pinned_[choice.address.substr(0, mark)][nth] = {choice.value};
  }
}

void Choices::nameSubject(ServerId subject, const std::string& text) {
  const auto [named, fresh] = subjects_.emplace(subject, text);
  const bool other = std::any_of(subjects_.begin(), subjects_.end(),
                                 [&](const auto& one) { return one.first != subject && one.second == text; });
  if (named->second != text || other)
    throw std::logic_error("the subject of a timer has no unique name: " + text);
}

std::uint64_t Choices::draw(const Question& question, std::uint64_t options) {
  Asked& asked = asked_[question];
  const std::uint32_t nth = asked.times++;
  if (nth == 0 && !pinned_.empty()) {
    const auto found = pinned_.find(subjectOf(question));
    if (found != pinned_.end()) asked.pins = &found->second;
  }
  any_open_ |= options > 1;
  std::uint64_t value = options == 1 ? 0 : source_->pick(question, nth, options);
  if (asked.pins != nullptr) {
    const auto pin = asked.pins->find(nth);
    if (pin != asked.pins->end()) {
      value = pin->second.value;
      pin->second.used = true;
    }
  }
  if (value != 0 && remembering_) made_.push_back({question, nth, value});
  return value;
}

std::vector<Choice> Choices::made() const {
  std::vector<Choice> choices;
  choices.reserve(made_.size());
  for (const Made& made : made_) {
    choices.push_back({subjectOf(made.question) + " #" + std::to_string(made.nth), made.value});
  }
  return choices;
}

std::vector<std::string> Choices::unusedPins() const {
  std::vector<std::string> unused = never_asked_;
  for (const auto& [subject, pins] : pinned_) {
    for (const auto& [nth, pin] : pins) {
      if (!pin.used) unused.push_back(subject + " #" + std::to_string(nth));
    }
  }
  return unused;
}

std::string Choices::subjectOf(const Question& question) const {
  std::string text(enumName(question.kind));
  const std::string topic = topic_name_(question.kind, question.topic);
  if (!topic.empty()) text += " " + topic;
  if (question.a != no_server) text += " " + std::to_string(question.a);
  if (question.b == no_server) return text;
  const auto named = question.kind == ChoiceKind::timer ? subjects_.find(question.b) : subjects_.end();
  return text + "->" + (named == subjects_.end() ? std::to_string(question.b) : named->second);
}

}  // namespace zablab
