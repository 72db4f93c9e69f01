// Access control lists, and the schemes that they know: world, ip, digest, auth.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/zookeeper/rules.h"
#include "protocol/zookeeper/types.h"

namespace zablab::zookeeper {

/// "user:base64(sha1(user:password))" (DigestAuthenticationProvider.generateDigest).
std::string digestOf(std::string_view credentials);

/// The identity that these credentials prove; empty if the scheme is not known.
std::optional<Id> authenticated(const Id& credentials);

/// Adds an identity that a client has proved to those that it has (ServerCnxn.addAuthInfo). Clients see the
/// order: whoAmI lists them, and the scheme `auth` stands for them.
void addIdentity(std::vector<Id>& known, Id identity, IdentityOrder order);

/// Whether one of `wanted` (bits of `perms`) is granted to a client of these identities
/// (ZooKeeperServer.checkACL). An empty list grants everything.
bool isAllowed(const std::vector<Acl>& acl, std::int32_t wanted, const std::vector<Id>& identities);

/// Whether everybody may read.
bool everybodyReads(const std::vector<Acl>& acl);

/// The list that a node gets (PrepRequestProcessor.fixupACL): without duplicates, the scheme `auth` replaced
/// by the client's own identities. Empty: the list is not valid.
std::optional<std::vector<Acl>> fixedUp(const std::vector<Acl>& acl, const std::vector<Id>& identities,
                                        AddressLists addresses = {});

/// The list as it is shown to a client that may not administer the node: without the hashes of passwords.
std::vector<Acl> withoutHashes(std::vector<Acl> acl);

/// An identity as whoAmI shows it: without the hash of a password.
Id shown(Id identity);

}  // namespace zablab::zookeeper
