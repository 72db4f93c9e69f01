#include "protocol/quorum_register/mutations.h"

#include <array>

namespace zablab::quorum_register {
namespace {

constexpr std::array rows{
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
    Mutation{"qr_never_hands_off", "", "", "liveness", "hints stay",
             "a stand-in keeps what it should hand over", "hand_off", "never"},
};

}  // namespace

std::span<const Mutation> mutations() { return rows; }

}  // namespace zablab::quorum_register
