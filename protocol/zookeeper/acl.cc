#include "protocol/zookeeper/acl.h"

#include <algorithm>
#include <array>
#include <boost/uuid/detail/sha1.hpp>
#include <cstdint>

namespace zablab::zookeeper {
namespace {

std::string base64(const std::vector<std::uint8_t>& bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[(group >> (18 - 6 * k)) & 0x3f];
  }
  return text;
}

std::vector<std::uint8_t> sha1(std::string_view text) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(text.data(), text.size());
  unsigned words[5] = {};
  hash.get_digest(words);
  std::vector<std::uint8_t> bytes;
  for (const unsigned word : words) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  return bytes;
}

using Address = std::array<std::uint8_t, 4>;

std::optional<unsigned> decimal(std::string_view text, unsigned max) {
  if (text.empty() || text.size() > 3) return std::nullopt;
  unsigned number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  return number > max ? std::nullopt : std::optional(number);
}

std::optional<Address> addressOf(std::string_view text) {
  Address address{};
  for (std::size_t i = 0; i < address.size(); ++i) {
    const std::size_t dot = i + 1 < address.size() ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto byte = decimal(text.substr(0, dot), 255);
    if (!byte) return std::nullopt;
    address[i] = static_cast<std::uint8_t>(*byte);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return address;
}

struct Network {
  Address address;
  unsigned bits;
};

std::optional<Network> networkOf(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = addressOf(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Network{*address, 32};
  const auto bits = decimal(text.substr(slash + 1), 32);
  return bits ? std::optional(Network{*address, *bits}) : std::nullopt;
}

bool isInNetwork(std::string_view address, std::string_view network) {
  const auto one = addressOf(address);
  const auto other = networkOf(network);
  if (!one || !other) return false;
  for (unsigned bit = 0; bit < other->bits; ++bit) {
    const unsigned mask = 0x80u >> (bit % 8);
    if (((*one)[bit / 8] & mask) != (other->address[bit / 8] & mask)) return false;
  }
  return true;
}

bool matches(const Id& identity, const Acl& entry) {
  if (identity.scheme != entry.scheme) return false;
  return identity.scheme == "ip" ? isInNetwork(identity.id, entry.id) : identity.id == entry.id;
}

/// AuthenticationProvider.isValid.
bool isValid(const Acl& entry) {
  if (entry.scheme == "ip") return networkOf(entry.id).has_value();
  if (entry.scheme == "digest") return std::count(entry.id.begin(), entry.id.end(), ':') == 1;
  return false;
}

std::string userOf(std::string_view id) { return std::string(id.substr(0, id.find(':'))); }

}  // namespace

std::string digestOf(std::string_view credentials) {
  return userOf(credentials) + ":" + base64(sha1(credentials));
}

std::optional<Id> authenticated(const Id& credentials) {
  if (credentials.scheme == "digest") return Id{"digest", digestOf(credentials.id)};
  return std::nullopt;
}

bool isAllowed(const std::vector<Acl>& acl, std::int32_t wanted, const std::vector<Id>& identities) {
  if (acl.empty()) return true;
  return std::any_of(acl.begin(), acl.end(), [&](const Acl& entry) {
    if ((entry.perms & wanted) == 0) return false;
    if (entry.scheme == "world" && entry.id == "anyone") return true;
    return std::any_of(identities.begin(), identities.end(),
                       [&](const Id& identity) { return matches(identity, entry); });
  });
}

std::optional<std::vector<Acl>> fixedUp(const std::vector<Acl>& acl, const std::vector<Id>& identities) {
  std::vector<Acl> fixed;
  const auto add = [&](Acl entry) {
    if (std::find(fixed.begin(), fixed.end(), entry) == fixed.end()) fixed.push_back(std::move(entry));
  };
  for (const Acl& entry : acl) {
    if (entry.scheme == "world" && entry.id == "anyone") {
      add(entry);
    } else if (entry.scheme == "auth") {
      bool any = false;
      for (const Id& identity : identities) {
        if (identity.scheme != "digest") continue;  // the address of a connection proves nothing
        any = true;
        add({entry.perms, identity.scheme, identity.id});
      }
      if (!any) return std::nullopt;
    } else if (isValid(entry)) {
      add(entry);
    } else {
      return std::nullopt;
    }
  }
  return fixed.empty() ? std::nullopt : std::optional(std::move(fixed));
}

Id shown(Id identity) {
  if (identity.scheme == "digest") identity.id = userOf(identity.id);
  return identity;
}

std::vector<Acl> withoutHashes(std::vector<Acl> acl) {
  for (Acl& entry : acl) {
    if (entry.scheme == "digest") entry.id = userOf(entry.id) + ":x";
  }
  return acl;
}

}  // namespace zablab::zookeeper
