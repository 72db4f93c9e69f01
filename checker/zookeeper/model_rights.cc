// Identities, access lists and paths, as the Programmer's Guide describes them.
#include <algorithm>
#include <array>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <boost/locale/utf.hpp>
#include <boost/uuid/detail/sha1.hpp>
#include <charconv>
#include <cstdint>

#include "checker/zookeeper/model.h"
#include "checker/zookeeper/model_rights.h"

namespace zablab::zookeeper::model {
namespace {

/// The bits of an address, four or sixteen bytes of them.
using Bits = std::vector<bool>;

void push(Bits& bits, unsigned value, int width) {
  for (int bit = width - 1; bit >= 0; --bit) bits.push_back((value >> bit & 1) != 0);
}

/// A number that is all of the text.
std::optional<unsigned> number(std::string_view text, int base, unsigned max) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > max)
    return std::nullopt;
  return value;
}

/// The words of a text between separators; at least one, which may be empty.
std::vector<std::string_view> words(std::string_view text, char separator) {
  std::vector<std::string_view> all{text.substr(0, text.find(separator))};
  while (all.back().data() + all.back().size() != text.data() + text.size()) {
    text.remove_prefix(static_cast<std::size_t>(all.back().data() - text.data()) + all.back().size() + 1);
    all.push_back(text.substr(0, text.find(separator)));
  }
  return all;
}

/// Appends `width` bits for each word; false if one is not a number of this size.
bool pushWords(Bits& bits, std::string_view text, char separator, int base, int width) {
  const unsigned max = (1u << width) - 1;
  const std::size_t digits_max = base == 16 ? 4 : 10;
  for (const std::string_view word : words(text, separator)) {
    const auto value = word.size() <= digits_max ? number(word, base, max) : std::nullopt;
    if (!value) return false;
    push(bits, *value, width);
  }
  return true;
}

/// "a.b.c.d", or eight groups of hexadecimal digits, of which `::` stands for those that are zero.
std::optional<Bits> address(std::string_view text) {
  constexpr std::size_t four = 32, sixteen = 128;
  Bits bits;
  if (text.find(':') == std::string_view::npos)
    return pushWords(bits, text, '.', 10, 8) && bits.size() == four ? std::optional(bits) : std::nullopt;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos)
    return pushWords(bits, text, ':', 16, 16) && bits.size() == sixteen ? std::optional(bits) : std::nullopt;
  const std::string_view before = text.substr(0, gap), after = text.substr(gap + 2);
  Bits end;
  if (after.find("::") != std::string_view::npos) return std::nullopt;
  if (!before.empty() && !pushWords(bits, before, ':', 16, 16)) return std::nullopt;
  if (!after.empty() && !pushWords(end, after, ':', 16, 16)) return std::nullopt;
  if (bits.size() + end.size() >= sixteen) return std::nullopt;
  bits.resize(sixteen - end.size());
  bits.insert(bits.end(), end.begin(), end.end());
  return bits;
}

/// The bits that addresses of a network begin with, and how long its addresses are.
struct Network {
  Bits prefix;
  std::size_t size = 0;
};
std::optional<Network> network(std::string_view text) {
  const std::size_t slash = text.find('/');
  auto bits = address(text.substr(0, slash));
  if (!bits) return std::nullopt;
  Network network{std::move(*bits), 0};
  network.size = network.prefix.size();
  if (slash == std::string_view::npos) return network;
  const auto length = number(text.substr(slash + 1), 10, static_cast<unsigned>(network.size));
  if (!length) return std::nullopt;
  network.prefix.resize(*length);
  return network;
}

bool includes(const Acl& entry, const Id& identity) {
  if (entry.scheme != identity.scheme) return false;
  if (entry.scheme != "ip") return entry.id == identity.id;
  const auto those = network(entry.id);
  const auto one = address(identity.id);
  return those && one && one->size() == those->size &&
         std::equal(those->prefix.begin(), those->prefix.end(), one->begin());
}

bool isEverybody(const Acl& entry) { return entry.scheme == "world" && entry.id == "anyone"; }

}  // namespace

bool grants(const std::vector<Acl>& acl, std::int32_t rights, const std::vector<Id>& identities) {
  if (acl.empty()) return true;
  for (const Acl& entry : acl) {
    if ((entry.perms & rights) == 0) continue;
    if (isEverybody(entry)) return true;
    for (const Id& identity : identities) {
      if (includes(entry, identity)) return true;
    }
  }
  return false;
}

std::optional<Id> proved(const Id& credentials) {
  if (credentials.scheme != "digest") return std::nullopt;
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(credentials.id.data(), credentials.id.size());
  unsigned words[5] = {};
  hash.get_digest(words);
  std::string bytes;
  for (const unsigned word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xff);
  }
  using namespace boost::archive::iterators;
  using Base64 = base64_from_binary<transform_width<std::string::const_iterator, 6, 8>>;
  const std::string user = credentials.id.substr(0, credentials.id.find(':'));
  // Twenty bytes are 27 digits, and one to pad.
  return Id{"digest", user + ":" + std::string(Base64(bytes.cbegin()), Base64(bytes.cend())) + "="};
}

std::optional<std::vector<Acl>> listFor(const std::vector<Acl>& asked, const std::vector<Id>& identities,
                                        AddressLists addresses) {
  std::vector<Acl> list;
  const auto add = [&](const Acl& entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  };
  for (const Acl& entry : asked) {
    if (entry.scheme == "auth") {
      bool any = false;
      for (const Id& identity : identities) {
        if (identity.scheme == "ip") continue;
        any = true;
        add({entry.perms, identity.scheme, identity.id});
      }
      if (!any) return std::nullopt;
      continue;
    }
    const auto ip = entry.scheme == "ip" ? network(entry.id) : std::nullopt;
    const bool valid = isEverybody(entry) ||
                       (entry.scheme == "digest" && std::count(entry.id.begin(), entry.id.end(), ':') == 1) ||
                       (ip && (ip->size == 32 || addresses == AddressLists::both));
    if (!valid) return std::nullopt;
    add(entry);
  }
  return list.empty() ? std::nullopt : std::optional(list);
}

std::vector<Acl> shownTo(const std::vector<Acl>& acl, bool administrator) {
  std::vector<Acl> shown = acl;
  for (Acl& entry : shown) {
    if (!administrator && entry.scheme == "digest") entry.id = entry.id.substr(0, entry.id.find(':')) + ":x";
  }
  return shown;
}

bool isPath(std::string_view path) {
  if (path == "/") return true;
  if (!path.starts_with('/') || path.ends_with('/')) return false;
  for (const std::string_view name : words(path.substr(1), '/')) {
    if (name.empty() || name == "." || name == "..") return false;
  }
  using Utf8 = boost::locale::utf::utf_traits<char>;
  for (auto at = path.begin(); at != path.end();) {
    const auto c = Utf8::decode(at, path.end());
    // The guide's ranges; what is beyond 16 bits is a pair of surrogates.
    if (c <= 0x1f || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0) return false;
  }
  return true;
}

std::string_view above(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == 0 || slash == std::string_view::npos) return "/";
  return path.substr(0, slash);
}

std::string below(std::string_view path) { return path == "/" ? "/" : std::string(path) + "/"; }

std::string_view lastName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace zablab::zookeeper::model
