// What every node of a run knows.
#pragma once

#include <boost/describe.hpp>
#include <vector>

#include "protocol/external_store/types.h"

namespace zablab::external_store {

struct Config {
  NodeKind kind{};
  std::vector<ServerId> candidates;
  ServerId store = no_server;
  ServerId resource = no_server;
  Millis ttl_ms = 3000;    ///< of a lease
  Millis margin_ms = 300;  ///< a candidate counts on its lease for so much less
  bool members = false;    ///< candidates register as members, and watch who the members are
  Millis work_ms = 20;     ///< from a client's request to the write at the resource
  Millis redial_ms = 100;
  Millis client_retry_ms = 100;
  Millis answer_limit_ms = 1000;  ///< after which a client gives up waiting for an answer
  bool operator==(const Config&) const = default;
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (kind, candidates, store, resource, ttl_ms, margin_ms, members, work_ms, redial_ms,
                       client_retry_ms, answer_limit_ms))

}  // namespace zablab::external_store
