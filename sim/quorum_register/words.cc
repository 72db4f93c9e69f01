// The family in words: how its messages and events are described to people.
#include <algorithm>
#include <utility>

#include "protocol/overloaded.h"
#include "sim/quorum_register/binding.h"
#include "sim/sentences.h"

namespace zablab::quorum_register {
namespace {

/// `v3 of w1`, `v0` for the first.
Phrase text(const Names& name, const Version& version) {
  if (version == Version{}) return std::string("v0");
  return phrase("v{counter} of {writer}", version.counter, name(version.writer));
}

Phrase text(const Names& name, const Stored& stored) {
  return phrase("{value} ({version})", stored.value, text(name, stored.version));
}

Phrase listed(const Names& name, const std::vector<ServerId>& servers) {
  return listOf(servers, name, phrase("no server"));
}

Phrase words(const Request& request) {
  switch (request.operation) {
    case Operation::read: return phrase("read");
    case Operation::write: return phrase("write {value}", request.value);
    case Operation::compare_and_set:
      return phrase("set {value} if it is {expected}", request.value, request.expected);
  }
  return {};
}

Phrase words(std::string_view operation) {
  return operation == enumName(Operation::compare_and_set) ? phrase("comparison") : Phrase::words(operation);
}

Phrase because(VersionSource source) {
  switch (source) {
    case VersionSource::quorum: return phrase("one more than the newest in the answers");
    case VersionSource::own_counter: return phrase("its own count");
    case VersionSource::clock: return phrase("its clock");
  }
  return {};
}

Phrase tellAnswer(const Names& name, const std::string& client, const Answered& e) {
  const Phrase operation = words(enumName(e.operation));
  switch (e.outcome) {
    case Outcome::ok: break;
    case Outcome::failed:
      return phrase("{client} gives up its {operation}: nothing was stored", client, operation);
    case Outcome::unknown:
      return phrase("{client} does not know if its {operation} was done", client, operation);
    case Outcome::busy: return phrase("{client} is still busy with its previous request", client);
  }
  const Phrase servers = listed(name, e.of);
  switch (e.operation) {
    case Operation::read:
      return e.of.size() == 1 ? phrase("{client} reads {value} ({version}), as {servers} has it", client,
                                       e.value, text(name, e.version), servers)
                              : phrase("{client} reads {value} ({version}), as {servers} have it", client,
                                       e.value, text(name, e.version), servers);
    case Operation::write: return phrase("{client}'s write is done, by {servers}", client, servers);
    case Operation::compare_and_set:
      return e.value != 0 ? phrase("{client} has set its value", client)
                          : phrase("{client} finds another value, and sets nothing", client);
  }
  return {};
}

Phrase tellWeighed(const Names& name, const std::string& replica, const Weighed& e) {
  const Phrase told = text(name, e.told);
  switch (e.reason) {
    case KeptReason::newer: return phrase("{replica} stores {version}", replica, told);
    case KeptReason::arrived_last:
      return phrase("{replica} stores {version}, which arrived last, although it had {before}", replica, told,
                    text(name, e.had));
    case KeptReason::older:
      return phrase("{replica} has {version} and does not store {told}", replica, text(name, e.had), told);
    case KeptReason::there_already: return {};
  }
  return {};
}

}  // namespace

Phrase Words::label(const Names& name, const Message& message) {
  return visit<Phrase>(
      Overloaded{
          [](monostate) { return std::string("nothing"); },
          [](const Read&) { return std::string("READ"); },
          [&](const ReadReply& m) { return phrase("has {stored}", text(name, m.stored)); },
          [&](const Write& m) {
            const Phrase stored = text(name, m.stored);
            return m.home == no_server ? phrase("WRITE {stored}", stored)
                                       : phrase("WRITE {stored} for {home}", stored, name(m.home));
          },
          [&](const WriteAck& m) { return phrase("ACK {version}", text(name, m.version)); },
      },
      message);
}

Json Words::data(const Names& name, const Event& event) {
  return visit(
      [&](const auto& alternative) {
        Json fields = toJson(alternative);
        using Alternative = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<Alternative, QuorumRead>)
          fields["picture"] = quorumPicture(name, alternative.from, phrase("read quorum"));
        return fields;
      },
      event);
}

Phrase Words::tell(const Names& name, ServerId self, const Request& request) {
  return phrase("{client} asks: {request}", name(self), words(request));
}

Phrase Words::tell(const Names& name, ServerId self, const Event& event) {
  const std::string node = name(self);
  return visit(
      Overloaded{
          [](const Invoked&) { return Phrase(); },
          [&](const QuorumRead& e) {
            return phrase("{client} has answers from {servers}: the newest is {stored}", node,
                          listed(name, e.from), text(name, e.newest));
          },
          [&](const VersionChosen& e) {
            return phrase("{client} writes {stored}: {reason}", node, text(name, e.stored),
                          because(e.source));
          },
          [&](const Repaired& e) {
            const Phrase stored = text(name, e.stored);
            const Phrase servers = listed(name, e.to);
            return e.when == RepairWhen::before_answer
                       ? phrase("{client} sends {stored} to {servers} before it returns it", node, stored,
                                servers)
                       : phrase("{client} sends {stored} to {servers}, after its answer", node, stored,
                                servers);
          },
          [&](const StoodIn& e) {
            return phrase("{client} has no answer from {home}; {replica} is to keep its copy", node,
                          name(e.home), name(e.by));
          },
          [&](const Answered& e) { return tellAnswer(name, node, e); },
          [&](const Weighed& e) { return tellWeighed(name, node, e); },
          [&](const Hinted& e) {
            const Phrase version = text(name, e.version);
            return e.handed_over
                       ? phrase("{replica} has handed over {version} to {home}", node, version, name(e.home))
                       : phrase("{replica} keeps {version} for {home}", node, version, name(e.home));
          },
      },
      event);
}

std::vector<Phrase> Words::answer(const Trace& trace) {
  std::vector<std::pair<std::int64_t, Phrase>> last;  // by client
  std::size_t ended = 0;
  for (const TraceEvent& event : trace.events) {
    if (!event.node) continue;
    if (event.kind == "answered" && event.data.at("outcome") != "busy") {
      std::erase_if(last, [&](const auto& one) { return one.first == *event.node; });
      last.emplace_back(*event.node, Phrase::of(event));
      ++ended;
    }
  }
  std::vector<Phrase> sentences;
  for (const auto& [client, text] : last) sentences.push_back(text);
  if (ended > last.size()) {
    const std::size_t before = ended - last.size();
    sentences.push_back(before == 1 ? phrase("{count} request ended before", before)
                                    : phrase("{count} requests ended before", before));
  }
  if (sentences.empty()) sentences.push_back(phrase("nothing was read or written"));
  return sentences;
}

}  // namespace zablab::quorum_register
