// The kinds of recordings of ZooKeeper's servers.
#pragma once

#include <memory>
#include <vector>

#include "checker/conformance.h"
#include "protocol/zab/rules.h"

namespace zablab::zab {

std::unique_ptr<Conformance> judgeElections(const BroadcastRules& rules);
std::unique_ptr<Conformance> judgeSyncs(const BroadcastRules& rules);

/// For a family built on the broadcast; `rulesOf` reads its rules.
template <class RulesOf>
std::vector<RecordingKind> recordingKinds(RulesOf rulesOf) {
  return {{"election", [rulesOf](const Scenario& rules) { return judgeElections(rulesOf(rules)); }},
          {"sync", [rulesOf](const Scenario& rules) { return judgeSyncs(rulesOf(rules)); }}};
}

}  // namespace zablab::zab
