#include "checker/zookeeper/one_believer.h"

#include <algorithm>
#include <type_traits>

#include "protocol/recipes/program.h"
#include "protocol/variant.h"

namespace zablab::zookeeper {
namespace {

const recipes::Holder* holderOf(const Node& client) {
  if (!client.client || !client.client->program) return nullptr;
  return visit(
      [](const auto& recipe) -> const recipes::Holder* {
        if constexpr (std::is_base_of_v<recipes::Holder, std::remove_cvref_t<decltype(recipe)>>)
          return &recipe;
        return nullptr;
      },
      *client.client->program);
}

/// How many may be it beside this client; 0: all that share it.
std::int32_t limitOf(const Node& client) {
  return visit(
      [](const auto& recipe) -> std::int32_t {
        if constexpr (std::is_base_of_v<recipes::Contender, std::remove_cvref_t<decltype(recipe)>>)
          return recipe.shared ? 0 : recipe.limit;
        return 1;
      },
      *client.client->program);
}

}  // namespace

bool OneBeliever::believes(const Node& client) {
  const recipes::Holder* holder = holderOf(client);
  return holder != nullptr && holder->holds;
}

void OneBeliever::add(const Node& client) {
  if (!believes(client)) return;
  Believers& believers = believers_[holderOf(client)->path];
  believers.clients.push_back(client.self);
  const std::int32_t limit = limitOf(client);
  if (limit > 0) believers.limit = believers.limit > 0 ? std::min(believers.limit, limit) : limit;
}

Phrase OneBeliever::violation() const {
  for (const auto& [path, believers] : believers_) {
    if (believers.limit == 0 || std::ssize(believers.clients) <= believers.limit) continue;
    const Phrase client = Phrase::client(believers.clients[0]);
    const Phrase other = Phrase::client(believers.clients[1]);
    return believers.limit > 1
               ? phrase(
                     "{client} and {other} believe at the same time that they hold {path}, and so do others",
                     client, other, path)
               : phrase("{client} and {other} believe at the same time that they hold {path}", client, other,
                        path);
  }
  return {};
}

}  // namespace zablab::zookeeper
