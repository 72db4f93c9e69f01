#include "protocol/recipes/configuration.h"

#include <utility>

#include "protocol/variant.h"

namespace zablab::recipes {
namespace {

struct ConfigurationStep : WorkerStep<ConfigurationStep> {
  Configuration& me;

  ConfigurationStep(const Hands& with, Configuration& configuration)
      : WorkerStep{with, Recipe::configuration, configuration}, me(configuration) {}

  bool isMultiple() const { return me.parts > 1; }
  std::string part(std::int32_t index) const {
    return isMultiple() ? below("part-" + std::to_string(index + 1)) : me.path;
  }
  /// Whether it reads the parts together.
  bool readsAtOnce() const { return isMultiple() && hands.rules.config_read == ConfigRead::at_once; }

  void instructed(const Instructed& instructed) const {
    instructed.act == Act::push ? me.pushes.push_back(instructed.data) : hands.emit(NotHeld{});
  }

  void work() const {
    if (me.stale) return read();
    if (!me.changed_parts.empty())
      return ask(Purpose::observe, operation(OpCode::getData, part(me.changed_parts.front()), true));
    const bool rewatches = hands.rules.watch_renewal == WatchRenewal::after_the_read;
    if (rewatches && me.rewatched < me.parts)
      return ask(Purpose::catch_up, operation(OpCode::exists, part(me.rewatched), true));
    if (!me.pushes.empty()) push();
  }
  void read() const {
    if (me.armed < me.parts) {
      const bool watches = me.values.empty() || hands.rules.watch_renewal == WatchRenewal::with_the_read;
      return ask(Purpose::observe, operation(OpCode::getData, part(me.armed), watches));
    }
    Op op = operation(OpCode::multiRead, "");
    for (std::int32_t i = 0; i < me.parts; ++i) op.ops.push_back({.code = OpCode::getData, .path = part(i)});
    ask(Purpose::list, std::move(op));
  }
  void push() const {
    const bool together = isMultiple() && hands.rules.config_push == ConfigPush::at_once;
    Op op = operation(together ? OpCode::multi : OpCode::setData, together ? "" : part(me.pushed));
    if (!together) op.data = me.pushes.front();
    for (std::int32_t i = 0; together && i < me.parts; ++i)
      op.ops.push_back({.code = OpCode::setData, .path = part(i), .data = me.pushes.front()});
    ask(Purpose::announce, std::move(op));
  }

  void answered(const Answer& answer) const {
    const Result& result = answer.result;
    const bool done = result.error == Error::OK;
    switch (answer.purpose) {
      case Purpose::observe:
        if (!me.stale && !me.changed_parts.empty()) return readChanged(result);
        if (result.error == Error::NONODE)
          return isMultiple() ? ask(Purpose::join, creation(answer.op.path, 0)) : createBase();
        // It may have begun again since it asked.
        if (me.armed < me.parts && answer.op.path == part(me.armed)) readPart(result);
        return;
      case Purpose::join:
        if (result.error == Error::NONODE) createBase();
        return;
      case Purpose::list:
        if (!done) return sweep();
        forgetRead();
        for (const zookeeper::SubResult& one : result.results) keep(one);
        return apply();
      case Purpose::catch_up: ++me.rewatched; return;
      case Purpose::announce:
        if (done && result.code == OpCode::setData && ++me.pushed < me.parts) return;
        return pushOver();
      case Purpose::base:
      case Purpose::create_base:
      case Purpose::leave:
      case Purpose::close: return;
    }
  }
  void sweep() const {
    me.stale = true;
    me.changed_parts.clear();
    me.armed = 0;
  }
  void forgetRead() const {
    me.read_values.clear();
    me.read_versions.clear();
  }
  void keep(const zookeeper::SubResult& one) const {
    me.read_values.push_back(one.data.value_or(""));
    me.read_versions.push_back(one.stat ? one.stat->version : 0);
  }
  void readPart(const Result& result) const {
    if (me.armed == 0) forgetRead();
    keep(result);
    if (++me.armed == me.parts && !readsAtOnce()) apply();
  }
  void readChanged(const Result& result) const {
    const auto at = static_cast<std::size_t>(me.changed_parts.front());
    me.changed_parts.erase(me.changed_parts.begin());
    me.read_values = me.values;
    me.read_versions = me.versions;
    if (result.stat) {
      me.read_values[at] = result.data.value_or("");
      me.read_versions[at] = result.stat->version;
    }
    apply();
  }
  /// Something may have changed again while it was reading.
  void apply() const {
    me.stale = me.armed < me.parts;
    me.rewatched = me.values.empty() ? me.parts : 0;
    const bool same = me.versions == me.read_versions;
    me.values = std::exchange(me.read_values, {});
    me.versions = std::exchange(me.read_versions, {});
    if (same) return;
    hands.emit(Configured{me.path, me.values, me.versions});
    const bool runs = me.values.front().find("papp.status=running") != std::string::npos;
    if (std::exchange(me.runs, runs) != runs) hands.emit(ContainerChanged{runs});
  }
  void pushOver() const {
    me.pushed = 0;
    me.pushes.erase(me.pushes.begin());
  }

  void changed(const NodeEvent& event) const {
    for (std::int32_t i = 0; i < me.parts; ++i) {
      if (event.path != part(i)) continue;
      const bool one_by_one = isMultiple() && hands.rules.config_read == ConfigRead::one_by_one;
      one_by_one && !me.stale ? me.changed_parts.push_back(i) : sweep();
    }
  }
  void unknown(Purpose purpose) const {
    // To write it again might undo what another has written since.
    if (purpose == Purpose::announce) pushOver();
  }
  void looksAgain() const { sweep(); }
  void sessionOver() const {
    me.values.clear();
    me.versions.clear();
    sweep();
  }
};

}  // namespace

void step(const Hands& hands, Configuration& configuration, const Input& input) {
  const ConfigurationStep step(hands, configuration);
  visit([&](const auto& one) { step.on(one); }, input);
}

}  // namespace zablab::recipes
