#!/usr/bin/env bash
# Redraws the README's picture, and those of docs/documents-versus-zookeeper.md, docs/findings.md and the course, which
# docs/pictures/versus.txt, findings.txt and docs/course/pictures.txt list: a line has a picture's name, its scenario, and options of
# `zablab render`.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

zablab=${ZABLAB:-build/zablab}
traces=$(mktemp -d)
trap 'rm -rf -- "$traces"' EXIT
for list in docs/pictures/versus docs/pictures/findings docs/course/pictures; do
  mkdir -p "$list"
  while read -r name scenario options; do
    case $name in '' | '#'*) continue ;; esac
    "$zablab" run "scenarios/$scenario.json" --trace "$traces/$name.json" >/dev/null
    # shellcheck disable=SC2086 # the options are separate words
    "$zablab" render "$traces/$name.json" -o "$list/$name.svg" $options
  done <"$list.txt"
done
failover=leader-dies-with-P3
"$zablab" run "scenarios/recovery/000-C1-$failover.json" --trace "$traces/$failover.json" >/dev/null
"$zablab" render "$traces/$failover.json" -o "docs/pictures/$failover.svg" --detail story
