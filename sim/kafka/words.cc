#include "sim/kafka/words.h"

#include "protocol/overloaded.h"
#include "sim/zookeeper/binding.h"

namespace zablab::kafka {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string listed(const Names& name, const std::vector<ServerId>& servers) {
  std::string text;
  for (const ServerId one : servers) text += (text.empty() ? "" : ", ") + name(one);
  return text.empty() ? "none" : text;
}

std::string word(Acks acks) {
  switch (acks) {
    case Acks::all: return "all";
    case Acks::leader: return "1";
    case Acks::none: return "0";
  }
  return "";
}

std::string word(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok: return "done";
    case Outcome::no_controller: return "no controller";
    case Outcome::not_leader: return "not the leader";
    case Outcome::not_available: return "not available yet";
    case Outcome::not_enough_replicas: return "not enough in sync";
    case Outcome::unanswered: return "no answer";
  }
  return "";
}

template <class T>
constexpr bool is_zookeepers_event = boost::mp11::mp_contains<zookeeper::Event, T>::value;
template <class T>
constexpr bool is_zookeepers_message = boost::mp11::mp_contains<zookeeper::Message, T>::value;

std::string because(ResignReason reason) {
  switch (reason) {
    case ResignReason::session_expired: return "its session is over";
    case ResignReason::not_named: return "/controller no longer names it";
    case ResignReason::fenced: return "the store has a later controller epoch";
  }
  return "";
}

std::string because(TruncatedBy by) {
  switch (by) {
    case TruncatedBy::epoch: return "the leader's log does not have them in this epoch";
    case TruncatedBy::high_watermark: return "it does not know them as committed";
    case TruncatedBy::leaders_end: return "the leader's log ends there";
  }
  return "";
}

}  // namespace

std::string Words::label(const Names& name, const Message& message) {
  return std::visit(
      Overloaded{
          [&](const ControllerRequest& m) {
            return "controller epoch " + number(m.controller_epoch) + ", leader " + name(m.partition.leader) +
                   " in " + number(m.partition.leader_epoch);
          },
          [&](const Fetch& m) { return "epoch " + number(m.leader_epoch) + ", from " + number(m.offset); },
          [&](const FetchResponse& m) {
            return number(static_cast<std::int64_t>(m.entries.size())) + " records from " + number(m.offset) +
                   ", committed to " + number(m.high_watermark);
          },
          [&](const EpochEndRequest& m) { return "end of epoch " + number(m.epoch) + "?"; },
          [&](const EpochEndResponse& m) {
            return m.epoch < 0 ? "no epoch up to " + number(m.asked)
                               : "epoch " + number(m.epoch) + " ends at " + number(m.end);
          },
          [&](const Produce& m) { return "record " + number(m.number) + ", acks " + word(m.acks); },
          [](const ProduceResponse& m) { return word(m.outcome); },
          [](const Consume&) { return std::string("last record?"); },
          [&](const ConsumeResponse& m) {
            return m.outcome == Outcome::ok ? "record " + number(m.record) : word(m.outcome);
          },
          [](const ElectLeaders&) { return std::string("preferred leader"); },
          [](const MetadataRequest&) { return std::string("metadata?"); },
          [&](const MetadataResponse& m) {
            return "controller " + name(m.controller) + ", leader " + name(m.leader);
          },
          [&](const auto& m) { return zab::label<zookeeper::ZooKeeper>(name, zookeeper::Message(m)); },
      },
      message);
}

Json Words::data(const Names& name, const Event& event) {
  return std::visit(
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

std::string Words::tell(const Names& name, ServerId self, const Request& request) {
  switch (request.operation) {
    case Operation::connect: return name(self) + " turns to " + name(request.server);
    case Operation::metadata: return name(self) + " asks who is the controller and who leads the partition";
    case Operation::produce:
      return name(self) + " produces a record, acks " + word(request.acks) +
             (request.server == no_server ? "" : ", at " + name(request.server));
    case Operation::consume:
      return name(self) + " asks for the last committed record" +
             (request.server == no_server ? "" : " at " + name(request.server));
    case Operation::elect_preferred: return name(self) + " asks for the preferred leader";
    case Operation::delete_controller: return name(self) + " asks to delete /controller";
  }
  return "";
}

std::string Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string broker = name(self);
  return std::visit(
      Overloaded{
          [&](const Registered& e) {
            return broker + (e.assumed ? " takes the node that is below /brokers/ids for its own"
                                       : " is registered below /brokers/ids");
          },
          [&](const ControllerKnown& e) {
            return e.controller == no_server
                       ? broker + " reads that there is no controller"
                       : broker + " reads that " + name(e.controller) + " is the controller";
          },
          [&](const ControllerElected& e) {
            return broker + " is the controller, with epoch " + number(e.epoch) +
                   (e.reply_lost ? ": the node that it could not create is its own" : "");
          },
          [&](const ElectionLost& e) {
            return broker + " is not elected: it does not get controller epoch " + number(e.epoch);
          },
          [&](const Resigned& e) {
            return broker + " resigns as the controller of epoch " + number(e.epoch) + ": " +
                   because(e.reason);
          },
          [&](const BrokersSeen& e) { return broker + " sees these brokers alive: " + listed(name, e.live); },
          [&](const LeaderChosen& e) {
            if (e.partition.leader == no_server)
              return broker + " finds no leader in leader epoch " + number(e.partition.leader_epoch) +
                     ", in sync: " + listed(name, e.partition.isr);
            return broker + " makes " + name(e.partition.leader) + " the leader in leader epoch " +
                   number(e.partition.leader_epoch) + ", in sync: " + listed(name, e.partition.isr);
          },
          [&](const RequestDecided& e) {
            return broker + (e.accepted ? " accepts the request of " : " refuses the request of ") +
                   name(e.controller) + ", controller of epoch " + number(e.epoch) +
                   (e.accepted        ? ""
                    : e.other_process ? ": it is meant for another process of the broker"
                                      : ": it has accepted one of epoch " + number(e.seen));
          },
          [&](const RoleChanged& e) {
            if (e.leader == no_server)
              return broker + " has no leader to follow in leader epoch " + number(e.leader_epoch);
            return e.leader == self
                       ? broker + " leads the partition in leader epoch " + number(e.leader_epoch)
                       : broker + " follows " + name(e.leader) + " in leader epoch " + number(e.leader_epoch);
          },
          [&](const Truncated& e) {
            return broker + " removes the records from " + number(e.to) + " to " + number(e.from) + ": " +
                   because(e.by);
          },
          [&](const HighWatermarkRaised& e) {
            return broker + (e.leads ? " commits the records before " : " knows as committed those before ") +
                   number(e.to);
          },
          [&](const IsrChanged& e) {
            return broker + " has written that in sync are " + listed(name, e.isr);
          },
          [&](const IsrRefused& e) {
            return broker + " may not write that in sync are " + listed(name, e.isr);
          },
          [&](const Produced& e) {
            if (e.outcome == Outcome::ok)
              return e.acks == Acks::none ? broker + " has sent its record to " + name(e.broker)
                                          : broker + ": its record is acknowledged by " + name(e.broker);
            return broker + ": its record is not acknowledged: " + word(e.outcome);
          },
          [&](const Consumed& e) {
            if (e.outcome != Outcome::ok) return broker + " learns of no record: " + word(e.outcome);
            return broker + " learns from " + name(e.broker) + " that the last committed record is " +
                   number(e.last_record);
          },
          [&](const MetadataAnswered& e) {
            switch (e.outcome) {
              case Outcome::ok:
                return broker + " learns that " + name(e.controller) + " is the controller and " +
                       name(e.leader) + " leads the partition";
              case Outcome::no_controller:
                return broker + " learns that " + name(e.broker) + " knows no controller";
              case Outcome::not_leader:
              case Outcome::not_available:
              case Outcome::not_enough_replicas: break;
              case Outcome::unanswered: return broker + " gets no answer from " + name(e.broker);
            }
            return std::string();
          },
          [&](const auto& e) { return zab::tell<zookeeper::ZooKeeper>(name, self, zookeeper::Event(e)); },
      },
      event);
}

}  // namespace zablab::kafka
