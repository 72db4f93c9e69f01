#include "tests/viz_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/viz_dot_reader.h"
#include "viz/dot.h"

namespace zablab::viz {
namespace {

bool near(double a, double b) { return a - b < 0.11 && b - a < 0.11; }

/// Compares a whole picture with its trace.
class PictureCheck {
 public:
  PictureCheck(const Trace& trace, const LadderOptions& options)
      : trace_(trace),
        options_(options),
        ladder_(layOut(trace, options)),
        text_(toDot(ladder_)),
        dot_(text_) {
    for (const Json& node : trace.header["nodes"]) {
      const std::string id = "head-" + std::to_string(lane_x_.size());
      REQUIRE(dot_.nodes.contains(id));
      lane_x_[node["id"].get<std::int64_t>()] = dot_.nodes.at(id).x();
    }
    collect();
  }

  void run() {
    collectTurns();
    checkMessages();
    checkLifelines();
    checkBoxes();
    checkNothingElse();
  }

 private:
  struct Expected {
    std::int64_t from = 0, to = 0;
    std::optional<std::uint64_t> sent, left, end;
    bool lost = false, waiting = false;
  };

  /// The lifelines that result from the roles and phases of the trace.
  struct Turn {
    std::string tone, label;
  };

  void collectTurns() {
    struct Standing {
      std::string role, phase;  // the phase: if it has a tone
    };
    std::map<std::int64_t, Standing> present;
    const Json &roles = trace_.header["roles"], &phases = trace_.header["phases"];
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == "started" || event.kind == "stopped") present.erase(*event.node);
      if (event.kind != "role" && event.kind != "phase") continue;
      Standing& now = present[*event.node];
      const Standing before = now;
      now.role = event.data[event.kind == "role" ? "to" : "role"].get<std::string>();
      now.phase = event.data.value("phase", "");
      if (!phases.contains(now.phase)) now.phase = "";
      const bool role_too = event.kind == "role" || now.role != before.role;
      if (!role_too && now.phase == before.phase) continue;
      Turn& turn = turns_[event.index];
      turn.tone = now.phase.empty() ? roles.value(now.role, "other") : phases[now.phase].get<std::string>();
      turn.label = now.phase.empty() ? now.role : role_too ? now.role + "\\n" + now.phase : now.phase;
    }
  }

  bool isClient(std::int64_t id) const {
    const Json& nodes = trace_.header["nodes"];
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const Json& node) { return node["id"] == id && node["kind"] == "client"; });
  }

  void collect() {
    for (const TraceEvent& event : trace_.events) {
      if (!event.data.contains("message")) continue;
      Expected& message = messages_[event.data["message"].get<int>()];
      if (event.kind == "sent") {
        message.from = *event.node;
        message.to = event.data["receiver"].get<std::int64_t>();
        message.sent = event.index;
        message.waiting = event.data.value("waiting", false);
        if (!message.waiting) message.left = event.index;
      }
      if (event.kind == "transmitted") message.left = event.index;
      if (event.kind == "delivered" || event.kind == "lost") message.end = event.index;
      if (event.kind == "lost") message.lost = true;
    }
    for (const Element& edge : dot_.edges) {
      if (edge.has("message")) edges_[edge.id()].push_back(&edge);
    }
  }

  const Element& node(const std::string& name) const {
    REQUIRE_MESSAGE(dot_.nodes.contains(name), name);
    return dot_.nodes.at(name);
  }

  bool folded(int number) const { return folded_.contains(number); }

  void checkMessages() {
    int drawn = 0, folded = 0;
    for (const auto& [number, message] : messages_) {
      const std::string id = 'm' + std::to_string(number);
      CAPTURE(id);
      if (message.from == message.to && !options_.self_messages) {
        CHECK(!edges_.contains(id));
        continue;
      }
      if (!edges_.contains(id)) {
        const TraceEvent& sent = trace_.events[*message.sent];
        CHECK(options_.fold_heartbeats);
        CHECK(sent.data["type"] == "PING");
        folded_.insert(number);
        ++folded;
        continue;
      }
      ++drawn;
      REQUIRE(edges_.at(id).size() == 1);
      checkMessage(*edges_.at(id).front(), number, message);
    }
    CHECK(edges_.size() == static_cast<std::size_t>(drawn));
    const bool told =
        std::any_of(ladder_.subtitle.begin(), ladder_.subtitle.end(),
                    [](const std::string& line) { return line.find("folded") != std::string::npos; });
    CHECK(told == (folded > 0));
  }

  void checkMessage(const Element& edge, int number, const Expected& message) const {
    const Element &tail = node(edge.from), &head = node(edge.to);
    const double from_x = lane_x_.at(message.from), to_x = lane_x_.at(message.to);
    CHECK(tail.y() < head.y());
    CHECK(edge.has("lost") == message.lost);
    CHECK(edge.has("unsent") == !message.left.has_value());
    CHECK(edge.has("under-way") == !message.end.has_value());
    CHECK(dot_.nodes.contains("loss-" + std::to_string(number)) == message.lost);
    if (message.left) CHECK(near(tail.x(), from_x));
    if (message.end && !message.lost) CHECK(near(head.x(), to_x));
    if (message.lost && message.left && message.from != message.to) {
      CHECK(edge.to == "loss-" + std::to_string(number));
      CHECK(head.x() > std::min(from_x, to_x));
      CHECK(head.x() < std::max(from_x, to_x));
    }
    if (!message.left) CHECK(std::abs(tail.x() - from_x) < 45);
    const bool waited = message.waiting && message.left;
    const auto waits = [&](const Element& other) { return other.id() == "wait-" + std::to_string(number); };
    CHECK(std::count_if(dot_.edges.begin(), dot_.edges.end(), waits) == (waited ? 1 : 0));
    const std::string shown = shownText(edge.get("tooltip"));
    CHECK(shown.find("message " + std::to_string(number) + ":") == 0);
  }

  /// Checks that stretches of lifelines follow each other and have the right tones.
  void checkLifelines() {
    std::map<std::int64_t, std::vector<const Element*>> bands;
    for (const auto& [name, element] : dot_.nodes) {
      if (!element.has("band")) continue;
      for (const auto& [id, x] : lane_x_) {
        if (near(element.x(), x)) bands[id].push_back(&element);
      }
    }
    for (auto& [node_id, list] : bands) {
      const std::int64_t id = node_id;
      std::sort(list.begin(), list.end(), [](const Element* a, const Element* b) { return a->y() < b->y(); });
      std::vector<std::string> found, expected;
      const std::size_t lane = static_cast<std::size_t>(std::distance(lane_x_.begin(), lane_x_.find(id)));
      expected.push_back(isClient(id) ? "client life-" + std::to_string(lane) : "absent");
      for (const Element* band : list) found.push_back(stretch(*band));
      for (const TraceEvent& event : trace_.events) {
        if (event.node == id) expect(event, expected);
      }
      CAPTURE(id);
      CHECK(found == expected);
      for (std::size_t i = 0; i + 1 < list.size(); ++i) {
        const double below = list[i]->y() + std::atof(list[i]->get("height").c_str()) * 36;
        const double above = list[i + 1]->y() - std::atof(list[i + 1]->get("height").c_str()) * 36;
        CHECK(below - above < 0.2);
        CHECK(above - below < 0.2);
      }
    }
    CHECK(bands.size() == lane_x_.size());
  }

  static std::string stretch(const Element& band) {
    std::istringstream words(band.get("class"));
    std::string word, tone;
    words >> word >> tone;
    return tone + (band.has("paused") ? " paused" : "") + (tone == "absent" ? "" : " " + band.id());
  }

  void expect(const TraceEvent& event, std::vector<std::string>& stretches) const {
    const std::string index = std::to_string(event.index);
    const auto tone = [&] {
      const std::string& last = stretches.back();
      return last.substr(0, last.find(' '));
    };
    const char* up = isClient(*event.node) ? "client" : "unknown";
    if (event.kind == "started") stretches.push_back(std::string(up) + " up-" + index);
    if (event.kind == "stopped") stretches.push_back("down down-" + index);
    if (event.kind == "paused") stretches.push_back(tone() + " paused pause-" + index);
    if (event.kind == "resumed") stretches.push_back(tone() + " resume-" + index);
    if (!turns_.contains(event.index)) return;
    // A role right after a first start takes the place of the bare start.
    const TraceEvent& before = trace_.events[event.index - 1];
    const bool at_start =
        before.kind == "started" && before.node == event.node && before.data["how"] != "restart";
    if (at_start) stretches.pop_back();
    stretches.push_back(turns_.at(event.index).tone + " role-" + index);
  }

  void checkBoxes() const {
    static const std::map<std::string, std::string> signs = {
        {"proposed", "□"}, {"durable", "■"}, {"committed", "✓"}, {"gone", "✗"}};
    std::size_t expected = 0;
    for (const TraceEvent& event : trace_.events) {
      if (!event.data.contains("picture")) continue;
      ++expected;
      const std::string id = "box-" + std::to_string(event.index);
      const Element& box = node(id);
      const Json& picture = event.data["picture"];
      CHECK(box.has("quorum") == picture.value("quorum", false));
      for (std::size_t i = 0; i < picture["cells"].size(); ++i) {
        const std::string mark = picture["cells"][i]["mark"].get<std::string>();
        const std::string words = picture["cells"][i]["text"].get<std::string>();
        const Element& drawn = node(id + '-' + std::to_string(i));
        CHECK(drawn.has(words == "…" ? "omitted" : mark));
        CHECK(shownText(drawn.get("label")) == words + (signs.contains(mark) ? signs.at(mark) : ""));
      }
      CHECK(!dot_.nodes.contains(id + '-' + std::to_string(picture["cells"].size())));
      for (const auto& [lane, x] : lane_x_) {
        if (lane != *event.node) CHECK(std::abs(box.x() - lane_x_.at(*event.node)) < std::abs(box.x() - x));
      }
      if (!picture.contains("caption")) continue;
      CHECK(shownText(node(id + "-caption").get("label")) == picture["caption"].get<std::string>());
    }
    CHECK(count("box") == expected);
  }

  std::size_t count(const std::string& word) const {
    return static_cast<std::size_t>(std::count_if(dot_.nodes.begin(), dot_.nodes.end(),
                                                  [&](const auto& entry) { return entry.second.has(word); }));
  }

  void checkNothingElse() const {
    std::size_t losses = 0, crashes = 0, restarts = 0;
    for (const auto& [number, message] : messages_) {
      const bool self = message.from == message.to && !options_.self_messages;
      if (message.lost && !self && !folded(number)) ++losses;
    }
    for (const TraceEvent& event : trace_.events) {
      const std::string how = event.data.contains("how") ? event.data["how"].get<std::string>() : "";
      if (event.kind == "stopped" && (how == "kill" || how == "power_loss")) {
        ++crashes;
        const Element& crash = node("crash-" + std::to_string(event.index));
        CHECK(crash.has(how == "kill" ? "kill" : "power-loss"));
        CHECK(near(crash.x(), lane_x_.at(*event.node)));
      }
      if (how == "restart") {
        ++restarts;
        CHECK(near(node("restart-" + std::to_string(event.index)).x(), lane_x_.at(*event.node)));
      }
      const auto turn = turns_.find(event.index);
      if (turn == turns_.end()) continue;
      const Element& tag = node("tag-" + std::to_string(event.index));
      CHECK(tag.get("label") == turn->second.label);
      CHECK(tag.has(turn->second.tone));
    }
    CHECK(count("loss") == losses);
    CHECK(count("crash") == crashes);
    CHECK(count("restart") == restarts);
    CHECK(count("role") == turns_.size());
    std::set<std::string> ids;
    for (const auto& entry : dot_.nodes) {
      CHECK_MESSAGE(ids.insert(entry.second.id()).second, entry.second.id());
    }
    for (const Element& edge : dot_.edges) {
      CHECK(dot_.nodes.contains(edge.from));
      CHECK(dot_.nodes.contains(edge.to));
      CHECK_MESSAGE(ids.insert(edge.id()).second, edge.id());
    }
  }

  const Trace& trace_;
  const LadderOptions& options_;
  Ladder ladder_;
  std::string text_;
  DotReader dot_;
  std::map<std::int64_t, double> lane_x_;
  std::map<std::uint64_t, Turn> turns_;  ///< by event
  std::map<int, Expected> messages_;
  std::map<std::string, std::vector<const Element*>> edges_;
  std::set<int> folded_;
};

}  // namespace

void checkPicture(const Trace& trace, const LadderOptions& options) { PictureCheck(trace, options).run(); }

void checkLayout(const Ladder& ladder) {
  std::vector<std::pair<std::string, Rect>> things;
  const auto add = [&](const std::string& name, const Rect& place) { things.emplace_back(name, place); };
  std::vector<Rect> labels;
  for (const Arrow& arrow : ladder.arrows) {
    const std::string number = std::to_string(arrow.message);
    CHECK(arrow.start.y < arrow.end.y);
    if (arrow.label_place) {
      add("label " + number, *arrow.label_place);
      labels.push_back(*arrow.label_place);
    }
    if (arrow.caption_place) add("cause " + number, *arrow.caption_place);
    const Tenths half = arrow.left ? 40 : 30;
    if (arrow.fate == Arrow::Fate::lost) {
      add("loss " + number, {arrow.end.x - half, arrow.end.y - half, arrow.end.x + half, arrow.end.y + half});
    }
  }
  for (const Box& box : ladder.boxes) add("box " + std::to_string(box.event), box.place);
  for (const Tag& tag : ladder.tags) {
    if (!tag.text.empty()) add("tag " + std::to_string(tag.event), tag.place);
  }
  for (const Shade& shade : ladder.shades) {
    if (shade.text_place) add(shade.id, *shade.text_place);
  }
  for (const Divider& divider : ladder.dividers) {
    if (divider.place && !divider.text.empty())
      add("divider " + std::to_string(divider.event), *divider.place);
  }
  for (const Heads& heads : ladder.heads) {
    for (const Rect& head : heads.places) add("head " + std::to_string(heads.row), head);
  }
  for (std::size_t i = 0; i < things.size(); ++i) {
    for (std::size_t j = i + 1; j < things.size(); ++j) {
      if (!things[i].second.overlaps(things[j].second)) continue;
      FAIL_CHECK(things[i].first << " on " << things[j].first);
    }
  }
  for (const auto& thing : things) {
    const Rect& place = thing.second;
    CHECK_MESSAGE((place.left >= 0 && place.right <= ladder.width && place.bottom <= ladder.height),
                  thing.first);
  }
  for (const Band& band : ladder.bands) {
    CHECK_MESSAGE((band.top >= ladder.rows_top && band.bottom <= ladder.rows_bottom), band.id);
  }
  for (const Rect& label : labels) {
    CHECK(std::none_of(ladder.lanes.begin(), ladder.lanes.end(), [&](const Lane& lane) {
      return label.overlaps({lane.x - 70, label.top, lane.x + 70, label.bottom});
    }));
  }
  for (std::size_t i = 0; i + 1 < ladder.narration.size(); ++i) {
    CHECK(ladder.narration[i].place.bottom <= ladder.narration[i + 1].place.top);
    if (ladder.narration[i].note == 0) CHECK(ladder.narration[i].place.right <= ladder.lanes_left);
  }
  for (std::size_t i = 0; i + 1 < ladder.rows.size(); ++i)
    CHECK(ladder.rows[i].y + 240 <= ladder.rows[i + 1].y);
}

}  // namespace zablab::viz
