#include "protocol/zab/zoo_cfg_keys.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "protocol/zab/zoo_cfg_text.h"

namespace zablab::zab::zoo_cfg_detail {
namespace {

/// The keys that count, with N for a number.
constexpr std::array effective_keys = std::to_array<std::string_view>(
    {"tickTime", "initLimit", "syncLimit", "electionAlg", "fastleader.minNotificationInterval",
     "fastleader.maxNotificationInterval", "snapCount"});
constexpr std::array numbered_keys = std::to_array<std::string_view>({"server", "group", "weight"});

/// Every other key of the Administrator's Guide and of QuorumPeerConfig, by the name that a zoo.cfg uses and,
/// where that differs, by its Java system property's name without the leading "zookeeper.", which works in a
/// zoo.cfg too.
constexpr std::array documented_keys = std::to_array<std::string_view>({
    // minimum configuration
    "clientPort",
    "secureClientPort",
    "observerMasterPort",
    "dataDir",
    // advanced configuration
    "dataLogDir",
    "globalOutstandingLimit",
    "preAllocSize",
    "commitLogCount",
    "snapSizeLimitInKb",
    "txnLogSizeLimitInKb",
    "maxCnxns",
    "maxClientCnxns",
    "clientPortAddress",
    "secureClientPortAddress",
    "minSessionTimeout",
    "maxSessionTimeout",
    "fsync.warningthresholdms",
    "maxResponseCacheSize",
    "maxGetChildrenResponseCacheSize",
    "autopurge.snapRetainCount",
    "autopurge.purgeInterval",
    "syncEnabled",
    "observer.syncEnabled",
    "extendedTypesEnabled",
    "emulate353TTLNodes",
    "watchManaggerName",
    "watchManagerName",
    "watcherCleanThreadsNum",
    "watcherCleanThreshold",
    "watcherCleanIntervalInSeconds",
    "maxInProcessingDeadWatchers",
    "bitHashCacheSize",
    "connectionMaxTokens",
    "connection_throttle_tokens",
    "connectionTokenFillTime",
    "connection_throttle_fill_time",
    "connectionTokenFillCount",
    "connection_throttle_fill_count",
    "connectionFreezeTime",
    "connection_throttle_freeze_time",
    "connectionDropIncrease",
    "connection_throttle_drop_increase",
    "connectionDropDecrease",
    "connection_throttle_drop_decrease",
    "connectionDecreaseRatio",
    "connection_throttle_decrease_ratio",
    "connection_throttle_weight_enabled",
    "connection_throttle_global_session_weight",
    "connection_throttle_local_session_weight",
    "connection_throttle_renew_session_weight",
    "clientPortListenBacklog",
    "serverCnxnFactory",
    "flushDelay",
    "maxWriteQueuePollTime",
    "maxBatchSize",
    "enforceQuota",
    "requestThrottleLimit",
    "request_throttle_max_requests",
    "requestThrottleStallTime",
    "request_throttle_stall_time",
    "requestThrottleDropStale",
    "request_throttle_drop_stale",
    "requestStaleLatencyCheck",
    "request_stale_latency_check",
    "requestStaleConnectionCheck",
    "request_stale_connection_check",
    "request_throttler.shutdownTimeout",
    "advancedFlowControlEnabled",
    "netty.advancedFlowControl.enabled",
    "enableEagerACLCheck",
    "maxConcurrentSnapSyncs",
    "leader.maxConcurrentSnapSyncs",
    "maxConcurrentDiffSyncs",
    "leader.maxConcurrentDiffSyncs",
    "digest.enabled",
    "snapshot.compression.method",
    "snapshot.trust.empty",
    "audit.enable",
    "audit.impl.class",
    "largeRequestMaxBytes",
    "largeRequestThreshold",
    "outstandingHandshake.limit",
    "netty.server.outstandingHandshake.limit",
    "netty.server.earlyDropSecureConnectionHandshakes",
    "throttledOpWaitTime",
    "throttled_op_wait_time",
    "learner.closeSocketAsync",
    "leader.closeSocketAsync",
    "learner.asyncSending",
    "forward_learner_requests_to_commit_processor_disabled",
    "serializeLastProcessedZxid.enabled",
    // cluster options
    "maxTimeToWaitForEpoch",
    "leader.maxTimeToWaitForEpoch",
    "connectToLearnerMasterLimit",
    "leaderServes",
    "cnxTimeout",
    "quorumCnxnTimeoutMs",
    "standaloneEnabled",
    "reconfigEnabled",
    "4lw.commands.whitelist",
    "tcpKeepAlive",
    "clientTcpKeepAlive",
    "electionPortBindRetry",
    "observer.reconnectDelayMs",
    "observer.election.DelayMs",
    "localSessionsEnabled",
    "localSessionsUpgradingEnabled",
    "peerType",
    "dynamicConfigFile",
    "version",
    "oraclePath",
    // encryption, authentication, authorization
    "DigestAuthenticationProvider.enabled",
    "DigestAuthenticationProvider.superDigest",
    "DigestAuthenticationProvider.digestAlg",
    "IPAuthenticationProvider.usexforwardedfor",
    "X509AuthenticationProvider.superUser",
    "superUser",
    "ensembleAuthName",
    "sessionRequireClientSASLAuth",
    "allowSaslFailedClients",
    "requireClientAuthScheme",
    "jaasLoginRenew",
    "enforce.auth.enabled",
    "enforce.auth.schemes",
    "sslQuorum",
    "sslQuorumReloadCertFiles",
    "portUnification",
    "client.certReload",
    "client.portUnification",
    "authProvider",
    "kerberos.removeHostFromPrincipal",
    "kerberos.removeRealmFromPrincipal",
    "kerberos.canonicalizeHostNames",
    "quorum.auth.enableSasl",
    "quorum.auth.serverRequireSasl",
    "quorum.auth.learnerRequireSasl",
    "quorum.auth.learner.loginContext",
    "quorum.auth.server.loginContext",
    "quorum.auth.kerberos.servicePrincipal",
    "quorum.cnxn.threads.size",
    "multiAddress.enabled",
    "multiAddress.reachabilityCheckTimeoutMs",
    "multiAddress.reachabilityCheckEnabled",
    "fips-mode",
    // experimental and unsafe options
    "readonlymode.enabled",
    "follower.skipLearnerRequestToNextProcessor",
    "forceSync",
    "jute.maxbuffer",
    "jute.maxbuffer.extrasize",
    "skipACL",
    "quorumListenOnAllIPs",
    "datadir.autocreate",
    "db.autocreate",
    // performance and observability
    "nio.numSelectorThreads",
    "nio.numWorkerThreads",
    "commitProcessor.numWorkerThreads",
    "commitProcessor.maxReadBatchSize",
    "commitProcessor.maxCommitBatchSize",
    "znode.container.checkIntervalMs",
    "znode.container.maxPerMinute",
    "znode.container.maxNeverUsedIntervalMs",
    "messageTracker.BufferSize",
    "messageTracker.Enabled",
    "jvm.pause.monitor",
    "jvm.pause.info-threshold.ms",
    "jvm.pause.warn-threshold.ms",
    "jvm.pause.sleep.time.ms",
    // the admin server
    "admin.rateLimiterIntervalInMS",
    "admin.snapshot.enabled",
    "admin.restore.enabled",
    "admin.needClientAuth",
    "admin.forceHttps",
    "admin.portUnification",
    "admin.enableServer",
    "admin.serverAddress",
    "admin.serverPort",
    "admin.idleTimeout",
    "admin.commandURL",
});

/// Of these the form is checked: the ones that QuorumPeerConfig.parseProperties reads itself, and system
/// properties that are read by Boolean.getBoolean, or compared with yes or no (FileTxnLog, DataTree).
constexpr std::array kinds = std::to_array<std::pair<std::string_view, ValueKind>>({
    {"clientPort", ValueKind::integer},
    {"secureClientPort", ValueKind::integer},
    {"observerMasterPort", ValueKind::integer},
    {"clientPortListenBacklog", ValueKind::integer},
    {"maxClientCnxns", ValueKind::integer},
    {"minSessionTimeout", ValueKind::integer},
    {"maxSessionTimeout", ValueKind::integer},
    {"connectToLearnerMasterLimit", ValueKind::integer},
    {"autopurge.snapRetainCount", ValueKind::integer},
    {"autopurge.purgeInterval", ValueKind::integer},
    {"quorum.cnxn.threads.size", ValueKind::integer},
    {"multiAddress.reachabilityCheckTimeoutMs", ValueKind::integer},
    {"localSessionsEnabled", ValueKind::boolean},
    {"localSessionsUpgradingEnabled", ValueKind::boolean},
    {"quorumListenOnAllIPs", ValueKind::boolean},
    {"syncEnabled", ValueKind::boolean},
    {"standaloneEnabled", ValueKind::boolean},
    {"reconfigEnabled", ValueKind::boolean},
    {"sslQuorum", ValueKind::boolean},
    {"portUnification", ValueKind::boolean},
    {"sslQuorumReloadCertFiles", ValueKind::boolean},
    {"quorum.auth.enableSasl", ValueKind::boolean},
    {"quorum.auth.serverRequireSasl", ValueKind::boolean},
    {"quorum.auth.learnerRequireSasl", ValueKind::boolean},
    {"jvm.pause.monitor", ValueKind::boolean},
    {"multiAddress.enabled", ValueKind::boolean},
    {"multiAddress.reachabilityCheckEnabled", ValueKind::boolean},
    {"peerType", ValueKind::role},
    {"readonlymode.enabled", ValueKind::flag},
    {"extendedTypesEnabled", ValueKind::flag},
    {"enforceQuota", ValueKind::flag},
    {"forceSync", ValueKind::unless_no},
    {"skipACL", ValueKind::if_yes},
});

/// After "ssl." and after "ssl.quorum.".
constexpr std::array ssl_keys = std::to_array<std::string_view>({"authProvider",
                                                                 "keyStore.location",
                                                                 "keyStore.password",
                                                                 "keyStore.passwordPath",
                                                                 "keyStore.type",
                                                                 "trustStore.location",
                                                                 "trustStore.password",
                                                                 "trustStore.passwordPath",
                                                                 "trustStore.type",
                                                                 "protocol",
                                                                 "enabledProtocols",
                                                                 "ciphersuites",
                                                                 "context.supplier.class",
                                                                 "hostnameVerification",
                                                                 "clientHostnameVerification",
                                                                 "allowReverseDnsLookup",
                                                                 "crl",
                                                                 "ocsp",
                                                                 "clientAuth",
                                                                 "handshakeDetectionTimeoutMillis",
                                                                 "sslProvider"});

/// What follows these is the user's choice.
constexpr std::array open_prefixes =
    std::to_array<std::string_view>({"metricsProvider.", "authProvider.", "superUser."});

template <class Keys>
bool isOneOf(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

bool isDocumented(std::string_view key) {
  if (key.starts_with(property_prefix)) key.remove_prefix(property_prefix.size());
  if (isOneOf(documented_keys, key)) return true;
  for (const std::string_view prefix : {"ssl.quorum.", "ssl."}) {
    if (key.starts_with(prefix) && isOneOf(ssl_keys, key.substr(prefix.size()))) return true;
  }
  return std::any_of(open_prefixes.begin(), open_prefixes.end(), [key](std::string_view prefix) {
    return key.starts_with(prefix) && key.size() > prefix.size();
  });
}

std::optional<ValueKind> kindOf(std::string_view key) {
  // With the prefix a key is a system property, which QuorumPeerConfig does not read.
  const bool property = key.starts_with(property_prefix);
  if (property) key.remove_prefix(property_prefix.size());
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == key; });
  if (found == kinds.end() || (property && found->second < ValueKind::flag)) return std::nullopt;
  return found->second;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lowerCase(a[i - 1]) == lowerCase(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lowerCase(a[i - 1]) == lowerCase(b[j - 2]) &&
                           lowerCase(a[i - 2]) == lowerCase(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearMiss(std::string_view key) {
  constexpr std::size_t distance_max = 2;
  std::size_t nearest = std::min(distance_max, key.size() / 3) + 1;
  std::string meant;
  const auto consider = [&](std::string_view written, std::string_view known, const std::string& suggestion) {
    if (std::max(written.size(), known.size()) - std::min(written.size(), known.size()) >= nearest) return;
    const std::size_t distance = editDistance(written, known);
    if (distance < nearest) {
      nearest = distance;
      meant = suggestion;
    }
  };
  for (const std::string_view known : effective_keys) consider(key, known, std::string(known));
  const std::size_t dot = key.rfind('.');
  if (dot != std::string_view::npos && dot + 1 < key.size() && key[dot + 1] >= '0' && key[dot + 1] <= '9') {
    for (const std::string_view known : numbered_keys) {
      consider(key.substr(0, dot), known, std::string(known) + std::string(key.substr(dot)));
    }
  }
  for (const std::string_view known : documented_keys) consider(key, known, std::string(known));
  for (const std::string prefix : {"ssl.", "ssl.quorum."}) {
    for (const std::string_view known : ssl_keys) {
      const std::string name = prefix + std::string(known);
      consider(key, name, name);
    }
  }
  return meant;
}

}  // namespace zablab::zab::zoo_cfg_detail
