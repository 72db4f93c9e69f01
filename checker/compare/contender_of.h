// Makes a contender of a family's own types. Included by the one file of each family that instantiates it
// (checker/<family>/compare.cc).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "checker/compare/contender.h"
#include "sim/run_of.h"

namespace zablab {

/// What a family tells of its runs.
///
///     static ComparedCluster layout();
///     static constexpr std::string_view settings;
///     static bool votes(const F::Node&);
///     static std::optional<Reign> claim(const Happened<F>&, const RunOf<F>&);
///     static std::optional<AnsweredRequest> answered(const F::Event&);
///     static bool acceptedBy(const F::Event&, const Reign&, const RunOf<F>&);
///     /// The numbers of the writes that this server has.
///     static std::set<std::int64_t> kept(const F::Node&);
///     /// Instead of `kept` if leaders keep their data elsewhere: it observes a run, has the numbers, and
///     /// judges reads, which are not of what clients write.
///     struct Data {
///       void on(const Happened<F>&);
///       std::set<std::int64_t> kept() const;
///       bool isStale(const AnsweredRequest& read) const;
///     };
template <class F>
struct CompareOf;

template <class F>
class ComparedRunOf : public ComparedRun {
  using Of = CompareOf<F>;
  static constexpr bool has_data = requires { typename Of::Data; };

 public:
  explicit ComparedRunOf(ScenarioRun& run) : run_(run) {}

  void on([[maybe_unused]] const AnyHappened& happened) override {
    if constexpr (has_data) data_.on(Typed<F>::happened(happened));
  }
  bool votes(int server) const override { return Of::votes(run_.node(server)); }
  std::optional<Reign> claim(const AnyHappened& happened) const override {
    return Of::claim(Typed<F>::happened(happened), run_);
  }
  std::optional<AnsweredRequest> answered(const Value& event) const override {
    return Of::answered(event.as<typename F::Event>());
  }
  bool acceptedBy(const Value& event, const Reign& reign) const override {
    return Of::acceptedBy(event.as<typename F::Event>(), reign, run_);
  }
  std::set<std::int64_t> kept(int server) const override {
    if constexpr (has_data) return data_.kept();
    if constexpr (!has_data) return Of::kept(run_.node(server));
  }
  std::optional<bool> isStale(const AnsweredRequest& read) const override {
    if constexpr (has_data) return data_.isStale(read);
    return std::nullopt;
  }

 private:
  struct NoData {};
  template <class Own>
  static auto dataOf() {
    if constexpr (requires { typename Own::Data; }) return typename Own::Data{};
    if constexpr (!requires { typename Own::Data; }) return NoData{};
  }

  RunOf<F> run_;
  decltype(dataOf<Of>()) data_{};
};

template <class F>
class FamilyCompareOf : public FamilyCompare {
 public:
  const AnyFamily& family() const override { return theFamily<F>(); }
  ComparedCluster layout() const override { return CompareOf<F>::layout(); }
  std::string_view settings() const override { return CompareOf<F>::settings; }
  std::unique_ptr<ComparedRun> watch(ScenarioRun& run) const override {
    return std::make_unique<ComparedRunOf<F>>(run);
  }
};

template <class F>
const Contender& contenderOf() {
  static const FamilyCompareOf<F> family;
  static const Contender contender(family);
  return contender;
}

}  // namespace zablab
