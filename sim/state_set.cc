#include "sim/state_set.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sim/family.h"
#include "sim/json_reflect.h"
#include "sim/patterns.h"

namespace zablab {

bool isLike(const Server<Any>& server, const Json& pattern) {
  Json fields = toJson(server.node);
  fields["up"] = server.up;
  return covers(fields, pattern);
}

void checkLikeness(const AnyCluster& cluster, const JsonValue& pattern) {
  if (pattern.find("disk") != nullptr)
    throw pattern.keyError("disk", "a goal is about a process, not about its disk",
                           "`files` is the disk as the process sees it");
  patternChecker(cluster).checkState(pattern);
}

StateSet::StateSet(const AnyCluster& cluster, const StatesSpec& spec, const JsonValue& place) {
  if (spec.empty()) throw place.error("no state is like this", "name at least one alternative");
  for (std::size_t i = 0; i < spec.size(); ++i) {
    if (spec[i].empty())
      throw place.elements()[i].error("every state is like this", "say what some server is like");
    std::vector<Part>& alternative = alternatives_.emplace_back();
    for (const auto& [word, like] : spec[i]) {
      Part part{word != "some", serversOf(cluster, word, place.elements()[i]), {}};
      const bool list = like.kind() == JsonValue::Kind::array;
      const std::vector<JsonValue> patterns = list ? like.elements() : std::vector<JsonValue>{like};
      if (patterns.empty()) throw like.errorAtKey("no server is like this");
      for (const JsonValue& pattern : patterns) {
        if (pattern.kind() != JsonValue::Kind::object) throw pattern.kindError("fields of a server's state");
        if (pattern.members().empty())
          throw pattern.errorAtKey("every server is like this", "name fields of a server's state");
        checkLikeness(cluster, pattern);
        part.patterns.push_back(patterns_.size());
        patterns_.push_back(pattern.plain());
      }
      alternative.push_back(std::move(part));
    }
  }
}

std::vector<int> StateSet::serversOf(const AnyCluster& cluster, const std::string& word,
                                     const JsonValue& place) const {
  if (word == "some" || word == "every") {
    std::vector<int> servers;
    for (int i = 0; i < cluster.serverCount(); ++i) {
      if (!cluster.scripted[static_cast<std::size_t>(i)]) servers.push_back(i);
    }
    return servers;
  }
  ServerId id = no_server;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  const int server = error == std::errc() && end == word.data() + word.size() ? cluster.indexOf(id) : -1;
  if (server < 0)
    throw place.keyError(word, "there is no server " + inBackticks(word),
                         "`some`, `every`, or a server's id");
  return {server};
}

}  // namespace zablab
