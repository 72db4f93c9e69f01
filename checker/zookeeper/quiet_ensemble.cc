#include "checker/zookeeper/quiet_ensemble.h"

#include <algorithm>
#include <stdexcept>

#include "checker/zookeeper/invariants.h"
#include "protocol/overloaded.h"

namespace zablab::zookeeper {

QuietEnsemble::QuietEnsemble(const Setting& setting, const Rules& rules)
    : servers_(setting.servers), rules_(rules) {
  config_.tick_ms = setting.tick_ms;
  config_.container_check_ms = setting.container_check_ms;
  for (ServerId id = 1; id <= servers_; ++id) {
    config_.members.push_back({.id = id});
    down_[id];
  }
  for (ServerId id = 1; id <= servers_; ++id) {
    cluster_.ids.push_back(id);
    cluster_.configs.push_back(config_);
  }
  NodeConfig client = config_;
  client.client = client.raw = true;
  cluster_.clients = setting.clients;
  for (std::size_t i = 0; i < setting.clients; ++i) {
    cluster_.ids.push_back(first_client + static_cast<ServerId>(i));
    cluster_.configs.push_back(client);
  }
  cluster_.scripted.resize(cluster_.ids.size());
  for (const LinkSpec& link : Family::links) cluster_.links.push_back(link.kind);
  cluster_.rules = rules;
  monitors_ = clientMonitors(cluster_);
  // Of servers without transactions the one with the largest id leads: those with larger ids come later.
  for (ServerId id = 1; id <= setting.leader; ++id) start(id);
  serveAgain();
  for (ServerId id = setting.leader + 1; id <= servers_; ++id) start(id);
  serveAgain();
}

void QuietEnsemble::tell(Happened<Family> happened) {
  happened.now = now_;
  monitors_->on(happened);
}

std::string QuietEnsemble::violation() const {
  for (const auto& monitor : monitors_->monitors()) {
    if (monitor->violation())
      return std::string(monitor->info().name) + ": " + monitor->violation()->english();
  }
  return {};
}

bool QuietEnsemble::allServe() {
  for (ServerId id = 1; id <= servers_; ++id) {
    if (!down_.contains(id) && !isPaused(id) && !node(id).serves()) return false;
  }
  return true;
}

void QuietEnsemble::serveAgain() {
  constexpr Millis limit = 60'000;
  const Millis end = now_ + limit;
  while (!allServe() && now_ < end) fireNext();
}

bool QuietEnsemble::leads(ServerId server) const {
  const auto at = nodes_.find(server);
  return at != nodes_.end() && at->second.role == zab::Role::LEADING;
}

void QuietEnsemble::start(ServerId server) {
  const Durable disk = down_.at(server);
  down_.erase(server);
  step(server, V::Start{disk});
  settle();
}

void QuietEnsemble::kill(ServerId server) {
  down_[server] = node(server).files;
  nodes_.erase(server);
  tell({.kind = Kind::stopped, .node = indexOf(server), .stopped = HowStopped::kill});
  paused_.erase(server);
  std::erase_if(timers_, [server](const auto& timer) { return timer.first.first == server; });
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    auto& [link, one] = connections_[i];
    if (one.dialler != server && one.other != server) continue;
    bool& end = endOf(i, server);
    if (!std::exchange(end, false)) continue;
    queue_.push_back(
        {one.dialler == server ? one.other : one.dialler, i, false, V::Disconnected{link, server}});
  }
  settle();
}

void QuietEnsemble::pause(ServerId server) {
  Paused& paused = paused_[server];
  for (const auto& [timer, due] : timers_) {
    if (timer.first == server) paused.timers.push_back({timer.second, due - now_});
  }
  std::erase_if(timers_, [server](const auto& timer) { return timer.first.first == server; });
}

void QuietEnsemble::resume(ServerId server, Backlog order) {
  Paused paused = std::move(paused_.at(server));
  paused_.erase(server);
  for (const auto& [timer, left] : paused.timers) timers_[{server, timer}] = now_ + left;
  if (order == Backlog::clients_first) {
    std::stable_partition(paused.waiting.begin(), paused.waiting.end(), [](const Arrival& arrival) {
      const auto* received = get_if<V::Received>(&arrival.input);
      return received != nullptr && received->link == client_link;
    });
  }
  for (Arrival& arrival : paused.waiting) queue_.push_back(std::move(arrival));
  settle();
}

Node& QuietEnsemble::node(ServerId id) {
  const auto [at, fresh] = nodes_.try_emplace(id);
  if (fresh) {
    at->second.self = id;
    if (id > servers_) step(id, V::Start{});
  }
  return at->second;
}

const Client& QuietEnsemble::client(ServerId id) { return *node(id).client; }

const Node* QuietEnsemble::leader() const {
  const Node* found = nullptr;
  for (const auto& [id, one] : nodes_) {
    // One that is stopped may have been deposed without knowing it.
    if (one.role == zab::Role::LEADING && (found == nullptr || !isPaused(id))) found = &one;
  }
  return found;
}

Zxid QuietEnsemble::last() const {
  const Node* const leads = leader();
  return leads == nullptr ? Zxid{} : leads->last_processed;
}

const Tree* QuietEnsemble::tree() const {
  const Node* const leads = leader();
  return leads == nullptr ? nullptr : &leads->service;
}

std::vector<Event> QuietEnsemble::take(ServerId client) { return std::exchange(learned_[client], {}); }

void QuietEnsemble::ask(ServerId client, Request request) {
  node(client);
  step(client, V::Asked{std::move(request)});
  settle();
}

void QuietEnsemble::ask(ServerId client, std::vector<Request> requests) {
  for (Request& request : requests) step(client, V::Asked{std::move(request)});
  settle();
}

void QuietEnsemble::pass(Millis ms) {
  const Millis end = now_ + ms;
  for (;;) {
    const auto due = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto next = std::min_element(timers_.begin(), timers_.end(), due);
    if (next == timers_.end() || next->second > end) break;
    fireNext();
  }
  now_ = end;
}

void QuietEnsemble::fireNext() {
  const auto due = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto next = std::min_element(timers_.begin(), timers_.end(), due);
  if (next == timers_.end()) throw std::logic_error("nothing is going to happen");
  const auto [id, timer] = next->first;
  now_ = std::max(now_, next->second);
  timers_.erase(next);
  step(id, V::Fired{timer, false});
  settle();
}

void QuietEnsemble::step(ServerId id, const Input& input, std::uint64_t message) {
  const int self = indexOf(id);
  visit(Overloaded{
            [&](const V::Start& start) { tell({.kind = Kind::started, .node = self, .disk = &start.disk}); },
            [&](const V::Received& in) {
              tell({.kind = Kind::delivered,
                    .node = self,
                    .link = in.link,
                    .from = indexOf(in.from),
                    .to = id,
                    .message = message,
                    .content = &in.message});
            },
            [&](const V::Connected& in) {
              tell({.kind = Kind::connected, .node = self, .link = in.link, .from = self, .to = in.peer});
            },
            [&](const V::Refused& in) {
              tell({.kind = Kind::refused, .node = self, .link = in.link, .from = self, .to = in.peer});
            },
            [&](const V::Disconnected& in) {
              tell({.kind = Kind::closed, .node = self, .link = in.link, .from = self, .to = in.peer});
            },
            [&](const V::Fired& fired) { tell({.kind = Kind::timer, .node = self, .timer = fired.timer}); },
            [&](const V::Asked& asked) {
              tell({.kind = Kind::asked, .node = self, .request = &asked.request});
            },
            [](const auto&) {},
        },
        input);
  Effects effects;
  Family::step(cluster_.configs.at(static_cast<std::size_t>(self)), rules_, node(id), input, effects, now_);
  perform(id, effects);
  tell({.kind = Kind::step_over, .node = self});
}

bool& QuietEnsemble::endOf(std::size_t connection, ServerId id) {
  Connection& one = connections_[connection].second;
  return id == one.dialler ? one.dialler_open : one.other_open;
}

std::optional<std::size_t> QuietEnsemble::openConnection(Link link, ServerId a, ServerId b) const {
  for (std::size_t i = connections_.size(); i-- > 0;) {
    const auto& [of, one] = connections_[i];
    if (of != link) continue;
    if ((one.dialler == a && one.other == b && one.dialler_open) ||
        (one.dialler == b && one.other == a && one.other_open))
      return i;
  }
  return std::nullopt;
}

void QuietEnsemble::perform(ServerId id, const Effects& effects) {
  for (const auto& effect : effects) {
    visit(Overloaded{
              [&](const V::Send& send) {
                const bool direct = send.link == zab::election_link || send.to == id;
                const auto connection = direct ? std::nullopt : openConnection(send.link, id, send.to);
                if (!direct && !connection) return;
                tell({.kind = Kind::sent,
                      .node = indexOf(id),
                      .link = send.link,
                      .from = indexOf(id),
                      .to = send.to,
                      .message = ++messages_,
                      .content = &send.message});
                auto& queue = send.to == id ? own_ : queue_;
                queue.push_back(
                    {send.to, connection, false, V::Received{send.link, id, send.message}, messages_});
              },
              [&](const V::Connect& connect) {
                queue_.push_back({id, std::nullopt, true, V::Connected{connect.link, connect.to}});
              },
              [&](const V::Disconnect& disconnect) {
                const auto connection = openConnection(disconnect.link, id, disconnect.to);
                if (!connection) return;
                endOf(*connection, id) = false;
                queue_.push_back({disconnect.to, connection, false, V::Disconnected{disconnect.link, id}});
              },
              [&](const V::SetTimer& set) {
                timers_[{id, set.timer}] = now_ + set.lo;
              },
              [&](const V::CancelTimer& cancel) {
                timers_.erase({id, cancel.timer});
              },
              [&](const V::Exit& exit) { throw std::logic_error("a server ends itself: " + exit.reason); },
              [&](const V::Emit& emit) {
                tell({.kind = Kind::event, .node = indexOf(id), .event = &emit.event});
                if (id > servers_) learned_[id].push_back(emit.event);
              },
              [&](const V::Write& write) {  // durable at once
                tell({.kind = Kind::written, .node = indexOf(id), .blocking = true, .record = &write.record});
              },
              [](const auto&) {},
          },
          effect);
  }
}

void QuietEnsemble::dial(ServerId from, Link link, ServerId to) {
  if (openConnection(link, from, to)) return;
  const bool up = to >= 1 && to <= servers_ && !down_.contains(to);
  const bool accepted = up && Family::accepts(node(to), link);
  if (!accepted) return step(from, V::Refused{link, to});
  connections_.push_back({link, {from, to}});
  step(from, V::Connected{link, to});
}

void QuietEnsemble::settle() {
  while (!queue_.empty() || !own_.empty()) {
    auto& queue = own_.empty() ? queue_ : own_;
    Arrival next = std::move(queue.front());
    queue.pop_front();
    if (const auto stopped = paused_.find(next.to); stopped != paused_.end()) {
      stopped->second.waiting.push_back(std::move(next));
      continue;
    }
    if (next.dials) {
      const auto& dials = get<V::Connected>(next.input);
      dial(next.to, dials.link, dials.peer);
      continue;
    }
    if (down_.contains(next.to) || (next.connection && !endOf(*next.connection, next.to))) continue;
    if (holds_alternative<V::Disconnected>(next.input)) endOf(*next.connection, next.to) = false;
    step(next.to, next.input, next.message);
  }
}

}  // namespace zablab::zookeeper
