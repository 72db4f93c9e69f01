#!/usr/bin/env bash
# Draws the pictures of docs/documents-versus-zookeeper.md anew, from docs/pictures/versus.txt: a line names a picture, the
# scenario it is of, and what `zablab render` is to leave out.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

zablab=${ZABLAB:-build/zablab}
outline='--kinds role,phase,looking,quorum,decided,sync,tail_judged,established,answered,stopped,log'
traces=$(mktemp -d)
trap 'rm -rf -- "$traces"' EXIT
mkdir -p docs/pictures/versus
while read -r name scenario options; do
  case $name in '' | '#'*) continue ;; esac
  "$zablab" run "scenarios/$scenario.json" --trace "$traces/$name.json" >/dev/null
  # shellcheck disable=SC2086 # the options are words of their own
  "$zablab" render "$traces/$name.json" -o "docs/pictures/versus/$name.svg" ${options/outline/$outline}
done <docs/pictures/versus.txt
