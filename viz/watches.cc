#include "viz/watches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "viz/dot.h"
#include "viz/palette.h"
#include "viz/story.h"

namespace zablab::viz {
namespace {

/// The value at a path as `watches.data`; null if there is none.
const Json* valueAt(const Json& state, const std::string& path) {
  const Json* value = &state;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    const auto found = value->is_object() ? value->find(path.substr(at, dot - at)) : value->end();
    if (!value->is_object() || found == value->end()) return nullptr;
    value = &*found;
    at = dot + 1;
  }
  return value;
}

std::string folderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// A DOT string of two lines.
std::string twoLines(const std::string& first, const std::string& second) {
  const std::string begin = dotString(first);
  return begin.substr(0, begin.size() - 1) + "\\n" + dotString(second).substr(1);
}

struct Watch {
  std::string path;
  std::string what;  ///< of the node, in the header's words
  bool operator<(const Watch& other) const { return std::tie(path, what) < std::tie(other.path, other.what); }
};

class WatchGraph {
 public:
  WatchGraph(const Trace& trace, const LadderOptions& options)
      : options_(options), story_(tell(trace, options)) {
    for (std::size_t position = 0; position < story_.window_end; ++position) {
      const TraceEvent& event = trace.events[position];
      if (event.node && hasChanges(event)) applyChanges(states_[*event.node], event);
    }
    bool described = false;
    for (const Json& tree : trace.header.value("trees", Json::array())) {
      if (!tree.is_object() || !tree.contains("watches")) continue;
      described = true;
      read(tree);
    }
    if (!described) throw std::invalid_argument("the trace's header does not say where its watches are");
    std::int64_t time = story_.window_end == 0 ? 0 : trace.events[story_.window_end - 1].time;
    if (options.to && options.to->unit == Bound::Unit::time_ms) time = options.to->value;
    title_ = twoLines(wordOf(trace.header, "title"), "who watches what at " + std::to_string(time) + " ms");
  }

  std::string dot() const {
    const Palette& colours = paletteOf(options_.theme);
    const std::string font = "fontname=\"Liberation Sans,Arial,Helvetica,sans-serif\"";
    const std::string ink = std::string("color=\"") + colours.outline + "\"";
    std::string text = "digraph watches {\n  graph [rankdir=RL, nodesep=0.25, ranksep=0.6, bgcolor=\"" +
                       std::string(colours.ground) + "\", label=" + title_ + ", labelloc=t, fontsize=14, " +
                       font + ", fontcolor=\"" + colours.text +
                       "\"];\n  node [shape=box, style=\"rounded,filled\", fontsize=11, " + font + ", " +
                       ink + "];\n  edge [fontsize=10, " + font + ", color=\"" + colours.text +
                       "\", fontcolor=\"" + colours.text + "\"];\n";
    const ToneColours client = toneColours(Tone::client, options_.theme);
    const ToneColours other = toneColours(Tone::other, options_.theme);
    const auto box = [&](const std::string& id, const std::string& label, const ToneColours& tone) {
      text += "  " + dotString(id) + " [label=" + label + ", fillcolor=\"" + tone.fill + "\", fontcolor=\"" +
              tone.text + "\"];\n";
    };
    for (const auto& [path, owner] : drawn()) {
      const std::string name = path.substr(path.rfind('/') + 1);
      box(path, owner ? twoLines(story_.name(*owner), name) : dotString(path), owner ? client : other);
    }
    for (const auto& [watcher, watches] : watches_) {
      const auto elsewhere = [&, client_id = watcher](const Watch& watch) {
        return !ownNode(client_id, watch.path);
      };
      if (std::any_of(watches.begin(), watches.end(), elsewhere))
        box(boxOf(watcher), dotString(story_.name(watcher)), client);
    }
    for (const auto& [watcher, watches] : watches_) {
      for (const Watch& watch : watches) {
        text += "  " + dotString(ownNode(watcher, watch.path).value_or(boxOf(watcher))) + " -> " +
                dotString(watch.path) + " [label=" + dotString(watch.what) + "];\n";
      }
    }
    return text + "}\n";
  }

 private:
  static std::string boxOf(std::int64_t client) { return "client " + std::to_string(client); }

  /// A tree's nodes with their owners, and the watches of its clients, at all servers that run.
  void read(const Json& tree) {
    std::map<std::int64_t, std::int64_t> clients;  // by what their nodes name as the owner
    for (const auto& [node, state] : states_) {
      const Json* const identity = valueAt(state, wordOf(tree, "identity"));
      if (identity != nullptr && identity->is_number_integer()) clients[identity->get<std::int64_t>()] = node;
    }
    for (const auto& [server, state] : states_) {
      if (!flagOf(state, "up")) continue;
      if (const Json* const nodes = valueAt(state, wordOf(tree, "field"));
          nodes != nullptr && nodes->is_object())
        readOwners(*nodes, wordOf(tree, "owner"), clients);
      for (const auto& [what, field] : tree.at("watches").items()) {
        const Json* const watched = field.is_string() ? valueAt(state, field.get<std::string>()) : nullptr;
        if (watched != nullptr && watched->is_object()) readWatches(*watched, what);
      }
    }
  }
  void readOwners(const Json& nodes, const std::string& field,
                  const std::map<std::int64_t, std::int64_t>& clients) {
    for (const auto& [path, node] : nodes.items()) {
      const auto owner = clients.find(numberOf(node, field.c_str()).value_or(0));
      if (owner != clients.end()) owners_[path] = owner->second;
    }
  }
  void readWatches(const Json& watched, const std::string& what) {
    for (const auto& [path, watchers] : watched.items()) {
      if (!watchers.is_object()) continue;
      for (const auto& [watcher, mode] : watchers.items()) {
        for (const auto& [node, name] : story_.names) {
          if (std::to_string(node) == watcher) watches_[node].insert({path, what});
        }
      }
    }
  }

  /// The only node that the client owns beside the watched one, or below it.
  std::optional<std::string> ownNode(std::int64_t client, const std::string& watched) const {
    std::optional<std::string> own;
    for (const auto& [path, owner] : owners_) {
      if (owner != client || (folderOf(path) != folderOf(watched) && folderOf(path) != watched)) continue;
      if (own) return std::nullopt;
      own = path;
    }
    return own;
  }
  std::map<std::string, std::optional<std::int64_t>> drawn() const {
    std::map<std::string, std::optional<std::int64_t>> paths;
    for (const auto& [path, owner] : owners_) paths[path] = owner;
    for (const auto& [watcher, watches] : watches_) {
      for (const Watch& watch : watches) paths.try_emplace(watch.path);
    }
    return paths;
  }

  const LadderOptions& options_;
  Story story_;
  std::string title_;
  std::map<std::int64_t, Json> states_;
  std::map<std::string, std::int64_t> owners_;       ///< by path
  std::map<std::int64_t, std::set<Watch>> watches_;  ///< by client
};

}  // namespace

std::string watchesDot(const Trace& trace, const LadderOptions& options) {
  return WatchGraph(trace, options).dot();
}

}  // namespace zablab::viz
