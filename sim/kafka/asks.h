// What scenarios request of clients.
#pragma once

#include <boost/describe.hpp>
#include <string_view>
#include <variant>

#include "protocol/vocabulary.h"

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
/// It deletes /controller, as operators do to have another controller.
struct DeleteController {
  static constexpr std::string_view name = "delete_controller";
};
BOOST_DESCRIBE_STRUCT(DeleteController, (), ())

}  // namespace asks

using Asks = std::variant<asks::Connect, asks::Metadata, asks::DeleteController>;

}  // namespace zablab::kafka
