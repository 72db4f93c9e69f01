// Reads DOT text back, independently of what writes it.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace zablab::viz {

struct Element {
  std::string from, to;  ///< names; a node has no `to`
  std::map<std::string, std::string> attributes;

  std::string id() const { return get("id"); }
  std::string get(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
  bool has(const std::string& word) const {
    std::istringstream words(get("class"));
    std::string one;
    while (words >> one) {
      if (one == word) return true;
    }
    return false;
  }
  double x() const { return std::atof(get("pos").c_str()); }
  double y() const { return -std::atof(get("pos").substr(get("pos").find(',') + 1).c_str()); }  // downwards
};

/// Reads the same as Graphviz: statements of quoted names with attributes in brackets.
class DotReader {
 public:
  explicit DotReader(const std::string& text) : text_(text) {
    at_ = text.find('{') + 1;
    while (skip() && text_[at_] != '}') statement();
    std::size_t rest = at_ + 1;
    while (rest < text.size() && text[rest] == '\n') ++rest;
    need(rest == text.size());
  }

  std::map<std::string, Element> nodes;
  std::vector<Element> edges;

 private:
  static void need(bool holds) {
    if (!holds) FAIL("this is not the DOT text that toDot writes");
  }

  bool skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == ';')) ++at_;
    need(at_ < text_.size());
    return true;
  }

  void statement() {
    Element element;
    const bool is_default = text_[at_] != '"';
    element.from = word();
    skip();
    if (text_.compare(at_, 2, "->") == 0) {
      at_ += 2;
      skip();
      element.to = word();
      skip();
    }
    need(text_[at_] == '[');
    ++at_;
    while (skip() && text_[at_] != ']') {
      const std::string key = word();
      need(text_[at_] == '=');
      ++at_;
      need(element.attributes.emplace(key, word()).second);
      skip();
      if (text_[at_] == ',') ++at_;
    }
    ++at_;
    need(text_[at_] == ';');
    if (is_default) return;
    if (element.to.empty())
      need(nodes.emplace(element.from, element).second);
    else
      edges.push_back(element);
  }

  std::string word() {
    std::string result;
    if (text_[at_] == '"') {
      for (++at_; text_[at_] != '"'; ++at_) {
        need(text_[at_] != '\n');
        if (text_[at_] == '\\' && text_[at_ + 1] == '"')
          ++at_;
        else if (text_[at_] == '\\')
          result += text_[at_++];
        result += text_[at_];
      }
      ++at_;
    } else if (text_[at_] == '<') {
      int depth = 0;
      do {
        depth += text_[at_] == '<' ? 1 : text_[at_] == '>' ? -1 : 0;
        need(text_[at_] != '\n');
        result += text_[at_++];
      } while (depth > 0);
    } else {
      while (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.' ||
             text_[at_] == '-' || text_[at_] == '_') {
        result += text_[at_++];
      }
      need(!result.empty());
    }
    return result;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

/// The text that Graphviz shows for a label or a tooltip that is not HTML.
inline std::string shownText(const std::string& escaped) {
  std::string result;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '\\' && i + 1 < escaped.size()) {
      ++i;
      if (escaped[i] == '\\')
        result += '\\';
      else
        CHECK((escaped[i] == 'l' || escaped[i] == 'r'));
    } else if (escaped.compare(i, 5, "&amp;") == 0) {
      result += '&';
      i += 4;
    } else {
      if (escaped[i] == '&') FAIL_CHECK("an entity: " << escaped);
      result += escaped[i];
    }
  }
  return result;
}

}  // namespace zablab::viz
