// The service's end of a client's connection: requests in order, answers in order. Writes and syncs go to the
// leader and are answered when this server has applied them; reads are answered from what this server has.
#pragma once

#include "protocol/zab/context.h"

namespace zablab::zab {

/// What a client's write puts into the log.
Txn txnOf(Operation operation, std::int64_t value, ServerId client, std::int64_t number);

void onClientHello(const Context& in, ServerId client, const ClientHello& hello);
void onClientRequest(const Context& in, ServerId client, const ClientRequest& request);
/// A write for which nobody waits, proposed where it can be.
void onWriteAsked(const Context& in, const Request& request);
void onClientGone(const Context& in, ServerId client);
/// A connection to a client of another server, to answer it, is open or could not be made.
void onAnswerConnected(const Context& in, ServerId client);
void onAnswerRefused(const Context& in, ServerId client);
void onSyncDone(const Context& in, const SyncDone& done);
/// A transaction was applied: whoever waits for it here is answered.
void answerWrite(const Context& in, const Txn& txn);
/// The role ends: every client is disconnected and has to learn elsewhere what became of its requests.
void dropClients(const Context& in);

}  // namespace zablab::zab
