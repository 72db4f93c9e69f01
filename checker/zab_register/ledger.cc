#include "checker/zab_register/ledger.h"

#include <algorithm>

#include "checker/zab/ledger_impl.h"

namespace zablab::zab {

template class BasicLedger<Family>;

namespace {

using Book = ServiceBook<Family>;

void forget(Book::Own& own, ServerId client) {
  std::erase_if(own.requests, [client](const AskedHere& request) { return request.client == client; });
}

void onDelivered(const Ledger& ledger, Book::Own& own, const Happened<Family>& seen) {
  if (holds_alternative<ClientHello>(*seen.content)) {
    forget(own, ledger.id(seen.from));
  } else if (const auto* asked = get_if<ClientRequest>(seen.content)) {
    own.requests.push_back({ledger.id(seen.from), asked->operation, asked->number, asked->value});
  } else if (const auto* done = get_if<SyncDone>(seen.content)) {
    for (AskedHere& request : own.requests) {
      if (request.client == done->client && request.number == done->number) request.done = true;
    }
  }
}

Showing onReply(Book::Own& own, ServerId client, const Reply& reply, Book::Facts& facts) {
  const auto request = std::find_if(own.requests.begin(), own.requests.end(), [&](const AskedHere& one) {
    return one.client == client && one.number == reply.number;
  });
  if (request != own.requests.end()) {
    facts.request = *request;
    own.requests.erase(request);
  }
  const bool reads = reply.operation == Operation::read || reply.operation == Operation::sync;
  return {reads ? std::nullopt : std::optional(reply.zxid)};
}

}  // namespace

std::optional<Showing> Book::note(Ledger& ledger, const Happened<Family>& seen, Facts& facts) {
  if (seen.kind == Kind::delivered) {
    onDelivered(ledger, ledger.own(seen.node).service, seen);
  } else if (seen.kind == Kind::sent && seen.link == client_link) {
    const auto* reply = get_if<Reply>(seen.content);
    if (reply != nullptr) return onReply(ledger.own(seen.node).service, seen.to, *reply, facts);
  }
  return std::nullopt;
}

void Book::onRoleOver(Own& own) {
  own.requests.clear();
  own.proposed = {};
  own.forwarded.clear();
}

}  // namespace zablab::zab
