// What the bindings of most families have in common: names that follow from the described types, and rules by
// the family's tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "protocol/overloaded.h"
#include "sim/binding.h"
#include "sim/direct.h"
#include "sim/rule_words.h"

namespace zablab {

/// The names of timers' kinds, if they are one enumeration; otherwise a binding names them itself.
template <class Kind>
struct TimerNames {};
template <class Kind>
requires std::is_enum_v<Kind>
struct TimerNames<Kind> {
  static std::string timerName(Kind kind) { return std::string(enumName(kind)); }
};

/// `Binding<F>` derives from it, and hides what it does otherwise. The rules are those of
/// `Binding<F>::ruleTables()`. A header that many files include declares it as `extern`.
template <class F>
struct BindingBase : TimerNames<typename F::TimerKind> {
  static std::string_view typeName(const typename F::Message& message) { return alternativeName(message); }
  static std::string_view kindName(const typename F::Event& event) { return alternativeName(event); }
  static std::string_view recordName(const typename F::Record& record) { return alternativeName(record); }

  static std::vector<std::string> changedRules(const typename F::Rules& rules);
  /// The rules of the variant, with single rules and mutations applied. Throws InputError if a name is
  /// unknown.
  static typename F::Rules rules(const Scenario& scenario, const JsonValue& document);

  /// Servers that a scenario starts in their roles have no connections.
  static std::vector<Opened> arrange(const Cluster<F>&, std::vector<std::optional<typename F::Node>>&) {
    return {};
  }

 private:
  template <class... Alternative>
  static std::string_view alternativeName(const std::variant<Alternative...>& value) {
    return std::visit(Overloaded{[](std::monostate) { return std::string_view("NOTHING"); },
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
