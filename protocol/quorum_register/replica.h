// A replica stores a value with its version, takes newer ones, and reports what it has. A stand-in also keeps
// copies for homes until it has handed them over. Both are durable.
#pragma once

#include "protocol/quorum_register/context.h"

namespace zablab::quorum_register {

/// The replica has loaded its disk.
void takeUpReplica(const Context&);
void onRead(const Context&, ServerId from, const Read&);
void onWrite(const Context&, ServerId from, const Write&);
/// A home has received what this stand-in kept for it.
void onHandedOver(const Context&, ServerId home, const WriteAck&);
void onHandOff(const Context&);

}  // namespace zablab::quorum_register
