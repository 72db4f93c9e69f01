#include "protocol/zab/rules.h"

#include <algorithm>
#include <array>

#include "protocol/reflect.h"

namespace zablab::zab {
namespace {

constexpr std::array values{
    RuleValue{"vote_order", "epoch_zxid_id",
              "the larger epoch wins, then the larger zxid, then the larger id",
              "FastLeaderElection, totalOrderPredicate"},
    RuleValue{"vote_order", "zxid_id", "votes carry no epoch: the larger zxid wins, then the larger id",
              "before currentEpoch was a file of its own"},
    RuleValue{"vote_order", "id_regardless_of_epoch",
              "at equal zxids the larger id wins whatever the epochs are",
              "a comparison whose last term forgot the epochs"},
    RuleValue{"higher_round", "initial_vote",
              "a higher round is taken over and its vote compared with the own first vote",
              "FastLeaderElection, lookForLeader, case LOOKING"},
    RuleValue{"higher_round", "current_vote", "it is compared with the vote that was held last",
              "the documents' account of the logical clock"},
    RuleValue{"higher_round", "ignored", "votes of a higher round have no effect", "no source: for tests"},
    RuleValue{"lower_round", "answered", "the vote has no effect, and its sender is told the own vote",
              "FastLeaderElection, WorkerReceiver"},
    RuleValue{"lower_round", "silent", "the vote has no effect",
              "the documents' account of the logical clock"},
    RuleValue{"lower_round", "counted", "the vote is weighed and counted like one of the own round",
              "no source: for tests"},
    RuleValue{"ballot_box", "last_vote", "a server's newer vote replaces its older one",
              "FastLeaderElection, recvset"},
    RuleValue{"ballot_box", "cleared_on_update", "and a change of the own vote empties the box first",
              "the documents' account of the start of an ensemble"},
    RuleValue{"ballot_box", "first_vote", "a server's first vote of the round stays", "no source: for tests"},
    RuleValue{"decision", "finalize_wait", "a quorum decides when nothing better came for 200 ms",
              "FastLeaderElection, finalizeWait"},
    RuleValue{"decision", "at_once", "a quorum decides at once", "the documents' account of counting votes"},
    RuleValue{"majority", "more_than_half", "a quorum is more than half of the weight",
              "QuorumMaj, QuorumHierarchical"},
    RuleValue{"majority", "half", "half is enough", "a slip of an overview: half or more"},
    RuleValue{"counted", "voters", "observers' votes are answered and never counted",
              "FastLeaderElection, WorkerReceiver"},
    RuleValue{"counted", "everybody", "observers are voters", "no source: for tests"},
    RuleValue{"join", "quorum_and_leader",
              "a server joins an ensemble when a quorum names the leader and the leader itself says so",
              "FastLeaderElection, checkLeader"},
    RuleValue{"join", "quorum_alone", "a quorum's word is enough",
              "the documents' account of a follower's restart"},
    RuleValue{"join", "leader_alone", "the leader's word is enough", "no source: for tests"},
    RuleValue{"join", "never", "only votes of servers that look are heard",
              "an overview that knows LOOKING votes alone"},
    RuleValue{"join_compares", "leader_and_epoch", "members of an ensemble agree by leader and epoch",
              "Vote.equals, since rounds of members may differ"},
    RuleValue{"join_compares", "whole_vote", "and by zxid and round too",
              "before members' rounds were known to differ"},
    RuleValue{"answer", "settled_servers", "who leads or follows answers those who look",
              "FastLeaderElection, WorkerReceiver"},
    RuleValue{"answer", "nobody", "nobody answers", "no source: for tests"},
    RuleValue{"silence", "back_off", "after silence the vote is sent again; the wait doubles up to a cap",
              "FastLeaderElection, lookForLeader"},
    RuleValue{"silence", "constant", "after silence the vote is sent again; the wait stays",
              "no source: for tests"},
    RuleValue{"silence", "never", "a vote is sent once", "no source: for tests"},
    RuleValue{"round_start", "next", "each call of lookForLeader begins a new round",
              "FastLeaderElection, logicalclock"},
    RuleValue{"round_start", "kept", "the round stays", "no source: for tests"},
    RuleValue{"own_vote", "queued", "the own vote counts when the own notification was read",
              "QuorumCnxManager, messages to oneself"},
    RuleValue{"own_vote", "at_once", "the own vote counts at once", "the documents' ballot boxes"},
    RuleValue{"advertised", "last_logged", "a vote names the last logged transaction",
              "FastLeaderElection, getInitLastLoggedZxid"},
    RuleValue{"advertised", "last_snapshot", "a vote names the last transaction of the newest snapshot",
              "no source: for tests"},
    RuleValue{"lost_quorum", "step_down", "a leader that no longer hears a quorum looks again",
              "Leader.lead"},
    RuleValue{"lost_quorum", "keep_leading", "it goes on leading", "no source: for tests"},
    RuleValue{"lost_leader", "look_again", "a learner whose leader is gone or silent looks again",
              "Follower.followLeader"},
    RuleValue{"lost_leader", "keep_following", "it goes on following", "no source: for tests"},
};

constexpr Rules zookeeper{};

constexpr std::array all_variants{
    Variant{"zookeeper", zookeeper, "ZooKeeper's own rules, as of release 3.9.5"},
};

}  // namespace

std::span<const RuleValue> ruleValues() { return values; }
std::span<const Variant> variants() { return all_variants; }

const Variant* findVariant(std::string_view name) {
  const auto at = std::find_if(all_variants.begin(), all_variants.end(),
                               [name](const Variant& variant) { return variant.name == name; });
  return at == all_variants.end() ? nullptr : &*at;
}

std::optional<std::string> setRule(Rules& rules, std::string_view rule, std::string_view value) {
  bool known_rule = false;
  bool known_value = false;
  forEachField(rules, [&](std::string_view name, auto& field) {
    if (name != rule) return;
    known_rule = true;
    if (const auto found = enumFromName<std::remove_reference_t<decltype(field)>>(value)) {
      field = *found;
      known_value = true;
    }
  });
  if (!known_rule) return "there is no rule \"" + std::string(rule) + "\"";
  if (!known_value)
    return "the rule \"" + std::string(rule) + "\" has no value \"" + std::string(value) + "\"";
  return std::nullopt;
}

std::vector<std::string> changedRules(const Rules& rules) {
  std::vector<std::string> changed;
  forEachField(rules, [&](std::string_view name, const auto& field) {
    if (field != std::remove_cvref_t<decltype(field)>{}) {
      changed.push_back(std::string(name) + "=" + std::string(enumName(field)));
    }
  });
  return changed;
}

}  // namespace zablab::zab
