// Protocols that are built elsewhere, as shared objects (checker/module.h), and loaded at run time.
#pragma once

#include <string>

namespace zablab {

/// Loads a module, or every file `*.so` of a directory, by name; a protocol is then available as the built-in
/// ones are. What was loaded remains. Not to be called while another thread uses protocols. Throws InputError
/// if the file is no module, was compiled with other headers, or has what cannot be a protocol.
void loadProtocols(const std::string& path);

}  // namespace zablab
