#include "protocol/zab_register/rules.h"

#include <array>

#include "protocol/zab/mutations.h"
#include "protocol/zab/variants.h"

namespace zablab::zab {
namespace {

constexpr std::array own_values{
    RuleValue{"last_seen", "checked", "a server that is behind what a client has seen refuses it",
              "ZooKeeperServer.processConnectRequest"},
    RuleValue{"last_seen", "unchecked", "every server accepts every client",
              "the documents' account of reads"},
    RuleValue{"client_sync", "by_leader",
              "a client's sync goes to the leader, and its answer follows what the leader has committed",
              "FollowerRequestProcessor, Leader.processSync"},
    RuleValue{"client_sync", "at_once", "the server that is asked answers it", "no source: for tests"},
    RuleValue{"answered_by", "server", "a client is answered by the server that it asked",
              "FinalRequestProcessor"},
    RuleValue{"answered_by", "leader", "writes are answered by the leader",
              "the documents' account of a write"},
    RuleValue{"answers", "in_turn",
              "a client's requests are answered in their order, each write when it is committed itself",
              "CommitProcessor, session and cxid"},
    RuleValue{"answers", "reads_at_once", "a read does not wait for its client's earlier requests",
              "no source: for tests"},
    RuleValue{"answers", "oldest_write",
              "a committed write answers the oldest write that its client waits for", "no source: for tests"},
    RuleValue{"unanswered", "ends",
              "a request that was not answered when its connection ends has an unknown outcome",
              "ClientCnxn, CONNECTIONLOSS"},
    RuleValue{"unanswered", "asked_again", "its client repeats it when it is connected again",
              "what clients of ZooKeeper have to do themselves, knowing that it may be done twice"},
};

constexpr auto values = joined(broadcast_rule_values, own_values);

constexpr auto all_variants = [] {
  std::array<Variant, broadcast_variants.size()> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [name, rules, text] = broadcast_variants[i];
    rows[i] = {name, {rules}, text};
    if (name != "textbook") continue;
    rows[i].rules.last_seen = LastSeen::unchecked;
    rows[i].rules.answered_by = AnsweredBy::leader;
  }
  return rows;
}();

// The planted bugs, by name: those of the broadcast, and those of the register.
constexpr std::array own_mutations{
    Mutation{"client_sees_the_past", "", "", "safety", "monotonic-reads",
             "a server accepts clients that have seen more than it has", "last_seen", "unchecked"},
    Mutation{"client_sync_at_once", "", "", "safety", "sync-through-leader",
             "a follower answers a sync itself", "client_sync", "at_once"},
    Mutation{"client_reads_at_once", "", "", "safety", "answers-in-order",
             "a client's read overtakes what the client asked before", "answers", "reads_at_once"},
    Mutation{"client_asks_again", "", "", "safety", "done-once",
             "a client repeats a request that was not answered when it lost its connection", "unanswered",
             "asked_again"},
    Mutation{"client_gets_another_answer", "", "", "safety", "answers-true",
             "a write that its client has given up is answered as the next one", "answers", "oldest_write"},
};

constexpr auto mutations = joined(broadcast_mutations, own_mutations);

}  // namespace

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::zab
