#include "checker/compare/contender_of.h"
#include "protocol/zab_register/family.h"
#include "sim/zab_register/binding.h"

namespace zablab {

template <>
struct CompareOf<zab::Family> {
  using F = zab::Family;
  static constexpr std::string_view settings =
      "five servers, tickTime 2000, initLimit 10, syncLimit 5; clients read at their own server";

  static ComparedCluster layout() {
    ComparedCluster layout;
    layout.setting = {{"servers", 5}};
    layout.machines = {{1}, {2}, {3}, {4}, {5}};
    layout.voters = 5;
    layout.write = {{"write", true}};
    layout.read = Json{{"read", true}};
    layout.clients_turn = true;
    return layout;
  }
  static bool votes(const zab::Node&) { return true; }

  static std::optional<Reign> claim(const Happened<F>& h, const RunOf<F>& run) {
    if (h.kind != Kind::step_over || h.node >= run.cluster().serverCount()) return std::nullopt;
    const zab::Node& node = run.node(h.node);
    if (node.role != zab::Role::LEADING || !node.serves()) return std::nullopt;
    return Reign{node.epoch, h.node};
  }
  static std::optional<AnsweredRequest> answered(const zab::Event& event) {
    const auto* answer = get_if<zab::Answered>(&event);
    if (answer == nullptr || answer->outcome != zab::Outcome::ok) return std::nullopt;
    return AnsweredRequest{answer->number, answer->operation == zab::Operation::read,
                           answer->value.value_or(0)};
  }
  static bool acceptedBy(const zab::Event& event, const Reign& reign, const RunOf<F>&) {
    return get<zab::Answered>(event).zxid.epoch() == reign.number;
  }
  static std::set<std::int64_t> kept(const zab::Node& node) {
    std::set<std::int64_t> numbers;
    for (const zab::Txn& txn : node.history) numbers.insert(txn.payload.number);
    return numbers;
  }
};

const Contender& zabContender() { return contenderOf<zab::Family>(); }

}  // namespace zablab
