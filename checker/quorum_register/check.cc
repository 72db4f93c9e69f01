#include "checker/quorum_register/check.h"

namespace zablab {

using quorum_register::Phase;

std::uint32_t CheckOf<quorum_register::Family>::view(const quorum_register::Config&,
                                                     const quorum_register::Rules&,
                                                     const quorum_register::Node& node) {
  std::uint32_t view = node.doing && node.doing->phase != Phase::repairing ? 0 : idle;
  if (!node.hints.empty()) view |= has_hints;
  return view;
}

Fires CheckOf<quorum_register::Family>::firesByDefault(quorum_register::TimerKind kind) {
  switch (kind) {
    case quorum_register::TimerKind::give_up: return Fires::quiescent;
    case quorum_register::TimerKind::stand_in:
    case quorum_register::TimerKind::hand_off: return Fires::free;
  }
  return Fires::never;
}

}  // namespace zablab
