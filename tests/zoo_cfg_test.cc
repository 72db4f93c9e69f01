// A real zoo.cfg, read as ZooKeeper reads it (protocol/zab/zoo_cfg.h).
#include "protocol/zab/zoo_cfg.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace zablab::zab {
namespace {

using Strings = std::vector<std::string>;

/// "line:column text (hint)"
Strings shown(const std::vector<ZooCfgProblem>& problems) {
  Strings out;
  for (const ZooCfgProblem& p : problems) {
    out.push_back(std::to_string(p.line) + ":" + std::to_string(p.column) + " " + p.text +
                  (p.hint.empty() ? "" : " (" + p.hint + ")"));
  }
  return out;
}

std::string joined(const Strings& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

const std::string three_servers = "server.1=a:2888:3888\nserver.2=b:2888:3888\nserver.3=c:2888:3888\n";
const std::string limits = "initLimit=10\nsyncLimit=5\n";

/// The problems of `text`: its errors first, then its warnings.
std::string problemsOf(const std::string& text) {
  const ZooCfg cfg = parseZooCfg(text);
  Strings all;
  for (const std::string& line : shown(cfg.errors)) all.push_back("error " + line);
  for (const std::string& line : shown(cfg.warnings)) all.push_back("warning " + line);
  return joined(all);
}

struct Row {
  std::string text;
  std::string begins;  ///< the beginning of the first problem; empty: there is none
};

void checkRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string problems = problemsOf(row.text);
    if (row.begins.empty()) {
      CHECK(problems == "");
    } else {
      CHECK_MESSAGE(problems.starts_with(row.begins), problems);
    }
  }
}

TEST_CASE("zoo.cfg: a complete file") {
  const ZooCfg cfg = parseZooCfg(R"(# three voters and an observer
tickTime=2000
dataDir=/var/lib/zookeeper
clientPort=2181
! limits, in ticks
initLimit = 10
syncLimit 5
electionAlg:3
fastleader.minNotificationInterval=100
fastleader.maxNotificationInterval=5000
snapCount=1000

server.3=zoo3:2888:3888:participant;2181
server.1=zoo1:2888:3888
server.2=[2001:db8::1]:2889:3889
server.10=zoo4:2888:3888:OBSERVER;[::1]:2182
)");
  CHECK(shown(cfg.errors) == Strings{});
  CHECK(shown(cfg.warnings) == Strings{});
  CHECK(cfg.tick_time_ms == 2000);
  CHECK(cfg.init_limit == 10);
  CHECK(cfg.sync_limit == 5);
  CHECK(cfg.election_alg == 3);
  CHECK(cfg.min_notification_ms == 100);
  CHECK(cfg.max_notification_ms == 5000);
  CHECK(cfg.snap_count == 1000);
  CHECK(cfg.no_effect == Strings{"dataDir", "clientPort"});
  REQUIRE(cfg.servers.size() == 4);
  CHECK(cfg.servers[0] == ZooCfgServer{1, false, {{"zoo1", 2888, 3888}}, "", {}});
  CHECK(cfg.servers[1] == ZooCfgServer{2, false, {{"2001:db8::1", 2889, 3889}}, "", {}});
  CHECK(cfg.servers[2] == ZooCfgServer{3, false, {{"zoo3", 2888, 3888}}, "", 2181});
  CHECK(cfg.servers[3] == ZooCfgServer{10, true, {{"zoo4", 2888, 3888}}, "::1", 2182});
  CHECK(cfg.groups.empty());
  CHECK(cfg.weights.empty());
}

TEST_CASE("zoo.cfg: nothing given is nothing set") {
  const ZooCfg cfg = parseZooCfg("");
  CHECK(cfg == ZooCfg{});
  CHECK(parseZooCfg("\n\n# tickTime=1\n  ! more\n") == ZooCfg{});
}

TEST_CASE("zoo.cfg: groups and weights") {
  const ZooCfg cfg = parseZooCfg(
      "server.0=a:1:2\nserver.1=b:1:2\nserver.2=c:1:2\nserver.3=d:1:2\nserver.9=e:1:2:observer\n" + limits +
      "group.1=2:0\ngroup.2=1:3\nweight.3=0\nweight.0=5\n");
  CHECK(joined(shown(cfg.errors)) == "");
  CHECK(joined(shown(cfg.warnings)) == "");
  CHECK(cfg.groups == std::map<std::int64_t, std::vector<std::int64_t>>{{1, {2, 0}}, {2, {1, 3}}});
  CHECK(cfg.weights == std::map<std::int64_t, std::int64_t>{{0, 5}, {3, 0}});
}

TEST_CASE("zoo.cfg: several addresses of one server") {
  const ZooCfg cfg = parseZooCfg(
      "server.1=a:2888:3888|[::2]:2889:3889:participant;10.0.0.1:2181\n"
      "multiAddress.enabled=true\nstandaloneEnabled=false\n");
  CHECK(joined(shown(cfg.errors)) == "");
  CHECK(joined(shown(cfg.warnings)) == "");
  REQUIRE(cfg.servers.size() == 1);
  CHECK(cfg.servers[0].addresses == std::vector<ZooCfgAddress>{{"a", 2888, 3888}, {"::2", 2889, 3889}});
  CHECK(cfg.servers[0].client_host == "10.0.0.1");
  CHECK(cfg.servers[0].client_port == 2181);
}

// The format is that of java.util.Properties.load.
TEST_CASE("zoo.cfg: the properties format") {
  struct Format {
    std::string text;
    std::int64_t tick;
  };
  for (const Format& row : std::vector<Format>{
           {"tickTime=1500", 1500},
           {"tickTime = 1500  ", 1500},
           {"\t tickTime:1500\n", 1500},
           {"tickTime 1500\r\n", 1500},
           {"tickTime\t=\t1500\r", 1500},
           {"tick\\\n   Time=15\\\r\n\t00\n", 1500},
           {"tick\\Time=1500", 1500},
           {"\\u0074ickTime=\\u0031500", 1500},
           {"# a comment \\\ntickTime=1500", 1500},
           {"tickTime=+1500", 1500},
           {"tickTime=001500", 1500},
           {"dataDir=C:\\\\zk\ntickTime=1500", 1500},
       }) {
    CAPTURE(row.text);
    const ZooCfg cfg = parseZooCfg(row.text);
    CHECK(joined(shown(cfg.errors)) == "");
    CHECK(joined(shown(cfg.warnings)) == "");
    CHECK(cfg.tick_time_ms == row.tick);
  }
}

TEST_CASE("zoo.cfg: electionAlg") {
  checkRows({
      {"electionAlg=3", ""},
      {"electionAlg=0",
       "error 1:13 electionAlg 0 is the UDP LeaderElection, which was deprecated in 3.4.0 and"},
      {"electionAlg=1", "error 1:13 electionAlg 1 is FastLeaderElection over UDP without authentication"},
      {"electionAlg=2", "error 1:13 electionAlg 2 is FastLeaderElection over UDP with authentication"},
      {"electionAlg=4", "error 1:13 there is no electionAlg 4 (write electionAlg=3"},
      {"electionAlg=-1", "error 1:13 there is no electionAlg -1"},
      {"electionAlg=fast", "error 1:13 electionAlg is \"fast\", which is not a whole number"},
      {"electionAlg", "error 1:12 electionAlg is missing (write electionAlg=3"},
  });
}

TEST_CASE("zoo.cfg: numbers") {
  checkRows({
      {"tickTime=0",
       "error 1:10 tickTime is \"0\" and must lie between 1 and 2147483647 (give the length of a tick"},
      {"tickTime=-2000", "error 1:10 tickTime is \"-2000\" and must"},
      {"tickTime=2s", "error 1:10 tickTime is \"2s\", which is not a whole number (give the length"},
      {"tickTime=1.5", "error 1:10 tickTime is \"1.5\""},
      {"tickTime=", "error 1:10 tickTime is missing"},
      {"tickTime=+", "error 1:10 tickTime is \"+\""},
      {"tickTime=+-1", "error 1:10 tickTime is \"+-1\", which"},
      {"tickTime=2147483647", ""},
      {"tickTime=2147483648", "error 1:10 tickTime is \"2147483648\" and must"},
      {"tickTime=99999999999999999999", "error 1:10 tickTime is \"99999999999999999999\" and must"},
      {"\n  initLimit = 0", "error 2:15 initLimit is \"0\""},
      {"syncLimit=five", "error 1:11 syncLimit is \"five\""},
      {"tickTime=2000\ninitLimit=1073742",
       "error 2:1 initLimit ticks are more than 2147483647 milliseconds (ZooKeeper multiplies"},
      {"tickTime=2000\ninitLimit=1073741", ""},
      {"fastleader.minNotificationInterval=0", "error 1:36 fastleader.minNotificationInterval is \"0\""},
      {"fastleader.minNotificationInterval=500\nfastleader.maxNotificationInterval=400",
       "warning 1:1 the smallest notification interval is larger than the largest"},
      {"zookeeper.fastleader.maxNotificationInterval=400",
       "warning 1:1 \"zookeeper.fastleader.maxNotificationInterval\" is the name of the Java system "
       "property"},
      {"fastleader.maxNotificationInterval=1\nzookeeper.fastleader.maxNotificationInterval=2",
       "error 2:1 fastleader.maxNotificationInterval is in line 1 already"},
      {"snapCount=1", "warning 1:11 snapCount is 1; it counts as 2 (ZooKeeper uses at least 2)"},
      {"snapCount=0", "error 1:11 snapCount is \"0\""},
      {"zookeeper.snapCount=4",
       "warning 1:1 \"zookeeper.snapCount\" is the name of the Java system property"},
      {"tickTime=1\x1b[31m", "error 1:10 tickTime is \"1\\x1b[31m\""},
  });
  CHECK(parseZooCfg("zookeeper.fastleader.maxNotificationInterval=400").max_notification_ms == 400);
  CHECK(parseZooCfg("snapCount=1").snap_count == 2);
  CHECK(parseZooCfg("zookeeper.snapCount=4").snap_count == 4);
}

TEST_CASE("zoo.cfg: duplicates") {
  checkRows({
      {"tickTime=1\n\ntickTime=1",
       "error 3:1 the key \"tickTime\" is in line 1 already (Java would use the last"},
      {"dataDir=a\ndataDir=b", "error 2:1 the key \"dataDir\" is in line 1 already"},
      {"server.1=a:1:2\nserver.1=b:1:2", "error 2:1 the key \"server.1\" is in line 1 already"},
      {"server.1=a:1:2\nserver.01=b:1:2",
       "error 2:1 server 1 is in line 1 already (give each server its own id)"},
      {"group.1=1\ngroup.01=2\nserver.1=a:1:2\nserver.2=b:1:2\n" + limits,
       "error 2:1 group 1 is given twice"},
      {"weight.1=1\nweight.+1=2\ngroup.1=1\nserver.1=a:1:2",
       "error 2:1 server 1 has a weight in line 1 already"},
  });
}

TEST_CASE("zoo.cfg: servers") {
  const std::string more = "\nserver.2=b:1:2\nserver.3=c:1:2\n" + limits;
  checkRows({
      {"server.1=a:1:2" + more, ""},
      {"server.-5=a:1:2" + more, ""},
      {"server.1=a:1:2: Observer " + more, ""},
      {"server.1=a:1:2:;" + more, ""},  // Java's split drops empty parts at the end
      {"server.x=a:1:2",
       "error 1:8 the number in the key \"server.x\" is \"x\", which is not a whole number"},
      {"server.=a:1:2", "error 1:8 the number in the key \"server.\" is missing (the form is server.1=host"},
      {"server.9223372036854775808=a:1:2", "error 1:8 the number in the key"},
      {"server.1=", "error 1:10 \"\" is not host:quorumPort:electionPort[:role] (the form is"},
      {"server.1=a", "error 1:10 \"a\" is not host:quorumPort:electionPort[:role]"},
      {"server.1=a:2888", "error 1:10 \"a:2888\" is not"},
      {"server.1=a:1:2:observer:3", "error 1:10 \"a:1:2:observer:3\" is not"},
      {"server.1=::1:2888:3888",
       "error 1:10 \"::1:2888:3888\" is not host:quorumPort:electionPort[:role] (put an IPv6 address into "
       "brackets"},
      {"server.1=[::1:2888:3888", "error 1:10 the [ of an IPv6 address has no matching ]:"},
      {"server.1=:1:2", "error 1:10 the host is missing"},
      {"server.1=a:x:2", "error 1:12 the quorum port is \"x\", which is not a whole number"},
      {"server.1=a:1:65536", "error 1:14 the election port is \"65536\" and must lie between 0 and 65535"},
      {"server.1=a:1:-2", "error 1:14 the election port is \"-2\" and"},
      {"server.1=a:1:1", "error 1:14 the quorum port and the election port are the same"},
      {"server.1=a:1:2 ",
       "error 1:14 the election port is \"2 \", which is not a whole number (ZooKeeper does not allow blanks "
       "here)"},
      {"server.1=a: 1:2",
       "error 1:12 the quorum port is \" 1\", which is not a whole number (ZooKeeper does not"},
      {"server.1=a:1:2:obsever",
       "error 1:16 the role \"obsever\" is neither participant nor observer (did you mean "
       "observer?)"},
      {"server.1=a:1:2:leader",
       "error 1:16 the role \"leader\" is neither participant nor observer (the form"},
      {"server.1=a:1:2;b:3:4", "error 1:16 the client address \"b:3:4\" is not [host:]port"},
      {"server.1=a:1:2;b", "error 1:16 the client port is \"b\""},
      {"server.1=a:1:2;[::1]", "error 1:16 the [ of an IPv6 address has no matching ]:"},
      {"server.1=a:1:2;3;4", "error 1:18 there is more after the client address"},
      {"server.1=a:1:2:observer|b:1:2:participant",
       "error 1:31 the addresses of one server give it different roles"},
      {"server.1=a:1:2|b:1", "error 1:16 \"b:1\" is not host:quorumPort:electionPort[:role]"},
      {"server.1=a:1:2|b:1:2" + more,
       "warning 1:16 a server has several addresses (ZooKeeper requires multiAddress"},
      {"server.1=a:1\\\n   :2x", "error 2:5 the election port is \"2x\""},  // a place after a continued line
  });
}

TEST_CASE("zoo.cfg: the ensemble as a whole") {
  checkRows({
      {"server.1=a:1:2",
       "warning 1:1 there is only one participant (ZooKeeper would run standalone without an election"},
      {"server.1=a:1:2\nstandaloneEnabled=false", ""},
      {limits + "server.1=a:1:2\nserver.2=b:1:2:observer",
       "warning 3:1 there is only one participant (ZooKeeper refuses observers without a quorum"},
      {limits + "server.2=b:1:2:observer", "error 3:1 every server is an observer (only participants elect"},
      {three_servers, "warning 1:1 initLimit is not set (ZooKeeper refuses to start without it)"},
      {"dynamicConfigFile=zoo.dyn",
       "warning 1:1 the dynamic configuration file is not read (put its server lines here)"},
      {limits + three_servers + "dynamicConfigFile=zoo.dyn",
       "error 6:1 servers, groups and weights are here and in a dynamic configuration file"},
  });
}

// QuorumHierarchical.parse and computeGroupWeight.
TEST_CASE("zoo.cfg: groups and weights that do not fit") {
  const std::string servers = limits + three_servers;  // lines 1 to 5
  checkRows({
      {servers + "group.1=1:2:3", ""},
      {servers + "group.1=1:2:3\nweight.3=0", ""},
      {servers + "group.1=1:2", "error 5:1 server 3 is in no group (if there are groups, each participant"},
      {servers + "group.1=1:2\ngroup.2=2:3",
       "error 7:9 server 2 is in group 1 already (a server belongs to one group)"},
      {servers + "group.1=1:2:3:1", "error 6:15 server 1 is in group 1 already"},
      {servers + "weight.1=2", "error 6:1 there are weights but no groups (weights count within groups"},
      {servers + "group.1=1:2:3:4",
       "error 6:15 4, which is no server, is in group 1 (only participants belong"},
      {servers + "group.1=1:2:3:4\nweight.4=1",
       "warning 6:15 4, which is no server, is in group 1 (its weight makes"},
      {servers + "group.1=1:2:3\nweight.4=1",
       "warning 7:1 the weight of 4 has no effect: there is no such server"},
      {servers + "server.4=d:1:2:observer\ngroup.1=1:2:3:4",
       "error 7:15 server 4, an observer, is in group 1 (only participants"},
      {servers + "server.4=d:1:2:observer\ngroup.1=1:2:3:4\nweight.4=2",
       "warning 7:15 server 4, an observer, is in group 1 (its weight makes the group's majority larger"},
      {servers + "server.4=d:1:2:observer\ngroup.1=1:2:3\nweight.4=2", ""},
      {servers + "group.1=", "error 6:9 a server's id in group.1 is missing (the form is group.1=1:2:3)"},
      {servers + "group=1:2:3", "error 6:1 the key \"group\" has no number (the form is group.1=1:2:3)"},
      {servers + "group.a=1:2:3",
       "error 6:7 the number in the key \"group.a\" is \"a\", which is not a whole number"},
      {"group.1=1:x", "error 1:9 1, which is no server"},
      {"weight.1=-1", "error 1:1 there are weights but no groups"},
      {servers + "group.1=1:2:3\nweight.1=-1", "error 7:10 weight.1 is \"-1\" and must lie between 0 and"},
      {servers + "group.1=1:2:3\nweight.1=", "error 7:10 weight.1 is missing"},
      {servers + "group.1=1:2:3\nweight.1=1 ",
       "error 7:10 weight.1 is \"1 \", which is not a whole number (ZooKeeper"},
      {servers + "group.1=1:2:3\nweight.1=2305843009213693951\nweight.2=1",
       "error 8:10 the weights add up to more than 2305843009213693951"},
  });
}

TEST_CASE("zoo.cfg: documented keys have no effect here") {
  // One or two of each section of the Administrator's Guide, and each way of naming one.
  const Strings keys = {"dataDir",
                        "dataLogDir",
                        "clientPort",
                        "secureClientPort",
                        "clientPortAddress",
                        "maxClientCnxns",
                        "maxCnxns",
                        "minSessionTimeout",
                        "maxSessionTimeout",
                        "autopurge.purgeInterval",
                        "autopurge.snapRetainCount",
                        "4lw.commands.whitelist",
                        "admin.enableServer",
                        "admin.serverPort",
                        "standaloneEnabled",
                        "reconfigEnabled",
                        "commitLogCount",
                        "preAllocSize",
                        "leaderServes",
                        "cnxTimeout",
                        "ssl.keyStore.location",
                        "ssl.quorum.trustStore.type",
                        "sslQuorum",
                        "portUnification",
                        "quorumListenOnAllIPs",
                        "quorum.auth.enableSasl",
                        "quorum.cnxn.threads.size",
                        "quorumCnxnTimeoutMs",
                        "metricsProvider.className",
                        "metricsProvider.httpPort",
                        "peerType",
                        "syncEnabled",
                        "localSessionsEnabled",
                        "localSessionsUpgradingEnabled",
                        "authProvider.1",
                        "superUser.2",
                        "zookeeper.superUser",
                        "zookeeper.nio.numWorkerThreads",
                        "jute.maxbuffer",
                        "forceSync",
                        "skipACL",
                        "tcpKeepAlive",
                        "connectionMaxTokens",
                        "connection_throttle_tokens",
                        "observer.election.DelayMs",
                        "observerMasterPort",
                        "multiAddress.enabled",
                        "jvm.pause.monitor",
                        "version",
                        "oraclePath",
                        "fips-mode",
                        "digest.enabled",
                        "connectToLearnerMasterLimit",
                        "maxTimeToWaitForEpoch"};
  // What ZooKeeper reads as a number, as true or false or as a role is checked.
  const std::map<std::string, std::string> values = {{"clientPort", "2181"},
                                                     {"secureClientPort", "2281"},
                                                     {"maxClientCnxns", "0"},
                                                     {"minSessionTimeout", "-1"},
                                                     {"maxSessionTimeout", "40000"},
                                                     {"autopurge.purgeInterval", "1"},
                                                     {"autopurge.snapRetainCount", "3"},
                                                     {"standaloneEnabled", "true"},
                                                     {"reconfigEnabled", "False"},
                                                     {"sslQuorum", "false"},
                                                     {"portUnification", "false"},
                                                     {"quorumListenOnAllIPs", "true"},
                                                     {"quorum.auth.enableSasl", "false"},
                                                     {"quorum.cnxn.threads.size", "20"},
                                                     {"peerType", "Observer"},
                                                     {"syncEnabled", "true"},
                                                     {"localSessionsEnabled", "true"},
                                                     {"localSessionsUpgradingEnabled", "true"},
                                                     {"forceSync", "no"},
                                                     {"skipACL", "yes"},
                                                     {"observerMasterPort", "2191"},
                                                     {"multiAddress.enabled", "true"},
                                                     {"jvm.pause.monitor", "true"},
                                                     {"connectToLearnerMasterLimit", "5"}};
  std::string text;
  for (const std::string& key : keys) {
    const auto value = values.find(key);
    text += key + "=" + (value == values.end() ? "anything at all" : value->second) + "\n";
  }
  const ZooCfg cfg = parseZooCfg(text);
  CHECK(joined(shown(cfg.errors)) == "");
  CHECK(joined(shown(cfg.warnings)) == "");
  CHECK(cfg.no_effect == keys);
}

TEST_CASE("zoo.cfg: each key is used, without effect here, or unknown") {
  const ZooCfg cfg = parseZooCfg(three_servers + limits + "tickTme=3\nforceSync=no\nsnapCount=7\ncolour=1\n");
  CHECK(cfg.used == Strings{"server.1", "server.2", "server.3", "initLimit", "syncLimit", "snapCount"});
  CHECK(cfg.no_effect == Strings{"forceSync"});
  CHECK(joined(shown(cfg.warnings)) ==
        "6:1 the key \"tickTme\" is not one of ZooKeeper's (did you mean tickTime?)\n"
        "9:1 the key \"colour\" is not one of ZooKeeper's (it has no effect here)\n");
}

TEST_CASE("zoo.cfg: a value that ZooKeeper refuses or takes for another one does not pass without a word") {
  checkRows({
      // QuorumPeerConfig.parseProperties
      {"clientPort=x", "error 1:12 clientPort is \"x\", which is not a whole number"},
      {"standaloneEnabled=no", "error 1:19 standaloneEnabled is \"no\", which is neither true nor false"},
      {"peerType=voter", "error 1:10 peerType is \"voter\", which is neither participant nor observer"},
      {"zookeeper.standaloneEnabled=no", ""},  // a system property that nobody reads
      // FileTxnLog: anything but no is yes; DataTree's and others' flags: anything but true is false
      {"forceSync=maybe",
       "warning 1:11 forceSync is \"maybe\", which is neither yes nor no (ZooKeeper takes it for yes)"},
      {"zookeeper.forceSync=No", "warning 1:21 zookeeper.forceSync is \"No\""},
      {"skipACL=true",
       "warning 1:9 skipACL is \"true\", which is neither yes nor no (ZooKeeper takes it for no)"},
      {"enforceQuota=yes", "warning 1:14 enforceQuota is \"yes\", which is neither true nor false"},
  });
}

TEST_CASE("zoo.cfg: unknown keys are warnings, with what was probably meant") {
  checkRows({
      {"ticktime=1", "warning 1:1 the key \"ticktime\" is not one of ZooKeeper's (did you mean tickTime?)"},
      {"tikcTime=1", "warning 1:1 the key \"tikcTime\" is not one of ZooKeeper's (did you mean tickTime?)"},
      {"intLimit=1", "warning 1:1 the key \"intLimit\" is not one of ZooKeeper's (did you mean initLimit?)"},
      {"electionAlgo=3",
       "warning 1:1 the key \"electionAlgo\" is not one of ZooKeeper's (did you mean electionAlg?)"},
      {"sever.1=a:1:2", "warning 1:1 the key \"sever.1\" is not one of ZooKeeper's (did you mean server.1?)"},
      {"wieght.2=1", "warning 1:1 the key \"wieght.2\" is not one of ZooKeeper's (did you mean weight.2?)"},
      {"datadir=/x", "warning 1:1 the key \"datadir\" is not one of ZooKeeper's (did you mean dataDir?)"},
      {"ssl.keystore.location=/x",
       "warning 1:1 the key \"ssl.keystore.location\" is not one of ZooKeeper's (did you "
       "mean ssl.keyStore.location?)"},
      {"colour=blue", "warning 1:1 the key \"colour\" is not one of ZooKeeper's (it has no effect here)"},
      {"x=1", "warning 1:1 the key \"x\" is not one of ZooKeeper's (it has no effect here)"},
      {"=1", "warning 1:1 the key \"\" is not one of ZooKeeper's"},
      {"metricsProvider.=1", "warning 1:1 the key \"metricsProvider.\" is not"},
  });
}

TEST_CASE("zoo.cfg: input that is not a configuration") {
  checkRows({
      {"tickTime=\\u12", "error 1:1 this line has a \\u that is not followed by four hexadecimal digits"},
      {"a\\uzzzz=1", "error 1:1 this line has a \\u"},
      {"tickTime=1\\", ""},
      {std::string("\0\0=1", 4), "warning 1:1 the key \"\\x00\\x00\""},
  });

  SUBCASE("messages are bounded") {
    std::string text;
    for (int i = 0; i < 5000; ++i) {
      text += "junk" + std::to_string(i) + " and more\nserver.a" + std::to_string(i) + "=\n";
    }
    const ZooCfg cfg = parseZooCfg(text);
    CHECK(cfg.errors.size() == 101);
    CHECK(cfg.warnings.size() == 101);
    CHECK(cfg.errors.back().text == "and more, which are omitted");
  }

  SUBCASE("any bytes are read without harm, and twice alike") {
    std::uint32_t state = 1;
    for (int round = 0; round < 3000; ++round) {
      std::string text = limits + three_servers + "group.1=1:2:3\nweight.1=\\u0031\ntickTime=2000\n";
      for (int change = 0; change < 4; ++change) {
        state = state * 1664525U + 1013904223U;
        const std::string letters = "\\u:=|;.[]#!\n\r \t09-+a\xff";
        text[(state >> 8) % text.size()] = letters[(state >> 24) % letters.size()];
      }
      CAPTURE(text);
      const ZooCfg cfg = parseZooCfg(text);
      REQUIRE(cfg == parseZooCfg(text));
      const auto lines =
          1 + std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
      for (const ZooCfgProblem& problem : cfg.errors) {
        REQUIRE(problem.line >= 1);
        REQUIRE(problem.line <= lines);
        REQUIRE(problem.column >= 1);
      }
    }
  }
}

}  // namespace
}  // namespace zablab::zab
