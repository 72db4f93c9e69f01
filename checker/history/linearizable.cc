#include "checker/history/linearizable.h"

#include <algorithm>

namespace zablab::history {

bool CallSet::includes(const CallSet& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((other.words_[i] & ~words_[i]) != 0) return false;
  }
  return true;
}

Precedence::Precedence(const std::vector<Extent>& calls, Order order)
    : before_(calls.size(), CallSet(calls.size())), answered_(calls.size()), tried_(calls.size()) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].answered) answered_.add(i);
    for (std::size_t j = 0; j < calls.size(); ++j) {
      if (j == i || !calls[j].answered) continue;
      // One client's calls are in the order in which it made them.
      const bool precedes = order == Order::real_time ? *calls[j].answered < calls[i].invoked
                                                      : calls[j].client == calls[i].client && j < i;
      if (precedes) before_[i].add(j);
    }
  }
  std::iota(tried_.begin(), tried_.end(), std::size_t{0});
  std::stable_sort(tried_.begin(), tried_.end(), [&](std::size_t a, std::size_t b) {
    const auto& one = calls[a].answered;
    const auto& other = calls[b].answered;
    return one && other ? *one < *other : one && !other;
  });
}

}  // namespace zablab::history
