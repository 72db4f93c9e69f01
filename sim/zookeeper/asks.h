// What scenarios request of ZooKeeper's clients, in ZooKeeper's own words.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/variant.h"
#include "protocol/zookeeper/service.h"
#include "sim/zookeeper/codec.h"

namespace zablab::zookeeper {
namespace asks {

/// CreateMode in parts.
enum class CreateFlag : std::uint8_t { EPHEMERAL, SEQUENTIAL, CONTAINER, TTL };
BOOST_DESCRIBE_ENUM(CreateFlag, EPHEMERAL, SEQUENTIAL, CONTAINER, TTL)
bool has(const std::vector<CreateFlag>& flags, CreateFlag flag);
/// CreateMode's number on the wire; -1, which no server accepts, for flags that do not go together.
std::int32_t modeOf(const std::vector<CreateFlag>& flags);
/// None, too, for a number that no CreateMode has.
std::vector<CreateFlag> flagsOf(std::int32_t mode);

enum class AddWatchMode : std::uint8_t { PERSISTENT, PERSISTENT_RECURSIVE };
BOOST_DESCRIBE_ENUM(AddWatchMode, PERSISTENT, PERSISTENT_RECURSIVE)
enum class WatcherType : std::uint8_t { Any, Children, Data, Persistent, PersistentRecursive };
BOOST_DESCRIBE_ENUM(WatcherType, Any, Children, Data, Persistent, PersistentRecursive)

/// Turns to a server: with the session that the client has, or for a new one.
struct Connect {
  static constexpr std::string_view name = "connect";
  ServerId server = no_server;
  std::vector<ServerId> servers =
      {};                   ///< those that it turns to when it is lost (its connect string); none: all
  Millis timeout = 30'000;  ///< of the session, that it asks for
  std::optional<SessionId> session = std::nullopt;
  std::optional<Zxid> last_seen = std::nullopt;
  bool password = true;
  bool renews = false;     ///< begins another session when this one is over, as applications do
  bool read_only = false;  ///< is content with a server that answers reads alone
};
BOOST_DESCRIBE_STRUCT(Connect, (),
                      (server, servers, timeout, session, last_seen, password, renews, read_only))
/// Closes its connection; the session stays.
struct Disconnect {
  static constexpr std::string_view name = "disconnect";
};
BOOST_DESCRIBE_STRUCT(Disconnect, (), ())
struct CloseSession {
  static constexpr std::string_view name = "closeSession";
};
BOOST_DESCRIBE_STRUCT(CloseSession, (), ())

struct Create {
  static constexpr std::string_view name = "create";
  std::string path;
  std::optional<std::string> data = std::nullopt;
  std::vector<CreateFlag> flags = {};
  std::vector<Acl> acl = openAcl();
  Millis ttl = 0;
};
BOOST_DESCRIBE_STRUCT(Create, (), (path, data, flags, acl, ttl))
struct Delete {
  static constexpr std::string_view name = "delete";
  std::string path;
  std::int32_t version = -1;
};
BOOST_DESCRIBE_STRUCT(Delete, (), (path, version))
struct SetData {
  static constexpr std::string_view name = "setData";
  std::string path;
  std::optional<std::string> data = std::nullopt;
  std::int32_t version = -1;
};
BOOST_DESCRIBE_STRUCT(SetData, (), (path, data, version))
struct SetAcl {
  static constexpr std::string_view name = "setACL";
  std::string path;
  std::vector<Acl> acl = openAcl();
  std::int32_t version = -1;
};
BOOST_DESCRIBE_STRUCT(SetAcl, (), (path, acl, version))
struct Check {
  static constexpr std::string_view name = "check";
  std::string path;
  std::int32_t version = -1;
};
BOOST_DESCRIBE_STRUCT(Check, (), (path, version))
struct Multi {
  static constexpr std::string_view name = "multi";
  std::vector<SubOp> ops;
};
BOOST_DESCRIBE_STRUCT(Multi, (), (ops))

struct Exists {
  static constexpr std::string_view name = "exists";
  std::string path;
  bool watch = false;
};
BOOST_DESCRIBE_STRUCT(Exists, (), (path, watch))
struct GetData {
  static constexpr std::string_view name = "getData";
  std::string path;
  bool watch = false;
};
BOOST_DESCRIBE_STRUCT(GetData, (), (path, watch))
struct GetChildren {
  static constexpr std::string_view name = "getChildren";
  std::string path;
  bool watch = false;
};
BOOST_DESCRIBE_STRUCT(GetChildren, (), (path, watch))
struct GetAllChildrenNumber {
  static constexpr std::string_view name = "getAllChildrenNumber";
  std::string path;
};
BOOST_DESCRIBE_STRUCT(GetAllChildrenNumber, (), (path))
struct GetEphemerals {
  static constexpr std::string_view name = "getEphemerals";
  std::string path = "/";
};
BOOST_DESCRIBE_STRUCT(GetEphemerals, (), (path))
struct GetAcl {
  static constexpr std::string_view name = "getACL";
  std::string path;
};
BOOST_DESCRIBE_STRUCT(GetAcl, (), (path))
struct MultiRead {
  static constexpr std::string_view name = "multiRead";
  std::vector<SubOp> ops;
};
BOOST_DESCRIBE_STRUCT(MultiRead, (), (ops))
struct Sync {
  static constexpr std::string_view name = "sync";
  std::string path;
};
BOOST_DESCRIBE_STRUCT(Sync, (), (path))
struct AddWatch {
  static constexpr std::string_view name = "addWatch";
  std::string path;
  AddWatchMode mode{};
};
BOOST_DESCRIBE_STRUCT(AddWatch, (), (path, mode))
struct RemoveWatches {
  static constexpr std::string_view name = "removeWatches";
  std::string path;
  WatcherType watcher_type{};
};
BOOST_DESCRIBE_STRUCT(RemoveWatches, (), (path, watcher_type))
struct WhoAmI {
  static constexpr std::string_view name = "whoAmI";
};
BOOST_DESCRIBE_STRUCT(WhoAmI, (), ())
struct Auth {
  static constexpr std::string_view name = "auth";
  std::string credentials;  ///< "user:password"
  std::string scheme = "digest";
};
BOOST_DESCRIBE_STRUCT(Auth, (), (credentials, scheme))

/// Runs a recipe from now on.
struct Run {
  static constexpr std::string_view name = "run";
  recipes::Recipe recipe{};
  std::string path = "/line";                       ///< of the node that it is about
  std::string prefix = "node-";                     ///< of the names of a line's nodes
  bool reader = false;                              ///< of a shared lock or a discovery
  std::int32_t leases = 1;                          ///< of a semaphore
  std::int32_t members = 1;                         ///< of a double barrier or a transaction
  std::int32_t parts = 1;                           ///< of a configuration
  bool coordinator = false;                         ///< of a transaction
  std::optional<ServerId> resource = std::nullopt;  ///< that a holder uses
};
BOOST_DESCRIBE_STRUCT(Run, (), (recipe, path, prefix, reader, leases, members, parts, coordinator, resource))
/// Tells the recipe that it runs.
struct Do {
  static constexpr std::string_view name = "do";
  recipes::Act act{};
  std::string data = {};  ///< of what is put or pushed
};
BOOST_DESCRIBE_STRUCT(Do, (), (act, data))

}  // namespace asks

using Asks =
    variant<asks::Connect, asks::Disconnect, asks::CloseSession, asks::Create, asks::Delete, asks::SetData,
            asks::SetAcl, asks::Check, asks::Multi, asks::Exists, asks::GetData, asks::GetChildren,
            asks::GetAllChildrenNumber, asks::GetEphemerals, asks::GetAcl, asks::MultiRead, asks::Sync,
            asks::AddWatch, asks::RemoveWatches, asks::WhoAmI, asks::Auth, asks::Run, asks::Do>;

}  // namespace zablab::zookeeper
