#include "checker/quorum_register/ledger.h"

#include <algorithm>

#include "protocol/overloaded.h"

namespace zablab::quorum_register {
namespace {

using history::RegisterOp;

RegisterOp opOf(const Request& request) {
  switch (request.operation) {
    case Operation::read: return RegisterOp::read();
    case Operation::write: return RegisterOp::write(request.value);
    case Operation::compare_and_set: return RegisterOp::compareAndSet(request.expected, request.value);
  }
  return {};
}

}  // namespace

void Ledger::on(const Happened<Family>& seen) {
  switch (seen.kind) {
    case Kind::started:
      stored_before_ = std::exchange(own(seen.node).stored, seen.disk->stored.version);
      return;
    case Kind::stopped: own(seen.node).waits = false; return;
    case Kind::written:
      if (const auto* kept = std::get_if<Keep>(seen.record))
        stored_before_ = std::exchange(own(seen.node).stored, kept->stored.version);
      if (seen.blocking) onRecord(seen.node, *seen.record);
      return;
    case Kind::synced: return onRecord(seen.node, *seen.record);
    case Kind::wiped:
      own(seen.node).stored = {};
      std::erase_if(shared().copies, [&](const Copy& copy) { return copy.holder == seen.node; });
      return;
    case Kind::delivered: {
      const auto* reply = std::get_if<ReadReply>(seen.content);
      OwnMemory& memory = own(seen.node);
      if (reply != nullptr && memory.waits && reply->request == memory.request)
        memory.heard |= std::uint64_t{1} << seen.from;
      return;
    }
    case Kind::event: return onEvent(seen.node, *seen.event);
    default: return;
  }
}

void Ledger::onEvent(int server, const Event& event) {
  OwnMemory& memory = own(server);
  if (const auto* invoked = std::get_if<Invoked>(&event)) {
    memory.request = invoked->request.number;
    memory.heard = 0;
    memory.waits = true;
    return shared().history.invoke(id(server), opOf(invoked->request));
  }
  const auto* answered = std::get_if<Answered>(&event);
  if (answered == nullptr || answered->outcome == Outcome::busy) return;
  memory.waits = false;
  auto& history = shared().history;
  if (answered->outcome == Outcome::failed) history.fail(id(server));
  if (answered->outcome != Outcome::ok) return;
  const RegisterOp open = history.open(id(server))->op;
  history.answer(id(server), open.returns(answered->operation == Operation::write ? 0 : answered->value));
}

void Ledger::onRecord(int server, const Record& record) {
  std::visit(Overloaded{[&](const Keep& keep) { note(server, id(server), keep.stored.version); },
                        [&](const KeepHint& keep) { note(server, keep.home, keep.stored.version); },
                        [&](const DropHint& drop) { forget(server, drop.home); }},
             record);
}

void Ledger::begin(int server, const Durable& disk) {
  own(server).stored = disk.stored.version;
  if (disk.stored.version != Version{}) note(server, id(server), disk.stored.version);
  for (const auto& [home, stored] : disk.hints) note(server, home, stored.version);
}

void Ledger::note(int holder, ServerId home, const Version& version) {
  auto& copies = shared().copies;
  const auto at = std::find_if(copies.begin(), copies.end(), [&](const Copy& copy) {
    return std::pair(copy.holder, copy.home) >= std::pair(holder, home);
  });
  if (at != copies.end() && at->holder == holder && at->home == home) {
    at->version = version;
  } else {
    copies.insert(at, {holder, home, version});
  }
}

void Ledger::forget(int holder, ServerId home) {
  std::erase_if(shared().copies,
                [&](const Copy& copy) { return copy.holder == holder && copy.home == home; });
}

std::vector<ServerId> Ledger::homesThatHave(const Version& version) {
  std::vector<ServerId> homes;
  for (const ServerId home : cluster_.configs.front().homes) {
    const auto& copies = shared().copies;
    const bool has = std::any_of(copies.begin(), copies.end(), [&](const Copy& copy) {
      return copy.home == home && copy.version >= version;
    });
    if (has || version == Version{}) homes.push_back(home);
  }
  return homes;
}

}  // namespace zablab::quorum_register
