#include "checker/zookeeper/new_recipe.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/recipes/program.h"
#include "protocol/reflect.h"
#include "sim/json.h"

namespace zablab::zookeeper {
namespace {

using recipes::Recipe;

constexpr Millis connects_ms = 700;  ///< there is a leader, so that the clients come in this order
constexpr Millis first_act_ms = 2000;

/// A name is written with dashes here, and with underscores in a scenario.
std::string dashed(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// The recipe that is meant; `fair-election` is the usual one of the two that are fair.
std::optional<Recipe> recipeOf(const std::string& name) {
  if (name == "fair-election") return Recipe::predecessor_watch_election;
  for (const auto& [one, recipe] : enumerators_of<Recipe>) {
    if (dashed(one) == name && recipe != Recipe::resource) return recipe;
  }
  return std::nullopt;
}

class Draft {
 public:
  Draft(Recipe recipe, std::int64_t contenders) : recipe_(recipe), contenders_(contenders) {}

  std::string text() {
    for (std::int64_t i = 0; i < contenders_; ++i)
      step({{"at", connects_ms + i},
            {"client", client(i)},
            {"connect", i % 3 + 1},
            {"timeout", 6000},
            {"renews", true}});
    for (std::int64_t i = 0; i < contenders_; ++i) run(i);
    act();
    const std::string name = std::string(enumName(recipe_));
    std::string file = "{\n  \"kind\": \"scenario\",\n  \"name\": \"" + std::to_string(contenders_) +
                       " clients run the recipe " + name +
                       "\",\n  \"protocol\": \"zookeeper\",\n  \"servers\": 3,\n  \"clients\": [";
    for (std::int64_t i = 0; i < contenders_; ++i)
      file += (i == 0 ? "" : ", ") + std::string("{\"id\": ") + std::to_string(client(i)) + "}";
    return file + "],\n  \"steps\": [" + lines(steps_) + "],\n  \"until\": 20000,\n  \"expect\": [" +
           lines(expects_) + "]\n}\n";
  }

 private:
  static std::int64_t client(std::int64_t i) { return 101 + i; }
  std::int64_t last() const { return client(contenders_ - 1); }
  void step(Json json) { steps_.push_back(std::move(json)); }
  void expect(Json json) { expects_.push_back(std::move(json)); }
  static std::string lines(const std::vector<Json>& all) {
    std::string text;
    for (const Json& one : all) text += (text.empty() ? "\n    " : ",\n    ") + onOneLine(one);
    return text + "\n  ";
  }

  void run(std::int64_t i) {
    Json run{{"at", 1000 + i * 10}, {"client", client(i)}, {"run", enumName(recipe_)}};
    if (recipe_ != Recipe::unfair_election) run["path"] = "/" + dashed(enumName(recipe_));
    if (recipe_ == Recipe::semaphore) run["leases"] = std::max<std::int64_t>(1, contenders_ / 2);
    if (recipe_ == Recipe::double_barrier) run["members"] = contenders_;
    if (recipe_ == Recipe::configuration) run["parts"] = 2;
    if (recipe_ == Recipe::two_phase_commit) {
      run["members"] = contenders_ - 1;
      if (i == 0) run["coordinator"] = true;
    }
    if (recipe_ == Recipe::discovery && i == contenders_ - 1) run["reader"] = true;
    step(std::move(run));
  }
  void each(const char* what, std::int64_t from, Millis at) {
    for (std::int64_t i = from; i < contenders_; ++i)
      step({{"at", at + i * 100}, {"client", client(i)}, {"do", what}});
  }
  Json program(const char* field, Json value) const {
    return {{"client", {{"program", {{field, std::move(value)}}}}}};
  }
  void finally(std::int64_t who, const char* field, Json value) {
    expect({{"finally", true}, {"server", who}, {"state", program(field, std::move(value))}});
  }
  void count(Json event, std::int64_t times) { expect({{"event", std::move(event)}, {"count", times}}); }
  void holds(const char* invariant) { expect({{"invariant", {{"name", invariant}, {"verdict", "held"}}}}); }

  /// What the clients are instructed to do, and what is promised then.
  void act() {
    if (recipes::isElection(recipe_)) {
      expect({{"at", 4900}, {"server", client(0)}, {"state", program("holds", true)}});
      step({{"at", 5000}, {"client", client(0)}, {"do", "leave"}});
      if (recipes::hasLine(recipe_)) finally(client(1), "holds", true);
      return holds("one-holder");
    }
    if (recipes::hasLine(recipe_)) {
      each("acquire", 0, first_act_ms);
      each("release", 0, first_act_ms + 5000);
      count({{"kind", "belief"}, {"holds", true}}, contenders_);
      return holds("one-holder");
    }
    switch (recipe_) {
      case Recipe::double_barrier:
        each("enter", 0, first_act_ms);
        each("leave", 0, first_act_ms + 5000);
        count({{"kind", "barrier_passed"}, {"inside", true}}, contenders_);
        count({{"kind", "barrier_passed"}, {"inside", false}}, contenders_);
        return holds("barrier-whole");
      case Recipe::barrier:
        step({{"at", 1500}, {"client", client(0)}, {"create", "/barrier"}});
        each("enter", 0, first_act_ms);
        count({{"kind", "barrier_passed"}}, contenders_);
        step({{"at", 10000}, {"client", client(0)}, {"delete", "/barrier"}});
        return holds("barrier-open");
      case Recipe::queue:
      case Recipe::protected_queue:
        each("put", 0, first_act_ms);
        each("take", 0, first_act_ms + 3000);
        count({{"kind", "item_taken"}}, contenders_);
        return holds("taken-once");
      case Recipe::two_phase_commit:
        each("commit", 1, first_act_ms);
        count({{"kind", "transaction_decided"}, {"commit", true}}, contenders_);
        return holds("transaction-votes");
      case Recipe::configuration:
        step({{"at", 5000}, {"client", client(0)}, {"do", "push"}, {"data", "papp.status=running"}});
        finally(last(), "runs", true);
        return holds("config-whole");
      case Recipe::membership:
        step({{"at", 5000}, {"client", client(0)}, {"do", "leave"}});
        count({{"kind", "members_seen"}, {"node", last()}}, 2);
        return holds("group-view");
      case Recipe::discovery:
        step({{"at", 5000}, {"client", last()}, {"do", "use"}});
        count({{"kind", "provider_chosen"}}, 1);
        return holds("group-view");
      case Recipe::naming:
        each("name", 0, first_act_ms);
        count({{"kind", "name_given"}}, contenders_);
        return holds("name-once");
      default: return actAll();
    }
  }
  /// What the recipe obeys, one after the other.
  void actAll() {
    Millis at = first_act_ms;
    for (const recipes::Act one : recipes::actsOf(recipe_)) {
      each(std::string(enumName(one)).c_str(), 0, at);
      at += 3000;
    }
    count({{"kind", "recipe_began"}}, contenders_);
  }

  Recipe recipe_;
  std::int64_t contenders_;
  std::vector<Json> steps_;
  std::vector<Json> expects_;
};

}  // namespace

std::vector<std::string> recipeNames() {
  std::vector<std::string> names{"fair-election"};
  for (const auto& [name, recipe] : enumerators_of<Recipe>) {
    if (recipe != Recipe::resource) names.push_back(dashed(name));
  }
  return names;
}

std::string newRecipe(const std::string& name, std::int64_t contenders) {
  return Draft(recipeOf(name).value(), contenders).text();
}

}  // namespace zablab::zookeeper
