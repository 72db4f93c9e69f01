#include "sim/leader_followers/words.h"

#include "sim/json_reflect.h"
#include "sim/leader_followers/server_words.h"

namespace zablab::leader_followers {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string words(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::put: return "write " + number(value);
    case Operation::read: return "read";
    case Operation::connect: return "connect";
  }
  return "";
}

}  // namespace

std::string listed(const Names& name, const std::vector<ServerId>& servers) {
  std::string text;
  for (const ServerId server : servers) text += (text.empty() ? "" : ", ") + name(server);
  return text;
}

std::string because(RoleReason reason) {
  switch (reason) {
    case RoleReason::started: return "it starts";
    case RoleReason::timed_out: return "it does not hear from a leader";
    case RoleReason::leader_silent: return "it has heard nothing for the least election timeout";
    case RoleReason::elected: return "a quorum elected it";
    case RoleReason::higher_generation: return "there is a higher generation";
    case RoleReason::voted: return "it voted";
    case RoleReason::heard_leader: return "it hears from its leader";
    case RoleReason::quorum_silent: return "no quorum answers it";
    case RoleReason::placed: return "it is already running";
  }
  return "";
}

std::string because(const VoteDecided& decided) {
  switch (decided.reason) {
    case VoteReason::lower_generation: return "its generation is lower";
    case VoteReason::repeated: return "it already has";
    case VoteReason::voted_for_another: return "it has voted for another candidate";
    case VoteReason::up_to_date: return text(decided.asked) + " is not less than " + text(decided.here);
    case VoteReason::lower_id: return "its log is the same, and its id is lower";
    case VoteReason::log_behind: return text(decided.asked) + " is less than " + text(decided.here);
    case VoteReason::higher_generation: return "its generation is higher";
    case VoteReason::has_leader: return "it hears from a leader";
  }
  return "";
}

std::string words(Outcome outcome, Index index) {
  switch (outcome) {
    case Outcome::ok: return "done, entry " + number(index);
    case Outcome::refused: return "not accepted";
    case Outcome::unknown: return "unknown";
  }
  return "";
}

Json picture(const Names& name, const std::vector<ServerId>& servers, const std::string& caption) {
  Json cells = Json::array();
  for (const ServerId server : servers) cells.push_back({{"text", name(server)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)}, {"quorum", true}, {"caption", caption}};
}

std::string text(Position position) {
  return position.index == 0 ? "0" : number(position.generation) + "." + number(position.index);
}

std::string Words::label(const Names& name, const Message& message) {
  if (const auto* request = std::get_if<ClientRequest>(&message))
    return words(request->operation, request->value);
  if (const auto* reply = std::get_if<Reply>(&message)) return words(reply->outcome, reply->index);
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
  if (const auto* answered = std::get_if<Answered>(&event)) return toJson(*answered);
  return dataOf<Register>(name, *converted<BasicServerEvent<Register>>(event));
}

std::string Words::tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  if (request.operation == Operation::connect) return client + " connects to " + name(request.server);
  return client + " asks: " + words(request.operation, request.value);
}

std::string Words::tell(const Names& name, ServerId self, const Event& event) {
  const auto* answered = std::get_if<Answered>(&event);
  if (answered == nullptr) return tellOf<Register>(name, self, *converted<BasicServerEvent<Register>>(event));
  const std::string client = name(self);
  if (answered->outcome == Outcome::refused) return client + " finds no server for its request";
  if (answered->outcome == Outcome::unknown) return client + " does not know if its request was done";
  return answered->operation == Operation::read
             ? client + " reads " + number(answered->value)
             : client + "'s write is done, entry " + number(answered->index);
}

}  // namespace zablab::leader_followers
