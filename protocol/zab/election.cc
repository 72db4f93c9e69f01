#include "protocol/zab/election.h"

#include <algorithm>
#include <utility>

#include "protocol/zab/quorum.h"

namespace zablab::zab {
namespace {

/// Vote equality for counting (FastLeaderElection; Vote.equals).
bool agrees(const BroadcastRules& rules, const Ballot& ballot, const Ballot& vote, bool same_round) {
  const auto& earlier = ballot.earlier;
  if (earlier && std::find(earlier->begin(), earlier->end(), vote.vote) != earlier->end()) return true;
  const bool both_settled = ballot.state != Role::LOOKING && vote.state != Role::LOOKING;
  if (!both_settled || rules.join_compares == JoinCompares::whole_vote) return ballot.vote == vote.vote;
  // Members of one running ensemble may report different zxids and rounds; in the server's own round not even
  // the epoch counts.
  return ballot.vote.leader == vote.vote.leader &&
         (same_round || ballot.vote.peer_epoch == vote.vote.peer_epoch);
}

}  // namespace

Comparison compare(const Config& config, const BroadcastRules& rules, const Vote& challenger,
                   const Vote& current) {
  if (rules.electable == Electable::voters_with_weight && weightOf(config, challenger.leader) == 0) {
    return Comparison::no_weight;
  }
  const bool by_epoch = rules.vote_order != VoteOrder::zxid_id;
  if (rules.vote_order == VoteOrder::id_regardless_of_epoch && challenger.zxid == current.zxid &&
      challenger.leader > current.leader) {
    return Comparison::higher_id;
  }
  if (by_epoch && challenger.peer_epoch != current.peer_epoch) {
    return challenger.peer_epoch > current.peer_epoch ? Comparison::higher_epoch : Comparison::lower_epoch;
  }
  if (challenger.zxid != current.zxid) {
    return challenger.zxid > current.zxid ? Comparison::higher_zxid : Comparison::lower_zxid;
  }
  if (challenger.leader != current.leader) {
    return challenger.leader > current.leader ? Comparison::higher_id : Comparison::lower_id;
  }
  return Comparison::equal;
}

bool beats(const BroadcastRules& rules, Comparison comparison) {
  if (rules.vote_order == VoteOrder::smallest) {
    return comparison == Comparison::lower_epoch || comparison == Comparison::lower_zxid ||
           comparison == Comparison::lower_id;
  }
  return comparison == Comparison::higher_epoch || comparison == Comparison::higher_zxid ||
         comparison == Comparison::higher_id;
}

std::vector<ServerId> agreeing(const BroadcastRules& rules, const std::map<ServerId, Ballot>& box,
                               const Ballot& vote, bool same_round) {
  std::vector<ServerId> servers;
  for (const auto& [server, ballot] : box) {
    if (agrees(rules, ballot, vote, same_round)) servers.push_back(server);
  }
  return servers;
}

void putIntoBox(const BroadcastRules& rules, std::map<ServerId, Ballot>& box, ServerId from,
                const Ballot& ballot) {
  switch (rules.ballot_box) {
    case BallotBox::first_vote: box.emplace(from, ballot); break;
    case BallotBox::last_vote:
    case BallotBox::cleared_on_update: box[from] = ballot; break;
    case BallotBox::by_zxid: {
      const auto found = box.find(from);
      std::vector<Vote> earlier;
      if (found != box.end()) {
        earlier = found->second.earlier.value_or(std::vector<Vote>{});
        earlier.push_back(found->second.vote);
      }
      std::erase_if(earlier, [&](const Vote& vote) { return vote.zxid == ballot.vote.zxid; });
      box[from] = ballot;
      if (!earlier.empty()) box[from].earlier = std::move(earlier);
    }
  }
}

}  // namespace zablab::zab
