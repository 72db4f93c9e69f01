// What scenarios request of clients.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string_view>

#include "protocol/kafka/types.h"
#include "protocol/variant.h"

namespace zablab::kafka {
namespace asks {

/// It asks this broker from now on.
struct Connect {
  static constexpr std::string_view name = "connect";
  ServerId server = no_server;
};
BOOST_DESCRIBE_STRUCT(Connect, (), (server))
/// It asks who is the controller and who leads the partition.
struct Metadata {
  static constexpr std::string_view name = "metadata";
};
BOOST_DESCRIBE_STRUCT(Metadata, (), ())
/// It produces a record at the leader, or at this broker. `acks`: when it is answered.
struct Produce {
  static constexpr std::string_view name = "produce";
  std::optional<Acks> acks;
  std::optional<ServerId> to;
};
BOOST_DESCRIBE_STRUCT(Produce, (), (acks, to))
/// It asks the leader, or this broker, for the last committed record.
struct Consume {
  static constexpr std::string_view name = "consume";
  std::optional<ServerId> to;
};
BOOST_DESCRIBE_STRUCT(Consume, (), (to))
/// It asks the controller to make the preferred replica the leader.
struct ElectPreferred {
  static constexpr std::string_view name = "elect_preferred";
};
BOOST_DESCRIBE_STRUCT(ElectPreferred, (), ())
/// It deletes /controller, as operators do to have another controller.
struct DeleteController {
  static constexpr std::string_view name = "delete_controller";
};
BOOST_DESCRIBE_STRUCT(DeleteController, (), ())

}  // namespace asks

using Asks = variant<asks::Connect, asks::Metadata, asks::Produce, asks::Consume, asks::ElectPreferred,
                     asks::DeleteController>;

}  // namespace zablab::kafka
