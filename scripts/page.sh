#!/usr/bin/env bash
# Builds the engine for pages (live/): a module of WebAssembly for each protocol, in build/live/, where `zablab render
# --live` finds it; with it the pages of the course's runs, in build/course/. Installs Debian's emscripten if it is missing.
# With --only-build it leaves build/ as it is: the modules are then in build-page/live/.
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
if [ "${1:-}" = --only-build ]; then
  exit
fi
mkdir -p build/live
# Binaryen, which comes with emscripten, makes them smaller.
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\0' build-page/live/*.wasm |
  xargs -0 -P 2 -I MODULE bash -c 'wasm-opt -O1 --duplicate-function-elimination --code-folding --all-features "$1" \
    -o "build/live/$(basename -- "$1")"' - MODULE
# A program without the other protocols (scripts/demo.sh) cannot run the whole course.
if [ -x build/zablab ] && ! grep -qs '"' build/checker/built_lists.h; then
  scripts/course.py build/course --live build/zablab
fi
