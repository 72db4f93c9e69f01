#include "sim/leader_followers/words.h"

#include "sim/json_reflect.h"
#include "sim/leader_followers/server_words.h"

namespace zablab::leader_followers {
namespace {

Phrase words(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::put: return phrase("write {value}", value);
    case Operation::read: return phrase("read");
    case Operation::connect: return phrase("connect");
  }
  return {};
}

}  // namespace

Phrase because(RoleReason reason) {
  switch (reason) {
    case RoleReason::started: return phrase("it starts");
    case RoleReason::timed_out: return phrase("it does not hear from a leader");
    case RoleReason::leader_silent: return phrase("it has heard nothing for the least election timeout");
    case RoleReason::elected: return phrase("a quorum elected it");
    case RoleReason::higher_generation: return phrase("there is a higher generation");
    case RoleReason::voted: return phrase("it voted");
    case RoleReason::heard_leader: return phrase("it hears from its leader");
    case RoleReason::quorum_silent: return phrase("no quorum answers it");
    case RoleReason::placed: return phrase("it is already running");
  }
  return {};
}

Phrase because(const VoteDecided& decided) {
  const std::string asked = text(decided.asked);
  const std::string here = text(decided.here);
  switch (decided.reason) {
    case VoteReason::lower_generation: return phrase("its generation is lower");
    case VoteReason::repeated: return phrase("it already has");
    case VoteReason::voted_for_another: return phrase("it has voted for another candidate");
    case VoteReason::up_to_date: return phrase("{asked} is not less than {here}", asked, here);
    case VoteReason::lower_id: return phrase("its log is the same, and its id is lower");
    case VoteReason::log_behind: return phrase("{asked} is less than {here}", asked, here);
    case VoteReason::higher_generation: return phrase("its generation is higher");
    case VoteReason::has_leader: return phrase("it hears from a leader");
  }
  return {};
}

Phrase words(Outcome outcome, Index index) {
  switch (outcome) {
    case Outcome::ok: return phrase("done, entry {index}", index);
    case Outcome::refused: return phrase("not accepted");
    case Outcome::unknown: return phrase("unknown");
  }
  return {};
}

std::string text(Position position) {
  return position.index == 0 ? "0"
                             : std::to_string(position.generation) + "." + std::to_string(position.index);
}

Phrase Words::label(const Names& name, const Message& message) {
  if (const auto* request = get_if<ClientRequest>(&message)) return words(request->operation, request->value);
  if (const auto* reply = get_if<Reply>(&message)) return words(reply->outcome, reply->index);
  return labelOf<Register>(name, *converted<BasicServerMessage<Register>>(message),
                           [](Operation operation, std::int64_t value) { return words(operation, value); });
}

std::vector<std::vector<std::string>> Words::messageGroups() {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  return {names(VoteRequest{}, VoteResponse{}), names(Append{}, AppendResponse{}),
          names(Forwarded{}, ForwardedReply{}, ClientRequest{}, Reply{})};
}

Json Words::data(const Names& name, const Event& event) {
  if (const auto* answered = get_if<Answered>(&event)) return toJson(*answered);
  return dataOf<Register>(name, *converted<BasicServerEvent<Register>>(event));
}

Phrase Words::tell(const Names& name, ServerId self, const Request& request) {
  if (request.operation == Operation::connect)
    return phrase("{client} connects to {server}", name(self), name(request.server));
  return phrase("{client} asks: {request}", name(self), words(request.operation, request.value));
}

Phrase Words::tell(const Names& name, ServerId self, const Event& event) {
  const auto* answered = get_if<Answered>(&event);
  if (answered == nullptr) return tellOf<Register>(name, self, *converted<BasicServerEvent<Register>>(event));
  const std::string client = name(self);
  switch (answered->outcome) {
    case Outcome::refused: return phrase("{client} finds no server for its request", client);
    case Outcome::unknown: return phrase("{client} does not know if its request was done", client);
    case Outcome::ok: break;
  }
  return answered->operation == Operation::read
             ? phrase("{client} reads {value}", client, answered->value)
             : phrase("{client}'s write is done, entry {index}", client, answered->index);
}

}  // namespace zablab::leader_followers
