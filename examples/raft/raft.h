// Raft's servers and clients: elections, replication and commitment as in figure 2 of Ongaro and Ousterhout,
// In search of an understandable consensus algorithm (extended version, 2014), and the no-op entry of
// section 8. Left out: changes of the membership (section 6) and snapshots (section 7). The log's commands
// write a register and read it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/described.h"
#include "protocol/family_base.h"
#include "protocol/overloaded.h"
#include "protocol/rule_tables.h"
#include "protocol/step_context.h"
#include "protocol/variant.h"

namespace raft {

using zablab::Millis, zablab::monostate, zablab::no_server, zablab::ServerId, zablab::variant;

// ---- what clients ask, and the log

struct Write {
  std::optional<std::int64_t> value;  ///< not given: the request's number
  ZABLAB_NAMED(Write, "write", (value));
};
struct Read {
  ZABLAB_NAMED(Read, "read", ());
};
struct Request {
  std::int64_t number = 0;  ///< unique among the requests of a run
  variant<monostate, Write, Read> what;
  ZABLAB_FIELDS(Request, (number, what));
};

/// The value that it writes, if it is a write.
inline std::optional<std::int64_t> written(const Request& request) {
  const auto* write = get_if<Write>(&request.what);
  return write == nullptr ? std::nullopt : std::optional(write->value.value_or(request.number));
}

struct Entry {
  std::int64_t term = 0;
  ServerId client = no_server;  ///< nobody: a leader's no-op
  Request request;
  ZABLAB_FIELDS(Entry, (term, client, request));
};
using Log = std::vector<Entry>;  ///< the first entry has index 1

struct Place {
  std::int64_t term = 0;
  std::int64_t index = 0;
  auto operator<=>(const Place&) const = default;
  BOOST_DESCRIBE_CLASS(Place, (), (term, index), (), ())
};
inline Place placeAt(const Log& log, std::int64_t index) {
  return {index == 0 ? 0 : log[static_cast<std::size_t>(index - 1)].term, index};
}
inline Place lastOf(const Log& log) { return placeAt(log, std::ssize(log)); }
/// Replaces what follows the entry of this index.
inline void replace(Log& log, std::int64_t after, const Log& entries) {
  log.resize(static_cast<std::size_t>(after));
  log.insert(log.end(), entries.begin(), entries.end());
}

// ---- messages: each may be lost or arrive twice

struct RequestVote {
  static constexpr std::string_view says = "RequestVote {term}, log up to {last.term}.{last.index}";
  std::int64_t term = 0;
  Place last;
  ZABLAB_NAMED(RequestVote, "REQUEST_VOTE", (term, last));
};
struct Vote {
  std::int64_t term = 0;
  bool granted = false;
  ZABLAB_NAMED(Vote, "VOTE", (term, granted));
};
struct Append {
  static constexpr std::string_view says =
      "Append {term} after {previous.term}.{previous.index}, commit {commit}";
  std::int64_t term = 0;
  Place previous;
  Log entries;
  std::int64_t commit = 0;
  ZABLAB_NAMED(Append, "APPEND", (term, previous, entries, commit));
};
/// `index`: up to which the logs match, or, if they do not, where they differ.
struct Appended {
  std::int64_t term = 0;
  bool matches = false;
  std::int64_t index = 0;
  ZABLAB_NAMED(Appended, "APPENDED", (term, matches, index));
};
struct Ask {
  static constexpr std::string_view says = "{request.what.type}";
  Request request;
  ZABLAB_NAMED(Ask, "ASK", (request));
};
/// Without a value, the request has not been done; `leader` may be asked instead.
struct Reply {
  std::int64_t number = 0;
  std::optional<std::int64_t> value;
  ServerId leader = no_server;
  ZABLAB_NAMED(Reply, "REPLY", (number, value, leader));
};

// ---- on disk and in memory

struct Durable {
  std::int64_t term = 0;
  ServerId voted_for = no_server;
  Log log;
  ZABLAB_FIELDS(Durable, (term, voted_for, log));
};
struct SaveTerm {
  std::int64_t term = 0;
  ServerId voted_for = no_server;
  ZABLAB_NAMED(SaveTerm, "term", (term, voted_for));
};
struct SaveLog {
  std::int64_t after = 0;
  Log entries;
  ZABLAB_NAMED(SaveLog, "log", (after, entries));
};

BOOST_DEFINE_FIXED_ENUM_CLASS(Role, std::uint8_t, FOLLOWER, CANDIDATE, LEADER, CLIENT)
BOOST_DEFINE_FIXED_ENUM_CLASS(TimerKind, std::uint8_t, election, heartbeat, retry)

struct Node {
  ServerId self = 0;
  Role role{};
  Durable saved;  ///< what its disk has
  std::int64_t commit = 0;
  ServerId leader = no_server;  ///< a client's: the server that it asks
  ServerId turn = no_server;    ///< a client's: the last that it has turned to by itself
  std::set<ServerId> votes;     ///< a candidate's
  std::map<ServerId, std::int64_t>
      next;  ///< a leader's: the entry to send, and up to which entry it is there
  std::map<ServerId, std::int64_t> match;
  std::optional<Request> asking;  ///< a client's
  ZABLAB_FIELDS(Node, (self, role, saved, commit, leader, turn, votes, next, match, asking));
};

struct Config {
  std::vector<ServerId> servers;
  bool client = false;
  Millis election_min_ms = 150;  ///< section 9.3
  Millis election_max_ms = 300;
  Millis heartbeat_ms = 50;
  Millis retry_ms = 200;   ///< then a client asks the next server
  std::int64_t batch = 8;  ///< entries of one message
  ZABLAB_FIELDS(Config, (servers, client, election_min_ms, election_max_ms, heartbeat_ms, retry_ms, batch));

  bool isQuorum(std::size_t count) const { return 2 * count > servers.size(); }
  std::string problem() const {
    const bool fits =
        1 <= heartbeat_ms && heartbeat_ms < election_min_ms && election_min_ms <= election_max_ms;
    if (fits && 1 <= retry_ms && 1 <= batch) return "";
    return "1 <= heartbeat_ms < election_min_ms <= election_max_ms, and retry_ms and batch are at least 1";
  }
};

// ---- what can be observed

struct Campaigns {
  static constexpr std::string_view says = "{self} asks for votes in term {term}";
  std::int64_t term = 0;
  ZABLAB_NAMED(Campaigns, "campaigns", (term));
};
struct Voted {
  static constexpr std::string_view says = "{self} votes for {@candidate} in term {term}";
  ServerId candidate = no_server;
  std::int64_t term = 0;
  ZABLAB_NAMED(Voted, "voted", (candidate, term));
};
struct Elected {
  static constexpr std::string_view says = "{self} leads term {term}, with the votes of {@by}";
  std::int64_t term = 0;
  std::set<ServerId> by;
  ZABLAB_NAMED(Elected, "elected", (term, by));
};
struct Committed {
  static constexpr std::string_view says = "{self} knows that {place.term}.{place.index} is committed";
  Place place;
  ZABLAB_NAMED(Committed, "committed", (place));
};
struct Invoked {
  static constexpr std::string_view says = "";
  Request request;
  ZABLAB_NAMED(Invoked, "invoked", (request));
};
struct Answered {
  static constexpr std::string_view says = "{self} is answered by {@by}: {value}";
  std::int64_t number = 0;
  bool read = false;
  std::int64_t value = 0;
  ServerId by = no_server;
  ZABLAB_NAMED(Answered, "answered", (number, read, value, by));
};

// ---- what can be done wrongly

BOOST_DEFINE_FIXED_ENUM_CLASS(Bug, std::uint8_t, none, forgets_its_vote, ignores_logs, trusts_its_leader,
                              commits_other_terms, cuts_its_log, answers_at_once)
struct Rules {
  Bug bug{};
  ZABLAB_FIELDS(Rules, (bug));
};

struct Types {
  using Message = variant<monostate, RequestVote, Vote, Append, Appended, Ask, Reply>;
  using Record = variant<SaveTerm, SaveLog>;
  using Event = variant<Campaigns, Voted, Elected, Committed, Invoked, Answered>;
  using Durable = raft::Durable;
  using TimerKind = raft::TimerKind;
  using Request = raft::Request;
};
struct Family : zablab::FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "raft";
  static constexpr std::string_view text = "Raft: elections by terms, and a replicated log";
  static constexpr std::array links{zablab::LinkSpec{"rpc", zablab::LinkKind::datagram}};

  static Node loaded(const Config&, const Rules&, ServerId self, const Durable& disk);
  static void write(Durable& disk, const Record& record);
  static void step(const Config&, const Rules&, Node&, const Vocabulary::Input&, Vocabulary::Effects&);
};

}  // namespace raft
