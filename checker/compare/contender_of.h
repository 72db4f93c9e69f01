// Makes a contender of a family's own types. Included by the one file of each family that instantiates it
// (checker/<family>/compare.cc).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "checker/compare/contender.h"
#include "sim/run_of.h"

namespace zablab {

/// What a family tells of its runs.
///
///     static ComparedCluster layout();
///     static constexpr std::string_view settings;
///     static bool votes(const F::Node&);   // or, if that is configured, votes(const F::Config&, ServerId)
///     static bool hasMajorities(const F::Config&);   // if quorums may be others than majorities
///     static std::optional<Reign> claim(const Happened<F>&, const RunOf<F>&);
///     static bool acceptedBy(const F::Event&, const Reign&, const RunOf<F>&);
///     /// If reads are not of what clients write: it observes a run, and judges them.
///     struct Reads {
///       void on(const Happened<F>&);
///       bool isStale(const ClientAnswer& read) const;
///     };
///
/// It also needs the family's ClientsOf (checker/clients/clients.h).
template <class F>
struct CompareOf;

template <class F>
class ComparedRunOf : public ComparedRun {
  using Of = CompareOf<F>;
  static constexpr bool has_reads = requires { typename Of::Reads; };

 public:
  explicit ComparedRunOf(ScenarioRun& run) : run_(run) {}

  void on([[maybe_unused]] const AnyHappened& happened) override {
    if constexpr (has_reads) reads_.on(Typed<F>::happened(happened));
  }
  bool votes(int server) const override {
    if constexpr (requires { Of::votes(run_.cluster().configs.front(), ServerId{}); }) {
      const auto at = static_cast<std::size_t>(server);
      return Of::votes(run_.cluster().configs[at], run_.cluster().ids[at]);
    } else {
      return Of::votes(run_.node(server));
    }
  }
  bool hasMajorities() const override {
    if constexpr (requires { Of::hasMajorities(run_.cluster().configs.front()); })
      return Of::hasMajorities(run_.cluster().configs.front());
    return true;
  }
  std::optional<Reign> claim(const AnyHappened& happened) const override {
    return Of::claim(Typed<F>::happened(happened), run_);
  }
  bool acceptedBy(const Value& event, const Reign& reign) const override {
    return Of::acceptedBy(event.as<typename F::Event>(), reign, run_);
  }
  std::optional<bool> isStale(const ClientAnswer& read) const override {
    if constexpr (has_reads) return reads_.isStale(read);
    return std::nullopt;
  }

 private:
  struct NoReads {};
  template <class Own>
  static auto readsOf() {
    if constexpr (requires { typename Own::Reads; }) return typename Own::Reads{};
    if constexpr (!requires { typename Own::Reads; }) return NoReads{};
  }

  RunOf<F> run_;
  decltype(readsOf<Of>()) reads_{};
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
  std::unique_ptr<ClientsView> clients(ScenarioRun& run) const override { return clientsOf<F>(run); }
};

template <class F>
const Contender& contenderOf() {
  static const FamilyCompareOf<F> family;
  static const Contender contender(family);
  return contender;
}

}  // namespace zablab
