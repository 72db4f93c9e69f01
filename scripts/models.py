#!/usr/bin/env python3
"""Searches the shipped models again, in every way that their files list as `confirmed`, and compares the counts; and with each
of the changes that they name in `fails_with`, which has to refute them.

  scripts/models.py [--zablab build-fast/zablab] [--most 80000000] [--least 0] [--memory 20G] [--scratch DIR] [--update] [FILE...]
  scripts/models.py --update --results FILE     the output of `zablab check --json`, run manually or on another machine: one line
                                                each, to which "commit": "..." may be added

Models of at most this many states (according to their files), small ones first: all but five of them take twenty minutes on two idle
cores, those five take hours. --scratch keeps on disk what need not be in memory. --update writes the results into the files, if
all ways agree, and into docs/generated/models.md; without it a difference ends the program with status 1. A build without assertions
is recommended: meson setup build-fast --buildtype=release -Db_ndebug=true.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "generated" / "models.md"


def name_of(way):
    jobs = way.get("jobs", 1)
    return f"{way.get('search', 'bfs')}, {jobs} thread{'s' if jobs > 1 else ''}" + (", exact" if way.get("exact") else "")


def search(request, file, way):
    if request.results:
        for line in request.results.read_text().splitlines():
            result = json.loads(line)
            same = all(result[key] == way.get(key, other) for key, other in (("search", "bfs"), ("jobs", 1), ("exact", False)))
            if pathlib.Path(result["file"]).name == file.name and same:
                return result
        return None
    words = [request.zablab, "check", str(file), "--json", "--search", way.get("search", "bfs"), "--jobs", str(way.get("jobs", 1)),
             "--memory", request.memory]
    if way.get("exact"):
        words.append("--exact")
    elif request.scratch:
        words += ["--scratch", request.scratch]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    if not process.stdout:
        sys.exit(f"{file.name}: {process.stderr}")
    return json.loads(process.stdout)


def not_refuted_by(request, file, change):
    """What is wrong: empty if a search with the change, a mutation, rule or variant, does not end as the model expects."""
    option, value = next((name, change[name]) for name in ("mutation", "rule", "variant") if name in change)
    words = [request.zablab, "check", str(file), "--json", "--jobs", "2", "--memory", request.memory]
    for one in value.split(", "):
        words += [{"mutation": "--mutate"}.get(option, f"--{option}"), one]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    if not process.stdout:
        return f"{value}: {process.stderr}"
    result = json.loads(process.stdout)
    goals = result.get("goals", [])
    unreached = result["exhausted"] and any(not goal["never"] and goal["depth"] is None for goal in goals)
    expected = json.loads(file.read_text())["expect"]
    if expected.get("verdict") == "violated":  # the change is the repair of what the model shows
        return "" if result["verdict"] == "holds" else f"{value}: {result['verdict']}"
    return "" if result["verdict"] == "violated" or unreached else f"{value}: {result['verdict']}"


def update_file(file, model, found):
    expect = dict(model["expect"], distinct=found["distinct"], generated=found["generated"])
    if found["depth"]:
        expect["depth"] = found["depth"]
    elif expect["distinct"] != model["expect"]["distinct"]:
        expect.pop("depth", None)  # only breadth-first searches report it
    if expect == model["expect"]:
        return
    text = file.read_text()
    text = re.sub(r'"expect": \{[^\n]*\}', lambda _: '"expect": ' + json.dumps(expect), text, count=1)
    json.loads(text)
    file.write_text(text)


def update_page(rows):
    """Rows of other models remain unchanged."""
    known = {}
    if PAGE.exists():
        for line in PAGE.read_text().splitlines():
            match = re.match(r"\| `([^`]+)` \|", line)
            if match:
                known[match[1]] = line
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    for row in rows:
        ways = "; ".join(f"{way} {seconds:,.0f} s" for way, seconds in row["ways"])
        depth = row["depth"] or ""
        known[row["name"]] = (f"| `{row['name']}` | {row['verdict']} | {row['distinct']:,} | {row['generated']:,} | {depth} | {ways} | "
                              f"{row['memory'] / 2**30:.1f} | {row['commit'] or commit} |")
    count = lambda line: int(line.split("|")[3].strip().replace(",", "") or 0)
    lines = ["# Results of the shipped models", "",
             "Made by `scripts/models.py --update`; do not edit. Each model was searched in each of the ways listed, which gave the same",
             "states and transitions; *depth* is that of the breadth-first search, *GiB* the largest memory of a search, *commit* what was built. The",
             "seconds of some were measured on a machine with other load.", "",
             "| model | verdict | distinct | generated | depth | searches | GiB | commit |", "|---|---|---:|---:|---:|---|---:|---|"]
    PAGE.write_text("\n".join(lines + sorted(known.values(), key=lambda line: (count(line), line))) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build-fast" / "zablab"))
    parser.add_argument("--most", type=int, default=80_000_000)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--memory", default="20G")
    parser.add_argument("--scratch", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    request = parser.parse_args()
    files = [file.resolve() for file in request.files] or [
        file for folder in ("models", "large-models") for file in sorted((ROOT / "scenarios" / folder).glob("*.json"))]
    models = {file: json.loads(file.read_text()) for file in files}
    states = {file: (model.get("expect") or {}).get("distinct") or 0 for file, model in models.items()}
    rows, differ = [], 0
    for file in sorted(files, key=lambda one: (states[one], one)):
        model = models[file]
        if not model.get("confirmed") or (not request.files and not request.least <= states[file] <= request.most):
            continue
        found, ways, problems, memory = None, [], [], 0
        for way in model["confirmed"]:
            result = search(request, file, way)
            if result is None:
                continue
            counts = {key: result[key] for key in ("verdict", "distinct", "generated")}
            counts["depth"] = result["depth"] if way.get("search", "bfs") == "bfs" else (found or {}).get("depth")
            if not result["exhausted"]:
                problems.append(f"{name_of(way)}: {result['verdict']}, stopped by {result['stopped_by']}")
            elif result.get("undecided"):
                problems += [f"{name_of(way)}: {reason}" for reason in result["undecided"]]
            elif found and any(counts[key] != found[key] for key in ("verdict", "distinct", "generated")):
                problems.append(f"{name_of(way)}: {counts} is not {found}")
            found, result_of = found or counts, result
            ways.append((name_of(way), result["seconds"]))
            memory = max(memory, result["memory_bytes"])
            if result["problems"] and not request.update:
                problems += result["problems"]
        if found is None:
            continue
        if not request.results:
            problems += filter(None, (not_refuted_by(request, file, change) for change in model.get("fails_with", [])))
        print(f"{file.stem}: {found['verdict']}, {found['distinct']:,} distinct, {found['generated']:,} generated; "
              + ("; ".join(problems) or ", ".join(way for way, _ in ways)), flush=True)
        if problems:
            differ += 1
        elif request.update:
            update_file(file, model, found)
            rows.append({"name": file.stem, "ways": ways, "memory": memory, "commit": result_of.get("commit"), **found})
            update_page(rows)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
