// Mutations of JSON documents that stay JSON, for libFuzzer: bytes alone rarely get past the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/json.h"

namespace zablab::fuzz {

/// The names that JSON Schemas know: keys, and values of enumerations and constants.
std::vector<std::string> wordsOf(std::initializer_list<Json> schemas);

/// The function for LLVMFuzzerCustomMutator: changes `data`, which has `size` bytes and room for `size_max`,
/// in place; returns the new size. Data that is not JSON is changed as bytes.
std::size_t mutateJson(std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed,
                       const std::vector<std::string>& words);

/// The function for LLVMFuzzerCustomCrossOver: one document with a part of another one.
std::size_t crossJson(const std::uint8_t* data1, std::size_t size1, const std::uint8_t* data2,
                      std::size_t size2, std::uint8_t* out, std::size_t out_max, unsigned seed);

}  // namespace zablab::fuzz
