#!/usr/bin/env bash
# Redraws the pictures of the README, of the pages and of the course. A line of docs/pictures/PAGE.txt or of
# docs/course/pictures.txt has a picture's name, its scenario, and options of `zablab render`; a line of
# docs/pictures/versus.txt has two scenarios. `SCENARIO+MUTATION` and `SCENARIO+RULE=VALUE` draw the run with that changed.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

zablab=${ZABLAB:-build/zablab}
traces=$(mktemp -d)
trap 'rm -rf -- "$traces"' EXIT

# trace SCENARIO[+CHANGE]: prints the file with its trace.
trace() {
  local file=$traces/${1//\//-}.json change=()
  case $1 in
    *+*=*) change=(--rule "${1#*+}") ;;
    *+*) change=(--mutate "${1#*+}") ;;
  esac
  # A changed run ends with status 1: that is what it shows.
  [ -f "$file" ] || "$zablab" run "scenarios/${1%%+*}.json" "${change[@]}" --trace "$file" >/dev/null || [ $? -eq 1 ]
  printf '%s\n' "$file"
}

# draw PICTURE SCENARIO [OPTIONS...]
draw() {
  local picture=$1 scenario=$2
  shift 2
  "$zablab" render "$(trace "$scenario")" -o "$picture" "$@"
}

for list in docs/pictures/*.txt docs/course/pictures.txt; do
  folder=${list%.txt}
  mkdir -p "$folder"
  while read -r name scenario options; do
    case $name in '' | '#'*) continue ;; esac
    if [ "$folder" = docs/pictures/versus ]; then
      read -r other options <<<"$options"
      options="--with $(trace "$other") $options"
    fi
    # shellcheck disable=SC2086 # the options are separate words
    draw "$folder/$name.svg" "$scenario" $options
    if [ "$folder" = docs/course/pictures ]; then
      mkdir -p "$folder/zh"
      # shellcheck disable=SC2086
      draw "$folder/zh/$name.svg" "$scenario" --lang zh $options
    fi
  done <"$list"
done
draw docs/pictures/leader-dies-with-P3.svg recovery/000-C1-leader-dies-with-P3 --detail story --width 900
"$zablab" compare --faults minority-cut --seeds 0:500 --jobs 2 --svg docs/pictures/elections/minority-cut.svg >/dev/null
