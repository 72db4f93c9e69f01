#include "sim/zab/words.h"

#include <nlohmann/json.hpp>

#include "sim/sentences.h"

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

Phrase because(const Names& name, Comparison reason, const Vote& winner, const Vote& loser) {
  if (loser.leader == no_server) return phrase("an observer votes for no server");
  switch (reason) {
    case Comparison::higher_epoch:
    case Comparison::lower_epoch:
      return phrase("epoch {epoch} > {other}", winner.peer_epoch, loser.peer_epoch);
    case Comparison::higher_zxid:
    case Comparison::lower_zxid: return phrase("zxid {zxid} > {other}", text(winner.zxid), text(loser.zxid));
    case Comparison::higher_id:
    case Comparison::lower_id:
      return phrase("id {server} > {other}", name(winner.leader), name(loser.leader));
    case Comparison::equal: return phrase("the same vote");
    case Comparison::no_weight: return phrase("{server} has no weight", name(loser.leader));
  }
  return {};
}

Phrase because(RoleReason reason) {
  switch (reason) {
    case RoleReason::started: return phrase("it starts");
    case RoleReason::decided: return phrase("the election is decided");
    case RoleReason::leader_gone: return phrase("the leader is gone");
    case RoleReason::leader_silent: return phrase("the leader is silent");
    case RoleReason::leader_unreachable: return phrase("the leader accepts no connection");
    case RoleReason::quorum_lost: return phrase("it no longer hears from a quorum");
    case RoleReason::quorum_never_came: return phrase("no quorum came in time");
    case RoleReason::told: return phrase("it was instructed to");
    case RoleReason::placed: return phrase("it is already running");
    case RoleReason::no_promises: return phrase("no quorum promised its epoch in time");
    case RoleReason::epoch_behind: return phrase("the leader's epoch is older than the one it promised");
    case RoleReason::no_newleader_quorum: return phrase("no quorum acknowledged NEWLEADER in time");
    case RoleReason::counter_used_up: return phrase("the epoch's counter is used up");
    case RoleReason::sync_failed: return phrase("synchronization failed");
    case RoleReason::write_failed: return phrase("its log could not be written");
  }
  return {};
}

Phrase because(IgnoreReason reason) {
  switch (reason) {
    case IgnoreReason::lower_round: return phrase("its round is lower");
    case IgnoreReason::higher_round: return phrase("its round is higher");
    case IgnoreReason::unknown_candidate: return phrase("its candidate cannot lead");
    case IgnoreReason::no_database: return phrase("it comes from a server without a database");
    case IgnoreReason::sender_observes: return phrase("its sender is an observer");
    case IgnoreReason::undecodable: return phrase("it cannot be read");
    case IgnoreReason::not_looking: return phrase("it needs no answer");
    case IgnoreReason::waiting_to_decide:
      return phrase("it does not beat the vote that this server is about to decide for");
    case IgnoreReason::not_yet_looking: return phrase("the election has not begun here");
  }
  return {};
}

Phrase because(SyncReason reason) {
  switch (reason) {
    case SyncReason::forced: return phrase("snapshots are forced");
    case SyncReason::equal: return phrase("nothing is missing");
    case SyncReason::learner_ahead: return phrase("the leader has less");
    case SyncReason::within_committed_log: return phrase("the committed log reaches back far enough");
    case SyncReason::behind_from_disk:
      return phrase("the committed log does not reach back far enough, the log's files do");
    case SyncReason::behind_without_log:
      return phrase("the committed log does not reach back far enough, and the log's files cannot be used");
    case SyncReason::other_epoch:
      return phrase("the last transaction is not in the leader's history and is of another epoch");
    case SyncReason::gap_in_log: return phrase("the log's files have a gap before the committed log");
    case SyncReason::outstanding: return phrase("what is outstanding there stays");
    case SyncReason::after_committed: return phrase("what is known to be committed there stays");
    case SyncReason::no_match: return phrase("no other case applies");
  }
  return {};
}

Json picture(const Names& name, const Committed& committed) {
  return quorumPicture(name, committed.acks, phrase("quorum for {candidate}", text(committed.zxid)));
}

Json picture(const Names& name, const BoxChanged& box) {
  Json cells = Json::array();
  for (const BoxEntry& entry : box.entries) {
    cells.push_back({{"text", cell(name, entry)}, {"mark", entry.counted ? "counted" : "plain"}});
  }
  Json picture{{"cells", std::move(cells)}, {"quorum", box.quorum}};
  if (box.quorum) setPhrase(picture, "caption", phrase("quorum for {candidate}", name(box.candidate)));
  return picture;
}

Json timerForms() {
  return {{"notification_wait", {"min_notification_ms to max_notification_ms"}},
          {"finalize_wait", {"finalize_wait_ms"}},
          {"observer_delay", {"0 to observer_delay_ms"}},
          {"connect_retry", {"connect_retry_ms"}},
          {"leader_limit", {"sync_limit × tick_ms", "init_limit × tick_ms"}},
          {"learner_limit", {"sync_limit × tick_ms", "init_limit × tick_ms"}},
          {"half_tick", {"tick_ms / 2"}},
          {"init_limit", {"init_limit × tick_ms"}},
          {"ack_limit", {"sync_limit × tick_ms"}},
          {"newleader", {"0 to newleader_delay_ms"}},
          {"snapshot", {"snapshot_ms"}}};
}

}  // namespace zablab::zab
