# Functions that the scripts share; sourced, not run. Changes the working directory to the top of the source tree.
# shellcheck shell=bash

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root" || exit

# configure DIRECTORY [MESON ARGUMENTS...]: sets up a build directory, unless it exists. A library's files are compiled as
# one, which halves the time of a full build; to rebuild after frequent changes, set up `build` with `meson setup build`.
configure() {
  local directory=$1
  shift
  if [ ! -f "$directory/build.ninja" ]; then
    meson setup "$directory" --unity=on "$@"
  fi
}

# all_families DIRECTORY: a build directory that demo.sh has set up gets the other protocols, too.
all_families() {
  if grep -qs '"' "$1/checker/built_lists.h"; then
    meson configure "$1" -Dfamilies=all
  fi
}
