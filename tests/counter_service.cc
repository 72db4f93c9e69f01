// All of the counter's instances: what a service's folders have in one file each.
#include "tests/counter_service.h"

#include <nlohmann/json.hpp>
#include <numeric>

#include "checker/zab/check_impl.h"
#include "checker/zab/monitors_impl.h"
#include "checker/zab/moves.h"
#include "protocol/zab/mutations.h"
#include "protocol/zab/step_impl.h"
#include "protocol/zab/variants.h"
#include "sim/family_of.h"
#include "sim/rule_words.h"
#include "sim/zab/binding_impl.h"
#include "sim/zab/codec_impl.h"
#include "sim/zab/narrative.h"
#include "sim/zab/words_impl.h"

namespace zablab {

using F = counter::Family;
using counter::Counter;

// ---- the service

std::optional<std::int64_t> Counter::prepare(const Rules&, const State& state,
                                             const std::vector<zab::BasicOutstanding<Counter>>& outstanding,
                                             std::int64_t amount) {
  const std::int64_t sum = std::accumulate(
      outstanding.begin(), outstanding.end(), state.sum,
      [](std::int64_t so_far, const auto& proposed) { return so_far + proposed.txn.payload; });
  if (amount <= 0 || amount > sum_max - sum) return std::nullopt;
  return amount;
}

void Counter::onDelivered(const Context& ctx, const zab::BasicTxn<Counter>& txn, const Applied&) {
  ctx.emit(counter::Shown{txn.zxid, ctx.node.service.sum});
}

void Counter::onFromLearner(const Context& ctx, ServerId, const Message& message) {
  if (const auto* asked = get_if<counter::HandedOn>(&message)) zab::propose(ctx, asked->amount);
}

void Counter::onAsked(const Context& ctx, const Request& request) {
  if (!ctx.node.serves() || ctx.node.log_failed) return;
  if (request.operation == counter::Operation::tell) {
    if (!ctx.node.history.empty())
      ctx.emit(counter::Shown{ctx.node.history.back().zxid, ctx.node.service.sum});
  } else if (ctx.node.role == zab::Role::LEADING) {
    zab::propose(ctx, request.amount);
  } else {
    ctx.send(zab::learner_link, *ctx.node.leader, counter::HandedOn{request.amount});
  }
}

template struct zab::BasicFamily<Counter>;

// ---- how it is described

template struct JsonCodec<zab::BasicTxn<Counter>>;
template struct JsonCodec<zab::BasicSnapshot<Counter>>;
template Phrase zab::label<Counter>(const Names&, const F::Message&);
template Phrase zab::tell<Counter>(const Names&, ServerId, const F::Event&);

Json Binding<F>::data(const Names& names, const F::Event& event) { return zab::data<Counter>(names, event); }
Json Binding<F>::logPicture(const F::Node& node, const F::Durable& disk) {
  return zab::logPicture<F>(node, disk);
}
Json Binding<F>::header() { return {{"message_groups", zab::messageGroups<Counter>({"ADD"})}}; }
std::vector<std::string> Binding<F>::narrate(const Trace& trace) { return zab::tellElections(trace); }

RuleTables<F::Rules> Binding<F>::ruleTables() {
  static constexpr std::array variants{Variant<F::Rules>{"zookeeper", zab::zookeeper, "ZooKeeper's own"}};
  return {variants, zab::broadcast_rule_values, zab::broadcast_mutations};
}

template const AnyFamily& theFamily<F>();

// ---- invariants

namespace {

class SumsTrue : public Monitor<F> {
 public:
  explicit SumsTrue(counter::Ledger& ledger) : ledger_(ledger) {}
  InvariantInfo info() const override {
    return {"sums-true", "a server shows the sum of its history, and in one role never less than before"};
  }
  void on(const Happened<F>& seen) override {
    const auto* shown = seen.kind == Kind::event ? get_if<counter::Shown>(seen.event) : nullptr;
    if (shown == nullptr) return;
    auto& own = ledger_.own(seen.node);
    std::int64_t sum = 0;
    for (const auto& entry : own.memory) sum += entry.txn.payload;
    check(shown->sum == sum && sum >= own.service.shown && sum <= Counter::sum_max,
          [&] { return phrase("{server} shows {sum}", ledger_.serverAt(seen.node), shown->sum); });
    own.service.shown = shown->sum;
  }

 private:
  counter::Ledger& ledger_;
};

}  // namespace

std::vector<std::unique_ptr<Monitor<F>>> zab::ServiceBook<F>::monitors(counter::Ledger& ledger) {
  std::vector<std::unique_ptr<Monitor<F>>> monitors;
  monitors.push_back(std::make_unique<SumsTrue>(ledger));
  return monitors;
}

template class zab::BasicLedger<F>;
template std::unique_ptr<MonitorSet<F>> zab::monitorsWith(std::unique_ptr<counter::Ledger>);

// ---- searches

template class zab::BroadcastCheck<F>;
template const FamilyCheck& theCheck<F>();

}  // namespace zablab
