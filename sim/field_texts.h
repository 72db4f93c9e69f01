// What patterns may name, in one line each, for lists that people read: kinds of events, messages, records,
// the fields of a server's state. Each text says what there is, as in `vote: {leader, zxid}; counted:
// [number]`: of a struct the names of its fields, of a list what its elements are, of a map what its keys and
// values are.
#pragma once

#include "sim/patterns.h"
#include "sim/rule_words.h"

namespace zablab {

/// Of what nodes tell; then the kinds that all protocols have.
NamesAndTexts eventTexts(const PatternTypes& types);
NamesAndTexts messageTexts(const PatternTypes& types);
NamesAndTexts recordTexts(const PatternTypes& types);
/// `up`, `disk`, and a node's fields.
NamesAndTexts stateTexts(const PatternTypes& types);

}  // namespace zablab
