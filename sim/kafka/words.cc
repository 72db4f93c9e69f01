#include "sim/kafka/words.h"

#include "protocol/overloaded.h"
#include "sim/zookeeper/binding.h"

namespace zablab::kafka {
namespace {

Phrase all(const Names& name, const std::vector<ServerId>& servers) {
  return listOf(servers, name, phrase("none"));
}

std::string word(Acks acks) {
  switch (acks) {
    case Acks::all: return "all";
    case Acks::leader: return "1";
    case Acks::none: return "0";
  }
  return "";
}

Phrase said(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok: return phrase("done");
    case Outcome::no_controller: return phrase("no controller");
    case Outcome::not_leader: return phrase("not the leader");
    case Outcome::not_available: return phrase("not available yet");
    case Outcome::not_enough_replicas: return phrase("not enough in sync");
    case Outcome::unanswered: return phrase("no answer");
  }
  return {};
}

template <class T>
constexpr bool is_zookeepers_event = boost::mp11::mp_contains<zookeeper::Event, T>::value;

Phrase because(ResignReason reason) {
  switch (reason) {
    case ResignReason::session_expired: return phrase("its session is over");
    case ResignReason::not_named: return phrase("/controller no longer names it");
    case ResignReason::fenced: return phrase("the store has a later controller epoch");
  }
  return {};
}

Phrase because(TruncatedBy by) {
  switch (by) {
    case TruncatedBy::epoch: return phrase("the leader's log does not have them in this epoch");
    case TruncatedBy::high_watermark: return phrase("it does not know them as committed");
    case TruncatedBy::leaders_end: return phrase("the leader's log ends there");
  }
  return {};
}

Phrase tellDecision(const Names& name, const std::string& broker, const RequestDecided& e) {
  const std::string controller = name(e.controller);
  if (e.accepted)
    return phrase("{server} accepts the request of {controller}, controller of epoch {epoch}", broker,
                  controller, e.epoch);
  if (e.other_process)
    return phrase(
        "{server} refuses the request of {controller}, controller of epoch {epoch}: it is meant for another "
        "process of the broker",
        broker, controller, e.epoch);
  return phrase(
      "{server} refuses the request of {controller}, controller of epoch {epoch}: it has accepted one of "
      "epoch {seen}",
      broker, controller, e.epoch, e.seen);
}

Phrase tellAnswer(const Names& name, const std::string& client, const MetadataAnswered& e) {
  switch (e.outcome) {
    case Outcome::ok:
      return phrase("{client} learns that {controller} is the controller and {leader} leads the partition",
                    client, name(e.controller), nameOf(name, e.leader));
    case Outcome::no_controller:
      return phrase("{client} learns that {server} knows no controller", client, name(e.broker));
    case Outcome::not_leader:
    case Outcome::not_available:
    case Outcome::not_enough_replicas: break;
    case Outcome::unanswered:
      return phrase("{client} gets no answer from {server}", client, nameOf(name, e.broker));
  }
  return {};
}

}  // namespace

Phrase Words::label(const Names& name, const Message& message) {
  return visit<Phrase>(
      Overloaded{
          [&](const ControllerRequest& m) {
            return phrase("controller epoch {epoch}, leader {leader} in {leading}", m.controller_epoch,
                          nameOf(name, m.partition.leader), m.partition.leader_epoch);
          },
          [](const Fetch& m) { return phrase("epoch {epoch}, from {from}", m.leader_epoch, m.offset); },
          [](const FetchResponse& m) {
            return phrase("{count} records from {from}, committed to {to}", m.entries.size(), m.offset,
                          m.high_watermark);
          },
          [](const EpochEndRequest& m) { return phrase("end of epoch {epoch}?", m.epoch); },
          [](const EpochEndResponse& m) {
            return m.epoch < 0 ? phrase("no epoch up to {epoch}", m.asked)
                               : phrase("epoch {epoch} ends at {end}", m.epoch, m.end);
          },
          [](const Produce& m) { return phrase("record {number}, acks {acks}", m.number, word(m.acks)); },
          [](const ProduceResponse& m) { return said(m.outcome); },
          [](const Consume&) { return phrase("last record?"); },
          [](const ConsumeResponse& m) {
            return m.outcome == Outcome::ok ? phrase("record {number}", m.record) : said(m.outcome);
          },
          [](const ElectLeaders&) { return phrase("preferred leader"); },
          [](const MetadataRequest&) { return phrase("metadata?"); },
          [&](const MetadataResponse& m) {
            return phrase("controller {controller}, leader {leader}", nameOf(name, m.controller),
                          nameOf(name, m.leader));
          },
          [&](const auto& m) { return zab::label<zookeeper::ZooKeeper>(name, zookeeper::Message(m)); },
      },
      message);
}

Json Words::data(const Names& name, const Event& event) {
  return visit(
      [&](const auto& one) -> Json {
        using Alternative = std::decay_t<decltype(one)>;
        if constexpr (is_zookeepers_event<Alternative>) {
          return zab::data<zookeeper::ZooKeeper>(name, zookeeper::Event(one));
        } else {
          return toJson(one);
        }
      },
      event);
}

Phrase Words::tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  const bool anywhere = request.server == no_server;
  switch (request.operation) {
    case Operation::connect: return phrase("{client} turns to {server}", client, name(request.server));
    case Operation::metadata:
      return phrase("{client} asks who is the controller and who leads the partition", client);
    case Operation::produce:
      return anywhere ? phrase("{client} produces a record, acks {acks}", client, word(request.acks))
                      : phrase("{client} produces a record, acks {acks}, at {server}", client,
                               word(request.acks), name(request.server));
    case Operation::consume:
      return anywhere ? phrase("{client} asks for the last committed record", client)
                      : phrase("{client} asks for the last committed record at {server}", client,
                               name(request.server));
    case Operation::elect_preferred: return phrase("{client} asks for the preferred leader", client);
    case Operation::delete_controller: return phrase("{client} asks to delete /controller", client);
  }
  return {};
}

Phrase Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string node = name(self);
  return visit<Phrase>(
      Overloaded{
          [&](const Registered& e) {
            return e.assumed ? phrase("{server} takes the node that is below /brokers/ids for its own", node)
                             : phrase("{server} is registered below /brokers/ids", node);
          },
          [&](const ControllerKnown& e) {
            return e.controller == no_server ? phrase("{server} reads that there is no controller", node)
                                             : phrase("{server} reads that {controller} is the controller",
                                                      node, name(e.controller));
          },
          [&](const ControllerElected& e) {
            return e.reply_lost
                       ? phrase(
                             "{server} is the controller, with epoch {epoch}: the node that it could "
                             "not create is its own",
                             node, e.epoch)
                       : phrase("{server} is the controller, with epoch {epoch}", node, e.epoch);
          },
          [&](const ElectionLost& e) {
            return phrase("{server} is not elected: it does not get controller epoch {epoch}", node, e.epoch);
          },
          [&](const Resigned& e) {
            return phrase("{server} resigns as the controller of epoch {epoch}: {reason}", node, e.epoch,
                          because(e.reason));
          },
          [&](const BrokersSeen& e) {
            return phrase("{server} sees these brokers alive: {servers}", node, all(name, e.live));
          },
          [&](const LeaderChosen& e) {
            const Partition& partition = e.partition;
            if (partition.leader == no_server)
              return phrase("{server} finds no leader in leader epoch {epoch}, in sync: {servers}", node,
                            partition.leader_epoch, all(name, partition.isr));
            return phrase("{server} makes {leader} the leader in leader epoch {epoch}, in sync: {servers}",
                          node, name(partition.leader), partition.leader_epoch, all(name, partition.isr));
          },
          [&](const RequestDecided& e) { return tellDecision(name, node, e); },
          [&](const RoleChanged& e) {
            if (e.leader == no_server)
              return phrase("{server} has no leader to follow in leader epoch {epoch}", node, e.leader_epoch);
            return e.leader == self
                       ? phrase("{server} leads the partition in leader epoch {epoch}", node, e.leader_epoch)
                       : phrase("{server} follows {leader} in leader epoch {epoch}", node, name(e.leader),
                                e.leader_epoch);
          },
          [&](const Truncated& e) {
            return phrase("{server} removes the records from {to} to {from}: {reason}", node, e.to, e.from,
                          because(e.by));
          },
          [&](const HighWatermarkRaised& e) {
            return e.leads ? phrase("{server} commits the records before {to}", node, e.to)
                           : phrase("{server} knows as committed those before {to}", node, e.to);
          },
          [&](const IsrChanged& e) {
            return phrase("{server} has written that in sync are {servers}", node, all(name, e.isr));
          },
          [&](const IsrRefused& e) {
            return phrase("{server} may not write that in sync are {servers}", node, all(name, e.isr));
          },
          [&](const Produced& e) {
            if (e.outcome != Outcome::ok)
              return phrase("{client}: its record is not acknowledged: {outcome}", node, said(e.outcome));
            return e.acks == Acks::none
                       ? phrase("{client} has sent its record to {server}", node, name(e.broker))
                       : phrase("{client}: its record is acknowledged by {server}", node, name(e.broker));
          },
          [&](const Consumed& e) {
            if (e.outcome != Outcome::ok)
              return phrase("{client} learns of no record: {outcome}", node, said(e.outcome));
            return phrase("{client} learns from {server} that the last committed record is {number}", node,
                          name(e.broker), e.last_record);
          },
          [&](const MetadataAnswered& e) { return tellAnswer(name, node, e); },
          [&](const auto& e) { return zab::tell<zookeeper::ZooKeeper>(name, self, zookeeper::Event(e)); },
      },
      event);
}

}  // namespace zablab::kafka
