#include "checker/compare/contender_of.h"
#include "checker/external_store/clients.h"
#include "checker/external_store/ledger.h"
#include "protocol/external_store/family.h"
#include "sim/external_store/binding.h"

namespace zablab {

template <>
struct CompareOf<external_store::Family> {
  using F = external_store::Family;
  static constexpr std::string_view settings =
      "five candidates, a store of three servers on the first three of their machines, and a resource that "
      "no fault strikes; election timeouts of the store from 1000 to 1999 ms; leases of 3000 ms, renewed "
      "every 1000 ms, on which candidates count for 300 ms less; the resource compares tokens; clients read "
      "who leads, which the leader of the store confirms, and give up after 1000 ms";

  /// The resource is on a machine of its own. The store decides, so its servers are the voters.
  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {{"servers", Json::array()}};
    constexpr ServerId stores = 3;
    constexpr ServerId first_store = 11;
    constexpr ServerId resource = 21;
    for (ServerId i = 0; i < 5; ++i) {
      layout.setting["servers"].push_back({{"id", i + 1}});
      layout.machines.push_back({i + 1});
      if (i < stores) layout.machines.back().push_back(first_store + i);
    }
    for (ServerId i = 0; i < stores; ++i)
      layout.setting["servers"].push_back({{"id", first_store + i}, {"kind", "store"}});
    layout.setting["servers"].push_back({{"id", resource}, {"kind", "resource"}});
    layout.apart = {resource};
    layout.voters = stores;
    layout.write = {{"write", true}};
    layout.read = Json{{"read", true}};
    return layout;
  }
  static bool votes(const external_store::Node& node) { return node.store.has_value(); }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>&) {
    const auto* elected = h.kind == Kind::event ? get_if<external_store::Elected>(h.event) : nullptr;
    if (elected == nullptr) return std::nullopt;
    return Reign{elected->token, h.node};
  }
  static bool acceptedBy(const external_store::Event& event, const Reign& reign, const RunOf<F>& run) {
    return run.cluster().indexOf(get<external_store::Answered>(event).server) == reign.server;
  }

  /// Who leads by the keys of the store.
  struct Reads {
    external_store::StoreState store;  ///< after the last entry that any of its servers has executed
    leader_followers::Index executed = 0;
    /// By the number of the read: the tokens of those who led at some time since it was asked; 0: nobody.
    std::map<std::int64_t, std::set<std::int64_t>> current;

    void on(const Happened<F>& h) {
      if (h.kind == Kind::asked && h.request->operation == external_store::Operation::read)
        current[h.request->number] = {external_store::firstToken(store)};
      if (h.kind != Kind::event) return;
      using Applied = leader_followers::BasicApplied<external_store::StoreLog>;
      if (const auto* applied = get_if<Applied>(h.event)) return execute(*applied);
      if (const auto* answered = get_if<external_store::Answered>(h.event)) current.erase(answered->number);
    }
    void execute(const leader_followers::BasicApplied<external_store::StoreLog>& applied) {
      if (applied.index <= executed) return;
      executed = applied.index;
      if (applied.entry.payload.number == 0) return;  // a leader's first entry
      external_store::apply(store, applied.entry.payload.value.command);
      for (auto& [number, tokens_since] : current) tokens_since.insert(external_store::firstToken(store));
    }
    bool isStale(const ClientAnswer& read) const { return !current.at(read.number).contains(read.value); }
  };
};

const Contender& externalStoreContender() { return contenderOf<external_store::Family>(); }

}  // namespace zablab
