// What can happen next in a state of a search of Leader and Followers. As for any family; if a model sets
// `connect_at_once`, a dialling server keeps dialling until the other is up, so that no message waits for a
// connection that nothing prevents.
//
// Grain::reduced is the full grain without delays that have no visible effect. The following happens
// immediately:
//
// - messages without effect are read: a question of a generation that is over for both sides, an answer to a
//   question that is settled. They have no effect, now or later, at whatever time they are read; only what
//   follows them on the wire can arrive sooner.
// - what a server sends to itself is read. It reports what is durable, and no event between the two can
//   depend on whether it is known yet, except by preceding the sync.
//
// Grain::settled leaves out behaviours. In addition:
//
// - a server that ends starts again, if every end may be followed by a start. Being down is like not
//   reading what is sent.
// - answers and the ends of connections are read. A question and its answer are one step, as in a model of
//   calls. This leaves out paths on which an answer is in transit while something else happens; a question
//   that is read late, or never, is included.
//
// In every grain, of servers that are mirror images of each other only one may act first.
#pragma once

#include <algorithm>
#include <optional>

#include "checker/check/moves.h"
#include "checker/check/watch.h"
#include "checker/leader_followers/check.h"
#include "protocol/overloaded.h"

namespace zablab {

class LeaderFollowersMoves : public Moves {
  using F = leader_followers::Family;

 public:
  using Moves::Moves;

  bool hasConsequences() const override { return limits_.grain != Grain::full || Moves::hasConsequences(); }
  std::optional<NumberedAction> consequence() const override {
    const int n = store_.size();
    for (int i = 0; isBackAtOnce() && i < n; ++i) {
      if (!store_.isUp(i)) return NumberedAction{.kind = ActionKind::start, .a = i};
    }
    for (Link link = 0; link < cluster_.links.size(); ++link) {
      const bool dials = limits_.slots_connect_at_once && store_.holdsAny(Relation::dialling, link);
      for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
          if (isReadAtOnce(link, from, to))
            return NumberedAction{.kind = ActionKind::deliver, .link = link, .a = from, .b = to};
          if (dials && world_.isDialling(link, from, to) && runs(from) && runs(to) &&
              reachEachOther(from, to))
            return NumberedAction{.kind = ActionKind::dial, .link = link, .a = from, .b = to};
        }
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr Link server_link = leader_followers::server_link;

  void listAll(Spent spent) override {
    const std::size_t before = moves_->size();
    Moves::listAll(spent);
    const std::uint64_t mirrored = mirroredIn(spent);
    if (mirrored == 0) return;
    const auto skipped = [&](const Move& move) {
      return !move.spends && ((mirrored >> subjectOf(move.action)) & 1) != 0;
    };
    moves_->erase(
        std::remove_if(moves_->begin() + static_cast<std::ptrdiff_t>(before), moves_->end(), skipped),
        moves_->end());
  }
  const F::Node& node(int i) const { return store_.server(i).node.as<F::Node>(); }

  /// Being down is like not reading what is sent: if every end may be followed by a start, the start follows
  /// immediately.
  bool isBackAtOnce() const {
    return limits_.grain == Grain::settled && limits_.of(Budget::restarts) >= limits_.of(Budget::crashes);
  }

  /// Servers, one bit each, that have a mirror image, so that whatever can happen to them can happen to it:
  /// all but the first until the first election, and the last until one of the servers asked in it reads. Ids
  /// do not matter if ties are broken by which server asks first.
  std::uint64_t mirroredIn(Spent spent) const {
    if (cluster_.as<F>().rules.tie_break != leader_followers::TieBreak::first_to_ask || store_.size() != 3)
      return 0;
    if (spent.of(Budget::crashes) + spent.of(Budget::partitions) + spent.of(Budget::breaks) > 0) return 0;
    for (int i = 1; i < 3; ++i) {
      const F::Node& own = node(i);
      const bool fresh = own.generation == 0 && own.campaign == leader_followers::Campaign::none;
      if (!fresh || !runs(i)) return 0;
      for (int j = 0; j < 3; ++j) {
        if (!store_.isEmpty(server_link, i, j)) return 0;
      }
    }
    const auto to = [&](int i) { return store_.part(store_.layout().channel(server_link, 0, i)); };
    if (to(1) != to(2)) return 0;
    return spent.of(Budget::elections) == 0 ? 0b110 : 0b100;
  }

  /// Whether the first item on the wire is read without a choice.
  bool isReadAtOnce(Link link, int from, int to) const {
    if (limits_.grain == Grain::full || !world_.canDeliver(link, from, to)) return false;
    if (from == to) return true;
    const auto& first = store_.channel(link, from, to).wire.front();
    const bool settled = limits_.grain == Grain::settled;
    if (!first) return settled;  // the connection's end
    return isInVain(first->as<F::Message>(), from, to) || (settled && isAnswer(first->as<F::Message>()));
  }

  static bool isAnswer(const F::Message& message) {
    return holds_alternative<leader_followers::VoteResponse>(message) ||
           holds_alternative<leader_followers::AppendResponse>(message) ||
           holds_alternative<leader_followers::ForwardedReply>(message);
  }

  /// Whether it has no effect on its reader, now or later, and the answer has none on any server.
  bool isInVain(const F::Message& message, int from, int to) const {
    const F::Node& reader = node(to);
    const F::Node& sender = node(from);
    // A server that does not ask for votes in its generation, nor leads it, never will.
    const auto isOver = [](const F::Node& of, std::int64_t generation) {
      return generation < of.generation ||
             (generation == of.generation && of.role != leader_followers::Role::LEADING &&
              of.campaign != leader_followers::Campaign::vote);
    };
    // A sender that is behind, or would be after a restart, learns the generation from the answer.
    const bool learns = store_.disk(from).image.as<F::Durable>().generation < reader.generation;
    return visit(
        Overloaded{
            [&](const leader_followers::VoteRequest& m) {
              return !m.pre && m.generation < reader.generation && !learns;
            },
            [&](const leader_followers::Append& m) {
              return m.generation < reader.generation &&
                     cluster_.as<F>().rules.append_from == leader_followers::AppendFrom::present_generation &&
                     !learns && (!store_.isUp(from) || isOver(sender, reader.generation));
            },
            [&](const leader_followers::VoteResponse& m) {
              if (!m.granted || m.pre) return m.generation <= reader.generation;
              return isOver(reader, m.generation);
            },
            [&](const leader_followers::AppendResponse& m) { return isOver(reader, m.generation); },
            [](const auto&) { return false; },
        },
        message);
  }
};

}  // namespace zablab
