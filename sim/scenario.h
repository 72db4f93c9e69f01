// A scenario: the servers and clients, their initial state, what is done to them and what must be observed.
// docs/scenarios.md explains it by example; these structs are its only definition, for reading, for the
// schema and for `zablab new`.
#pragma once

#include <algorithm>
#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/variant.h"
#include "protocol/vocabulary.h"
#include "sim/action.h"
#include "sim/json.h"
#include "sim/json_reflect.h"

namespace zablab {

/// Time between two actions of a run whose actions are listed.
inline constexpr Millis action_every_ms = 10;

/// The limits of a scenario. Monitors have a bit for each server in a word.
inline constexpr std::size_t servers_max = 31;
inline constexpr std::size_t clients_max = 10'000;
/// Of a time, and of a choice, which may be a time.
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

/// Fields that an event of a trace must have. `kind` and `node` are fields of the event itself; every other
/// key names a field of its data, or of the content of its message.
struct EventPattern {
  JsonValue fields;
};
template <>
struct JsonCodec<EventPattern> {
  static Json write(const EventPattern& pattern) { return pattern.fields.plain(); }
  static EventPattern read(const JsonValue& value);
  static Json schema();
};

/// Members of an object that the family reads (sim/asks.h): only the family knows their keys.
using OwnMembers = std::vector<JsonValue>;
bool takeOwn(OwnMembers& own, const JsonValue& member);  ///< always true
void writeOwn(const OwnMembers& own, Json& object);

struct ServerSpec {
  ServerId id = 0;
  std::string name;                 ///< in pictures; the id by default
  bool scripted = false;            ///< no process: the scenario sends its messages
  bool down = false;                ///< it does not run from the beginning
  std::optional<JsonValue> config;  ///< fields of its configuration that differ
  std::optional<JsonValue> disk;    ///< what its disk holds
  std::optional<JsonValue> state;   ///< it already runs, in this state
  OwnMembers own;                   ///< Binding<F>::ServerFields
  bool client = false;              ///< created from an entry of `clients`
  static constexpr const char* schema_name = "server";
  static constexpr std::array required{"id"};
  using Other = JsonValue;
  bool takeOther(const JsonValue& member);
  void writeOther(Json& server) const;
};
BOOST_DESCRIBE_STRUCT(ServerSpec, (), (id, name, scripted, down, config, disk, state))

/// The servers, or their number: 3 means ids 1, 2, 3.
struct Servers {
  std::vector<ServerSpec> list;
};
template <>
struct JsonCodec<Servers> {
  static Json write(const Servers& servers);
  static Servers read(const JsonValue& value);
  template <class Builder>
  static Json schema(Builder& builder);
};

/// A client: it sends requests to one server at a time.
struct ClientSpec {
  ServerId id = 0;
  std::string name;                ///< in pictures; by default "client" and the id
  std::optional<ServerId> server;  ///< the server it turns to first
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

/// The fate of messages on datagram links: how many of a thousand are lost, and how many arrive twice.
struct DatagramSpec {
  std::int64_t lost_permille = 0;
  std::int64_t doubled_permille = 0;
  Millis until = time_max;  ///< applies to messages sent before this time
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

/// A place in the sequence of events.
struct When {
  EventPattern event;
  std::int64_t nth = 1;
  std::string edge = "after";  ///< or "before": just before a write or a send; or "during" a write
  Millis plus = 0;             ///< this much later
  Millis from = 0;             ///< virtual time from which on events count
  std::optional<Millis> by;    ///< virtual time after which the wait ends
  static constexpr std::array required{"event"};
};
BOOST_DESCRIBE_STRUCT(When, (), (event, nth, edge, plus, from, by))

struct Way {
  ServerId from = 0;
  ServerId to = 0;
  static constexpr std::array required{"from", "to"};
};
BOOST_DESCRIBE_STRUCT(Way, (), (from, to))

/// Everything, or one direction.
struct WayOrAll {
  std::optional<Way> way;
};
template <>
struct JsonCodec<WayOrAll> {
  static Json write(const WayOrAll& way);
  static WayOrAll read(const JsonValue& value);
  template <class Builder>
  static Json schema(Builder& builder);
};

struct BreakSpec {
  std::string link;
  std::vector<ServerId> between;
  bool lose = false;  ///< what was in transit is lost
  static constexpr std::array required{"link", "between"};
};
BOOST_DESCRIBE_STRUCT(BreakSpec, (), (link, between, lose))

/// Messages in one direction: all, or those with these fields.
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

/// A power loss of some servers, or of one.
struct PowerLossSpec {
  Ids servers;
  std::int64_t keep = 0;  ///< how many unsynced writes reach the disk
};
template <>
struct JsonCodec<PowerLossSpec> {
  static Json write(const PowerLossSpec& spec);
  static PowerLossSpec read(const JsonValue& value);
  static Json schema();
};

struct DiskSpec {
  ServerId server = 0;
  std::string fault;  ///< "error": the next write fails; "stall": syncs wait; "resume": syncs no longer wait;
                      ///< "none": no fault
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
  std::int64_t permille = 1000;  ///< virtual milliseconds per second of its own clock
  static constexpr std::array required{"server", "permille"};
};
BOOST_DESCRIBE_STRUCT(ClockSpec, (), (server, permille))

/// One action of a run whose actions are listed. `from` and `to` name the ends of a message or a connection,
/// `server` the server that any other action applies to.
struct ActionSpec {
  std::string do_;   ///< an action's name: deliver, fire, sync, kill ...
  std::string link;  ///< deliver, dial, give_up, drop, duplicate
  std::optional<ServerId> from;
  std::optional<ServerId> to;
  std::optional<ServerId> server;
  std::string timer;                 ///< fire: its kind
  std::optional<ServerId> peer;      ///< fire: the peer it is about
  std::optional<JsonValue> key;      ///< fire: the key it is about, if timers are not kept per peer
  bool lose = false;                 ///< kill, dies, disrupt: what was sent and not yet read is lost
  std::optional<std::int64_t> keep;  ///< lose_power: how many of the unsynced writes are on the disk
  std::optional<JsonValue> message;  ///< deliver, drop, duplicate: which one, if they have no order
  std::optional<JsonValue> ask;      ///< ask: the family's own keys, as in a step
  /// ask: of the request; by default one more than the number of requests before
  std::optional<std::int64_t> number;
  std::optional<Millis> age;       ///< tell_age: how long ago; omitted: never
  std::optional<CrashPoint> dies;  ///< the step that the action causes breaks off there
  static constexpr std::array required{"do"};
  static constexpr std::array former{Renamed{"operation", "ask"}, Renamed{"value", "ask"},
                                     Renamed{"expected", "ask"}, Renamed{"clock", "ask"}};
};
BOOST_DESCRIBE_STRUCT(ActionSpec, (),
                      (do_, link, from, to, server, timer, peer, key, lose, keep, message, ask, number, age,
                       dies))

// ---- what a step may do

/// A step's word, as a template's argument.
template <std::size_t N>
struct StepWord {
  constexpr StepWord(const char (&word)[N]) { std::copy_n(word, N, text); }
  char text[N]{};
};

/// One action of a step: its word, which is its key, and what it applies to.
template <StepWord step_word, class With>
struct Doing {
  static constexpr std::string_view word = step_word.text;
  With with;
};

namespace step {

using Start = Doing<"start", Ids>;
using Stop = Doing<"stop", Ids>;
using Kill = Doing<"kill", Ids>;
using Crash = Doing<"crash", Ids>;  ///< a kill that loses what was sent and not read yet
using PowerLoss = Doing<"power_loss", PowerLossSpec>;
using Pause = Doing<"pause", Ids>;
using Resume = Doing<"resume", Ids>;
using Wipe = Doing<"wipe", Ids>;
using Prompt = Doing<"prompt", Ids>;  ///< they do now what they would do by themselves eventually
using Partition = Doing<"partition", std::vector<std::vector<ServerId>>>;
using Cut = Doing<"cut", Way>;
using Heal = Doing<"heal", WayOrAll>;
using Break = Doing<"break", BreakSpec>;
using Hold = Doing<"hold", Selector>;
using Release = Doing<"release", Selector>;
using Drop = Doing<"drop", Selector>;
using Repeat = Doing<"repeat", Selector>;
using Send = Doing<"send", SendSpec>;
using Disk = Doing<"disk", DiskSpec>;
using Set = Doing<"set", SetSpec>;
using Clock = Doing<"clock", ClockSpec>;
using Early = Doing<"action", ActionSpec>;  ///< what would happen by itself later (happensByItself)
using Note = Doing<"note", std::string>;

/// A request to a client, or to a server itself: the key `client` or `server` names it, the family's own keys
/// describe the request (Binding<F>::Asks).
struct Ask {
  ServerId who = 0;
  bool client = true;
  OwnMembers what;
  std::int64_t times = 1;
  Millis every = 0;     ///< pause between repetitions
  bool closed = false;  ///< each is made when the one before has ended, and the pause is over
};

}  // namespace step

/// One action on the servers, and its time.
struct StepSpec {
  std::optional<Millis> at;     ///< virtual time
  std::optional<Millis> after;  ///< this long after the previous step was done
  std::optional<When> when;

  using Does = variant<monostate, step::Start, step::Stop, step::Kill, step::Crash, step::PowerLoss,
                       step::Pause, step::Resume, step::Wipe, step::Prompt, step::Partition, step::Cut,
                       step::Heal, step::Break, step::Hold, step::Release, step::Drop, step::Repeat,
                       step::Send, step::Disk, step::Set, step::Clock, step::Early, step::Note, step::Ask>;
  Does does;

  template <class T>
  bool is() const {
    return holds_alternative<T>(does);
  }
  template <class T>
  T* as() {
    return get_if<T>(&does);
  }
  template <class T>
  const T* as() const {
    return get_if<T>(&does);
  }
};
template <>
struct JsonCodec<StepSpec> {
  static Json write(const StepSpec& step);
  static StepSpec read(const JsonValue& value);
  template <class Builder>
  static Json schema(Builder& builder);
  /// Every key of a step that is not the family's own.
  static std::vector<std::string> keys();
};

template <class Builder>
Json JsonCodec<Servers>::schema(Builder& builder) {
  Json count{{"type", "integer"}, {"minimum", 1}, {"maximum", servers_max}};
  return {{"oneOf", Json::array({std::move(count), builder.template schema<std::vector<ServerSpec>>()})}};
}

template <class Builder>
Json JsonCodec<WayOrAll>::schema(Builder& builder) {
  return {{"oneOf", Json::array({{{"const", true}}, builder.template schema<Way>()})}};
}

/// Calls `visit.template operator()<T>()` for each action of a step that has its own word.
template <class Visit>
void forEachDoing(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<
      std::type_identity, boost::mp11::mp_rename<StepSpec::Does, boost::mp11::mp_list>>>([&](auto identity) {
    using T = typename decltype(identity)::type;
    if constexpr (requires { T::word; }) visit.template operator()<T>();
  });
}

template <class Builder>
Json JsonCodec<StepSpec>::schema(Builder& builder) {
  Json properties = Json::object();
  properties["at"] = properties["after"] = builder.template schema<Millis>();
  properties["when"] = builder.template schema<When>();
  forEachDoing(
      [&]<class T>() { properties[std::string(T::word)] = builder.template schema<decltype(T::with)>(); });
  properties["client"] = properties["server"] = builder.template schema<ServerId>();
  properties["times"] = properties["every"] = builder.template schema<Millis>();
  properties["closed"] = builder.template schema<bool>();
  Json step{{"type", "object"}, {"properties", std::move(properties)}};
  step["additionalProperties"] = Json::object();
  return step;
}

/// The servers that a step names in one list, as in steps that apply to one after the other; null for any
/// other step.
Ids* idsOf(StepSpec& step);
const Ids* idsOf(const StepSpec& step);

/// How often something must be observed.
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

/// What is sent from one server to another, in order. `exactly`: these and no others; `contains`: these,
/// possibly with others between them.
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

/// What must be observed: one place in time and one condition.
struct ExpectSpec {
  std::optional<Millis> at;  ///< after everything of this instant is done
  std::optional<Millis> by;  ///< at this time or before
  std::optional<Span> always;
  std::optional<Span> never;
  std::optional<Span> not_within;
  bool finally_ = false;                 ///< at the end of the run
  std::optional<EventPattern> at_event;  ///< at every such event, of which there is at least one

  std::optional<Ids> server;  ///< the server whose state is checked
  std::optional<JsonValue> state;
  std::optional<EventPattern> event;
  std::optional<Count> count;  ///< of events
  /// The first event of each pattern comes after the first one of the pattern before it.
  std::vector<EventPattern> order;
  std::optional<PacketsSpec> packets;
  std::optional<EqualSpec> equal;
  std::optional<InvariantSpec> invariant;
  std::vector<ExpectSpec> any_of;

  std::string because;  ///< the lines of the document, or the source of the rule
};
BOOST_DESCRIBE_STRUCT(ExpectSpec, (),
                      (at, by, always, never, not_within, finally_, at_event, server, state, event, count,
                       order, packets, equal, invariant, any_of, because))

/// What makes at least one expectation fail: at most one of the first three, and in a scenario also steps.
struct FailsWith {
  std::string mutation;
  std::string rule;  ///< "name=value", or several with ", " between them
  std::string variant;
  std::vector<StepSpec> steps;  ///< these happen, too
};
BOOST_DESCRIBE_STRUCT(FailsWith, (), (mutation, rule, variant, steps))

/// What a reader is asked to reach by changing the run.
struct Exercise {
  std::map<std::string, std::string> task;  ///< in words, by language: `en`, `zh`
  /// Of the changed run. This run does not meet all of it.
  std::vector<ExpectSpec> expect;
  std::vector<FailsWith> solved_with;  ///< changes, each of which is enough
  static constexpr std::array required{"task", "expect"};
};
BOOST_DESCRIBE_STRUCT(Exercise, (), (task, expect, solved_with))

/// What scenarios and models have in common: the description, the servers and clients, and their rules.
struct Setting {
  std::string kind;
  std::string name;
  std::string about;
  std::vector<std::string> claims;  ///< ids of the documents' claims
  std::string because;
  std::string protocol;  ///< empty: the first of those that exist
  std::string variant;   ///< empty: the family's default
  std::map<std::string, std::string> rules;
  std::vector<std::string> mutations;
  std::optional<JsonValue> config;  ///< fields of every server's configuration
  std::optional<Servers> servers;   ///< including what their disks hold
  std::vector<ClientSpec> clients;
  std::map<std::string, LinkKind> links;  ///< slot links that run on datagrams here
  OwnMembers own;                         ///< Binding<F>::ScenarioFields
  using Other = JsonValue;
  bool takeOther(const JsonValue& member);
  void writeOther(Json& setting) const;
};
BOOST_DESCRIBE_STRUCT(Setting, (),
                      (kind, name, about, claims, because, protocol, variant, rules, mutations, config,
                       servers, clients, links))

/// What a scenario says about itself, in another language.
struct Translation {
  std::string name, about;
};
BOOST_DESCRIBE_STRUCT(Translation, (), (name, about))

/// Alternatives. Each has, for `every` server, for `some` server, or for that with an id (also a client's), a
/// pattern or a list of patterns of which one is enough; a state is one of these if all of an alternative is
/// so.
using StatesSpec = std::vector<std::map<std::string, JsonValue>>;

/// The last actions of a run that can go on for ever: they lead back to the state in which they begin.
struct LoopSpec {
  std::int64_t from =
      0;  ///< the first of them, from 0; as many as there are actions: nothing has to happen any more
  std::int64_t times = 2;             ///< how often they are done
  std::optional<StatesSpec> without;  ///< from the first of them on none of these states is met
  static constexpr std::int64_t times_max = 1000;
  static constexpr std::array required{"from"};
};
BOOST_DESCRIBE_STRUCT(LoopSpec, (), (from, times, without))

struct Scenario : Setting {
  Scenario() { kind = "scenario"; }

  std::optional<std::uint64_t> seed;
  TimingSpec timing;
  bool connected = false;                  ///< slot links are connected from the start
  std::optional<Millis> restart_after_ms;  ///< a process that ends by itself is started again after this time
  std::map<std::string, std::uint64_t> choices;  ///< addresses that take these values
  std::vector<StepSpec> steps;
  std::vector<ActionSpec> actions;  ///< if there are any, only these happen, one every 10 ms
  std::optional<LoopSpec> loop;     ///< of the actions
  Millis until = 0;                 ///< virtual time at which the run ends
  std::vector<ExpectSpec> expect;
  std::optional<Exercise> exercise;
  std::map<std::string, Translation> translations;  ///< by the language, as "zh"
  std::vector<FailsWith> fails_with;
  /// With its mutations, rules or variant an expectation fails, and without them none does.
  bool fails = false;

  /// Whether only actions happen; a loop may be one of none.
  bool isByActions() const { return !actions.empty() || loop.has_value(); }
  static constexpr const char* schema_name = "scenario";
  static constexpr std::array required{"kind", "name", "until"};
};
BOOST_DESCRIBE_STRUCT(Scenario, (Setting),
                      (seed, timing, connected, restart_after_ms, choices, steps, actions, loop, until,
                       expect, exercise, translations, fails_with, fails))

/// The scenario without what is suspected: the mutations, or else the single rules, or else the variant.
Scenario unchanged(Scenario scenario);

/// The clients of a scenario as the world has them, after its servers.
std::vector<ServerSpec> clientsOf(const Scenario& scenario);

/// Reads a scenario and checks what its structs cannot express. Throws InputError.
Scenario readScenario(const JsonValue& document);
/// The keys of a scenario that are not the family's own.
std::vector<std::string> scenarioKeys();
/// Checks that steps and expectations make sense and name only `servers`. Throws InputError.
void checkStepsAndExpectations(const Scenario& scenario, const JsonValue& document,
                               const std::vector<ServerSpec>& servers);

/// Checks the numbers of a node's state, a disk or a message: far from values from which counting could
/// overflow. The smallest possible number is permitted, because it means no server. Throws InputError.
void checkNumbers(const JsonValue& value);

/// Whether an event matches the pattern.
struct TraceEvent;
bool matches(const EventPattern& pattern, const TraceEvent& event);
/// What a value or a pattern has where a field is absent, and instead of the id of a server: null; earlier
/// versions wrote the number `no_server` for the latter.
bool isNobody(const Json& value);
/// The id of a server in a trace; null: `no_server`.
ServerId serverIn(const Json& value);
/// Whether `value` has at least what `pattern` has: objects by key, lists element by element, other values by
/// equality.
bool covers(const Json& value, const Json& pattern);

// Compiled in sim/scenario.cc.
extern template const json_detail::StructType& json_detail::structTypeOf<Scenario>();
extern template const json_detail::Type& json_detail::typeOf<StepSpec>();

}  // namespace zablab
