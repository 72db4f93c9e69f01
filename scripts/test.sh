#!/usr/bin/env bash
# Builds once and runs every test. The last line says `N passed, N failed`.
#
#   scripts/test.sh         the unit tests, every scenario, protocols in modules, and pages and diagrams in a browser
#   scripts/test.sh --all   also: pages in which the nodes run; a search by several processes; the same with clang and
#                           the address and undefined-behaviour sanitizers, where runs have to be the same, byte for
#                           byte; a few changes of the code by rule
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

all=false
case ${1:-} in
  '') ;;
  --all) all=true ;;
  *)
    echo "usage: scripts/test.sh [--all]" >&2
    exit 2
    ;;
esac

passed=0
failed=0
logs=$(mktemp -d)

finish() {
  local status=$?
  rm -rf -- "$logs"
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1 # something outside the tests went wrong: it was reported where it happened
  fi
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] || exit 1
}
trap finish EXIT

section() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

fail() {
  printf '%s\n' "$1"
  failed=$((failed + 1))
}

# unit_tests DIRECTORY SECOND [FILES]: runs its doctest program, or the cases in these source files, and adds up the counts
# of doctest's own summaries. In two concurrent parts: SECOND is the pattern of those in the second part, so that both take
# about equally long.
unit_tests() {
  local status=0 other=0 second
  "$1/tests/zablab_tests" -tc="$2" ${3:+-sf="$3"} >"$logs/unit-2" 2>&1 &
  second=$!
  "$1/tests/zablab_tests" -tce="$2" ${3:+-sf="$3"} 2>&1 | tee "$logs/unit-1" || status=${PIPESTATUS[0]}
  wait "$second" || other=$?
  cat -- "$logs/unit-2"
  unit_counts "$1" "$logs/unit-1" "$status"
  unit_counts "$1" "$logs/unit-2" "$other"
}
# unit_counts DIRECTORY LOG STATUS
unit_counts() {
  local counts
  counts=$(sed -nE 's/^\[doctest\] test cases: *[0-9]+ \| *([0-9]+) passed \| *([0-9]+) failed.*/\1 \2/p' "$2" | tail -n 1)
  if [ -z "$counts" ]; then
    fail "$1/tests/zablab_tests ended without a summary, with status $3"
    return
  fi
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
  if [ "$3" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
    fail "$1/tests/zablab_tests ended with status $3 though no test failed"
  fi
}

# scenarios DIRECTORY: runs every scenario with its program, in two processes; one JSON object per line has the result of each.
scenarios() {
  local status=0 good bad
  if [ -z "$(find scenarios -name '*.json' -print -quit)" ]; then
    fail "there are no scenarios in scenarios/"
    return
  fi
  mkdir -p -- "$logs/scenarios-$1"
  # Three directories at a time, because one that has only models has nothing to run.
  # shellcheck disable=SC2016 # expanded by the inner shell
  find scenarios -mindepth 1 -maxdepth 1 | sort |
    xargs -P 2 -n 3 bash -c '"$0/zablab" run --json "${@:2}" >"$1/$$.out" 2>"$1/$$.err"' "$1" "$logs/scenarios-$1" || status=$?
  sort -- "$logs/scenarios-$1"/*.out >"$logs/scenarios-$1.sorted"
  good=$(cat -- "$logs/scenarios-$1"/*.out | grep -cE '"verdict": *"passed"' || true)
  bad=$(cat -- "$logs/scenarios-$1"/*.out | grep -cE '"verdict": *"failed"' || true)
  printf '%d scenarios passed, %d failed\n' "$good" "$bad"
  passed=$((passed + good))
  failed=$((failed + bad))
  if [ "$bad" -gt 0 ]; then
    "$1/zablab" run scenarios || true # once more, for people
  elif [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; then
    cat -- "$logs/scenarios-$1"/*.err
    fail "$1/zablab run scenarios ended with status $status"
  fi
}

# counted SCRIPT DIRECTORY: a script that tests something for itself, and prints its counts.
counted() {
  local status=0 counts
  "$1" "$2" 2>&1 | tee "$logs/counted" || status=$?
  counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$logs/counted")
  if [ -z "$counts" ]; then
    fail "$1 ended with status $status"
    return
  fi
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
}

# browser_tests DIRECTORY: the explorer's pages and the Mermaid diagrams that its program writes, in Chromium. Pages in which
# the nodes run need their engine (scripts/page.sh): without it they are left out.
browser_tests() {
  local status=0 good bad tests
  tests=(tests/browser/*.test.mjs)
  [ -f "$1/live/zab.wasm" ] || tests=(tests/browser/{explorer,mermaid}.test.mjs)
  "$all" || wait "$browser" || fail "scripts/deps.sh --browser ended with status $?"
  cat -- "$logs/browser-packages"
  ZABLAB=$PWD/$1/zablab node --test --test-reporter=tap "${tests[@]}" >"$logs/browser" 2>&1 || status=$?
  good=$(sed -nE 's/^# pass ([0-9]+)$/\1/p' "$logs/browser")
  bad=$(sed -nE 's/^# fail ([0-9]+)$/\1/p' "$logs/browser")
  printf '%d tests in the browser passed, %d failed\n' "${good:-0}" "${bad:-0}"
  passed=$((passed + ${good:-0}))
  failed=$((failed + ${bad:-0}))
  if [ "$status" -ne 0 ] || [ "${good:-0}" -eq 0 ]; then
    cat -- "$logs/browser"
    [ "${bad:-0}" -gt 0 ] || fail "the tests in the browser ended with status $status"
  fi
}

# mutants: a few changes of the code by rule. Each is found by random runs, or judged in scripts/mutate-judgements.json.
mutants() {
  if scripts/mutate.py --family quorum_register --files replica --sample 6 --seeds 300 --states 500 >"$logs/mutants" 2>&1; then
    tail -n 1 -- "$logs/mutants"
    passed=$((passed + 1))
  else
    cat -- "$logs/mutants"
    fail "scripts/mutate.py: a change of the code is neither found nor judged"
  fi
}

# campaigns DIRECTORY OTHER: random runs of every protocol, the first states of every model, traces and pictures, with its
# program. What it prints and writes, the other directory's program prints and writes, too, byte for byte.
campaigns() {
  local protocol ending scenario status
  for protocol in $("$1/zablab" list protocols | sed -nE 's/^([a-z_]+) .*/\1/p'); do
    both "$@" 0 fuzz --protocol "$protocol" --seeds 0:60 --jobs 2 --json
  done
  for scenario in scenarios/{broadcast,clients,election,external-store,found,kafka,leader-followers,quorum-register,recipes}/ \
    scenarios/{recorded,recovery,redis-cluster,releases,sentinel}/; do
    both "$@" 0 run "$(find "$scenario" -name '*.json' | sort | head -n 1)" --trace "$logs/both/run.json"
  done
  "$1/zablab" run scenarios/kafka/001-K2-the-controller-dies.json --trace "$logs/trace.json" >"$logs/printed"
  for ending in svg dot html mmd itf.json perfetto.json shiviz txt; do
    both "$@" 0 render "$logs/trace.json" -o "$logs/both/picture.$ending"
  done
  status=0
  "$1/zablab" check scenarios/models --max-states 500 --jobs 2 >"$logs/printed" 2>&1 || status=$?
  ended "check --max-states 500" "$status" 3 "$logs/printed"
}
# ended WHAT STATUS EXPECTED LOG
ended() {
  if [ "$2" -eq "$3" ]; then
    passed=$((passed + 1))
  else
    cat -- "$4"
    fail "$1 ended with status $2"
  fi
}
# both DIRECTORY OTHER STATUS COMMAND...: runs it with both programs; it may write into $logs/both.
both() {
  local directory=$1 other=$2 expected=$3 program status
  shift 3
  for program in "$other" "$directory"; do
    rm -rf -- "$logs/both" "$logs/of-$program"
    mkdir -- "$logs/both"
    status=0
    "$program/zablab" "$@" >"$logs/both/printed" 2>"$logs/errors" || status=$?
    mv -- "$logs/both" "$logs/of-$program"
  done
  if [ "$status" -ne "$expected" ]; then
    ended "$directory/zablab $*" "$status" "$expected" "$logs/errors"
  elif ! diff -r -- "$logs/of-$other" "$logs/of-$directory" >"$logs/differences"; then
    head -c 2000 -- "$logs/differences"
    fail "$other and $directory print or write something else: zablab $*"
  else
    passed=$((passed + 1))
  fi
}

# One build serves for the other compiler and for the sanitizers. Assertions are in the main build only. Three checks are
# omitted: the address sanitizer sees what is read through a null pointer or beyond an object, and bytes are only copied,
# never reinterpreted in place. Reports name lines (-g1).
build_clang() {
  CXX=clang++-14 configure build-clang -Doptimization=1 -Db_ndebug=true -Db_sanitize=address,undefined -Db_lundef=false \
    -Dcpp_args='-fno-sanitize=null,alignment,object-size -g1'
  ninja -C build-clang zablab
}

if "$all"; then
  scripts/deps.sh --all
else
  scripts/deps.sh
fi

# Downloads what later stages need while the program is being built.
packages() {
  scripts/deps.sh --browser
  if "$all"; then
    scripts/deps.sh --page
    scripts/deps.sh --mpi
  fi
}
packages >"$logs/browser-packages" 2>&1 &
browser=$!

section "build, g++ -O3"
configure build
all_families build
ninja -C build
# With what the tests leave of the processors: the engine for pages, and then the other compiler's build.
if "$all"; then
  wait "$browser" || fail "scripts/deps.sh --browser, --page or --mpi ended with status $?"
  (
    renice -n 15 "$BASHPID" >/dev/null
    scripts/page.sh --only-build >"$logs/page" 2>&1 || true # scripts/page.sh reports it
    touch -- "$logs/page-is-built"
    build_clang >"$logs/build-clang" 2>&1
  ) &
  clang=$!
fi
section "unit tests"
unit_tests build 'scenarios:*,check:*,history:*,pictures:*,export:*,phrases:*,recipes:*,compare:*,monitors:*,a trace*'
section "scenarios"
scenarios build
section "protocols in modules"
counted scripts/modules.sh build
if "$all"; then
  section "a search by several processes"
  counted scripts/mpi.sh build
  section "changes of the code by rule"
  mutants
  section "the engine for pages"
  until [ -e "$logs/page-is-built" ] || ! kill -0 "$clang" 2>/dev/null; do
    sleep 1
  done
  if ! scripts/page.sh >"$logs/page" 2>&1; then
    cat -- "$logs/page"
    fail "scripts/page.sh failed"
  fi
fi
section "pages and diagrams in a browser"
browser_tests build
"$all" || exit 0

section "build, clang with sanitizers"
wait "$clang" || fail "the build with clang and sanitizers ended with status $?"
cat -- "$logs/build-clang"
export ASAN_OPTIONS=strict_string_checks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
section "commands, clang with sanitizers"
ZABLAB=$PWD/build-clang/zablab unit_tests build '*status 2*,*picture*,*trace*,*refuse*' '*cli_test.cc,*commands_test.cc'
section "scenarios, clang with sanitizers"
scenarios build-clang
if ! cmp -- "$logs"/scenarios-build{,-clang}.sorted; then
  fail "build and build-clang have different results of scenarios"
fi
section "random runs, searches and pictures, clang with sanitizers"
campaigns build-clang build
