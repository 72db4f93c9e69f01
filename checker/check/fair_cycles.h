// What can go on for ever in a graph of states: cycles that fairness permits, and states in which nothing has
// to happen any more. Found by the strongly connected components of the part of the graph that is looked at;
// where fairness is strong, by those of what is left without the states in which something is always missed
// (the check for emptiness of a Streett automaton).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace zablab {

/// What is promised about something that can happen.
enum class Fairness : std::uint8_t {
  none,
  weak,    ///< if from some time on it can always happen, it happens
  strong,  ///< if it can happen again and again, it happens
};
BOOST_DESCRIBE_ENUM(Fairness, none, weak, strong)

/// The states that a search met, by number, and what can happen in each. The first is the one that it began
/// with.
class LivenessGraph {
 public:
  /// What happens, by number: the message of a channel is read, a timer fires.
  using Label = std::uint16_t;
  static constexpr std::uint32_t outside = ~std::uint32_t{0};

  struct Edge {
    std::uint32_t to = outside;  ///< `outside`: what follows exceeds a budget, and is not in the graph
    Label label = 0;
    std::uint16_t resets = 0;  ///< a number of a list of labels
  };

  std::uint32_t states() const { return static_cast<std::uint32_t>(begins_.size()); }
  std::uint64_t edges() const { return edges_.size(); }
  std::size_t labels() const { return labels_; }
  std::span<const Edge> of(std::uint32_t state) const {
    const std::uint64_t end = state + 1 < begins_.size() ? begins_[state + 1] : edges_.size();
    return {edges_.data() + begins_[state], edges_.data() + end};
  }
  /// What is no longer the same after the edge although it can still happen: a timer that was set anew.
  std::span<const Label> renewedBy(const Edge& edge) const { return renewals_[edge.resets]; }

  /// States are added in the order of their numbers, and edges to the state that was added last.
  void addState() { begins_.push_back(edges_.size()); }
  void addEdge(Edge edge);
  /// The number of a list of labels. Throws std::length_error if there are too many different ones.
  std::uint16_t numberOf(const std::vector<Label>& renewed);

 private:
  std::vector<std::uint64_t> begins_;
  std::vector<Edge> edges_;
  std::vector<std::vector<Label>> renewals_{{}};
  std::map<std::vector<Label>, std::uint16_t> renewal_numbers_{{{}, 0}};
  std::size_t labels_ = 0;
};

/// A state, and the place of one of its edges among them.
struct GraphStep {
  std::uint32_t state = 0;
  std::uint16_t edge = 0;
  bool operator==(const GraphStep&) const = default;
};

/// A path that goes on for ever.
struct Lasso {
  std::uint32_t begins = 0;     ///< the state that the way to the loop begins with
  std::vector<GraphStep> stem;  ///< the way to the loop
  std::uint32_t at = 0;         ///< the state with which the loop begins and ends
  std::vector<GraphStep> loop;  ///< empty: nothing has to happen in that state
};

/// A fair path that stays `inside` for ever and begins in a state of `from` that is inside, or nothing. The
/// states are marked by number; the strength of fairness is by label. An edge that leads outside the graph
/// can be taken, so that what would have to take it is no such path. Of several loops it is one that is met
/// early.
std::optional<Lasso> fairLasso(const LivenessGraph& graph, const std::vector<Fairness>& fairness,
                               const std::vector<bool>& from, const std::vector<bool>& inside);

}  // namespace zablab
