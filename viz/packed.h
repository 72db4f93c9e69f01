// A trace as JSON in which every value is written once. The lines of a long run hardly differ: its text is
// many times shorter, and so is what a page has to read and to keep.
#pragma once

#include <string>

#include "sim/trace.h"

namespace zablab::viz {

/// `{"shapes": [[key, ...], ...], "values": [...], "root": number}`. In `values` a list is an object,
/// `[shape, member, ...]`, or if its first number is -1 an array, `[-1, element, ...]`; anything else is
/// itself. A member or an element is the number of an earlier value, or a negative number for an integer from
/// 0 on: -1 is 0, -2 is 1. The root is the object of docs/traces.md.
std::string packed(const Trace& trace);

}  // namespace zablab::viz
