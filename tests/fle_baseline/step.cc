#include "tests/fle_baseline/family.h"

namespace zablab::fle_baseline {
namespace {

std::size_t at(ServerId id) { return static_cast<std::size_t>(id - 1); }

void send(V::Effects& out, ServerId to, const Said& said) { out.push_back(V::Send{0, to, said}); }

/// To the two others, the next one first.
void tellOthers(const Node& node, V::Effects& out) {
  const Said said{node.round, node.vote, State::looking};
  for (const ServerId step : {1, 2}) send(out, (node.self - 1 + step) % 3 + 1, said);
}

void forget(Node& node) {
  node.heard = {};
  node.settled = {};
}

void look(Node& node, std::int64_t round, V::Effects& out) {
  node.state = State::looking;
  node.round = round;
  node.vote = node.self;
  forget(node);
  tellOthers(node, out);
}

void settle(Node& node, std::int64_t round, std::int64_t vote) {
  node.state = vote == node.self ? State::leading : State::following;
  node.round = round;
  node.vote = vote;
  forget(node);
}

void onLooking(Node& node, ServerId from, const Said& said, V::Effects& out) {
  if (said.round < node.round) return send(out, from, {node.round, node.vote, State::looking});
  if (said.round > node.round) {
    node.round = said.round;
    node.vote = rankOf(said.vote) > rankOf(node.self) ? said.vote : node.self;
    node.heard = {};
    node.heard[at(from)] = said.vote;
    return tellOthers(node, out);
  }
  node.heard[at(from)] = said.vote;
  if (rankOf(said.vote) <= rankOf(node.vote)) return;
  node.vote = said.vote;
  tellOthers(node, out);
}

/// Another server has a leader: it is joined when a quorum has it and it has itself announced that it leads.
void onSettled(Node& node, ServerId from, const Said& said) {
  const std::int64_t leader = said.vote;
  node.settled[at(from)] = said;
  if (said.round == node.round) node.heard[at(from)] = leader;
  const ServerId other = 6 - node.self - from;
  const bool own = leader == node.self;
  const bool leads = !own && leader != 0 && node.settled[at(leader)].state == State::leading;
  const int here =
      (node.heard[at(from)] == leader) + (node.heard[at(other)] == leader) + (own || node.vote == leader);
  const Said& third = node.settled[at(other)];
  const int elsewhere = 1 + (third.vote == leader && third.round == said.round);
  if ((said.round == node.round && here >= 2 && (own || leads)) || (elsewhere >= 2 && leads)) {
    settle(node, said.round, leader);
  }
}

}  // namespace

void Family::step(const Config&, const Rules&, Node& node, const V::Input& input, V::Effects& out) {
  if (holds_alternative<V::Start>(input)) return look(node, 1, out);
  if (const auto* fired = get_if<V::Fired>(&input)) {
    switch (fired->timer.kind) {
      case TimerKind::decide: return settle(node, node.round, node.vote);
      case TimerKind::suspect: return look(node, node.round + 1, out);
      case TimerKind::resend: return send(out, fired->timer.key, {node.round, node.vote, State::looking});
    }
  }
  const auto* received = get_if<V::Received>(&input);
  if (received == nullptr) return;
  const Said& said = get<Said>(received->message);
  if (node.state != State::looking) {
    if (said.state == State::looking) send(out, received->from, {node.round, node.vote, node.state});
  } else if (said.state == State::looking) {
    onLooking(node, received->from, said, out);
  } else {
    onSettled(node, received->from, said);
  }
}

}  // namespace zablab::fle_baseline
