// An invariant is a monitor: an automaton over events, with its own memory. It counts its obligations (how
// often it compared something): an invariant without obligations did not hold but was not exercised.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/happened.h"

namespace zablab {

/// The description of an invariant, for lists and reports.
struct InvariantInfo {
  std::string_view name;
  std::string_view text;
};

/// A violation in words and, if it is about one thing that pictures show, that thing as they write it: an
/// entry of a log, or the caption of a ballot box.
struct Breach {
  std::string text;
  std::string about = {};
};

/// A set of kinds of events, one bit each.
template <class... K>
constexpr std::uint64_t kindBits(K... kinds) {
  return ((std::uint64_t{1} << static_cast<unsigned>(kinds)) | ...);
}

template <class F>
class Monitor : public Listener<F> {
 public:
  virtual InvariantInfo info() const = 0;
  /// The kinds of events that it reads, one bit each.
  virtual std::uint64_t kinds() const { return ~std::uint64_t{0}; }

  /// Whether it is claimed at all under the rules of this run.
  virtual bool isClaimed() const { return true; }

  std::uint64_t obligations() const { return obligations_; }
  /// How often there was something to compare, but nothing to compare it with.
  std::uint64_t passedOver() const { return passed_over_; }
  /// The first violation, in words.
  const std::optional<std::string>& violation() const { return violation_; }
  const std::string& violationAbout() const { return about_; }

  // ---- for a search, which evaluates each step separately
  std::uint64_t takeObligations() { return std::exchange(obligations_, 0); }
  std::optional<std::string> takeViolation() { return std::exchange(violation_, std::nullopt); }

 protected:
  /// Counts an obligation; the first one that does not hold is the violation. `describe()` is called only
  /// then, and returns a text or a Breach.
  template <class Describe>
  void check(bool holds, Describe&& describe) {
    ++obligations_;
    if (holds || violation_) return;
    Breach breach{describe()};
    violation_ = std::move(breach.text);
    about_ = std::move(breach.about);
  }

  void passOver() { ++passed_over_; }

 private:
  std::uint64_t obligations_ = 0;
  std::uint64_t passed_over_ = 0;
  std::optional<std::string> violation_;
  std::string about_;
};

/// The monitors of one run, and the book that they read; they receive everything in order.
template <class F>
class MonitorSet : public Listener<F> {
 public:
  MonitorSet(std::unique_ptr<Listener<F>> book, std::vector<std::unique_ptr<Monitor<F>>> monitors)
      : book_(std::move(book)), monitors_(std::move(monitors)) {
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      for (std::size_t kind = 0; kind < readers_.size(); ++kind) {
        if ((monitors_[i]->kinds() >> kind) & 1) readers_[kind].push_back(i);
      }
    }
  }

  void on(const Happened<F>& happened) override {
    book_->on(happened);
    for (const std::size_t i : readers_[static_cast<std::size_t>(happened.kind)]) {
      Monitor<F>& monitor = *monitors_[i];
      const bool violated_before = monitor.violation().has_value();
      monitor.on(happened);
      if (!violated_before && monitor.violation() && on_violation) on_violation(i);
    }
  }

  const std::vector<std::unique_ptr<Monitor<F>>>& monitors() const { return monitors_; }
  /// Called for the first violation of each monitor.
  std::function<void(std::size_t)> on_violation;

 private:
  std::unique_ptr<Listener<F>> book_;
  std::vector<std::unique_ptr<Monitor<F>>> monitors_;
  std::array<std::vector<std::size_t>, 64> readers_;
};

}  // namespace zablab
