// What a broker does in a session with ZooKeeper: registration, the controller's election, and, as the
// controller, the choice of the partition's leader.
#pragma once

#include <vector>

#include "protocol/kafka/context.h"

namespace zablab::kafka {

void startBroker(const Context& ctx);
/// Handles the events of its session with ZooKeeper.
void onSessionEvents(const Context& ctx, const std::vector<zookeeper::Event>& events);

// ---- queue.cc
void enqueue(const Context& ctx, Item item);
/// The present item is done.
void finish(const Context& ctx);
/// Asks ZooKeeper; the answer goes to the stage's function.
void ask(const Context& ctx, Stage stage, const zookeeper::Op& op);
/// The number of the request of a stage. A late reply to a write of unknown outcome must not be taken for the
/// reply to the next one.
std::int64_t requestNumber(const Context& ctx, Stage stage);
/// The outcome of this request, if it is a write, is not known.
void noteUnknown(const Context& ctx, const zookeeper::Op& op);

// ---- election.cc
void beginStartup(const Context& ctx);
void beginElection(const Context& ctx);
void resign(const Context& ctx, ResignReason reason);
/// `zxid`: of what the request has changed.
void onElectionAnswer(const Context& ctx, Stage stage, const zookeeper::Result& result, zookeeper::Zxid zxid);

// ---- controller.cc
/// Reads which brokers are alive and chooses the leader: their list has changed, or an operator asks for the
/// preferred leader.
void beginBrokerChange(const Context& ctx);
void onControllerAnswer(const Context& ctx, Stage stage, const zookeeper::Result& result);
/// As long as it is the controller, it connects again to brokers that it has lost the connection to.
void beginRequestRetries(const Context& ctx);
void endRequestRetries(const Context& ctx);
void onRequestRetry(const Context& ctx);

// ---- metadata.cc
void onControllerRequest(const Context& ctx, const ControllerRequest& request);
void onMetadataRequest(const Context& ctx, ServerId from, const MetadataRequest& request);
void onElectLeaders(const Context& ctx);

// ---- operations
zookeeper::SubOp createOp(std::string_view path, std::string data, bool ephemeral);
zookeeper::SubOp setOp(std::string_view path, std::string data, std::int32_t version);
zookeeper::SubOp checkOp(std::string_view path, std::int32_t version);
zookeeper::Op readOp(zookeeper::OpCode code, std::string_view path, bool watch);
zookeeper::Op multiOf(std::vector<zookeeper::SubOp> ops);
/// Why it failed: of a multi, the error of the operation that did.
zookeeper::Error errorOf(const zookeeper::Result& result);

}  // namespace zablab::kafka
