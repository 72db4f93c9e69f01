// The model of ZooKeeper's service that judges its servers: what the guides say, case by case. The recordings
// of real servers judge it as a whole (conform).
#include "checker/zookeeper/model.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "checker/zookeeper/model_watches.h"

namespace zablab::zookeeper::model {
namespace {

const std::vector<Id> nobody;

Error errorOf(const State& state, const Op& op, const std::vector<Id>& identities = nobody,
              Rules rules = {}) {
  const Demand demand = demandedBy(rules, state, {1, op, identities});
  const Change& change = demand.changes.front();
  return change.kind == ChangeKind::error ? change.error : Error::OK;
}

/// Carries it out as the transaction with this counter.
void perform(State& state, int counter, const Op& op) {
  const Demand demand = demandedBy({}, state, {1, op, nobody});
  apply(state, Zxid::of(1, counter),
        {.kind = demand.kind, .session = 1, .time = counter, .changes = demand.changes});
}

Op create(const std::string& path, std::int32_t flags = 0, std::vector<Acl> acl = openAcl()) {
  return {{.code = OpCode::create, .path = path, .data = "x", .flags = flags, .acl = std::move(acl)}};
}

TEST_CASE("zookeeper's model: paths") {
  for (const char* path : {"/", "/a", "/a/b", "/...", "/a b", "/\xc3\xa9"}) {
    CAPTURE(std::string(path));
    CHECK(isPath(path));
  }
  for (const std::string& path :
       std::vector<std::string>{"", "a", "/a/", "//", "/a//b", "/.", "/a/../b", "/\x01", "/\x7f",
                                std::string("/a\0", 3), "/\xef\xbf\xbf", "/\xf0\x9f\x98\x80", "/\xff"}) {
    CAPTURE(path);
    CHECK_FALSE(isPath(path));
  }
  CHECK(above("/a") == "/");
  CHECK(above("/a/b") == "/a");
  CHECK(lastName("/a/b") == "b");
}

TEST_CASE("zookeeper's model: who is granted what") {
  struct Row {
    std::vector<Acl> acl;
    std::int32_t rights;
    Id identity;
    bool granted;
  };
  const Id here{"ip", "127.0.0.1"}, there{"ip", "2001:db8::17"};
  for (const Row& row : std::vector<Row>{
           {{}, perms::admin, here, true},
           {{{perms::read, "world", "anyone"}}, perms::read, here, true},
           {{{perms::read, "world", "anyone"}}, perms::write, here, false},
           {{{perms::read, "world", "anyone"}}, perms::read | perms::admin, here, true},
           {{{perms::all, "ip", "127.0.0.1"}}, perms::write, here, true},
           {{{perms::all, "ip", "127.0.0.0"}}, perms::write, here, false},
           {{{perms::all, "ip", "127.0.0.0/31"}}, perms::write, here, true},
           {{{perms::all, "ip", "126.0.0.0/7"}}, perms::write, here, true},
           {{{perms::all, "ip", "126.0.0.0/8"}}, perms::write, here, false},
           {{{perms::all, "ip", "0.0.0.0/0"}}, perms::write, here, true},
           {{{perms::all, "ip", "0.0.0.0/0"}}, perms::write, there, false},
           {{{perms::all, "ip", "2001:db8::/32"}}, perms::write, there, true},
           {{{perms::all, "ip", "2001:db8:0:0:0:0:0:17"}}, perms::write, there, true},
           {{{perms::all, "ip", "2001:db9::/32"}}, perms::write, there, false},
           {{{perms::all, "digest", "ann:x"}}, perms::read, {"digest", "ann:x"}, true},
           {{{perms::all, "digest", "ann:x"}}, perms::read, {"digest", "ann:y"}, false},
       }) {
    CAPTURE(row.acl.empty() ? std::string("no list") : row.acl.front().id);
    CHECK(grants(row.acl, row.rights, {row.identity}) == row.granted);
  }
  // The digest that the Administrator's Guide gives for the superuser.
  CHECK(proved({"digest", "super:test"}) == Id{"digest", "super:D/InIHSb7yEEbrWz8b9l71RjZJU="});
  CHECK_FALSE(proved({"kerberos", "super"}));
}

TEST_CASE("zookeeper's model: what a write becomes") {
  State state = initialState();
  perform(state, 1, create("/a"));
  perform(state, 2, create("/a/c"));
  perform(state, 3, create("/a/e", 1));
  perform(state, 4, {{.code = OpCode::setData, .path = "/a", .data = "y"}});
  perform(state, 5, create("/r", 0, {{perms::read, "world", "anyone"}}));
  struct Row {
    Op op;
    Error error;
  };
  const auto at = [](OpCode code, const char* path, std::int32_t version = -1) {
    return Op{{.code = code, .path = path, .data = "z", .version = version}};
  };
  for (const Row& row : std::vector<Row>{
           {create("/a"), Error::NODEEXISTS},
           {create("/b/c"), Error::NONODE},
           {create("/a/e/f"), Error::NOCHILDRENFOREPHEMERALS},
           {create("/r/x"), Error::NOAUTH},
           {create("/b", 7), Error::BADARGUMENTS},
           {create("/b", 0, {}), Error::INVALIDACL},
           {create("/b", 0, {{perms::all, "auth", ""}}), Error::INVALIDACL},
           {create("/b/"), Error::NONODE},
           {create("b"), Error::BADARGUMENTS},
           {at(OpCode::remove, "/a"), Error::NOTEMPTY},
           {at(OpCode::remove, "/a/c", 1), Error::BADVERSION},
           {at(OpCode::remove, "/a/c", 0), Error::OK},
           {at(OpCode::remove, "/zookeeper"), Error::BADARGUMENTS},
           {at(OpCode::setData, "/a", 0), Error::BADVERSION},
           {at(OpCode::setData, "/a", 1), Error::OK},
           {at(OpCode::setData, "/r"), Error::NOAUTH},
           {at(OpCode::check, "/a", 1), Error::OK},
           {at(OpCode::check, "/a", 2), Error::BADVERSION},
       }) {
    CAPTURE(row.op.path);
    CAPTURE(static_cast<int>(row.op.code));
    CHECK(errorOf(state, row.op) == row.error);
  }
  const Stat stat = statOf(state, "/a");
  CHECK(stat.czxid == Zxid::of(1, 1));
  CHECK(stat.mzxid == Zxid::of(1, 4));
  CHECK(stat.pzxid == Zxid::of(1, 3));
  CHECK(stat.version == 1);
  CHECK(stat.cversion == 2);
  CHECK(stat.num_children == 2);
  CHECK(ephemeralsOf(state, 1) == std::vector<std::string>{"/a/e"});
  // The end of the session demands that its nodes go; a number is not given twice.
  const Demand end = demandedBy({}, state, {1, {{.code = OpCode::closeSession}}, nobody});
  REQUIRE(end.changes.size() == 1);
  CHECK(end.changes.front().path == "/a/e");
  perform(state, 6, at(OpCode::remove, "/a/c"));
  CHECK(demandedBy({}, state, {1, create("/a/n-", 2), nobody}).changes.front().path == "/a/n-0000000002");
  CHECK(statOf(state, "/a").cversion == 3);
}

TEST_CASE("zookeeper's model: of a multi all is done or nothing") {
  State state = initialState();
  Op multi{{.code = OpCode::multi}};
  multi.ops = {create("/m"), {.code = OpCode::setData, .path = "/m", .data = "2", .version = 0}};
  CHECK(demandedBy({}, state, {1, multi, nobody}).changes[1].version == 1);
  multi.ops.push_back({.code = OpCode::check, .path = "/m", .version = 0});
  multi.ops.push_back(create("/n"));
  const Demand failed = demandedBy({}, state, {1, multi, nobody});
  std::vector<Error> errors;
  for (const Change& change : failed.changes) errors.push_back(change.error);
  CHECK(errors == std::vector<Error>{Error::OK, Error::OK, Error::BADVERSION, Error::RUNTIMEINCONSISTENCY});
}

TEST_CASE("zookeeper's model: quotas count what is there, and hard limits hold") {
  State state = initialState();
  perform(state, 1, create("/q"));
  perform(state, 2, create("/q/c"));
  perform(state, 3, create("/zookeeper/quota/q"));
  Op limits = create("/zookeeper/quota/q/zookeeper_limits");
  limits.data = "count=1,bytes=1=;byteHardLimit=4;countHardLimit=3";
  perform(state, 4, limits);
  perform(state, 5, create("/zookeeper/quota/q/zookeeper_stats"));
  const auto statistics = [&] { return *nodeAt(state, "/zookeeper/quota/q/zookeeper_stats")->data; };
  CHECK(statistics() == "count=2,bytes=2");
  CHECK_FALSE(isExceeded(quotaAt(state, "/q/d"), 2, 1));
  CHECK(isExceeded(quotaAt(state, "/q/d"), 3, 1));
  CHECK(isExceeded(quotaAt(state, "/q/d"), 0, 2));
  CHECK_FALSE(quotaAt(state, "/qq"));
  perform(state, 6, {{.code = OpCode::setData, .path = "/q/c", .data = "xyz"}});
  CHECK(statistics() == "count=2,bytes=4");
  perform(state, 7, {{.code = OpCode::remove, .path = "/q/c"}});
  CHECK(statistics() == "count=1,bytes=1");
}

TEST_CASE("zookeeper's model: whom a change is told") {
  const Rules rules;
  ServerWatches watches;
  const auto reads = [](OpCode code, const char* path) {
    Op op{{.code = code, .path = path}};
    op.watch = true;
    return op;
  };
  const auto adds = [](const char* path, std::int32_t kind) {
    Op op{{.code = OpCode::addWatch, .path = path}};
    op.kind = kind;
    return op;
  };
  watches.set(rules, 101, reads(OpCode::getData, "/a"));
  watches.set(rules, 101, reads(OpCode::getChildren, "/a"));
  watches.set(rules, 102, adds("/a", 0));
  watches.set(rules, 103, adds("/", 1));
  watches.set(rules, 104, adds("", 1));  // above nothing
  using Clients = std::vector<ServerId>;
  CHECK(watches.notify({EventType::NodeChildrenChanged, "/a"}) == Clients{101, 102});
  CHECK(watches.notify({EventType::NodeChildrenChanged, "/a"}) == Clients{102});
  CHECK(watches.notify({EventType::NodeCreated, "/a/b"}) == Clients{103});
  CHECK(watches.notify({EventType::NodeDeleted, "/a"}) == Clients{101, 102, 103});
  CHECK(watches.notify({EventType::NodeCreated, "/a"}) == Clients{102, 103});
  watches.forget(102);
  CHECK(watches.notify({EventType::NodeDataChanged, "/a"}) == Clients{103});
}

}  // namespace
}  // namespace zablab::zookeeper::model
