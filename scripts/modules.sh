#!/usr/bin/env bash
# Tests protocols in modules: installs the program of a build directory into a temporary place, builds examples/raft and what
# `zablab new protocol` writes against what was installed, and uses both with the commands. Broken modules are refused.
#
#   scripts/modules.sh DIRECTORY    the last line says `N passed, N failed`
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

build=${1:?usage: scripts/modules.sh DIRECTORY}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
passed=0
failed=0

# expect STATUS TEXT COMMAND...: the command ends with the status, and prints the text.
expect() {
  local status=0
  "${@:3}" >"$work/output" 2>&1 || status=$?
  if [ "$status" -eq "$1" ] && { [ -z "$2" ] || grep -qF -- "$2" "$work/output"; }; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  ended with status %s instead of %s, or does not say "%s":\n' "${*:3}" "$status" "$1" "$2"
  head -n 40 -- "$work/output"
}

meson install -C "$build" --no-rebuild --quiet --destdir "$work/installed"
PKG_CONFIG_PATH=$(dirname -- "$(find "$work/installed" -name zablab.pc)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=$work/installed
zablab=$(find "$work/installed" -path '*/bin/zablab')

expect 0 'Found ninja' meson setup -Doptimization=0 "$work/raft" examples/raft
expect 0 'Linking target raft.so' ninja -C "$work/raft"
raft=(--protocol-module "$work/raft/raft.so")
expect 0 'raft' "$zablab" list protocols "${raft[@]}"
expect 0 'passed' "$zablab" run examples/raft/scenarios "${raft[@]}"
expect 2 '--protocol-module' "$zablab" run examples/raft/scenarios
for scenario in examples/raft/scenarios/*.json; do
  [ "$(grep -c '"kind": "scenario"' "$scenario")" -eq 1 ] || continue
  for bug in $(sed -n 's/.*{"mutation": "\([a-z_]*\)"}.*/\1/p' "$scenario"); do
    expect 1 'failed' "$zablab" run "$scenario" --mutate "$bug" "${raft[@]}"
  done
done
expect 0 'the same' bash -c '"$0" run examples/raft/scenarios/failover.json "${@:2}" --trace "$1" && "$0" replay "$1" "${@:2}"' \
  "$zablab" "$work/trace.json" "${raft[@]}"
expect 0 '' "$zablab" render "$work/trace.json" -o "$work/picture.svg" "${raft[@]}"
expect 0 'leads term 2' "$zablab" explain "$work/trace.json" "${raft[@]}"
expect 0 'the run ends at 2500 ms' bash -c 'printf "until end\n" | "$0" step examples/raft/scenarios/failover.json "$@"' "$zablab" "${raft[@]}"
expect 0 'holds, exhausted' "$zablab" check examples/raft/scenarios/model-write.json "${raft[@]}"
expect 0 'holds, exhausted' "$zablab" check examples/raft/scenarios/model-votes.json "${raft[@]}"
expect 1 'violated: leader-completeness' "$zablab" check examples/raft/scenarios/model-write.json --mutate ignores_logs "${raft[@]}"
expect 0 'nothing found' "$zablab" fuzz --protocol raft --seeds 0:200 "${raft[@]}"
expect 1 'log-matching' "$zablab" fuzz --protocol raft --seeds 10:11 --mutate trusts_its_leader "${raft[@]}"
expect 0 'raft' "$zablab" compare --faults leader-dies --protocols raft --seeds 0:10 "${raft[@]}"

# What `zablab new protocol` writes.
cd -- "$work"
expect 0 'wrote mine/' "$zablab" new protocol mine
expect 2 'already' "$zablab" new protocol mine
expect 2 'already' "$zablab" new protocol zab
expect 2 'cannot be the name' "$zablab" new protocol 'Two words'
expect 0 'Found ninja' meson setup -Doptimization=0 mine/build mine
expect 0 'Linking target mine.so' ninja -C mine/build
mkdir modules
cp mine/build/mine.so raft/raft.so modules
mine=(--protocol-module modules)
expect 0 'passed' "$zablab" run mine/scenario.json "${mine[@]}"
expect 0 'holds, exhausted' "$zablab" check mine/model.json "${mine[@]}"
expect 1 'violated: one-leader' "$zablab" check mine/model.json --mutate forgets_its_vote "${mine[@]}"
expect 0 'nothing found' "$zablab" fuzz --protocol mine --seeds 0:200 "${mine[@]}"

# Modules that are none, or that have what no protocol can have.
list() { "$zablab" list protocols --protocol-module "$1"; }
expect 2 'no such file' list nowhere.so
echo text >text.so
expect 2 'cannot be loaded' list ./text.so
expect 2 'there is no module in it' list mine
module() { printf '%s\n' "$2" | c++ -shared -fPIC -x c++ - -o "$1"; }
module empty.so 'int nothing;'
expect 2 'is no module of zablab' list empty.so
module old.so 'extern "C" { extern const struct { unsigned long magic; const char* version; } zablab_module; }
  const decltype(zablab_module) zablab_module = {0x7a61626c61620001, "0.0.0"};'
expect 2 'is a module of zablab 0.0.0' list old.so
module lacking.so 'int missing(); int nothing = missing();'
expect 2 'build it again' list lacking.so
cp raft/raft.so again.so
expect 2 'there is a protocol `raft` already' "$zablab" list protocols --protocol-module raft/raft.so --protocol-module again.so

sed -i 's/askNext(ctx);/throw std::runtime_error("it is broken");/' mine/mine.cc
expect 0 'Linking target mine.so' ninja -C mine/build
expect 1 'a step of server 101 of `mine` throws: it is broken' "$zablab" run mine/scenario.json --protocol-module mine/build/mine.so
expect 1 'FOUND broken step' "$zablab" fuzz --protocol mine --seeds 0:20 --jobs 2 --out broken --protocol-module mine/build/mine.so
sed -i 's/throw std::runtime_error("it is broken");/std::abort();/' mine/mine.cc
expect 0 'Linking target mine.so' ninja -C mine/build
expect 1 'FOUND program crash: 1 seeds, the first 0' "$zablab" fuzz --protocol mine --seeds 0:20 --jobs 2 --protocol-module mine/build/mine.so
sed -i 's/std::abort();/[] { for (volatile int i = 0;; i = 0) {} }();/' mine/mine.cc
expect 0 'Linking target mine.so' ninja -C mine/build
expect 1 'FOUND endless step: 1 seeds, the first 0' "$zablab" fuzz --protocol mine --seeds 0:20 --seed-time 1 --protocol-module mine/build/mine.so
sed -i 's/^constexpr std::array invariants{\(.*\)};/constexpr Invariant<Ledger> once\1;\nconstexpr std::array invariants{once, once};/; s/onceInvariant<Ledger>/once/' mine/checks.cc
expect 0 'Linking target mine.so' ninja -C mine/build
expect 2 'has the invariant `one-leader` twice' list mine/build/mine.so
sed -i 's/{once, once}/{once}/; s/milestones{"campaigns", "elected"/milestones{"campaigns", "ellected"/' mine/checks.cc
expect 0 'Linking target mine.so' ninja -C mine/build
expect 2 'the milestone ellected is the name of no event' list mine/build/mine.so

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
