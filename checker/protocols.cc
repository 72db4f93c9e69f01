#include <algorithm>
#include <vector>

#include "checker/built.h"
#include "checker/protocol.h"
#ifndef ZABLAB_PROTOCOLS  // else it is the one of an engine for pages
#include "checker/built_lists.h"
#endif

namespace zablab {

// Each is defined in its own checker/<family>/protocol.cc. The first is used if none is named.
#define DECLARED(name) const Protocol& name();
ZABLAB_PROTOCOLS(DECLARED)
#undef DECLARED

// Each family that has recipes defines these in its checker/<family>/new_recipe.cc.
#define DECLARED(family)                                                   \
  namespace family {                                                       \
  std::vector<std::string> recipeNames();                                  \
  std::string newRecipe(const std::string& name, std::int64_t contenders); \
  }
ZABLAB_RECIPES(DECLARED)
#undef DECLARED

namespace {

std::vector<const Protocol*>& registry() {
#define ADDRESS(name) &name(),
  static std::vector<const Protocol*> all{ZABLAB_PROTOCOLS(ADDRESS)};
#undef ADDRESS
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

std::optional<std::string> leftOut(std::string_view protocol) {
  const std::vector<std::string_view> names{ZABLAB_LEFT_OUT};
  if (std::find(names.begin(), names.end(), protocol) == names.end()) return std::nullopt;
  return "this program was built without the protocol " + inBackticks(std::string(protocol));
}

std::vector<std::string> recipeNames() {
  std::vector<std::string> all;
#define ADDED(family) \
  for (std::string & name : family::recipeNames()) all.push_back(std::move(name));
  ZABLAB_RECIPES(ADDED)
#undef ADDED
  return all;
}

std::string newRecipe([[maybe_unused]] const std::string& name, [[maybe_unused]] std::int64_t contenders) {
#define FOUND(family)                                             \
  if (const std::vector<std::string> own = family::recipeNames(); \
      std::find(own.begin(), own.end(), name) != own.end())       \
    return family::newRecipe(name, contenders);
  ZABLAB_RECIPES(FOUND)
#undef FOUND
  return {};
}

void checkModel(const LoadedModel& model) { protocolOf(model).checkModel(model); }

CheckResult check(const LoadedModel& model, const CheckOptions& options) {
  checkModel(model);
  return protocolOf(model).check(model, options);
}

}  // namespace zablab
