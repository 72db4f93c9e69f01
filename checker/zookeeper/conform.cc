#include "checker/zookeeper/conform.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checker/zookeeper/quiet_ensemble.h"
#include "sim/json_reflect.h"

namespace zablab::zookeeper {
namespace {

/// Steps of a sequence that no server answers by itself: something was done to servers, or time was measured.
struct Undecidable {
  std::string why;
};
struct Differs {
  std::string why;
};
/// What no recording holds.
using Malformed = std::invalid_argument;

constexpr ServerId administrator = QuietEnsemble::first_client;
constexpr ServerId first_client = administrator + 1;

const Json& field(const Json& object, const char* name) {
  static const Json nothing;
  const auto at = object.find(name);
  return at == object.end() ? nothing : *at;
}

/// As many clients as the sequence has, and the administrator.
QuietEnsemble::Setting withClientsOf(const Json& sequence, QuietEnsemble::Setting setting) {
  std::set<std::string> names;
  for (const Json& step : sequence.at("steps")) {
    const Json& client = field(step, "c");
    if (client.is_string()) names.insert(client.get<std::string>());
  }
  setting.clients = names.size() + 1;
  return setting;
}

/// One recorded sequence, repeated with an ensemble of its own.
class Replay {
 public:
  Replay(const Json& sequence, const std::string& root, const QuietEnsemble::Setting& setting,
         const Rules& rules, QuietEnsemble::Backlog backlog)
      : sequence_(sequence),
        root_(root),
        servers_(setting.servers),
        backlog_(backlog),
        ensemble_(withClientsOf(sequence, setting), rules) {
    ensemble_.ask(administrator, {.instruction = Instruction::connect, .number = next(), .server = 1});
    Request create{.instruction = Instruction::operate, .number = next()};
    create.op = {{.code = OpCode::create, .path = root_, .data = "", .acl = openAcl()}};
    ensemble_.ask(administrator, create);
    base_ = ensemble_.last();
  }

  /// How many steps agreed. Throws Differs or Undecidable.
  std::size_t run() {
    for (const Json& step : sequence_.at("steps")) {
      make(step);
      if (const std::string violation = ensemble_.violation(); !violation.empty())
        throw Differs{"the answers are as recorded, and no invariant allows them: " + violation};
      ++steps_;
    }
    compareTree();
    return steps_;
  }
  std::size_t steps() const { return steps_; }
  /// Whether a server was stopped and ran again, so that the order in which it reads matters.
  bool resumes() const { return resumes_; }

 private:
  // ---- names and numbers of the recording

  std::int64_t next() { return ++number_; }

  ServerId clientOf(const std::string& name) {
    const auto known = clients_.try_emplace(name, first_client + static_cast<ServerId>(clients_.size()));
    return known.first->second;
  }

  /// An integer is relative to the counter of the transaction that created the root; of an argument, 0 is no
  /// zxid, as it was sent. A text is `+EPOCHS.COUNTER`, of a later epoch, or `none`.
  Zxid zxidOf(const Json& recorded) const {
    if (recorded.is_number_integer()) {
      if (recorded == 0) return {};
      return {base_.value + recorded.get<std::int64_t>()};
    }
    if (recorded.is_null() || recorded == "none" || recorded == "-1") return {};
    const std::string text = recorded.get<std::string>();
    const std::size_t dot = text.find('.');
    if (!text.starts_with("+") || dot == std::string::npos || dot + 1 == text.size() || dot > 9 ||
        text.size() - dot > 10 || text.find_first_not_of("0123456789", 1) != dot ||
        text.find_first_not_of("0123456789", dot + 1) != std::string::npos)
      throw Undecidable{inBackticks(text) + " is not a zxid"};
    return Zxid::of(base_.epoch() + std::stoll(text.substr(1, dot - 1)), std::stoll(text.substr(dot + 1)));
  }
  Json relative(Zxid zxid) const {
    if (zxid == Zxid{}) return "none";
    if (zxid.epoch() == base_.epoch()) return zxid.value - base_.value;
    return "+" + std::to_string(zxid.epoch() - base_.epoch()) + "." + std::to_string(zxid.counter());
  }

  Json sessionName(SessionId session) {
    if (session == no_session) return 0;
    for (const auto& [name, id] : sessions_) {
      if (id == session) return name;
    }
    const std::string name = "s" + std::to_string(sessions_.size() + 1);
    sessions_[name] = session;
    return name;
  }

  static std::optional<std::string> dataOf(const Json& recorded) {
    if (recorded.is_null() || recorded.is_array())
      return std::nullopt;  // of setWatches it is a list of paths
    if (recorded.is_string()) return recorded.get<std::string>();
    constexpr std::uint64_t longest = 16'000'000;
    if (recorded.contains("len")) {
      const auto length = recorded.at("len").get<std::uint64_t>();
      if (length > longest) throw Malformed("data of " + std::to_string(length) + " bytes");
      return std::string(length, 'x');
    }
    std::string bytes;
    const std::string hex = recorded.at("hex");
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
  }
  /// Whether the answered data are what the recording describes.
  static bool sameData(const std::optional<std::string>& data, const Json& recorded) {
    return data == dataOf(recorded);
  }

  /// As in the random sequences: [czxid, mzxid, pzxid, version, cversion, aversion, owner, length, children].
  Json statOf(const Stat& stat) {
    return {relative(stat.czxid),
            relative(stat.mzxid),
            relative(stat.pzxid),
            stat.version,
            stat.cversion,
            stat.aversion,
            sessionName(stat.ephemeral_owner),
            stat.data_length,
            stat.num_children};
  }
  static Json listed(const Json& stat) {
    if (stat.is_array()) return stat;
    Json list = Json::array();
    for (const char* name : {"czxid", "mzxid", "pzxid", "version", "cversion", "aversion", "ephemeralOwner",
                             "dataLength", "numChildren"})
      list.push_back(stat.at(name));
    return list;
  }

  // ---- requests

  static std::optional<OpCode> codeOf(const std::string& name) {
    if (name == "setWatches2") return OpCode::setWatches;
    std::optional<OpCode> found;
    forEachEnumerator<OpCode>([&](std::string_view, OpCode code) {
      if (nameOf(code) == name) found = code;
    });
    return found;
  }

  static std::int32_t flagsOf(const Json& recorded) {
    if (recorded.is_number()) return recorded.get<std::int32_t>();
    constexpr std::array<std::string_view, 7> modes{"P", "E", "PS", "ES", "C", "TTL", "STTL"};
    const std::string mode = recorded.is_null() ? "P" : recorded.get<std::string>();
    const auto at = std::find(modes.begin(), modes.end(), mode);
    if (at == modes.end()) throw Undecidable{"there are no flags " + inBackticks(mode)};
    return static_cast<std::int32_t>(at - modes.begin());
  }

  /// Of a request's arguments: left out, it is the open one.
  static std::vector<Acl> aclOf(const Json& arguments) {
    if (!arguments.contains("acl")) return openAcl();
    const Json& recorded = arguments.at("acl");
    if (recorded.is_null()) throw Undecidable{"a list that is null is not a list of a request here"};
    std::vector<Acl> acl;
    for (const Json& entry : recorded)
      acl.push_back(
          {entry.at(0).get<std::int32_t>(), entry.at(1).get<std::string>(), entry.at(2).get<std::string>()});
    return acl;
  }

  static SubOp subOpOf(OpCode code, const Json& arguments) {
    SubOp op{.code = code};
    if (arguments.contains("path") && arguments.at("path").is_null())
      throw Undecidable{"a path that is null is not a path of a request here"};
    op.path = arguments.value("path", "");
    op.data = dataOf(field(arguments, "data"));
    op.version = arguments.value("version", -1);
    op.flags = flagsOf(field(arguments, "flags"));
    op.ttl = arguments.value("ttl", std::int64_t{0});
    if (code <= OpCode::createTTL || code == OpCode::setACL) op.acl = aclOf(arguments);
    return op;
  }

  Op opOf(const std::string& name, const Json& arguments) const {
    const auto code = codeOf(name);
    if (!code) throw Undecidable{"there is no operation `" + name + "`"};
    Op op{subOpOf(*code, arguments)};
    op.watch = arguments.value("watch", false);
    op.kind = arguments.value(*code == OpCode::addWatch ? "mode" : "type", 0);
    if (*code == OpCode::auth) op.credentials = {arguments.value("scheme", ""), arguments.value("auth", "")};
    if (*code == OpCode::setWatches) {
      WatchLists lists{.seen = zxidOf(field(arguments, "relZxid"))};
      lists.data = arguments.value("data", lists.data);
      lists.exist = arguments.value("exist", lists.exist);
      lists.child = arguments.value("child", lists.child);
      lists.persistent = arguments.value("persistent", lists.persistent);
      lists.recursive = arguments.value("recursive", lists.recursive);
      op.data.reset();
      op.watches = std::move(lists);
    }
    for (const Json& one : field(arguments, "ops")) {
      const auto inner = codeOf(one.at(0).get<std::string>());
      if (!inner) throw Undecidable{"there is no operation `" + one.at(0).get<std::string>() + "`"};
      op.ops.push_back(subOpOf(*inner, one.at(1)));
    }
    // A body that ends too early has neither its data nor what follows them.
    const bool truncated = (*code == OpCode::setData && !arguments.contains("version")) ||
                           (*code == OpCode::create && !arguments.contains("flags"));
    if (truncated && !arguments.contains("data")) op = {{.code = OpCode::undecodable}};
    return op;
  }

  Request operate(const std::string& name, const Json& arguments) {
    Request request{.instruction = Instruction::operate, .number = next()};
    request.op = opOf(name, arguments);
    return request;
  }

  // ---- steps

  void make(const Json& step) {
    const std::string op = step.at("op");
    if (op == "note") return doToServers(step);
    if (op == "measure") throw Undecidable{"it measures time"};
    if (op == "wait") return ensemble_.pass(waitOf(step.at("a").at("seconds").dump()));
    const ServerId client = clientOf(step.at("c"));
    if (op == "connect") {
      connect(client, step);
    } else if (op == "drop") {
      ensemble_.ask(client, {.instruction = Instruction::disconnect, .number = next()});
      ensemble_.take(client);
    } else if (op == "pipeline") {
      pipeline(client, step);
    } else if (op == "send only") {
      sendOnly(client, step);
    } else if (op == "listen") {
      listen(client, step);
    } else {
      ensemble_.ask(client, operate(op, field(step, "a")));
      compareReply(client, step);
    }
    // Without a barrier what the others were notified of was not looked at yet.
    if (!step.value("no_barrier", false)) compareOthers(step);
  }

  /// A note says what was done to the servers.
  void doToServers(const Json& step) {
    const std::string note = step.at("note");
    if (note == "kill -9") {
      const ServerId server = serverOf(step);
      if (!ensemble_.isUp(server)) throw Malformed("server " + std::to_string(server) + " is not up");
      ensemble_.kill(server);
    } else if (note == "started") {
      const ServerId server = serverOf(step);
      if (ensemble_.isUp(server)) throw Malformed("server " + std::to_string(server) + " is up already");
      ensemble_.start(server);
      if (step.contains("roles")) ensemble_.serveAgain();
    } else if (note == "serving again") {
      ensemble_.serveAgain();
      for (const auto& [server, role] : step.at("roles").items()) {
        if (role == "leader" && !ensemble_.leads(std::stoll(server)))
          throw Undecidable{"another server was elected: this depends on times"};
      }
    } else if (note.find(" frozen") != std::string::npos) {
      for (const ServerId server : namedIn(step, false)) ensemble_.pause(server);
    } else if (note.find(" run") != std::string::npos) {
      for (const ServerId server : namedIn(step, true)) ensemble_.resume(server, backlog_);
      resumes_ = true;
    } else if (note.starts_with("waited ")) {
      ensemble_.pass(waitOf(note.substr(std::string("waited ").size())));
      for (const auto& [server, role] : step.at("roles").items()) expectRole(step, std::stoll(server), role);
    } else if (!note.starts_with("see ")) {
      throw Undecidable{"`" + note + "` was done to a server"};
    }
  }

  /// The servers that a note is about: by `server`, or all that lead or follow. Of them those whose process
  /// is stopped (`paused`), or those whose process runs; there has to be one.
  std::vector<ServerId> namedIn(const Json& step, bool paused) const {
    const std::string note = step.at("note");
    std::vector<ServerId> named;
    for (ServerId server = 1; server <= servers_; ++server) {
      const bool meant = note.starts_with("leader ")      ? ensemble_.leads(server)
                         : note.starts_with("followers ") ? !ensemble_.leads(server)
                                                          : serverOf(step) == server;
      if (meant && ensemble_.isUp(server) && ensemble_.isPaused(server) == paused) named.push_back(server);
    }
    if (named.empty()) throw Malformed("there is no server to which `" + note + "` could be done");
    return named;
  }

  void expectRole(const Json& step, ServerId server, const std::string& recorded) {
    const std::string role = !ensemble_.isUp(server)        ? "down"
                             : ensemble_.isReadOnly(server) ? "read-only"
                             : ensemble_.leads(server)      ? "leader"
                             : ensemble_.isServing(server)  ? "follower"
                                                            : "not serving";
    expect(step, "the role of server " + std::to_string(server), role, recorded);
  }

  ServerId serverOf(const Json& step) const {
    const ServerId server = step.at("server");
    if (server < 1 || server > servers_) throw Malformed("there is no server " + std::to_string(server));
    return server;
  }

  /// The recorded seconds, which have at most one decimal.
  static Millis waitOf(const std::string& seconds) {
    const std::size_t point = std::min(seconds.find('.'), seconds.size());
    const std::string tenth = point + 1 < seconds.size() ? seconds.substr(point + 1, 1) : "0";
    const Millis whole = std::stoll(seconds.substr(0, point));
    constexpr Millis longest = 3600;
    if (whole < 0 || whole >= longest) throw Malformed("a wait of " + seconds + " seconds");
    return whole * 1000 + std::stoll(tenth) * 100;
  }

  void connect(ServerId client, const Json& step) {
    const Json& arguments = step.at("a");
    Request request{.instruction = Instruction::connect, .number = next(), .server = serverOf(step)};
    request.timeout = arguments.at("timeout");
    const Json& session = arguments.at("session");
    request.session = session.is_string() ? known(session.get<std::string>()) : no_session;
    request.last_seen = zxidOf(arguments.at("lastZxidSeen"));
    request.password = arguments.value("password", "right") == "right";
    request.read_only = arguments.value("readOnly", false);
    if (step.at("r").contains("refused_before")) ensemble_.serveAgain();
    ensemble_.ask(client, request);
    const Client& now = ensemble_.client(client);
    const Json& recorded = step.at("r");
    Json made;
    if (isConnected(now.state)) {
      made = {{"session", sessionName(now.session)},
              {"timeout", now.timeout},
              {"readOnly", now.state == ClientState::CONNECTEDREADONLY}};
    } else if (now.state == ClientState::CLOSED) {
      made = {{"session", 0}, {"timeout", 0}};
    } else {
      made = {{"closed", true}};
    }
    for (const auto& [name, value] : made.items()) {
      const Json& was = field(recorded, name.c_str());
      expect(step, name.c_str(), value, name == "readOnly" && was.is_null() ? Json(false) : was);
    }
    ensemble_.take(client);
  }

  /// A session that the recording names and nobody here has opened is one that does not exist.
  SessionId known(const std::string& name) {
    constexpr SessionId unopened = 999'999'000;
    return sessions_.try_emplace(name, unopened + static_cast<SessionId>(sessions_.size())).first->second;
  }

  [[noreturn]] static void differ(const Json& step, const std::string& what, const Json& made,
                                  const Json& recorded) {
    std::string asked = step.value("op", "");
    if (const Json& arguments = field(step, "a"); arguments.is_object())
      asked += " " + arguments.value("path", "");
    throw Differs{step.value("c", "") + ", " + asked + ": " + what + " is " + made.dump() + ", and was " +
                  recorded.dump()};
  }
  static void expect(const Json& step, const std::string& what, const Json& made, const Json& recorded) {
    if (made != recorded) differ(step, what, made, recorded);
  }

  static Json eventOf(const Watched& watched) {
    return {std::string(enumName(watched.event.type)), "SyncConnected", watched.event.path};
  }

  void compareReply(ServerId client, const Json& step) {
    Json before = Json::array();
    Json after = Json::array();
    bool answered = false;
    for (const Event& event : ensemble_.take(client)) {
      if (const auto* watched = get_if<Watched>(&event)) {
        (answered ? after : before).push_back(eventOf(*watched));
      } else if (const auto* answer = get_if<Answered>(&event)) {
        answered = true;
        compare(step, *answer, step.at("r"));
      } else if (const auto* state = get_if<ClientStateChanged>(&event)) {
        const bool lost = state->reason == StateReason::connection_lost;
        if (lost && answered && !step.at("r").contains("closed")) after.push_back("CLOSED");
        if (state->to == ClientState::AUTH_FAILED) after.push_back("CLOSED");
      }
    }
    if (!answered) differ(step, "the reply", nullptr, step.at("r"));
    expect(step, "what came before the reply", before, step.value("before", Json::array()));
    expect(step, "what came after the reply", after, later(step, step.at("c")));
  }

  /// The events that came to this client after the reply.
  static Json later(const Json& step, const std::string& client) {
    const Json& after = field(step, "after");
    return after.is_object() ? after.value(client, Json::array()) : Json::array();
  }

  bool isUsedLater(const std::string& client) const {
    const Json& steps = sequence_.at("steps");
    return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(steps_) + 1, steps.end(),
                       [&](const Json& step) { return step.value("c", "") == client; });
  }

  void compareOthers(const Json& step) {
    for (const auto& [name, client] : clients_) {
      if (name == step.at("c")) continue;
      Json events = Json::array();
      for (const Event& event : ensemble_.take(client)) {
        if (const auto* watched = get_if<Watched>(&event)) events.push_back(eventOf(*watched));
        // That a client is cut off was not looked at where the client is not used again.
        const bool closed = holds_alternative<ClientStateChanged>(event);
        if (closed && (!later(step, name).empty() || isUsedLater(name))) events.push_back("CLOSED");
      }
      expect(step, "what " + name + " was notified of", events, later(step, name));
    }
  }

  /// Operations with their arguments, alternating or in pairs, whose replies are listened for later.
  void sendOnly(ServerId client, const Json& step) {
    std::vector<Request> requests;
    const auto send = [&](const Json& op, const Json& arguments) {
      requests.push_back(operate(op, arguments));
      sent_[requests.back().number] = op;
    };
    const Json& sent = step.at("a");
    const bool in_pairs = !sent.empty() && sent.at(0).is_array();
    if (!in_pairs && sent.size() % 2 != 0) throw Malformed("an operation that is sent has no arguments");
    for (std::size_t i = 0; i < sent.size(); i += in_pairs ? 1 : 2)
      in_pairs ? send(sent.at(i).at(0), sent.at(i).at(1)) : send(sent.at(i), sent.at(i + 1));
    if (step.value("note", "").find("followers stand still") != std::string::npos) pauseFollowers();
    ensemble_.ask(client, requests);
  }

  /// Until the replies are listened for: nothing is committed meanwhile.
  void pauseFollowers() {
    for (ServerId server = 1; server <= servers_; ++server) {
      if (!ensemble_.isUp(server) || ensemble_.leads(server) || ensemble_.isPaused(server)) continue;
      ensemble_.pause(server);
      standing_.push_back(server);
    }
  }

  void pipeline(ServerId client, const Json& step) {
    std::vector<Request> requests;
    std::map<std::int64_t, Json> index;
    for (const Json& one : step.at("a")) {
      requests.push_back(operate(one.at(0), one.at(1)));
      index[requests.back().number] = requests.size() - 1;
    }
    ensemble_.ask(client, requests);
    compareArrivals(client, step, index);
  }

  /// What comes while the client asks nothing; it is waited for.
  void listen(ServerId client, const Json& step) {
    constexpr Millis patience = 120'000;
    constexpr Millis pause = 50;
    const std::size_t wanted =
        step.at("arrivals") == Json::array({"ALREADY CLOSED"}) ? 0 : step.at("arrivals").size();
    for (const ServerId server : std::exchange(standing_, {})) ensemble_.resume(server, backlog_);
    std::vector<Event> events;
    if (step.at("arrivals").empty()) events = ensemble_.take(client);
    for (Millis waited = 0; events.size() < wanted && waited < patience; waited += pause) {
      for (Event& event : ensemble_.take(client)) events.push_back(std::move(event));
      if (events.size() < wanted) ensemble_.pass(pause);
    }
    // No server sends these: a client fails its own requests when its connection is lost.
    std::erase_if(events, [](const Event& event) {
      const auto* answer = get_if<Answered>(&event);
      return answer != nullptr && answer->result.error == Error::CONNECTIONLOSS;
    });
    compareArrivals(client, step, sent_, events);
  }

  void compareArrivals(ServerId client, const Json& step, const std::map<std::int64_t, Json>& index) {
    compareArrivals(client, step, index, ensemble_.take(client));
  }

  void compareArrivals(ServerId client, const Json& step, const std::map<std::int64_t, Json>& index,
                       const std::vector<Event>& events) {
    const Json& arrivals = step.at("arrivals");
    std::size_t at = 0;
    for (const Event& event : events) {
      const Json expected = at < arrivals.size() ? arrivals[at] : Json();
      if (const auto* watched = get_if<Watched>(&event)) {
        Json made = eventOf(*watched);
        made.insert(made.begin(), "event");
        expect(step, "arrival " + std::to_string(at), made, expected);
      } else if (const auto* answer = get_if<Answered>(&event)) {
        const auto number = index.find(answer->number);
        if (number == index.end() || !expected.is_array() || expected.at(0) != "reply" ||
            expected.at(1) != number->second)
          differ(step, "arrival " + std::to_string(at), "a reply", expected);
        compare(step, *answer, expected.at(2));
      } else {
        const bool closed = expected == Json("CLOSED") || expected == Json::array({"CLOSED"});
        if (!closed) differ(step, "arrival " + std::to_string(at), "CLOSED", expected);
      }
      ++at;
    }
    if (arrivals == Json::array({"ALREADY CLOSED"})) {
      if (ensemble_.client(client).linked) differ(step, "the connection", "open", "closed");
      return;
    }
    expect(step, "the number of arrivals", at, arrivals.size());
  }

  // ---- replies

  void compare(const Json& step, const Answered& answered, const Json& recorded) {
    const Result& result = answered.result;
    if (recorded.value("closed", false)) {
      if (result.error != Error::CONNECTIONLOSS) differ(step, "the reply", code(result.error), recorded);
      return;
    }
    expect(step, "err", code(result.error), field(recorded, "err"));
    expect(step, "rel", relative(answered.zxid), field(recorded, "rel"));
    if (result.error != Error::OK) return;
    comparePart(step, answered.op, result, recorded);
    switch (answered.op.code) {
      case OpCode::getACL: {
        Json acl = Json::array();
        for (const Acl& entry : result.acl) acl.push_back({entry.perms, entry.scheme, entry.id});
        return expect(step, "acl", acl, field(recorded, "acl"));
      }
      case OpCode::getAllChildrenNumber:
        return expect(step, "number", result.number, field(recorded, "number"));
      case OpCode::whoAmI: {
        Json identities = Json::array();
        for (const Id& identity : result.identities) identities.push_back({identity.scheme, identity.id});
        return expect(step, "clientInfo", identities, field(recorded, "clientInfo"));
      }
      case OpCode::multi:
      case OpCode::multiRead: return compareResults(step, answered, recorded);
      default: return;
    }
  }

  /// The fields that a result of its own and one in a multi have in common.
  void comparePart(const Json& step, const SubOp& op, const SubResult& result, const Json& recorded) {
    if (recorded.contains("path")) expect(step, "path", result.path.value_or(""), recorded.at("path"));
    if (recorded.contains("stat")) compareStat(step, op.path, result, recorded.at("stat"));
    const bool stat = recorded.contains("stat");
    if (!stat && result.stat) differ(step, "stat", statOf(*result.stat), nullptr);
    if (recorded.contains("data") && !sameData(result.data, recorded.at("data")))
      differ(step, "data", result.data ? Json(*result.data) : Json(), recorded.at("data"));
    if (recorded.contains("children")) expect(step, "children", result.children, recorded.at("children"));
    if (recorded.contains("ephemerals"))
      expect(step, "ephemerals", result.children, recorded.at("ephemerals"));
  }

  /// Of the root and of ZooKeeper's own nodes the Stat depends on what was done before the sequence.
  void compareStat(const Json& step, const std::string& path, const SubResult& result, const Json& recorded) {
    if (path.empty() || path == "/" || path.starts_with("/zookeeper")) return;
    if (!result.stat) differ(step, "stat", nullptr, recorded);
    expect(step, "stat", statOf(*result.stat), listed(recorded));
  }

  void compareResults(const Json& step, const Answered& answered, const Json& recorded) {
    const auto& results = answered.result.results;
    const Json& expected = recorded.at("results");
    expect(step, "the number of results", results.size(), expected.size());
    const bool failed = answered.op.code == OpCode::multi &&
                        std::any_of(results.begin(), results.end(),
                                    [](const SubResult& one) { return one.error != Error::OK; });
    for (std::size_t i = 0; i < results.size(); ++i) {
      const SubResult& one = results[i];
      const bool is_error = failed || one.error != Error::OK;
      const std::string op = is_error ? "error" : std::string(nameOf(one.code));
      expect(step, "result " + std::to_string(i), op, expected[i].at("op"));
      if (is_error) {
        expect(step, "result " + std::to_string(i), code(one.error), expected[i].at("err"));
      } else {
        comparePart(step, answered.op.ops[i], one, expected[i]);
      }
    }
  }

  // ---- the end

  void compareTree() {
    const Tree* const tree = ensemble_.tree();
    if (tree == nullptr) throw Undecidable{"no server leads at its end"};
    const Json step = {{"op", "final tree"}};
    const Json& recorded = field(sequence_, "final_tree");
    std::size_t nodes = 0;
    for (const auto& [path, node] : tree->nodes) {
      if (path == root_ || path.starts_with(root_ + "/")) ++nodes;
    }
    if (recorded.is_null()) return;
    const bool with_root = !recorded.empty() && recorded[0].at(0) == root_;
    expect(step, "the number of nodes", nodes, recorded.size() + (with_root ? 0 : 1));
    for (const Json& row : recorded) {
      const std::string path = row.at(0);
      const ZNode* node = tree->find(path);
      if (node == nullptr) differ(step, path, nullptr, row);
      if (!sameData(node->data, row.at(1)))
        differ(step, path + ", data", node->data ? Json(*node->data) : Json(), row.at(1));
      expect(step, path, statOf(node->stat()), listed(row.at(2)));
    }
  }

  const Json& sequence_;
  std::string root_;
  int servers_;
  QuietEnsemble::Backlog backlog_;
  QuietEnsemble ensemble_;
  bool resumes_ = false;
  std::vector<ServerId> standing_;     ///< servers that stand still until replies are listened for
  std::map<std::int64_t, Json> sent_;  ///< the operations whose replies are listened for, by number
  Zxid base_;
  std::int64_t number_ = 0;
  std::size_t steps_ = 0;
  std::map<std::string, ServerId> clients_;
  std::map<std::string, SessionId> sessions_;
};

const JsonValue& member(const JsonValue& object, std::string_view name) {
  const JsonValue* const value = object.find(name);
  if (value == nullptr) throw object.error("there is no `" + std::string(name) + "`");
  return *value;
}

/// A whole number of an object; `absent` if it is not there.
std::int64_t numberIn(const JsonValue& object, std::string_view name, std::int64_t absent, std::int64_t min,
                      std::int64_t max) {
  const JsonValue* const value = object.find(name);
  return value == nullptr ? absent : value->asInt64(min, max);
}

void requireElectable(const JsonValue& recorded, const QuietEnsemble::Setting& setting) {
  if (2 * setting.leader <= setting.servers)
    throw recorded.keyError("leader", "server " + std::to_string(setting.leader) + " does not lead",
                            "servers without transactions elect the largest id of a quorum");
}

QuietEnsemble::Setting settingOf(const JsonValue& recorded) {
  constexpr Millis day = 86'400'000;
  QuietEnsemble::Setting setting;
  setting.servers = static_cast<int>(numberIn(recorded, "servers", setting.servers, 1, 9));
  setting.leader = numberIn(recorded, "leader", setting.servers, 1, setting.servers);
  setting.tick_ms = numberIn(recorded, "tick_ms", setting.tick_ms, 2, day);
  requireElectable(recorded, setting);
  return setting;
}

/// Times and zxids are added up: throws InputError for numbers that are larger than any that servers send.
void requireSmallNumbers(const JsonValue& recorded) {
  constexpr std::int64_t largest = 1'000'000'000'000;
  switch (recorded.kind()) {
    case JsonValue::Kind::integer: recorded.asInt64(-largest, largest); return;
    case JsonValue::Kind::array:
      for (const JsonValue& element : recorded.elements()) requireSmallNumbers(element);
      return;
    case JsonValue::Kind::object:
      for (const JsonValue& one : recorded.members()) requireSmallNumbers(one);
      return;
    case JsonValue::Kind::number:
      // Measured times, and the seconds of a wait, have fractions.
      if (recorded.key() != "seconds" && recorded.key() != "ticks")
        throw recorded.kindError("a whole number");
      return;
    default: return;
  }
}

/// What the JSON library says, without the name of its exception.
std::string reasonOf(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t name = text.starts_with("[json.exception") ? text.find("] ") : std::string::npos;
  return name == std::string::npos ? text : text.substr(name + 2);
}

class Clients : public Conformance {
 public:
  explicit Clients(const Rules& rules) : rules_(rules) {}

  std::string_view records() const override { return "sequences"; }

  std::vector<ConformLine> judge(const JsonValue& document) override {
    std::vector<ConformLine> lines;
    if (const JsonValue* const facts = document.find("facts")) {
      for (const JsonValue& fact : facts->elements()) {
        const JsonValue* const name = fact.kind() == JsonValue::Kind::object ? fact.find("name") : nullptr;
        const bool named = name != nullptr && name->kind() == JsonValue::Kind::string;
        lines.push_back(readable(named ? name->asString() : "fact " + std::to_string(lines.size()), fact,
                                 [&] { return judgeFact(fact); }));
      }
    } else if (const JsonValue* const sequences = document.find("sequences")) {
      const QuietEnsemble::Setting setting = settingOf(document);
      const std::string& root = member(document, "root").asString();
      for (const JsonValue& sequence : sequences->elements()) {
        const JsonValue* const id =
            sequence.kind() == JsonValue::Kind::object ? sequence.find("id") : nullptr;
        const bool numbered = id != nullptr && id->kind() == JsonValue::Kind::integer;
        const std::string name =
            "sequence " + std::to_string(numbered ? id->asInt64() : static_cast<std::int64_t>(lines.size()));
        lines.push_back(
            readable(name, sequence, [&] { return judge(name, sequence, root, setting, rules_); }));
      }
    } else {
      throw document.error("there are neither `facts` nor `sequences`",
                           "a recording of clients has a list of either");
    }
    return lines;
  }

  Json summary() const override {
    return {{"agree", counts_[0]}, {"differ", counts_[1]}, {"undecidable", counts_[2]}, {"steps", steps_}};
  }
  std::string words() const override {
    return std::to_string(counts_[0]) + " agree, " + std::to_string(counts_[1]) + " differ, " +
           std::to_string(counts_[2]) + " undecidable; " + std::to_string(steps_) +
           " replies and events compared";
  }

 private:
  /// One value that cannot be read makes its sequence undecidable, and no other.
  template <class Judge>
  ConformLine readable(const std::string& name, const JsonValue& recorded, Judge&& judgeIt) {
    try {
      requireSmallNumbers(recorded);
      return judgeIt();
    } catch (const InputError& error) {
      ++counts_[static_cast<std::size_t>(Agreement::undecidable)];
      const std::string line = error.position ? " (line " + std::to_string(error.position->line) +
                                                    ", column " + std::to_string(error.position->column) + ")"
                                              : "";
      return {Agreement::undecidable, name, error.message + line, {{"sequence", name}, {"steps", 0}}};
    }
  }

  ConformLine judgeFact(const JsonValue& fact) {
    Rules rules = rules_;
    const JsonValue& options = member(fact, "options");
    const auto has = [&](const char* option) {
      return std::any_of(options.elements().begin(), options.elements().end(),
                         [&](const JsonValue& one) { return one.asString() == option; });
    };
    if (has("zookeeper.extendedTypesEnabled=true")) rules.ttl_nodes = TtlNodes::allowed;
    if (has("zookeeper.enforceQuota=true")) rules.quotas = Quotas::enforced;
    if (has("localSessionsEnabled=true")) rules.new_sessions = NewSessions::local;
    if (!has("localSessionsUpgradingEnabled=true")) rules.local_ephemerals = LocalEphemerals::refused;
    if (has("-Dreadonlymode.enabled=true")) rules.without_quorum = WithoutQuorum::read_only;
    QuietEnsemble::Setting setting = settingOf(fact);
    if (has("znode.container.checkIntervalMs=1000")) setting.container_check_ms = 1000;
    const std::string& name = member(fact, "name").asString();
    return judge(name, fact, "/t", setting, rules);
  }

  struct Judged {
    Agreement agreement = Agreement::agrees;
    std::string why;
    std::size_t steps = 0;
    bool resumes = false;
  };

  /// `places`: the recorded steps, to say where something cannot be read; after the last one it is `whole`.
  static Judged replay(const Json& sequence, const std::vector<JsonValue>& places, const JsonValue& whole,
                       const std::string& root, const QuietEnsemble::Setting& setting, const Rules& rules,
                       QuietEnsemble::Backlog backlog) {
    Replay replay(sequence, root, setting, rules, backlog);
    const auto malformed = [&](const std::exception& error) {
      const JsonValue& place = replay.steps() < places.size() ? places[replay.steps()] : whole;
      return place.error("this is not what a recording of clients has here: " + reasonOf(error));
    };
    Judged judged;
    try {
      replay.run();
    } catch (const Differs& differs) {
      judged = {Agreement::differs, differs.why};
    } catch (const Undecidable& undecidable) {
      judged = {Agreement::undecidable, undecidable.why};
    } catch (const Json::exception& error) {
      throw malformed(error);
    } catch (const std::invalid_argument& error) {
      throw malformed(error);
    } catch (const std::out_of_range& error) {
      throw malformed(error);
    }
    judged.steps = replay.steps();
    judged.resumes = replay.resumes();
    return judged;
  }

  /// In which order a server that was stopped reads its connections is not recorded: one of the orders has to
  /// lead to what was.
  static Judged replayInEitherOrder(const Json& sequence, const std::vector<JsonValue>& places,
                                    const JsonValue& whole, const std::string& root,
                                    const QuietEnsemble::Setting& setting, const Rules& rules) {
    using Backlog = QuietEnsemble::Backlog;
    const Judged first = replay(sequence, places, whole, root, setting, rules, Backlog::as_arrived);
    if (first.agreement != Agreement::differs || !first.resumes) return first;  // there is only one order
    const Judged second = replay(sequence, places, whole, root, setting, rules, Backlog::clients_first);
    return second.agreement == Agreement::agrees ? second : first;
  }

  ConformLine judge(const std::string& name, const JsonValue& recorded, const std::string& root,
                    const QuietEnsemble::Setting& setting, const Rules& rules) {
    ConformLine line{Agreement::agrees, name, "", {{"sequence", name}}};
    const std::vector<JsonValue>& steps = member(recorded, "steps").elements();
    Json sequence = recorded.plain();
    Judged judged = replayInEitherOrder(sequence, steps, recorded, root, setting, rules);
    const JsonValue* const again = recorded.find("second_recording");
    if (again != nullptr && judged.agreement == Agreement::agrees) {
      // The same was recorded once more, and these steps went another way.
      QuietEnsemble::Setting other = setting;
      other.leader = numberIn(*again, "leader", setting.leader, 1, setting.servers);
      requireElectable(*again, other);
      std::vector<JsonValue> places = steps;
      const JsonValue& others = member(*again, "steps");
      std::size_t replaced = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const JsonValue* const step = others.find(std::to_string(i));
        if (step == nullptr) continue;
        places[i] = *step;
        sequence["steps"][i] = step->plain();
        ++replaced;
      }
      if (replaced != others.members().size()) throw others.error("not all of these are indices of steps");
      const std::size_t first = judged.steps;
      judged = replayInEitherOrder(sequence, places, *again, root, other, rules);
      if (judged.agreement != Agreement::agrees) judged.why = "second recording: " + judged.why;
      steps_ += judged.steps;
      judged.steps = first;
    }
    line.agreement = judged.agreement;
    line.why = judged.why;
    line.fields["steps"] = judged.steps;
    steps_ += judged.steps;
    ++counts_[static_cast<std::size_t>(line.agreement)];
    return line;
  }

  Rules rules_;
  std::array<std::uint64_t, 3> counts_{};
  std::uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Conformance> judgeClients(const Rules& rules) { return std::make_unique<Clients>(rules); }

}  // namespace zablab::zookeeper
