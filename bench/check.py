#!/usr/bin/env python3
"""Exhausts the same state spaces with SPIN and with zablab's search, alternately, and prints medians and spreads.

  bench/check.py [--baseline build/bench/zablab_baseline] [--runs 5]

SPIN runs tests/referee/fle.pml depth first (gcc -O3 -DSAFETY -DNOREDUCE); zablab runs tests/fle_baseline breadth
first, with parents recorded and the invariant on. A run whose counts differ from the published ones ends the comparison.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPACES = [((3, 1, 1), 3_992_414, 20_626_585), ((2, 0, 2), 9_035_036, 44_685_510)]


def timed(words, folder, states, transitions, pattern):
    since = time.monotonic()
    text = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
    took = time.monotonic() - since
    found = [int(re.search(part, text).group(1)) for part in pattern]
    if found != [states, transitions]:
        sys.exit(f"{' '.join(map(str, words))}: {found} instead of {[states, transitions]}")
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", default=str(ROOT / "build" / "bench" / "zablab_baseline"))
    parser.add_argument("--runs", type=int, default=5)
    request = parser.parse_args()
    for (rounds, crashes, capacity), states, transitions in SPACES:
        with tempfile.TemporaryDirectory() as folder:
            flags = [f"-DR={rounds}", f"-DC={crashes}", f"-DK={capacity}"]
            subprocess.run(["spin", "-a", *flags, str(ROOT / "tests" / "referee" / "fle.pml")], cwd=folder, check=True,
                           capture_output=True)
            subprocess.run(["gcc", "-O3", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=12000", "-o", "pan", "pan.c"],
                           cwd=folder, check=True)
            took = {"SPIN": [], "zablab, 1 thread": [], "zablab, 2 threads": []}
            for _ in range(request.runs):
                took["SPIN"].append(timed(["./pan", "-m100000", "-w26", "-n"], folder, states, transitions,
                                          [r"(\d+) states, stored", r"(\d+) transitions"]))
                for threads in (1, 2):
                    words = [request.baseline, rounds, crashes, capacity, threads]
                    took[f"zablab, {threads} thread{'s' if threads > 1 else ''}"].append(
                        timed([str(word) for word in words], folder, states, transitions,
                              [r"(\d+) distinct", r"(\d+) generated"]))
        print(f"rounds {rounds}, crashes {crashes}, capacity {capacity}: {states:,} states, {transitions:,} transitions")
        spin = statistics.median(took["SPIN"])
        for name, runs in took.items():
            median = statistics.median(runs)
            print(f"  {name:18} {median:6.2f} s ({min(runs):.2f} to {max(runs):.2f}), "
                  f"{transitions / median / 1e6:5.2f} M transitions/s, {spin / median:4.2f} times SPIN", flush=True)


if __name__ == "__main__":
    main()
