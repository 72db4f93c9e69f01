// The family in words: how its messages and events are described to people.
#include <algorithm>
#include <map>
#include <utility>

#include "protocol/overloaded.h"
#include "sim/called.h"
#include "sim/quorum_register/binding.h"

namespace zablab::quorum_register {
namespace {

/// `v3 of w1`, `v0` for the first.
std::string text(const Names& name, const Version& version) {
  if (version == Version{}) return "v0";
  return "v" + std::to_string(version.counter) + " of " + name(version.writer);
}

std::string text(const Names& name, const Stored& stored) {
  return std::to_string(stored.value) + " (" + quorum_register::text(name, stored.version) + ")";
}

std::string listed(const Names& name, const std::vector<ServerId>& servers) {
  std::string list;
  for (const ServerId server : servers) list += (list.empty() ? "" : ", ") + name(server);
  return list.empty() ? "no server" : list;
}

std::string words(const Request& request) {
  switch (request.operation) {
    case Operation::read: return "read";
    case Operation::write: return "write " + std::to_string(request.value);
    case Operation::compare_and_set:
      return "set " + std::to_string(request.value) + " if it is " + std::to_string(request.expected);
  }
  return "";
}

Json picture(const Names& name, const std::vector<ServerId>& servers, const std::string& caption) {
  Json cells = Json::array();
  for (const ServerId server : servers) cells.push_back({{"text", name(server)}, {"mark", "counted"}});
  return {{"cells", std::move(cells)}, {"quorum", true}, {"caption", caption}};
}

std::string tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  const std::string what =
      e.operation == Operation::compare_and_set ? "comparison" : std::string(enumName(e.operation));
  switch (e.outcome) {
    case Outcome::ok: break;
    case Outcome::failed: return client + " gives up its " + what + ": nothing was stored";
    case Outcome::unknown: return client + " does not know if its " + what + " was done";
    case Outcome::busy: return client + " is still busy with its previous request";
  }
  switch (e.operation) {
    case Operation::read:
      return client + " reads " + std::to_string(e.value) + " (" + text(name, e.version) + "), as " +
             listed(name, e.of) + (e.of.size() == 1 ? " has it" : " have it");
    case Operation::write: return client + "'s write is done, by " + listed(name, e.of);
    case Operation::compare_and_set:
      return client + (e.value != 0 ? " has set its value" : " finds another value, and sets nothing");
  }
  return "";
}

}  // namespace

std::string Words::label(const Names& name, const Message& message) {
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string("nothing"); },
                        [](const Read&) { return std::string("READ"); },
                        [&](const ReadReply& m) { return "has " + text(name, m.stored); },
                        [&](const Write& m) {
                          return "WRITE " + text(name, m.stored) +
                                 (m.home == no_server ? "" : " for " + name(m.home));
                        },
                        [&](const WriteAck& m) { return "ACK " + text(name, m.version); },
                    },
                    message);
}

Json Words::data(const Names& name, const Event& event) {
  return std::visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, QuorumRead>)
          fields["picture"] = picture(name, alternative.from, "read quorum");
        return fields;
      },
      event);
}

std::string Words::tell(const Names& name, ServerId self, const Request& request) {
  return name(self) + " asks: " + words(request);
}

std::string Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string node = name(self);
  return std::visit(
      Overloaded{
          [](const Invoked&) { return std::string(); },
          [&](const QuorumRead& e) {
            return node + " has answers from " + listed(name, e.from) + ": the newest is " +
                   text(name, e.newest);
          },
          [&](const VersionChosen& e) {
            const char* by = e.source == VersionSource::quorum ? "one more than the newest in the answers"
                             : e.source == VersionSource::own_counter ? "its own count"
                                                                      : "its clock";
            return node + " writes " + text(name, e.stored) + ": " + by;
          },
          [&](const Repaired& e) {
            return node + " sends " + text(name, e.stored) + " to " + listed(name, e.to) +
                   (e.when == RepairWhen::before_answer ? " before it returns it" : ", after its answer");
          },
          [&](const StoodIn& e) {
            return node + " has no answer from " + name(e.home) + "; " + name(e.by) + " is to keep its copy";
          },
          [&](const Answered& e) { return tellAnswer(name, node, e); },
          [&](const Weighed& e) {
            const std::string told = text(name, e.told);
            switch (e.reason) {
              case KeptReason::newer: return node + " stores " + told;
              case KeptReason::arrived_last:
                return node + " stores " + told + ", which arrived last, although it had " +
                       text(name, e.had);
              case KeptReason::older:
                return node + " has " + text(name, e.had) + " and does not store " + told;
              case KeptReason::there_already: return std::string();
            }
            return std::string();
          },
          [&](const Hinted& e) {
            return e.handed_over ? node + " has handed over " + text(name, e.version) + " to " + name(e.home)
                                 : node + " keeps " + text(name, e.version) + " for " + name(e.home);
          },
      },
      event);
}

std::vector<std::string> Words::answer(const Trace& trace) {
  const Called called(trace);
  std::vector<std::pair<std::int64_t, std::string>> last;  // by client
  std::map<std::int64_t, std::string> open;                // the operation, by client
  std::size_t ended = 0;
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    if (event.kind == "invoked") {
      open[*event.node] = event.data.at("request").at("operation").get<std::string>();
    } else if (event.kind == "stopped") {
      open.erase(*event.node);
    } else if (event.kind == "answered" && event.data.at("outcome") != "busy") {
      open.erase(*event.node);
      std::erase_if(last, [&](const auto& one) { return one.first == *event.node; });
      last.emplace_back(*event.node, event.text);
      ++ended;
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [client, text] : last) sentences.push_back(text);
  if (ended > last.size()) {
    const std::size_t before = ended - last.size();
    sentences.push_back(std::to_string(before) + (before == 1 ? " request" : " requests") + " ended before");
  }
  for (const auto& [client, operation] : open) {
    sentences.push_back(called(Json(client)) + "'s " +
                        (operation == "compare_and_set" ? "comparison" : operation) +
                        " has no answer when the run ends");
  }
  if (sentences.empty()) sentences.emplace_back("nothing was read or written");
  return sentences;
}

}  // namespace zablab::quorum_register
