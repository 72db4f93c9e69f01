// The protocol `skeleton`, to start from: servers elect a leader by a majority of votes in a term. Nothing
// else; clients ask who leads. docs/adding-a-protocol.md describes the parts.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "protocol/described.h"
#include "protocol/family_base.h"
#include "protocol/rule_tables.h"
#include "protocol/step_context.h"
#include "protocol/variant.h"

namespace skeleton_nodes {

using zablab::Millis, zablab::monostate, zablab::no_server, zablab::ServerId, zablab::variant;

// ---- what scenarios ask of clients: {"client": 101, "who": true}

struct Who {
  ZABLAB_NAMED(Who, "who", ());
};
struct Request {
  std::int64_t number = 0;
  variant<monostate, Who> what;
  ZABLAB_FIELDS(Request, (number, what));
};

// ---- messages. `says` is the text of the arrow; without it the fields are listed

struct AskVote {
  static constexpr std::string_view says = "a vote in term {term}?";
  std::int64_t term = 0;
  ZABLAB_NAMED(AskVote, "ASK_VOTE", (term));
};
struct Vote {
  static constexpr std::string_view says = "a vote in term {term}";
  std::int64_t term = 0;
  ZABLAB_NAMED(Vote, "VOTE", (term));
};
struct Leads {
  static constexpr std::string_view says = "I lead term {term}";
  std::int64_t term = 0;
  ZABLAB_NAMED(Leads, "LEADS", (term));
};
struct AskLeader {
  ZABLAB_NAMED(AskLeader, "ASK_LEADER", ());
};
struct Leader {
  static constexpr std::string_view says = "the leader is {@id}";
  ServerId id = no_server;
  ZABLAB_NAMED(Leader, "LEADER", (id));
};

// ---- what is on disk, what is written there, and what is in memory

struct Durable {
  std::int64_t term = 0;
  ServerId voted_for = no_server;
  ZABLAB_FIELDS(Durable, (term, voted_for));
};
struct SaveTerm {
  std::int64_t term = 0;
  ServerId voted_for = no_server;
  ZABLAB_NAMED(SaveTerm, "term", (term, voted_for));
};

BOOST_DEFINE_FIXED_ENUM_CLASS(Role, std::uint8_t, FOLLOWER, CANDIDATE, LEADER, CLIENT)
BOOST_DEFINE_FIXED_ENUM_CLASS(TimerKind, std::uint8_t, election, heartbeat, retry)

struct Node {
  ServerId self = 0;
  Role role{};
  Durable saved;
  ServerId leader = no_server;
  std::set<ServerId> votes;       ///< a candidate's
  std::optional<Request> asking;  ///< a client's
  ServerId asked = no_server;     ///< a client's: the server that it has asked last
  ZABLAB_FIELDS(Node, (self, role, saved, leader, votes, asking, asked));
};

struct Config {
  std::vector<ServerId> servers;
  bool client = false;
  Millis election_min_ms = 150;
  Millis election_max_ms = 300;
  Millis heartbeat_ms = 50;
  ZABLAB_FIELDS(Config, (servers, client, election_min_ms, election_max_ms, heartbeat_ms));

  /// What is wrong with it; empty: nothing.
  std::string problem() const {
    if (1 <= heartbeat_ms && heartbeat_ms < election_min_ms && election_min_ms <= election_max_ms) return "";
    return "1 <= heartbeat_ms < election_min_ms <= election_max_ms";
  }
};

// ---- what can be observed

struct Campaigns {
  static constexpr std::string_view says = "{self} asks for votes in term {term}";
  std::int64_t term = 0;
  ZABLAB_NAMED(Campaigns, "campaigns", (term));
};
struct Elected {
  static constexpr std::string_view says = "{self} leads term {term}, with the votes of {@by}";
  std::int64_t term = 0;
  std::set<ServerId> by;
  ZABLAB_NAMED(Elected, "elected", (term, by));
};
struct Answered {
  static constexpr std::string_view says = "{self} is told that {@leader} leads";
  std::int64_t number = 0;  ///< the request's
  ServerId leader = no_server;
  ZABLAB_NAMED(Answered, "answered", (number, leader));
};

// ---- rules: the first value of each is the right one

BOOST_DEFINE_FIXED_ENUM_CLASS(LastVote, std::uint8_t, kept, forgotten)
struct Rules {
  LastVote last_vote{};
  ZABLAB_FIELDS(Rules, (last_vote));
};

struct Types {
  using Message = variant<monostate, AskVote, Vote, Leads, AskLeader, Leader>;
  using Record = variant<SaveTerm>;
  using Event = variant<Campaigns, Elected, Answered>;
  using Durable = skeleton_nodes::Durable;
  using TimerKind = skeleton_nodes::TimerKind;
  using Request = skeleton_nodes::Request;
};
struct Family : zablab::FamilyBase<Types, Config, Rules, Node> {
  static constexpr std::string_view name = "skeleton";
  static constexpr std::string_view text = "a leader by a majority of votes";
  static constexpr std::array links{zablab::LinkSpec{"net", zablab::LinkKind::datagram}};

  static Node loaded(const Config&, const Rules&, ServerId self, const Durable& disk);
  static void write(Durable& disk, const Record& record);
  static void step(const Config&, const Rules&, Node&, const Vocabulary::Input&, Vocabulary::Effects&);
};

}  // namespace skeleton_nodes
