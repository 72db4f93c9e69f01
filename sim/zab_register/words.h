// The register's words: how its payloads, messages and events are described to people.
#pragma once

#include <string>

#include "protocol/zab_register/family.h"
#include "sim/zab/codec.h"
#include "sim/zab/narrative.h"
#include "sim/zab/service_words.h"
#include "sim/zab/words.h"

namespace zablab::zab {

template <>
struct ServiceWords<Register> {
  static Write plain(Zxid zxid) { return {.value = zxid.counter()}; }
  static constexpr const char* plain_text = "a write of its counter";
  static Phrase label(const Names& name, const Forwarded& message);
  static Phrase label(const Names& name, const SyncDone& message);
  static Phrase label(const Names& name, const ClientHello& message);
  static Phrase label(const Names& name, const ClientRequest& message);
  static Phrase label(const Names& name, const Reply& message);
  static Phrase tell(const Names& name, ServerId self, const Answered& event);
  static Phrase tell(const Names& name, ServerId self, const ClientRefused& event);
};

/// What client `self` is instructed to do, in one line.
Phrase tell(const Names& name, ServerId self, const Request& request);
/// The line of a client that cannot know the outcome of its request.
std::string tellUnanswered(const TraceEvent& event, const Called& called);

}  // namespace zablab::zab
