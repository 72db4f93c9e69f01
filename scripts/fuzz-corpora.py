#!/usr/bin/env python3
"""Makes the initial inputs of scripts/fuzz-coverage.sh from the repository's own files.

  OUT/TARGET/seeds/    inputs: scenarios and tables, parts of traces, zoo.cfg texts, choices of runs
  OUT/TARGET/dict      words that libFuzzer inserts, from the program's schemas and lists
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys

TRACE_EVENTS = 12  # of a trace, so that a seed stays small
PICTURE_EVENTS, PICTURE_BYTES = 30, 16384  # of a part of a trace; as in scripts/fuzz-coverage.sh
RUNS = 64  # random seeds to begin with
RUN_BYTES, DRAWING_BYTES = 4096, 2048  # of a run: all, and those for drawing it (tests/fuzz/simulator.cc)


def text_of(document):
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def below(value):
    """The value and everything in it."""
    yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from below(child)


def shortened(trace):
    """The trace's beginning, which is itself a trace."""
    trace["events"] = trace["events"][:TRACE_EVENTS]
    trace["verdicts"] = [v for v in trace["verdicts"] if v.get("event", 0) < len(trace["events"])]
    return trace


def part(trace, begin):
    """The trace's events from `begin` on, as a trace that can be drawn; it cannot be replayed."""
    end = begin + PICTURE_EVENTS
    events = []
    for event in trace["events"][begin:end]:
        event = {**event, "index": event["index"] - begin}
        if "cause" in event:
            if event["cause"] < begin:
                del event["cause"]
            else:
                event["cause"] -= begin
        events.append(event)
    verdicts = [{**v, "event": v["event"] - begin} for v in trace["verdicts"] if begin <= v.get("event", -1) < end]
    return {**trace, "scenario": {}, "choices": [], "events": events, "verdicts": verdicts}


def parts(trace):
    """Its beginning, middle and end, as texts; those that are too long are left out."""
    count = len(trace["events"])
    texts = [text_of(part(trace, begin)) for begin in sorted({0, count // 2, max(0, count - PICTURE_EVENTS)})]
    return [text for text in texts if len(text.encode()) <= PICTURE_BYTES]


def literals_of(source):
    """The string literals of a C++ file, adjacent ones joined, if JSON has their escapes."""
    literal = r'R"\((.*?)\)"|("(?:[^"\\\n]|\\.)*")'
    for group in re.finditer(rf"(?:(?:{literal})\s*)+", source, re.S):
        parts = []
        for raw, quoted in re.findall(literal, group.group(), re.S):
            try:
                parts.append(raw or json.loads(quoted))
            except ValueError:
                pass  # \x and similar ones
        yield "".join(parts)


def recorded_zoo_cfgs(recordings):
    """The configuration of each recorded election."""
    for path in sorted(recordings.rglob("election_calls.json")):
        for call in json.loads(path.read_text()):
            lines = ["tickTime=2000", "initLimit=10", "syncLimit=5", "dataDir=/data"]
            lines += [f"server.{sid}=zoo{sid}:2888:3888" for sid in call["voters"]]
            lines += [f"server.{sid}=zoo{sid}:2888:3888:observer" for sid in call["observers"]]
            lines += [f"group.{i}=" + ":".join(map(str, group)) for i, group in enumerate(call["groups"], 1)]
            lines += [f"weight.{sid}={weight}" for sid, weight in call["weights"].items()]
            yield "\n".join(lines) + "\n"


class Corpora:
    def __init__(self, out, zablab):
        self.out, self.zablab = out, zablab

    def ask(self, *words):
        return subprocess.run([self.zablab, *words], check=True, capture_output=True, text=True).stdout

    def seeds(self, target, inputs):
        directory = self.out / target / "seeds"
        directory.mkdir(parents=True, exist_ok=True)
        for data in inputs:
            data = data.encode() if isinstance(data, str) else data
            (directory / hashlib.sha1(data).hexdigest()).write_bytes(data)
        if not any(directory.iterdir()):
            sys.exit(f"fuzz-corpora.py: there are no seeds for {target}")

    def dictionary(self, target, words):
        printable = [w for w in words if w.isascii() and w.isprintable() and 1 < len(w) <= 60]
        lines = ['"' + w.replace("\\", "\\\\").replace('"', '\\"') + '"' for w in sorted(set(printable))]
        (self.out / target / "dict").write_text("\n".join(lines) + "\n")

    def words_of_schema(self, name):
        """The words of a schema, with their quotes."""
        for value in below(json.loads(self.ask("schema", name))):
            if isinstance(value, dict):
                yield from (f'"{key}":' for key in value.get("properties", {}))
                names = [value.get("const"), *value.get("enum", [])]
                yield from (f'"{name}"' for name in names if isinstance(name, str))

    def words_of_lists(self):
        for kind in ("variants", "rules", "mutations", "invariants", "functions"):
            for row in json.loads(self.ask("list", kind, "--json")):
                yield from (f'"{word}"' for word in row["name"].split("="))

    def trace(self, scenario, into, *options):
        """A trace of the scenario, or None if it is a table. The result of the run does not matter."""
        into.unlink(missing_ok=True)
        subprocess.run([self.zablab, "run", scenario, *options, "--trace", into], capture_output=True)
        return json.loads(into.read_text()) if into.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, help="the top of the source tree")
    parser.add_argument("zablab", type=pathlib.Path, help="the program")
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    source, out = arguments.source, arguments.out
    corpora = Corpora(out, arguments.zablab)

    files = sorted((source / "scenarios").rglob("*.json"))
    documents = [json.loads(path.read_text()) for path in files]
    corpora.seeds("scenario", [text_of(document) for document in documents])
    words = [*corpora.words_of_schema("scenario"), *corpora.words_of_lists()]
    corpora.dictionary("scenario", [*words, *corpora.words_of_schema("table")])

    traces = (corpora.trace(path, out / "trace.json", "--until", "1000") for path in files)
    corpora.seeds("trace", [text_of(shortened(trace)) for trace in traces if trace])
    corpora.dictionary("trace", [*words, *corpora.words_of_schema("trace")])

    whole = (corpora.trace(path, out / "trace.json") for path in files[::4])
    corpora.seeds("pictures", [text for trace in whole if trace for text in parts(trace)])
    (out / "trace.json").unlink(missing_ok=True)

    texts = [value for document in documents for value in below(document) if isinstance(value, str) and "\n" in value]
    literals = [text for text in literals_of((source / "tests/zoo_cfg_test.cc").read_text()) if "=" in text]
    corpora.seeds("zoo_cfg", [*texts, *literals, *recorded_zoo_cfgs(source / "recordings")])
    keys = re.findall(r'"([A-Za-z][\w.]+)"', (source / "protocol/zab/zoo_cfg_keys.cc").read_text())
    punctuation = ["server.1=a:2888:3888", "group.", "weight.", ":observer", ":participant", ";2181", "|", "\\u0041", "[::1]"]
    corpora.dictionary("zoo_cfg", [*keys, *punctuation])

    runs = [random.Random(i).randbytes(RUN_BYTES if i % 2 else DRAWING_BYTES) for i in range(RUNS)]
    corpora.seeds("simulator", runs)


main()
