#!/usr/bin/env bash
# Fuzzes zablab with libFuzzer, under the address and undefined-behaviour sanitizers. The coverage of new inputs guides the search.
#
# - scenario, trace, zoo_cfg: the readers of users' files. Bad input must be refused with one clear message; accepted input is run.
# - pictures: traces, drawn in every format and told in sentences.
# - simulator: whole runs. The bytes are the choices of an ensemble as `zablab fuzz` draws it, in place of a seed. A violation, or
#   a core that does not recover after the faults, is written as a scenario, for `zablab run` and `zablab shrink`.
#
# Anything else also ends a target and is reported here.
#
#   scripts/fuzz-coverage.sh [SECONDS [TARGET...]]    each target runs this long (600), on one core; all of them by default
#   ZABLAB_MUTATE=retain_db_no_ff scripts/fuzz-coverage.sh 120 simulator    plants a bug: it has to be found
#
# The inputs that a run found interesting are kept in build-fuzz/fuzz/TARGET/corpus, and the next run begins there. Exit status:
# 0 nothing was found, 1 a target crashed or hung, 2 usage.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# A target: its name, the largest input in bytes, and how to show its findings with the program. tests/fuzz/NAME.cc implements it;
# its seeds and dictionary, if any, are made by scripts/fuzz-corpora.py. The simulator writes scenarios to be shown.
targets=(
  'scenario 8192 build-fuzz/zablab run'
  'trace 16384 build-fuzz/zablab replay'
  'pictures 16384 build-fuzz/zablab explain'
  'zoo_cfg 2048 -'
  'simulator 4096 -'
)

usage() {
  echo "usage: scripts/fuzz-coverage.sh [SECONDS [TARGET...]]; targets are: $(printf '%s\n' "${targets[@]}" | cut -d' ' -f1 | xargs)" >&2
  exit 2
}

seconds=${1:-600}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || usage
shift || true
for name in "$@"; do
  printf '%s\n' "${targets[@]}" | grep -q "^$name " || usage
done

build="build-fuzz"
scripts/deps.sh --all
CXX=clang++-14 configure "$build" -Dfuzzers=true -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false
programs=("${targets[@]%% *}")
ninja -C "$build" zablab "${programs[@]/#/tests/fuzz/fuzz_}"

mkdir -p "$build/fuzz"
python3 scripts/fuzz-corpora.py . "$build/zablab" "$build/fuzz"

export ASAN_OPTIONS=strict_string_checks=1:malloc_context_size=8:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1

# last_number PATTERN FILE: the number in the last match of a pattern of sed.
last_number() { sed -nE "s/.*$1.*/\1/p" "$2" | tail -n 1; }

# fuzz NAME BYTES HOW...: runs one target; prints its line and, if it found something, how to reproduce that.
fuzz() {
  local name=$1 bytes=$2 status=0 found
  shift 2
  local place=$build/fuzz/$name program=$build/tests/fuzz/fuzz_$name
  local options=(-max_total_time="$seconds" -max_len="$bytes" -timeout=10 -rss_limit_mb=3072 -print_final_stats=1
    -artifact_prefix="$place/found/")
  mkdir -p "$place/corpus" "$place/seeds" "$place/found"
  if [ -f "$place/dict" ]; then
    options+=(-dict="$place/dict")
  fi
  touch "$place/begun"
  nice "$program" "${options[@]}" "$place/corpus" "$place/seeds" >"$place/log" 2>&1 || status=$?
  found=$(find "$place/found" -type f -newer "$place/begun" ! -name 'slow-unit-*')
  printf '%-10s %s executions, %s edges covered, %s inputs kept, %s\n' "$name" \
    "$(last_number 'stat::number_of_executed_units: *([0-9]+)' "$place/log")" \
    "$(last_number ' cov: ([0-9]+) ' "$place/log")" \
    "$(last_number ' corp: ([0-9]+)' "$place/log")" \
    "$([ "$status" -eq 0 ] && echo 'nothing found' || echo "ended with status $status")"
  if [ "$status" -eq 0 ]; then
    return
  fi
  grep -m 1 -E '^(zablab:|terminate called|.*(runtime error:|ERROR: ))' "$place/log" | sed 's/^/  /' || true
  if [ -z "$found" ]; then
    echo "  it left no input: see $place/log"
    return 1
  fi
  while read -r input; do
    if [[ $input == *.json ]]; then
      echo "  as a scenario: $build/zablab run $input"
      echo "    made small: $build/zablab shrink $input"
      continue
    fi
    echo "  see it again: $program $input"
    if [ "$1" != - ]; then
      echo "            or: $* $input"
    fi
  done <<<"$found"
  return 1
}

status=0
for target in "${targets[@]}"; do
  read -ra words <<<"$target"
  if [ $# -eq 0 ] || [[ " $* " == *" ${words[0]} "* ]]; then
    fuzz "${words[@]}" || status=1
  fi
done
exit "$status"
