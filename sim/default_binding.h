// A binding that follows from the types alone, for a family that says no more about itself: `Binding<F>`
// derives from it, and hides what it does otherwise.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/variant.h"
#include "sim/binding_base.h"
#include "sim/json_reflect.h"
#include "sim/sentences.h"
#include "sim/trace.h"

namespace zablab {

/// What the types need for it:
///
///     Message, Event     each alternative is described; `says` is its sentence (sim/sentences.h); without it
///                        its name and its fields are listed, and an event with an empty one is not told
///     Request            has `number` and `what`, a variant of what scenarios ask, after monostate
///     Config             has `servers`, the ids of the servers in order, and `client`; may have
///                        `std::string problem() const`: what is wrong with it, or nothing
///     variants, default_variant, mutations, milestones
///                        constants of Binding<F>: the variants of the rules; the planted bugs; the kinds of
///                        events that the short form of a run tells
template <class F>
struct DefaultBinding : BindingBase<F> {
  using Message = typename F::Message;
  using Event = typename F::Event;
  using Request = typename F::Request;
  using Config = typename F::Config;
  using B = Binding<F>;

  static Phrase label(const Names& names, const Message& message) {
    return visited(message,
                   [&](const auto& one) { return said(names, no_server, one, std::string(one.name)); });
  }
  static Json data(const Names&, const Event& event) {
    return visited(event, [](const auto& one) { return toJson(one); });
  }
  static Phrase tell(const Names& names, ServerId self, const Event& event) {
    return visited(event, [&](const auto& one) {
      return said(names, self, one, phrase("{server}: {event}", names(self), listed(one.name, toJson(one))));
    });
  }
  static Phrase tell(const Names& names, ServerId self, const Request& request) {
    return phrase("{client} asks: {request}", names(self),
                  visited(request.what, [](const auto& one) { return listed(one.name, toJson(one)); }));
  }
  static Json logPicture(const typename F::Node&, const typename F::Durable&) { return nullptr; }

  static Json header() {
    Json milestones = Json::array();
    for (const std::string_view kind : B::milestones) {
      if (!isKind(kind, static_cast<Event*>(nullptr)))
        throw std::logic_error("the milestone " + std::string(kind) + " is the name of no event");
      milestones.push_back(kind);
    }
    return {{"roles", Json::object()},
            {"phases", Json::object()},
            {"label", "what it says"},
            {"message_groups", Json::array()},
            {"heartbeats", Json::array()},
            {"folded_in_stories", Json::array()},
            {"milestones", std::move(milestones)}};
  }
  static std::vector<std::string> narrate(const Trace& trace) {
    std::vector<std::string> lines;
    for (const TraceEvent& event : trace.events) {
      const bool tells =
          std::find(B::milestones.begin(), B::milestones.end(), event.kind) != B::milestones.end();
      if (tells && !event.text.empty())
        lines.push_back("at " + std::to_string(event.time) + " ms " + event.text);
    }
    return lines;
  }

  /// Each value of a rule that is not its first is a planted bug.
  static RuleTables<typename F::Rules> ruleTables() {
    static const std::vector<RuleValue> values = [] {
      std::vector<RuleValue> list;
      forEachField(default_rules, [&](std::string_view rule, const auto& first) {
        list.push_back({rule, enumName(first), "the default", ""});
        for (const Mutation& mutation : B::mutations) {
          if (mutation.rule == rule) list.push_back({rule, mutation.value, mutation.text, ""});
        }
      });
      for (const Mutation& mutation : B::mutations) {
        typename F::Rules rules;
        if (const auto problem = setRule(rules, mutation.rule, mutation.value))
          throw std::logic_error("the planted bug " + std::string(mutation.name) + ": " + *problem);
      }
      return list;
    }();
    return {B::variants, values, B::mutations};
  }

  using Asks = boost::mp11::mp_rename<boost::mp11::mp_pop_front<decltype(Request::what)>, variant>;
  static Request request(const Asks& asks, AskContext context) {
    Request request;
    request.number = context.number;
    visit([&](const auto& one) { request.what = one; }, asks);
    return request;
  }
  static Asks asking(const Request& request) {
    Asks asks;
    visit(Overloaded{[](monostate) {}, [&](const auto& one) { asks = one; }}, request.what);
    return asks;
  }

  static std::vector<Config> configs(const Scenario& scenario, const JsonValue&,
                                     const std::vector<ServerSpec>& servers) {
    Config common;
    for (const ServerSpec& server : servers) {
      if (!server.client) common.servers.push_back(server.id);
    }
    std::sort(common.servers.begin(), common.servers.end());
    return DefaultBinding::configsOf(
        scenario, servers, common, [&](Config& config, std::size_t i) { config.client = servers[i].client; },
        &Config::client, &Config::servers);
  }
  static void checkConfig(const JsonValue& place, const Config& config) {
    if constexpr (requires { config.problem(); }) {
      if (const std::string problem = config.problem(); !problem.empty()) throw place.error(problem);
    }
  }

  static void checkState(const JsonValue& place, ServerId id, const typename F::Node& node) {
    if (node.self != id) throw place.keyError("self", "`self` is the server's own id, " + std::to_string(id));
  }

 private:
  static constexpr typename F::Rules default_rules{};

  template <class... Alternative>
  static bool isKind(std::string_view kind, variant<Alternative...>*) {
    const auto isNamed = [&]<class T>(std::type_identity<T>) {
      if constexpr (requires { T::name; }) return kind == T::name;
      return false;
    };
    return enumFromName<Kind>(kind) || (isNamed(std::type_identity<Alternative>{}) || ...);
  }
  /// `visit(alternative)`; nothing for monostate.
  template <class Variant, class Visit>
  static auto visited(const Variant& value, Visit&& visit) {
    using Result = decltype(visit(get<variant_size_v<Variant> - 1>(value)));
    return zablab::visit(
        Overloaded{[](monostate) { return Result{}; }, [&](const auto& one) { return visit(one); }}, value);
  }
  template <class T>
  static Phrase said(const Names& names, ServerId self, const T& value, Phrase otherwise) {
    if constexpr (requires { T::says; }) return filled(T::says, names, self, toJson(value));
    return otherwise;
  }
};

}  // namespace zablab
