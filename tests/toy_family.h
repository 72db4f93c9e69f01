// A family of puppets, for testing worlds: a node does what its configuration's function specifies, and
// stores the numbers it received. Every kind of link and of effect can be obtained in one line.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "protocol/reflect.h"
#include "protocol/variant.h"
#include "protocol/vocabulary.h"

namespace zablab::toy {

struct Message {
  std::int64_t number = 0;
  bool operator==(const Message&) const = default;
};
BOOST_DESCRIBE_STRUCT(Message, (), (number))

struct Record {
  std::int64_t number = 0;
  bool operator==(const Record&) const = default;
};
BOOST_DESCRIBE_STRUCT(Record, (), (number))

struct Durable {
  std::vector<std::int64_t> numbers;
  bool operator==(const Durable&) const = default;
};
BOOST_DESCRIBE_STRUCT(Durable, (), (numbers))

enum class TimerKind : std::uint8_t { once, again };
BOOST_DESCRIBE_ENUM(TimerKind, once, again)

struct Event {
  std::int64_t number = 0;
  bool operator==(const Event&) const = default;
};
BOOST_DESCRIBE_STRUCT(Event, (), (number))

struct Node {
  ServerId self = 0;
  std::vector<std::int64_t> heard;  ///< received numbers; 0: a peer disconnected
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (self, heard))

struct Types {
  using Message = toy::Message;
  using Record = toy::Record;
  using Durable = toy::Durable;
  using TimerKind = toy::TimerKind;
  using Event = toy::Event;
  using Request = toy::Event;
  using MarkKey = std::int64_t;
  using DurableKey = std::int64_t;
};
using V = Vocabulary<Types>;

inline constexpr Link tcp = 0;
inline constexpr Link slot = 1;
inline constexpr Link datagram = 2;

struct Family : Types {
  using Vocabulary = V;
  using Node = toy::Node;
  /// What a puppet does on an input.
  struct Config {
    std::function<void(Node&, const V::Input&, V::Effects&)> act;
  };
  struct Rules {};

  static constexpr std::string_view name = "toy";
  static constexpr std::array links{LinkSpec{"tcp", LinkKind::tcp}, LinkSpec{"slot", LinkKind::slot},
                                    LinkSpec{"datagram", LinkKind::datagram}};

  static Node blank(ServerId self) { return {.self = self, .heard = {}}; }
  static void step(const Config& config, const Rules&, Node& node, const V::Input& input, V::Effects& out) {
    if (const auto* received = get_if<V::Received>(&input)) {
      node.heard.push_back(received->message.number);
    } else if (holds_alternative<V::Disconnected>(input)) {
      node.heard.push_back(0);
    }
    if (config.act) config.act(node, input, out);
  }
  static void write(Durable& disk, const Record& record) { disk.numbers.push_back(record.number); }
  static bool accepts(const Node&, Link) { return true; }
};

}  // namespace zablab::toy
