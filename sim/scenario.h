// A scenario: who there is, what they start with, what is done to them and what must be seen.
// docs/scenarios.md teaches it by example; these structs are its only definition, for reading, for the schema
// and for `zablab new`.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vocabulary.h"
#include "sim/action.h"
#include "sim/json.h"
#include "sim/json_reflect.h"

namespace zablab {

/// Between two actions of a run that is led by hand.
inline constexpr Millis action_every_ms = 10;

/// What a scenario may have at most.
inline constexpr std::size_t servers_max = 31;
inline constexpr std::size_t clients_max = 31;
/// Of a time, and of a choice, which is a time too.
inline constexpr Millis time_max = Millis{1000} * 60 * 60 * 24 * 365;

/// One server's id, or several.
struct Ids {
  std::vector<ServerId> list;
};
template <>
struct JsonCodec<Ids> {
  static Json write(const Ids& ids);
  static Ids read(const JsonValue& value);
  static Json schema();
};

/// A span of virtual time, both ends included; `true` in JSON is the whole run.
struct Span {
  Millis from = 0;
  Millis to = std::numeric_limits<Millis>::max();
};
template <>
struct JsonCodec<Span> {
  static Json write(const Span& span);
  static Span read(const JsonValue& value);
  static Json schema();
};

/// Fields that an event of a trace must have. `kind` and `node` are the event's own; every other key names a
/// field of its data, or of the content of its message.
struct EventPattern {
  JsonValue fields;
};
template <>
struct JsonCodec<EventPattern> {
  static Json write(const EventPattern& pattern) { return pattern.fields.plain(); }
  static EventPattern read(const JsonValue& value);
  static Json schema();
};

struct ServerSpec {
  ServerId id = 0;
  std::string name;            ///< in pictures; the id by default
  std::string role = "voter";  ///< or "observer"; "client" for what `clients` lists
  std::int64_t weight = 1;
  std::optional<std::int64_t> group = std::nullopt;
  bool scripted = false;            ///< no process: the scenario speaks for it
  bool down = false;                ///< it does not run from the beginning
  std::optional<Ids> view;          ///< the members it knows; all by default
  std::optional<JsonValue> config;  ///< fields in which it is configured differently
  std::optional<JsonValue> disk;    ///< what its disk holds
  std::optional<JsonValue> state;   ///< it runs already, in this state
  static constexpr std::array required{"id"};
};
BOOST_DESCRIBE_STRUCT(ServerSpec, (),
                      (id, name, role, weight, group, scripted, down, view, config, disk, state))

/// The servers, or how many there are: 3 stands for ids 1, 2, 3.
struct Servers {
  std::vector<ServerSpec> list;
};
template <>
struct JsonCodec<Servers> {
  static Json write(const Servers& servers);
  static Servers read(const JsonValue& value);
  static Json schema();
};

/// A client: it asks one server at a time.
struct ClientSpec {
  ServerId id = 0;
  std::string name;                ///< in pictures; "client" and the id by default
  std::optional<ServerId> server;  ///< whom it turns to first
  static constexpr std::array required{"id"};
};
BOOST_DESCRIBE_STRUCT(ClientSpec, (), (id, name, server))

/// Low and high end of a latency; one number is both.
struct RangeSpec {
  Millis lo = 1;
  Millis hi = 10;
};
template <>
struct JsonCodec<RangeSpec> {
  static Json write(const RangeSpec& range);
  static RangeSpec read(const JsonValue& value);
  static Json schema();
};

struct SlowWay {
  ServerId from = 0;
  ServerId to = 0;
  RangeSpec latency_ms;
  static constexpr std::array required{"from", "to", "latency_ms"};
};
BOOST_DESCRIBE_STRUCT(SlowWay, (), (from, to, latency_ms))

/// What becomes of messages on datagram links: of a thousand, so many are lost, and so many come twice.
struct DatagramSpec {
  std::int64_t lost_permille = 0;
  std::int64_t doubled_permille = 0;
  Millis until = time_max;  ///< of those that are sent before
};
BOOST_DESCRIBE_STRUCT(DatagramSpec, (), (lost_permille, doubled_permille, until))

struct TimingSpec {
  RangeSpec latency_ms;
  RangeSpec dial_ms;
  RangeSpec fsync_ms;
  Millis connect_timeout_ms = 5000;
  std::vector<SlowWay> slow;
  std::optional<DatagramSpec> datagrams;
};
BOOST_DESCRIBE_STRUCT(TimingSpec, (), (latency_ms, dial_ms, fsync_ms, connect_timeout_ms, slow, datagrams))

/// A place in what happens.
struct When {
  EventPattern event;
  std::int64_t nth = 1;
  std::string edge = "after";  ///< or "before": just before a write or a send; or "during" a write
  Millis plus = 0;             ///< so much later
  Millis from = 0;             ///< virtual time from which on events count
  std::optional<Millis> by;    ///< virtual time after which it is no longer waited for
  static constexpr std::array required{"event"};
};
BOOST_DESCRIBE_STRUCT(When, (), (event, nth, edge, plus, from, by))

struct Way {
  ServerId from = 0;
  ServerId to = 0;
  static constexpr std::array required{"from", "to"};
};
BOOST_DESCRIBE_STRUCT(Way, (), (from, to))

/// Everything, or one way.
struct WayOrAll {
  std::optional<Way> way;
};
template <>
struct JsonCodec<WayOrAll> {
  static Json write(const WayOrAll& way);
  static WayOrAll read(const JsonValue& value);
  static Json schema();
};

struct BreakSpec {
  std::string link;
  std::vector<ServerId> between;
  bool lose = false;  ///< what was under way is lost
  static constexpr std::array required{"link", "between"};
};
BOOST_DESCRIBE_STRUCT(BreakSpec, (), (link, between, lose))

/// Messages on one way: all, or those with these fields.
struct Selector {
  std::string link;
  ServerId from = 0;
  ServerId to = 0;
  std::optional<JsonValue> message;
  static constexpr std::array required{"link", "from", "to"};
};
BOOST_DESCRIBE_STRUCT(Selector, (), (link, from, to, message))

struct SendSpec {
  std::string link;
  ServerId from = 0;  ///< a scripted server
  ServerId to = 0;
  JsonValue message;
  std::int64_t repeat = 1;
  static constexpr std::array required{"link", "from", "to", "message"};
};
BOOST_DESCRIBE_STRUCT(SendSpec, (), (link, from, to, message, repeat))

struct DiskSpec {
  ServerId server = 0;
  std::string fault;   ///< "error": the next write fails; "stall": syncs wait; "resume": no longer; "none":
                       ///< all is well
  std::string record;  ///< error: only a record of this kind
  static constexpr std::array required{"server", "fault"};
};
BOOST_DESCRIBE_STRUCT(DiskSpec, (), (server, fault, record))

struct SetSpec {
  ServerId server = 0;
  JsonValue state;
  static constexpr std::array required{"server", "state"};
};
BOOST_DESCRIBE_STRUCT(SetSpec, (), (server, state))

struct ClockSpec {
  ServerId server = 0;
  std::int64_t permille = 1000;  ///< of virtual time that its clock takes for a second of its own
  static constexpr std::array required{"server", "permille"};
};
BOOST_DESCRIBE_STRUCT(ClockSpec, (), (server, permille))

/// What a client is told to ask: its key in a step is a word of the family (Binding<F>::request_words).
struct AskSpec {
  ServerId client = 0;
  std::optional<std::int64_t> value = std::nullopt;     ///< by default the number of the request in this run
  std::optional<ServerId> server = std::nullopt;        ///< for a word that names one
  std::optional<std::int64_t> expected = std::nullopt;  ///< for a word that compares: the value to replace
  std::optional<std::int64_t> clock = std::nullopt;     ///< for a word that reads it: what the client's shows
  std::int64_t repeat = 1;
  Millis every = 0;  ///< pause between repetitions
  static constexpr std::array required{"client"};
};
BOOST_DESCRIBE_STRUCT(AskSpec, (), (client, value, server, expected, clock, repeat, every))

/// One thing done to the servers: when, and exactly one of the rest.
struct StepSpec {
  std::optional<Millis> at;     ///< virtual time
  std::optional<Millis> after;  ///< so long after the step before was done
  std::optional<When> when;

  std::optional<Ids> start;
  std::optional<Ids> stop;
  std::optional<Ids> kill;
  std::optional<Ids> crash;  ///< a kill that loses what was sent and not read yet
  std::optional<Ids> power_loss;
  std::optional<std::int64_t>
      keep;  ///< of a power loss: so many unsynced writes reach the disk; 0 by default
  std::optional<Ids> pause;
  std::optional<Ids> resume;
  std::optional<Ids> wipe;
  std::optional<Ids> look;  ///< look for a leader again
  std::optional<std::vector<std::vector<ServerId>>> partition;
  std::optional<Way> cut;
  std::optional<WayOrAll> heal;
  std::optional<BreakSpec> break_;
  std::optional<Selector> hold;
  std::optional<Selector> release;
  std::optional<Selector> drop;
  std::optional<Selector> repeat;
  std::optional<SendSpec> send;
  std::optional<DiskSpec> disk;
  std::optional<SetSpec> set;
  std::optional<ClockSpec> clock;
  std::optional<std::string> note;

  std::string word;            ///< any other key, with an object that has a `client`
  std::optional<AskSpec> ask;  ///< its value
  using Other = AskSpec;
  bool takeOther(const JsonValue& member);
  void writeOther(Json& step) const;
};
BOOST_DESCRIBE_STRUCT(StepSpec, (),
                      (at, after, when, start, stop, kill, crash, power_loss, keep, pause, resume, wipe, look,
                       partition, cut, heal, break_, hold, release, drop, repeat, send, disk, set, clock,
                       note))

/// One action of a run that is led by hand. `from` and `to` name a message's or a connection's ends, `server`
/// whom everything else is done to.
struct ActionSpec {
  std::string do_;   ///< an action's name: deliver, fire, sync, kill ...
  std::string link;  ///< deliver, dial, give_up, drop, duplicate
  std::optional<ServerId> from;
  std::optional<ServerId> to;
  std::optional<ServerId> server;
  std::string timer;                     ///< fire: its kind
  std::optional<ServerId> peer;          ///< fire: whom it is about
  std::optional<JsonValue> key;          ///< fire: what it is about, where timers are not kept for peers
  bool lose = false;                     ///< kill, dies, disrupt: what was sent and nobody has read is lost
  std::optional<std::int64_t> keep;      ///< lose_power: so many of the unsynced writes are on the disk
  std::optional<JsonValue> message;      ///< deliver, drop, duplicate: which one, where they have no order
  std::optional<std::int64_t> value;     ///< ask: of the write
  std::string operation;                 ///< ask: what a client does; by default what is asked most, a write
  std::optional<std::int64_t> expected;  ///< ask: of a comparison
  std::optional<std::int64_t> clock;     ///< ask: what the client's clock shows
  std::optional<std::int64_t>
      number;                      ///< ask: of the request; by default how many there were before, and one
  std::optional<Millis> age;       ///< tell_age: so long ago; left out: never
  std::optional<CrashPoint> dies;  ///< what the action brings about breaks off there
  static constexpr std::array required{"do"};
};
BOOST_DESCRIBE_STRUCT(ActionSpec, (),
                      (do_, link, from, to, server, timer, peer, key, lose, keep, message, value, operation,
                       expected, clock, number, age, dies))

/// How often something must be seen.
struct Count {
  std::int64_t min = 1;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};
template <>
struct JsonCodec<Count> {
  static Json write(const Count& count);
  static Count read(const JsonValue& value);
  static Json schema();
};

/// What goes from one server to another, in order. `exactly`: these and no others; `contains`: these, others
/// between.
struct PacketsSpec {
  ServerId from = 0;
  ServerId to = 0;
  std::string link;
  std::optional<std::vector<EventPattern>> exactly;
  std::optional<std::vector<EventPattern>> contains;
  static constexpr std::array required{"from", "to"};
};
BOOST_DESCRIBE_STRUCT(PacketsSpec, (), (from, to, link, exactly, contains))

struct EqualSpec {
  std::vector<ServerId> servers;
  std::string field;  ///< a path into the state, as in "disk.log"
  static constexpr std::array required{"servers", "field"};
};
BOOST_DESCRIBE_STRUCT(EqualSpec, (), (servers, field))

struct InvariantSpec {
  std::string name;
  std::string verdict = "held";  ///< or "violated", "not exercised"
  static constexpr std::array required{"name"};
};
BOOST_DESCRIBE_STRUCT(InvariantSpec, (), (name, verdict))

/// What must be seen: one place in time and one thing.
struct ExpectSpec {
  std::optional<Millis> at;  ///< when everything of this instant is done
  std::optional<Millis> by;  ///< at this time or before
  std::optional<Span> always;
  std::optional<Span> never;
  std::optional<Span> not_within;
  bool finally_ = false;                 ///< at the end of the run
  std::optional<EventPattern> at_event;  ///< at every such event, of which there is one at least

  std::optional<Ids> server;  ///< whose state
  std::optional<JsonValue> state;
  std::optional<EventPattern> event;
  std::optional<Count> count;  ///< of events
  std::optional<PacketsSpec> packets;
  std::optional<EqualSpec> equal;
  std::optional<InvariantSpec> invariant;
  std::vector<ExpectSpec> any_of;

  std::string because;  ///< the document's lines, or the rule's source
};
BOOST_DESCRIBE_STRUCT(ExpectSpec, (),
                      (at, by, always, never, not_within, finally_, at_event, server, state, event, count,
                       packets, equal, invariant, any_of, because))

/// What breaks at least one expectation: exactly one of these.
struct FailsWith {
  std::string mutation;
  std::string rule;  ///< "name=value"
  std::string variant;
};
BOOST_DESCRIBE_STRUCT(FailsWith, (), (mutation, rule, variant))

/// What scenarios and models have in common: what it is about, who there is, and what they obey.
struct Setting {
  std::string kind;
  std::string name;
  std::string about;
  std::vector<std::string> claims;  ///< ids of the documents' claims
  std::string because;
  std::string protocol;  ///< empty: the first one that there is
  std::string variant;   ///< empty: the family's default
  std::map<std::string, std::string> rules;
  std::vector<std::string> mutations;
  std::optional<JsonValue> config;  ///< fields of every server's configuration
  std::optional<Servers> servers;   ///< with what their disks hold
  std::vector<ClientSpec> clients;
  std::map<std::string, LinkKind> links;  ///< slot links that run on datagrams here
};
BOOST_DESCRIBE_STRUCT(Setting, (),
                      (kind, name, about, claims, because, protocol, variant, rules, mutations, config,
                       servers, clients, links))

struct Scenario : Setting {
  Scenario() { kind = "scenario"; }

  std::optional<std::uint64_t> seed;
  std::optional<std::string> zoo_cfg;  ///< a zoo.cfg's text: the servers and their configuration
  TimingSpec timing;
  bool connected = false;                  ///< slot links are connected from the start
  std::optional<Millis> restart_after_ms;  ///< a process that ends by itself is started again so much later
  std::map<std::string, std::uint64_t> choices;  ///< addresses that take these values
  std::vector<StepSpec> steps;
  std::vector<ActionSpec> actions;  ///< where there are any, these alone happen, one every 10 ms
  Millis until = 0;                 ///< virtual time at which the run ends
  std::vector<ExpectSpec> expect;
  std::vector<FailsWith> fails_with;
  bool fails = false;  ///< with its mutations, rules or variant an expectation fails, and without none does
  static constexpr std::array required{"kind", "name", "until"};
};
BOOST_DESCRIBE_STRUCT(Scenario, (Setting),
                      (seed, zoo_cfg, timing, connected, restart_after_ms, choices, steps, actions, until,
                       expect, fails_with, fails))

/// Without what is under suspicion: the mutations, or else the single rules, or else the variant.
Scenario unchanged(Scenario scenario);

/// The clients of a scenario as the world has them: behind its servers, with the role "client".
std::vector<ServerSpec> clientsOf(const Scenario& scenario);

/// Reads a scenario and checks what its structs cannot say. Throws InputError.
Scenario readScenario(const JsonValue& document);
/// Checks that steps and expectations make sense and name `servers` alone. readScenario does it where the
/// scenario lists its servers itself. Throws InputError.
void checkStepsAndExpectations(const Scenario& scenario, const JsonValue& document,
                               const std::vector<ServerSpec>& servers);

/// Checks the numbers of a node's state, a disk or a message: far from where counting on would overflow. The
/// smallest number there is may stand there, for it stands for nobody. Throws InputError.
void checkNumbers(const JsonValue& value);

/// Whether an event has what the pattern asks for.
struct TraceEvent;
bool matches(const EventPattern& pattern, const TraceEvent& event);
/// Whether `value` has at least what `pattern` has: objects by key, lists element by element, the rest equal.
bool covers(const Json& value, const Json& pattern);

}  // namespace zablab
