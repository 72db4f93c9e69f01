// The smallest protocol that exercises everything: clients send numbers to servers, over datagrams,
// repeatedly to each server until a majority has the number on its disk. Its planted bug stores a number that
// arrives twice two times. A server answers when what it wrote is durable, and a client reports whether that
// took long.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/book.h"
#include "checker/check/book_monitors.h"
#include "checker/check/check_of.h"
#include "checker/family.h"
#include "protocol/reflect.h"
#include "protocol/variant.h"
#include "protocol/vocabulary.h"
#include "sim/binding_base.h"
#include "sim/run.h"

namespace zablab::toy_protocol {

// ---- what nodes send, write and store

struct Tell {
  static constexpr std::string_view name = "TELL";
  std::int64_t number = 0;
  bool operator==(const Tell&) const = default;
};
BOOST_DESCRIBE_STRUCT(Tell, (), (number))
struct Told {
  static constexpr std::string_view name = "TOLD";
  std::int64_t number = 0;
  bool operator==(const Told&) const = default;
};
BOOST_DESCRIBE_STRUCT(Told, (), (number))

struct Keep {
  static constexpr std::string_view name = "keep";
  std::int64_t number = 0;
  bool operator==(const Keep&) const = default;
};
BOOST_DESCRIBE_STRUCT(Keep, (), (number))

struct Durable {
  std::vector<std::int64_t> numbers;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (numbers))

enum class TimerKind : std::uint8_t { again };
BOOST_DESCRIBE_ENUM(TimerKind, again)

/// The server and the number that a client sends to it: each pair has a separate timer.
struct Way {
  ServerId server = no_server;
  std::int64_t number = 0;
  auto operator<=>(const Way&) const = default;
};
BOOST_DESCRIBE_STRUCT(Way, (), (server, number))

enum class Moment : std::uint8_t {
  asked,     ///< a client was instructed to send a number
  answered,  ///< a majority had it
};
BOOST_DESCRIBE_ENUM(Moment, asked, answered)

/// `late`: it took longer than `late_ms`.
struct Answered {
  static constexpr std::string_view name = "answered";
  std::int64_t number = 0;
  bool late = false;
  bool operator==(const Answered&) const = default;
};
BOOST_DESCRIBE_STRUCT(Answered, (), (number, late))

enum class Operation : std::uint8_t { tell };
BOOST_DESCRIBE_ENUM(Operation, tell)

struct Request {
  Operation operation{};
  std::int64_t number = 0;
  bool operator==(const Request&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (operation, number))

struct Node {
  ServerId self = 0;
  std::vector<std::int64_t> numbers;  ///< a server's, as it wrote them
  std::map<std::int64_t, std::set<ServerId>>
      unsynced;                         ///< numbers that are not durable yet, and who sent each
  std::optional<std::int64_t> telling;  ///< a client's
  std::set<ServerId> told;              ///< the servers that have it
  bool late = false;                    ///< the last answer took long
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, numbers, unsynced, telling, told, late))

struct Config {
  std::vector<ServerId> servers;
  bool client = false;
  Millis again_ms = 200;
  Millis late_ms = 300;
  bool operator==(const Config&) const = default;
};
BOOST_DESCRIBE_STRUCT(Config, (), (servers, client, again_ms, late_ms))

enum class Keeps : std::uint8_t { once, again };
BOOST_DESCRIBE_ENUM(Keeps, once, again)

struct Rules {
  Keeps keeps{};
  bool operator==(const Rules&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rules, (), (keeps))

struct Types {
  using Message = variant<monostate, Tell, Told>;
  using Record = variant<Keep>;
  using Durable = toy_protocol::Durable;
  using TimerKind = toy_protocol::TimerKind;
  using TimerKey = Way;
  using MarkKey = Moment;
  using DurableKey = std::int64_t;  ///< the number
  using Event = variant<Answered>;
  using Request = toy_protocol::Request;
};
using V = Vocabulary<Types>;

struct Family : Types {
  using Vocabulary = V;
  using Config = toy_protocol::Config;
  using Rules = toy_protocol::Rules;
  using Node = toy_protocol::Node;

  static constexpr std::string_view name = "toy";
  static constexpr std::string_view text = "numbers that a majority keeps, for tests";
  static constexpr std::array links{LinkSpec{"numbers", LinkKind::datagram}};

  static Node blank(ServerId self) { return {.self = self}; }
  static Node loaded(const Config&, const Rules&, ServerId self, const Durable& disk) {
    return {.self = self, .numbers = disk.numbers};
  }
  static void write(Durable& disk, const Record& record) { disk.numbers.push_back(get<Keep>(record).number); }
  static bool accepts(const Node&, Link) { return true; }
  static void step(const Config&, const Rules&, Node&, const V::Input&, V::Effects&);
};

}  // namespace zablab::toy_protocol

namespace zablab {

template <>
struct Binding<toy_protocol::Family> : BindingBase<toy_protocol::Family> {
  using F = toy_protocol::Family;
  static Phrase label(const Names&, const F::Message& message);
  static Json data(const Names&, const F::Event& event) { return toJson(get<0>(event)); }
  static Phrase tell(const Names& names, ServerId self, const F::Event& event);
  static Phrase tell(const Names& names, ServerId self, const F::Request& request);
  static Json logPicture(const F::Node&, const F::Durable&) { return nullptr; }
  static std::string timerKeyName(const toy_protocol::Way& way) {
    return std::to_string(way.server) + ":" + std::to_string(way.number);
  }
  static Json header();
  static std::vector<std::string> narrate(const Trace& trace);
  static RuleTables<F::Rules> ruleTables();

  static constexpr std::string_view default_variant = "once";
  struct Tell {
    static constexpr std::string_view name = "tell";
    std::optional<std::int64_t> number = std::nullopt;
    BOOST_DESCRIBE_CLASS(Tell, (), (number), (), ())
  };
  using Asks = variant<Tell>;
  static F::Request request(const Asks& asks, AskContext context) {
    return {toy_protocol::Operation::tell, get<Tell>(asks).number.value_or(context.number)};
  }
  static Asks asking(const F::Request& request) { return Tell{request.number}; }
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
  static void checkState(const JsonValue&, ServerId, const F::Node&) {}
};

template <>
struct FuzzOf<toy_protocol::Family> {
  using F = toy_protocol::Family;
  static constexpr std::array settings{FuzzSetting{"datagrams", FuzzPreset::lossy, 700}};
  static DrawnRun draw(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable);
  static std::uint32_t placeOf(const F::Node& node) { return node.numbers.empty() ? 0 : 1; }
  static constexpr std::uint32_t first_place = 0;
  static std::string placeName(std::uint32_t place) { return place == 0 ? "empty" : "told"; }
  static constexpr std::uint32_t all_operations = 1;
  static constexpr const char* operations_text = "a number";
  static std::uint32_t answered(const F::Event&) { return 1; }
  static std::pair<ServerId, bool> clientOf(const F::Node&) { return {no_server, false}; }
  static std::string settingOf(const Cluster<F>& cluster) {
    return std::to_string(cluster.serverCount()) + " servers";
  }
};

namespace toy_protocol {

/// There is no memory shared by all servers.
struct Nothing {
  bool operator==(const Nothing&) const = default;
};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

/// What every server has on its disk.
class Ledger : public Book<Family, Durable, Nothing> {
 public:
  using Book::Book;

  void begin(int server, const Durable& disk) { own(server) = disk; }
  void on(const Happened<Family>& seen) override;
  /// The number that was written last was already there.
  const bool& again() const { return again_; }

 private:
  bool again_ = false;
};

std::unique_ptr<MonitorSet<Family>> monitorsWith(std::unique_ptr<Ledger> ledger);

}  // namespace toy_protocol

template <>
struct InvariantsOf<toy_protocol::Family>
    : InvariantsWith<toy_protocol::Family, toy_protocol::Ledger, &toy_protocol::monitorsWith> {};

template <>
struct CheckOf<toy_protocol::Family>
    : BookMonitors<toy_protocol::Family, toy_protocol::Ledger, &toy_protocol::monitorsWith> {
  using F = toy_protocol::Family;
  using BookMonitors::BookMonitors;
  static constexpr std::uint32_t idle = 1;
  static std::uint32_t view(const F::Config&, const F::Rules&, const F::Node& node) {
    return node.telling ? 0 : idle;
  }
  static Fires firesByDefault(F::TimerKind) { return Fires::quiescent; }
  static std::vector<Millis> thresholds(const F::Config& config, toy_protocol::Moment moment) {
    if (moment == toy_protocol::Moment::answered) return {};
    return {config.late_ms};
  }
};

extern template const FamilyCheck& theCheck<toy_protocol::Family>();

}  // namespace zablab
