#!/usr/bin/env bash
# Builds everything, or the named targets; the result is build/zablab.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

scripts/deps.sh
configure build
all_families build
ninja -C build "$@"
