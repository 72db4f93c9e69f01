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

#include "sim/phrase.h"
#include "sim/typed.h"

namespace zablab {

/// The description of an invariant, for lists and reports.
struct InvariantInfo {
  std::string_view name;
  std::string_view text;
};

/// A violation in words and, if it is about one thing that pictures show, that thing as they write it: an
/// entry of a log, or the caption of a ballot box.
struct Breach {
  Phrase text;
  Phrase about = {};
};

/// A set of kinds of events, one bit each.
template <class... K>
constexpr std::uint64_t kindBits(K... kinds) {
  return ((std::uint64_t{1} << static_cast<unsigned>(kinds)) | ...);
}

class Judge;

/// A monitor, regardless of its family: what it is, and what it has found.
class AnyMonitor {
 public:
  virtual ~AnyMonitor() = default;
  virtual InvariantInfo info() const = 0;
  /// The kinds of events that it reads, one bit each.
  virtual std::uint64_t kinds() const { return ~std::uint64_t{0}; }

  /// Whether it is claimed at all under the rules of this run.
  virtual bool isClaimed() const { return true; }
  /// Why the run has been too short to judge it so far; empty: it has not been.
  virtual Phrase undecided() const { return {}; }

  std::uint64_t obligations() const { return obligations_; }
  /// How often there was something to compare, but nothing to compare it with.
  std::uint64_t passedOver() const { return passed_over_; }
  /// The first violation, in words.
  const std::optional<Phrase>& violation() const { return violation_; }
  const Phrase& violationAbout() const { return about_; }

  // ---- for a search, which evaluates each step separately
  std::uint64_t takeObligations() { return std::exchange(obligations_, 0); }
  std::optional<Phrase> takeViolation() { return std::exchange(violation_, std::nullopt); }

 protected:
  /// Counts an obligation; the first one that does not hold is the violation. `describe()` is called only
  /// then, and returns a Phrase or a Breach, which name nodes by Phrase::server, client and node.
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
  friend class Judge;

  std::uint64_t obligations_ = 0;
  std::uint64_t passed_over_ = 0;
  std::optional<Phrase> violation_;
  Phrase about_;
};

/// A monitor, for a function that judges in its place.
class Judge {
 public:
  explicit Judge(AnyMonitor& monitor) : monitor_(monitor) {}
  /// Counts a comparison, and calls `describe` for the text of the first one that does not hold.
  template <class Describe>
  void operator()(bool holds, const Describe& describe) const {
    monitor_.check(holds, describe);
  }
  /// There was something to compare, but nothing to compare it with.
  void passOver() const { monitor_.passOver(); }

 private:
  AnyMonitor& monitor_;
};

template <class F>
class Monitor : public AnyMonitor, public Listener<F> {};

/// The monitors of one run; they receive everything in order.
class Monitors : public AnyListener {
 public:
  const std::vector<std::unique_ptr<AnyMonitor>>& monitors() const { return monitors_; }
  /// Called for the first violation of each monitor, with its index.
  std::function<void(std::size_t)> on_violation;

 protected:
  void add(std::unique_ptr<AnyMonitor> monitor) {
    for (std::size_t kind = 0; kind < readers_.size(); ++kind) {
      if ((monitor->kinds() >> kind) & 1) readers_[kind].push_back(monitors_.size());
    }
    monitors_.push_back(std::move(monitor));
  }
  /// `tell(monitor)`: for each that reads this kind of event.
  template <class Tell>
  void forReaders(Kind kind, Tell&& tell) {
    for (const std::size_t i : readers_[static_cast<std::size_t>(kind)]) {
      AnyMonitor& monitor = *monitors_[i];
      const bool violated_before = monitor.violation().has_value();
      tell(monitor);
      if (!violated_before && monitor.violation() && on_violation) on_violation(i);
    }
  }

 private:
  std::vector<std::unique_ptr<AnyMonitor>> monitors_;
  std::array<std::vector<std::size_t>, 64> readers_;
};

/// Those of a family, and the book that they read, if they share one.
template <class F>
class MonitorSet : public Monitors, public Listener<F> {
 public:
  /// `book_kinds`: the kinds of events that the book reads, one bit each.
  MonitorSet(std::unique_ptr<Listener<F>> book, std::vector<std::unique_ptr<Monitor<F>>> monitors,
             std::uint64_t book_kinds = ~std::uint64_t{0})
      : book_(std::move(book)), kinds_(book_ ? book_kinds : 0) {
    for (auto& monitor : monitors) add(std::move(monitor));
  }

  void on(const AnyHappened& happened) override {
    if ((kinds_ >> static_cast<unsigned>(happened.kind)) & 1) on(Typed<F>::happened(happened));
  }
  void on(const Happened<F>& happened) override {
    if (book_) book_->on(happened);
    forReaders(happened.kind, [&](AnyMonitor& monitor) { static_cast<Monitor<F>&>(monitor).on(happened); });
  }

 protected:
  void add(std::unique_ptr<AnyMonitor> monitor) {
    kinds_ |= monitor->kinds();
    Monitors::add(std::move(monitor));
  }

 private:
  std::unique_ptr<Listener<F>> book_;
  std::uint64_t kinds_;  ///< that anybody reads
};

/// A book and monitors that read it, each made of it.
template <class F, class... M, class Book>
std::unique_ptr<MonitorSet<F>> monitorSet(std::unique_ptr<Book> book) {
  std::vector<std::unique_ptr<Monitor<F>>> monitors;
  (monitors.push_back(std::make_unique<M>(*book)), ...);
  return std::make_unique<MonitorSet<F>>(std::move(book), std::move(monitors));
}

/// The invariants of a family, specialised in checker/<family>/; checker/family.h lists the members.
template <class F>
struct InvariantsOf;

/// They are monitors that `monitors` makes of a book.
template <class F, class Book, std::unique_ptr<MonitorSet<F>> (*monitors)(std::unique_ptr<Book>)>
struct InvariantsWith {
  static std::unique_ptr<MonitorSet<F>> all(const Cluster<F>& cluster) {
    return monitors(std::make_unique<Book>(cluster));
  }
};

}  // namespace zablab
