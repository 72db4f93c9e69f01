#include "tests/fle_baseline/check.h"

namespace zablab {

using fle_baseline::rankOf;

std::uint32_t CheckOf<fle_baseline::Family>::view(const fle_baseline::Config&, const fle_baseline::Rules&,
                                                  const fle_baseline::Node& node) {
  std::uint32_t view = static_cast<std::uint32_t>(node.vote) << vote_shift |
                       static_cast<std::uint32_t>(node.round) << round_shift;
  if (node.state != State::looking) view |= settled;
  if (node.state == State::leading) view |= leads;
  for (std::size_t i = 0; i < node.heard.size(); ++i) {
    if (node.heard[i] == node.vote) view |= agreed;
    if (node.heard[i] == 0 && node.settled[i].vote == 0) view |= 1U << (unheard_shift + i);
  }
  const bool own = node.vote == node.self;
  const bool fits = node.state == State::leading     ? own
                    : node.state == State::following ? node.vote != 0 && !own
                                                     : rankOf(node.vote) >= rankOf(node.self);
  if (!fits && node.round > 0) view |= wrong;
  return view;
}

}  // namespace zablab
