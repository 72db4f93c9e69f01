// Makes a family, as engines see it, of a family's own types. Instantiated once for each, in
// sim/<family>/ by ZABLAB_FAMILY (binding_base.h).
#pragma once

#include <utility>

#include "protocol/timer_kinds.h"
#include "sim/family.h"
#include "sim/json_reflect.h"
#include "sim/nodes_of.h"
#include "sim/rule_words.h"

namespace zablab {

/// Timers of a kind are distinguished by peers, or by keys that the family can name.
template <class F>
concept NamesTimerKeys = std::same_as<typename F::Vocabulary::TimerKey, ServerId> ||
    requires(const typename F::Vocabulary::TimerKey& key) {
  { Binding<F>::timerKeyName(key) } -> std::same_as<std::string>;
};

template <class F>
concept HasBinding = requires(const Names& names, const typename F::Message& message,
                              const typename F::Event& event, const typename F::Request& request,
                              typename F::Node& node, const typename F::Durable& disk,
                              const typename F::Record& record, const typename F::Rules& rules,
                              const Scenario& scenario, const JsonValue& document,
                              const std::vector<ServerSpec>& servers, const Cluster<F>& cluster,
                              std::vector<std::optional<typename F::Node>>& placed, const Trace& trace) {
  { Binding<F>::typeName(message) } -> std::convertible_to<std::string_view>;
  { Binding<F>::label(names, message) } -> std::same_as<Phrase>;
  { Binding<F>::kindName(event) } -> std::convertible_to<std::string_view>;
  { Binding<F>::data(names, event) } -> std::same_as<Json>;
  { Binding<F>::tell(names, ServerId{}, event) } -> std::same_as<Phrase>;
  { Binding<F>::tell(names, ServerId{}, request) } -> std::same_as<Phrase>;
  { Binding<F>::logPicture(node, disk) } -> std::same_as<Json>;
  { Binding<F>::timerName(typename F::TimerKind{}) } -> std::same_as<std::string>;
  { Binding<F>::recordName(record) } -> std::convertible_to<std::string_view>;
  requires NamesTimerKeys<F>;
  { Binding<F>::header() } -> std::same_as<Json>;
  { Binding<F>::narrate(trace) } -> std::same_as<std::vector<std::string>>;
  { Binding<F>::changedRules(rules) } -> std::same_as<std::vector<std::string>>;
  { Binding<F>::default_variant } -> std::convertible_to<std::string_view>;
  { Binding<F>::ruleTables() } -> std::same_as<RuleTables<typename F::Rules>>;
  { Binding<F>::request(typename Binding<F>::Asks{}, AskContext{}) } -> std::same_as<typename F::Request>;
  { Binding<F>::asking(request) } -> std::same_as<typename Binding<F>::Asks>;
  { request.number } -> std::convertible_to<std::int64_t>;
  { Binding<F>::rules(scenario, document) } -> std::same_as<typename F::Rules>;
  { Binding<F>::configs(scenario, document, servers) } -> std::same_as<std::vector<typename F::Config>>;
  Binding<F>::arrange(cluster, placed);
  Binding<F>::checkState(document, ServerId{}, node);
};

template <class F>
requires HasBinding<F>
class FamilyOf : public NodesOf<F, AnyFamily> {
  using B = Binding<F>;
  using V = typename F::Vocabulary;
  using Message = typename F::Message;
  using Record = typename F::Record;
  using Durable = typename F::Durable;
  using Node = typename F::Node;
  using Event = typename F::Event;
  using Request = typename F::Request;
  using Asks = typename B::Asks;

 public:
  std::string_view name() const override { return F::name; }
  std::string_view text() const override { return F::text; }

  Value loaded(const Cluster<Any>& cluster, int i, const Value& disk) const override {
    const Cluster<F>& own = cluster.as<F>();
    return Value(F::loaded(own.configs[at(i)], own.rules, cluster.ids[at(i)], disk.as<Durable>()));
  }
  Value nodeFrom(const Bytes& encoding) const override { return Value(decode<Node>(encoding)); }
  std::optional<Value> lastRequest(const Cluster<Any>& cluster, int i) const override {
    if constexpr (requires(const typename F::Config& config) { F::lastRequest(config); }) {
      if (const auto last = F::lastRequest(cluster.as<F>().configs[at(i)])) return Value(*last);
    }
    return std::nullopt;
  }

  // ---- timers
  std::size_t timerKinds() const override { return timerKindCount<typename F::TimerKind>(); }
  std::string timerName(std::uint8_t kind) const override {
    return B::timerName(static_cast<typename F::TimerKind>(kind));
  }
  std::optional<std::uint8_t> timerFromName(std::string_view name) const override {
    const auto kind = timerKindFromName<typename F::TimerKind>(name);
    return kind ? std::optional(static_cast<std::uint8_t>(*kind)) : std::nullopt;
  }
  bool isKey(const AnyKey& key) const override {
    return Typed<F>::template keyOf<typename V::TimerKey>(key) != noTimerKey<typename V::TimerKey>();
  }
  AnyKey noKey() const override { return Typed<F>::any(noTimerKey<typename V::TimerKey>()); }
  std::pair<ServerId, std::string> subjectOf(const AnyKey& key) const override {
    if constexpr (std::is_same_v<typename V::TimerKey, ServerId>) {
      return {key.server, {}};
    } else {
      if (!isKey(key)) return {no_server, {}};
      const auto& own = key.own.as<typename V::TimerKey>();
      return {static_cast<ServerId>(contentHash(own)), B::timerKeyName(own)};
    }
  }
  const char* timerKeyWord() const override {
    return std::is_same_v<typename V::TimerKey, ServerId> ? "peer" : "key";
  }
  AnyKey readTimerKey(const JsonValue& key) const override {
    return Typed<F>::any(read<typename V::TimerKey>(key));
  }

  // ---- to people, and in traces
  std::size_t typeIndex(const Value& message) const override { return message.as<Message>().index(); }
  std::string_view typeName(const Value& message) const override {
    return B::typeName(message.as<Message>());
  }
  Phrase label(const Names& names, const Value& message) const override {
    return B::label(names, message.as<Message>());
  }
  std::string_view kindName(const Value& event) const override { return B::kindName(event.as<Event>()); }
  Json data(const Names& names, const Value& event) const override {
    return B::data(names, event.as<Event>());
  }
  Phrase tellEvent(const Names& names, ServerId self, const Value& event) const override {
    return B::tell(names, self, event.as<Event>());
  }
  Phrase tellRequest(const Names& names, ServerId self, const Value& request) const override {
    return B::tell(names, self, request.as<Request>());
  }
  Json logPicture(const Value& node, const Value& disk) const override {
    return B::logPicture(node.as<Node>(), disk.as<Durable>());
  }
  std::string_view recordName(const Value& record) const override {
    return B::recordName(record.as<Record>());
  }
  Json header() const override { return B::header(); }
  std::vector<std::string> narrate(const Trace& trace) const override { return B::narrate(trace); }
  std::optional<std::vector<Phrase>> answer(const Trace& trace) const override {
    if constexpr (requires { B::answer(trace); }) return B::answer(trace);
    return std::nullopt;
  }
  std::vector<std::string> changedRules(const Cluster<Any>& cluster) const override {
    return B::changedRules(cluster.as<F>().rules);
  }
  std::string_view defaultVariant() const override { return B::default_variant; }
  NamesAndTexts variantTexts() const override { return textsOf(B::ruleTables().variants); }
  NamesAndTexts ruleTexts() const override { return textsOf(B::ruleTables().values); }
  NamesAndTexts mutationTexts() const override { return textsOf(B::ruleTables().mutations); }
  std::string nodeKind(const Cluster<Any>& cluster, int i) const override {
    if constexpr (requires(const typename F::Config& config) { B::nodeKind(config, ServerId{}); })
      return std::string(B::nodeKind(cluster.as<F>().configs[at(i)], cluster.ids[at(i)]));
    return {};
  }
  Json configuration(const Cluster<Any>& cluster) const override {
    return toJson(cluster.as<F>().configs.front());
  }
  Json rules(const Cluster<Any>& cluster) const override { return toJson(cluster.as<F>().rules); }
  PatternTypes patternTypes() const override { return zablab::patternTypes<F>(); }

  // ---- in scenarios
  AnyAsks readAsks(const JsonValue& place, const OwnMembers& members) const override {
    return std::make_shared<const Asks>(zablab::readAsks<Asks>(place, members));
  }
  std::string_view askName(const AnyAsks& asks) const override {
    return visit([](const auto& one) -> std::string_view { return one.name; }, own(asks));
  }
  Value request(const AnyAsks& asks, AskContext context) const override {
    return Value(B::request(own(asks), context));
  }
  std::int64_t numberOf(const Value& request) const override { return request.as<Request>().number; }
  Json written(const Value& request) const override { return writeAsks(B::asking(request.as<Request>())); }
  bool clientsTurn() const override { return ClientsTurn<F>; }
  AnyAsks turn(ServerId server) const override {
    if constexpr (ClientsTurn<F>) return std::make_shared<const Asks>(B::turn(server));
    return nullptr;
  }
  std::optional<ServerId> turnsTo(const AnyAsks& asks) const override {
    return zablab::turnsTo<F>(own(asks));
  }
  bool asksServers() const override { return zablab::asksServers<F>(); }
  OwnKeys ownKeys() const override { return zablab::ownKeys<F>(); }
  std::string_view fileField() const override {
    if constexpr (requires { B::file_field; }) return B::file_field;
    return {};
  }
  void checkFields(const Scenario& scenario, const std::vector<std::string>& keys) const override {
    fieldsOf<ScenarioFieldsOf<F>>(scenario, keys);
  }
  void checkFields(const ServerSpec& server) const override { fieldsOf<ServerFieldsOf<F>>(server); }
  std::optional<std::vector<ServerSpec>> serversOf(const Setting& setting,
                                                   const std::vector<std::string>& keys,
                                                   const JsonValue& document) const override {
    using Fields = ScenarioFieldsOf<F>;
    if constexpr (requires(const Fields& fields) { B::serversOf(fields, document); })
      return B::serversOf(fieldsOf<Fields>(setting, keys), document);
    return std::nullopt;
  }
  std::shared_ptr<ClusterShape> cluster(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers) const override {
    auto made = std::make_shared<Cluster<F>>();
    made->rules = B::rules(scenario, document);
    made->configs = B::configs(scenario, document, servers);
    return made;
  }
  Value readMessage(const JsonValue& message) const override { return Value(read<Message>(message)); }
  void readDisk(Value& disk, const JsonValue& fields) const override {
    readInto(disk.change<Durable>(), fields);
  }
  void readNode(Value& node, const JsonValue& fields) const override {
    readInto(node.change<Node>(), fields);
  }
  void checkNode(const JsonValue& fields) const override { read<Node>(fields); }
  void checkState(const JsonValue& place, ServerId id, Value& node) const override {
    B::checkState(place, id, node.change<Node>());
  }
  std::vector<Opened> arrange(const Cluster<Any>& cluster,
                              std::vector<std::optional<Value>>& placed) const override {
    std::vector<std::optional<Node>> nodes;
    for (const auto& one : placed) nodes.push_back(one ? std::optional(one->as<Node>()) : std::nullopt);
    std::vector<Opened> opened = B::arrange(cluster.as<F>(), nodes);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (nodes[i]) placed[i] = Value(std::move(*nodes[i]));
    }
    return opened;
  }

 private:
  using NodesOf<F, AnyFamily>::at;
  static const Asks& own(const AnyAsks& asks) { return *static_cast<const Asks*>(asks.get()); }
};

template <class F>
const AnyFamily& theFamily() {
  static const FamilyOf<F> family;
  return family;
}

}  // namespace zablab
