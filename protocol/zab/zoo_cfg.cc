#include "protocol/zab/zoo_cfg.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <utility>

#include "protocol/zab/zoo_cfg_keys.h"
#include "protocol/zab/zoo_cfg_text.h"

namespace zablab::zab {
namespace {

using namespace zoo_cfg_detail;

constexpr std::int64_t int32_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
/// Elsewhere the smallest number means "no server".
constexpr std::int64_t id_min = std::numeric_limits<std::int64_t>::min() + 1;
/// Sums of weights are compared doubled, and servers without a weight count as 1 each.
constexpr std::int64_t weights_max = int64_max / 4;
/// A file that is not a configuration at all must not produce a million messages.
constexpr std::size_t problems_max = 100;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view server_form =
    "the form is server.1=host:2888:3888, then :observer for an observer, then ;2181 for clients";

std::string electionRefusal(std::int64_t algorithm) {
  switch (algorithm) {
    case 0:
      return "electionAlg 0 is the UDP LeaderElection, which was deprecated in 3.4.0 and removed in 3.6.0";
    case 1:
      return "electionAlg 1 is FastLeaderElection over UDP without authentication, which was deprecated in "
             "3.4.0 and "
             "removed in 3.6.0";
    case 2:
      return "electionAlg 2 is FastLeaderElection over UDP with authentication, which was deprecated in "
             "3.4.0 and "
             "removed in 3.6.0";
    default: return "there is no electionAlg " + std::to_string(algorithm);
  }
}

/// A server in a group.
struct GroupMember {
  std::int64_t group = 0;
  Place place;
};

class Parser {
 public:
  ZooCfg parse(std::string_view text) {
    Properties properties(text);
    Text line;
    while (properties.nextLine(line)) {
      if (const std::optional<Entry> entry = entryOf(line)) {
        take(*entry);
      } else {
        error(line.at(0), "this line has a \\u that is not followed by four hexadecimal digits",
              "write \\\\ for a backslash; Java refuses the file");
      }
    }
    checkMembers();
    checkQuorums();
    checkTimes();
    for (std::vector<ZooCfgProblem>* problems : {&cfg_.errors, &cfg_.warnings}) {
      std::stable_sort(problems->begin(), problems->end(),
                       [](const ZooCfgProblem& a, const ZooCfgProblem& b) {
                         return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                       });
    }
    return std::move(cfg_);
  }

 private:
  static void tell(std::vector<ZooCfgProblem>& problems, Place at, std::string text, std::string_view hint) {
    if (problems.size() > problems_max) return;
    if (problems.size() == problems_max) {
      text = "and more, which are omitted";
      hint = {};
    }
    problems.push_back({at.line, at.column, std::move(text), std::string(hint)});
  }
  void error(Place at, std::string text, std::string_view hint = {}) {
    tell(cfg_.errors, at, std::move(text), hint);
  }
  void warn(Place at, std::string text, std::string_view hint = {}) {
    tell(cfg_.warnings, at, std::move(text), hint);
  }

  /// `piece` of `text` as an integer within [lo, hi], in Java's notation; `what` names it in messages.
  std::optional<std::int64_t> number(const Text& text, Piece piece, const std::string& what, std::int64_t lo,
                                     std::int64_t hi, std::string_view hint = {}) {
    const Place at = text.at(piece.offset);
    if (piece.chars.empty()) {
      error(at, what + " is missing", hint);
      return std::nullopt;
    }
    std::string_view digits = piece.chars;
    if (digits.front() == '+') digits.remove_prefix(1);
    const std::string_view magnitude = digits.substr(piece.chars.front() == '-' ? 1 : 0);
    if (magnitude.empty() || !std::all_of(magnitude.begin(), magnitude.end(), isDigit)) {
      const bool blanks = !trimmed(piece).chars.empty() && trimmed(piece).chars.size() != piece.chars.size();
      error(at, what + " is " + quoted(piece.chars) + ", which is not a whole number",
            blanks ? "ZooKeeper does not allow blanks here" : hint);
      return std::nullopt;
    }
    std::int64_t value = 0;
    const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failure != std::errc{} || value < lo || value > hi) {
      error(at,
            what + " is " + quoted(piece.chars) + " and must lie between " + std::to_string(lo) + " and " +
                std::to_string(hi),
            hint);
      return std::nullopt;
    }
    return value;
  }

  /// The N of `server.N` and similar keys.
  std::optional<std::int64_t> numberInKey(const Text& key, std::string_view hint) {
    const std::size_t dot = key.chars.find('.');
    if (dot == std::string::npos) {
      error(key.at(0), "the key " + quoted(key.chars) + " has no number", hint);
      return std::nullopt;
    }
    return number(key, wholeOf(key).from(dot + 1), "the number in the key " + quoted(key.chars), id_min,
                  int64_max, hint);
  }

  void take(const Entry& entry) {
    const std::string& key = entry.key.chars;
    const Place at = entry.key.at(0);
    const auto [first, is_new] = first_at_.emplace(key, at);
    if (!is_new) {
      error(at, "the key " + quoted(key) + " is in line " + std::to_string(first->second.line) + " already",
            "Java would use the last one without a message");
      return;
    }
    if (key == "tickTime") {
      cfg_.tick_time_ms =
          count(entry, "give the length of a tick in milliseconds, for instance tickTime=2000");
    } else if (key == "initLimit") {
      cfg_.init_limit = count(entry, "give a number of ticks, for instance initLimit=10");
    } else if (key == "syncLimit") {
      cfg_.sync_limit = count(entry, "give a number of ticks, for instance syncLimit=5");
    } else if (key == "electionAlg") {
      takeElectionAlg(entry);
    } else if (isPropertyKey(entry, "fastleader.minNotificationInterval")) {
      cfg_.min_notification_ms = count(entry, "give milliseconds; ZooKeeper's own value is 200");
    } else if (isPropertyKey(entry, "fastleader.maxNotificationInterval")) {
      cfg_.max_notification_ms = count(entry, "give milliseconds; ZooKeeper's own value is 60000");
    } else if (isPropertyKey(entry, "snapCount")) {
      cfg_.snap_count = count(entry, "give a number of transactions; ZooKeeper's own value is 100000");
      checkSnapCount(entry);
    } else if (key.starts_with("server.")) {
      takeServer(entry);
    } else if (key.starts_with("group")) {
      takeGroup(entry);
    } else if (key.starts_with("weight")) {
      takeWeight(entry);
    } else if (isDocumented(key)) {
      values_.emplace(key, lowerCase(trimmed(wholeOf(entry.value)).chars));
      cfg_.no_effect.push_back(key);
      checkKind(entry);
      return;
    } else {
      // A similar key is searched for only as long as it will be shown.
      const std::string meant = cfg_.warnings.size() < problems_max ? nearMiss(key) : std::string();
      warn(at, "the key " + quoted(key) + " is not one of ZooKeeper's",
           meant.empty() ? "it has no effect here" : "did you mean " + meant + "?");
      return;
    }
    cfg_.used.push_back(key);
  }

  /// The value of a documented key that nothing here depends on.
  void checkKind(const Entry& entry) {
    const std::optional<ValueKind> kind = kindOf(entry.key.chars);
    if (!kind) return;
    const Piece value = trimmed(wholeOf(entry.value));
    const std::string word = lowerCase(value.chars);
    const Place at = entry.value.at(value.offset);
    const std::string is = entry.key.chars + " is " + quoted(value.chars);
    switch (*kind) {
      case ValueKind::integer:
        number(entry.value, value, entry.key.chars, std::numeric_limits<std::int32_t>::min(), int32_max);
        return;
      case ValueKind::boolean:
        if (word != "true" && word != "false")
          error(at, is + ", which is neither true nor false", "ZooKeeper refuses the file");
        return;
      case ValueKind::role:
        if (word != "participant" && word != "observer")
          error(at, is + ", which is neither participant nor observer", "ZooKeeper refuses the file");
        return;
      case ValueKind::flag:
        if (word != "true" && word != "false")
          warn(at, is + ", which is neither true nor false", "ZooKeeper takes it for false");
        return;
      case ValueKind::unless_no:
        if (value.chars != "yes" && value.chars != "no")
          warn(at, is + ", which is neither yes nor no", "ZooKeeper takes it for yes");
        return;
      case ValueKind::if_yes:
        if (value.chars != "yes" && value.chars != "no")
          warn(at, is + ", which is neither yes nor no", "ZooKeeper takes it for no");
        return;
    }
  }

  /// The value of a key that takes a positive 32-bit number.
  std::optional<std::int64_t> count(const Entry& entry, std::string_view hint) {
    return number(entry.value, trimmed(wholeOf(entry.value)), entry.key.chars, 1, int32_max, hint);
  }

  void checkSnapCount(const Entry& entry) {
    if (cfg_.snap_count != 1) return;
    warn(entry.value.at(0), "snapCount is 1; it counts as 2", "ZooKeeper uses at least 2");
    cfg_.snap_count = 2;
  }

  /// A key that ZooKeeper reads as a Java system property.
  bool isPropertyKey(const Entry& entry, std::string_view name) {
    std::string_view key = entry.key.chars;
    if (key == name) return true;
    if (!key.starts_with(property_prefix) || key.substr(property_prefix.size()) != name) return false;
    warn(entry.key.at(0), quoted(key) + " is the name of the Java system property; it counts here",
         "in a zoo.cfg ZooKeeper itself puts zookeeper. before it: write " + std::string(name));
    const auto [first, is_new] = first_at_.emplace(std::string(name), entry.key.at(0));
    if (!is_new) {
      error(entry.key.at(0),
            std::string(name) + " is in line " + std::to_string(first->second.line) + " already");
    }
    return true;
  }

  void takeElectionAlg(const Entry& entry) {
    const Piece value = trimmed(wholeOf(entry.value));
    constexpr std::string_view hint =
        "write electionAlg=3 (FastLeaderElection over TCP) or leave the line out";
    const auto algorithm =
        number(entry.value, value, "electionAlg", std::numeric_limits<std::int32_t>::min(), int32_max, hint);
    if (!algorithm) return;
    if (*algorithm == 3) {
      cfg_.election_alg = algorithm;
    } else {
      error(entry.value.at(value.offset), electionRefusal(*algorithm), hint);
    }
  }

  // ---- server.N=address[|address...][;client address]

  void takeServer(const Entry& entry) {
    const std::optional<std::int64_t> id = numberInKey(entry.key, server_form);
    if (!id) return;
    const auto [first, is_new] = server_at_.emplace(*id, entry.key.at(0));
    if (!is_new) {
      error(
          entry.key.at(0),
          "server " + std::to_string(*id) + " is in line " + std::to_string(first->second.line) + " already",
          "give each server its own id");
      return;
    }
    ZooCfgServer server;
    server.id = *id;
    const std::vector<Piece> parts = split(wholeOf(entry.value), ';');
    if (parts.size() > 2) {
      error(entry.value.at(parts[2].offset), "there is more after the client address", server_form);
      return;
    }
    std::optional<bool> observer;
    const std::vector<Piece> addresses = split(parts[0], '|');
    for (const Piece& address : addresses) {
      if (!takeAddress(entry.value, address, server, observer)) return;
    }
    if (addresses.size() > 1) several_addresses_at_.push_back(entry.value.at(addresses[1].offset));
    server.observer = observer.value_or(false);
    observer_.emplace(server.id, server.observer);
    if (parts.size() == 2 && !takeClientAddress(entry.value, parts[1], server)) return;
    cfg_.servers.push_back(std::move(server));
  }

  /// The host, with an IPv6 literal's brackets taken off, and what the colons behind it separate.
  std::optional<std::vector<Piece>> hostAndRest(const Text& text, Piece piece) {
    if (!piece.chars.starts_with('[')) return split(piece, ':');
    const std::size_t close = piece.chars.find("]:");
    if (close == std::string_view::npos) {
      error(text.at(piece.offset), "the [ of an IPv6 address has no matching ]:", server_form);
      return std::nullopt;
    }
    std::vector<Piece> parts = split(piece.from(close + 2), ':');
    parts.insert(parts.begin(), Piece{piece.chars.substr(1, close - 1), piece.offset + 1});
    return parts;
  }

  /// One host:quorumPort:electionPort[:role]. `observer` is the role that an earlier address gave.
  bool takeAddress(const Text& text, Piece piece, ZooCfgServer& server, std::optional<bool>& observer) {
    const auto parts = hostAndRest(text, piece);
    if (!parts) return false;
    if (parts->size() < 3 || parts->size() > 4) {
      const bool bare_ipv6 = parts->size() > 4 && !piece.chars.starts_with('[');
      error(text.at(piece.offset), quoted(piece.chars) + " is not host:quorumPort:electionPort[:role]",
            bare_ipv6 ? "put an IPv6 address into brackets: [::1]:2888:3888" : server_form);
      return false;
    }
    const auto& [host, quorum, election] = std::tie((*parts)[0], (*parts)[1], (*parts)[2]);
    if (host.chars.empty()) {
      error(text.at(host.offset), "the host is missing", server_form);
      return false;
    }
    const auto quorum_port = number(text, quorum, "the quorum port", 0, 65535, server_form);
    const auto election_port = number(text, election, "the election port", 0, 65535, server_form);
    if (!quorum_port || !election_port) return false;
    if (*quorum_port == *election_port) {
      error(text.at(election.offset), "the quorum port and the election port are the same", server_form);
      return false;
    }
    if (parts->size() == 4 && !takeRole(text, (*parts)[3], observer)) return false;
    server.addresses.push_back({std::string(host.chars), *quorum_port, *election_port});
    return true;
  }

  bool takeRole(const Text& text, Piece piece, std::optional<bool>& observer) {
    const std::string role = lowerCase(trimmed(piece).chars);
    if (role != "observer" && role != "participant") {
      error(text.at(piece.offset), "the role " + quoted(piece.chars) + " is neither participant nor observer",
            nearMissOf(role));
      return false;
    }
    const bool observes = role == "observer";
    if (observer.value_or(observes) != observes) {
      error(text.at(piece.offset), "the addresses of one server give it different roles");
      return false;
    }
    observer = observes;
    return true;
  }

  static std::string_view nearMissOf(const std::string& role) {
    if (editDistance(role, "observer") <= 2) return "did you mean observer?";
    if (editDistance(role, "participant") <= 2) return "did you mean participant?";
    return server_form;
  }

  bool takeClientAddress(const Text& text, Piece piece, ZooCfgServer& server) {
    const auto parts = hostAndRest(text, piece);
    if (!parts) return false;
    if (parts->size() > 2) {
      error(text.at(piece.offset), "the client address " + quoted(piece.chars) + " is not [host:]port",
            server_form);
      return false;
    }
    server.client_port = number(text, parts->back(), "the client port", 0, 65535, server_form);
    if (parts->size() == 2) server.client_host = (*parts)[0].chars;
    return server.client_port.has_value();
  }

  // ---- group.N=id:id... and weight.N=w

  void takeGroup(const Entry& entry) {
    constexpr std::string_view form = "the form is group.1=1:2:3";
    group_at_.push_back(entry.key.at(0));
    const std::optional<std::int64_t> id = numberInKey(entry.key, form);
    if (!id) {
      groups_read_ = false;
      return;
    }
    const auto [group, is_new] = cfg_.groups.emplace(*id, std::vector<std::int64_t>());
    if (!is_new) {
      error(entry.key.at(0), "group " + std::to_string(*id) + " is given twice",
            "give each group its own number");
      return;
    }
    for (const Piece& piece : split(wholeOf(entry.value), ':')) {
      const auto server =
          number(entry.value, piece, "a server's id in " + entry.key.chars, id_min, int64_max, form);
      if (!server) {
        groups_read_ = false;
        continue;
      }
      const auto [member, is_free] = member_.emplace(*server, GroupMember{*id, entry.value.at(piece.offset)});
      if (is_free) {
        group->second.push_back(*server);
      } else {
        error(entry.value.at(piece.offset),
              "server " + std::to_string(*server) + " is in group " + std::to_string(member->second.group) +
                  " already",
              "a server belongs to one group");
      }
    }
  }

  void takeWeight(const Entry& entry) {
    constexpr std::string_view form = "the form is weight.1=1; a server of weight 0 neither counts nor leads";
    const std::optional<std::int64_t> id = numberInKey(entry.key, form);
    if (!id) return;
    const auto [first, is_new] = weight_at_.emplace(*id, entry.key.at(0));
    if (!is_new) {
      error(entry.key.at(0), "server " + std::to_string(*id) + " has a weight in line " +
                                 std::to_string(first->second.line) + " already");
      return;
    }
    const auto weight = number(entry.value, wholeOf(entry.value), entry.key.chars, 0, weights_max, form);
    if (!weight) return;
    if (*weight > weights_max - weight_sum_) {
      error(entry.value.at(0), "the weights add up to more than " + std::to_string(weights_max));
      return;
    }
    weight_sum_ += *weight;
    cfg_.weights.emplace(*id, *weight);
  }

  // ---- what the lines must satisfy together

  bool isTrue(const std::string& key) const {
    const auto value = values_.find(key);
    return value != values_.end() && value->second == "true";
  }
  bool isFalse(const std::string& key) const {
    const auto value = values_.find(key);
    return value != values_.end() && value->second == "false";
  }

  void checkMembers() {
    std::sort(cfg_.servers.begin(), cfg_.servers.end(),
              [](const ZooCfgServer& a, const ZooCfgServer& b) { return a.id < b.id; });
    if (!isTrue("multiAddress.enabled")) {
      for (const Place at : several_addresses_at_) {
        warn(at, "a server has several addresses", "ZooKeeper requires multiAddress.enabled=true for that");
      }
    }
    if (const auto dynamic = first_at_.find("dynamicConfigFile"); dynamic != first_at_.end()) {
      if (server_at_.empty() && member_.empty() && weight_at_.empty()) {
        warn(dynamic->second, "the dynamic configuration file is not read", "put its server lines here");
      } else {
        error(dynamic->second, "servers, groups and weights are here and in a dynamic configuration file",
              "ZooKeeper requires them all in that file; to use them here, leave this line out");
      }
    }
    const auto participants =
        std::count_if(observer_.begin(), observer_.end(), [](const auto& server) { return !server.second; });
    const bool all_read = observer_.size() == server_at_.size();
    if (observer_.empty() || !all_read) return;
    const Place at = server_at_.begin()->second;
    if (participants == 0) {
      error(at, "every server is an observer", "only participants elect: at least one server must be one");
    } else if (participants == 1 && !isFalse("standaloneEnabled")) {
      const bool alone = observer_.size() == 1;
      warn(at, "there is only one participant",
           alone ? "ZooKeeper would run standalone without an election, unless standaloneEnabled=false"
                 : "ZooKeeper refuses observers without a quorum, unless standaloneEnabled=false");
    }
  }

  bool isServer(std::int64_t id) const { return server_at_.contains(id); }
  bool isObserver(std::int64_t id) const {
    const auto server = observer_.find(id);
    return server != observer_.end() && server->second;
  }

  /// QuorumHierarchical: any group or weight makes the quorums hierarchical, and then each participant needs
  /// a group and each member of a group a weight (a participant's is 1 unless given).
  void checkQuorums() {
    if (group_at_.empty() && !weight_at_.empty()) {
      error(weight_at_.begin()->second, "there are weights but no groups",
            "weights count within groups: add group.1=... with all participants, or leave the weights out");
    }
    for (const auto& [id, observer] : observer_) {
      if (!group_at_.empty() && groups_read_ && !observer && !member_.contains(id)) {
        error(server_at_.at(id), "server " + std::to_string(id) + " is in no group",
              "if there are groups, each participant belongs to one");
      }
    }
    for (const auto& [id, member] : member_) checkGrouped(id, member);
    for (const auto& [id, at] : weight_at_) {
      if (!isServer(id) && !member_.contains(id)) {
        warn(at, "the weight of " + std::to_string(id) + " has no effect: there is no such server");
      }
    }
  }

  void checkGrouped(std::int64_t id, const GroupMember& member) {
    if (isServer(id) && !isObserver(id)) return;
    const std::string who = isServer(id) ? "server " + std::to_string(id) + ", an observer,"
                                         : std::to_string(id) + ", which is no server,";
    const std::string text = who + " is in group " + std::to_string(member.group);
    if (weight_at_.contains(id)) {
      warn(member.place, text, "its weight makes the group's majority larger, and it never votes");
    } else {
      error(member.place, text, "only participants belong in groups; ZooKeeper fails to start with it");
    }
  }

  void checkTimes() {
    for (const auto& [key, limit] :
         {std::pair("initLimit", cfg_.init_limit), std::pair("syncLimit", cfg_.sync_limit)}) {
      if (limit && cfg_.tick_time_ms && *limit * *cfg_.tick_time_ms > int32_max) {
        error(first_at_.at(key),
              std::string(key) + " ticks are more than " + std::to_string(int32_max) + " milliseconds",
              "ZooKeeper multiplies the two in 32 bits");
      }
      if (!first_at_.contains(key) && cfg_.servers.size() > 1) {
        warn(server_at_.begin()->second, std::string(key) + " is not set",
             "ZooKeeper refuses to start without it");
      }
    }
    if (cfg_.min_notification_ms && cfg_.max_notification_ms &&
        *cfg_.min_notification_ms > *cfg_.max_notification_ms) {
      warn(first_at_.at("fastleader.minNotificationInterval"),
           "the smallest notification interval is larger than the largest",
           "ZooKeeper waits for it once and then for the smaller one");
    }
  }

  ZooCfg cfg_;
  std::map<std::string, Place> first_at_;      ///< every key
  std::map<std::string, std::string> values_;  ///< of the documented keys, in lower case
  std::map<std::int64_t, Place> server_at_;
  std::map<std::int64_t, bool> observer_;  ///< for the servers whose addresses could be read
  std::vector<Place> several_addresses_at_;
  std::vector<Place> group_at_;
  std::map<std::int64_t, GroupMember> member_;  ///< of the groups
  bool groups_read_ = true;                     ///< every group line could be read
  std::map<std::int64_t, Place> weight_at_;
  std::int64_t weight_sum_ = 0;
};

}  // namespace

ZooCfg parseZooCfg(std::string_view text) { return Parser().parse(text); }

}  // namespace zablab::zab
