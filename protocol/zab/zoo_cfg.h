// Reads a real zoo.cfg: the Java properties format, and those of ZooKeeper's keys that decide an election. It
// is a pure function from text to a struct; errors in the text are reported in the struct, with their places.
//
// It refuses what ZooKeeper refuses or cannot run with (QuorumPeerConfig, QuorumPeer.QuorumServer,
// QuorumHierarchical), and a key or an id given twice, of which Java's properties silently keep one. Unusual
// configurations that run, keys that ZooKeeper does not document and keys that need another one are warnings.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zablab::zab {

/// An error or a warning about the file. Lines and columns (bytes) count from 1.
struct ZooCfgProblem {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string text;
  std::string hint;  ///< the remedy; empty when the text states it
  bool operator==(const ZooCfgProblem&) const = default;
};
BOOST_DESCRIBE_STRUCT(ZooCfgProblem, (), (line, column, text, hint))

/// host:quorumPort:electionPort; a server may have several.
struct ZooCfgAddress {
  std::string host;
  std::int64_t quorum_port = 0;
  std::int64_t election_port = 0;
  bool operator==(const ZooCfgAddress&) const = default;
};
BOOST_DESCRIBE_STRUCT(ZooCfgAddress, (), (host, quorum_port, election_port))

/// One `server.N` line.
struct ZooCfgServer {
  std::int64_t id = 0;
  bool observer = false;
  std::vector<ZooCfgAddress> addresses;
  std::string client_host;  ///< empty: the line names none
  std::optional<std::int64_t> client_port;
  bool operator==(const ZooCfgServer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ZooCfgServer, (), (id, observer, addresses, client_host, client_port))

struct ZooCfg {
  std::optional<std::int64_t> tick_time_ms;
  std::optional<std::int64_t> init_limit;  ///< ticks
  std::optional<std::int64_t> sync_limit;  ///< ticks
  std::optional<std::int64_t> election_alg;
  std::optional<std::int64_t> min_notification_ms;
  std::optional<std::int64_t> max_notification_ms;
  std::optional<std::int64_t> snap_count;  ///< 2 at least
  std::vector<ZooCfgServer> servers;       ///< by id
  std::map<std::int64_t, std::vector<std::int64_t>>
      groups;                                    ///< group -> its members, in the order of the file
  std::map<std::int64_t, std::int64_t> weights;  ///< as given; a server without one weighs 1
  std::vector<std::string> used;                 ///< keys that count here
  std::vector<std::string> no_effect;            ///< documented keys that nothing here depends on
  std::vector<ZooCfgProblem> warnings;
  std::vector<ZooCfgProblem> errors;  ///< empty: the configuration may be used
  bool operator==(const ZooCfg&) const = default;
};
BOOST_DESCRIBE_STRUCT(ZooCfg, (),
                      (tick_time_ms, init_limit, sync_limit, election_alg, min_notification_ms,
                       max_notification_ms, snap_count, servers, groups, weights, used, no_effect, warnings,
                       errors))

ZooCfg parseZooCfg(std::string_view text);

}  // namespace zablab::zab
