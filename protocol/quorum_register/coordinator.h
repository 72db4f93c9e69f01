// A client, which coordinates its own requests, one at a time.
//
// A write asks R replicas for their versions, takes the next one, tells all N and is done when W have
// acknowledged it. A read asks all N and goes by the newest of the first R answers; what it does for the
// others then, before it returns or after, is a rule's. A comparison is a read that goes on as a write: two
// of them may both find the same value.
#pragma once

#include "protocol/quorum_register/context.h"

namespace zablab::quorum_register {

void onAsked(const Context&, const Request&);
void onReadReply(const Context&, ServerId from, const ReadReply&);
void onWriteAck(const Context&, ServerId from, const WriteAck&);
void onStandIn(const Context&);
void onGiveUp(const Context&);

}  // namespace zablab::quorum_register
