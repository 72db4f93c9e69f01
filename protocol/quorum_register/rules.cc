#include "protocol/quorum_register/rules.h"

#include <array>

namespace zablab::quorum_register {
namespace {

// ABD: Attiya, Bar-Noy, Dolev, Sharing memory robustly in message-passing systems, J. ACM 42(1), 1995.
// Dynamo: DeCandia et al., Dynamo: Amazon's highly available key-value store, SOSP 2007.
constexpr std::array values{
    RuleValue{
        "read_repair", "write_back",
        "a read returns a value when W replicas are known to have it; if necessary it writes it back first",
        "ABD, the second phase of a read"},
    RuleValue{"read_repair", "asynchronous",
              "a read returns the newest of R answers; then replicas that answered with an older version are "
              "updated",
              "Dynamo, section 5, read repair"},
    RuleValue{"read_repair", "none", "a read returns the newest of R answers, without repair",
              "document 004, why quorums do not give strong consistency"},
    RuleValue{"versions", "asked",
              "a writer asks R replicas first, and its version is one more than the newest",
              "Lynch, Shvartsman, Robust emulation of shared memory using dynamic quorum-acknowledged "
              "broadcasts, FTCS 1997: several writers"},
    RuleValue{"versions", "own_counter", "a writer counts versions by itself: correct with a single writer",
              "ABD, one writer"},
    RuleValue{"versions", "clock", "a writer reads its clock: the last write wins",
              "Cassandra, timestamps of columns"},
    RuleValue{"write_targets", "homes", "a write goes to the N replicas of the value alone",
              "Gifford, Weighted voting for replicated data, SOSP 1979"},
    RuleValue{"write_targets", "sloppy",
              "after a while another server is asked to keep the copy of a home that has not answered, and "
              "its acknowledgement counts as the home's",
              "Dynamo, section 4.6, sloppy quorum"},
    RuleValue{"hand_off", "retried", "a stand-in sends the home its copy until the home has it",
              "Dynamo, section 4.6, hinted handoff"},
    RuleValue{"hand_off", "never", "it keeps it", "no source: for tests"},
    RuleValue{"read_quorum", "configured", "a read waits for R replicas", "Dynamo, section 4.5"},
    RuleValue{"read_quorum", "disjoint",
              "a read waits for N - W replicas, so that they need not have one in common with a write's",
              "Dynamo, section 4.5: a lower R, for speed"},
    RuleValue{"write_quorum", "configured", "a write waits for W replicas", "Dynamo, section 4.5"},
    RuleValue{"write_quorum", "first_ack", "the first acknowledgement is enough", "no source: for tests"},
    RuleValue{"counted", "replicas", "a replica counts once, regardless of how many messages it sends",
              "ABD"},
    RuleValue{"counted", "messages", "every message counts", "no source: for tests"},
    RuleValue{"kept", "newest",
              "a replica stores a newer version, and acknowledges an older one without storing it",
              "ABD, a server's part"},
    RuleValue{"kept", "last_arrived", "it stores every version that arrives", "no source: for tests"},
    RuleValue{"ack_when", "durable", "a replica acknowledges what is on its disk",
              "Gifford 1979, stable storage"},
    RuleValue{"ack_when", "at_once", "it acknowledges first, and writes later",
              "Dynamo, section 6.1: a buffer of writes in main memory"},
    RuleValue{"read_returns", "newest", "a client takes the newest of the answers",
              "Gifford, Weighted voting for replicated data, SOSP 1979"},
    RuleValue{"read_returns", "last_heard", "it takes the last one", "no source: for tests"},
    RuleValue{"late_replies", "repaired",
              "a home that answers after the client was answered is updated if its version is older",
              "Dynamo, section 5: the coordinator waits for responses that are still outstanding"},
    RuleValue{"late_replies", "ignored", "it is not", "no source: for tests"},
    RuleValue{"hint_kept", "newest", "a stand-in keeps the newest version that it is sent for a home",
              "ABD, a server's part"},
    RuleValue{"hint_kept", "first", "it keeps the first", "no source: for tests"},
    RuleValue{"hint_dropped", "acknowledged", "a stand-in keeps a copy until the home has acknowledged it",
              "Dynamo, section 4.6, hinted handoff"},
    RuleValue{"stand_in_when", "after_a_while",
              "a client turns to stand-ins when homes have not answered for some time",
              "Cassandra, hinted handoff: a hint is written when a replica has not answered in time"},
    RuleValue{"stand_in_when", "at_once", "it does so at once", "no source: for tests"},
    RuleValue{"hint_dropped", "when_sent", "it drops it when it has sent it", "no source: for tests"},
};

constexpr Rules abd{};
constexpr Rules one_writer{.versions = Versions::own_counter};
constexpr Rules plain{.read_repair = ReadRepair::none};
constexpr Rules dynamo{.read_repair = ReadRepair::asynchronous, .write_targets = WriteTargets::sloppy};

constexpr std::array all_variants{
    Variant{"abd", abd, "reads write back what they return: linearizable"},
    Variant{"abd-one-writer", one_writer, "the same for one writer, which counts versions by itself"},
    Variant{"quorum", plain, "R + W > N and nothing else: regular, not linearizable"},
    Variant{
        "dynamo", dynamo,
        "read repair after the answer, and stand-ins for homes that do not answer: eventually consistent"},
};

// The planted bugs and real habits of such stores, by name.
constexpr std::array mutations{
    Mutation{"dynamo_no_write_back", "", "stores with R + W > N, as they are", "safety", "linearizable",
             "a read returns what a minority may have, and the next read does not find it", "read_repair",
             "none"},
    Mutation{"dynamo_async_repair", "", "stores with read repair in the background", "safety", "linearizable",
             "a read repairs after its answer, and another read may come in between", "read_repair",
             "asynchronous"},
    Mutation{"dynamo_lww_skew", "", "stores in which the last write wins", "safety", "linearizable",
             "a write that is acknowledged loses to an older one whose writer's clock is ahead", "versions",
             "clock"},
    Mutation{"dynamo_sloppy", "", "stores with hinted handoff", "safety", "linearizable",
             "a write is acknowledged by stand-ins, and reads ask the homes", "write_targets", "sloppy"},
    Mutation{"dynamo_r_plus_w_le_n", "", "stores with a small R", "safety", "linearizable",
             "a read's replicas need not have one in common with a write's", "read_quorum", "disjoint"},
    Mutation{
        "qr_several_count_by_themselves", "", "", "safety", "linearizable",
        "each of several writers counts versions by itself, and a later write may have the older version",
        "versions", "own_counter"},
    Mutation{"qr_first_ack", "", "", "safety", "write-quorum",
             "a write is answered at its first acknowledgement", "write_quorum", "first_ack"},
    Mutation{"qr_counts_messages", "", "", "safety", "write-quorum",
             "an acknowledgement or an answer that comes twice counts twice", "counted", "messages"},
    Mutation{"qr_keeps_last_arrived", "", "", "safety", "replica-forward",
             "a replica stores an older version that arrives late", "kept", "last_arrived"},
    Mutation{"qr_acks_at_once", "", "", "safety", "replica-forward",
             "a replica acknowledges what it loses when it loses power", "ack_when", "at_once"},
    Mutation{"qr_takes_the_last_answer", "", "", "safety", "client-answers",
             "a read returns the last answer, which may be the older one", "read_returns", "last_heard"},
    Mutation{"qr_ignores_late_answers", "", "", "safety", "homes-brought-up",
             "a home that answers late with an older version is not updated", "late_replies", "ignored"},
    Mutation{"qr_keeps_first_hint", "", "", "safety", "replica-answers",
             "a stand-in acknowledges a newer version for a home, and keeps the older one", "hint_kept",
             "first"},
    Mutation{"qr_drops_hint_when_sent", "", "", "safety", "replica-answers",
             "a stand-in drops what it has sent to a home, which may not get it", "hint_dropped",
             "when_sent"},
    Mutation{"qr_stands_in_at_once", "", "", "safety", "hands-over",
             "a client turns to stand-ins before the homes can have answered", "stand_in_when", "at_once"},
    Mutation{"qr_never_hands_off", "", "", "liveness", "hints stay",
             "a stand-in keeps what it should hand over", "hand_off", "never"},
};

}  // namespace

RuleTables<Rules> ruleTables() { return {all_variants, values, mutations}; }

}  // namespace zablab::quorum_register
