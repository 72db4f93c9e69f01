#!/usr/bin/env bash
# Installs the packages of Debian 12 that zablab needs and this machine lacks. Quick and silent when nothing is missing.
#
#   scripts/deps.sh         what is needed for building, testing and drawing
#   scripts/deps.sh --all   also the second compiler, its sanitizers and its Python module, for scripts/test.sh --all
#   scripts/deps.sh --browser   only what the tests in a browser need: a browser, Node.js and three packages of npm
#   scripts/deps.sh --page      only what the engine for pages needs (scripts/page.sh)
#   scripts/deps.sh --mpi       only what a search by several processes needs besides (scripts/mpi.sh)
set -euo pipefail

# package[=command]: a package counts as present if it is installed or the command is found.
wanted=(
  'g++=g++'
  meson=meson
  ninja-build=ninja
  graphviz=dot
  fonts-liberation
  libboost1.81-dev
  libboost-program-options1.81-dev
  nlohmann-json3-dev
  zlib1g-dev
  libedit-dev
  pkg-config=pkg-config
  doctest-dev
  git=git
  spin=spin
)
case ${1:-} in
  '') ;;
  --all) wanted+=(clang=clang++-14 libclang-rt-14-dev python3-clang-14) ;;
  --browser) wanted=(chromium=chromium nodejs=node npm=npm fonts-noto-cjk) ;;
  --page) wanted=(emscripten=em++ meson=meson ninja-build=ninja libboost1.81-dev nlohmann-json3-dev) ;;
  --mpi) wanted=(libopenmpi-dev openmpi-bin=mpirun procps=pgrep) ;;
  *)
    echo "usage: scripts/deps.sh [--all | --browser | --page | --mpi]" >&2
    exit 2
    ;;
esac

if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
  echo "scripts/deps.sh knows Debian 12 only. Elsewhere install by hand: ${wanted[*]%%=*}" >&2
  exit 4
fi

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

missing=()
for entry in "${wanted[@]}"; do
  package=${entry%%=*}
  command=${entry#"$package"}
  command=${command#=}
  if ! { [ -n "$command" ] && command -v "$command" >/dev/null; } && ! installed "$package"; then
    missing+=("$package")
  fi
done
# finish: what is installed besides Debian's packages, and the end.
finish() {
  if [ "${1:-}" = --browser ]; then
    browser=$(dirname -- "${BASH_SOURCE[0]}")/../tests/browser
    # Installed is what the lock file says, unless it is already there.
    if ! cmp -s -- "$browser/package-lock.json" "$browser/node_modules/.installed"; then
      echo "Installing the packages of tests/browser/package-lock.json"
      (cd -- "$browser" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >&2 && cp package-lock.json node_modules/.installed) || exit 4
    fi
  fi
  exit 0
}

if [ ${#missing[@]} -eq 0 ]; then
  finish "$@"
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing: ${missing[*]}" >&2
    echo "Installing them takes root or sudo, and there is neither. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 4
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f -- "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >>"$log" 2>&1
}

echo "Installing ${missing[*]}"
# A source that cannot be reached may not be needed: the installation shows it.
apt update || true
if ! apt install --yes --no-install-recommends --no-remove "${missing[@]}"; then
  cat -- "$log" >&2
  echo "The packages could not be installed: ${missing[*]}" >&2
  for package in libboost1.74-dev libboost1.80-dev; do
    if installed "$package"; then
      echo "$package is installed, and Debian allows one version of Boost's headers at a time. To replace it, run:" >&2
      echo "  ${as_root[*]:+sudo }apt-get install --no-install-recommends ${missing[*]}" >&2
    fi
  done
  exit 4
fi
finish "$@"
