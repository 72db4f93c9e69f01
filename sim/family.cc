#include "sim/family.h"

namespace zablab {

using Of = Steps<Any>;

Value Of::blank(const AnyCluster& cluster, ServerId self) { return cluster.family->blank(self); }
Value Of::emptyDisk(const AnyCluster& cluster) { return cluster.family->emptyDisk(); }
bool Of::accepts(const AnyCluster& cluster, const Value& node, Link link) {
  return cluster.family->accepts(node, link);
}
void Of::step(const AnyCluster& cluster, int i, Millis clock, Value& node, V::Input& input,
              V::Effects& effects) {
  cluster.family->step(cluster, i, clock, node, input, effects);
}
Value Of::shown(const AnyCluster& cluster, int i, bool up, const Value& node, const Value& disk) {
  return cluster.family->shown(cluster, i, up, node, disk);
}
void Of::write(const AnyCluster& cluster, Value& disk, const Value& record) {
  cluster.family->write(disk, record);
}
void Of::writeHalf(const AnyCluster& cluster, Value& disk, const Value& record) {
  cluster.family->writeHalf(disk, record);
}
std::pair<ServerId, std::string> Of::subjectOf(const AnyCluster& cluster, const AnyKey& key) {
  return cluster.family->subjectOf(key);
}

}  // namespace zablab
