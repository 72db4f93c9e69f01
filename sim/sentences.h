// Sentences about described structs: a pattern with the names of fields, filled from the fields' JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sim/binding.h"
#include "sim/json.h"
#include "sim/phrase.h"

namespace zablab {

/// `pattern` with, for each name in braces, the field of `fields`:
///
///     {term}         its value: a text without quotes, a list with commas
///     {last.index}   a field of a field
///     {@leader}      the servers or clients with this id, or these ids, by their names; none: "nobody"
///     {self}         the name of `self`
///
/// What is no field remains as it is written. The pattern itself is the key of its translations.
Phrase filled(std::string_view pattern, const Names& names, ServerId self, const Json& fields);

/// "name a 1, b 2": what is said about fields for which there is no pattern.
std::string listed(std::string_view name, const Json& fields);

/// A picture, as traces have it (docs/traces.md), of these cells.
Json cellsPicture(const Phrase& caption, Json cells);

/// The picture of a quorum: the servers that are counted.
Json quorumPicture(const Names& names, std::span<const ServerId> servers, const Phrase& caption);

/// One cell of the picture of a log.
struct LogCell {
  std::string text;
  std::string mark;  ///< "proposed", "durable" or "committed"
};
/// The last of so many entries, as traces have the picture of a log (docs/traces.md); null: there are none.
Json lastCells(const Phrase& caption, std::size_t size, const std::function<LogCell(std::size_t)>& cell);

}  // namespace zablab
