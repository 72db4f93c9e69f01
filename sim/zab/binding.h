// What bindings of families built on the broadcast have in common: the servers, their configuration, and how
// servers that a scenario starts in their roles are made consistent. binding_impl.h contains what depends on
// the service, for one file of each family.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/zab/family.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/json.h"
#include "sim/scenario.h"

namespace zablab::zab {

/// Makes the servers that a scenario starts in their roles consistent with each other: a leader knows its
/// followers and is connected to them. By index; entries of servers that are not placed are empty.
template <class F>
std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<typename F::Node>>& placed);

/// Checks that server `id` can be in the state that `place` makes of it, and derives the service's state from
/// its history. Throws InputError.
template <class F>
void checkState(const JsonValue& place, ServerId id, typename F::Node& node);

/// The end of a server's log: what is committed, what is durable, what is not yet durable.
template <class F>
Json logPicture(const typename F::Node& node, const typename F::Durable& disk);

/// Checks the limits of a configuration's fields, and its members. Throws InputError.
void checkConfig(const JsonValue& place, const Config& config);
void checkMembers(const JsonValue& place, const std::vector<Member>& members);

enum class ServerRole : std::uint8_t { voter, observer };
BOOST_DESCRIBE_ENUM(ServerRole, voter, observer)

/// A server's place in the ensemble: fields of a scenario's server.
struct ServerFields {
  ServerRole role{};
  std::int64_t weight = 1;
  std::optional<std::int64_t> group = std::nullopt;
  std::optional<Ids> view = std::nullopt;  ///< the members it knows; all by default
};
BOOST_DESCRIBE_STRUCT(ServerFields, (), (role, weight, group, view))

/// Fields of a scenario.
struct ScenarioFields {
  std::optional<std::string> zoo_cfg = std::nullopt;  ///< its text: the servers, and their configuration
};
BOOST_DESCRIBE_STRUCT(ScenarioFields, (), (zoo_cfg))

/// The servers that a zoo.cfg names; empty if the scenario has no zoo.cfg. Throws InputError.
std::optional<std::vector<ServerSpec>> serversOf(const ScenarioFields& fields, const JsonValue& document);
/// "voter" or "observer".
std::string nodeKind(const Config& config, ServerId id);
/// What servers are configured with before the scenario's fields: by its zoo.cfg, or by default. Throws
/// InputError.
Config commonConfig(const Scenario& scenario, const JsonValue& document,
                    const std::vector<ServerSpec>& servers);
/// Leaves the members that the server knows.
void limitToView(Config& config, const ServerSpec& server);
/// Each server's configuration: the common one, then the scenario's fields, then its own. Throws InputError.
template <class C>
std::vector<C> configs(const Scenario& scenario, const JsonValue& document,
                       const std::vector<ServerSpec>& servers) {
  C common;
  static_cast<Config&>(common) = commonConfig(scenario, document, servers);
  if (scenario.config) readInto(common, *scenario.config);
  checkConfig(scenario.config ? *scenario.config : document, common);
  std::vector<C> configs;
  for (const ServerSpec& server : servers) {
    C config = common;
    limitToView(config, server);
    if (server.config) {
      readInto(config, *server.config);
      checkConfig(*server.config, config);
    }
    configs.push_back(std::move(config));
  }
  return configs;
}

/// What the bindings of all families on the broadcast define in the same way.
struct BroadcastBinding {
  using ServerFields = zab::ServerFields;
  using ScenarioFields = zab::ScenarioFields;
  static constexpr std::string_view file_field = "zoo_cfg";
  static std::optional<std::vector<ServerSpec>> serversOf(const ScenarioFields& fields,
                                                          const JsonValue& document) {
    return zab::serversOf(fields, document);
  }
  static std::string nodeKind(const Config& config, ServerId id) { return zab::nodeKind(config, id); }
  static constexpr std::string_view default_variant = "zookeeper";
};

}  // namespace zablab::zab
