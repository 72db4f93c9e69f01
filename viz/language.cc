#include "viz/language.h"

#include <map>
#include <string>

#include "viz/story.h"

namespace zablab::viz {
namespace {

class Translator {
 public:
  explicit Translator(const PhraseBook& book) : book_(book) {}

  void translate(std::string& text, const Json& said) const {
    if (isSaid(said)) text = book_.said(said, text);
  }

  /// Every text of an object that has what it says beside it, as `label` and `label_said`.
  void translate(Json& value) {
    if (value.is_array()) {
      for (Json& element : value) translate(element);
    }
    if (!value.is_object()) return;
    for (auto& [key, field] : value.items()) {
      const auto said = value.find(key + "_said");
      if (said == value.end() || !field.is_string() || !isSaid(*said)) {
        translate(field);
        continue;
      }
      const std::string english = field.get<std::string>();
      std::string text = english;
      translate(text, *said);
      if (key == "caption") captions_[english] = text;
      field = std::move(text);
    }
  }

  /// A caption of the trace; any other text as it is.
  std::string caption(const std::string& text) const {
    const auto found = captions_.find(text);
    return found == captions_.end() ? text : found->second;
  }

 private:
  const PhraseBook& book_;
  std::map<std::string, std::string> captions_;  ///< by the English ones
};

constexpr const char* nameOf(Language language) { return language == Language::zh ? "zh" : "en"; }

}  // namespace

std::string scenarioText(const Json& scenario, const char* key, Language language) {
  if (!scenario.is_object()) return "";
  if (const auto all = scenario.find("translations"); all != scenario.end() && all->is_object()) {
    const auto own = all->find(nameOf(language));
    if (own != all->end() && own->is_object() && own->contains(key)) return wordOf(*own, key);
  }
  return wordOf(scenario, key);
}

std::string titleOf(const Trace& trace, const PhraseBook& book) {
  const std::string title = wordOf(trace.header, "title");
  const bool is_name = title == wordOf(trace.scenario, "name");
  return is_name ? scenarioText(trace.scenario, "name", book.language()) : title;
}

Trace inLanguage(Trace trace, const PhraseBook& book) {
  Translator translator(book);
  for (TraceEvent& event : trace.events) {
    translator.translate(event.text, event.said);
    translator.translate(event.data);
  }
  for (TraceVerdict& verdict : trace.verdicts) {
    translator.translate(verdict.text, verdict.said);
    verdict.about = translator.caption(verdict.about);
  }
  if (const auto state = trace.header.find("state_picture");
      state != trace.header.end() && state->is_string())
    *state = translator.caption(state->get<std::string>());
  if (trace.header.contains("answer")) trace.header["answer"] = resultOf(trace, book);
  if (trace.header.contains("title")) trace.header["title"] = titleOf(trace, book);
  if (trace.scenario.is_object() && trace.scenario.contains("about"))
    trace.scenario["about"] = scenarioText(trace.scenario, "about", book.language());
  return trace;
}

}  // namespace zablab::viz
