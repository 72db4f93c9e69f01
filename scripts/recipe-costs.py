#!/usr/bin/env python3
"""Measures what the three elections of clients cost: notifications when n contenders join one after another, and when the leader dies.

  scripts/recipe-costs.py [--zablab build/zablab] [--runs 10 100 1000] [--long 10000] [--update]

All numbers are counted in runs of the simulator, and each has to be the one of LAWS. --long adds runs without those in which contenders
that watch the parent join one by one: 10,000 of them would have 50 million notifications, each of which is followed by a list of up
to 10,000 names. --update writes recipe-costs.svg into docs/pictures and docs/course/pictures, and the table in docs/recipes.md.
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
TOO_LONG = {"parent_watch_election"}  # to join one by one; left out of --long
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
        "expect": [{"event": {"kind": "watched"}}],
    }
    process = subprocess.run([zablab, "run", "-", "--counts", "--json"], input=json.dumps(scenario), capture_output=True, text=True,
                             check=False)
    if process.returncode != 0:
        sys.exit(process.stderr or process.stdout)
    return json.loads(process.stdout)["counts"].get("watched", 0)


def counted(zablab, recipe, n, joins):
    """When n join (None if not `joins`), and when the first dies."""
    joined = count(zablab, recipe, n, True, False) if joins else None
    return joined, count(zablab, recipe, n, False, True) - count(zablab, recipe, n, False, False)


def y_of(value):
    """The place of a number of notifications: nothing, then logarithmic up to 1,000,000."""
    return 300 if value == 0 else 270 - 40 * math.log10(value)


def panel(x0, title, which, found):
    def x_of(n):
        return x0 + 20 + 70 * math.log10(n / 10)

    ns = sorted({n for _, n in found})
    out = [f'<text x="{x0}" y="20" font-weight="bold">{title}</text>']
    for value, label in [(0, "0")] + [(10**k, f"{10**k:,}") for k in range(7)]:
        out.append(f'<line x1="{x0}" x2="{x0 + 245}" y1="{y_of(value):.0f}" y2="{y_of(value):.0f}" stroke="#ddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y_of(value) + 4:.0f}" text-anchor="end" fill="#555">{label}</text>')
    for n in ns:
        out.append(f'<text x="{x_of(n):.0f}" y="320" text-anchor="middle" fill="#555">{n:,}</text>')
    for k, (recipe, color) in enumerate(RECIPES.items()):
        values = [(n, found[recipe, n][which]) for n in ns]
        points = [(x_of(n), y_of(value) + 3 * k - 3) for n, value in values if value is not None]
        places = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        out.append(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{places}"/>')
        out += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="{color}"/>' for x, y in points]
    return out


def draw(found):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="380" viewBox="0 0 720 380" font-family="sans-serif" font-size="12">',
           '<rect width="720" height="380" fill="white"/>']
    out += panel(90, "Notifications when n join, one by one", 0, found)
    out += panel(450, "Notifications when the leader of n dies", 1, found)
    for k, (recipe, color) in enumerate(RECIPES.items()):
        out.append(f'<circle cx="{96 + 200 * k}" cy="352" r="5" fill="{color}"/>')
        out.append(f'<text x="{108 + 200 * k}" y="356">{recipe}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def table(found):
    head = ["*n* contenders"] + [f"{recipe}, {what}" for what in ("all join", "one dies") for recipe in RECIPES]
    rows = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for n in sorted({n for _, n in found}):
        values = [found[recipe, n][which] for which in (0, 1) for recipe in RECIPES]
        cells = ["not run" if value is None else f"{value:,}" for value in values]
        rows.append("| " + " | ".join([f"{n:,}"] + cells) + " |")
    return "\n".join(rows).replace("_election", "").replace("_watch", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build" / "zablab"))
    parser.add_argument("--runs", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--long", type=int, nargs="*", default=[])
    parser.add_argument("--update", action="store_true")
    request = parser.parse_args()
    found = {}
    for n, recipe in [(n, recipe) for n in request.runs + request.long for recipe in LAWS]:
        found[recipe, n] = counted(request.zablab, recipe, n, not (n in request.long and recipe in TOO_LONG))
        expected = tuple(law(n) for law in LAWS[recipe])
        if any(value not in (None, right) for value, right in zip(found[recipe, n], expected)):
            sys.exit(f"{recipe}: {n} contenders: {found[recipe, n]} notifications, expected {expected}")
    rows = table(found)
    print(rows)
    if not request.update:
        return
    for picture in PICTURES:
        picture.write_text(draw(found))
    text, written = re.subn(r"\| \*n\* contenders .*?\n\n", lambda _: rows + "\n\n", PAGE.read_text(), count=1, flags=re.S)
    if not written:
        sys.exit("docs/recipes.md has no table of costs")
    PAGE.write_text(text)


main()
