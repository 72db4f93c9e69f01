// What the bindings of most families have in common: names that follow from the described types, and rules by
// the family's tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/overloaded.h"
#include "protocol/variant.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/family.h"
#include "sim/json_reflect.h"
#include "sim/rule_words.h"
#include "sim/value.h"

namespace zablab {

/// The limits of a configuration's fields: `within(key, value, min, max)` throws InputError at `place` if the
/// value is outside.
class Within {
 public:
  static constexpr std::int64_t day_ms = 86'400'000;  ///< no wait is longer

  explicit Within(const JsonValue& place) : place_(place) {}
  void operator()(std::string_view key, std::int64_t value, std::int64_t min, std::int64_t max) const {
    if (value >= min && value <= max) return;
    throw place_.error(inBackticks(key) + " is from " + std::to_string(min) + " to " + std::to_string(max));
  }

 private:
  const JsonValue& place_;
};

/// The names of timers' kinds, if they are one enumeration; otherwise a binding names them itself.
template <class Kind>
struct TimerNames {};
template <class Kind>
requires std::is_enum_v<Kind>
struct TimerNames<Kind> {
  static std::string timerName(Kind kind) { return std::string(enumName(kind)); }
};

/// `Binding<F>` derives from it, and hides what it does otherwise.
template <class F>
struct BindingBase : TimerNames<typename F::TimerKind> {
  static std::string_view typeName(const typename F::Message& message) { return alternativeName(message); }
  static std::string_view kindName(const typename F::Event& event) { return alternativeName(event); }
  static std::string_view recordName(const typename F::Record& record) { return alternativeName(record); }

  static RuleTables<typename F::Rules> ruleTables() { return F::ruleTables(); }
  static std::vector<std::string> changedRules(const typename F::Rules& rules);
  /// The rules of the variant, with single rules and mutations applied. Throws InputError if a name is
  /// unknown.
  static typename F::Rules rules(const Scenario& scenario, const JsonValue& document);

  /// Servers that a scenario starts in their roles have no connections.
  static std::vector<Opened> arrange(const Cluster<F>&, std::vector<std::optional<typename F::Node>>&) {
    return {};
  }

  /// The configuration of each of `servers`: `common`, what `own(config, index)` makes of it, and the fields
  /// of its own `config`; `common` gets those of the scenario's first. `Binding<F>::checkConfig(place,
  /// config)` checks what was read at a place. The fields `given` cannot be set there: they follow from which
  /// servers there are. Throws InputError.
  template <class Own, class... Field>
  static std::vector<typename F::Config> configsOf(const Scenario& scenario,
                                                   const std::vector<ServerSpec>& servers,
                                                   typename F::Config common, Own own,
                                                   Field F::Config::*... given) {
    using Config = typename F::Config;
    const auto apply = [&](Config& config, const JsonValue& place) {
      const Config before = config;
      readInto(config, place);
      if (((config.*given != before.*given) || ...))
        throw place.error("which servers there are is not a part of `config`",
                          "it follows from `servers` and `clients`");
      Binding<F>::checkConfig(place, config);
    };
    if (scenario.config) apply(common, *scenario.config);
    std::vector<Config> configs(servers.size(), common);
    for (std::size_t i = 0; i < servers.size(); ++i) {
      own(configs[i], i);
      if (servers[i].config) apply(configs[i], *servers[i].config);
    }
    return configs;
  }

 private:
  template <class... Alternative>
  static std::string_view alternativeName(const variant<Alternative...>& value) {
    return visit(Overloaded{[](monostate) { return std::string_view("NOTHING"); },
                            [](const auto& alternative) { return alternative.name; }},
                 value);
  }
};

template <class F>
std::vector<std::string> BindingBase<F>::changedRules(const typename F::Rules& rules) {
  return zablab::changedRules(rules);
}

template <class F>
typename F::Rules BindingBase<F>::rules(const Scenario& scenario, const JsonValue& document) {
  return rulesOf(scenario, document, Binding<F>::default_variant, Binding<F>::ruleTables());
}

}  // namespace zablab

/// A family of the library: `ZABLAB_FAMILY(template, kafka::Family);` is in one file of sim/kafka/, and with
/// `extern template` in its binding.h, so that no other file compiles again what it instantiates, which is a
/// large part of a family. In namespace zablab.
#define ZABLAB_FAMILY(instantiation, F)                     \
  instantiation struct BindingBase<F>;                      \
  instantiation const AnyFamily& theFamily<F>();            \
  instantiation const ValueType& valueTypeOf<F::Message>(); \
  instantiation const ValueType& valueTypeOf<F::Record>();  \
  instantiation const ValueType& valueTypeOf<F::Durable>(); \
  instantiation const ValueType& valueTypeOf<F::Event>();   \
  instantiation const ValueType& valueTypeOf<F::Request>(); \
  instantiation const ValueType& valueTypeOf<F::Node>()
