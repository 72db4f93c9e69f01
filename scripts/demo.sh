#!/usr/bin/env bash
# Builds the program with the protocol that it shows, then runs the failovers that a newcomer should see first: prints who
# won each election and why, draws them into out/, and makes pages of them.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

scenarios=(
  recovery/000-C1-leader-dies-with-P3
  election/000-F1-three-servers-start
  election/000-F8-follower-restart
  election/000-F9-leader-restart
)

scripts/deps.sh
configure build -Dfamilies=zab
ninja -C build zablab
mkdir -p out
for scenario in "${scenarios[@]}"; do
  name=$(basename -- "$scenario")
  printf '\n== %s\n' "$name"
  if ! build/zablab run "scenarios/$scenario.json" --svg "out/$name.svg" --html "out/$name.html" --text >"out/$name.txt"; then
    cat -- "out/$name.txt"
    exit 1
  fi
  # The ladder is in the file; its end describes the election.
  tail -n 8 -- "out/$name.txt"
done

printf '\nThe same as pictures, and as pages to step through, to open in a browser:\n'
for scenario in "${scenarios[@]}"; do
  printf '  %s\n' "$root/out/$(basename -- "$scenario")".{svg,html}
done

if grep -q '"' build/checker/built_lists.h; then
  printf '\nThis program has the protocol zab; scripts/build.sh adds the others: ZooKeeper with its clients, Redis, Kafka and more.\n'
fi
