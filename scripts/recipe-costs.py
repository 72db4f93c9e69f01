#!/usr/bin/env python3
"""Measures what the three elections of clients cost: notifications when n contenders join one after another, and when the leader dies.

  scripts/recipe-costs.py [--zablab build/zablab] [--runs 10 100 1000] [--long 10000] [--update]
  scripts/recipe-costs.py --recipes [--zablab build/zablab] [--update]

All numbers are counted in runs of the simulator, and each has to be the one of LAWS. --long adds runs without those in which contenders
that watch the parent join one by one: 10,000 of them would have 50 million notifications, each of which is followed by a list of up
to 10,000 names. Their number is computed, and marked. --update writes recipe-costs.svg into docs/pictures and docs/course/pictures, and
the table in docs/recipes.md.

--recipes counts what ten clients of every recipe request, and how often they are notified; --update writes the table of all recipes in
docs/recipes.md.
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
    """When n join (None if not `joins`: it is computed), and when the first dies."""
    joined = count(zablab, recipe, n, True, False) if joins else None
    return joined, count(zablab, recipe, n, False, True) - count(zablab, recipe, n, False, False)


def y_of(value):
    """The place of a number of notifications: nothing, then logarithmic up to 100,000,000."""
    return 300 if value == 0 else 270 - 30 * math.log10(value)


def panel(x0, title, which, found):
    def x_of(n):
        return x0 + 20 + 70 * math.log10(n / 10)

    ns = sorted({n for _, n in found})
    out = [f'<text x="{x0}" y="20" font-weight="bold">{title}</text>']
    for value, label in [(0, "0")] + [(10**k, f"{10**k:,}") for k in range(9)]:
        out.append(f'<line x1="{x0}" x2="{x0 + 245}" y1="{y_of(value):.0f}" y2="{y_of(value):.0f}" stroke="#ddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y_of(value) + 4:.0f}" text-anchor="end" fill="#555">{label}</text>')
    for n in ns:
        out.append(f'<text x="{x_of(n):.0f}" y="320" text-anchor="middle" fill="#555">{n:,}</text>')
    for k, (recipe, color) in enumerate(RECIPES.items()):
        points = []
        for n in ns:
            value = found[recipe, n][which]
            number = LAWS[recipe][which](n) if value is None else value
            points.append((x_of(n), y_of(number) + 3 * k - 3, value is not None))
        for (x1, y1, _), (x2, y2, is_counted) in zip(points, points[1:]):
            dashes = "" if is_counted else ' stroke-dasharray="5 4"'
            out.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{color}" stroke-width="2"{dashes}/>')
        for x, y, is_counted in points:
            out.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" stroke="{color}" fill="{color if is_counted else "white"}"/>')
    return out


def draw(found):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="390" viewBox="0 0 720 390" font-family="sans-serif" font-size="12">',
           '<rect width="720" height="390" fill="white"/>']
    out += panel(90, "Notifications when n join, one by one", 0, found)
    out += panel(450, "Notifications when the leader of n dies", 1, found)
    for k, (recipe, color) in enumerate(RECIPES.items()):
        out.append(f'<circle cx="{96 + 200 * k}" cy="352" r="5" fill="{color}"/>')
        out.append(f'<text x="{108 + 200 * k}" y="356">{recipe}</text>')
    out.append('<text x="90" y="376" fill="#555">filled: counted in runs; hollow and dashed: computed, n(n-1)/2</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def table(found):
    head = ["*n* contenders"] + [f"{recipe}, {what}" for what in ("all join", "one dies") for recipe in RECIPES]
    rows = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for n in sorted({n for _, n in found}):
        values = [(found[recipe, n][which], LAWS[recipe][which](n)) for which in (0, 1) for recipe in RECIPES]
        cells = [f"({right:,})" if value is None else f"{value:,}" for value, right in values]
        rows.append("| " + " | ".join([f"{n:,}"] + cells) + " |")
    return "\n".join(rows).replace("_election", "").replace("_watch", "")


# ---- all recipes

TEN = range(100, 110)
JOINED_MS = 4000  # by then all ten have come
OVER_MS = 20000


def each(step, apart_ms=100, start_ms=1000):
    """The same for each of the ten, one after another."""
    return [{"at": start_ms + apart_ms * i, "client": client, **(step(i) if callable(step) else step)} for i, client in enumerate(TEN)]


def line(recipe, **settings):
    """Each takes part, and waits for its turn; then the first gives its place up."""
    return (each({"run": recipe, "path": "/r", **settings}, start_ms=500) + each({"do": "acquire"}, 200),
            [{"at": JOINED_MS, "client": 100, "do": "release"}])


def election(recipe):
    return each({"run": recipe, "path": "/r"}, 200), [{"at": JOINED_MS, "client": 100, "do": "leave"}]


def waiting_for(recipe, act, then, **settings):
    """Each comes and waits for what happens then."""
    return each({"run": recipe, "path": "/r", **settings}, start_ms=500) + each({"do": act}, 200), then


# By recipe: what the ten do, in words and as steps; what follows; what is promised, and what is not. Invariants are those of the page.
ALL_RECIPES = {
    "unfair_election": (
        "ten take part; the leader leaves", election("unfair_election"),
        "one leader (`one-holder`), who stops when its session is over (`belief-ends`); somebody leads (`somebody-leads`)",
        "an order; few notifications; one believer"),
    "parent_watch_election": (
        "ten take part; the leader leaves", election("parent_watch_election"),
        "what the unfair one does, in the order of the numbers (`first-in-line`), with one place for each (`one-place`)",
        "few notifications; one believer; that another leads while the next has stopped"),
    "predecessor_watch_election": (
        "ten take part; the leader leaves", election("predecessor_watch_election"),
        "what `parent_watch_election` does, and one notification for each that goes (`no-herd`)", "one believer; that another leads while the next has stopped"),
    "leader_latch": (
        "ten take part; the leader leaves", election("leader_latch"),
        "what the line of `predecessor_watch_election` does, also when a client begins a new session beside the old one",
        "one believer; that another leads while the next has stopped"),
    "lock": (
        "ten acquire it; the first releases it", line("lock"),
        "one holder, in the order of the numbers, one notification for each release; with a resource that compares numbers: no late use (`fencing`)",
        "one believer; anything about a resource that does not compare numbers"),
    "shared_lock": (
        "a writer and nine readers acquire it; the writer releases it",
        (each(lambda i: {"run": "shared_lock", "path": "/r", "reader": i > 0}, start_ms=500) + each({"do": "acquire"}, 200),
         [{"at": JOINED_MS, "client": 100, "do": "release"}]),
        "one writer, or readers alone; nobody passes a writer who came before", "that a release notifies one: all readers watch the last writer before them"),
    "semaphore": (
        "ten acquire one of three leases; the first releases it", line("semaphore", leases=3),
        "no more holders than leases, in the order of the numbers", "few notifications; one believer for each lease"),
    "barrier": (
        "ten wait; the node is deleted", waiting_for("barrier", "enter", [{"at": JOINED_MS, "client": 110, "delete": "/r"}]),
        "nobody passes while the node is there (`barrier-open`), and nobody waits when it is gone (`barrier-passes`)", "that all pass at the same moment"),
    "double_barrier": (
        "ten enter; all of them leave",
        waiting_for("double_barrier", "enter", each({"do": "leave"}, 10, JOINED_MS), members=10),
        "nobody enters before all have come, and nobody is out while one is in (`barrier-whole`); nobody waits for ever (`barrier-passes`)",
        "that it opens, or closes, while a member is missing: the others wait"),
    "queue": (
        "ten wait for an item; one is put", waiting_for("queue", "take", [{"at": JOINED_MS, "client": 110, "do": "put", "data": "x"}]),
        "an item is taken once (`taken-once`), and soon (`items-are-taken`)", "that a consumer that dies has processed what it has taken; few notifications"),
    "protected_queue": (
        "ten wait for an item; one is put",
        waiting_for("protected_queue", "take", [{"at": JOINED_MS, "client": 110, "do": "put", "data": "x"}]),
        "no item is deleted before it was processed (`item-processed`), or processed by two at a time", "that an item is processed once; few notifications"),
    "two_phase_commit": (
        "a coordinator and nine sites begin; all vote to commit",
        (each(lambda i: {"run": "two_phase_commit", "path": "/r", "members": 9, "coordinator": i == 0}),
         each({"do": "commit"}, 10, JOINED_MS)[1:]),
        "all learn the same decision (`transaction-agrees`), and a commit needs all votes (`transaction-votes`)",
        "that it ends without a coordinator"),
    "configuration": (
        "ten watch two nodes; one of the ten changes both",
        (each({"run": "configuration", "path": "/r", "parts": 2}), [{"at": JOINED_MS, "client": 100, "do": "push", "data": "x"}]),
        "all parts are of one change (`config-whole`), and of the last one in the end (`changes-arrive`)", "that each change is seen"),
    "membership": (
        "ten join; one leaves", election("membership"),
        "a view is the list of a moment (`group-view`), and the last one in the end (`changes-arrive`)",
        "that who has died is no member: it is one until its session is over; few notifications"),
    "discovery": (
        "five providers and five readers; a provider leaves",
        (each(lambda i: {"run": "discovery", "path": "/r", "reader": i >= 5}, 200), [{"at": JOINED_MS, "client": 100, "do": "leave"}]),
        "what `membership` does, to readers that are no members", "that a provider which is chosen is alive"),
    "naming": (
        "ten begin; each asks for a name", (each({"run": "naming", "path": "/r"}), each({"do": "name"}, 100, JOINED_MS)),
        "no name is given twice (`name-once`)", "names without gaps"),
}


def costs_of(zablab, recipe, steps, until):
    connects = [{"at": 1 + i, "client": client, "connect": 1, "timeout": 6000, "renews": True} for i, client in enumerate([*TEN, 110])]
    # The eleventh is not one of the ten: it creates a barrier's node, or puts an item.
    other = {"barrier": [{"at": 100, "client": 110, "create": "/r"}]}.get(recipe, [])
    if recipe in ("queue", "protected_queue"):
        other = [{"at": 100, "client": 110, "run": recipe, "path": "/r"}]
    scenario = {
        "kind": "scenario", "name": "costs", "protocol": "zookeeper", "servers": 1, "config": {"standalone": True},
        "clients": [{"id": client} for client in [*TEN, 110]],
        "timing": {"latency_ms": [2, 2], "dial_ms": 1, "fsync_ms": 0}, "steps": connects + other + steps, "until": until,
        "expect": [{"event": {"kind": "recipe_began"}}],
    }
    process = subprocess.run([zablab, "run", "-", "--counts", "--json"], input=json.dumps(scenario), capture_output=True, text=True,
                             check=False)
    if process.returncode != 0:
        sys.exit(process.stderr or process.stdout)
    counts = json.loads(process.stdout)["counts"]
    return counts.get("requested", 0), counts.get("watched", 0)


def defects():
    """By recipe, its mutations and the first file that shows each."""
    named = re.findall(r'Mutation\{\s*"(\w+)"', (ROOT / "protocol" / "recipes" / "mutations.h").read_text())
    # Shrunk stories first.
    files = [path for folder in ("found", "recipes", "models") for path in sorted((ROOT / "scenarios" / folder).rglob("*.json"))]
    shown = {recipe: {} for recipe in ALL_RECIPES}
    for path in files:
        document = json.loads(path.read_text())
        uses = {step["run"] for step in document.get("steps", []) + document.get("asks", []) if "run" in step}
        breaks = document.get("mutations", []) + [how.get("mutation") for how in document.get("fails_with", [])]
        if len(uses - {"resource"}) > 1:
            continue  # it may be the other recipe that breaks
        for recipe in uses & set(shown):
            for mutation in set(breaks) & set(named):
                shown[recipe].setdefault(mutation, path.relative_to(ROOT))
    left = set(named) - {mutation for mutations in shown.values() for mutation in mutations}
    if left:
        sys.exit(f"no file shows {', '.join(sorted(left))}")
    return {recipe: {mutation: shown[recipe][mutation] for mutation in named if mutation in shown[recipe]} for recipe in shown}


def recipes_table(zablab):
    rows = ["| recipe | what is counted | requests | notifications | what it promises | what it does not promise | its defects |",
            "| --- | --- | ---: | ---: | --- | --- | --- |"]
    shown = defects()
    for recipe, (words, (before, after), promises, lacks) in ALL_RECIPES.items():
        requests, notifications = costs_of(zablab, recipe, before, JOINED_MS)
        all_requests, all_notifications = costs_of(zablab, recipe, before + after, OVER_MS)
        links = ", ".join(f"[`{mutation}`](../{path})" for mutation, path in shown[recipe].items())
        rows.append(f"| `{recipe}` | {words} | {requests} + {all_requests - requests} | {notifications} + {all_notifications - notifications} "
                    f"| {promises} | {lacks} | {links} |")
    return "\n".join(rows)


def update_recipes(rows):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    text = PAGE.read_text()
    text, written = re.subn(r"\| recipe \| what is counted .*?\n\n", lambda _: rows + "\n\n", text, count=1, flags=re.S)
    text, named = re.subn(r"counted at commit \w+", f"counted at commit {commit}", text, count=1)
    if not written or not named:
        sys.exit("docs/recipes.md has no table of recipes, or names no commit")
    PAGE.write_text(text)



def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build" / "zablab"))
    parser.add_argument("--runs", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--long", type=int, nargs="*", default=[])
    parser.add_argument("--recipes", action="store_true")
    parser.add_argument("--update", action="store_true")
    request = parser.parse_args()
    if request.recipes:
        rows = recipes_table(request.zablab)
        print(rows)
        if request.update:
            update_recipes(rows)
        return
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
