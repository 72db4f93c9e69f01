#include "checker/zab/recordings.h"

#include <algorithm>
#include <charconv>

#include "sim/json_reflect.h"

namespace zablab {

template <>
struct JsonCodec<zab::LoggedZxid> {
  static Json write(const zab::LoggedZxid& zxid) {
    constexpr int hexadecimal = 16;
    std::array<char, hexadecimal> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint64_t>(zxid.value.value), hexadecimal);
    return "0x" + std::string(digits.data(), end.ptr);
  }
  static zab::LoggedZxid read(const JsonValue& json) {
    constexpr int hexadecimal = 16;
    const std::string& text = json.asString();
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed =
        std::from_chars(text.data() + std::min<std::size_t>(2, text.size()), end, value, hexadecimal);
    if (!text.starts_with("0x") || parsed.ec != std::errc{} || parsed.ptr != end)
      throw json.error(inBackticks(text) + " is not a zxid",
                       "write it as ZooKeeper logs it: \"0x100000003\"");
    return {zab::Zxid{static_cast<std::int64_t>(value)}};
  }
};

/// A struct that is written as an array of its fields.
template <class Row>
requires(Row::is_row) struct JsonCodec<Row> {
  static Json write(const Row& row) {
    Json array = Json::array();
    forEachField(row, [&](const char*, const auto& field) { array.push_back(toJson(field)); });
    return array;
  }
  static Row read(const JsonValue& json) {
    std::vector<std::string> names;
    Row row;
    forEachField(row, [&](const char* name, auto&) { names.emplace_back(name); });
    if (json.elements().size() != names.size()) {
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
      throw json.error("there are " + std::to_string(json.elements().size()) + " values instead of " +
                           std::to_string(names.size()),
                       "they are: [" + list + "]");
    }
    std::size_t next = 0;
    forEachField(row, [&](const char*, auto& field) {
      field = zablab::read<std::remove_cvref_t<decltype(field)>>(json.elements()[next++]);
    });
    return row;
  }
};

namespace zab {
namespace {

bool has(const std::vector<ServerId>& ids, ServerId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

const JsonValue& at(const JsonValue& object, std::string_view key) { return *object.find(key); }

/// The value of `key` contradicts that of `other`.
[[noreturn]] void contradiction(const JsonValue& object, std::string_view key, const std::string& what) {
  throw object.keyError(key, what);
}

void checkMembers(const JsonValue& json, const ElectionCall& call) {
  std::vector<ServerId> all = call.voters;
  all.insert(all.end(), call.observers.begin(), call.observers.end());
  std::sort(all.begin(), all.end());
  if (call.voters.empty()) contradiction(json, "voters", "there are no voters");
  if (std::adjacent_find(all.begin(), all.end()) != all.end())
    contradiction(json, "voters", "a server is named twice among `voters` and `observers`");
  if (!has(all, call.sid))
    contradiction(json, "sid", "server " + std::to_string(call.sid) + " is neither voter nor observer");
  if (call.voter != has(call.voters, call.sid))
    contradiction(json, "voter", "`voter` contradicts the lists `voters` and `observers`");
  constexpr std::int64_t weight_max = 1'000'000;
  std::vector<ServerId> grouped;
  for (const auto& group : call.groups) grouped.insert(grouped.end(), group.begin(), group.end());
  std::sort(grouped.begin(), grouped.end());
  if (std::adjacent_find(grouped.begin(), grouped.end()) != grouped.end())
    contradiction(json, "groups", "a server is in two groups");
  for (const ServerId id : grouped) {
    if (!has(all, id)) contradiction(json, "groups", "unknown server " + std::to_string(id));
  }
  for (const auto& [id, weight] : call.weights) {
    if (!has(all, id)) contradiction(json, "weights", "unknown server " + std::to_string(id));
    if (weight < 0 || weight > weight_max)
      contradiction(json, "weights", "a weight is from 0 to " + std::to_string(weight_max));
  }
}

void checkTimes(const JsonValue& json, const ElectionCall& call) {
  constexpr Millis wait_max = 86'400'000;
  if (call.min_ms < 1 || call.max_ms < call.min_ms || call.max_ms > wait_max)
    contradiction(json, "max_ms", "0 < `min_ms` <= `max_ms` <= a day does not hold");
  constexpr Millis time_max = 1'000'000'000'000'000;
  const auto isTime = [](Millis t) { return t >= 0 && t <= time_max; };
  const std::string range = "times are from 0 to " + std::to_string(time_max);
  if (!isTime(call.t)) contradiction(json, "t", range);
  if (call.t_end && !isTime(*call.t_end)) contradiction(json, "t_end", range);
  if (call.result && !call.t_end) contradiction(json, "t_end", "a call with a `result` has an end");
  if (call.t_end && *call.t_end < call.t) contradiction(json, "t_end", "the call ends before it begins");
  if (call.t_end && call.duration_ms && *call.duration_ms != *call.t_end - call.t)
    contradiction(json, "duration_ms", "`duration_ms` is not `t_end` - `t`");
  const auto inOrder = [&](std::string_view key, const auto& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const JsonValue& place = at(json, key).elements()[i];
      if (i > 0 && rows[i].t < rows[i - 1].t) throw place.error("times decrease here");
      if (!isTime(rows[i].t)) throw place.error(range);
      if (call.t_end && rows[i].t > *call.t_end) throw place.error("this is after the call's end");
    }
  };
  inOrder("received", call.received);
  inOrder("timeouts", call.timeouts);
  if (!call.timeouts.empty() && call.timeouts.front().t < call.t)
    throw at(json, "timeouts").elements()[0].error("this is before the beginning of the call");
}

void check(const JsonValue& json, const ElectionCall& call) {
  checkMembers(json, call);
  checkTimes(json, call);
  const auto known = [&](ServerId id) { return has(call.voters, id) || has(call.observers, id); };
  const auto knownIn = [&](const JsonValue& place, ServerId id) {
    if (!known(id)) throw place.error("unknown server " + std::to_string(id));
  };
  constexpr std::int64_t round_max = std::int64_t{1} << 62;
  if (call.round < 1 || call.round > round_max)
    contradiction(json, "round", "rounds begin with 1 and are not larger than " + std::to_string(round_max));
  for (std::size_t i = 0; i < call.received.size(); ++i) {
    const JsonValue& place = at(json, "received").elements()[i];
    knownIn(place, call.received[i].from);
    knownIn(place, call.received[i].leader);
    if (!has(call.voters, call.received[i].from))
      throw place.error("the notifications of observers are not counted, and not listed");
  }
  if (call.voter) {
    if (call.own.leader != call.sid) contradiction(json, "own", "a voter's own vote is for itself");
  } else if (call.own.leader != no_server || call.own.zxid.value != zxid_of_observer) {
    contradiction(json, "own", "an observer's own vote has the smallest possible values");
  }
  for (std::size_t i = 0; i < call.proposals_broadcast.size(); ++i) {
    const ServerId leader = call.proposals_broadcast[i].leader;
    if (call.voter || leader != no_server) knownIn(at(json, "proposals_broadcast").elements()[i], leader);
  }
  if (call.broadcasts < static_cast<std::int64_t>(call.proposals_broadcast.size()))
    contradiction(json, "broadcasts", "there are more `proposals_broadcast`");
  if (call.result) knownIn(at(json, "result"), call.result->leader);
}

std::int64_t lengthOf(const ZxidRun& run) { return run.last.value.value - run.first.value.value + 1; }

/// Checks that runs are in order, each within one epoch, and not too many to list.
void checkRuns(const JsonValue& json, const std::vector<ZxidRun>& runs) {
  constexpr std::int64_t zxids_max = 1'000'000;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const JsonValue& place = json.elements()[i];
    if (runs[i].first.value.value < 0 || runs[i].first.value.epoch() != runs[i].last.value.epoch() ||
        runs[i].first.value > runs[i].last.value)
      throw place.error("a run is [first, last] of one epoch");
    if (i > 0 && runs[i].first.value <= runs[i - 1].last.value) throw place.error("zxids decrease here");
    total += lengthOf(runs[i]);
    if (total > zxids_max) throw place.error("these are more than " + std::to_string(zxids_max) + " zxids");
  }
}

void check(const JsonValue& json, const SyncDecision& decision) {
  checkRuns(at(json, "committedLog"), decision.committedLog);
  checkRuns(at(at(json, "txnLog"), "zxids"), decision.txnLog.zxids);
  if (decision.leader == decision.learner) contradiction(json, "learner", "the learner is the leader itself");
  if (decision.minCommittedLog.value > decision.maxCommittedLog.value)
    contradiction(json, "maxCommittedLog", "`maxCommittedLog` is less than `minCommittedLog`");
  if (decision.maxCommittedLog.value > decision.lastProcessedZxid.value)
    contradiction(json, "lastProcessedZxid", "it is less than `maxCommittedLog`");
  if (!decision.committedLog.empty() &&
      (decision.committedLog.front().first.value < decision.minCommittedLog.value ||
       decision.committedLog.back().last.value > decision.maxCommittedLog.value))
    contradiction(json, "committedLog", "it reaches beyond `minCommittedLog` and `maxCommittedLog`");
  // A log that was reconstructed afterwards may lack what was not recorded.
  if (!decision.reconstructed && !decision.committedLog.empty() &&
      (decision.committedLog.front().first.value != decision.minCommittedLog.value ||
       decision.committedLog.back().last.value != decision.maxCommittedLog.value))
    contradiction(json, "committedLog", "it does not reach from `minCommittedLog` to `maxCommittedLog`");
  if (!decision.reconstructed && decision.committedLog.empty() && decision.maxCommittedLog.value != Zxid{})
    contradiction(json, "committedLog", "it is empty, but `maxCommittedLog` is not 0x0");
  if (decision.sent.op == SyncMode::NONE) contradiction(json, "sent", "DIFF, TRUNC or SNAP is sent");
  const std::int64_t proposals = decision.proposals_before_NEWLEADER;
  if (proposals < 0) contradiction(json, "proposals_before_NEWLEADER", "a count is at least 0");
  if (decision.commits_before_NEWLEADER < 0 || decision.commits_before_NEWLEADER > proposals)
    contradiction(json, "commits_before_NEWLEADER",
                  "from 0 to `proposals_before_NEWLEADER` can be committed");
  if (decision.first_last.has_value() != (proposals > 0))
    contradiction(json, "first_last", "it is `null` if and only if there are no proposals");
}

template <class Row>
std::vector<Row> readRows(const JsonValue& document) {
  if (document.kind() != JsonValue::Kind::array)
    throw document.kindError("an array", "a recording is an array of objects; see recordings/README.md");
  std::vector<Row> rows;
  for (const JsonValue& json : document.elements()) {
    rows.push_back(read<Row>(json));
    check(json, rows.back());
  }
  if (rows.empty()) throw document.error("the recording is empty");
  return rows;
}

}  // namespace

std::vector<ElectionCall> readElectionCalls(const JsonValue& document) {
  return readRows<ElectionCall>(document);
}

std::vector<SyncDecision> readSyncDecisions(const JsonValue& document) {
  return readRows<SyncDecision>(document);
}

Config configOf(const ElectionCall& call) {
  Config config;
  const auto add = [&](ServerId id, bool observer) {
    Member member{.id = id, .observer = observer};
    for (std::size_t i = 0; i < call.groups.size(); ++i) {
      if (has(call.groups[i], id)) member.group = static_cast<std::int64_t>(i);
    }
    if (const auto weight = call.weights.find(id); weight != call.weights.end())
      member.weight = weight->second;
    config.members.push_back(member);
  };
  for (const ServerId id : call.voters) add(id, false);
  for (const ServerId id : call.observers) add(id, true);
  config.min_notification_ms = call.min_ms;
  config.max_notification_ms = call.max_ms;
  return config;
}

Txns<Unread> transactions(const std::vector<ZxidRun>& runs) {
  Txns<Unread> txns;
  for (const ZxidRun& run : runs) {
    for (std::int64_t i = 0; i < lengthOf(run); ++i) {
      txns.push_back({Zxid{run.first.value.value + i}, {}});
    }
  }
  return txns;
}

}  // namespace zab
}  // namespace zablab
