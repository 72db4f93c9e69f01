#include "sim/redis_cluster/words.h"

#include <iterator>

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"

namespace zablab::redis_cluster {
namespace {

Phrase all(const Names& name, const std::vector<ServerId>& nodes) {
  return listOf(nodes, name, phrase("nobody"));
}

Phrase all(const std::vector<std::int64_t>& numbers) {
  return listOf(numbers, [](std::int64_t number) { return number; });
}

std::string epochText(const Header& header) {
  return "epoch " + std::to_string(header.current_epoch) + ", config " + std::to_string(header.config_epoch);
}

std::string failingText(const Names& name, const std::vector<ServerId>& failing) {
  return failing.empty() ? "" : ", failing: " + listOf(failing, name).english();
}

Phrase command(const Request& request) {
  switch (request.operation) {
    case Operation::read: return phrase("read slot {slot}", request.slot);
    case Operation::write: return phrase("write {value} to slot {slot}", request.value, request.slot);
    case Operation::takeover: return phrase("failover, takeover");
    case Operation::force: return phrase("failover, forced");
    case Operation::failover: return phrase("failover");
  }
  return {};
}

Phrase whyNot(VoteReason reason) {
  switch (reason) {
    case VoteReason::granted: return {};
    case VoteReason::old_epoch: return phrase("the epoch is old");
    case VoteReason::voted_in_epoch: return phrase("it has voted in this epoch");
    case VoteReason::not_a_replica: return phrase("that is a master");
    case VoteReason::master_works: return phrase("its master has not failed");
    case VoteReason::voted_recently: return phrase("it voted about the same master a short time ago");
    case VoteReason::newer_owner: return phrase("a slot has a newer owner");
    case VoteReason::fresher_sibling: return phrase("another replica has more data");
    case VoteReason::own_epoch: return phrase("this is its own configuration epoch");
  }
  return {};
}

Json ballots(const Names& name, const VoteCounted& e) {
  Json picture = quorumPicture(name, e.voters, phrase("votes"));
  picture["quorum"] = std::ssize(e.voters) >= e.needed;
  return picture;
}

Phrase tellFlag(const Names& name, const std::string& node, const Flagged& e) {
  const std::string about = name(e.about);
  switch (e.reason) {
    case FlagReason::silent:
      return phrase("{node} flags {about} as PFAIL: no answer within the node time-out", node, about);
    case FlagReason::majority:
      return phrase("{node} flags {about} as FAIL: reported by {servers}", node, about,
                    all(name, e.reporters));
    case FlagReason::told:
      return phrase("{node} flags {about} as FAIL: it received the message FAIL", node, about);
    case FlagReason::answers: return phrase("{node} removes the flag of {about}, which answers", node, about);
  }
  return {};
}

Phrase tellManual(const Names& name, const std::string& node, const ManualFailover& e) {
  const std::string with = name(e.with);
  switch (e.stage) {
    case ManualStage::requested: return phrase("{node} asks {master} to execute no writes", node, with);
    case ManualStage::refused:
      return phrase("{node} refuses a failover without force: {master} has failed", node, with);
    case ManualStage::paused:
      return phrase("{node} executes no writes until {replica} replaces it: offset {offset}", node, with,
                    e.offset);
    case ManualStage::started:
      return phrase("{node} has all that {master} has executed: offset {offset}", node, with, e.offset);
    case ManualStage::timed_out:
      return phrase("{node} ends the manual failover with {other}: its time is over", node, with);
  }
  return {};
}

Phrase tellPromoted(const Names& name, const std::string& node, const Promoted& e) {
  const std::string master = name(e.old_master);
  if (e.by == PromotedBy::takeover)
    return phrase("{node} replaces {master} with configuration epoch {epoch}, without votes", node, master,
                  e.epoch);
  return phrase("{node} replaces {master} with configuration epoch {epoch}, elected by {servers}", node,
                master, e.epoch, all(name, e.voters));
}

Phrase tellSlots(const Names& name, const std::string& node, const SlotsMoved& e) {
  const Phrase slots = all(e.slots);
  const bool one = e.slots.size() == 1;
  if (e.to == no_server)
    return one ? phrase("{node} knows no owner of slot {slots}", node, slots)
               : phrase("{node} knows no owner of slots {slots}", node, slots);
  return one ? phrase("{node} learns that {owner} has slot {slots}, configuration epoch {epoch}", node,
                      name(e.to), slots, e.epoch)
             : phrase("{node} learns that {owner} has slots {slots}, configuration epoch {epoch}", node,
                      name(e.to), slots, e.epoch);
}

Phrase tellState(const std::string& node, const StateChanged& e) {
  if (e.ok) return phrase("{node} serves", node);
  return e.minority ? phrase("{node} stops serving: it reaches too few masters", node)
                    : phrase("{node} stops serving: a slot's master has failed", node);
}

Phrase tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  const Phrase operation = Phrase::words(enumName(e.operation));
  switch (e.outcome) {
    case Outcome::ok: break;
    case Outcome::refused:
      return phrase("{client}'s {operation} is refused by {node}: CLUSTERDOWN", client, operation,
                    name(e.by));
    case Outcome::unknown:
      return phrase("{client} has no answer to its {operation} from {node}", client, operation, name(e.by));
    case Outcome::busy: return phrase("{client} is still busy with its previous request", client);
  }
  if (e.operation == Operation::read)
    return phrase("{client} reads {value} in slot {slot} from {node}", client, e.value, e.slot, name(e.by));
  return phrase("{client}'s write of {value} to slot {slot} is answered by {node}", client, e.value, e.slot,
                name(e.by));
}

}  // namespace

Phrase Words::label(const Names& name, const Message& message) {
  return visit<Phrase>(
      Overloaded{
          [](monostate) { return std::string("nothing"); },
          [&](const Ping& m) { return "PING " + epochText(m.header) + failingText(name, m.failing); },
          [&](const Pong& m) { return "PONG " + epochText(m.header) + failingText(name, m.failing); },
          [&](const Fail& m) { return "FAIL " + name(m.failed); },
          [](const AuthRequest& m) {
            return "AUTH_REQUEST epoch " + std::to_string(m.header.current_epoch) +
                   (m.force ? ", forced" : "");
          },
          [](const AuthAck& m) { return "AUTH_ACK epoch " + std::to_string(m.header.current_epoch); },
          [](const MfStart&) { return std::string("MFSTART"); },
          [&](const Update& m) {
            return (m.slots.size() == 1 ? "UPDATE slot " : "UPDATE slots ") + all(m.slots).english() +
                   " of " + name(m.owner) + ", config " + std::to_string(m.config_epoch);
          },
          [](const Psync&) { return std::string("PSYNC"); },
          [](const FullResync& m) {
            return "FULLRESYNC, " + std::to_string(m.history.size()) +
                   (m.history.size() == 1 ? " write" : " writes");
          },
          [](const Replicate& m) { return phrase("write {value}", m.entry.value); },
          [](const ReplPing&) { return phrase("PING of replication"); },
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
  return visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, VoteCounted>)
          fields["picture"] = ballots(name, alternative);
        return fields;
      },
      event);
}

Phrase Words::tell(const Names& name, ServerId self, const Request& request) {
  return phrase("{node} is instructed: {command}", name(self), command(request));
}

Phrase Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string node = name(self);
  return visit<Phrase>(
      Overloaded{
          [&](const Flagged& e) { return tellFlag(name, node, e); },
          [](const RoleChanged&) { return Phrase(); },
          [&](const Scheduled& e) {
            return phrase("{node} schedules an election: rank {rank}, offset {offset}", node, e.rank,
                          e.offset);
          },
          [&](const RankRose& e) {
            return phrase("{node} waits longer: its rank is now {rank}", node, e.rank);
          },
          [&](const TooOld& e) {
            return phrase(
                "{node} does not replace its master: its data are {age} ms old, and the limit is {limit} ms",
                node, e.age, e.limit);
          },
          [&](const Asked& e) { return phrase("{node} asks for votes in epoch {epoch}", node, e.epoch); },
          [&](const VoteDecided& e) {
            return e.reason == VoteReason::granted
                       ? phrase("{node} votes for {candidate} in epoch {epoch}", node, name(e.candidate),
                                e.epoch)
                       : phrase("{node} does not vote for {candidate} in epoch {epoch}: {reason}", node,
                                name(e.candidate), e.epoch, whyNot(e.reason));
          },
          [&](const VoteCounted& e) {
            if (e.late)
              return phrase("{node} ignores the vote of {voter}, which is late", node, name(e.voter));
            return phrase("{node} has {count} of {needed} votes in epoch {epoch}", node, e.voters.size(),
                          e.needed, e.epoch);
          },
          [&](const Expired& e) {
            return phrase("{node}'s attempt in epoch {epoch} has expired", node, e.epoch);
          },
          [&](const Promoted& e) { return tellPromoted(name, node, e); },
          [&](const ManualFailover& e) { return tellManual(name, node, e); },
          [&](const Follows& e) {
            return phrase("{node} becomes a replica of {master}", node, name(e.master));
          },
          [&](const SlotsMoved& e) { return tellSlots(name, node, e); },
          [&](const Collided& e) {
            return phrase("{node} has the same configuration epoch as {other} and moves from {from} to {to}",
                          node, name(e.with), e.from, e.epoch);
          },
          [&](const StateChanged& e) { return tellState(node, e); },
          [&](const Resynced& e) {
            return phrase("{node} has all that {master} has: offset {offset}", node, name(e.master),
                          e.offset);
          },
          [&](const Discarded& e) {
            return phrase("{node} discards what its new master does not have: {values}", node, all(e.values));
          },
          [](const Invoked&) { return Phrase(); },
          [&](const Redirected& e) {
            return phrase("{client} is redirected by {node} to {other}", node, name(e.by), name(e.to));
          },
          [&](const Answered& e) { return tellAnswer(name, node, e); },
      },
      event);
}

}  // namespace zablab::redis_cluster
