#include "protocol/zookeeper/acl.h"

#include <algorithm>
#include <boost/uuid/detail/sha1.hpp>
#include <cstdint>
#include <utility>

#include "protocol/zookeeper/utf16.h"

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

/// Four bytes, or sixteen.
using Address = std::vector<std::uint8_t>;

std::optional<unsigned> decimal(std::string_view text, unsigned max) {
  if (text.empty() || text.size() > 3) return std::nullopt;
  unsigned number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  return number > max ? std::nullopt : std::optional(number);
}

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + at.size());
  }
  parts.push_back(text);
  return parts;
}

std::optional<Address> fourBytes(std::string_view text) {
  const auto parts = split(text, ".");
  if (parts.size() != 4) return std::nullopt;
  Address address;
  for (const std::string_view part : parts) {
    const auto byte = decimal(part, 255);
    if (!byte) return std::nullopt;
    address.push_back(static_cast<std::uint8_t>(*byte));
  }
  return address;
}

/// Up to four hexadecimal digits.
std::optional<unsigned> segment(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned number = 0;
  for (const char digit : text) {
    const bool is_decimal = digit >= '0' && digit <= '9';
    const char letter = static_cast<char>(digit | 0x20);
    if (!is_decimal && (letter < 'a' || letter > 'f')) return std::nullopt;
    number = number * 16 + static_cast<unsigned>(is_decimal ? digit - '0' : letter - 'a' + 10);
  }
  return number;
}

/// Eight segments, or fewer with `::` for the zeros that are left out (IPAuthenticationProvider.parseV6addr).
std::optional<Address> sixteenBytes(std::string_view text) {
  constexpr std::size_t segments = 8;
  const auto halves = split(text, "::");
  if (halves.size() > 2) return std::nullopt;
  Address address(2 * segments);
  std::size_t count = 0;
  for (std::size_t half = 0; half < halves.size(); ++half) {
    if (halves[half].empty() && halves.size() == 2) continue;
    const auto parts = split(halves[half], ":");
    count += parts.size();
    if (count > segments) return std::nullopt;
    std::size_t at = half == 0 ? 0 : 2 * (segments - parts.size());
    for (const std::string_view part : parts) {
      const auto number = segment(part);
      if (!number) return std::nullopt;
      address[at++] = static_cast<std::uint8_t>(*number >> 8);
      address[at++] = static_cast<std::uint8_t>(*number & 0xff);
    }
  }
  const bool whole = halves.size() == 2 ? count < segments : count == segments;
  return whole ? std::optional(std::move(address)) : std::nullopt;
}

std::optional<Address> addressOf(std::string_view text) {
  return text.find(':') == std::string_view::npos ? fourBytes(text) : sixteenBytes(text);
}

struct Network {
  Address address;
  std::size_t bits;
};

std::optional<Network> networkOf(std::string_view text) {
  const std::size_t slash = text.find('/');
  auto address = addressOf(text.substr(0, slash));
  if (!address) return std::nullopt;
  const std::size_t all = address->size() * 8;
  if (slash == std::string_view::npos) return Network{std::move(*address), all};
  const auto bits = decimal(text.substr(slash + 1), static_cast<unsigned>(all));
  return bits ? std::optional(Network{std::move(*address), *bits}) : std::nullopt;
}

bool isInNetwork(std::string_view address, std::string_view network) {
  const auto one = addressOf(address);
  const auto other = networkOf(network);
  if (!one || !other || one->size() != other->address.size()) return false;
  for (std::size_t bit = 0; bit < other->bits; ++bit) {
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
bool isValid(const Acl& entry, AddressLists addresses) {
  if (entry.scheme == "ip") {
    const auto network = networkOf(entry.id);
    return network && (addresses == AddressLists::both || network->address.size() == 4);
  }
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

void addIdentity(std::vector<Id>& known, Id identity, IdentityOrder order) {
  if (std::find(known.begin(), known.end(), identity) != known.end()) return;
  known.push_back(std::move(identity));
  if (order == IdentityOrder::as_proved) return;
  // ConcurrentHashMap: by the bucket of Id.hashCode.
  std::uint32_t capacity = 16;
  while (known.size() * 4 >= std::size_t{capacity} * 3) capacity *= 2;
  const auto bucket = [capacity](const Id& id) {
    const std::uint32_t hash = (17 * 37 + javaHash(id.scheme)) * 37 + javaHash(id.id);
    return (hash ^ (hash >> 16)) & (capacity - 1);
  };
  std::stable_sort(known.begin(), known.end(),
                   [&](const Id& a, const Id& b) { return bucket(a) < bucket(b); });
}

bool everybodyReads(const std::vector<Acl>& acl) {
  static const std::vector<Id> nobody;
  return isAllowed(acl, perms::read, nobody);
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

std::optional<std::vector<Acl>> fixedUp(const std::vector<Acl>& acl, const std::vector<Id>& identities,
                                        AddressLists addresses) {
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
    } else if (isValid(entry, addresses)) {
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
