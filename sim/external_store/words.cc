#include "sim/external_store/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/leader_followers/server_words.h"

namespace zablab::external_store {
namespace {

std::string text(const Key& key) {
  return key.prefix == Prefix::leader ? "leader"
                                      : std::string(enumName(key.prefix)) + "/" + std::to_string(key.id);
}

std::string text(const Names& name, const KeyValue& one) {
  return name(one.value) + " (" + std::to_string(one.create_revision) + ")";
}

Phrase words(const Names& name, const Operate& operate) {
  switch (operate.does) {
    case Does::put: return phrase("put {key} = {value}", text(operate.key), name(operate.value));
    case Does::erase: return phrase("delete {key}", text(operate.key));
    case Does::get: return phrase("get {key}", text(operate.key));
    case Does::range: return phrase("all of {prefix}", enumName(operate.key.prefix));
  }
  return {};
}

Phrase words(const Names& name, const Txn& txn) {
  Phrase all = txn.then.empty() ? Phrase() : words(name, txn.then.front());  // there is one at most
  for (auto compare = txn.compares.rbegin(); compare != txn.compares.rend(); ++compare)
    all = compare->create_revision == 0 ? phrase("if absent: {does}", all)
                                        : phrase("if of {revision}: {does}", compare->create_revision, all);
  return all;
}

Phrase because(StepDownWhy why) {
  switch (why) {
    case StepDownWhy::deadline: return phrase("its lease may have ended");
    case StepDownWhy::lease_ended: return phrase("its lease has ended");
    case StepDownWhy::resigned: return phrase("it resigns");
    case StepDownWhy::newer_token: return phrase("there is a newer token");
  }
  return {};
}

Phrase because(ElectedWhy why) {
  switch (why) {
    case ElectedWhy::created: return phrase("it has created the key");
    case ElectedWhy::own_key: return phrase("the key is its own");
    case ElectedWhy::first_in_line: return phrase("it is first in line");
    case ElectedWhy::placed: return phrase("it is already running");
  }
  return {};
}

Phrase tellChange(const Names& name, const std::string& store, const KeyChanged& e) {
  const KeyValue& what = e.change.what;
  const std::int64_t revision = e.change.revision;
  switch (e.change.kind) {
    case ChangeKind::put:
      return phrase("{store} puts {key} = {value}, revision {revision}", store, text(what.key),
                    name(what.value), revision);
    case ChangeKind::deleted:
      return phrase("{store} deletes {key} of {owner} for {by}, revision {revision}", store, text(what.key),
                    name(what.value), name(e.by), revision);
    case ChangeKind::expired:
      return phrase("{store} deletes {key} of {owner}: lease {lease} has expired, revision {revision}", store,
                    text(what.key), name(what.value), what.lease, revision);
  }
  return {};
}

Phrase tellRead(const Names& name, const std::string& client, const Answered& e) {
  if (e.outcome != Outcome::ok)
    return phrase("{client} learns from no server of the store who leads", client);
  return e.holder == no_server
             ? phrase("{client} reads at {server} that nobody leads", client, name(e.server))
             : phrase("{client} reads at {server} that {leader} leads, with token {token}", client,
                      name(e.server), name(e.holder), e.token);
}

Phrase tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  if (e.operation == Operation::read) return tellRead(name, client, e);
  if (e.operation == Operation::resign) {
    return e.outcome == Outcome::ok
               ? phrase("{client} is answered by {server}, which has resigned", client, name(e.server))
               : phrase("{client} does not know of a leader that has resigned", client);
  }
  switch (e.outcome) {
    case Outcome::ok:
      return phrase("{client}'s write {number} is done by {server}", client, e.number, name(e.server));
    case Outcome::refused: return phrase("{client} finds no leader for its write {number}", client, e.number);
    case Outcome::unknown:
      return phrase("{client} does not know if its write {number} was done", client, e.number);
  }
  return {};
}

Phrase words(const Names& name, const Command& command) {
  return visit(Overloaded{
                   [&](const Transact& one) { return words(name, one.txn); },
                   [](const Grant& one) { return phrase("lease of {ttl} ms?", one.ttl_ms); },
                   [](const EndLease& one) { return phrase("end lease {lease}", one.lease); },
               },
               command);
}

using LogMessage = leader_followers::BasicServerMessage<StoreLog>;
using LogEvent = leader_followers::BasicServerEvent<StoreLog>;

Phrase labelOfLog(const Names& name, const Message& message) {
  using leader_followers::Operation;
  return leader_followers::labelOf<StoreLog>(
      name, *converted<LogMessage>(message), [&](Operation operation, const Proposed& proposed) {
        return operation == Operation::put ? words(name, proposed.command) : phrase("up to date?");
      });
}

Phrase labelOf(const Names& name, const TxnReply& m) {
  if (m.lease_lost) return phrase("no such lease");
  if (m.found.empty())
    return m.succeeded ? phrase("done, {revision}", m.revision) : phrase("not done, {revision}", m.revision);
  const Phrase found = listOf(m.found, [&](const KeyValue& one) { return text(name, one); });
  return m.succeeded ? phrase("done, {revision}: {found}", m.revision, found)
                     : phrase("not done, {revision}: {found}", m.revision, found);
}

Phrase labelOf(const Watch& m) {
  const Phrase what = m.prefix ? phrase("all of {prefix}", enumName(m.key.prefix)) : text(m.key);
  return m.from == 0 ? phrase("watch {what} from now", what)
                     : phrase("watch {what} from {revision}", what, m.from);
}

Phrase labelOf(const Names& name, const Change& change) {
  if (change.kind != ChangeKind::put)
    return phrase("{key} is gone ({revision})", text(change.what.key), change.revision);
  return text(change.what.key) + " = " + name(change.what.value) + " (" + std::to_string(change.revision) +
         ")";
}

Phrase labelOf(const Answer& m) {
  switch (m.outcome) {
    case Outcome::ok: return "OK " + std::to_string(m.number);
    case Outcome::refused: return phrase("not the leader {number}", m.number);
    case Outcome::unknown: return phrase("unknown {number}", m.number);
  }
  return {};
}

Phrase renewed(bool found, std::int64_t lease) {
  return found ? phrase("kept {lease}", lease) : phrase("no lease {lease}", lease);
}

}  // namespace

Phrase Words::label(const Names& name, const Message& message) {
  return visit<Phrase>(
      Overloaded{
          [&](const TxnRequest& m) {
            return m.local ? phrase("{request}, serializable", words(name, m.txn)) : words(name, m.txn);
          },
          [&](const TxnReply& m) { return labelOf(name, m); },
          [](const LeaseGrant& m) { return phrase("lease of {ttl} ms?", m.ttl_ms); },
          [](const LeaseGranted& m) { return phrase("lease {lease}", m.lease); },
          [](const LeaseRevoke& m) { return phrase("end lease {lease}", m.lease); },
          [](const KeepAlive& m) { return phrase("keep lease {lease}", m.lease); },
          [](const KeptAlive& m) { return renewed(m.found, m.lease); },
          [](const Watch& m) { return labelOf(m); },
          [&](const Changes& m) {
            return listOf(m.changes, [&](const Change& change) { return labelOf(name, change); });
          },
          [](const Store& m) { return phrase("write {number}, token {token}", m.number, m.token); },
          [](const StoreReply& m) -> Phrase {
            if (m.accepted) return "OK " + std::to_string(m.number);
            return phrase("refused {number}", m.number);
          },
          [](const Ask& m) {
            return m.operation == Operation::resign ? phrase("resign!") : phrase("write {number}", m.number);
          },
          [](const Answer& m) { return labelOf(m); },
          [](const Renew& m) { return phrase("keep lease {lease}", m.lease); },
          [](const Renewed& m) {
            return m.leads ? renewed(m.found, m.lease) : phrase("not the leader {number}", m.lease);
          },
          [&](const auto&) { return labelOfLog(name, message); },
      },
      message);
}

std::vector<std::vector<std::string>> Words::messageGroups() {
  const auto names = [](const auto&... types) {
    return std::vector<std::string>{std::string(types.name)...};
  };
  return {
      names(TxnRequest{}, TxnReply{}),
      names(Watch{}, Changes{}),
      names(LeaseGrant{}, LeaseGranted{}, LeaseRevoke{}, KeepAlive{}, KeptAlive{}, Renew{}, Renewed{}),
      names(Store{}, StoreReply{}, Ask{}, Answer{}),
      names(leader_followers::VoteRequest{}, leader_followers::VoteResponse{}),
      names(leader_followers::BasicAppend<StoreLog>{}, leader_followers::AppendResponse{},
            leader_followers::BasicForwarded<StoreLog>{}, leader_followers::BasicForwardedReply<StoreLog>{})};
}

Json Words::data(const Names& name, const Event& event) {
  if (const auto of_log = converted<LogEvent>(event))
    return leader_followers::dataOf<StoreLog>(name, *of_log);
  return visit([](const auto& alternative) { return toJson(alternative); }, event);
}

Phrase Words::tell(const Names& name, ServerId self, const Request& request) {
  const std::string node = name(self);
  switch (request.operation) {
    case Operation::resign: return phrase("{node} is instructed: resign", node);
    case Operation::end: return phrase("{node} is instructed: end", node);
    case Operation::read:
      return request.store == no_server
                 ? phrase("{client} asks who leads", node)
                 : phrase("{client} asks who leads, at {server}", node, name(request.store));
    case Operation::write: break;
  }
  return phrase("{client} asks: write {number}", node, request.number);
}

Phrase Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string server = name(self);
  return visit(
      Overloaded{
          [&](const LeaseBegun& e) {
            return phrase("{server} grants lease {lease} to {holder}", server, e.lease, name(e.to));
          },
          [&](const KeyChanged& e) { return tellChange(name, server, e); },
          [&](const CompareFailed& e) {
            return phrase("{server} refuses {by}: the comparison of {key} fails", server, name(e.by),
                          text(e.key));
          },
          [&](const Contends& e) {
            return phrase("{server} stands for election with lease {lease}", server, e.lease);
          },
          [&](const Elected& e) {
            return phrase("{server} is the leader with token {token}: {reason}", server, e.token,
                          because(e.why));
          },
          [&](const Follows& e) {
            return phrase("{server} waits for the end of the key of {holder}, of revision {revision}", server,
                          name(e.holder), e.revision);
          },
          [&](const Notified& e) {
            return phrase("{server} is notified that the key of {holder} is gone", server, name(e.holder));
          },
          [&](const SteppedDown& e) {
            return phrase("{server} is no longer the leader with token {token}: {reason}", server, e.token,
                          because(e.why));
          },
          [&](const LeaseLost& e) {
            return phrase("{server} learns that lease {lease} has ended", server, e.lease);
          },
          [&](const MemberChanged& e) {
            return e.there ? phrase("{server} sees the member {member}", server, name(e.member))
                           : phrase("{server} no longer sees the member {member}", server, name(e.member));
          },
          [&](const WriteDecided& e) {
            return e.accepted
                       ? phrase("{server} takes write {number} of {leader} with token {token}", server,
                                e.number, name(e.by), e.token)
                       : phrase(
                             "{server} refuses write {number} of {leader} with token {token}: it has seen "
                             "token {newest}",
                             server, e.number, name(e.by), e.token, e.newest);
          },
          [&](const Answered& e) { return tellAnswer(name, server, e); },
          [&](const GivenUp& e) {
            return phrase("{server} closes the connection of {client}", server, name(e.client));
          },
          [&](const auto&) {
            return leader_followers::tellOf<StoreLog>(name, self, *converted<LogEvent>(event));
          },
      },
      event);
}

}  // namespace zablab::external_store
