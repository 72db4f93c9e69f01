// Access lists, within the model.
#pragma once

#include <optional>
#include <vector>

#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper::model {

/// The list that a node gets for the one that a request has: `auth` stands for what the client has proved,
/// and nothing is listed twice. Empty: it is not valid.
std::optional<std::vector<Acl>> listFor(const std::vector<Acl>& asked, const std::vector<Id>& identities,
                                        AddressLists addresses);

/// A list as getACL shows it: hashes of passwords to administrators alone.
std::vector<Acl> shownTo(const std::vector<Acl>& acl, bool administrator);

}  // namespace zablab::zookeeper::model
