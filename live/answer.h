// What a page with the engine inside asks, and what it is answered: texts of JSON, so that a page needs
// nothing of the program but this one function. viz/explorer/engine.js asks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace zablab::live {

/// A request is an object: `ask` says what, and the other keys are its own. `scenario` and `model` are texts
/// of files.
///
///     {"ask": "run", "scenario": "...", "why": true}
///         {"warnings": [...], "problems": [...], "trace": {...}}: the trace in the bytes that `zablab run
///         --trace` writes. With `why` it also has what violations needed (checker/why.h), as in pages, and
///         the answer has `outages`, the times without a leader (viz/outages.h)
///     {"ask": "possible", "scenario": "...", "time": 30}
///         {"actions": [...]}: in a run by actions, what could be its next one at this time
///     {"ask": "lists", "protocol": "zab"}
///         {"variants": [{"name", "text"}], "rules": [...], "mutations": [...]}
///     {"ask": "seeds", "scenario": "...", "from": 1, "count": 100}
///         {"next": 101}: none of these seeds violates anything, or
///         {"next": 8, "seed": 7, "what": "...", "text": "...", "found": {...}}: this one does, and `found`
///         is the shrunk scenario
///     {"ask": "model", "scenario": "..."}
///         {"model": {...}}: the scenario's servers and clients from their beginning, as a model with small
///         bounds
///     {"ask": "check", "model": "...", "states": 200000}
///         {"verdict": "holds", "violated": "", "distinct": 8, "depth": 3, "exhausted": true, "stopped_by":
///         ""}, and `found`, the scenario of the shortest counterexample, if there is one
///
/// What is wrong with a request, and whatever else keeps it from being done, is the answer `{"error":
/// "..."}`. `progress` is called about once a second by what takes long, with the answer as far as it is
/// known. `clock`: milliseconds; without it there is no progress.
std::string answer(const std::string& request, const std::function<void(const std::string&)>& progress = {},
                   const std::function<std::uint64_t()>& clock = {});

}  // namespace zablab::live
