# What the scripts share; sourced, not run. Leaves the working directory at the top of the source tree.
# shellcheck shell=bash

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root" || exit

# configure DIRECTORY [MESON ARGUMENTS...]: sets a build directory up, unless it is. Several files are compiled as
# one, which takes half as long for a whole build; who changes a file often sets `build` up with `meson setup build`.
configure() {
  local directory=$1
  shift
  if [ ! -f "$directory/build.ninja" ]; then
    meson setup "$directory" --unity=on --unity-size=6 "$@"
  fi
}
