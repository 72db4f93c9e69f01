// What clients of leaders that an external store elects are answered, and where what they write is kept.
#pragma once

#include <map>

#include "checker/clients/clients.h"
#include "protocol/external_store/family.h"

namespace zablab {

template <>
struct ClientsOf<external_store::Family> {
  using F = external_store::Family;

  static bool isAnswered(const F::Request& request) {
    return request.operation == external_store::Operation::write ||
           request.operation == external_store::Operation::read;
  }
  static std::optional<ClientAnswer> answered(const F::Event& event) {
    const auto* answer = get_if<external_store::Answered>(&event);
    if (answer == nullptr) return std::nullopt;
    const Asked what = answer->operation == external_store::Operation::write  ? Asked::write
                       : answer->operation == external_store::Operation::read ? Asked::read
                                                                              : Asked::other;
    return ClientAnswer{answer->number, what, answer->outcome == external_store::Outcome::ok, answer->token};
  }

  /// What the resource contains. A leader writes what it has made of what it knew: the write of an older
  /// leader removes what newer ones have written.
  struct Data {
    std::map<std::int64_t, std::int64_t> tokens;  ///< by the number of the write
    int server = -1;                              ///< the resource, by index

    void on(const Happened<F>& h) {
      if (h.kind == Kind::wiped && h.node == server) tokens.clear();
      const auto* write = h.kind == Kind::event ? get_if<external_store::WriteDecided>(h.event) : nullptr;
      if (write == nullptr || !write->accepted) return;
      std::erase_if(tokens, [&](const auto& one) { return one.second > write->token; });
      tokens[write->number] = write->token;
      server = h.node;
    }
    bool has(const F::Event& write) const {
      return tokens.contains(get<external_store::Answered>(write).number);
    }
  };
};

}  // namespace zablab
