#include "sim/sentinel/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"

namespace zablab::sentinel {
namespace {

Phrase writes(std::int64_t count) {
  return count == 1 ? phrase("{count} write", count) : phrase("{count} writes", count);
}

Phrase because(const Names& name, const VoteDecided& decided) {
  switch (decided.reason) {
    case VoteReason::first_to_ask: return phrase("it asks first");
    case VoteReason::repeated: return phrase("it already has");
    case VoteReason::other_leader:
      return decided.vote.leader ? phrase("it has voted for {candidate}", name(*decided.vote.leader))
                                 : phrase("it has voted for another sentinel");
    case VoteReason::older_epoch: return phrase("there is a later epoch");
    case VoteReason::forgotten: return phrase("it has voted, and has forgotten for whom");
  }
  return {};
}

Phrase because(AbortReason reason) {
  switch (reason) {
    case AbortReason::not_elected: return phrase("it is not elected in time");
    case AbortReason::epoch_is_over: return phrase("there is a later epoch");
    case AbortReason::no_good_replica: return phrase("there is no replica to promote");
    case AbortReason::replica_timeout: return phrase("the replica is not promoted in time");
  }
  return {};
}

Phrase tellState(const std::string& server, FailoverState state) {
  switch (state) {
    case FailoverState::NONE:
    case FailoverState::WAIT_START: return {};
    case FailoverState::SELECT_REPLICA: return phrase("{server} chooses a replica", server);
    case FailoverState::SEND_REPLICAOF: return phrase("{server} is going to promote the replica", server);
    case FailoverState::WAIT_PROMOTION: return phrase("{server} waits until the replica is a master", server);
    case FailoverState::RECONF_REPLICAS: return phrase("{server} tells the other replicas", server);
  }
  return {};
}

Phrase tellDown(const Names& name, const std::string& server, const SubjectivelyDown& e) {
  const std::string instance = name(e.instance);
  if (e.master)
    return e.down ? phrase("{server} sees {instance}, the master, down", server, instance)
                  : phrase("{server} sees {instance}, the master, up again", server, instance);
  return e.down ? phrase("{server} sees {instance} down", server, instance)
                : phrase("{server} sees {instance} up again", server, instance);
}

Phrase tellRole(const Names& name, const std::string& server, const RoleChanged& e) {
  if (e.started) return {};
  return e.to == RedisRole::master
             ? phrase("{server} becomes a master with {writes}", server, writes(e.offset))
             : phrase("{server} becomes a replica of {master}, with {writes}", server, name(e.master),
                      writes(e.offset));
}

Phrase tellReconf(const Names& name, const std::string& server, const ReplicaReconf& e) {
  const std::string replica = name(e.replica);
  if (e.timed_out) return phrase("{server} waits no longer for {replica}", server, replica);
  switch (e.reconf) {
    case Reconf::none: return {};
    case Reconf::sent: return phrase("{server} tells {replica} its new master", server, replica);
    case Reconf::in_progress:
      return phrase("{server} sees that {replica} copies its new master", server, replica);
    case Reconf::done:
      return phrase("{server} sees that {replica} has its new master's data", server, replica);
  }
  return {};
}

Phrase tellRead(const Names& name, const std::string& client, const Answered& e) {
  switch (e.outcome) {
    case Outcome::ok:
      return e.value == 0
                 ? phrase("{client} reads that {server} has no write", client, name(e.server))
                 : phrase("{client} reads write {number} from {server}", client, e.value, name(e.server));
    case Outcome::refused: return phrase("{client} finds no server for its read", client);
    case Outcome::unknown: return phrase("{client} has no answer to its read", client);
  }
  return {};
}

Phrase tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  if (e.operation == Operation::read) return tellRead(name, client, e);
  switch (e.outcome) {
    case Outcome::ok:
      return phrase("{client}'s write {number} is done at {server}, write {offset} there", client, e.number,
                    name(e.server), e.offset);
    case Outcome::refused: return phrase("{client} finds no server for its write {number}", client, e.number);
    case Outcome::unknown:
      return phrase("{client} does not know if its write {number} was done", client, e.number);
  }
  return {};
}

}  // namespace

Phrase Words::label(const Names& name, const Message& message) {
  return visit<Phrase>(
      Overloaded{
          [](const Ping&) { return std::string("PING"); },
          [](const Pong&) { return std::string("PONG"); },
          [](const Info&) { return std::string("INFO"); },
          [&](const InfoReply& m) {
            if (m.role == RedisRole::master) return phrase("master, {offset}", m.offset);
            return m.link_up ? phrase("replica of {master}, {offset}", name(m.master), m.offset)
                             : phrase("replica of {master} (no link), {offset}", name(m.master), m.offset);
          },
          [&](const Hello& m) {
            return "HELLO: " + name(m.master) + " since " + std::to_string(m.config_epoch) + ", epoch " +
                   std::to_string(m.current_epoch);
          },
          [&](const IsMasterDown& m) {
            return m.candidate ? phrase("is {master} down? VOTE? {epoch}", name(m.master), m.epoch)
                               : phrase("is {master} down?", name(m.master));
          },
          [&](const IsMasterDownReply& m) {
            if (!m.vote.leader) return m.down ? phrase("down") : phrase("not down");
            const std::string candidate = name(*m.vote.leader);
            return m.down ? phrase("down, VOTE {candidate} in {epoch}", candidate, m.vote.epoch)
                          : phrase("not down, VOTE {candidate} in {epoch}", candidate, m.vote.epoch);
          },
          [&](const ReplicaOf& m) { return "REPLICAOF " + (m.master ? name(*m.master) : "NO ONE"); },
          [](const Psync&) { return std::string("PSYNC"); },
          [](const FullSync& m) { return phrase("data, {offset}", offsetOf(m.data)); },
          [](const Replicate& m) { return phrase("write {number}", m.entry.number); },
          [](const ReplicaAck& m) { return "ACK " + std::to_string(m.offset); },
          [](const GetMaster&) { return phrase("master?"); },
          [&](const MasterIs& m) { return phrase("master is {master}", name(m.master)); },
          [](const WriteRequest& m) { return phrase("write {number}", m.number); },
          [](const WriteReply& m) -> std::string {
            switch (m.result) {
              case WriteResult::ok: return "OK " + std::to_string(m.number);
              case WriteResult::read_only: return "READONLY";
              case WriteResult::no_replicas: return "NOREPLICAS";
            }
            return "";
          },
          [](const ReadRequest&) { return phrase("read"); },
          [](const ReadReply& m) { return phrase("it is {value}", m.value); },
      },
      message);
}

std::vector<std::vector<std::string>> Words::messageGroups() {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  return {names(IsMasterDown{}, IsMasterDownReply{}), names(ReplicaOf{}, Hello{}),
          names(Ping{}, Pong{}, Info{}, InfoReply{}), names(Psync{}, FullSync{}, Replicate{}, ReplicaAck{}),
          names(GetMaster{}, MasterIs{}, WriteRequest{}, WriteReply{}, ReadRequest{}, ReadReply{})};
}

Json Words::data(const Names& name, const Event& event) {
  return visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, Elected>) {
          fields["picture"] =
              quorumPicture(name, alternative.by, phrase("votes in epoch {epoch}", alternative.votes_epoch));
        } else if constexpr (std::is_same_v<Alternative, ObjectivelyDown>) {
          if (alternative.down)
            fields["picture"] = quorumPicture(name, alternative.by, phrase("see the master down"));
        }
        return fields;
      },
      event);
}

Phrase Words::tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  const bool anywhere = request.server == no_server;
  if (request.operation == Operation::read)
    return anywhere ? phrase("{client} asks: read", client)
                    : phrase("{client} asks: read at {server}", client, name(request.server));
  return anywhere ? phrase("{client} asks: write {number}", client, request.number)
                  : phrase("{client} asks: write {number} at {server}", client, request.number,
                           name(request.server));
}

Phrase Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string server = name(self);
  return visit<Phrase>(
      Overloaded{
          [&](const SubjectivelyDown& e) { return tellDown(name, server, e); },
          [&](const ObjectivelyDown& e) {
            return e.down ? phrase("{server} counts a quorum that sees the master down: {servers}", server,
                                   listOf(e.by, name))
                          : phrase("{server} counts no quorum any more that sees the master down", server);
          },
          [&](const NewEpoch& e) { return phrase("{server} is in epoch {epoch}", server, e.epoch); },
          [&](const TryFailover& e) {
            return phrase("{server} tries to be elected for a failover in epoch {epoch}", server, e.epoch);
          },
          [&](const FailoverDelayed&) {
            return phrase("{server} does not start a failover for the present", server);
          },
          [&](const VoteDecided& e) {
            const Phrase reason = because(name, e);
            return e.granted ? phrase("{server} votes for {candidate} in epoch {epoch}: {reason}", server,
                                      name(e.candidate), e.epoch, reason)
                             : phrase("{server} does not vote for {candidate} in epoch {epoch}: {reason}",
                                      server, name(e.candidate), e.epoch, reason);
          },
          [&](const PeerVoted& e) {
            return phrase("{server} learns that {peer} has voted for {candidate} in epoch {epoch}", server,
                          name(e.peer), name(*e.vote.leader), e.vote.epoch);
          },
          [&](const Elected& e) {
            return phrase("{server} is elected in epoch {epoch} by {servers}, of {count}", server,
                          e.votes_epoch, listOf(e.by, name), e.voters);
          },
          [&](const FailoverStateChanged& e) { return tellState(server, e.state); },
          [&](const FailoverAborted& e) {
            return phrase("{server} gives up its failover of epoch {epoch}: {reason}", server, e.epoch,
                          because(e.reason));
          },
          [&](const ReplicaSelected& e) {
            return phrase("{server} chooses {replica} among {candidates}", server, name(e.replica),
                          listOf(e.among, [&](const Candidate& one) {
                            return name(one.id) + " (" + std::to_string(one.offset) + ")";
                          }));
          },
          [&](const Promoted& e) {
            return phrase("{server} makes {replica} the master of configuration {epoch}", server,
                          name(e.replica), e.config_epoch);
          },
          [&](const RoleReported& e) {
            return e.role == RedisRole::master ? phrase("{server} hears from {instance} that it is a master",
                                                        server, name(e.instance))
                                               : phrase("{server} hears from {instance} that it is a replica",
                                                        server, name(e.instance));
          },
          [&](const ReplicaReconf& e) { return tellReconf(name, server, e); },
          [&](const FailoverEnded& e) {
            return e.timed_out ? phrase("{server} ends its failover: it takes too long", server)
                               : phrase("{server} ends its failover", server);
          },
          [&](const ConfigUpdated& e) {
            return phrase("{server} takes over configuration {epoch} from {other}", server, e.config_epoch,
                          name(e.from));
          },
          [&](const SwitchMaster& e) {
            return phrase("{server} switches from {old} to {new}", server, name(e.from), name(e.to));
          },
          [&](const Corrected& e) {
            return e.correction == Correction::convert_to_replica
                       ? phrase("{server} makes the old master {instance} a replica of {master}", server,
                                name(e.instance), name(e.master))
                       : phrase("{server} tells {instance} to copy {master}", server, name(e.instance),
                                name(e.master));
          },
          [&](const SentinelFound& e) {
            return phrase("{server} hears of {other}", server, name(e.sentinel));
          },
          [&](const TiltChanged& e) {
            return e.on ? phrase("{server} stops acting: its clock has jumped", server)
                        : phrase("{server} acts again", server);
          },
          [&](const RoleChanged& e) { return tellRole(name, server, e); },
          [&](const Synced& e) {
            return e.discarded > 0
                       ? phrase(
                             "{server} has the data of {master}, {writes}, and discards {count} of its own",
                             server, name(e.master), writes(e.offset), e.discarded)
                       : phrase("{server} has the data of {master}, {writes}", server, name(e.master),
                                writes(e.offset));
          },
          [&](const Answered& e) { return tellAnswer(name, server, e); },
      },
      event);
}

}  // namespace zablab::sentinel
