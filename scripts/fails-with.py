#!/usr/bin/env python3
"""Finds changes that make a scenario's expectations fail, for its `fails_with`.

  scripts/fails-with.py FILE|DIR...           which expectations no entry breaks, and entries that would
  scripts/fails-with.py --write FILE|DIR...   adds these entries to the files

Tried are each mutation, rule and variant of the protocol, and for what is left further steps: a node is killed or
started at the time of a step, or at a quarter of the run, messages of one type and direction are held back, or a
client asks again for what it asked; with --deep each of these together with each mutation, which takes minutes for a
file. An expectation that is still left says nothing, or the protocol lacks a mutation.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

SOME = 120  # entries of one kind that are tried at most
WORDS = {"mutation": ("mutations", "--mutate"), "rule": ("rules", "--rule"), "variant": ("variants", "--variant")}


class Scenario:
    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.json = json.loads(self.text)
        self.entries = [json.dumps(entry) for entry in self.json.get("fails_with", [])]
        self.expected = self.json.get("expect", [])
        self.ways = {}  # by the text of an entry: the expectations that fail
        self.protocol = self.json.get("protocol", "zab")

    def counts(self):
        return self.json.get("kind") == "scenario" and not self.json.get("fails") and len(self.expected) > 0

    def broken_by(self, entries):
        return set().union(*(self.ways.get(entry, ()) for entry in entries))

    def left(self, entries):
        return set(range(len(self.expected))) - self.broken_by(entries)

    def with_entry(self, entry):
        """The scenario with the changes of an entry."""
        changed = {key: value for key, value in self.json.items() if key not in ("fails_with", "claims")}
        if "mutation" in entry:
            changed["mutations"] = changed.get("mutations", []) + [entry["mutation"]]
        if "rule" in entry:
            changed["rules"] = changed.get("rules", {}) | dict(rule.split("=", 1) for rule in entry["rule"].split(", "))
        if "variant" in entry:
            changed["variant"] = entry["variant"]
        changed["steps"] = changed.get("steps", []) + entry.get("steps", [])
        return changed


class Program:
    def __init__(self, path):
        self.path = path

    def output(self, *words):
        return subprocess.run([self.path, *map(str, words)], capture_output=True, text=True).stdout

    def names(self, several, protocol):
        return [line.split()[0] for line in self.output("list", several, "--protocol", protocol).splitlines()
                if line[:1].strip()]

    def failed(self, paths, *options):
        """The expectations that fail, by file."""
        rows = map(json.loads, self.output("run", *paths, *options, "--json").splitlines())
        return {row["file"]: {int(one[1]) for problem in row.get("problems", [])
                              if (one := re.match(r"expect\[(\d+)\]", problem))} for row in rows}

    def messages(self, scenario, folder):
        """The messages that are sent, each with its way and type once."""
        trace = folder / "run.trace.json"
        self.output("run", scenario.path, "--trace", trace)
        if not trace.exists():
            return []
        events = json.loads(trace.read_text())["events"]
        trace.unlink()
        sent = ((event["node"], event["data"]) for event in events if event["kind"] == "sent")
        return sorted({(data["link"], node, data["receiver"], data["type"]) for node, data in sent if "type" in data})


def try_names(program, protocol, scenarios, resume):
    """Each mutation, rule and variant, on all files of a protocol by one process."""
    known = {}
    if resume and resume.exists():
        known = {(row["protocol"], row["entry"]): row["failed"] for row in map(json.loads, resume.open())}
    for word, (several, option) in WORDS.items():
        for name in program.names(several, protocol):
            entry = json.dumps({word: name})
            failed = known.get((protocol, entry))
            if failed is None:
                failed = program.failed([one.path for one in scenarios], option, name)
                failed = {file: sorted(which) for file, which in failed.items() if which}
                if resume:
                    with resume.open("a") as out:
                        out.write(json.dumps({"protocol": protocol, "entry": entry, "failed": failed}) + "\n")
            for one in scenarios:
                one.ways[entry] = set(failed.get(str(one.path), ()))


def try_entries(program, one, entries):
    """Entries that are changes of the file."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"{number}.json" for number in range(len(entries))]
        for path, entry in zip(paths, entries):
            path.write_text(json.dumps(one.with_entry(entry)))
        failed = program.failed(paths)
    for path, entry in zip(paths, entries):
        one.ways[json.dumps(entry)] = failed.get(str(path), set())


def nodes_of(one):
    """The servers and clients that can be killed."""
    servers = one.json.get("servers", [])
    if isinstance(servers, int):
        servers = [{"id": server} for server in range(1, servers + 1)]
    return [node["id"] for node in servers + one.json.get("clients", []) if not node.get("scripted")]


def step_candidates(program, one, deep):
    """Lists of entries with one step, and then of those and each mutation."""
    steps = []
    for some in single_steps(program, one):
        some = some[:: len(some) // SOME + 1]
        steps += some
        yield some
    for mutation in program.names("mutations", one.protocol) if deep else []:
        yield [{"mutation": mutation} | entry for entry in steps]


def single_steps(program, one):
    now, times = 0, {0}
    for step in one.json.get("steps", []):
        if "when" not in step:
            now = step.get("at", now + step.get("after", 0))
            times |= {now, now + 1}
    until = one.json["until"]
    nodes = nodes_of(one)
    at_steps = sorted(time for time in times if time < until)
    kills = [{"steps": [{"at": time, "kill": node}]} for time in at_steps for node in nodes]
    with tempfile.TemporaryDirectory() as folder:
        messages = program.messages(one, pathlib.Path(folder))
    yield kills + [{"steps": [{"at": 0, "hold": {"link": link, "from": sender, "to": to, "message": {"type": kind}}}]}
                   for link, sender, to, kind in messages]
    quarters = [until // 4, until // 2, until * 3 // 4, until - 1]
    yield [{"steps": [{"at": time, "start": node}]} for time in at_steps + quarters for node in nodes]
    yield [{"steps": [{"at": time, "kill": node}]} for time in quarters for node in [*nodes, nodes]]
    yield [{"steps": [{"at": time, "kill": nodes}]} for time in at_steps]
    asked = {json.dumps({key: value for key, value in step.items() if key not in ("at", "after", "when")})
             for step in one.json.get("steps", []) if "client" in step}
    yield [{"steps": [{"at": time} | json.loads(step)]} for time in at_steps for step in sorted(asked)]


def added(one):
    """Further entries that break all that can be broken: first those without steps, each time the one that breaks
    most of what is left, and then those with steps, each time the one that breaks least."""
    entries = list(one.entries)
    for with_steps in (False, True):
        some = [entry for entry in one.ways if ('"steps"' in entry) == with_steps]
        while some:
            left = one.left(entries)
            useful = [entry for entry in some if left & one.ways[entry]]
            if not useful:
                break
            if with_steps:
                entries.append(min(useful, key=lambda entry: len(one.ways[entry])))
            else:
                entries.append(max(useful, key=lambda entry: (len(left & one.ways[entry]), -len(one.ways[entry]))))
    return entries[len(one.entries):]


def text_with(text, entries):
    """The file's text with these entries in `fails_with`."""
    lines = ",\n".join(f"    {entry}" for entry in entries)
    begin = re.search(r'"fails_with": \[', text)
    if begin is None:
        return re.sub(r"\s*\}\s*$", lambda _: f',\n  "fails_with": [\n{lines}\n  ]\n}}\n', text)
    _, length = json.JSONDecoder().raw_decode(text[begin.end() - 1:])
    before = text[begin.end():begin.end() - 2 + length].strip()
    return text[:begin.end()] + f"\n    {before},\n{lines}\n  " + text[begin.end() - 2 + length:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, metavar="FILE|DIR")
    parser.add_argument("--zablab", default="build/zablab")
    parser.add_argument("--write", action="store_true", help="add the entries that were found")
    parser.add_argument("--deep", action="store_true", help="try steps together with mutations, too")
    parser.add_argument("--resume", type=pathlib.Path, metavar="F",
                        help="keep what mutations, rules and variants break in F")
    options = parser.parse_args()
    program = Program(options.zablab)
    files = [file for path in options.paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    scenarios = [one for one in map(Scenario, files) if one.counts()]
    for protocol in sorted({one.protocol for one in scenarios}):
        try_names(program, protocol, [one for one in scenarios if one.protocol == protocol], options.resume)
    total = before = after = 0
    for one in scenarios:
        others = [json.loads(entry) for entry in one.entries if entry not in one.ways]
        if others:
            try_entries(program, one, others)
        for entries in step_candidates(program, one, options.deep):
            if not one.left(one.ways):
                break
            try_entries(program, one, entries)
        more = added(one)
        left = one.left(one.entries + more)
        total += len(one.expected)
        before += len(one.broken_by(one.entries))
        after += len(one.expected) - len(left)
        if more or left:
            print(one.path)
        for entry in more:
            print(f"  could be added: {entry}  breaks {sorted(one.ways[entry])}")
        for number in sorted(left):
            print(f"  nothing breaks expect[{number}]: {json.dumps(one.expected[number], ensure_ascii=False)}")
        if options.write and more:
            one.path.write_text(text_with(one.text, more))
    print(f"{before} of {total} expectations were broken by an entry; with what could be added {after}")


if __name__ == "__main__":
    main()
