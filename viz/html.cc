#include "viz/html.h"

#include <string_view>

#include "viz/deflate.h"
#include "viz/explorer_page.h"
#include "viz/lettering.h"
#include "viz/outages.h"
#include "viz/packed.h"

namespace zablab::viz {
namespace {

/// A trace of more events is packed: browsers take many seconds to read a page of a hundred megabytes. Beside
/// an engine every trace is, since such a page is to be sent to others.
constexpr std::size_t plain_events_most = 4000;

/// Inside a script element. In JSON `<` occurs only within strings, where its escape means the same.
void addJson(std::string& out, std::string_view json) {
  std::size_t from = 0;
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', from)) {
    out.append(json, from, at - from);
    out += "\\u003c";
    from = at + 1;
  }
  out.append(json, from);
}

void addTrace(std::string& out, const Trace& trace, bool small) {
  if (small || trace.events.size() > plain_events_most)
    out += R"({"packed":")" + base64(deflated(packed(trace))) + "\"}";
  else
    addJson(out, traceText(trace));
}

std::string titleOf(const Trace& trace) {
  const auto title = trace.header.find("title");
  return title != trace.header.end() && title->is_string() ? title->get<std::string>() : "";
}

/// What the page's policy permits besides its own script: to compile the engine, and to run it in a worker.
constexpr std::string_view live_policy = " 'wasm-unsafe-eval'; worker-src blob:";

std::string page(const Trace& trace, const Trace* other, const LadderOptions& options,
                 std::string_view engine) {
  std::string out;
  std::string_view rest = explorer_page;
  const auto addUntil = [&](std::string_view mark) {
    const std::size_t at = rest.find(mark);
    out += rest.substr(0, at);
    rest.remove_prefix(at + mark.size());
  };
  addUntil("@theme@");
  out += options.theme == Theme::dark ? "dark" : "auto";
  addUntil("@live-policy@");
  if (!engine.empty()) out += live_policy;
  addUntil("@title@");
  out += htmlText(clean(titleOf(trace)));
  addUntil("@trace@");
  addTrace(out, trace, !engine.empty());
  addUntil("@other@");
  if (other != nullptr) addTrace(out, *other, !engine.empty());
  addUntil("@outages@");
  Json outages = Json::array({outagesJson(trace)});
  if (other != nullptr) outages.push_back(outagesJson(*other));
  addJson(out, outages.dump());
  addUntil("@engine@");
  if (!engine.empty()) out += base64(deflated(engine));
  out += rest;
  return out;
}

}  // namespace

std::string toHtml(const Trace& trace, const LadderOptions& options, std::string_view engine) {
  return page(trace, nullptr, options, engine);
}

std::string toHtml(const Trace& trace, const Trace& other, const LadderOptions& options,
                   std::string_view engine) {
  return page(trace, &other, options, engine);
}

}  // namespace zablab::viz
