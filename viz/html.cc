#include "viz/html.h"

#include <string_view>

#include "viz/deflate.h"
#include "viz/explorer_page.h"
#include "viz/lettering.h"
#include "viz/packed.h"

namespace zablab::viz {
namespace {

/// A trace of more events is packed: browsers take many seconds to read a page of a hundred megabytes.
constexpr std::size_t plain_events_most = 4000;

/// Inside a script element. In JSON `<` occurs only within strings, where its escape means the same.
void addTrace(std::string& out, const Trace& trace) {
  if (trace.events.size() > plain_events_most) {
    out += R"({"packed":")" + base64(deflated(packed(trace))) + "\"}";
    return;
  }
  const std::string json = traceText(trace);
  std::size_t from = 0;
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', from)) {
    out.append(json, from, at - from);
    out += "\\u003c";
    from = at + 1;
  }
  out.append(json, from);
}

std::string titleOf(const Trace& trace) {
  const auto title = trace.header.find("title");
  return title != trace.header.end() && title->is_string() ? title->get<std::string>() : "";
}

std::string page(const Trace& trace, const Trace* other, const LadderOptions& options) {
  std::string out;
  std::string_view rest = explorer_page;
  const auto addUntil = [&](std::string_view mark) {
    const std::size_t at = rest.find(mark);
    out += rest.substr(0, at);
    rest.remove_prefix(at + mark.size());
  };
  addUntil("@theme@");
  out += options.theme == Theme::dark ? "dark" : "auto";
  addUntil("@title@");
  out += htmlText(clean(titleOf(trace)));
  addUntil("@trace@");
  addTrace(out, trace);
  addUntil("@other@");
  if (other != nullptr) addTrace(out, *other);
  out += rest;
  return out;
}

}  // namespace

std::string toHtml(const Trace& trace, const LadderOptions& options) { return page(trace, nullptr, options); }

std::string toHtml(const Trace& trace, const Trace& other, const LadderOptions& options) {
  return page(trace, &other, options);
}

}  // namespace zablab::viz
