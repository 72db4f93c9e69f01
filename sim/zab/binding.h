// What bindings of families that stand on the broadcast have in common: who there is, how they are
// configured, and how servers that a scenario begins with in their roles fit each other. binding_impl.h has
// what depends on the service, for one file of each family.
#pragma once

#include <optional>
#include <vector>

#include "protocol/zab/family.h"
#include "sim/direct.h"
#include "sim/json.h"
#include "sim/scenario.h"

namespace zablab::zab {

/// A connection that is open from the start.
struct Opened {
  Link link = 0;
  int a = 0;
  int b = 0;
};
/// Makes servers that a scenario begins with in their roles fit each other: a leader knows its followers and
/// is connected to them. By index; what is not placed is empty.
template <class F>
std::vector<Opened> arrange(const Cluster<F>& cluster, std::vector<std::optional<typename F::Node>>& placed);

/// Checks that server `id` can be in the state that `place` makes of it, and derives the service's state from
/// its history. Throws InputError.
template <class F>
void checkState(const JsonValue& place, ServerId id, typename F::Node& node);

/// The end of a server's log: what is committed, what is durable, what is not yet.
template <class F>
Json logPicture(const typename F::Node& node, const typename F::Durable& disk);

/// Checks the limits of a configuration's fields, and its members. Throws InputError.
void checkConfig(const JsonValue& place, const Config& config);
void checkMembers(const JsonValue& place, const std::vector<Member>& members);

/// The servers, as the scenario or its zoo.cfg names them; then its clients. Throws InputError.
std::vector<ServerSpec> servers(const Scenario& scenario, const JsonValue& document);
/// Each one's configuration: its zoo.cfg's or the default one, the scenario's fields, its own. Throws
/// InputError.
std::vector<Config> configs(const Scenario& scenario, const JsonValue& document,
                            const std::vector<ServerSpec>& servers);

}  // namespace zablab::zab
