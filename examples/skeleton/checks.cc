// What must hold, how random runs are drawn, and what a search has to know.
#include <array>
#include <map>

#include "checker/book.h"
#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/fuzz/default_fuzz.h"
#include "checker/module.h"
#include "sim/default_binding.h"
#include "skeleton.h"

namespace skeleton_nodes {

using namespace zablab;
using Seen = Happened<Family>;

/// What invariants remember: of each server, and of all. They learn it from what is observed, never from a
/// node.
struct Own {
  ZABLAB_FIELDS(Own, ());
};
struct Shared {
  std::map<std::int64_t, ServerId> leaders;  ///< by term
  ZABLAB_FIELDS(Shared, (leaders));
};
struct Ledger : Book<Family, Own, Shared> {
  using Book::Book;

  void on(const Seen& seen) override {
    if (const auto* elected = eventIn<Elected>(seen)) shared().leaders.emplace(elected->term, id(seen.node));
  }
};

void oneLeader(Ledger& ledger, const Seen& seen, Judge judge) {
  const auto* elected = eventIn<Elected>(seen);
  if (elected == nullptr) return;
  const ServerId first = ledger.shared().leaders.at(elected->term);
  judge(first == ledger.id(seen.node), [&] {
    return phrase("term {term} has two leaders, {first} and {other}", elected->term, Phrase::node(first),
                  ledger.who(seen.node));
  });
}

constexpr std::array invariants{Invariant<Ledger>{{"one-leader", "no term has two leaders"}, &oneLeader}};

std::unique_ptr<MonitorSet<Family>> monitors(std::unique_ptr<Ledger> ledger) {
  return monitorsOf<Ledger>(std::move(ledger), invariants);
}

}  // namespace skeleton_nodes

namespace zablab {

/// What people read and write: sim/default_binding.h has the rest.
template <>
struct Binding<skeleton_nodes::Family> : DefaultBinding<skeleton_nodes::Family> {
  static constexpr std::string_view default_variant = "majority";
  static constexpr std::array variants{
      Variant<skeleton_nodes::Rules>{"majority", {}, "each server votes once in a term"}};
  static constexpr std::array mutations{Mutation{"forgets_its_vote", "", "", "safety", "one-leader",
                                                 "after a restart a server does not know for whom it voted",
                                                 "last_vote", "forgotten"}};
  static constexpr std::array<std::string_view, 3> milestones{"campaigns", "elected", "answered"};

  static Json header() {
    Json header = DefaultBinding::header();
    header["roles"] = {{"CANDIDATE", "seeking"}, {"FOLLOWER", "following"}, {"LEADER", "leading"}};
    header["attempts"] = {{{"kind", "campaigns"}}};
    header["elections"] = {{{"kind", "elected"}}};
    header["heartbeats"] = {"LEADS"};
    return header;
  }
};

template <>
struct InvariantsOf<skeleton_nodes::Family>
    : InvariantsWith<skeleton_nodes::Family, skeleton_nodes::Ledger, &skeleton_nodes::monitors> {};

/// For searches: checker/check/check_of.h.
template <>
struct CheckOf<skeleton_nodes::Family>
    : BookMonitors<skeleton_nodes::Family, skeleton_nodes::Ledger, &skeleton_nodes::monitors> {
  using BookMonitors::BookMonitors;
  static constexpr std::uint32_t settled = 1;
  static constexpr std::uint32_t idle = 2;
  static std::uint32_t view(const skeleton_nodes::Config&, const skeleton_nodes::Rules&,
                            const skeleton_nodes::Node& node) {
    return (node.role == skeleton_nodes::Role::CANDIDATE ? 0 : settled) | (node.asking ? 0 : idle);
  }
  static bool looks(const skeleton_nodes::Family::Event& event) {
    return holds_alternative<skeleton_nodes::Campaigns>(event);
  }
  static Fires firesByDefault(skeleton_nodes::TimerKind kind) {
    return kind == skeleton_nodes::TimerKind::election ? Fires::free : Fires::never;
  }
};

/// What clients are answered: checker/clients/clients.h.
template <>
struct ClientsOf<skeleton_nodes::Family> {
  static bool isAnswered(const skeleton_nodes::Request&) { return true; }
  static std::optional<ClientAnswer> answered(const skeleton_nodes::Family::Event& event) {
    const auto* answer = get_if<skeleton_nodes::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    return ClientAnswer{answer->number, Asked::read, true};
  }
};

/// For random runs: checker/fuzz/default_fuzz.h.
template <>
struct FuzzOf<skeleton_nodes::Family> : DefaultFuzz<skeleton_nodes::Family> {
  static DrawnConfig drawConfig(Draws& draws, const TimingSpec& timing) {
    const Millis least =
        std::max<Millis>(draws(1, 100, 500), 4 * (timing.latency_ms.hi + timing.fsync_ms.hi));
    return {
        .config = {{"election_min_ms", least}, {"election_max_ms", 2 * least}, {"heartbeat_ms", least / 4}},
        .quiet_ms = 4 * least,
        .slow_ms_max = least / 8};
  }
  static Json drawAsk(Draws&) { return {{"who", true}}; }
  static constexpr const char* probe = R"({"who": true})";
  static constexpr const char* answer_kind = "answered";
};

}  // namespace zablab

ZABLAB_PROTOCOL(skeleton_nodes::Family)
