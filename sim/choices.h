// Every decision that is not logic is drawn here. A choice has an address (what is asked, about whom, and an
// ordinal number) and a default, which is 0: the shortest latency, FIFO order, no fault, everything synced. A
// seeded draw depends on the seed and the address alone, so an additional message elsewhere changes no other
// draw.
#pragma once

#include <boost/describe.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/vocabulary.h"

namespace zablab {

enum class ChoiceKind : std::uint8_t { latency, dial, timer, fsync, fault, workload, datagram };
BOOST_DESCRIBE_ENUM(ChoiceKind, latency, dial, timer, fsync, fault, workload, datagram)

/// What is asked, and about whom. `topic` is the link, the kind of timer or the question about a fault; `b`
/// may be a hash of a timer's key.
struct Question {
  ChoiceKind kind{};
  std::uint8_t topic = 0;
  ServerId a = no_server;
  ServerId b = no_server;
  bool operator==(const Question&) const = default;
};

/// The source of the values.
class ChoiceSource {
 public:
  virtual ~ChoiceSource() = default;
  /// A value below `options` for the `nth` time that `question` is asked.
  virtual std::uint64_t pick(const Question& question, std::uint32_t nth, std::uint64_t options) = 0;
};

/// Every choice takes its default.
class DefaultChoices : public ChoiceSource {
 public:
  std::uint64_t pick(const Question&, std::uint32_t, std::uint64_t) override { return 0; }
};

/// Draws keyed by (seed, address). The function never changes: a seed always means the same run.
class SeededChoices : public ChoiceSource {
 public:
  explicit SeededChoices(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t pick(const Question& question, std::uint32_t nth, std::uint64_t options) override;

 private:
  std::uint64_t seed_;
};

/// Draws from a string of bytes, in the order of the questions; 0 when it is used up. For engines that search
/// by mutation.
class ByteChoices : public ChoiceSource {
 public:
  explicit ByteChoices(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t pick(const Question& question, std::uint32_t nth, std::uint64_t options) override;

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// One choice that was made: its address and its value.
struct Choice {
  std::string address;
  std::uint64_t value = 0;
  bool operator==(const Choice&) const = default;
};

/// Asks the source, counts how often each question was asked, gives precedence to pinned values, and records
/// the values that were not the default.
class Choices {
 public:
  /// Names a topic in addresses: the link's name, the timer's name, the fault's question.
  using TopicName = std::function<std::string(ChoiceKind kind, std::uint8_t topic)>;

  Choices(std::unique_ptr<ChoiceSource> source, TopicName topic_name)
      : source_(std::move(source)), topic_name_(std::move(topic_name)) {}

  /// These addresses take these values, regardless of the source.
  void pin(std::vector<Choice> choices);

  /// Addresses contain this text in place of the number, where the number is what is asked about
  /// (`Question::b`). Throws std::logic_error if two numbers have the same text, or one number two texts.
  void nameSubject(ServerId subject, const std::string& text);

  /// A value below `options`; the default is 0. `options` is at least 1.
  std::uint64_t draw(const Question& question, std::uint64_t options);
  /// A value in [lo, hi]; the default is lo.
  std::int64_t within(const Question& question, std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(draw(question, static_cast<std::uint64_t>(hi - lo) + 1));
  }

  /// Whether there was anything to choose: a question with more than one answer was asked.
  bool anyOpen() const { return any_open_; }
  /// The values that were not the default, in the order of the questions.
  std::vector<Choice> made() const;
  /// Off for runs that are not recorded.
  void remember(bool on) { remembering_ = on; }
  /// Pinned addresses that were never used.
  std::vector<std::string> unusedPins() const;

 private:
  struct Hash {
    std::size_t operator()(const Question& question) const;
  };
  struct Pin {
    std::uint64_t value = 0;
    bool used = false;
  };
  using Pins = std::map<std::uint32_t, Pin>;  ///< by the question's ordinal number
  struct Asked {
    std::uint32_t times = 0;
    Pins* pins = nullptr;
  };
  struct Made {
    Question question;
    std::uint32_t nth = 0;
    std::uint64_t value = 0;
  };

  /// An address up to its number.
  std::string subjectOf(const Question& question) const;

  std::unique_ptr<ChoiceSource> source_;
  TopicName topic_name_;
  boost::unordered_flat_map<Question, Asked, Hash> asked_;
  std::map<std::string, Pins, std::less<>> pinned_;
  std::map<ServerId, std::string> subjects_;  ///< numbers that have a text
  std::vector<std::string> never_asked_;      ///< pinned, but not an address at all
  std::vector<Made> made_;
  bool remembering_ = true;
  bool any_open_ = false;
};

}  // namespace zablab
