// The documents' statements: each claim of docs/generated/claims.md has its files. scripts/claims.py has the only list
// of claims.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.h"
#include "tests/shipped.h"

namespace zablab {
namespace {

/// A row of docs/generated/claims.md.
struct Claim {
  std::string runs;  ///< "every", "some", "every, some" or nothing
  std::set<std::string> files;
};

std::map<std::string, Claim> claimsOfThePage() {
  std::map<std::string, Claim> claims;
  std::istringstream page(loadText(ZABLAB_SOURCE_DIR "/docs/generated/claims.md"));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| 0")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      REQUIRE(end != std::string::npos);
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    REQUIRE(cells.size() == 5);
    CHECK_MESSAGE(!claims.contains(cells[0]), cells[0], " is listed twice");
    Claim& claim = claims[cells[0]];
    claim.runs = cells[3];
    constexpr std::string_view link = "](../../scenarios/";
    for (std::size_t at = cells[4].find(link); at != std::string::npos; at = cells[4].find(link, at + 1)) {
      const std::size_t from = at + link.size();
      claim.files.insert(cells[4].substr(from, cells[4].find(')', from) - from));
    }
  }
  return claims;
}

/// By claim, the files that name it and their kinds.
std::map<std::string, std::map<std::string, std::string>> claimsOfTheFiles() {
  std::map<std::string, std::map<std::string, std::string>> claims;
  const std::string scenarios = ZABLAB_SOURCE_DIR "/scenarios/";
  for (const std::string& path : shippedFiles()) {
    const JsonValue document = loadJson(path);
    const JsonValue* named = document.find("claims");
    if (named == nullptr) continue;
    for (const JsonValue& claim : named->elements())
      claims[claim.asString()][path.substr(scenarios.size())] = document.find("kind")->asString();
  }
  return claims;
}

TEST_CASE("claims.md: every claim with the files that name it, and no other") {
  const auto page = claimsOfThePage();
  CHECK(page.size() > 150);
  for (const auto& named : claimsOfTheFiles()) {
    CAPTURE(named.first);
    const auto claim = page.find(named.first);
    REQUIRE_MESSAGE(claim != page.end(), "scripts/claims.py has no line for it");
    for (const auto& file : named.second)
      CHECK_MESSAGE(claim->second.files.contains(file.first), file.first,
                    " is missing: run scripts/claims.py");
    CHECK_MESSAGE(claim->second.files.size() == named.second.size(), "run scripts/claims.py");
  }
}

TEST_CASE(
    "claims: a scenario or a table shows every claim, and a model searches those about every run or some") {
  auto named = claimsOfTheFiles();
  std::size_t searched = 0;
  for (const auto& claim : claimsOfThePage()) {
    CAPTURE(claim.first);
    std::size_t shown = 0;
    std::size_t models = 0;
    for (const auto& [file, kind] : named[claim.first]) kind == "model" ? ++models : ++shown;
    CHECK_MESSAGE(shown > 0, "no scenario and no table claims it");
    if (claim.second.runs.empty()) continue;
    ++searched;
    CHECK_MESSAGE(models > 0, "it is about ", claim.second.runs, ", and no model claims it");
  }
  CHECK(searched > 25);
}

}  // namespace
}  // namespace zablab
