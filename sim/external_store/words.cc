#include "sim/external_store/words.h"

#include "protocol/overloaded.h"
#include "sim/json_reflect.h"
#include "sim/leader_followers/server_words.h"

namespace zablab::external_store {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string words(const Key& key) {
  return key.prefix == Prefix::leader ? "leader" : std::string(enumName(key.prefix)) + "/" + number(key.id);
}

std::string words(const Names& name, const Operate& operate) {
  switch (operate.does) {
    case Does::put: return "put " + words(operate.key) + " = " + name(operate.value);
    case Does::erase: return "delete " + words(operate.key);
    case Does::get: return "get " + words(operate.key);
    case Does::range: return "all of " + std::string(enumName(operate.key.prefix));
  }
  return "";
}

std::string words(const Names& name, const Txn& txn) {
  std::string text;
  for (const Compare& compare : txn.compares)
    text += compare.create_revision == 0 ? "if absent: " : "if of " + number(compare.create_revision) + ": ";
  for (const Operate& operate : txn.then) text += words(name, operate);
  return text;
}

std::string words(const Names& name, const KeyValue& one) {
  return name(one.value) + " (" + number(one.create_revision) + ")";
}

std::string listed(const Names& name, const std::vector<KeyValue>& keys) {
  std::string text;
  for (const KeyValue& one : keys) text += (text.empty() ? "" : ", ") + words(name, one);
  return text.empty() ? "nobody" : text;
}

std::string because(StepDownWhy why) {
  switch (why) {
    case StepDownWhy::deadline: return "its lease may have ended";
    case StepDownWhy::lease_ended: return "its lease has ended";
    case StepDownWhy::resigned: return "it resigns";
    case StepDownWhy::newer_token: return "there is a newer token";
  }
  return "";
}

std::string because(ElectedWhy why) {
  switch (why) {
    case ElectedWhy::created: return "it has created the key";
    case ElectedWhy::own_key: return "the key is its own";
    case ElectedWhy::first_in_line: return "it is first in line";
    case ElectedWhy::placed: return "it is already running";
  }
  return "";
}

std::string tellChange(const Names& name, const std::string& store, const KeyChanged& e) {
  const KeyValue& what = e.change.what;
  const std::string revision = ", revision " + number(e.change.revision);
  switch (e.change.kind) {
    case ChangeKind::put: return store + " puts " + words(what.key) + " = " + name(what.value) + revision;
    case ChangeKind::deleted:
      return store + " deletes " + words(what.key) + " of " + name(what.value) + " for " + name(e.by) +
             revision;
    case ChangeKind::expired:
      return store + " deletes " + words(what.key) + " of " + name(what.value) + ": lease " +
             number(what.lease) + " has expired" + revision;
  }
  return "";
}

std::string tellRead(const Names& name, const std::string& client, const Answered& e) {
  if (e.outcome != Outcome::ok) return client + " learns from no server of the store who leads";
  const std::string reads = client + " reads at " + name(e.server) + " that ";
  if (e.holder == no_server) return reads + "nobody leads";
  return reads + name(e.holder) + " leads, with token " + number(e.token);
}

std::string tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  if (e.operation == Operation::read) return tellRead(name, client, e);
  if (e.operation == Operation::resign) {
    if (e.outcome == Outcome::ok)
      return client + " is answered by " + name(e.server) + ", which has resigned";
    return client + " does not know of a leader that has resigned";
  }
  switch (e.outcome) {
    case Outcome::ok: return client + "'s write " + number(e.number) + " is done by " + name(e.server);
    case Outcome::refused: return client + " finds no leader for its write " + number(e.number);
    case Outcome::unknown: return client + " does not know if its write " + number(e.number) + " was done";
  }
  return "";
}

std::string words(const Names& name, const Command& command) {
  return std::visit(Overloaded{
                        [&](const Transact& one) { return words(name, one.txn); },
                        [](const Grant& one) { return "lease of " + number(one.ttl_ms) + " ms?"; },
                        [](const EndLease& one) { return "end lease " + number(one.lease); },
                    },
                    command);
}

using LogMessage = leader_followers::BasicServerMessage<StoreLog>;
using LogEvent = leader_followers::BasicServerEvent<StoreLog>;

std::string labelOfLog(const Names& name, const Message& message) {
  using leader_followers::Operation;
  return leader_followers::labelOf<StoreLog>(
      name, *converted<LogMessage>(message), [&](Operation operation, const Proposed& proposed) {
        return operation == Operation::put ? words(name, proposed.command) : std::string("up to date?");
      });
}

}  // namespace

std::string Words::label(const Names& name, const Message& message) {
  return std::visit(
      Overloaded{
          [&](const TxnRequest& m) { return words(name, m.txn) + (m.local ? ", serializable" : ""); },
          [&](const TxnReply& m) {
            if (m.lease_lost) return std::string("no such lease");
            return (m.succeeded ? "done, " : "not done, ") + number(m.revision) +
                   (m.found.empty() ? "" : ": " + listed(name, m.found));
          },
          [](const LeaseGrant& m) { return "lease of " + number(m.ttl_ms) + " ms?"; },
          [](const LeaseGranted& m) { return "lease " + number(m.lease); },
          [](const LeaseRevoke& m) { return "end lease " + number(m.lease); },
          [](const KeepAlive& m) { return "keep lease " + number(m.lease); },
          [](const KeptAlive& m) { return (m.found ? "kept " : "no lease ") + number(m.lease); },
          [](const Watch& m) {
            const std::string what =
                m.prefix ? "all of " + std::string(enumName(m.key.prefix)) : words(m.key);
            return "watch " + what + (m.from == 0 ? " from now" : " from " + number(m.from));
          },
          [&](const Changes& m) {
            std::string text;
            for (const Change& change : m.changes)
              text += (text.empty() ? "" : ", ") + words(change.what.key) +
                      (change.kind == ChangeKind::put ? " = " + name(change.what.value) : " is gone") + " (" +
                      number(change.revision) + ")";
            return text;
          },
          [](const Store& m) { return "write " + number(m.number) + ", token " + number(m.token); },
          [](const StoreReply& m) { return (m.accepted ? "OK " : "refused ") + number(m.number); },
          [](const Ask& m) {
            return m.operation == Operation::resign ? std::string("resign!") : "write " + number(m.number);
          },
          [](const Answer& m) {
            return (m.outcome == Outcome::ok        ? "OK "
                    : m.outcome == Outcome::refused ? "not the leader "
                                                    : "unknown ") +
                   number(m.number);
          },
          [](const Renew& m) { return "keep lease " + number(m.lease); },
          [](const Renewed& m) {
            if (!m.leads) return "not the leader " + number(m.lease);
            return (m.found ? "kept " : "no lease ") + number(m.lease);
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
  return std::visit([](const auto& alternative) { return toJson(alternative); }, event);
}

std::string Words::tell(const Names& name, ServerId self, const Request& request) {
  if (request.operation == Operation::resign) return name(self) + " is instructed: resign";
  if (request.operation == Operation::end) return name(self) + " is instructed: end";
  if (request.operation == Operation::read)
    return name(self) + " asks who leads" + (request.store == no_server ? "" : ", at " + name(request.store));
  return name(self) + " asks: write " + number(request.number);
}

std::string Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string server = name(self);
  return std::visit(
      Overloaded{
          [&](const LeaseBegun& e) {
            return server + " grants lease " + number(e.lease) + " to " + name(e.to);
          },
          [&](const KeyChanged& e) { return tellChange(name, server, e); },
          [&](const CompareFailed& e) {
            return server + " refuses " + name(e.by) + ": the comparison of " + words(e.key) + " fails";
          },
          [&](const Contends& e) { return server + " stands for election with lease " + number(e.lease); },
          [&](const Elected& e) {
            return server + " is the leader with token " + number(e.token) + ": " + because(e.why);
          },
          [&](const Follows& e) {
            return server + " waits for the end of the key of " + name(e.holder) + ", of revision " +
                   number(e.revision);
          },
          [&](const Notified& e) {
            return server + " is notified that the key of " + name(e.holder) + " is gone";
          },
          [&](const SteppedDown& e) {
            return server + " is no longer the leader with token " + number(e.token) + ": " + because(e.why);
          },
          [&](const LeaseLost& e) { return server + " learns that lease " + number(e.lease) + " has ended"; },
          [&](const MemberChanged& e) {
            return server + (e.there ? " sees the member " : " no longer sees the member ") + name(e.member);
          },
          [&](const WriteDecided& e) {
            const std::string what =
                " write " + number(e.number) + " of " + name(e.by) + " with token " + number(e.token);
            if (!e.accepted) return server + " refuses" + what + ": it has seen token " + number(e.newest);
            return server + " takes" + what;
          },
          [&](const Answered& e) { return tellAnswer(name, server, e); },
          [&](const GivenUp& e) { return server + " closes the connection of " + name(e.client); },
          [&](const auto&) {
            return leader_followers::tellOf<StoreLog>(name, self, *converted<LogEvent>(event));
          },
      },
      event);
}

}  // namespace zablab::external_store
