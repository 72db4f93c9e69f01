#include "sim/zab_register/words.h"

#include <nlohmann/json.hpp>

#include "sim/zab/codec_impl.h"
#include "sim/zab/words_impl.h"

namespace zablab {

template struct JsonCodec<zab::Txn>;
template struct JsonCodec<zab::Snapshot>;

}  // namespace zablab

namespace zablab::zab {

template std::string label<Register>(const Names&, const Message&);
template std::vector<std::vector<std::string>> messageGroups<Register>(std::vector<std::string>);
template std::vector<std::string> foldedInStories<Register>(std::vector<std::string>);
template std::vector<std::string> milestones<Register>(std::vector<std::string>);
template Json data<Register>(const Names&, const Event&);
template std::string tell<Register>(const Names&, ServerId, const Event&);

namespace {

std::string words(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::put: return "write " + std::to_string(value);
    case Operation::read: return "read";
    case Operation::sync: return "sync";
    case Operation::open_session: return "open a session";
    case Operation::close_session: return "close the session";
    case Operation::connect: return "connect";
  }
  return "";
}

/// What sentences call it: as clients do, who write.
std::string calledOperation(std::string_view operation) {
  return operation == enumName(Operation::put) ? "write" : std::string(operation);
}

}  // namespace

using Words = ServiceWords<Register>;

std::string Words::label(const Names&, const Forwarded& m) {
  return "REQUEST " + words(m.operation, m.value);
}
std::string Words::label(const Names&, const SyncDone&) { return "SYNC"; }
std::string Words::label(const Names&, const ClientHello&) { return "CONNECT"; }
std::string Words::label(const Names&, const ClientRequest& m) { return words(m.operation, m.value); }
std::string Words::label(const Names&, const Reply& m) {
  return m.value ? "it is " + std::to_string(*m.value) : "done, " + text(m.zxid);
}

std::string Words::tell(const Names& name, ServerId self, const Answered& e) {
  const std::string client = name(self);
  const std::string request = e.value ? "read" : calledOperation(enumName(e.operation));
  switch (e.outcome) {
    case Outcome::ok:
      return client +
             (e.value ? " reads " + std::to_string(*e.value) : "'s " + request + " is done, " + text(e.zxid));
    case Outcome::unknown: return client + " does not know if its " + request + " was done";
    case Outcome::not_sent: return client + " finds no server for its " + request;
  }
  return "";
}

std::string Words::tell(const Names& name, ServerId self, const ClientRefused& e) {
  return name(self) + " refuses " + name(e.client) + ", which has seen " + text(e.seen) + ": it has only " +
         text(e.here);
}

std::string tell(const Names& name, ServerId self, const Request& request) {
  const std::string client = name(self);
  if (request.operation == Operation::connect) return client + " connects to " + name(request.server);
  return client + " asks: " + words(request.operation, request.value);
}

std::string tellUnanswered(const TraceEvent& event, const Called& called) {
  if (event.kind != Answered::name || event.data.at("outcome") != enumName(Outcome::unknown)) return "";
  return called(Json(*event.node)) + " does not know if its " +
         calledOperation(event.data.at("operation").get<std::string>()) + " (request " +
         event.data.at("number").dump() + ") was done: its connection was lost at " +
         std::to_string(event.time) + " ms";
}

}  // namespace zablab::zab
