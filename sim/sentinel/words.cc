#include "sim/sentinel/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"

namespace zablab::sentinel {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string listed(const Names& name, const std::vector<ServerId>& servers) {
  std::string text;
  for (const ServerId server : servers) text += (text.empty() ? "" : ", ") + name(server);
  return text;
}

std::string writes(std::int64_t count) { return number(count) + (count == 1 ? " write" : " writes"); }

std::string because(const Names& name, const VoteDecided& decided) {
  switch (decided.reason) {
    case VoteReason::first_to_ask: return "it asks first";
    case VoteReason::repeated: return "it already has";
    case VoteReason::other_leader:
      return decided.vote.leader ? "it has voted for " + name(*decided.vote.leader)
                                 : "it has voted for another sentinel";
    case VoteReason::older_epoch: return "there is a later epoch";
    case VoteReason::forgotten: return "it has voted, and has forgotten for whom";
  }
  return "";
}

std::string because(AbortReason reason) {
  switch (reason) {
    case AbortReason::not_elected: return "it is not elected in time";
    case AbortReason::epoch_is_over: return "there is a later epoch";
    case AbortReason::no_good_replica: return "there is no replica to promote";
    case AbortReason::replica_timeout: return "the replica is not promoted in time";
  }
  return "";
}

std::string doing(FailoverState state) {
  switch (state) {
    case FailoverState::NONE:
    case FailoverState::WAIT_START: return "";
    case FailoverState::SELECT_REPLICA: return "chooses a replica";
    case FailoverState::SEND_REPLICAOF: return "is going to promote the replica";
    case FailoverState::WAIT_PROMOTION: return "waits until the replica is a master";
    case FailoverState::RECONF_REPLICAS: return "tells the other replicas";
  }
  return "";
}

template <class Servers>
Json picture(const Names& name, const Servers& servers, const std::string& caption) {
  Json cells = Json::array();
  for (const ServerId server : servers) cells.push_back({{"text", name(server)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)}, {"quorum", true}, {"caption", caption}};
}

std::string words(const Vote& vote, const Names& name) {
  return vote.leader ? name(*vote.leader) + " in " + number(vote.epoch) : "nobody";
}

std::string tellRole(const Names& name, const std::string& server, const RoleChanged& e) {
  if (e.started) return "";
  return e.to == RedisRole::master
             ? server + " becomes a master with " + writes(e.offset)
             : server + " becomes a replica of " + name(e.master) + ", with " + writes(e.offset);
}

std::string tellReconf(const Names& name, const std::string& server, const ReplicaReconf& e) {
  const std::string replica = name(e.replica);
  if (e.timed_out) return server + " waits no longer for " + replica;
  switch (e.reconf) {
    case Reconf::none: return "";
    case Reconf::sent: return server + " tells " + replica + " its new master";
    case Reconf::in_progress: return server + " sees that " + replica + " copies its new master";
    case Reconf::done: return server + " sees that " + replica + " has its new master's data";
  }
  return "";
}

std::string tellRead(const Names& name, const std::string& client, const Answered& e) {
  switch (e.outcome) {
    case Outcome::ok:
      return e.value == 0 ? client + " reads that " + name(e.server) + " has no write"
                          : client + " reads write " + number(e.value) + " from " + name(e.server);
    case Outcome::refused: return client + " finds no server for its read";
    case Outcome::unknown: return client + " has no answer to its read";
  }
  return "";
}

std::string tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  if (e.operation == Operation::read) return tellRead(name, client, e);
  switch (e.outcome) {
    case Outcome::ok:
      return client + "'s write " + number(e.number) + " is done at " + name(e.server) + ", write " +
             number(e.offset) + " there";
    case Outcome::refused: return client + " finds no server for its write " + number(e.number);
    case Outcome::unknown: return client + " does not know if its write " + number(e.number) + " was done";
  }
  return "";
}

}  // namespace

std::string Words::label(const Names& name, const Message& message) {
  return std::visit(
      Overloaded{
          [](const Ping&) { return std::string("PING"); },
          [](const Pong&) { return std::string("PONG"); },
          [](const Info&) { return std::string("INFO"); },
          [&](const InfoReply& m) {
            if (m.role == RedisRole::master) return "master, " + number(m.offset);
            return "replica of " + name(m.master) + (m.link_up ? ", " : " (no link), ") + number(m.offset);
          },
          [&](const Hello& m) {
            return "HELLO: " + name(m.master) + " since " + number(m.config_epoch) + ", epoch " +
                   number(m.current_epoch);
          },
          [&](const IsMasterDown& m) {
            const std::string question = "is " + name(m.master) + " down?";
            return m.candidate ? question + " VOTE? " + number(m.epoch) : question;
          },
          [&](const IsMasterDownReply& m) {
            const std::string answer = m.down ? "down" : "not down";
            return m.vote.leader ? answer + ", VOTE " + words(m.vote, name) : answer;
          },
          [&](const ReplicaOf& m) { return "REPLICAOF " + (m.master ? name(*m.master) : "NO ONE"); },
          [](const Psync&) { return std::string("PSYNC"); },
          [](const FullSync& m) { return "data, " + number(offsetOf(m.data)); },
          [](const Replicate& m) { return "write " + number(m.entry.number); },
          [](const ReplicaAck& m) { return "ACK " + number(m.offset); },
          [](const GetMaster&) { return std::string("master?"); },
          [&](const MasterIs& m) { return "master is " + name(m.master); },
          [](const WriteRequest& m) { return "write " + number(m.number); },
          [](const WriteReply& m) {
            switch (m.result) {
              case WriteResult::ok: return "OK " + number(m.number);
              case WriteResult::read_only: return std::string("READONLY");
              case WriteResult::no_replicas: return std::string("NOREPLICAS");
            }
            return std::string();
          },
          [](const ReadRequest&) { return std::string("read"); },
          [](const ReadReply& m) { return "it is " + number(m.value); },
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
  return std::visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, Elected>) {
          fields["picture"] =
              picture(name, alternative.by, "votes in epoch " + number(alternative.votes_epoch));
        } else if constexpr (std::is_same_v<Alternative, ObjectivelyDown>) {
          if (alternative.down) fields["picture"] = picture(name, alternative.by, "see the master down");
        }
        return fields;
      },
      event);
}

std::string Words::tell(const Names& name, ServerId self, const Request& request) {
  const std::string what = request.operation == Operation::read ? "read" : "write " + number(request.number);
  return name(self) + " asks: " + what + (request.server == no_server ? "" : " at " + name(request.server));
}

std::string Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string server = name(self);
  return std::visit(
      Overloaded{
          [&](const SubjectivelyDown& e) {
            const std::string instance = name(e.instance) + (e.master ? ", the master," : "");
            return server + " sees " + instance + (e.down ? " down" : " up again");
          },
          [&](const ObjectivelyDown& e) {
            return e.down ? server + " counts a quorum that sees the master down: " + listed(name, e.by)
                          : server + " counts no quorum any more that sees the master down";
          },
          [&](const NewEpoch& e) { return server + " is in epoch " + number(e.epoch); },
          [&](const TryFailover& e) {
            return server + " tries to be elected for a failover in epoch " + number(e.epoch);
          },
          [&](const FailoverDelayed&) { return server + " does not start a failover for the present"; },
          [&](const VoteDecided& e) {
            return server + (e.granted ? " votes for " : " does not vote for ") + name(e.candidate) +
                   " in epoch " + number(e.epoch) + ": " + because(name, e);
          },
          [&](const PeerVoted& e) {
            return server + " learns that " + name(e.peer) + " has voted for " + name(*e.vote.leader) +
                   " in epoch " + number(e.vote.epoch);
          },
          [&](const Elected& e) {
            return server + " is elected in epoch " + number(e.votes_epoch) + " by " + listed(name, e.by) +
                   ", of " + number(e.voters);
          },
          [&](const FailoverStateChanged& e) { return server + " " + doing(e.state); },
          [&](const FailoverAborted& e) {
            return server + " gives up its failover of epoch " + number(e.epoch) + ": " + because(e.reason);
          },
          [&](const ReplicaSelected& e) {
            std::string among;
            for (const Candidate& one : e.among)
              among += (among.empty() ? "" : ", ") + name(one.id) + " (" + number(one.offset) + ")";
            return server + " chooses " + name(e.replica) + " among " + among;
          },
          [&](const Promoted& e) {
            return server + " makes " + name(e.replica) + " the master of configuration " +
                   number(e.config_epoch);
          },
          [&](const RoleReported& e) {
            return server + " hears from " + name(e.instance) + " that it is a " +
                   std::string(enumName(e.role));
          },
          [&](const ReplicaReconf& e) { return tellReconf(name, server, e); },
          [&](const FailoverEnded& e) {
            return server + " ends its failover" + (e.timed_out ? ": it takes too long" : "");
          },
          [&](const ConfigUpdated& e) {
            return server + " takes over configuration " + number(e.config_epoch) + " from " + name(e.from);
          },
          [&](const SwitchMaster& e) {
            return server + " switches from " + name(e.from) + " to " + name(e.to);
          },
          [&](const Corrected& e) {
            return server +
                   (e.correction == Correction::convert_to_replica ? " makes the old master " : " tells ") +
                   name(e.instance) +
                   (e.correction == Correction::convert_to_replica ? " a replica of " : " to copy ") +
                   name(e.master);
          },
          [&](const SentinelFound& e) { return server + " hears of " + name(e.sentinel); },
          [&](const TiltChanged& e) {
            return server + (e.on ? " stops acting: its clock has jumped" : " acts again");
          },
          [&](const RoleChanged& e) { return tellRole(name, server, e); },
          [&](const Synced& e) {
            return server + " has the data of " + name(e.master) + ", " + writes(e.offset) +
                   (e.discarded > 0 ? ", and discards " + number(e.discarded) + " of its own" : "");
          },
          [&](const Answered& e) { return tellAnswer(name, server, e); },
      },
      event);
}

}  // namespace zablab::sentinel
