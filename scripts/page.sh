#!/usr/bin/env bash
# Builds the engine for pages (live/): a module of WebAssembly for each protocol, in build/live/, where `zablab render
# --live` finds it. Installs Debian's emscripten if it is missing.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

scripts/deps.sh --page
configure build-page --cross-file live/emscripten.ini -Doptimization=2
# Libraries of headers: a folder of their own, so that none of the machine's own headers is found beside them.
mkdir -p build-page/headers
for library in boost nlohmann; do
  ln -sfn "/usr/include/$library" "build-page/headers/$library"
done
ninja -C build-page
mkdir -p build/live
for module in build-page/live/*.wasm; do
  cp -- "$module" build/live/
done
