#!/usr/bin/env bash
# Redraws the pictures of docs/documents-versus-zookeeper.md and docs/findings.md, from docs/pictures/versus.txt and findings.txt:
# a line names a picture, its scenario, and what `zablab render` is to leave out.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

zablab=${ZABLAB:-build/zablab}
outline='--kinds role,phase,looking,quorum,decided,sync,tail_judged,established,answered,stopped,log'
traces=$(mktemp -d)
trap 'rm -rf -- "$traces"' EXIT
for list in versus findings; do
  mkdir -p "docs/pictures/$list"
  while read -r name scenario options; do
    case $name in '' | '#'*) continue ;; esac
    "$zablab" run "scenarios/$scenario.json" --trace "$traces/$name.json" >/dev/null
    # shellcheck disable=SC2086 # the options are separate words
    "$zablab" render "$traces/$name.json" -o "docs/pictures/$list/$name.svg" ${options/outline/$outline}
  done <"docs/pictures/$list.txt"
done
