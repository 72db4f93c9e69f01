// A client, which coordinates its own requests, one at a time.
//
// A write asks all N replicas for their versions, takes the next version after the newest of the first R
// answers, sends it to all N and is done when W have acknowledged it. A read asks all N and uses the newest
// of the first R answers; what it then does for the other replicas, before it returns or after, is decided by
// a rule. A comparison is a read that continues as a write: two comparisons may both find the same value.
#pragma once

#include "protocol/quorum_register/context.h"

namespace zablab::quorum_register {

void onAsked(const Context&, const Request&);
void onReadReply(const Context&, ServerId from, const ReadReply&);
void onWriteAck(const Context&, ServerId from, const WriteAck&);
void onStandIn(const Context&);
void onGiveUp(const Context&);

}  // namespace zablab::quorum_register
