#include <algorithm>
#include <vector>

#include "checker/built.h"
#include "checker/protocol.h"

namespace zablab {
namespace {

std::vector<const Protocol*>& registry() {
  static std::vector<const Protocol*> all = builtProtocols();
  return all;
}

}  // namespace

std::span<const Protocol* const> protocols() { return registry(); }

void addProtocol(const Protocol& protocol) { registry().push_back(&protocol); }

ProtocolAdded::ProtocolAdded(const Protocol& protocol) : protocol_(protocol) { addProtocol(protocol); }
ProtocolAdded::~ProtocolAdded() { std::erase(registry(), &protocol_); }

const Protocol* findProtocol(std::string_view name) {
  const auto all = protocols();
  if (name.empty()) return all.front();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Protocol* one) { return one->name() == name; });
  return found == all.end() ? nullptr : *found;
}

namespace {

/// Of a scenario or a model.
template <class Loaded>
const Protocol& named(const Loaded& loaded) {
  const std::string& name = loaded.spec.protocol;
  if (const Protocol* found = findProtocol(name)) return *found;
  if (const auto missing = leftOut(name)) throw loaded.document.keyError("protocol", *missing, how_to_build);
  std::string known;
  for (const Protocol* one : protocols()) known += (known.empty() ? "" : ", ") + std::string(one->name());
  throw loaded.document.keyError("protocol", "there is no protocol " + inBackticks(name),
                                 "protocols are: " + known + "; --protocol-module loads others");
}

}  // namespace

const Protocol& protocolOf(const LoadedScenario& scenario) { return named(scenario); }
const Protocol& protocolOf(const LoadedModel& model) { return named(model); }
const Protocol& protocolOf(const Scenario& scenario) { return *findProtocol(scenario.protocol); }
const Protocol& protocolOf(const FuzzTarget& target) {
  return *findProtocol(target.scenario ? target.scenario->spec.protocol : target.protocol);
}

std::vector<NamedText> allOf(std::vector<NamedText> (Protocol::*list)() const) {
  std::vector<NamedText> all;
  for (const Protocol* one : protocols()) {
    for (NamedText& row : (one->*list)()) {
      const auto same = [&](const NamedText& other) { return other.name == row.name; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(row));
    }
  }
  return all;
}

void checkModel(const LoadedModel& model) { protocolOf(model).checkModel(model); }

CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  checkModel(model);
  return protocolOf(model).check(model, options);
}

}  // namespace zablab
