#include "sim/zab_register/words.h"

#include <nlohmann/json.hpp>

#include "sim/zab/codec_impl.h"
#include "sim/zab/words_impl.h"

namespace zablab {

template struct JsonCodec<zab::Txn>;
template struct JsonCodec<zab::Snapshot>;

}  // namespace zablab

namespace zablab::zab {

template Phrase label<Register>(const Names&, const Message&);
template std::vector<std::vector<std::string>> messageGroups<Register>(std::vector<std::string>);
template std::vector<std::string> foldedInStories<Register>(std::vector<std::string>);
template std::vector<std::string> milestones<Register>(std::vector<std::string>);
template Json data<Register>(const Names&, const Event&);
template Phrase tell<Register>(const Names&, ServerId, const Event&);

namespace {

Phrase words(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::put: return phrase("write {value}", value);
    case Operation::read: return phrase("read");
    case Operation::sync: return phrase("sync");
    case Operation::open_session: return phrase("open a session");
    case Operation::close_session: return phrase("close the session");
    case Operation::connect: return phrase("connect");
  }
  return {};
}

/// What sentences call it: as clients do, who write.
std::string calledOperation(std::string_view operation) {
  return std::string(operation == enumName(Operation::put) ? "write" : operation);
}

}  // namespace

using Words = ServiceWords<Register>;

Phrase Words::label(const Names&, const Forwarded& m) {
  return phrase("REQUEST {request}", words(m.operation, m.value));
}
Phrase Words::label(const Names&, const SyncDone&) { return std::string("SYNC"); }
Phrase Words::label(const Names&, const ClientHello&) { return std::string("CONNECT"); }
Phrase Words::label(const Names&, const ClientRequest& m) { return words(m.operation, m.value); }
Phrase Words::label(const Names&, const Reply& m) {
  return m.value ? phrase("it is {value}", *m.value) : phrase("done, {zxid}", text(m.zxid));
}

Phrase Words::tell(const Names& name, ServerId self, const Answered& e) {
  const std::string client = name(self);
  const Phrase request = Phrase::words(e.value ? "read" : calledOperation(enumName(e.operation)));
  switch (e.outcome) {
    case Outcome::ok:
      return e.value ? phrase("{client} reads {value}", client, *e.value)
                     : phrase("{client}'s {operation} is done, {zxid}", client, request, text(e.zxid));
    case Outcome::unknown:
      return phrase("{client} does not know if its {operation} was done", client, request);
    case Outcome::not_sent: return phrase("{client} finds no server for its {operation}", client, request);
  }
  return {};
}

Phrase Words::tell(const Names& name, ServerId self, const ClientRefused& e) {
  return phrase("{server} refuses {client}, which has seen {seen}: it has only {here}", name(self),
                name(e.client), text(e.seen), text(e.here));
}

Phrase tell(const Names& name, ServerId self, const Request& request) {
  return request.operation == Operation::connect
             ? phrase("{client} connects to {server}", name(self), name(request.server))
             : phrase("{client} asks: {request}", name(self), words(request.operation, request.value));
}

std::string tellUnanswered(const TraceEvent& event, const Called& called) {
  if (event.kind != Answered::name || event.data.at("outcome") != enumName(Outcome::unknown)) return "";
  return called(Json(*event.node)) + " does not know if its " +
         calledOperation(event.data.at("operation").get<std::string>()) + " (request " +
         event.data.at("number").dump() + ") was done: its connection was lost at " +
         std::to_string(event.time) + " ms";
}

}  // namespace zablab::zab
