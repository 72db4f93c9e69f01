#!/usr/bin/env bash
# Builds zablab-mpi, a search by several processes, in a build directory, and tests it: with two and four processes twelve
# models of seven protocols have their counts, counterexamples are found, and a process that is killed ends the search with
# what was counted. Installs OpenMPI if it is missing.
#
#   scripts/mpi.sh DIRECTORY    the last line says `N passed, N failed`
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

build=${1:?usage: scripts/mpi.sh DIRECTORY}
scripts/deps.sh --mpi
configure "$build"
grep -qs 'mpi/zablab-mpi' "$build/build.ninja" || meson setup --reconfigure "$build" -Dmpi=enabled
ninja -C "$build" mpi/zablab-mpi zablab

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
# Containers run as root, and mpirun has to be told that this is intended.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
passed=0
failed=0

ranks() { mpirun --quiet --oversubscribe -n "$1" "$build/mpi/zablab-mpi" "${@:2}"; }

# expect STATUS TEXT COMMAND...: the command ends with the status, and prints the text.
expect() {
  local status=0
  "${@:3}" >"$work/output" 2>&1 || status=$?
  if [ "$status" -eq "$1" ] && grep -qF -- "$2" "$work/output"; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  ended with status %s instead of %s, or does not say "%s":\n' "${*:3}" "$status" "$1" "$2"
  head -n 40 -- "$work/output"
}

models=()
for model in election-3 a-follower-comes-back contenders-2-unfair shared-lock-3-break generations-1-power-loss \
  generations-2-power-loss 004-Q1-outcomes quorum-doubled sentinel-4-split-vote 001-C4-data-may-be-too-old \
  external-store-reads external-store-3; do
  models+=("scenarios/models/$model.json")
done
for count in 2 4; do
  expect 0 "of $count ranks, which sent" ranks "$count" check "${models[@]}"
  found=$(grep -cF 'as expected' "$work/output" || true)
  [ "$found" -eq ${#models[@]} ] || expect 0 "${#models[@]} models as expected, and not $found" cat "$work/output"
done
expect 1 'violated: no-fatal-message, after 17 actions' ranks 3 check scenarios/models/a-follower-comes-back.json \
  --mutate commit_without_pending --scenario "$work/found.json"
expect 1 'no-fatal-message: violated' "$build/zablab" run "$work/found.json"
expect 3 'stopped by states' ranks 2 check scenarios/models/election-3.json --max-states 2000
expect 2 'each rank has one thread' ranks 2 check scenarios/models/election-3.json --jobs 2
expect 2 'breadth first' ranks 2 check scenarios/models/election-3.json --search dfs
expect 2 'missing.json' ranks 2 check missing.json
expect 2 'liveness is searched by one process' ranks 2 check scenarios/models/an-election-with-a-one-way-cut.json
expect 2 'usage: mpirun' ranks 2 run scenarios
expect 0 'usage: mpirun' ranks 2 --help

# lost: kills one of two ranks when the search has begun.
lost() {
  ranks 2 check scenarios/models/zab-3-partition.json &
  local search=$! other=
  until other=$(pgrep --newest --full -- "^$build/mpi/zablab-mpi check"); do sleep 0.1; done
  sleep 2
  kill -9 "$other"
  wait "$search"
}
expect 137 'stopped by lost rank' lost # the status is mpirun's

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
