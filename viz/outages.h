// How long nobody led in a run, and of what that time consisted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/trace.h"
#include "viz/phrases.h"
#include "viz/story.h"

namespace zablab::viz {

/// The time from when a leader was lost, or from the beginning of the run, until a server led.
///
/// Its parts are found by going back from its end: from each event to the one that led to it, as long as the
/// time is not before the beginning. So they are what had to happen one after the other, without a gap.
struct Outage {
  struct Part {
    enum class Kind {
      timer,       ///< a node waits
      messages,    ///< one is on its way
      disk,        ///< something becomes durable
      connecting,  ///< a node dials another one
      closed,      ///< the end of a connection is noticed
      scenario,    ///< nothing leads on, until a step of the scenario or a fault does
    };
    Kind kind{};
    std::int64_t begin = 0, end = 0;  ///< ms
    std::size_t event = 0;            ///< the position of the event at its end
    std::int64_t whole_ms = 0;        ///< of a timer: since it was set, which may be before the outage
    bool operator==(const Part&) const = default;
  };
  std::optional<std::size_t> lost_by;  ///< the position of the event; empty: nobody has led before
  std::size_t led_by = 0;              ///< the position of the event by which a server leads
  std::int64_t begin = 0, end = 0;     ///< ms
  std::vector<Part> parts;             ///< in order; each begins where the one before it ends
  bool operator==(const Outage&) const = default;
};

/// Those that have an end, by their ends. `story` is that of the whole trace.
std::vector<Outage> outagesOf(const Trace& trace, const Story& story);

/// What decides how long a timer runs: the fields of the configuration with their values, by the header's
/// `timers`, as in "sync_limit 5 × tick_ms 2000". Empty if the header does not say it, or if the timer ran
/// for another time.
std::string settingOf(const Trace& trace, const Outage::Part& part);

/// Whether words name the node that waits.
enum class Parts { of_one_server, of_all_servers };
/// What a part is spent on, as in "2 waits: finalize_wait, finalize_wait_ms 200".
std::string wordsOf(const Trace& trace, const Story& story, const Outage::Part& part, Parts parts,
                    const PhraseBook& book = englishPhrases());

/// For pages: `[{"begin", "end", "lost_by", "led_by", "parts": [...]}]`, with the positions of events, and
/// without `lost_by` if nobody has led before. A part is `{"kind", "ms", "times", "event", "setting",
/// "earlier_ms"}`: those that words name the same are one, and `event` is at the end of its first. The last
/// may be the rest, of the kind `other` and without an event.
Json outagesJson(const Trace& trace);

/// Each of them: from when to when, and its parts in the order in which they begin, those of the same kind
/// together.
std::string outagesText(const Trace& trace, const PhraseBook& book = englishPhrases());
/// The same with a line for each, without spaces at its beginning.
std::vector<std::string> outageLines(const Trace& trace, const PhraseBook& book = englishPhrases());

}  // namespace zablab::viz
