#include "checker/fuzz/shrink.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/json_reflect.h"

namespace zablab {
namespace {

JsonValue value(const Json& json) { return JsonValue::fromJson(json, "shrunk"); }

/// The part of a scenario from `head` on that belongs together: a step and those `after` it.
std::size_t unitEnd(const std::vector<StepSpec>& steps, std::size_t head) {
  std::size_t end = head + 1;
  while (end < steps.size() && steps[end].after) ++end;
  return end;
}

void removeSteps(Scenario& scenario, const std::set<std::size_t>& gone) {
  std::vector<StepSpec> kept;
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    if (!gone.contains(i)) kept.push_back(std::move(scenario.steps[i]));
  }
  scenario.steps = std::move(kept);
}

/// Removes the server from the step; true: the step makes no sense without it.
bool withoutServer(StepSpec& spec, ServerId server, const TurnsTo& turns_to) {
  if (Ids* ids = idsOf(spec)) {
    std::erase(ids->list, server);
    if (ids->list.empty()) return true;
  }
  if (spec.when) {
    const JsonValue* node = spec.when->event.fields.find("node");
    if (node != nullptr && node->asInt64() == server) return true;
  }
  return visit(
      [&]<class T>(T& does) {
        if constexpr (std::is_same_v<T, step::Partition>) {
          for (auto& side : does.with) std::erase(side, server);
          std::erase_if(does.with, [](const auto& side) { return side.empty(); });
          return does.with.size() < 2;
        } else if constexpr (std::is_same_v<T, step::Heal>) {
          return does.with.way && (does.with.way->from == server || does.with.way->to == server);
        } else if constexpr (std::is_same_v<T, step::Break>) {
          return std::count(does.with.between.begin(), does.with.between.end(), server) > 0;
        } else if constexpr (std::is_same_v<T, step::Ask>) {
          return does.who == server || turns_to(does) == server;
        } else if constexpr (requires { does.with.to; }) {
          return does.with.from == server || does.with.to == server;
        } else if constexpr (requires { does.with.server; }) {
          return does.with.server == server;
        } else {
          return false;
        }
      },
      spec.does);
}

/// Removes what the steps do to that server or client.
void removeStepsOf(Scenario& scenario, ServerId server, const TurnsTo& turns_to) {
  std::set<std::size_t> gone;
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    StepSpec& spec = scenario.steps[i];
    if (!withoutServer(spec, server, turns_to)) continue;
    for (std::size_t k = i; k < (spec.after ? i + 1 : unitEnd(scenario.steps, i)); ++k) gone.insert(k);
  }
  removeSteps(scenario, gone);
}

/// The scenario without that server; empty if too little of it would remain.
std::optional<Scenario> withoutServer(Scenario scenario, ServerId server, const TurnsTo& turns_to) {
  auto& list = scenario.servers->list;
  std::erase_if(list, [server](const ServerSpec& one) { return one.id == server; });
  if (list.empty()) return std::nullopt;
  for (const ServerSpec& one : list) {
    if (one.state) return std::nullopt;  // states refer to each other
  }
  removeStepsOf(scenario, server, turns_to);
  for (ClientSpec& client : scenario.clients) {
    if (client.server == server) client.server = list.front().id;
  }
  std::erase_if(scenario.timing.slow,
                [server](const SlowWay& way) { return way.from == server || way.to == server; });
  return scenario;
}

class Shrinker {
 public:
  Shrinker(const JudgeRun& judge, const TurnsTo& turns_to, const Kept& kept, std::uint64_t runs_max)
      : judge_(judge), turns_to_(turns_to), kept_(kept), runs_max_(runs_max) {}

  std::optional<Shrunk> shrink(const Scenario& original) {
    best_ = original;
    const RunOutcome first = judge_(best_, nullptr);
    if (!first.failure) return std::nullopt;
    failure_ = *first.failure;
    endAtFailure();
    for (bool pinned = false;; pinned = true) {
      bool smaller = true;
      while (smaller && left()) {
        smaller = steps();
        smaller = servers() || smaller;
        smaller = clients() || smaller;
        smaller = settings() || smaller;
        smaller = simplerSteps() || smaller;
        if (best_.seed) {
          smaller = withoutSeed() || smaller;
        } else {
          smaller = choices() || smaller;
        }
      }
      if (!best_.seed || pinned) break;
      pin();
    }
    endAtFailure();
    return Shrunk{std::move(best_), std::move(failure_), runs_};
  }

 private:
  bool left() const { return runs_ < runs_max_; }
  bool mayGo(const StepSpec& step) const {
    return !kept_.steps_from || !step.at || *step.at < *kept_.steps_from;
  }

  /// Accepts the candidate as the best so far, if it fails as the original does.
  bool attempt(Scenario candidate) {
    if (!left()) return false;
    ++runs_;
    RunOutcome outcome;
    try {
      outcome = judge_(candidate, nullptr);
    } catch (const InputError&) {
      return false;  // it no longer makes sense
    }
    if (!outcome.failure || outcome.failure->what != failure_.what) return false;
    best_ = std::move(candidate);
    failure_ = std::move(*outcome.failure);
    return true;
  }

  /// What follows the violation is not part of the story.
  void endAtFailure() {
    if (failure_.isStall()) return;
    Scenario candidate = best_;
    candidate.until = failure_.time + 1;
    candidate.expect.clear();
    std::set<std::size_t> gone;
    for (std::size_t i = 0; i < candidate.steps.size(); ++i) {
      if (!candidate.steps[i].at || *candidate.steps[i].at <= failure_.time) continue;
      if (candidate.steps[i].is<step::Start>()) continue;  // without it the server may run from the beginning
      for (std::size_t k = i; k < unitEnd(candidate.steps, i); ++k) gone.insert(k);
    }
    removeSteps(candidate, gone);
    attempt(std::move(candidate));
  }

  /// Removes elements of a list in runs of decreasing length; `without(i, j)` makes the candidate without
  /// those from i to j.
  template <class Size, class Without>
  bool thin(Size size, Without without) {
    bool smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(size() / 2, 1);; chunk /= 2) {
      for (std::size_t end = size(); end > 0 && left();) {  // from the back: later elements matter less
        const std::size_t begin = end > chunk ? end - chunk : 0;
        if (attempt(without(begin, end))) smaller = true;
        end = std::min(begin, size());
      }
      if (chunk <= 1) return smaller;
    }
  }

  bool steps() {
    std::vector<std::pair<std::size_t, std::size_t>> units;
    const auto split = [&] {
      units.clear();
      for (std::size_t i = 0; i < best_.steps.size();) {
        const std::size_t end = unitEnd(best_.steps, i);
        if (mayGo(best_.steps[i])) units.emplace_back(i, end);
        i = end;
      }
      return units.size();
    };
    bool smaller = thin(split, [&](std::size_t begin, std::size_t end) {
      split();
      Scenario candidate = best_;
      end = std::min(end, units.size());
      std::set<std::size_t> gone;
      for (std::size_t unit = begin; unit < end; ++unit) {
        for (std::size_t i = units[unit].first; i < units[unit].second; ++i) gone.insert(i);
      }
      removeSteps(candidate, gone);
      return candidate;
    });
    for (std::size_t i = best_.steps.size(); i-- > 1;) {  // single ones after a head
      if (i >= best_.steps.size() || !best_.steps[i].after) continue;
      Scenario candidate = best_;
      candidate.steps.erase(candidate.steps.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = attempt(std::move(candidate)) || smaller;
    }
    return smaller;
  }

  bool servers() {
    if (!best_.servers || kept_.servers) return false;
    bool smaller = false;
    for (std::size_t i = best_.servers->list.size(); i-- > 0;) {
      if (i >= best_.servers->list.size()) continue;
      auto candidate = withoutServer(best_, best_.servers->list[i].id, turns_to_);
      if (candidate && attempt(std::move(*candidate))) smaller = true;
    }
    return smaller;
  }

  bool clients() {
    bool smaller = false;
    for (std::size_t i = best_.clients.size(); i-- > 0;) {
      Scenario candidate = best_;
      const ServerId client = candidate.clients[i].id;
      candidate.clients.erase(candidate.clients.begin() + static_cast<std::ptrdiff_t>(i));
      removeStepsOf(candidate, client, turns_to_);
      std::erase_if(candidate.expect, [client](const ExpectSpec& expect) {
        const JsonValue* node = expect.event ? expect.event->fields.find("node") : nullptr;
        return node != nullptr && node->asInt64() == client;
      });
      if (failure_.isStall() &&
          (candidate.expect.empty() || (kept_.servers && candidate.expect.size() < best_.expect.size())))
        continue;
      smaller = attempt(std::move(candidate)) || smaller;
    }
    return smaller;
  }

  /// Tries a change; false if it changes nothing.
  template <class Make>
  bool change(Make make) {
    Scenario candidate = best_;
    return make(candidate) && attempt(std::move(candidate));
  }

  bool settings() {
    bool smaller = false;
    const auto make = [&](auto what) { smaller = change(what) || smaller; };
    make([](Scenario& s) { return std::exchange(s.restart_after_ms, std::nullopt).has_value(); });
    make([](Scenario& s) { return !std::exchange(s.timing.slow, {}).empty(); });
    const auto reset = [&](RangeSpec TimingSpec::*range) {
      make([range](Scenario& s) {
        RangeSpec& it = s.timing.*range;
        const bool changed = it.lo != RangeSpec{}.lo || it.hi != RangeSpec{}.hi;
        it = RangeSpec{};
        return changed;
      });
    };
    reset(&TimingSpec::latency_ms);
    reset(&TimingSpec::fsync_ms);
    reset(&TimingSpec::dial_ms);
    if (best_.config) {
      for (const JsonValue& member : std::vector<JsonValue>(best_.config->members())) {
        make([&](Scenario& s) {
          Json config = s.config->plain();
          config.erase(member.key());
          s.config = value(config);
          if (config.empty()) s.config.reset();
          return true;
        });
      }
    }
    for (std::size_t i = 0; best_.servers && i < best_.servers->list.size(); ++i) {
      if (!best_.servers->list[i].disk) continue;
      make([i](Scenario& s) { return std::exchange(s.servers->list[i].disk, std::nullopt).has_value(); });
      if (!best_.servers->list[i].disk) continue;
      while (change([i](Scenario& s) {
        Json disk = s.servers->list[i].disk->plain();
        if (disk["log"].empty()) return false;
        disk["log"].erase(disk["log"].size() - 1);
        s.servers->list[i].disk = value(disk);
        return true;
      })) {
        smaller = true;
      }
    }
    return smaller;
  }

  bool simplerSteps() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      if (!mayGo(best_.steps[i])) continue;
      const auto make = [&](auto what) {
        smaller = change([&](Scenario& s) { return what(s.steps[i]); }) || smaller;
      };
      make([](StepSpec& spec) {
        auto* loss = spec.as<step::PowerLoss>();
        return loss != nullptr && std::exchange(loss->with.keep, 0) != 0;
      });
      if (!kept_.steps_from)
        make([](StepSpec& step) {
          return step.when && std::exchange(step.when->by, std::nullopt).has_value();
        });
      make([](StepSpec& step) { return step.when && std::exchange(step.when->plus, 0) != 0; });
      make([](StepSpec& spec) {
        auto* hold = spec.as<step::Hold>();
        return hold != nullptr && std::exchange(hold->with.message, std::nullopt).has_value();
      });
      const Ids* named = idsOf(best_.steps[i]);
      for (std::size_t k = named == nullptr ? 0 : named->list.size(); k-- > 0;) {
        make([k](StepSpec& spec) {
          Ids* ids = idsOf(spec);
          if (ids == nullptr || ids->list.size() < 2 || k >= ids->list.size()) return false;
          ids->list.erase(ids->list.begin() + static_cast<std::ptrdiff_t>(k));
          return true;
        });
      }
      make([](StepSpec& spec) {
        auto* ask = spec.as<step::Ask>();
        return ask != nullptr && std::exchange(ask->times, 1) != 1;
      });
      while (change([&](Scenario& s) {
        auto* ask = s.steps[i].as<step::Ask>();
        if (ask == nullptr || ask->times == 1) return false;
        --ask->times;
        return true;
      })) {
        smaller = true;
      }
      make([](StepSpec& spec) {
        auto* ask = spec.as<step::Ask>();
        return ask != nullptr && ask->times == 1 && std::exchange(ask->every, 0) != 0;
      });
      // Rounder times.
      for (const Millis unit : {1000, 100, 10}) {
        make([unit](StepSpec& step) {
          auto& time = step.at ? step.at : step.after;
          if (!time || *time % unit == 0) return false;
          *time -= *time % unit;
          return true;
        });
      }
    }
    return smaller;
  }

  bool withoutSeed() {
    return change([](Scenario& s) { return std::exchange(s.seed, std::nullopt).has_value(); });
  }

  /// Replaces the seed by the choices that it made.
  void pin() {
    std::vector<Choice> made;
    judge_(best_, &made);
    Scenario candidate = best_;
    zablab::pin(candidate, made);
    attempt(std::move(candidate));
  }

  bool choices() {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    const auto list = [&] {
      all.assign(best_.choices.begin(), best_.choices.end());
      return all.size();
    };
    bool smaller = thin(list, [&](std::size_t begin, std::size_t end) {
      list();
      Scenario candidate = best_;
      for (std::size_t i = begin; i < std::min(end, all.size()); ++i) candidate.choices.erase(all[i].first);
      return candidate;
    });
    list();
    if (all.size() > 40) return smaller;
    for (const auto& one : all) {
      for (std::uint64_t lower = 1; lower < one.second; lower = (lower + one.second + 1) / 2) {
        Scenario candidate = best_;
        candidate.choices[one.first] = lower;
        if (!attempt(std::move(candidate))) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  const JudgeRun& judge_;
  const TurnsTo& turns_to_;
  const Kept& kept_;
  std::uint64_t runs_max_;
  std::uint64_t runs_ = 0;
  Scenario best_;
  Failure failure_;
};

std::size_t preparedEntries(const ServerSpec& server) {
  const JsonValue* log = server.disk ? server.disk->find("log") : nullptr;
  return log == nullptr ? 0 : log->elements().size();
}

}  // namespace

std::optional<Shrunk> shrink(const Scenario& scenario, const JudgeRun& judge, const TurnsTo& turns_to,
                             const Kept& kept, std::uint64_t runs_max) {
  return Shrinker(judge, turns_to, kept, runs_max).shrink(scenario);
}

void pin(Scenario& scenario, const std::vector<Choice>& made) {
  scenario.seed.reset();
  for (const Choice& choice : made) scenario.choices[choice.address] = choice.value;
}

std::size_t storyLength(const Scenario& scenario) {
  std::size_t length = scenario.choices.size();
  for (const StepSpec& step : scenario.steps) length += step.is<step::Note>() ? 0 : 1;
  for (const ServerSpec& server : scenario.servers->list) length += preparedEntries(server);
  return length;
}

std::vector<Scenario> oneStepLess(const Scenario& scenario) {
  std::vector<Scenario> all;
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    Scenario less = scenario;
    const std::size_t end = scenario.steps[i].after ? i + 1 : unitEnd(scenario.steps, i);
    less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(i),
                     less.steps.begin() + static_cast<std::ptrdiff_t>(end));
    all.push_back(std::move(less));
  }
  for (const auto& choice : scenario.choices) {
    Scenario less = scenario;
    less.choices.erase(choice.first);
    all.push_back(std::move(less));
  }
  for (std::size_t i = 0; i < scenario.servers->list.size(); ++i) {
    if (preparedEntries(scenario.servers->list[i]) == 0) continue;
    Scenario less = scenario;
    Json disk = less.servers->list[i].disk->plain();
    disk["log"].erase(disk["log"].size() - 1);
    less.servers->list[i].disk = value(disk);
    all.push_back(std::move(less));
  }
  return all;
}

}  // namespace zablab
