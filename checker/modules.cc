#include "checker/modules.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "checker/check/family_check.h"
#include "checker/module.h"
#include "checker/protocol.h"
#include "sim/json.h"

namespace zablab {
namespace {

namespace fs = std::filesystem;

InputError refused(const std::string& path, const std::string& why, const std::string& hint = {}) {
  return InputError(path, std::nullopt, why, hint);
}

const Module& opened(const std::string& path) {
  // A name without a slash would be searched for in the system's libraries.
  void* const library = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = dlerror();
    const bool links = why.find("undefined symbol") != std::string::npos;
    throw refused(
        path, "cannot be loaded: " + why,
        links ? "a module is built with the headers of the program that loads it: build it again" : "");
  }
  const auto* const module = static_cast<const Module*>(dlsym(library, "zablab_module"));
  if (module == nullptr || module->magic != module_magic) {
    dlclose(library);
    throw refused(path, "is no module of zablab",
                  "its file ends with ZABLAB_PROTOCOL(Family), see checker/module.h");
  }
  if (std::string(module->version) != ZABLAB_VERSION) {
    const std::string version = module->version;
    dlclose(library);
    throw refused(path, "is a module of zablab " + version + ", and this is " ZABLAB_VERSION,
                  "build it again");
  }
  return *module;
}

/// That each name of the list occurs once.
void checkNames(const std::string& path, const std::string& what, const std::vector<NamedText>& list) {
  std::set<std::string> names;
  for (const NamedText& row : list) {
    if (row.name.empty()) throw refused(path, "has " + what + " without a name");
    if (!names.insert(row.name).second)
      throw refused(path, "has " + what + " " + inBackticks(row.name) + " twice");
  }
}

void load(const std::string& path) {
  static std::set<fs::path> loaded;
  if (!fs::is_regular_file(path)) throw refused(path, "this is not a regular file");
  if (!loaded.insert(fs::canonical(path)).second) return;
  const Module& module = opened(path);
  const Protocol& protocol = module.protocol();
  try {
    protocol.mutations();
    protocol.checkHeader();
  } catch (const InputError& error) {
    throw refused(path, error.what());
  } catch (const std::logic_error& error) {
    throw refused(path, error.what());
  }
  const std::string name(protocol.name());
  if (name.empty()) throw refused(path, "has a protocol without a name");
  if (findProtocol(name) != nullptr)
    throw refused(path, "there is a protocol " + inBackticks(name) + " already");
  checkNames(path, "the invariant", protocol.invariants());
  checkNames(path, "the variant", protocol.variants());
  checkNames(path, "the mutation", protocol.mutations());
  checkInvariantCount(protocol.invariants().size());
  addProtocol(protocol);
  if (const Contender* const contender = module.contender()) addContender(*contender);
}

}  // namespace

void loadProtocols(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) throw refused(path, "there is no such file");
    return load(path);
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".so") files.push_back(entry.path().string());
  }
  if (files.empty()) throw refused(path, "there is no module in it: their names end in .so");
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) load(file);
}

}  // namespace zablab
