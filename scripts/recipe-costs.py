#!/usr/bin/env python3
"""Measures what the three elections of clients cost: notifications when n contenders join one after another, and when the leader dies.

  scripts/recipe-costs.py [--zablab build/zablab] [--runs 10 20 30] [--beyond 100 1000 10000] [--update]

The numbers of --runs, at most 31, are counted in runs of the simulator, and each has to be the one of LAWS. By these the numbers of
--beyond are computed. --update writes recipe-costs.svg into docs/pictures and docs/course/pictures, and the table in docs/recipes.md.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "recipes.md"
PICTURES = [ROOT / "docs" / folder / "pictures" / "recipe-costs.svg" for folder in (".", "course")]
RECIPES = {"unfair_election": "#b3541e", "parent_watch_election": "#7a3e9d", "predecessor_watch_election": "#1f6f54"}
# Notifications when n join, and when one of n dies.
LAWS = {
    "unfair_election": (lambda n: 0, lambda n: n - 1),
    "parent_watch_election": (lambda n: n * (n - 1) // 2, lambda n: n - 1),
    "predecessor_watch_election": (lambda n: 0, lambda n: 1),
}
IMPOSSIBLE = 2**31 - 1  # an expectation that fails says how often an event was seen
JOIN_MS = 20  # the time between two joins: enough for one to be over


def count(zablab, recipe, n, apart, dies):
    """Notifications of n contenders that join; `apart`: one after another, otherwise at once."""
    joined = 2000 + (JOIN_MS * n if apart else 0)
    steps = [{"at": 1, "client": 100 + i, "connect": 1, "timeout": 6000} for i in range(n)]
    # The first comes before all others, so that it leads.
    steps += [{"at": 1000 + (JOIN_MS * i if apart else 500 * (i > 0)), "client": 100 + i, "run": recipe, "path": "/election"}
              for i in range(n)]
    if dies:
        steps.append({"at": joined + 1000, "kill": 100})
    scenario = {
        "kind": "scenario", "name": "costs", "protocol": "zookeeper", "servers": 1, "config": {"standalone": True},
        "clients": [{"id": 100 + i} for i in range(n)],
        "timing": {"latency_ms": [2, 2], "dial_ms": 1, "fsync_ms": 0}, "steps": steps, "until": joined + 12000,
        "expect": [{"event": {"kind": "watched"}, "count": IMPOSSIBLE}],
    }
    process = subprocess.run([zablab, "run", "-", "--json"], input=json.dumps(scenario), capture_output=True, text=True, check=False)
    if process.returncode not in (0, 1):
        sys.exit(process.stderr or process.stdout)
    seen = re.search(r"was seen (\d+) times", json.loads(process.stdout)["problems"][0])
    return int(seen[1])


def counted(zablab, recipe, n):
    """When n join, and when the first dies."""
    return count(zablab, recipe, n, True, False), count(zablab, recipe, n, False, True) - count(zablab, recipe, n, False, False)


def y_of(value):
    """The place of a number of notifications: nothing, then logarithmic up to 100,000,000."""
    return 300 if value == 0 else 270 - 30 * math.log10(value)


def panel(x0, title, which, ns, runs):
    def x_of(n):
        return x0 + 20 + 70 * math.log10(n / 10)

    out = [f'<text x="{x0}" y="20" font-weight="bold">{title}</text>']
    for value, label in [(0, "0")] + [(10**k, f"{10**k:,}") for k in range(9)]:
        out.append(f'<line x1="{x0}" x2="{x0 + 245}" y1="{y_of(value):.0f}" y2="{y_of(value):.0f}" stroke="#ddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y_of(value) + 4:.0f}" text-anchor="end" fill="#555">{label}</text>')
    for n in (10, 100, 1000, 10000):
        out.append(f'<text x="{x_of(n):.0f}" y="320" text-anchor="middle" fill="#555">{n:,}</text>')
    for k, (recipe, color) in enumerate(RECIPES.items()):
        points = [(x_of(n), y_of(LAWS[recipe][which](n)) + 3 * k - 3) for n in ns]
        places = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        out.append(f'<polyline fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="5 4" points="{places}"/>')
        out += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="{color}"/>' for n, (x, y) in zip(ns, points) if n in runs]
    return out


def draw(ns, runs):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="380" viewBox="0 0 720 380" font-family="sans-serif" font-size="12">',
           '<rect width="720" height="380" fill="white"/>']
    out += panel(90, "Notifications when n join, one by one", 0, ns, runs)
    out += panel(450, "Notifications when the leader of n dies", 1, ns, runs)
    for k, (recipe, color) in enumerate(RECIPES.items()):
        out.append(f'<circle cx="{96 + 200 * k}" cy="352" r="5" fill="{color}"/>')
        out.append(f'<text x="{108 + 200 * k}" y="356">{recipe}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def table(ns, runs):
    head = ["*n* contenders"] + [f"{recipe}, {what}" for what in ("all join", "one dies") for recipe in RECIPES]
    rows = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for n in ns:
        cells = [f"{LAWS[recipe][which](n):,}" for which in (0, 1) for recipe in RECIPES]
        rows.append("| " + " | ".join([f"{n:,}" + ("" if n in runs else " (computed)")] + cells) + " |")
    return "\n".join(rows).replace("_election", "").replace("_watch", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build" / "zablab"))
    parser.add_argument("--runs", type=int, nargs="+", default=[10, 20, 30])
    parser.add_argument("--beyond", type=int, nargs="*", default=[100, 1000, 10000])
    parser.add_argument("--update", action="store_true")
    request = parser.parse_args()
    for recipe, (joins, dies) in LAWS.items():
        for n in request.runs:
            found = counted(request.zablab, recipe, n)
            if found != (joins(n), dies(n)):
                sys.exit(f"{recipe}: {n} contenders: {found} notifications, expected {joins(n), dies(n)}")
    ns = sorted({*request.runs, *request.beyond})
    rows = table(ns, request.runs)
    print(rows)
    if not request.update:
        return
    for picture in PICTURES:
        picture.write_text(draw(ns, request.runs))
    text, found = re.subn(r"\| \*n\* contenders .*?\n\n", lambda _: rows + "\n\n", PAGE.read_text(), count=1, flags=re.S)
    if not found:
        sys.exit("docs/recipes.md has no table of costs")
    PAGE.write_text(text)


main()
