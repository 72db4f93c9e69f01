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

}  // namespace

std::string label(const Names& name, const Message& message) {
  return std::visit(
      Overloaded{
          [&](const ControllerRequest& m) {
            return "controller epoch " + number(m.controller_epoch) + ", leader " + name(m.partition.leader) +
                   " in " + number(m.partition.leader_epoch);
          },
          [](const MetadataRequest&) { return std::string("metadata?"); },
          [&](const MetadataResponse& m) {
            return "controller " + name(m.controller) + ", leader " + name(m.leader);
          },
          [&](const auto& m) { return zab::label<zookeeper::ZooKeeper>(name, zookeeper::Message(m)); },
      },
      message);
}

Json data(const Names& name, const Event& event) {
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

std::string tell(const Names& name, ServerId self, const Request& request) {
  switch (request.operation) {
    case Operation::connect: return name(self) + " turns to " + name(request.server);
    case Operation::metadata: return name(self) + " asks who is the controller and who leads the partition";
    case Operation::delete_controller: return name(self) + " asks to delete /controller";
  }
  return "";
}

std::string tell(const Names& name, ServerId self, const Event& event) {
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
                   (e.found_out ? ": the node that it could not create is its own" : "");
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
            return broker + " makes " + name(e.partition.leader) + " the leader in leader epoch " +
                   number(e.partition.leader_epoch) + ", in sync: " + listed(name, e.partition.isr);
          },
          [&](const RequestDecided& e) {
            return broker + (e.accepted ? " obeys " : " refuses ") + name(e.controller) +
                   ", controller of epoch " + number(e.epoch) +
                   (e.accepted ? "" : ": it has obeyed epoch " + number(e.seen));
          },
          [&](const RoleChanged& e) {
            return e.leader == self
                       ? broker + " leads the partition in leader epoch " + number(e.leader_epoch)
                       : broker + " follows " + name(e.leader) + " in leader epoch " + number(e.leader_epoch);
          },
          [&](const MetadataAnswered& e) {
            switch (e.outcome) {
              case Outcome::ok:
                return broker + " learns that " + name(e.controller) + " is the controller and " +
                       name(e.leader) + " leads the partition";
              case Outcome::no_controller:
                return broker + " learns that " + name(e.broker) + " knows no controller";
              case Outcome::unanswered: return broker + " gets no answer from " + name(e.broker);
            }
            return std::string();
          },
          [&](const auto& e) { return zab::tell<zookeeper::ZooKeeper>(name, self, zookeeper::Event(e)); },
      },
      event);
}

}  // namespace zablab::kafka
