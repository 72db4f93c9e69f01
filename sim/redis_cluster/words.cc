#include "sim/redis_cluster/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"

namespace zablab::redis_cluster {
namespace {

std::string listed(const Names& name, const std::vector<ServerId>& nodes) {
  std::string list;
  for (const ServerId node : nodes) list += (list.empty() ? "" : ", ") + name(node);
  return list.empty() ? "nobody" : list;
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string list;
  for (const std::int64_t number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return list;
}

std::string slotsText(const std::vector<Slot>& slots) {
  return (slots.size() == 1 ? "slot " : "slots ") + listed(slots);
}

std::string epochText(const Header& header) {
  return "epoch " + std::to_string(header.current_epoch) + ", config " + std::to_string(header.config_epoch);
}

std::string failingText(const Names& name, const std::vector<ServerId>& failing) {
  return failing.empty() ? "" : ", failing: " + listed(name, failing);
}

std::string words(const Request& request) {
  const std::string slot = std::to_string(request.slot);
  switch (request.operation) {
    case Operation::read: return "read slot " + slot;
    case Operation::write: return "write " + std::to_string(request.value) + " to slot " + slot;
    case Operation::takeover: return "failover, takeover";
    case Operation::force: return "failover, forced";
    case Operation::failover: return "failover";
  }
  return "";
}

std::string whyNot(VoteReason reason) {
  switch (reason) {
    case VoteReason::granted: return "";
    case VoteReason::old_epoch: return "the epoch is old";
    case VoteReason::voted_in_epoch: return "it has voted in this epoch";
    case VoteReason::not_a_replica: return "that is a master";
    case VoteReason::master_works: return "its master has not failed";
    case VoteReason::voted_recently: return "it voted about the same master a short time ago";
    case VoteReason::newer_owner: return "a slot has a newer owner";
    case VoteReason::fresher_sibling: return "another replica has more data";
    case VoteReason::own_epoch: return "this is its own configuration epoch";
  }
  return "";
}

Json ballots(const Names& name, const std::vector<ServerId>& voters, std::int64_t needed) {
  Json cells = Json::array();
  for (const ServerId voter : voters) cells.push_back({{"text", name(voter)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)},
          {"quorum", static_cast<std::int64_t>(voters.size()) >= needed},
          {"caption", "votes"}};
}

std::string tellFlag(const Names& name, const std::string& node, const Flagged& e) {
  const std::string about = name(e.about);
  switch (e.reason) {
    case FlagReason::silent:
      return node + " flags " + about + " as PFAIL: no answer within the node time-out";
    case FlagReason::majority:
      return node + " flags " + about + " as FAIL: reported by " + listed(name, e.reporters);
    case FlagReason::told: return node + " flags " + about + " as FAIL: it received the message FAIL";
    case FlagReason::answers: return node + " removes the flag of " + about + ", which answers";
  }
  return "";
}

std::string tellManual(const Names& name, const std::string& node, const ManualFailover& e) {
  const std::string with = name(e.with);
  const std::string offset = "offset " + std::to_string(e.offset);
  switch (e.stage) {
    case ManualStage::requested: return node + " asks " + with + " to execute no writes";
    case ManualStage::refused: return node + " refuses a failover without force: " + with + " has failed";
    case ManualStage::paused: return node + " executes no writes until " + with + " replaces it: " + offset;
    case ManualStage::started: return node + " has all that " + with + " has executed: " + offset;
    case ManualStage::timed_out:
      return node + " ends the manual failover with " + with + ": its time is over";
  }
  return "";
}

std::string tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  const std::string slot = std::to_string(e.slot);
  const std::string what(enumName(e.operation));
  switch (e.outcome) {
    case Outcome::ok: break;
    case Outcome::refused: return client + "'s " + what + " is refused by " + name(e.by) + ": CLUSTERDOWN";
    case Outcome::unknown: return client + " has no answer to its " + what + " from " + name(e.by);
    case Outcome::busy: return client + " is still busy with its previous request";
  }
  if (e.operation == Operation::read)
    return client + " reads " + std::to_string(e.value) + " in slot " + slot + " from " + name(e.by);
  return client + "'s write of " + std::to_string(e.value) + " to slot " + slot + " is answered by " +
         name(e.by);
}

}  // namespace

std::string Words::label(const Names& name, const Message& message) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return std::string("nothing"); },
          [&](const Ping& m) { return "PING " + epochText(m.header) + failingText(name, m.failing); },
          [&](const Pong& m) { return "PONG " + epochText(m.header) + failingText(name, m.failing); },
          [&](const Fail& m) { return "FAIL " + name(m.failed); },
          [&](const AuthRequest& m) {
            return "AUTH_REQUEST epoch " + std::to_string(m.header.current_epoch) +
                   (m.force ? ", forced" : "");
          },
          [&](const AuthAck& m) { return "AUTH_ACK epoch " + std::to_string(m.header.current_epoch); },
          [](const MfStart&) { return std::string("MFSTART"); },
          [&](const Update& m) {
            return "UPDATE " + slotsText(m.slots) + " of " + name(m.owner) + ", config " +
                   std::to_string(m.config_epoch);
          },
          [](const Psync&) { return std::string("PSYNC"); },
          [](const FullResync& m) {
            return "FULLRESYNC, " + std::to_string(m.history.size()) +
                   (m.history.size() == 1 ? " write" : " writes");
          },
          [](const Replicate& m) { return "write " + std::to_string(m.entry.value); },
          [](const ReplPing&) { return std::string("PING of replication"); },
          [](const Set& m) { return "SET " + std::to_string(m.slot) + " " + std::to_string(m.value); },
          [](const Get& m) { return "GET " + std::to_string(m.slot); },
          [](const Reply& m) { return "OK " + std::to_string(m.value); },
          [&](const Moved& m) { return "MOVED " + name(m.to); },
          [](const ClusterDown&) { return std::string("CLUSTERDOWN"); },
      },
      message);
}

std::vector<std::vector<std::string>> Words::messageGroups() {
  const auto group = [](std::initializer_list<std::string_view> names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  return {group({AuthRequest::name, AuthAck::name}), group({Fail::name, MfStart::name, Update::name}),
          group({Ping::name, Pong::name}),
          group({Psync::name, FullResync::name, Replicate::name, ReplPing::name}),
          group({Set::name, Get::name, Reply::name, Moved::name, ClusterDown::name})};
}

Json Words::data(const Names& name, const Event& event) {
  return std::visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, VoteCounted>)
          fields["picture"] = ballots(name, alternative.voters, alternative.needed);
        return fields;
      },
      event);
}

std::string Words::tell(const Names& name, ServerId self, const Request& request) {
  return name(self) + " is instructed: " + words(request);
}

std::string Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string node = name(self);
  return std::visit(
      Overloaded{
          [&](const Flagged& e) { return tellFlag(name, node, e); },
          [&](const Scheduled& e) {
            return node + " schedules an election: rank " + std::to_string(e.rank) + ", offset " +
                   std::to_string(e.offset);
          },
          [&](const RankRose& e) {
            return node + " waits longer: its rank is now " + std::to_string(e.rank);
          },
          [&](const TooOld& e) {
            return node + " does not replace its master: its data are " + std::to_string(e.age) +
                   " ms old, and the limit is " + std::to_string(e.limit) + " ms";
          },
          [&](const Asked& e) { return node + " asks for votes in epoch " + std::to_string(e.epoch); },
          [&](const VoteDecided& e) {
            const std::string what = name(e.candidate) + " in epoch " + std::to_string(e.epoch);
            return e.reason == VoteReason::granted
                       ? node + " votes for " + what
                       : node + " does not vote for " + what + ": " + whyNot(e.reason);
          },
          [&](const VoteCounted& e) {
            if (e.late) return node + " ignores the vote of " + name(e.voter) + ", which is late";
            return node + " has " + std::to_string(e.voters.size()) + " of " + std::to_string(e.needed) +
                   " votes in epoch " + std::to_string(e.epoch);
          },
          [&](const Expired& e) {
            return node + "'s attempt in epoch " + std::to_string(e.epoch) + " has expired";
          },
          [&](const Promoted& e) {
            const std::string what = node + " replaces " + name(e.old_master) + " with configuration epoch " +
                                     std::to_string(e.epoch);
            return e.by == PromotedBy::takeover ? what + ", without votes"
                                                : what + ", elected by " + listed(name, e.voters);
          },
          [&](const ManualFailover& e) { return tellManual(name, node, e); },
          [&](const Follows& e) { return node + " becomes a replica of " + name(e.master); },
          [&](const SlotsMoved& e) {
            if (e.to == no_server) return node + " knows no owner of " + slotsText(e.slots);
            return node + " learns that " + name(e.to) + " has " + slotsText(e.slots) +
                   ", configuration epoch " + std::to_string(e.epoch);
          },
          [&](const Collided& e) {
            return node + " has the same configuration epoch as " + name(e.with) + " and moves from " +
                   std::to_string(e.from) + " to " + std::to_string(e.epoch);
          },
          [&](const StateChanged& e) {
            if (e.ok) return node + " serves";
            return node + (e.minority ? " stops serving: it reaches too few masters"
                                      : " stops serving: a slot's master has failed");
          },
          [&](const Resynced& e) {
            return node + " has all that " + name(e.master) + " has: offset " + std::to_string(e.offset);
          },
          [&](const Discarded& e) {
            return node + " discards what its new master does not have: " + listed(e.values);
          },
          [](const Invoked&) { return std::string(); },
          [&](const Redirected& e) { return node + " is redirected by " + name(e.by) + " to " + name(e.to); },
          [&](const Answered& e) { return tellAnswer(name, node, e); },
      },
      event);
}

}  // namespace zablab::redis_cluster
