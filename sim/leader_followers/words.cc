#include "sim/leader_followers/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"

namespace zablab::leader_followers {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

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

std::string words(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::put: return "write " + number(value);
    case Operation::read: return "read";
    case Operation::connect: return "connect";
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

template <class Servers>
Json picture(const Names& name, const Servers& servers, const std::string& caption) {
  Json cells = Json::array();
  for (const ServerId server : servers) cells.push_back({{"text", name(server)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)}, {"quorum", true}, {"caption", caption}};
}

}  // namespace

std::string text(Position position) {
  return position.index == 0 ? "0" : number(position.generation) + "." + number(position.index);
}

std::string label(const Names& name, const Message& message) {
  return std::visit(
      Overloaded{
          [](const VoteRequest& m) {
            return std::string(m.pre ? "PRE-VOTE? " : "VOTE? ") + number(m.generation) + ", " + text(m.last);
          },
          [](const VoteResponse& m) {
            return std::string(m.pre ? "PRE-VOTE " : "VOTE ") + (m.granted ? "yes " : "no ") +
                   number(m.generation);
          },
          [](const Append& m) {
            const std::string what = m.entries.empty() ? "HEARTBEAT " + number(m.generation)
                                                       : "APPEND " + number(m.generation) + ", " +
                                                             number(static_cast<Index>(m.entries.size()));
            return what + " after " + text(m.previous);
          },
          [](const AppendResponse& m) { return (m.fits ? "ACK up to " : "NO, from ") + number(m.index); },
          [&](const Forwarded& m) { return name(m.client) + ": " + words(m.operation, m.value); },
          [&](const ForwardedReply& m) { return name(m.client) + ": " + words(m.outcome, m.index); },
          [](const ClientRequest& m) { return words(m.operation, m.value); },
          [](const Reply& m) { return words(m.outcome, m.index); },
      },
      message);
}

std::string_view typeName(const Message& message) {
  return std::visit([](const auto& alternative) { return alternative.name; }, message);
}

std::vector<std::vector<std::string>> messageGroups() {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  return {names(VoteRequest{}, VoteResponse{}), names(Append{}, AppendResponse{}),
          names(Forwarded{}, ForwardedReply{}, ClientRequest{}, Reply{})};
}

std::string_view kindName(const Event& event) {
  return std::visit([](const auto& alternative) { return alternative.name; }, event);
}

Json data(const Names& name, const Event& event) {
  return std::visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, QuorumCounted>) {
          fields["picture"] =
              picture(name, alternative.by, "quorum for generation " + number(alternative.generation));
        } else if constexpr (std::is_same_v<Alternative, Committed>) {
          fields["picture"] = picture(name, alternative.by, "quorum for " + text(alternative.up_to));
        }
        return fields;
      },
      event);
}

std::string tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  if (request.operation == Operation::connect) return client + " connects to " + name(request.server);
  return client + " asks: " + words(request.operation, request.value);
}

std::string tell(const Names& name, ServerId self, const Event& event) {
  const std::string server = name(self);
  return std::visit(
      Overloaded{
          [&](const RoleChanged& e) {
            const std::string in = " in generation " + number(e.generation) + ": " + because(e.reason);
            if (e.to == Role::LEADING) return server + " leads" + in;
            if (e.to == Role::FOLLOWING && e.leader) return server + " follows " + name(*e.leader) + in;
            return server + (e.to == Role::FOLLOWING ? " waits for a leader" : " looks for a leader") + in;
          },
          [&](const Looking& e) {
            return server +
                   (e.pre ? " asks whether it would be elected in generation " : " begins generation ") +
                   number(e.generation) + " with " + text(e.last);
          },
          [&](const VoteDecided& e) {
            return server +
                   (e.granted ? (e.pre ? " would vote for " : " votes for ")
                              : (e.pre ? " would not vote for " : " does not vote for ")) +
                   name(e.candidate) + " in generation " + number(e.generation) + ": " + because(e);
          },
          [&](const QuorumCounted& e) {
            return server + " counts " + listed(name, e.by) + (e.pre ? ": it would be" : ": it is") +
                   " elected in generation " + number(e.generation);
          },
          [&](const AppendRefused& e) {
            const bool old = e.reason == RefusedReason::lower_generation;
            return server + " refuses entries from " + name(e.leader) + ": " +
                   (old ? "its generation is lower" : "it does not have " + text(e.previous));
          },
          [&](const Truncated& e) {
            return server + " truncates its log, which ended with " + text(e.last) + ", after entry " +
                   number(e.index);
          },
          [&](const Committed& e) {
            return server + " commits up to " + text(e.up_to) + ", with " + listed(name, e.by);
          },
          [&](const Applied& e) {
            return server + " applies " + text({e.entry.generation, e.index});
          },
          [&](const Silent& e) { return server + " does not hear from " + name(e.follower); },
          [&](const Answered& e) {
            if (e.outcome == Outcome::refused) return server + " finds no server for its request";
            if (e.outcome == Outcome::unknown) return server + " does not know if its request was done";
            return e.operation == Operation::read ? server + " reads " + number(e.value)
                                                  : server + "'s write is done, entry " + number(e.index);
          },
      },
      event);
}

}  // namespace zablab::leader_followers
