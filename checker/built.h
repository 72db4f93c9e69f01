// What this program was built with (-Dfamilies, meson_options.txt); an engine for pages is one, too (live/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zablab {

class Protocol;

/// In the order in which they are listed. The first is used if none is named.
std::vector<const Protocol*> builtProtocols();

inline constexpr const char* how_to_build = "scripts/build.sh builds all; see -Dfamilies";

/// That the program was built without this protocol, if it was.
std::optional<std::string> leftOut(std::string_view protocol);

/// The recipes' names, as `zablab new --recipe` takes them: `leader-latch`. Empty without ZooKeeper's
/// clients.
std::vector<std::string> recipeNames();
/// A scenario in which this many clients run the recipe of that name. Its expectations hold.
std::string newRecipe(const std::string& name, std::int64_t contenders);

}  // namespace zablab
