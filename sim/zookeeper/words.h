// ZooKeeper's operations, messages and events in words.
#pragma once

#include <string>

#include "protocol/zookeeper/family.h"
#include "sim/called.h"
#include "sim/zab/codec.h"
#include "sim/zab/narrative.h"
#include "sim/zab/service_words.h"
#include "sim/zab/words.h"
#include "sim/zookeeper/codec.h"

namespace zablab::zab {

template <>
struct ServiceWords<zookeeper::ZooKeeper> {
  static zookeeper::Payload plain(Zxid zxid);
  static constexpr const char* plain_text = "the creation of a node that is named by its counter";
  static Phrase label(const Names& name, const zookeeper::ConnectRequest& message);
  static Phrase label(const Names& name, const zookeeper::ConnectResponse& message);
  static Phrase label(const Names& name, const zookeeper::ClientRequest& message);
  static Phrase label(const Names& name, const zookeeper::Reply& message);
  static Phrase label(const Names& name, const zookeeper::WatchEvent& message);
  static Phrase label(const Names& name, const zookeeper::Forwarded& message);
  static Phrase label(const Names& name, const zookeeper::SyncDone& message);
  static Phrase label(const Names& name, const zookeeper::Revalidate& message);
  static Phrase label(const Names& name, const zookeeper::Revalidated& message);
  static Phrase label(const Names& name, const zookeeper::Touched& message);
  static Phrase label(const Names& name, const zookeeper::AskReadOnly& message);
  static Phrase label(const Names& name, const zookeeper::ReadOnlyAnswer& message);
  static Phrase label(const Names& name, const zookeeper::UseResource& message);
  static Phrase label(const Names& name, const zookeeper::ResourceUsed& message);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::ClientStateChanged& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::Answered& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::Watched& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::ClientRefused& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::SessionChecked& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::SessionExpired& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::SessionMoved& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::WatchesFired& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::SessionUpgraded& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::ReadOnlyChanged& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::Requested& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::RecipeBegan& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::BeliefChanged& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::PlaceChanged& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::Reported& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::DepthChanged& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::NotHeld& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::BarrierPassed& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::ItemPut& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::ItemTaken& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::SiteVoted& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::TransactionDecided& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::Configured& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::ContainerChanged& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::MembersSeen& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::ProviderChosen& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::NameGiven& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::Served& event);
  static Phrase tell(const Names& name, ServerId self, const zookeeper::Used& event);
  static Phrase tell(const Names& name, ServerId self, const recipes::GaveUp& event);
};

}  // namespace zablab::zab

namespace zablab::zookeeper {

/// An operation as a person would type it: `create /a "x" EPHEMERAL`.
std::string words(const SubOp& op);
std::string words(const Op& op);
/// What it returned: `version 3`, `"x"`, `NONODE`.
std::string words(const Result& result);
/// A notification: `NodeDeleted /a`.
std::string words(const NodeEvent& event);

/// What client `self` is instructed to do, in one line.
Phrase tell(const Names& name, ServerId self, const Request& request);
/// The line of a client that cannot know the outcome of its request.
std::string tellUnanswered(const TraceEvent& event, const Called& called);

}  // namespace zablab::zookeeper
