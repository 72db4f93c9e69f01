// A trace in which every value is written once, and of each number only by how much it differs from the one
// before it. The lines of a long run hardly differ: compressed, it is a hundred times smaller than its text,
// and so is what a page has to read.
#pragma once

#include <string>

#include "sim/trace.h"

namespace zablab::viz {

/// A line of JSON, `{"shapes": [[key, ...], ...], "atoms": [...]}`, and after it a sequence of numbers. In
/// the sequence each value comes after those that it contains; the last is the object of docs/traces.md. A
/// value is
///
///     0                           the next of `atoms`
///     1, length, element, ...     an array
///     2 + shape, member, ...      an object with the keys of this shape
///
/// An element or member is the number of an earlier value, counted from 0, or below 0 an integer from 0 on:
/// -1 is 0, -2 is 1. What is written is its difference to the element before it, and to the same member of
/// the last object of the shape; there, what there is none of counts as 0. A difference d is written as 2d
/// or, below 0, as -2d - 1. A number has 7 bits in each byte, the lowest first; the highest bit of a byte is
/// 1 if another one follows.
std::string packed(const Trace& trace);

}  // namespace zablab::viz
