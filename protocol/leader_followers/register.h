// The family's own service: one value, which clients put and read.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/leader_followers/service.h"

namespace zablab::leader_followers {

struct Register {
  using Value = std::int64_t;
  using Result = std::int64_t;
  /// The last value put.
  static Result read(const BasicLog<Register>& log, Index up_to) {
    for (Index index = up_to; index > 0; --index) {
      const BasicPayload<Register>& payload = entryAt(log, index).payload;
      if (payload.number != 0) return payload.value;
    }
    return 0;
  }
};

using Request = BasicRequest<Register>;
using Payload = BasicPayload<Register>;
using Entry = BasicEntry<Register>;
using Log = BasicLog<Register>;
using Append = BasicAppend<Register>;
using Forwarded = BasicForwarded<Register>;
using ForwardedReply = BasicForwardedReply<Register>;
using ClientRequest = BasicClientRequest<Register>;
using Reply = BasicReply<Register>;
using Message = BasicMessage<Register>;
using WriteEntry = BasicWriteEntry<Register>;
using Record = BasicRecord<Register>;
using Durable = BasicDurable<Register>;
using Applied = BasicApplied<Register>;
using Answered = BasicAnswered<Register>;
using Event = BasicEvent<Register>;

/// A client: one request at a time, to one server.
struct Client {
  std::optional<ServerId> server;
  bool connected = false;
  bool sent = false;  ///< the present request may have been read
  std::optional<Request> request;
  bool operator==(const Client&) const = default;
};
BOOST_DESCRIBE_STRUCT(Client, (), (server, connected, sent, request))

/// A server's process, or, where `client` is set, a client's.
struct Node : BasicServer<Register> {
  std::optional<Client> client;
  bool operator==(const Node&) const = default;
};
BOOST_DESCRIBE_STRUCT(Node, (BasicServer<Register>), (client))

}  // namespace zablab::leader_followers
