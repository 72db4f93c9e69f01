#include "sim/zab/words.h"

#include <nlohmann/json.hpp>

namespace zablab::zab {
namespace {

std::string cell(const Names& name, const BoxEntry& entry) {
  std::string text = name(entry.voter) + "→" +
                     (entry.ballot.vote.leader == no_server ? "-" : name(entry.ballot.vote.leader));
  if (entry.ballot.state == Role::LEADING) text += " L";
  if (entry.ballot.state == Role::FOLLOWING) text += " F";
  return text;
}

}  // namespace

std::string text(Zxid zxid) {
  if (zxid == zxid_of_observer) return "-";
  if (zxid == zxid_unusable) return "none";
  if (zxid.epoch() == 0) return std::to_string(zxid.counter());
  return std::to_string(zxid.epoch()) + "." + std::to_string(zxid.counter());
}

std::string text(const Names& name, const Vote& vote) {
  return "(" + std::to_string(vote.election_epoch) + "," +
         (vote.leader == no_server ? "-" : name(vote.leader)) + "," + zab::text(vote.zxid) + ")";
}

std::string because(const Names& name, Comparison reason, const Vote& winner, const Vote& loser) {
  if (loser.leader == no_server) return "an observer votes for no server";
  switch (reason) {
    case Comparison::higher_epoch:
    case Comparison::lower_epoch:
      return "epoch " + std::to_string(winner.peer_epoch) + " > " + std::to_string(loser.peer_epoch);
    case Comparison::higher_zxid:
    case Comparison::lower_zxid: return "zxid " + text(winner.zxid) + " > " + text(loser.zxid);
    case Comparison::higher_id:
    case Comparison::lower_id: return "id " + name(winner.leader) + " > " + name(loser.leader);
    case Comparison::equal: return "the same vote";
    case Comparison::no_weight: return name(loser.leader) + " has no weight";
  }
  return "";
}

std::string because(RoleReason reason) {
  switch (reason) {
    case RoleReason::started: return "it starts";
    case RoleReason::decided: return "the election is decided";
    case RoleReason::leader_gone: return "the leader is gone";
    case RoleReason::leader_silent: return "the leader is silent";
    case RoleReason::leader_unreachable: return "the leader accepts no connection";
    case RoleReason::quorum_lost: return "it no longer hears from a quorum";
    case RoleReason::quorum_never_came: return "no quorum came in time";
    case RoleReason::told: return "it was instructed to";
    case RoleReason::placed: return "it is already running";
    case RoleReason::no_promises: return "no quorum promised its epoch in time";
    case RoleReason::epoch_behind: return "the leader's epoch is older than the one it promised";
    case RoleReason::no_newleader_quorum: return "no quorum acknowledged NEWLEADER in time";
    case RoleReason::counter_used_up: return "the epoch's counter is used up";
    case RoleReason::sync_failed: return "synchronization failed";
    case RoleReason::write_failed: return "its log could not be written";
  }
  return "";
}

std::string because(IgnoreReason reason) {
  switch (reason) {
    case IgnoreReason::lower_round: return "its round is lower";
    case IgnoreReason::higher_round: return "its round is higher";
    case IgnoreReason::unknown_candidate: return "its candidate cannot lead";
    case IgnoreReason::no_database: return "it comes from a server without a database";
    case IgnoreReason::sender_observes: return "its sender is an observer";
    case IgnoreReason::undecodable: return "it cannot be read";
    case IgnoreReason::not_looking: return "it needs no answer";
    case IgnoreReason::waiting_to_decide:
      return "it is no better than the vote that is about to become final";
    case IgnoreReason::not_yet_looking: return "the election has not begun here";
  }
  return "";
}

std::string because(SyncReason reason) {
  switch (reason) {
    case SyncReason::forced: return "snapshots are forced";
    case SyncReason::equal: return "nothing is missing";
    case SyncReason::learner_ahead: return "the leader has less";
    case SyncReason::within_committed_log: return "the committed log reaches back far enough";
    case SyncReason::behind_from_disk:
      return "the committed log does not reach back far enough, the log's files do";
    case SyncReason::behind_without_log:
      return "the committed log does not reach back far enough, and the log's files cannot be used";
    case SyncReason::other_epoch:
      return "the last transaction is not in the leader's history and is of another epoch";
    case SyncReason::gap_in_log: return "the log's files have a gap before the committed log";
    case SyncReason::outstanding: return "what is outstanding there stays";
    case SyncReason::after_committed: return "what is known to be committed there stays";
    case SyncReason::no_match: return "no other case applies";
  }
  return "";
}

Json picture(const Names& name, const Committed& committed) {
  Json cells = Json::array();
  for (const ServerId server : committed.acks) cells.push_back({{"text", name(server)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)}, {"quorum", true}, {"caption", "quorum for " + text(committed.zxid)}};
}

Json picture(const Names& name, const BoxChanged& box) {
  Json cells = Json::array();
  for (const BoxEntry& entry : box.entries) {
    cells.push_back({{"text", cell(name, entry)}, {"mark", entry.counted ? "counted" : "plain"}});
  }
  Json picture{{"cells", std::move(cells)}, {"quorum", box.quorum}};
  if (box.quorum) picture["caption"] = "quorum for " + name(box.candidate);
  return picture;
}

}  // namespace zablab::zab
