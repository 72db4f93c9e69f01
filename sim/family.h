// What engines require of a family of protocols: its nodes' steps on values that only the family knows, how
// these values are shown to people and named in scenarios. `FamilyOf<F>` (sim/family_of.h) makes one of a
// family's types (protocol/vocabulary.h) and of its written forms (sim/binding.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/asks.h"
#include "sim/binding.h"
#include "sim/nodes.h"
#include "sim/patterns.h"
#include "sim/phrase.h"
#include "sim/rule_words.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {

/// A request as a scenario describes it: the family's own, and not changed.
using AnyAsks = std::shared_ptr<const void>;

class AnyFamily : public AnyNodes {
 public:
  virtual std::string_view name() const = 0;
  virtual std::string_view text() const = 0;  ///< one line

  virtual Value loaded(const Cluster<Any>& cluster, int i, const Value& disk) const = 0;
  virtual Value nodeFrom(const Bytes& encoding) const = 0;
  /// What a process that is stopped in order is asked before that, if anything.
  virtual std::optional<Value> lastRequest(const Cluster<Any>& cluster, int i) const = 0;

  // ---- timers
  virtual std::size_t timerKinds() const = 0;
  virtual std::string timerName(std::uint8_t kind) const = 0;
  virtual std::optional<std::uint8_t> timerFromName(std::string_view name) const = 0;
  /// Whether the key is that of a kind with several timers.
  virtual bool isKey(const AnyKey& key) const = 0;
  virtual AnyKey noKey() const = 0;
  /// The number for a key in a choice's address, and its text there; empty: the number is a server's id.
  virtual std::pair<ServerId, std::string> subjectOf(const AnyKey& key) const = 0;
  /// How a scenario names what distinguishes timers of one kind: "peer" or "key".
  virtual const char* timerKeyWord() const = 0;
  virtual AnyKey readTimerKey(const JsonValue& key) const = 0;

  // ---- to people, and in traces
  virtual std::size_t typeIndex(const Value& message) const = 0;
  virtual std::string_view typeName(const Value& message) const = 0;
  virtual Phrase label(const Names& names, const Value& message) const = 0;
  virtual std::string_view kindName(const Value& event) const = 0;
  virtual Json data(const Names& names, const Value& event) const = 0;
  virtual Phrase tellEvent(const Names& names, ServerId self, const Value& event) const = 0;
  virtual Phrase tellRequest(const Names& names, ServerId self, const Value& request) const = 0;
  virtual Json logPicture(const Value& node, const Value& disk) const = 0;
  virtual std::string_view recordName(const Value& record) const = 0;
  virtual Json header() const = 0;
  virtual std::vector<std::string> narrate(const Trace& trace) const = 0;
  /// Empty: it does not tell the result of a run.
  virtual std::optional<std::vector<Phrase>> answer(const Trace& trace) const = 0;
  virtual std::vector<std::string> changedRules(const Cluster<Any>& cluster) const = 0;
  virtual std::string_view defaultVariant() const = 0;
  // For lists; the name of a rule is "name=value".
  virtual NamesAndTexts variantTexts() const = 0;
  virtual NamesAndTexts ruleTexts() const = 0;
  virtual NamesAndTexts mutationTexts() const = 0;
  /// The kind of a server, for a trace's header; empty if all are of one kind.
  virtual std::string nodeKind(const Cluster<Any>& cluster, int i) const = 0;
  virtual Json configuration(const Cluster<Any>& cluster) const = 0;
  virtual Json rules(const Cluster<Any>& cluster) const = 0;
  virtual PatternTypes patternTypes() const = 0;

  // ---- in scenarios
  virtual AnyAsks readAsks(const JsonValue& place, const OwnMembers& members) const = 0;
  /// The word of the request in scenarios.
  virtual std::string_view askName(const AnyAsks& asks) const = 0;
  virtual Value request(const AnyAsks& asks, AskContext context) const = 0;
  /// The request's number.
  virtual std::int64_t numberOf(const Value& request) const = 0;
  /// As a step would make the request.
  virtual Json written(const Value& request) const = 0;
  /// Whether clients turn to one server at a time, by which request, and to which one by this request.
  virtual bool clientsTurn() const = 0;
  virtual AnyAsks turn(ServerId server) const = 0;
  virtual std::optional<ServerId> turnsTo(const AnyAsks& asks) const = 0;
  /// Whether requests can be made to a server itself.
  virtual bool asksServers() const = 0;
  virtual OwnKeys ownKeys() const = 0;
  virtual std::string_view fileField() const = 0;
  /// Checks the family's own fields. Throws InputError.
  virtual void checkFields(const Scenario& scenario, const std::vector<std::string>& keys) const = 0;
  virtual void checkFields(const ServerSpec& server) const = 0;
  /// The servers, if they are not listed as `servers`.
  virtual std::optional<std::vector<ServerSpec>> serversOf(const Setting& setting,
                                                           const std::vector<std::string>& keys,
                                                           const JsonValue& document) const = 0;
  /// A Cluster of the family's own type, with its rules and configurations. Throws InputError.
  virtual std::shared_ptr<ClusterShape> cluster(const Scenario& scenario, const JsonValue& document,
                                                const std::vector<ServerSpec>& servers) const = 0;
  virtual Value readMessage(const JsonValue& message) const = 0;
  virtual void readDisk(Value& disk, const JsonValue& fields) const = 0;
  virtual void readNode(Value& node, const JsonValue& fields) const = 0;
  virtual void checkNode(const JsonValue& fields) const = 0;  ///< whether they are fields of a node
  /// May also set what follows from the scenario.
  virtual void checkState(const JsonValue& place, ServerId id, Value& node) const = 0;
  virtual std::vector<Opened> arrange(const Cluster<Any>& cluster,
                                      std::vector<std::optional<Value>>& placed) const = 0;
};

/// The family of these types: instantiated in sim/<family>/ by ZABLAB_FAMILY (binding_base.h).
template <class F>
const AnyFamily& theFamily();

}  // namespace zablab
