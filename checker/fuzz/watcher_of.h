// Watches a random run, for code that knows the family's types.
#pragma once

#include "checker/fuzz/watcher.h"
#include "sim/run_of.h"

namespace zablab {

template <class F>
class FuzzWatcherOf : public FuzzWatcher {
 public:
  explicit FuzzWatcherOf(const FuzzRun& run) : FuzzWatcher(run), run_(run.run) {}

 protected:
  /// A node emits an event.
  virtual void said(const Happened<F>&) {}

  const typename F::Node& node(int i) const { return run_.node(i); }

  RunOf<F> run_;

 private:
  void emitted(const AnyHappened& happened) final { said(Typed<F>::happened(happened)); }
};

}  // namespace zablab
