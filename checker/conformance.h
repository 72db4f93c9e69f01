// What real servers did, compared with what a family's nodes do.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"
#include "sim/scenario.h"

namespace zablab {

enum class Agreement : std::uint8_t { agrees, differs, undecidable };
BOOST_DESCRIBE_ENUM(Agreement, agrees, differs, undecidable)

/// The result for one record of a recording.
struct ConformLine {
  Agreement agreement = Agreement::agrees;
  std::string what;  ///< which record it is, for people
  std::string why;
  Json fields;
};

/// Judges recordings of one kind, and sums up the results.
class Conformance {
 public:
  virtual ~Conformance() = default;
  /// One line for each record of a file, in order. Throws InputError.
  virtual std::vector<ConformLine> judge(const JsonValue& document) = 0;
  virtual std::string_view records() const = 0;  ///< the name of the records: "calls"
  virtual Json summary() const = 0;
  virtual std::string words() const = 0;
};

/// A kind of recordings that a family can be compared with.
struct RecordingKind {
  std::string name;
  /// `rules`: a scenario with the variant, rules and mutations that the nodes obey.
  std::function<std::unique_ptr<Conformance>(const Scenario& rules)> begin;
};

}  // namespace zablab
