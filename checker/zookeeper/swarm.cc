#include "checker/zookeeper/swarm.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/zab/swarm_impl.h"
#include "protocol/recipes/program.h"
#include "protocol/reflect.h"
#include "protocol/zookeeper/family.h"

namespace zablab::zookeeper {
namespace {

using recipes::Recipe, recipes::Act;

/// How the clients of a recipe are drawn; those of a double barrier have a way of their own.
bool choosesSomebody(Recipe recipe) { return recipes::isElection(recipe) || recipes::hasLine(recipe); }
bool choosesNobody(Recipe recipe) {
  return !choosesSomebody(recipe) && recipe != Recipe::double_barrier && recipe != Recipe::resource;
}
std::vector<Recipe> recipesThat(bool (*are_wanted)(Recipe)) {
  std::vector<Recipe> wanted;
  for (const auto& [name, recipe] : enumerators_of<Recipe>) {
    if (are_wanted(recipe)) wanted.push_back(recipe);
  }
  return wanted;
}

class ClientSwarm : public zab::BroadcastSwarm<ZooKeeper> {
 public:
  using BroadcastSwarm::BroadcastSwarm;

 private:
  enum : std::uint8_t { further = first_of_service };
  static constexpr std::array<const char*, 6> paths{"/a", "/b", "/a/c", "/a/d", "/b/c", "/a/c/e"};

  Json drawConfig() override {
    Json config = BroadcastSwarm::drawConfig();
    config["container_check_ms"] = drawsOf(further).of(75, std::array<Millis, 3>{100, 400, 1500});
    return config;
  }

  /// A probe stays with its server.
  Json turn(ServerId server) const override {
    return {{"connect", server}, {"servers", {server}}, {"renews", true}};
  }

  /// Short enough that sessions expire within a run. A client waits two thirds of it for its session, whose
  /// creation takes up to six messages, one after the other, and the syncs of two disks, which may be busy
  /// with another one.
  Millis sessionTimeout(Draws& draws, std::uint32_t topic) {
    const TimingSpec& timing = scenario().timing;
    const Millis creation = 6 * timing.latency_ms.hi + 4 * timing.fsync_ms.hi;
    const Millis most = drawsOf(further).chance(84, 150) ? 6000 : 4000;  // more than 20 of the shortest ticks
    return std::max(draws(topic, 400, most), creation * 3 / 2);
  }

  static Json connect(ServerId server, Millis timeout, bool read_only = false) {
    Json ask{{"connect", server}, {"timeout", timeout}};
    if (read_only) ask["read_only"] = true;
    return ask;
  }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 3);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      const Millis timeout = sessionTimeout(draws, 1);
      timeouts_[client] = timeout;
      const bool read_only = draws.chance(23, 300);
      ask(draws(2, 200, 600), client, connect(anyone(draws, 3), timeout, read_only));
      for (std::int64_t burst = draws(4, 3, 9); burst > 0; --burst) {
        const Millis when = draws(5, 600, chaosMs());
        const std::int64_t what = draws(6, 0, 99);
        if (what < 8) {
          ask(when, client, connect(anyone(draws, 7), timeout, read_only));
        } else if (what < 12) {
          ask(when, client, {{"closeSession", true}});
          ask(when + draws(8, 1, 300), client, connect(anyone(draws, 9), timeout, read_only));
        } else {
          const Json operation = drawOperation(draws);
          const std::int64_t times = draws(10, 1, 3);
          const Millis every = draws(11, 1, 120);
          ask(when, client, operation, times, every, draws.chance(24, 300));
          // Two watches of one node, which ends.
          if (what >= 92) {
            const std::string path = pathOf(draws, 22);
            ask(when + 40, client, {{"exists", path}, {"watch", true}});
            ask(when + 40, client, {{"getChildren", path}, {"watch", true}});
            ask(when + 80, client, {{"delete", path}});
          }
        }
      }
    }
    drawFurther(clients);
    ServerId next = first_client + clients;
    const bool ephemerals = !scenario().rules.contains("local_ephemerals");
    if (draws.chance(93, 120)) next = drawMove(draws, next, first_client + draws(94, 0, clients - 1));
    if (draws.chance(95, 150)) drawBurst(draws, first_client + draws(96, 0, clients - 1));
    if (!ephemerals) return;  // no recipe works
    if (draws.chance(30, 400)) {
      next = drawRecipe(draws, next, "/l");
    } else if (draws.chance(52, 200)) {
      next = drawBarrier(draws, next, "/barrier");
    } else if (draws.chance(62, 300)) {
      next = drawWorkers(draws, next, "/w");
    } else {
      return;
    }
    if (draws.chance(82, 500)) drawAnother(draws, next);
  }

  /// What the others rarely do: lists, versions, containers, quotas, the root, paths that no node may have.
  void drawFurther(std::int64_t clients) {
    Draws draws = drawsOf(further);
    if (!draws.chance(0, 700)) return;
    auto& rules = scenario().rules;
    if (draws.chance(1, 300)) rules["ttl_nodes"] = "allowed";
    if (draws.chance(4, 150)) {
      rules["new_sessions"] = "local";
      if (draws.chance(5, 500)) rules["local_ephemerals"] = "refused";
    }
    const ServerId client = first_client + draws(6, 0, clients - 1);
    if (draws.chance(2, 400)) drawQuota(draws, client);
    if (draws.chance(36, 400)) drawRights(draws, client, clients);
    if (draws.chance(37, 300)) drawPersistentWatch(draws, client, clients);
    if (draws.chance(60, 500)) drawUnused(draws, clients);
    if (draws.chance(61, 40)) drawLarge(draws, client);
    const bool local = scenario().rules.contains("new_sessions");
    if (draws.chance(76, 300) && !local) drawRestart(draws, client);
    for (std::int64_t other = 0; other < clients; ++other) {
      Millis when = draws(7, 600, chaosMs());
      if (draws.chance(8, 400))
        ask(when, first_client + other, {{"auth", draws.chance(9, 800) ? "ann:secret" : "ben:word"}});
      for (std::int64_t count = draws(10, 1, 10); count > 0; --count) {
        when += draws(11, 0, 400);
        ask(when, first_client + other, furtherOperation(draws), draws(12, 1, 2), draws(13, 1, 50));
      }
    }
  }

  /// What its leader deletes in the end, and what keeps it.
  void drawUnused(Draws& draws, std::int64_t clients) {
    const std::string path = draws.chance(62, 500) ? "/k" : "/a";
    Millis when = draws(63, 600, chaosMs());
    const auto asks = [&](const Json& what) { ask(when, first_client + draws(64, 0, clients - 1), what); };
    const bool timed = scenario().rules.contains("ttl_nodes") && draws.chance(65, 500);
    if (timed) {
      asks({{"create", path}, {"data", "x"}, {"flags", {"TTL"}}, {"ttl", draws(66, 1, 1500)}});
    } else {
      asks({{"create", path}, {"flags", {"CONTAINER"}}});
    }
    for (std::int64_t count = draws(67, 1, 5); count > 0; --count) {
      when += draws(68, 20, 700);
      const std::array<Json, 5> changes{Json{{"create", path + "/x"}}, Json{{"delete", path + "/x"}},
                                        Json{{"delete", path + "/x"}}, Json{{"create", path + "/y"}},
                                        Json{{"setData", path}, {"data", "y"}}};
      asks(draws.of(69, changes));
    }
    when += draws(70, 20, 700);
    asks({{"delete", path + "/x"}});
    asks({{"delete", path + "/y"}});
  }

  /// A client's process ends and begins again, and proposes the id of its first session, which may be open.
  /// Not with local sessions: a server that is about to make one global does not know its id for a moment,
  /// and no real server gives an id twice.
  void drawRestart(Draws& draws, ServerId client) {
    const ServerId server = anyone(draws, 77);
    Millis when = draws(78, 700, chaosMs());
    for (std::int64_t count = draws(79, 1, 3); count > 0; --count) {
      at(when) = step::Kill{id(client)};
      when += draws(80, 1, 200);
      at(when) = step::Start{id(client)};
      ask(++when, client, connect(server, timeouts_.at(client)));
      when += draws(81, 50, 800);
      ask(when++, client, {{"getEphemerals", "/"}});
    }
  }

  /// A request of as many bytes as a server reads, or about as many.
  void drawLarge(Draws& draws, ServerId client) {
    constexpr std::int64_t bytes_max = 0xfffff, header = 8, header_in_multi = 9, numbers = 12;
    const Millis when = draws(71, 600, chaosMs());
    const std::string path = pathOf(draws, 72);
    const std::int64_t record = numbers + static_cast<std::int64_t>(path.size());
    const std::int64_t bytes = bytes_max + draws(73, -1, 2);
    const auto setting = [&](std::int64_t size) {
      return Json{{"setData", path}, {"data", std::string(static_cast<std::size_t>(size), 'd')}};
    };
    if (draws.chance(74, 500)) return ask(when, client, setting(bytes - header - record));
    const std::int64_t half = bytes / 2;
    const std::int64_t rest = bytes - header - 3 * header_in_multi - 2 * record - half;
    ask(when, client, {{"multi", {setting(half), setting(rest)}}});
  }

  /// Limits, and what exceeds them or does not.
  void drawQuota(Draws& draws, ServerId client) {
    if (draws.chance(3, 600)) scenario().rules["quotas"] = "enforced";
    const std::string path = draws.chance(14, 700) ? "/a" : "/b";
    const std::string place = "/zookeeper/quota" + path;
    Millis when = draws(15, 600, chaosMs() / 2 + 600);
    const std::string bytes = std::to_string(draws(16, -1, 12)), nodes = std::to_string(draws(17, -1, 4));
    ask(when, client, {{"create", place}});
    ask(++when, client,
        {{"create", place + "/zookeeper_limits"},
         {"data", "count=1,bytes=1=;byteHardLimit=" + bytes + ";countHardLimit=" + nodes}});
    ask(++when, client, {{"create", place + "/zookeeper_stats"}, {"data", "count=0,bytes=0"}});
    ask(++when, client, {{"create", path}, {"data", "q"}});
    for (std::int64_t count = draws(18, 2, 8); count > 0; --count) {
      when += draws(19, 20, 400);
      const std::string child = path + (draws.chance(38, 500) ? "/c" : "/d");
      const std::string data(static_cast<std::size_t>(draws(39, 0, 6)), 'q');
      switch (draws(40, 0, 4)) {
        case 0:
        case 1: ask(when, client, {{"create", child}, {"data", data}}); break;
        case 2: ask(when, client, {{"setData", draws.chance(41, 500) ? child : path}, {"data", data}}); break;
        case 3: ask(when, client, {{"delete", child}}); break;
        default: ask(when, client, {{"getData", place + "/zookeeper_stats"}}); break;
      }
    }
    ask(when + 300, client, {{"getData", place + "/zookeeper_stats"}});
    if (!draws.chance(85, 200)) return;
    // It counts nothing there.
    const std::string elsewhere = "/not-below-the-quotas-of-zookeeper";
    ask(++when, client, {{"create", elsewhere}});
    ask(++when, client, {{"create", elsewhere + "/zookeeper_stats"}, {"data", "count=7,bytes=7"}});
    ask(when + 300, client, {{"getData", elsewhere + "/zookeeper_stats"}});
  }

  /// A node with a list, and everything that needs a right.
  void drawRights(Draws& draws, ServerId owner, std::int64_t clients) {
    const std::string path = "/r";
    Millis when = draws(42, 600, chaosMs());
    if (draws.chance(43, 700)) ask(when, owner, {{"auth", "ann:secret"}});
    ask(when, owner, {{"create", path}, {"data", "r"}, {"acl", listOf(draws)}});
    if (draws.chance(44, 500)) ask(when + 1, owner, {{"create", path + "/x"}});
    for (std::int64_t count = draws(45, 3, 10); count > 0; --count) {
      when += draws(46, 50, 400);
      const std::array<Json, 11> asks{Json{{"getData", path}, {"watch", true}},
                                      Json{{"getChildren", path}},
                                      Json{{"exists", path}, {"watch", true}},
                                      Json{{"getACL", path}},
                                      Json{{"getAllChildrenNumber", path}},
                                      Json{{"multiRead", {Json{{"getData", path}}}}},
                                      Json{{"setData", path}, {"data", "s"}},
                                      Json{{"setACL", path}, {"acl", listOf(draws)}},
                                      Json{{"create", path + "/y"}},
                                      Json{{"delete", path + "/x"}},
                                      Json{{"multi", {Json{{"check", path}, {"version", -1}}}}}};
      ask(when, first_client + draws(47, 0, clients - 1), draws.of(48, asks));
    }
  }

  /// A watch that stays, and changes of its node and of what is below it.
  void drawPersistentWatch(Draws& draws, ServerId watcher, std::int64_t clients) {
    const std::string path = draws.chance(49, 800) ? "/a" : "/";
    Millis when = draws(50, 600, chaosMs());
    const bool recursive = draws.chance(51, 500);
    ask(when, watcher, {{"addWatch", path}, {"mode", recursive ? "PERSISTENT_RECURSIVE" : "PERSISTENT"}});
    if (draws.chance(52, 300)) ask(when + 10, watcher, {{"getData", path}, {"watch", true}});
    for (std::int64_t count = draws(53, 3, 9); count > 0; --count) {
      when += draws(54, 30, 300);
      const std::array<Json, 6> changes{Json{{"create", "/a"}, {"data", "w"}},
                                        Json{{"setData", "/a"}, {"data", "w"}},
                                        Json{{"setData", "/a"}, {"data", "v"}},
                                        Json{{"create", "/a/w"}},
                                        Json{{"delete", "/a/w"}},
                                        Json{{"delete", "/a"}}};
      ask(when, first_client + draws(55, 0, clients - 1), draws.of(56, changes));
    }
    if (draws.chance(57, 300)) ask(when + 50, watcher, {{"removeWatches", path}, {"watcher_type", "Any"}});
  }

  std::string furtherPath(Draws& draws) {
    static constexpr std::array<const char*, 24> rare{"/",
                                                      "/a/",
                                                      "a",
                                                      "",
                                                      "//",
                                                      "/a/../b",
                                                      "/a/./c",
                                                      "/x/y",
                                                      "/b/c/d",
                                                      "/zookeeper",
                                                      "/zookeeper/config",
                                                      "/zookeeper/quota",
                                                      "/a\x7f",
                                                      "/a/\u00e9",
                                                      "/\u00c0",
                                                      "/a\u0085b",
                                                      "/\u20acc",
                                                      "/\ud7ff",
                                                      "/\ue000",
                                                      "/\uf900",
                                                      "/\uffef",
                                                      "/\ufff0",
                                                      "/\U0001f600",
                                                      "/a\x1f"};
    return draws.chance(20, 250) ? draws.of(21, rare) : pathOf(draws, 22);
  }

  static Json listOf(Draws& draws) {
    static const std::array<Json, 12> lists{
        Json{"ip:127.0.0.0:cdrwa", "world:anyone:w"},
        Json{"digest:ann:wrong:cdrwa", "world:anyone:rd"},
        Json{"auth::cdrwa"},
        Json{"auth::r", "world:anyone:cdw"},
        Json{"ip:127.0.0.1:cdrwa"},
        Json{"ip:127.0.0.0/8:ra", "ip:10.0.0.0/8:cdrwa"},
        Json{"ip:126.0.0.0/7:rw", "world:anyone:a"},
        Json{"digest:ben:GnIFqmuceuc/72KWrVhTHjDv9u4=:cdrwa"},
        Json{"ip:255.255.255.255:w", "ip:0.0.0.0/0:cdra"},
        Json{"world:anyone:cda"},
        Json{"world:anyone:rwa", "world:anyone:rwa"},
        Json{"world:anyone:cdrwa"},
    };
    return draws.of(23, lists);
  }

  /// One operation of a multi.
  Json partOf(Draws& draws) {
    const std::string path = furtherPath(draws);
    const std::int64_t version = draws(24, -2, 2);
    const Json expected = std::max<std::int64_t>(version, -1);
    switch (draws(25, 0, 7)) {
      case 0: return {{"check", path}, {"version", expected}};
      case 1: return {{"delete", path}, {"version", expected}};
      case 2: return {{"setData", path}, {"data", "m"}, {"version", expected}};
      case 3: return {{"create2", path}, {"data", "m"}};
      case 4: return {{"createContainer", path}, {"flags", 4}};
      case 5: return {{"createTTL", path}, {"flags", {"TTL"}}, {"ttl", draws(26, 0, 900)}};
      case 6: return {{"create", path}, {"data", "m"}, {"flags", {"SEQUENTIAL"}}};
      default: return {{"create", path}, {"data", "m"}, {"acl", listOf(draws)}};
    }
  }

  Json furtherOperation(Draws& draws) {
    const std::string path = furtherPath(draws);
    const std::int64_t version = draws(27, -1, 2);
    const bool watch = draws.chance(28, 600);
    switch (draws(29, 0, 19)) {
      case 0: return {{"delete", path}, {"version", version}};
      case 1:
        return {{"setData", path}, {"data", std::string(static_cast<std::size_t>(draws(30, 0, 9)), 'd')}};
      case 2: return {{"setData", path}, {"data", "v"}, {"version", version}};
      case 3: return {{"setACL", pathOf(draws, 35)}, {"acl", listOf(draws)}, {"version", version}};
      case 4:
      case 5: return {{"create", path}, {"data", "l"}, {"acl", listOf(draws)}};
      case 6: return {{"create", path}, {"flags", {draws.chance(31, 500) ? "CONTAINER" : "EPHEMERAL"}}};
      case 7: return {{"getACL", path}};
      case 8: return {{"whoAmI", true}};
      case 9: return {{"getAllChildrenNumber", path}};
      case 10: return {{"getEphemerals", path}};
      case 11: return {{"multiRead", {Json{{"getData", path}}, Json{{"getChildren", pathOf(draws, 32)}}}}};
      case 12: return {{"exists", path}, {"watch", watch}};
      case 13: return {{"getChildren", path}, {"watch", watch}};
      case 14: return {{"getData", path}, {"watch", watch}};
      case 15: {
        static constexpr std::array<const char*, 5> types{"Any", "Children", "Data", "Persistent",
                                                          "PersistentRecursive"};
        return {{"removeWatches", path}, {"watcher_type", draws.of(33, types)}};
      }
      case 16: return {{"addWatch", path}, {"mode", watch ? "PERSISTENT" : "PERSISTENT_RECURSIVE"}};
      default: {
        Json ops = Json::array();
        for (std::int64_t count = draws(34, 1, 4); count > 0; --count) ops.push_back(partOf(draws));
        return {{"multi", ops}};
      }
    }
  }

  /// Another client takes over a session, and its first client goes on through the connection that the
  /// session has left.
  ServerId drawMove(Draws& draws, ServerId mover, ServerId owner) {
    scenario().clients.push_back({.id = mover, .name = {}, .server = {}});
    Json turns = connect(anyone(draws, 98), sessionTimeout(draws, 99));
    turns["session"] = owner;
    // Nobody knows a session before a client was told of it.
    const Json told{
        {"kind", ClientStateChanged::name}, {"node", owner}, {"to", "CONNECTED"}, {"session", owner}};
    StepSpec moves;
    moves.when = When{.event = pattern(told), .plus = draws(97, 0, 800), .by = chaosMs()};
    moves.does = step::Ask{.who = mover, .what = json(turns).members()};
    add(std::move(moves));
    const Millis when = draws(111, 700, chaosMs());
    const std::string path = pathOf(draws, 100);
    const std::array<Json, 5> requests{Json{{"exists", path}, {"watch", true}}, Json{{"sync", path}},
                                       Json{{"create", path}, {"flags", {"EPHEMERAL"}}},
                                       Json{{"getChildren", path}}, Json{{"closeSession", true}}};
    for (std::int64_t asks = draws(101, 1, 3); asks > 0; --asks)
      ask(when + draws(102, 20, 600), owner, draws.of(103, requests));
    // It writes nothing: who of two clients has asked first does not decide whose write is committed first.
    ask(when + draws(104, 20, 600), mover, {{"getData", path}, {"watch", true}});
    return mover + 1;
  }

  /// Requests that do not wait for each other, of which the first decide what the others may do; and nodes
  /// with a time to live in one multi.
  void drawBurst(Draws& draws, ServerId client) {
    const Millis when = draws(105, 700, chaosMs());
    const std::string path = pathOf(draws, 106);
    if (draws.chance(107, 300)) {
      const Json ttl = draws(108, 50, 800);
      const auto node = [&](const char* name) {
        return Json{{"createTTL", path + name}, {"data", "x"}, {"flags", {"TTL"}}, {"ttl", ttl}};
      };
      ask(when, client, {{"create", path}});
      ask(when, client, {{"multi", {node("/t"), node("/u")}}});
      return;
    }
    const bool closes = draws.chance(109, 500);
    const char* const owned = "auth::cdrwa";
    ask(when, client, {{"create", path}});
    if (draws.chance(110, 500)) ask(when, client, {{"auth", "ann:secret"}});
    ask(when, client, {{"setACL", path}, {"acl", {draws.chance(112, 300) ? owned : "world:anyone:ra"}}});
    ask(when, client, {{"setData", path}, {"data", "burst"}});
    ask(when, client, {{"create", path + "/x"}});
    if (!closes) ask(when, client, {{"setACL", path}, {"acl", {"world:anyone:cdrwa"}}});
    ask(when, client, {{"getData", path}});
    ask(when, client, {{"setData", path}, {"data", "after"}});
  }

  /// A second recipe beside the first, on other clients and nodes.
  void drawAnother(Draws& draws, ServerId first) {
    switch (draws(83, 0, 4)) {
      case 0:
      case 1: drawRecipe(draws, first, "/l2"); return;
      case 2: drawBarrier(draws, first, "/barrier2"); return;
      default: drawWorkers(draws, first, "/w2"); return;
    }
  }

  /// Clients that run a recipe that chooses nobody, and what they are instructed to do. Returns the next free
  /// id, as do the others.
  ServerId drawWorkers(Draws& draws, ServerId first, const char* path) {
    const Recipe which = draws.of(63, recipesThat(choosesNobody));
    const std::string recipe(enumName(which));
    const std::int64_t clients = draws(64, 2, 4);
    const std::int64_t parts = draws(65, 1, 3);
    for (ServerId client = first; client < first + clients; ++client) {
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      Json turns = connect(anyone(draws, 66), sessionTimeout(draws, 67));
      turns["renews"] = true;
      ask(draws(68, 200, 600), client, turns);
      drawEnd(draws, client);
      Json run{{"run", recipe}, {"path", path}};
      if (recipe == "configuration") run["parts"] = parts;
      if (recipe == "two_phase_commit") {
        run["members"] = clients - 1;
        if (client == first) run["coordinator"] = true;
      }
      if (recipe == "discovery" && draws.chance(69, 500)) run["reader"] = true;
      ask(draws(70, 200, 1200), client, run);
      if (recipe == "barrier") {
        drawAtBarrier(draws, client, path, client == first);
      } else {
        for (std::int64_t acts = draws(71, 1, 5); acts > 0; --acts)
          ask(draws(72, 700, chaosMs()), client, actOf(draws, which), draws(73, 1, 3), draws(74, 1, 300));
      }
    }
    return first + clients;
  }
  /// One client puts the barrier up, changes it and takes it down; the others pass it.
  void drawAtBarrier(Draws& draws, ServerId client, const char* path, bool keeps) {
    for (std::int64_t rounds = draws(75, 1, 4); rounds > 0; --rounds) {
      const Millis when = draws(76, 700, chaosMs());
      if (!keeps) {
        ask(when, client, {{"do", "enter"}});
        continue;
      }
      ask(when, client, {{"create", path}});
      ask(when + draws(77, 100, 1000), client, {{"setData", path}, {"data", "closed"}});
      ask(when + draws(78, 1000, 2000), client, {{"delete", path}});
    }
  }
  Json actOf(Draws& draws, Recipe recipe) {
    const std::span<const Act> acts = recipes::actsOf(recipe);
    const auto last = static_cast<std::int64_t>(acts.size()) - 1;
    Act act = acts[static_cast<std::size_t>(draws(79, 0, last))];
    if (act == Act::abort && draws.chance(80, 600)) act = Act::commit;
    if (recipe == Recipe::discovery && draws.chance(81, 400)) act = Act::use;
    Json instruction{{"do", enumName(act)}};
    if (act == Act::push)
      instruction["data"] = draws.chance(92, 500) ? "papp.status=running" : "papp.status=stop";
    return instruction;
  }

  /// It may end: what it has in its session stays until the session is over.
  void drawEnd(Draws& draws, ServerId client) {
    if (draws.chance(84, 80)) at(draws(85, 1000, chaosMs())) = step::Kill{id(client)};
  }
  /// It may begin a new session while its old one is open.
  void drawOtherSession(Draws& draws, ServerId client, Json turns) {
    if (!draws.chance(86, 100)) return;
    turns["connect"] = anyone(draws, 87);
    turns["session"] = no_session;
    ask(draws(88, 1500, chaosMs()), client, turns);
  }

  /// Clients that run one recipe, and leave and join.
  ServerId drawRecipe(Draws& draws, ServerId first, const char* path) {
    const Recipe which = draws.of(31, recipesThat(choosesSomebody));
    const std::string recipe(enumName(which));
    const bool locks = !recipes::isElection(which);
    const std::int64_t contenders = draws(32, 2, 4);
    const std::int64_t leases = recipe == "semaphore" ? draws(40, 1, 3) : 1;
    const ServerId resource = first + contenders;
    if (locks) {
      scenario().clients.push_back({.id = resource, .name = {}, .server = {}});
      ask(0, resource, {{"run", "resource"}});
    }
    for (ServerId client = first; client < first + contenders; ++client) {
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      Json turns = connect(anyone(draws, 33), sessionTimeout(draws, 34));
      turns["renews"] = true;
      const Millis connects = draws(35, 200, 600);
      const Millis runs = draws(36, 200, 1200);
      // Some give up before they are connected for the first time.
      const bool late = draws.chance(90, 40);
      ask(late ? runs + recipes::first_connection_ms + draws(91, 100, 3000) : connects, client, turns);
      drawEnd(draws, client);
      drawOtherSession(draws, client, turns);
      Json run{{"run", recipe}, {"path", path}};
      if (locks) run["resource"] = resource;
      if (recipe == "semaphore") run["leases"] = leases;
      if (recipe == "shared_lock" && draws.chance(41, 500)) run["reader"] = true;
      ask(runs, client, run);
      if (locks) {
        drawLocking(draws, client);
        continue;
      }
      for (std::int64_t acts = draws(37, 0, 4); acts > 0; --acts) {
        const Millis when = draws(38, 1000, chaosMs());
        ask(when, client, {{"do", "leave"}});
        ask(when + draws(39, 0, 400), client, {{"do", "join"}});
      }
    }
    return locks ? resource + 1 : resource;
  }

  /// Clients that enter a double barrier and leave it, once or more often.
  ServerId drawBarrier(Draws& draws, ServerId first, const char* path) {
    const std::int64_t members = draws(53, 2, 4);
    for (ServerId client = first; client < first + members; ++client) {
      scenario().clients.push_back({.id = client, .name = {}, .server = {}});
      Json turns = connect(anyone(draws, 54), sessionTimeout(draws, 55));
      turns["renews"] = true;
      ask(draws(56, 200, 600), client, turns);
      drawEnd(draws, client);
      ask(draws(57, 200, 1200), client, {{"run", "double_barrier"}, {"path", path}, {"members", members}});
      Millis when = draws(58, 1200, 2500);
      for (std::int64_t rounds = draws(59, 1, 4); rounds > 0 && when < chaosMs(); --rounds) {
        ask(when, client, {{"do", "enter"}});
        when += draws(60, 0, 1500);
        ask(when, client, {{"do", "leave"}});
        when += draws(61, 0, 800);
      }
    }
    return first + members;
  }

  /// Acquires, uses and releases, not always as often.
  void drawLocking(Draws& draws, ServerId client) {
    Millis when = draws(42, 1000, 2500);
    for (std::int64_t rounds = draws(43, 1, 6); rounds > 0 && when < chaosMs(); --rounds) {
      const std::int64_t times = draws(44, 1, 2);
      ask(when, client, {{"do", "acquire"}}, times, draws(45, 0, 300));
      when += draws(46, 0, 800);
      const std::int64_t uses = draws(47, 0, 3);
      const Millis every = draws(48, 1, 300);
      if (uses > 0) ask(when, client, {{"do", "use"}}, uses, every);
      when += draws(49, 0, 1500);
      ask(when, client, {{"do", draws.chance(50, 100) ? "leave" : "release"}}, times);
      when += draws(51, 0, 800);
    }
  }

  std::string pathOf(Draws& draws, std::uint32_t topic) { return draws.of(topic, paths); }

  Json drawOperation(Draws& draws) {
    const std::string path = pathOf(draws, 12);
    const std::int64_t kind = draws(13, 0, 99);
    const bool watch = draws.chance(14, 500);
    const std::string data = std::to_string(draws(15, 1, 9999));
    if (kind < 26) {
      Json op{{"create", path}, {"data", data}};
      const std::int64_t mode = draws(16, 0, 5);
      if (mode == 1 || mode == 2) op["flags"] = Json::array({"EPHEMERAL"});
      if (mode == 3) op["flags"] = Json::array({"SEQUENTIAL"});
      if (mode == 4) op["flags"] = Json::array({"EPHEMERAL", "SEQUENTIAL"});
      return op;
    }
    const std::int64_t version = draws(20, -3, 2);
    if (kind < 40) {
      Json op{{"setData", path}, {"data", data}};
      if (version >= 0) op["version"] = version;
      return op;
    }
    if (kind < 50) return {{"delete", path}};
    if (kind < 52)
      return {{"setACL", path}, {"acl", {draws.chance(21, 500) ? "world:anyone:r" : "world:anyone:cdrwa"}}};
    if (kind < 62) return {{"getData", path}, {"watch", watch}};
    if (kind < 72) return {{"exists", path}, {"watch", watch}};
    if (kind < 80) return {{"getChildren", path}, {"watch", watch}};
    if (kind < 84)
      return {{"addWatch", path}, {"mode", draws.chance(17, 500) ? "PERSISTENT" : "PERSISTENT_RECURSIVE"}};
    if (kind < 92) {
      Json first{{"create", path}, {"data", data}};
      Json second{{"setData", pathOf(draws, 18)}, {"data", data}};
      return {{"multi", draws.chance(19, 500) ? Json::array({first, second}) : Json::array({second, first})}};
    }
    if (kind < 96) return {{"sync", path}};
    return {{"getEphemerals", "/"}};
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    const std::int64_t times = recovery_ms / every - 1;
    ask(first_ask, probe, {{"setData", "/"}, {"data", "probe"}}, times, every);
    ask(first_ask, probe, {{"getData", "/"}}, times, every);
    for (const char* code : {"setData", "getData"}) {
      expectAnswer(
          {{"kind", "answered"}, {"node", probe}, {"op", {{code, "/"}}}, {"result", {{"error", "OK"}}}});
    }
  }

  void drawChanges(Millis when, ServerId server, std::int64_t count, Millis every) override {
    ask(when, first_client, turn(server));
    ask(when, first_client, {{"create", "/a/s"}, {"flags", {"SEQUENTIAL"}}}, count, every);
  }

  std::map<ServerId, Millis> timeouts_;  ///< that the first clients ask for
};

}  // namespace

DrawnRun drawRun(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return ClientSwarm(shape, choices, unable).draw();
}

}  // namespace zablab::zookeeper
