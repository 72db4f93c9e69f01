#!/usr/bin/env bash
# Redraws the README's picture, and those of docs/documents-versus-zookeeper.md, docs/findings.md, docs/clients.md, docs/sentinel.md, docs/redis-cluster.md, docs/recipes.md, docs/external-store.md, docs/elections.md and the course. A line of
# docs/pictures/findings.txt, docs/pictures/clients.txt, docs/pictures/sentinel.txt, docs/pictures/redis-cluster.txt, docs/pictures/recipes.txt, docs/pictures/external-store.txt, docs/pictures/elections.txt and docs/course/pictures.txt has a picture's name, its scenario, and options of `zablab render`; a line of
# docs/pictures/versus.txt has two scenarios.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

zablab=${ZABLAB:-build/zablab}
traces=$(mktemp -d)
trap 'rm -rf -- "$traces"' EXIT

# trace SCENARIO: prints the file with its trace.
trace() {
  local file=$traces/${1//\//-}.json
  [ -f "$file" ] || "$zablab" run "scenarios/$1.json" --trace "$file" >/dev/null
  printf '%s\n' "$file"
}

# draw PICTURE SCENARIO [OPTIONS...]
draw() {
  local picture=$1 scenario=$2
  shift 2
  "$zablab" render "$(trace "$scenario")" -o "$picture" "$@"
}

mkdir -p docs/pictures/versus docs/pictures/findings docs/pictures/clients docs/pictures/sentinel docs/pictures/redis-cluster docs/pictures/recipes docs/pictures/external-store docs/pictures/elections docs/course/pictures
while read -r name one other options; do
  case $name in '' | '#'*) continue ;; esac
  # shellcheck disable=SC2086 # the options are separate words
  draw "docs/pictures/versus/$name.svg" "$one" --with "$(trace "$other")" $options
done <docs/pictures/versus.txt
for list in docs/pictures/findings docs/pictures/clients docs/pictures/sentinel docs/pictures/redis-cluster docs/pictures/recipes docs/pictures/external-store docs/pictures/elections docs/course/pictures; do
  while read -r name scenario options; do
    case $name in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086
    draw "$list/$name.svg" "$scenario" $options
  done <"$list.txt"
done
draw docs/pictures/leader-dies-with-P3.svg recovery/000-C1-leader-dies-with-P3 --detail story --width 900
"$zablab" compare --faults minority-cut --seeds 0:500 --jobs 2 --svg docs/pictures/elections/minority-cut.svg >/dev/null
