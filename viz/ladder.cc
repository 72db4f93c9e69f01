#include "viz/ladder.h"

#include <stdexcept>

#include "viz/furniture.h"
#include "viz/language.h"
#include "viz/place.h"

namespace zablab::viz {

const char* signOf(Mark mark) {
  switch (mark) {
    case Mark::proposed: return "□";
    case Mark::durable: return "■";
    case Mark::committed: return "✓";
    case Mark::gone: return "✗";
    default: return "";
  }
}

Ladder layOut(const Trace& english, const LadderOptions& options) {
  const bool translates = options.book->language() != Language::en;
  const Trace translated = translates ? inLanguage(english, *options.book) : Trace();
  const Trace& trace = translates ? translated : english;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].index != i) throw std::invalid_argument("a trace's events must be numbered from 0");
  }
  Ladder ladder;
  ladder.theme = options.theme;
  ladder.mode = options.rows;
  ladder.detail = options.detail;
  ladder.view = options.view;
  const Story story = tell(trace, options);
  const RowPlan plan = planRows(story, options.rows, options.page_rows);
  if (plan.next_step) ladder.next_event = trace.events[story.steps[*plan.next_step].events.front()].index;
  const auto top = [&] { return placeTop(trace, story, plan, options, ladder); };
  place(trace, story, plan, options, top, ladder);
  placeBelow(trace, story, plan, options, ladder);
  return ladder;
}

}  // namespace zablab::viz
