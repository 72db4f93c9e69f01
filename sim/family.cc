#include "sim/family.h"

#include <algorithm>

namespace zablab {

using Of = Steps<Any>;

Value Of::blank(const AnyCluster& cluster, ServerId self) { return cluster.nodes->blank(self); }
Value Of::emptyDisk(const AnyCluster& cluster) { return cluster.nodes->emptyDisk(); }
bool Of::accepts(const AnyCluster& cluster, const Value& node, Link link) {
  return cluster.nodes->accepts(node, link);
}
void Of::step(const AnyCluster& cluster, int i, Millis clock, Value& node, V::Input& input,
              V::Effects& effects) {
  cluster.nodes->step(cluster, i, clock, node, input, effects);
}
Value Of::shown(const AnyCluster& cluster, int i, bool up, const Value& node, const Value& disk) {
  return cluster.nodes->shown(cluster, i, up, node, disk);
}
void Of::write(const AnyCluster& cluster, Value& disk, const Value& record) {
  cluster.nodes->write(disk, record);
}
void Of::writeHalf(const AnyCluster& cluster, Value& disk, const Value& record) {
  cluster.nodes->writeHalf(disk, record);
}
std::pair<ServerId, std::string> Of::subjectOf(const AnyCluster& cluster, const AnyKey& key) {
  return cluster.family->subjectOf(key);
}

std::string_view actionName(const AnyNodes& nodes, ActionKind kind) {
  return kind == ActionKind::own && !nodes.ownAction().empty() ? nodes.ownAction() : enumName(kind);
}

void putInOrder(std::vector<std::optional<Value>>& wire) {
  // Texts are compared, since g++ 12 misreads the comparison of vectors of bytes (-Wstringop-overread).
  std::vector<std::pair<std::string, Value>> order;
  for (auto& item : wire) {
    const Bytes bytes = encode(*item);
    order.emplace_back(std::string(bytes.begin(), bytes.end()), std::move(*item));
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < wire.size(); ++i) wire[i] = std::move(order[i].second);
}

}  // namespace zablab
