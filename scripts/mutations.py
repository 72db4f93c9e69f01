#!/usr/bin/env python3
"""Plants every mutation in turn, runs `zablab fuzz` to find it, and records how long that took.

  scripts/mutations.py [--zablab build/zablab] [--seconds 60] [--steps 10] [--resume FILE] [--update] [MUTATION...]

Each is searched for from five places in the seeds, with the same faults as everything else, on one core. docs/generated/mutations.md is
generated from the results, and scenarios/found/NAME.json from the shortest of the shrunk stories: once one has --steps steps or
fewer, no more are shrunk. With names, only those are searched for, and the page remains unchanged, or, with --update, gets their
rows, with the commit of the search. Those of a protocol other than `zab` are named `PROTOCOL/MUTATION`.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOUND = ROOT / "scenarios" / "found"
PAGE = ROOT / "docs" / "generated" / "mutations.md"
BEGINS = [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000]
PROTOCOLS = ["zab", "zookeeper"]  # of a further one, the mutations that the first does not have, and those of clients

# Mutations of the broadcast that are looked for with ZooKeeper's tree and clients: there random runs find them.
WITH_CLIENTS = {"snapshot_survives_role"}

# Mutations that show only together with another rule, and why.
BESIDE = {
    "trunc_kept_in_memory": (
        "sync_table=across_epochs",
        "the present synchronization table sends transactions after TRUNC only if a write is committed while the learner is "
        "being synchronized"),
}

# Mutations that no invariant shows, or only together with a second mutation, and why.
COVERED = {
    "follower_ahead_accepted": "no server is elected that a learner is ahead of",
    "zab_commits_out_of_order": "learners acknowledge in order",
    "zookeeper/barrier_last_trusts_its_list": "one random run in some 100,000; `a-member-comes-while-the-last-one-leaves` shows it",
    "late_acks_counted": "in random runs no connection overtakes an earlier one; `rejoin-in-the-epoch-late` shows it",
}

# Mutations that models refute, and random runs do not find: the model, and why not. Their stories are the models' counterexamples, or
# shrunk from a scenario.
MODELED = {
    "zookeeper/recipe_leader_flag_never_cleared": ("contenders-2-leader-deleted",
                                                   "nobody deletes another client's node in a random run"),
    "zookeeper/recipe_empty_means_leader": ("contenders-2-deleted", "nobody deletes another client's node in a random run"),
    "zookeeper/barrier_ready_left_behind": ("double-barrier-3-late", "in random runs nobody but the members comes to a barrier"),
    "zookeeper/sequence_overflow": ("contenders-2-overflow", "no random run creates two thousand million nodes"),
}
FROM_SCENARIOS = {"zookeeper/sequence_overflow": "recipes/003-X9-two-at-once"}

# Mutations that change how long an election takes, or how many messages it needs, but not its result.
HARMLESS = {
    "fle_no_answer_to_lower_round", "fle_keeps_vote_of_old_round", "fle_clears_box", "fle_keeps_old_votes",
    "fle_no_back_off", "fle_round_stays",
}

ABSENT = [
    ("propose_to_ackld_set", "of the paper's Zab: there NEWLEADER contains the history, and learners are sent COMMIT-LD; "
     "here a learner is registered for proposals when its synchronization is queued"),
    ("dup_propose_fatal", "of the paper's Zab: a proposal cannot arrive twice, because the history is queued before new proposals"),
    ("commitld_stale_zxid", "of the paper's Zab: there is no COMMIT-LD"),
    ("fle_dont_care_sent", "needs servers of two releases in one ensemble"),
]


def parts(name):
    """The protocol and the mutation."""
    return name.split("/") if "/" in name else (PROTOCOLS[0], name)


def mutations(zablab):
    """The texts of all mutations, by their names."""
    known = {}
    for protocol in PROTOCOLS:
        listed = json.loads(subprocess.run([zablab, "list", "mutations", "--protocol", protocol, "--json"], check=True,
                                           capture_output=True, text=True).stdout)
        for row in listed:
            if protocol == PROTOCOLS[0]:
                if row["name"] not in WITH_CLIENTS:
                    known[row["name"]] = row["text"]
            elif row["name"] not in known or row["name"].startswith("client_"):
                known[f"{protocol}/{row['name']}"] = row["text"]
    return known


class Finder:
    def __init__(self, zablab, seconds, steps):
        self.zablab, self.seconds, self.steps_wanted = zablab, seconds, steps

    def fuzz(self, name, *options):
        protocol, mutation = parts(name)
        words = [self.zablab, "fuzz", "--protocol", protocol, "--mutate", mutation, "--json", *options]
        if name in BESIDE:
            words += ["--rule", BESIDE[name][0]]
        process = subprocess.run(words, capture_output=True, text=True)
        if process.returncode not in (0, 1, 3):
            sys.exit(f"{' '.join(words)}: {process.stderr}")
        return [json.loads(line) for line in process.stdout.splitlines()]

    def search(self, name, begin):
        """The first seed that fails from `begin` on, the seeds and seconds that took; None if the time ran out."""
        since = time.monotonic()
        options = ["--seeds", f"{begin}:{begin + 900_000}", "--first", "--no-shrink", "--max-time", str(self.seconds)]
        summary = self.fuzz(name, *options)[-1]["summary"]
        took = time.monotonic() - since
        if not summary["findings"]:
            return None
        first = min(finding["first_seed"] for finding in summary["findings"])
        return {"seed": first, "seeds": first - begin + 1, "seconds": took}

    def story(self, name, seed, out):
        """The seed's story; its files are in `out`."""
        return self.fuzz(name, "--seeds", f"{seed}:{seed + 1}", "--out", str(out))[0]

    def shrunk(self, text, steps):
        """Shrinks the story once more: without the other requirements of its seed, more of it may be removed."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "story.json"
            file.write_text(text)
            process = subprocess.run([self.zablab, "shrink", str(file)], capture_output=True, text=True)
        left = re.search(r"(\d+) steps?:", process.stderr)
        if process.returncode != 0 or not left or int(left[1]) >= steps:
            return text, steps
        return process.stdout, int(left[1])


def look_for(finder, name):
    searches = [finder.search(name, begin) for begin in BEGINS]
    found = [search for search in searches if search]
    row = {"name": name, "found": len(found)}
    if not found:
        return row, None
    # If the time ran out it counts as more than any of the others.
    for key in ("seeds", "seconds"):
        values = [search[key] if search else float("inf") for search in searches]
        row[key] = statistics.median(values)
    best, text = None, None
    for search in found:
        with tempfile.TemporaryDirectory() as out:
            story = finder.story(name, search["seed"], out)
            if "summary" in story:  # there is no story of that seed
                continue
            if best is None or story["steps"] < best["steps"]:
                best = story
                trace = next(pathlib.Path(out).glob("01-*.trace.json"), None)
                text = trace and trace.with_suffix("").with_suffix(".json").read_text()
        if best["steps"] <= finder.steps_wanted:
            break
    if best is None:
        sys.exit(f"{name}: none of the seeds that fail has a story")
    row.update(what=best["what"], steps=best["steps"])
    if not text:
        return row, None
    text, steps = finder.shrunk(text, best["steps"])
    text = named_after(text, parts(name)[0])
    row.update(steps=steps, story=True)
    return row, text


def refute(finder, name):
    """The story of a mutation that its model refutes."""
    protocol, mutation = parts(name)
    model = ROOT / "scenarios" / "models" / f"{MODELED[name][0]}.json"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "counterexample.json"
        subprocess.run([finder.zablab, "check", str(model), "--mutate", mutation, "--scenario", str(file)], capture_output=True)
        if not file.exists():
            sys.exit(f"{name}: the model is not refuted")
        if name in FROM_SCENARIOS:
            scenario = json.loads((ROOT / "scenarios" / f"{FROM_SCENARIOS[name]}.json").read_text())
            for key in ("about", "because", "claims", "rules", "expect", "fails_with"):
                scenario.pop(key, None)
            file.write_text(json.dumps(scenario | {"mutations": [mutation]}))
        process = subprocess.run([finder.zablab, "shrink", str(file)], check=True, capture_output=True, text=True)
    return named_after(process.stdout, protocol)


def named_after(text, protocol):
    """A mutation of the same name has a story of the same name in the first protocol."""
    if protocol == PROTOCOLS[0]:
        return text
    return re.sub(r'^(  "name": ".*)",$', rf'\1 ({protocol})",', text, count=1, flags=re.MULTILINE)


def in_words(number):
    return "-" if number == float("inf") else f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def commit_of(*paths):
    return subprocess.run(["git", "log", "-1", "--format=%h", "--", *paths], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()


def line_of(row, known, at=""):
    """A row of the table; `at`: the commit, if it is not that of the page."""
    text = known[row["name"]].split("; found by")[0]
    if row["name"] in BESIDE:
        text += f"; together with `{BESIDE[row['name']][0]}`: {BESIDE[row['name']][1]}"
    at = at and f" (at {at})"
    if not row["found"]:
        return f"| `{row['name']}`{at} | {text} | - | 0 of 5 | - | - | - |"
    name = f"[`{row['name']}`](../../scenarios/found/{row['name']}.json)" if row.get("story") else f"`{row['name']}`"
    return (f"| {name}{at} | {text} | {row['what']} | {row['found']} of 5 | {in_words(row['seeds'])} | {in_words(row['seconds'])} | "
            f"{row['steps']} |")


def name_of(line):
    return re.match(r"\| \[?`([^`]+)`", line)[1]


def page(table, known, commit):
    """`table`: the rows as lines, by the mutations' names."""
    lines = [
        "# Mutations, and how they are found",
        "",
        f"Made by `scripts/mutations.py` at commit {commit}; do not edit. Each mutation is planted, and `zablab fuzz` looks for it with the faults of",
        "the preset `swarm`, from five places in the seeds, on one core, for a minute each. *Seeds* and *seconds* are the medians of the",
        "five until something fails; *steps* is what the shrunk story contains (steps, choices, prepared log entries).",
        "The story is a scenario that sets the mutation: it fails, and passes without it. Those named `zookeeper/` are of the protocol",
        "`zookeeper`, and are found with its clients; the others are of the protocol `zab`. A commit beside a name is that of a later search.",
        *(["A name without a link has no story yet."] if any(line.startswith("| `") for line in table.values()) else []),
        "",
        "| Mutation | What it does | Fails in | Found | Seeds | Seconds | Steps |",
        "|---|---|---|---|---|---|---|",
    ]
    without = HARMLESS | COVERED.keys() | MODELED.keys()
    shown = [table[name] for name in known if name in table and name not in without]
    lines += shown
    left = [name for name in known if name not in table and name not in without]
    stories = [int(line.split("|")[-2]) for line in shown if "| 0 of 5 |" not in line]
    lines += [
        "",
        f"Stories: {len(stories)}, of {statistics.median(stories):g} steps in the median, {max(stories)} at most.",
        "",
        "Not looked for, because they change how long an election takes or how many messages it needs, and not its result",
        "(tables and scenarios show them): " + ", ".join(f"`{name}`" for name in sorted(HARMLESS)) + ".",
        "",
        "Not found either, for the following reasons (scenarios show the first two together with a second mutation, a model the third):",
        "",
        *[f"- `{name}`: {why}." for name, why in COVERED.items()],
        "",
        "Refuted by models: `zablab check` keeps a counterexample (`--scenario`), from which `zablab shrink` makes the story. Random runs do not",
        "find them, for these reasons:",
        "",
        *[f"- [`{name}`](../../scenarios/found/{name}.json), by the model [`{model}`](../../scenarios/models/{model}.json): {why}."
          for name, (model, why) in MODELED.items()],
        "",
        *[f"The story of `{name}` is shrunk from the scenario `{scenario}`." for name, scenario in FROM_SCENARIOS.items()],
        "",
        *([] if not left else ["Not looked for yet: " + ", ".join(f"`{name}`" for name in left) + ".", ""]),
        "## Mutations that do not apply here",
        "",
    ]
    lines += [f"- `{name}`: {why}." for name, why in ABSENT]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build" / "zablab"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--resume", type=pathlib.Path, metavar="FILE", help="what an interrupted run printed")
    parser.add_argument("--update", action="store_true", help="put the rows of the named mutations into the page")
    parser.add_argument("mutations", nargs="*", metavar="MUTATION")
    request = parser.parse_args()
    finder = Finder(request.zablab, request.seconds, request.steps)
    known = mutations(request.zablab)
    unknown = [name for name in request.mutations if name not in known]
    if unknown:
        sys.exit(f"there is no mutation {unknown[0]}; see zablab list mutations")
    done = {}
    if request.resume:
        done = {row["name"]: row for row in map(json.loads, request.resume.read_text().splitlines())}
    rows = []
    for name in request.mutations or known:
        if name in done:
            rows.append(done[name])
            continue
        if name in HARMLESS | COVERED.keys() and not request.mutations:
            continue
        if name in MODELED:
            (FOUND / f"{name}.json").write_text(refute(finder, name))
            continue
        row, story = look_for(finder, name)
        rows.append(row)
        print(json.dumps(row), flush=True)
        if story:
            (FOUND / name).parent.mkdir(exist_ok=True)
            (FOUND / f"{name}.json").write_text(story)
    commit = commit_of("protocol", "checker", "sim")
    if not request.mutations:
        PAGE.write_text(page({row["name"]: line_of(row, known) for row in rows}, known, commit))
    elif request.update:
        text = PAGE.read_text()
        table = {name_of(line): line for line in re.findall(r"^\| \[?`.*$", text, re.MULTILINE)}
        table |= {row["name"]: line_of(row, known, commit) for row in rows}
        PAGE.write_text(page(table, known, re.search(r"at commit (\w+);", text)[1]))


if __name__ == "__main__":
    main()
