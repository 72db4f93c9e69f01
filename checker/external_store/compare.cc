#include "checker/compare/run_impl.h"
#include "protocol/external_store/family.h"
#include "sim/external_store/binding.h"

namespace zablab {

template <>
struct CompareOf<external_store::Family> {
  using F = external_store::Family;
  static constexpr std::string_view settings =
      "five candidates and a store that no fault strikes; leases of 3000 ms, renewed every 1000 ms, on which "
      "candidates count for 300 ms less; the resource compares tokens; clients give up after 1000 ms and do "
      "not read";

  /// The store and the resource are on machines of their own. The store decides, so it is the only voter.
  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {{"servers", Json::array()}};
    for (int i = 1; i <= 5; ++i) {
      layout.setting["servers"].push_back({{"id", i}});
      layout.machines.push_back({i});
    }
    layout.setting["servers"].push_back({{"id", 11}, {"kind", "store"}});
    layout.setting["servers"].push_back({{"id", 12}, {"kind", "resource"}});
    layout.apart = {11, 12};
    layout.voters = 1;
    layout.write = {{"write", true}};
    return layout;
  }
  static bool votes(const external_store::Node& node) { return node.store.has_value(); }

  static std::optional<Reign> claim(const Happened<F>& h, const Cluster<F>&, const DirectStore<F>&) {
    const auto* elected = h.kind == Kind::event ? std::get_if<external_store::Elected>(h.event) : nullptr;
    if (elected == nullptr) return std::nullopt;
    return Reign{elected->token, h.node};
  }
  static std::optional<AnsweredRequest> answered(const external_store::Event& event) {
    const auto* answer = std::get_if<external_store::Answered>(&event);
    if (answer == nullptr || answer->outcome != external_store::Outcome::ok) return std::nullopt;
    return AnsweredRequest{answer->number, false, 0};
  }
  static bool acceptedBy(const external_store::Event& event, const Reign& reign, const Cluster<F>& cluster,
                         const DirectStore<F>&) {
    return cluster.indexOf(std::get<external_store::Answered>(event).server) == reign.server;
  }

  /// What the resource contains. A leader writes what it has made of what it knew: the write of an older
  /// leader removes what newer ones have written.
  struct Data {
    std::map<std::int64_t, std::int64_t> tokens;  ///< by the number of the write
    void on(const Happened<F>& h) {
      const auto* write =
          h.kind == Kind::event ? std::get_if<external_store::WriteDecided>(h.event) : nullptr;
      if (write == nullptr || !write->accepted) return;
      std::erase_if(tokens, [write](const auto& one) { return one.second > write->token; });
      tokens[write->number] = write->token;
    }
    std::set<std::int64_t> kept() const {
      std::set<std::int64_t> numbers;
      for (const auto& [number, token] : tokens) numbers.insert(number);
      return numbers;
    }
  };
};

const Contender& externalStoreContender() {
  static const ContenderOf<external_store::Family> contender;
  return contender;
}

}  // namespace zablab
