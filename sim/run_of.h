// A run, for code that knows the family's types: its observers, and what they look at.
#pragma once

#include <vector>

#include "sim/run.h"
#include "sim/typed.h"

namespace zablab {

template <class F>
class RunOf : private AnyListener {
 public:
  explicit RunOf(ScenarioRun& run) : run_(run) {}
  RunOf(const RunOf&) = delete;

  /// Call before the run.
  void watch(Listener<F>& watcher) {
    if (watchers_.empty()) run_.watch(*this);
    watchers_.push_back(&watcher);
  }

  const Cluster<F>& cluster() const { return run_.cluster().template as<F>(); }
  Millis now() const { return run_.simulator().now(); }
  bool isUp(int i) const { return store().isUp(i); }
  bool isPaused(int i) const { return store().isPaused(i); }
  const typename F::Node& node(int i) const { return store().server(i).node.template as<typename F::Node>(); }
  const typename F::Durable& image(int i) const {
    return store().disk(i).image.template as<typename F::Durable>();
  }

 private:
  const DirectStore<Any>& store() const { return run_.simulator().store(); }
  void on(const AnyHappened& any) override {
    const Happened<F> happened = Typed<F>::happened(any);
    for (Listener<F>* watcher : watchers_) watcher->on(happened);
  }

  ScenarioRun& run_;
  std::vector<Listener<F>*> watchers_;
};

}  // namespace zablab
