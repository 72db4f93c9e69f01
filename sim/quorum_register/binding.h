// The family of quorum registers, bound to the engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/described.h"
#include "protocol/quorum_register/family.h"
#include "protocol/variant.h"
#include "sim/binding_base.h"
#include "sim/phrase.h"
#include "sim/scenario.h"
#include "sim/trace.h"

namespace zablab {
namespace quorum_register {

/// What scenarios request of clients. A value that is not given is the request's number; `clock` is the
/// reading of the client's own clock and, if not given, is also that number.
namespace asks {

struct Read {
  ZABLAB_NAMED(Read, "read", ());
};
struct Write {
  std::optional<std::int64_t> value = std::nullopt;
  std::optional<std::int64_t> clock = std::nullopt;
  ZABLAB_NAMED(Write, "write", (value, clock));
};
struct CompareAndSet {
  std::optional<std::int64_t> value = std::nullopt;
  std::int64_t expected = 0;  ///< the value that is replaced
  std::optional<std::int64_t> clock = std::nullopt;
  ZABLAB_NAMED(CompareAndSet, "compare_and_set", (value, expected, clock));
};

}  // namespace asks
using Asks = variant<asks::Read, asks::Write, asks::CompareAndSet>;

/// The family in words.
struct Words {
  static Phrase label(const Names& name, const Message& message);
  static Json data(const Names& name, const Event& event);
  static Phrase tell(const Names& name, ServerId self, const Request& request);
  static Phrase tell(const Names& name, ServerId self, const Event& event);
  /// How the last request of each client ended, and by which replicas, in the order of these ends; then the
  /// requests that have no answer.
  static std::vector<Phrase> answer(const Trace& trace);
};

}  // namespace quorum_register

/// `"3/11/5"`: counter, writer and the writer's request; `"first"`: of the initial value.
template <>
struct JsonCodec<quorum_register::Version> {
  static Json write(const quorum_register::Version& version);
  static quorum_register::Version read(const JsonValue& value);
  static Json schema();
};

ZABLAB_FAMILY(extern template, quorum_register::Family);

template <>
struct Binding<quorum_register::Family> : BindingBase<quorum_register::Family>, quorum_register::Words {
  using F = quorum_register::Family;

  /// What a replica has; there is no log.
  static Json logPicture(const F::Node& node, const F::Durable& disk);
  static Json header();
  static constexpr std::string_view default_variant = "abd";
  /// What was read and written, one line for each.
  static std::vector<std::string> narrate(const Trace& trace);

  using Asks = quorum_register::Asks;
  static F::Request request(const Asks& asks, AskContext context);
  static Asks asking(const F::Request& request);

  static void checkState(const JsonValue& place, ServerId id, const F::Node& node);
  static void checkConfig(const JsonValue& place, const F::Config& config);
  /// Each node's configuration: the scenario's fields, and its own. Every server that is not a stand-in is a
  /// home, unless the homes are listed.
  static std::vector<F::Config> configs(const Scenario& scenario, const JsonValue& document,
                                        const std::vector<ServerSpec>& servers);
};

}  // namespace zablab
