#!/usr/bin/env python3
"""Measures pictures and pages of long runs, and prints medians and spreads.

  bench/render.py [--zablab build/zablab] [--runs 5] [--no-browser]

A trace of about 10,000 events becomes an SVG (the whole run, and the usual first 400 rows), one of about 100,000 events a
page, which Chromium opens and steps through (bench/explorer.mjs; scripts/deps.sh --browser installs what that needs).
Every time includes the start of the program and the reading of the trace; processor times are of all its threads.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAILOVER, LONG = ROOT / "bench/workloads/failover5.json", ROOT / "bench/workloads/long5.json"


def timed(words):
    """Seconds on the clock and of the processor."""
    since = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: status {process.returncode}")
    return time.monotonic() - since, usage.ru_utime + usage.ru_stime


def events_of(trace):
    return sum(line.startswith('{"index":') for line in trace.open())


def report(what, seconds):
    shown = [f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})" for times in zip(*seconds)]
    print(f"  {what:34} {shown[0]}, processor {shown[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build" / "zablab"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-browser", action="store_true")
    request = parser.parse_args()
    print(f"{os.cpu_count()} processors, {platform.machine()}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        short, long = pathlib.Path(folder, "short.json"), pathlib.Path(folder, "long.json")
        page = pathlib.Path(folder, "long.html")
        timed([request.zablab, "run", FAILOVER, "--until", "22500", "--trace", short])
        timed([request.zablab, "run", LONG, "--trace", long])
        for trace, what, out, *options in [
            (short, "SVG, the first 400 rows", "first.svg"),
            (short, "SVG, the whole run", "whole.svg", "--page", "0"),
            (long, "page", page),
        ]:
            words = [request.zablab, "render", trace, "-o", pathlib.Path(folder, out), *options]
            report(f"{events_of(trace):,} events, {what}", [timed(words) for _ in range(request.runs)])
        if request.no_browser:
            return
        words = ["node", ROOT / "bench/explorer.mjs", page, str(request.runs)]
        result = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        for what, times in result.items():
            print(f"  {what:34} {statistics.median(times):.0f} ms ({min(times):.0f} to {max(times):.0f})")


main()
