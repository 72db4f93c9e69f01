#include "checker/clients/account.h"

#include <algorithm>

namespace zablab {

Account::Account(ScenarioRun& run, std::unique_ptr<ClientsView> view, bool follow_losses)
    : run_(run), view_(std::move(view)), follow_losses_(follow_losses) {}

void Account::on(const AnyHappened& h) {
  ended_.reset();
  if (view_ == nullptr) return;
  view_->on(h);
  if (h.node < 0) return;
  if (isClient(h.node)) return onClient(h);
  if (follow_losses_ && (h.kind == Kind::event || h.kind == Kind::stopped || h.kind == Kind::wiped)) follow();
}

void Account::onClient(const AnyHappened& h) {
  const ServerId client = idOf(h.node);
  switch (h.kind) {
    case Kind::asked: {
      if (!view_->isAnswered(*h.request)) return;
      const std::int64_t number = run_.cluster().family->numberOf(*h.request);
      const Millis now = run_.simulator().now();
      ++asked_;
      waiting_[client][number] = {client, number, now, {}, {}};
      return;
    }
    case Kind::sent:
      for (auto& [number, request] : waiting_[client]) {
        request.asked.try_emplace(h.to, run_.simulator().now());
        request.owed_by.insert(h.to);
      }
      return;
    case Kind::delivered:
      heard_from_[client] = idOf(h.from);
      for (auto& [number, request] : waiting_[client]) request.owed_by.erase(idOf(h.from));
      return;
    case Kind::closed:
    case Kind::refused:
      for (auto& [number, request] : waiting_[client]) request.owed_by.erase(h.to);
      heard_from_.erase(client);
      return;
    case Kind::timer: heard_from_.erase(client); return;
    case Kind::stopped: waiting_.erase(client); return;
    case Kind::event:
      if (const auto answer = view_->answered(*h.event)) onAnswer(h, *answer);
      return;
    default: return;
  }
}

void Account::onAnswer(const AnyHappened& h, const ClientAnswer& answer) {
  const ServerId client = idOf(h.node);
  const auto request = waiting_[client].extract(answer.number);
  ended_ = {answer, request.empty() ? std::nullopt : std::optional(request.mapped().since)};
  if (!answer.done || answer.what != Asked::write) return;
  const Millis now = run_.simulator().now();
  const auto heard = heard_from_.find(client);
  const ServerId by = heard == heard_from_.end() ? no_server : heard->second;
  Millis sent_at = now;
  if (!request.empty()) {
    const auto sent = request.mapped().asked.find(by);
    sent_at = sent == request.mapped().asked.end() ? request.mapped().since : sent->second;
  }
  Write write{.client = client,
              .number = answer.number,
              .by = by,
              .asked_at = ended_->asked_at.value_or(now),
              .sent_at = sent_at,
              .answered_at = now,
              .event = run_.newestEvent(),
              .said = *h.event};
  write.serving = view_->readFrom(write.said);
  if (follow_losses_) {
    follow();
    parts_.insert_or_assign(view_->partOf(write.said), Part{write.said, write.serving});
    look(write);
  }
  writes_.push_back(std::move(write));
}

void Account::follow() {
  for (auto& [number, part] : parts_) {
    const Serving serving = view_->readFrom(part.write);
    if (serving == part.serving && serving.server >= 0) continue;
    part.serving = serving;
    for (Write& write : writes_) {
      if (view_->partOf(write.said) != number) continue;
      write.serving = serving;
      look(write);
    }
  }
}

void Account::look(Write& write) {
  const bool kept = view_->isKept(write.said);
  if (kept == !write.lost_at) return;
  write.lost_at = kept ? std::nullopt : std::optional(run_.simulator().now());
  write.lost_by = kept ? std::nullopt : run_.newestEvent();
}

std::vector<const Account::Write*> Account::lost() {
  std::vector<const Write*> lost;
  for (Write& write : writes_) {
    const bool known = write.lost_at.has_value();
    look(write);
    if (!known) write.lost_by.reset();  // it may be an earlier one
    if (write.lost_at) lost.push_back(&write);
  }
  return lost;
}

std::vector<Account::Waiting> Account::waiting() const {
  std::vector<Waiting> all;
  for (const auto& [client, requests] : waiting_) {
    for (const auto& [number, request] : requests) all.push_back(request);
  }
  return all;
}

Json Account::written() {
  if (asked_ == 0 && writes_.empty()) return nullptr;
  Json lost_writes = Json::array(), waits = Json::array();
  for (const Write* write : lost()) {
    Json& one = lost_writes.emplace_back(Json{{"client", write->client}, {"number", write->number}});
    if (write->by != no_server) one["by"] = write->by;
    if (write->event) one["event"] = *write->event;
    one["time"] = *write->lost_at;
    if (write->lost_by) one["lost_by"] = *write->lost_by;
  }
  for (const Waiting& request : waiting()) {
    waits.push_back({{"client", request.client},
                     {"number", request.number},
                     {"since", request.since},
                     {"for", request.owed_by}});
  }
  return {{"asked", asked_}, {"writes", writes_.size()}, {"lost", lost_writes}, {"waiting", waits}};
}

std::vector<Phrase> Account::told() {
  std::vector<Phrase> sentences;
  if (writes_.size() == 1) {
    sentences.push_back(lost().empty() ? phrase("1 write was acknowledged, and is not lost")
                                       : phrase("1 write was acknowledged, and is lost"));
  } else if (!writes_.empty()) {
    sentences.push_back(
        phrase("{count} writes were acknowledged, {lost} of them lost", writes_.size(), lost().size()));
  }
  std::map<ServerId, std::pair<Millis, std::set<ServerId>>> waits;  // by client: since when, and for whom
  for (const Waiting& request : waiting()) {
    const auto [at, first] = waits.try_emplace(request.client, request.since, request.owed_by);
    if (!first) at->second.second.insert(request.owed_by.begin(), request.owed_by.end());
  }
  for (const auto& [client, wait] : waits) {
    std::vector<Phrase> servers;
    for (const ServerId server : wait.second)
      servers.push_back(wait.second.size() == 1 ? Phrase::server(server) : Phrase::node(server));
    sentences.push_back(
        servers.empty() ? phrase("{client} has had no answer since {ms} ms", Phrase::node(client), wait.first)
                        : phrase("{client} has waited for {servers} since {ms} ms", Phrase::node(client),
                                 Phrase::list(servers), wait.first));
  }
  return sentences;
}

}  // namespace zablab
