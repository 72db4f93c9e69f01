// The broadcast in words: how its messages and events are described to people. What the service adds is in
// service_words.h; words_impl.h contains what depends on it, for one file of each family.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/variant.h"
#include "protocol/zab/events.h"
#include "protocol/zab/messages.h"
#include "sim/binding.h"
#include "sim/json.h"
#include "sim/phrase.h"

namespace zablab::zab {

/// `1.11` for epoch 1, counter 11; `0`; `none` for no database; `-` for an observer's.
std::string text(Zxid zxid);
/// `(round, candidate, zxid)`, as in the pictures of elections.
std::string text(const Names& name, const Vote& vote);

Phrase because(const Names& name, Comparison reason, const Vote& winner, const Vote& loser);
Phrase because(RoleReason reason);
Phrase because(IgnoreReason reason);
Phrase because(SyncReason reason);

/// What is drawn next to an event.
Json picture(const Names& name, const Committed& committed);
Json picture(const Names& name, const BoxChanged& box);

/// The header's `timers`.
Json timerForms();

/// A message's vote, preceded by the role for votes of servers that lead or follow; or its type and zxid.
template <class S>
Phrase label(const Names& name, const BasicMessage<S>& message);
/// The types that belong together, which pictures colour alike; `own`: the service's.
template <class S>
std::vector<std::vector<std::string>> messageGroups(std::vector<std::string> own);
/// Types of messages that a story only counts, and the service's `own`: those that carry no transaction and
/// choose no way of synchronization.
template <class S>
std::vector<std::string> foldedInStories(std::vector<std::string> own);
/// Kinds of events on which a run's result depends, and the service's `own`: pictures with few details keep
/// them.
template <class S>
std::vector<std::string> milestones(std::vector<std::string> own);
/// The event's fields, and its picture if it has one.
template <class S>
Json data(const Names& name, const BasicEvent<S>& event);
/// What server `self` did, in one line.
template <class S>
Phrase tell(const Names& name, ServerId self, const BasicEvent<S>& event);

}  // namespace zablab::zab
