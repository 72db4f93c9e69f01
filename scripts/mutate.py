#!/usr/bin/env python3
"""Bugs beyond the planted ones: makes one-place changes to a family of protocol/ by rule and reports what detects each.

  scripts/mutate.py [--family zab] [--sample 240] [--seed 1] [--resume FILE] [--jobs N]

All changes of a family go into one program in build-mutants/; the environment variable ZABLAB_MUTANT selects the one that is in
effect. A sample is drawn, and each mutant is given to `zablab fuzz`, and then to `zablab check`, the scenarios and the recordings.
docs/generated/mutation-score.md is generated from the results, which scripts/mutate-results.json keeps, and from
scripts/mutate-judgements.json, which states of each survivor whether it is equivalent, only slower, or a gap in what is watched,
or ends the program.
The status is 1 if there is a survivor that is not judged.

  --list           print the changes and stop           --show N       print one place, before and after, and stop
  --page           make the page from --resume FILE; without it from the results and the judgements
  --only TEXT      only mutants whose key has TEXT in it; no page
  --files TEXT     change only files with TEXT in their names (not zab's); no page

Needs python3-clang-14 (apt-get install --no-install-recommends python3-clang-14) and an ordinary build in build/.
For zab and its register (zab), the broadcast's templates become plain functions in a copy of the tree, which is built as a whole; for other
families see scripts/mutate_family.py.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import mutate_family
from mutate_changes import KINDS, Code, Parsed, clang, draw, keys_of, need, unique
from mutate_family import MUTANT_CC, MUTANT_H, share, shortened, write_changed

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutants"
TREE = WORK / "tree"
BUILD = WORK / "build"
RESULTS = ROOT / "scripts" / "mutate-results.json"
JUDGEMENTS = ROOT / "scripts" / "mutate-judgements.json"
PAGE = ROOT / "docs" / "generated" / "mutation-score.md"
NO_PROTOCOL = re.compile(r"zoo_cfg.*|rules|mutations|family")  # configuration, the tables of names, and no logic
PLAIN = WORK / "plain"
PHASES = ("broadcast", "discovery", "election", "liveness", "log", "roles", "synchronization", "step")
ALIASES = ("Txn|Snapshot|Durable|WriteSnapshot|WriteTxn|Record|Outstanding|Snap|Proposal|Inform|Message|HistoryLoaded|Applied|"
           "Event|Context|Types")
# These remain templates, and nothing in them is changed: other files call stateAfter<Register>, and the part of onTimer for a
# service's timers compiles only in a template.
KEPT_TEMPLATES = re.compile(r"template <class S>\n[^\n]*\b(?:stateAfter|onTimer)\(.*?\n}\n", re.S)

# ---- the changes


def specialised(text):
    """The broadcast's templates as plain functions over the register, so that every expression has a type."""
    kept = [found[0] for found in KEPT_TEMPLATES.finditer(text)]
    for number, piece in enumerate(kept):
        text = text.replace(piece, f"@kept {number}@")
    text = re.sub(r"template <class S>\n(?=[\w:<> ]+ BasicFamily<S>::)", "template <>\n", text)
    text = re.sub(r"template <class S>\n", "", text)
    text = re.sub(rf"\bBasic({ALIASES})<(?:S|ServiceOf<decltype\(ctx\)>)>", r"\1", text)
    text = re.sub(rf"\bBasic({ALIASES})\{{", r"\1{", text)
    text = text.replace("ServiceOf<decltype(ctx)>", "Register")
    text = re.sub(r"\btypename (?=S::|Context::|Vocabulary::)", "", text)
    text = re.sub(r"if constexpr \(NoticesLooking<[^\n]*", "", text)  # which the register does not
    text = re.sub(r"\bS::", "Register::", text).replace("Context::V::", "V::").replace("Txns<S>", "std::vector<Txn>")
    for generic, plain in (("IsContext auto&", "Context&"), ("IsTxn auto&", "Txn&"), ("const auto& node)", "const Node& node)"),
                           (" auto& node,", " Node& node,"), (" auto& node)", " Node& node)"), ("auto& disk", "Durable& disk"),
                           ("auto& snap)", "Snap& snap)"), ("const auto& message)", "const Message& message)"),
                           ("](const auto& proposal)", "](const Outstanding& proposal)"), ("](const auto& txn)", "](const Txn& txn)"),
                           ("auto& fired)", "V::Fired& fired)"), ("BasicSyncSource<S>", "SyncSource"),
                           ("struct BasicSyncSource", "struct SyncSource"), ("BasicSyncPlan<S>", "SyncPlan"),
                           ("struct BasicSyncPlan", "struct SyncPlan"), ("Walk<S>", "Walk"), ("planSync<S>", "planSync")):
        text = text.replace(generic, plain)
    text = re.sub(r"\b(BasicServer|BasicFamily|stateAfter|IsService)<S>", r"\1<Register>", text)
    text = re.sub(r"^inline ", "", text, flags=re.M).replace("_impl.h\"", ".h\"")
    for number, piece in enumerate(kept):
        text = text.replace(f"@kept {number}@", piece)
    return text


class ZabCode(Code):
    def __init__(self):
        super().__init__(["zablab::zab::", "zablab::", "Register::"])

    def has_fields(self, file):
        return "protocol/zab" in file

    def has_enumerators(self, file):
        return file.endswith(("zab/types.h", "zab/state.h", "zab_register/types.h"))


def make_plain():
    """A copy of protocol/ in which the broadcast is not a template."""
    shutil.rmtree(PLAIN, ignore_errors=True)
    shutil.copytree(ROOT / "protocol", PLAIN / "protocol")
    zab = PLAIN / "protocol" / "zab"
    for phase in PHASES:
        header, definitions, source = zab / f"{phase}.h", zab / f"{phase}_impl.h", zab / f"{phase}.cc"
        if phase == "step":
            header.write_text("#pragma once\n" + "".join(f'#include "protocol/zab/{one}.h"\n' for one in PHASES[:-1]))
        else:
            family = '#include "protocol/zab_register/family.h"'
            header.write_text(specialised(header.read_text()).replace('#include "protocol/zab/context.h"', family))
        text = specialised(definitions.read_text()).replace("#pragma once\n", "")
        source.write_text((source.read_text() if source.exists() else "") + text)
        definitions.write_text(f'#pragma once\n#include "protocol/zab/{phase}.h"\n')
    return [path for folder in ("zab", "zab_register") for path in sorted((PLAIN / "protocol" / folder).glob("*.cc"))
            if not NO_PROTOCOL.fullmatch(path.stem)]


# ---- the program


# Recordings are replayed with the register as the service, since the mutants' broadcast is not a template.
UNREAD_H = """#pragma once
#include "protocol/zab_register/family.h"
#include "sim/zab_register/words.h"
namespace zablab::zab {
using Unread = Register;
}  // namespace zablab::zab
"""

# (old text, new text) of other files that use the broadcast's templates.
ADAPTED = {
    "checker/zab/tables_impl.h": [("planSync<S>(", "planSync(")],
    "checker/zab/conform.cc": [
        ("using Family = BasicFamily<Unread>;\nusing Context = Unread::Context;\nusing V = Context::V;\n", ""),
        ("  const BroadcastRules& rules_;\n", "  const Rules rules_;\n"),
        ("Context{config, rules, node, effects}", "Context{config, {rules}, node, effects}"),
    ],
}
BUILD_LIST = "protocol/zab/meson.build"
BEFORE_ADDED = "  'quorum.cc',\n"  # in it


def adapted(name, text):
    changes = ADAPTED.get(name, [])
    if name == BUILD_LIST:
        added = [line for one in ("mutant", *PHASES) if (line := f"  '{one}.cc',\n") not in text]
        changes = [(BEFORE_ADDED, "".join(added) + BEFORE_ADDED)]
    for old, new in changes:
        need(old in text, f"{name} no longer contains {old.strip()!r}, which scripts/mutate.py replaces")
        text = text.replace(old, new)
    return text


def copy_tree():
    folders = ["meson.build", "meson_options.txt", "protocol", "sim", "checker", "viz", "cli", "bench", "tests"]
    listed = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    written = {"protocol/mutant.h": MUTANT_H, "protocol/zab/mutant.cc": MUTANT_CC, "checker/zab/unread_service.h": UNREAD_H,
               "protocol/zab/step.h": (PLAIN / "protocol/zab/step.h").read_text()}
    for name in filter(None, listed.stdout.split("\0")):
        source, target = (PLAIN if name.startswith("protocol/") else ROOT) / name, TREE / name
        if source.parent.name in ("zab", "zab_register") and source.parent.parent == PLAIN / "protocol" \
                and source.suffix == ".cc" and not NO_PROTOCOL.fullmatch(source.stem):
            continue
        if name in written:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if name in ADAPTED or name == BUILD_LIST:
            write_changed(target, adapted(name, source.read_text()))
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)
    for name, text in written.items():
        write_changed(TREE / name, text)


def errors_in(path):
    """Lines of a generated file with errors."""
    process = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-w", "-fmax-errors=0", f"-I{TREE}", str(path)],
                             capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    lines = [int(match[1]) for match in re.finditer(rf"^{re.escape(str(path))}:(\d+):\d+: error", process.stderr, re.M)]
    need(process.returncode == 0 or lines, process.stderr)
    return lines


def generate(file):
    """Writes the changed copy of one file, without the changes that do not compile; returns how many these are."""
    parsed, mutants = file
    path = TREE / parsed.path.relative_to(PLAIN)
    dropped = []
    while True:
        write_changed(path, parsed.render(mutants))
        wrong = set()
        lines = path.read_text().splitlines()
        for line in errors_in(path):
            for at in range(line - 1, -1, -1):  # of several operands, the error may be reported at the last
                match = re.search(r"/\*(\d+)\*/", lines[at])
                if match:
                    wrong.add(int(match[1]))
                    break
        if not wrong:
            return mutants, dropped
        dropped += [one for one in mutants if one.number in wrong]
        mutants = [one for one in mutants if one.number not in wrong]


def make(parsed_files):
    """Generates, compiles and numbers. Mutants that do not compile get no number, so the files are written twice."""
    copy_tree()
    files = [(parsed, unique(parsed.mutants)) for parsed in parsed_files]
    for _, mutants in files:
        for number, one in enumerate(mutants, 1):
            one.number = number
    kept, dropped = [], []
    texts = []
    for file in files:
        good, bad = generate_cached(file)
        texts.append((file[0], good))
        kept += good
        dropped += bad
    keys_of(kept)
    for number, one in enumerate(kept, 1):
        one.number = number
    for parsed, mutants in texts:
        write_changed(TREE / parsed.path.relative_to(PLAIN), parsed.render(mutants))
    return kept, dropped


def generate_cached(file):
    """Which ones compiled is stored next to the tree: it depends only on the generated text and the headers."""
    parsed, mutants = file
    headers = "".join(path.read_text() for path in sorted((PLAIN / "protocol").rglob("*.h")))
    content = headers + parsed.render(mutants)
    cache = WORK / f"{parsed.path.name}.json"
    known = json.loads(cache.read_text()) if cache.exists() else {}
    if known.get("content") == content:
        wrong = set(known["wrong"])
        return [one for one in mutants if one.number not in wrong], [one for one in mutants if one.number in wrong]
    good, bad = generate(file)
    cache.write_text(json.dumps({"content": content, "wrong": [one.number for one in bad]}))
    return good, bad


def compile_program(jobs):
    environment = {**os.environ, "CXXFLAGS": "-D_GLIBCXX_ASSERTIONS"}
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(BUILD), str(TREE), "-Dwerror=false"], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
    with open(WORK / "build.log", "w") as log:
        done = subprocess.run(["ninja", "-C", str(BUILD), f"-j{jobs}", "zablab", "tests/zablab_digests"], stdout=log,
                              stderr=subprocess.STDOUT)
    need(done.returncode == 0, f"the mutants do not build: see {WORK / 'build.log'}")


# ---- running it


class Program:
    def __init__(self, options):
        self.options = options
        self.took = {}  # the original, by its arguments

    def run(self, number, arguments, extra=None, program="zablab"):
        """(status, output, processor seconds); the status is negative if a signal ended it."""
        seconds = 600 if number == 0 else self.options.limit + int(10 * self.took.get(tuple(arguments), 0))
        environment = {**os.environ, "ZABLAB_MUTANT": str(number), **(extra or {})}

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            if arguments[:1] != ["check"]:  # which reserves more than it uses, and has its own limit
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.nice(max(0, 10 - os.nice(0)))

        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([str(BUILD / program), *arguments], stdout=output, stderr=subprocess.DEVNULL, env=environment,
                                       cwd=ROOT, preexec_fn=limits)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            took = round(usage.ru_utime + usage.ru_stime, 2)
            if number == 0:
                self.took[tuple(arguments)] = took
            return process.returncode, output.read(), took

    @staticmethod
    def ended(status):
        """How it ended, if it did not end by itself."""
        return "hang" if status in (-24, -9) else "crash"  # SIGXCPU, SIGKILL

    def fuzz(self, number, shape, seeds, first=True, extra=None):
        voters, observers = shape
        arguments = ["fuzz", "--servers", str(voters), "--observers", str(observers), "--seeds", f"0:{seeds}", "--no-shrink",
                     "--json", *(["--first"] if first else [])]
        status, output, seconds = self.run(number, arguments, extra)
        row = {"seconds": seconds}
        if status not in (0, 1, 3):
            return {**row, "ended": self.ended(status), "status": status}
        summary = json.loads(output.splitlines()[-1])["summary"]
        row["digest"] = str(summary["statistics"]["digest"])
        if summary["findings"]:
            first = min(summary["findings"], key=lambda one: one["first_seed"])
            row.update(what=first["what"], seeds=first["first_seed"] + 1)
        return row

    def check(self, number, model, states, extra=None):
        arguments = ["check", model, "--json", "--jobs", "1", "--memory", "1G", "--max-states", str(states)]
        status, output, seconds = self.run(number, arguments, extra)
        row = {"seconds": seconds}
        if status not in (0, 1, 3):
            return {**row, "ended": self.ended(status), "status": status}
        told = json.loads(output.splitlines()[-1])
        goals = {goal["name"] for goal in told.get("goals") or []}
        missed = [goal["name"] for goal in told.get("goals") or []
                  if told["exhausted"] and not goal["never"] and goal["depth"] is None]
        row.update(distinct=told["distinct"], generated=told["generated"], exhausted=told["exhausted"])
        if told["violated"]:
            row["goal" if told["violated"] in goals else "what"] = told["violated"]
        elif missed:
            row["goal"] = missed[0]
        return row

    def scenarios(self, number):
        status, output, seconds = self.run(number, ["run", "scenarios", "--json"])
        row = {"seconds": seconds}
        if status not in (0, 1, 2, 3):
            return {**row, "ended": self.ended(status), "status": status}
        verdicts = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        failed = [one["file"] for one in verdicts if one["verdict"] not in ("passed", "ran", "left aside")]
        return {**row, "failed": len(failed), "first": failed[:1], "run": len(verdicts)}

    def digests(self, number):
        """A digest of everything that happens in 200 runs, including contents; a campaign's digest does not include contents."""
        return self.run(number, [], program="tests/zablab_digests")[:2]

    def conform(self, number):
        row = {"seconds": 0, "differs": []}
        for kind, path in RECORDINGS:
            status, output, seconds = self.run(number, ["conform", kind, path, "--json"])
            row["seconds"] = round(row["seconds"] + seconds, 2)
            if status not in (0, 1, 3):
                row["ended"] = self.ended(status)
            elif status == 1:  # 3: a record that cannot be decided
                row["differs"].append(path)
        return row


SHAPES = [(3, 0), (4, 0), (5, 0), (5, 2)]
RECORDINGS = [(kind, f"recordings/{folder}/{name}.json")
              for folder in ("zookeeper-3.8.0", "zookeeper-3.8.0-loopback")
              for kind, name in (("election", "election_calls"), ("sync", "sync_decisions"))]


def shape_name(shape):
    return f"{shape[0]}+{shape[1]}" if shape[1] else str(shape[0])


def models_that_hold():
    """Shipped models of which nothing is violated."""
    models = []
    for path in sorted((ROOT / "scenarios" / "models").glob("*.json")):
        expect = json.loads(path.read_text()).get("expect", {})
        if expect.get("verdict", "holds") == "holds":
            models.append(str(path.relative_to(ROOT)))
    return models


def try_all(program, options, original, number, seeds, states):
    """The results of fuzz and check for a mutant, and whether everything was as in the original."""
    fuzz, check, pinned, seconds, differs = {}, {}, [], 0, []
    for shape in SHAPES:
        result = program.fuzz(number, shape, seeds)
        fuzz[shape_name(shape)] = result
        if result.get("digest") != original["fuzz"][shape_name(shape)]["digest"]:
            differs.append(f"fuzz {shape_name(shape)}")
    for model in options.models:
        result = program.check(number, model, states)
        seconds += result["seconds"]
        before = original["check"][model]
        if "ended" in result:
            check.update(ended=result["ended"], model=model)
        elif "what" in result:
            check.update(what=result["what"], model=model)
            break
        elif "goal" in result:
            pinned.append(f"{model}: {result['goal']}")
        elif any(result[name] != before[name] for name in ("distinct", "generated")):
            differs.append(pathlib.Path(model).stem)
            if before["exhausted"]:
                pinned.append(f"{model}: {result['distinct']} states")
    check.update(seconds=round(seconds, 2), pinned=pinned[:3], pinned_count=len(pinned))
    return {"fuzz": fuzz, "check": check, "same": not differs, "differs": differs[:6]}


def judge_one(program, options, original, mutant):
    number = mutant.number
    row = {"key": mutant.key, "kind": mutant.kind, "file": mutant.file, "function": mutant.function, "line": mutant.line,
           "change": mutant.change}
    row.update(try_all(program, options, original["quick"], number, options.seeds, options.states))
    if not watched(row) and options.deep_seeds:
        row.update(try_all(program, options, original["deep"], number, options.deep_seeds, options.deep_states))
    row["scenarios"] = program.scenarios(number)
    row["conform"] = program.conform(number)
    if not watched(row) and program.digests(number) != original["digests"]:
        row["same"] = False
        row["differs"].append("digests")
    return row


def killed_by_fuzz(row):
    return any("what" in result for result in row["fuzz"].values())


def killed_by_check(row):
    return "what" in row["check"]


def ended(row):
    results = [*row["fuzz"].values(), row["check"], row["scenarios"], row["conform"]]
    return next((result["ended"] for result in results if "ended" in result), None)


def pinned(row):
    return bool(row["check"].get("pinned") or row["scenarios"].get("failed") or row["conform"]["differs"])


def watched(row):
    return killed_by_fuzz(row) or killed_by_check(row)


def in_a_word(row):
    parts = []
    for name, result in row["fuzz"].items():
        if "what" in result:
            parts.append(f"fuzz {name}: {result['what']} after {result['seeds']}")
    if "what" in row["check"]:
        parts.append(f"check: {row['check']['what']} in {pathlib.Path(row['check']['model']).stem}")
    if ended(row):
        parts.append(ended(row))
    if not parts:
        parts.append("survives" + (", all as before" if row["same"] else ""))
        if pinned(row):
            parts.append("pinned expectations notice")
    return "; ".join(parts)


# ---- the sample


def find_reached(program, options):
    """Numbers of the mutants whose place is reached, under the unchanged rules: by fuzz, by check."""
    reached = {}
    models = [model for model in options.models if not {"variant", "rules"} & json.loads((ROOT / model).read_text()).keys()]
    for name in ("fuzz", "check"):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "reached"
            extra = {"ZABLAB_MUTANT_REACHED": str(file)}
            if name == "fuzz":
                for shape in SHAPES:
                    program.fuzz(-1, shape, min(options.seeds, 2000), extra=extra)
            else:
                for model in models:
                    program.check(-1, model, options.states, extra=extra)
            reached[name] = {int(line) for line in file.read_text().split()}
    return reached


def commit_of(*folders):
    """The last commit that changed what is measured."""

    def git(*arguments):
        return subprocess.run(["git", *arguments, "--", *folders], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    return git("log", "-1", "--format=%h") + (", with changes that are not committed" if git("status", "--porcelain") else "")


def verify_unchanged(options):
    """Number 0 is the ordinary program."""
    digests = ROOT / options.ordinary / "tests" / "zablab_digests"
    zablab = ROOT / options.ordinary / "zablab"
    need(digests.exists() and zablab.exists(),
         f"there is no ordinary program to compare with: ninja -C {options.ordinary} zablab tests/zablab_digests")
    outputs = []
    for folder in (ROOT / options.ordinary, BUILD):
        environment = {name: value for name, value in os.environ.items() if name != "ZABLAB_MUTANT"}
        told = subprocess.run([str(folder / "tests" / "zablab_digests")], check=True, capture_output=True, env=environment).stdout
        for shape in SHAPES:
            told += subprocess.run([str(folder / "zablab"), "fuzz", "--servers", str(shape[0]), "--observers", str(shape[1]),
                                    "--seeds", "0:300", "--no-shrink", "--json"], capture_output=True, env=environment).stdout
        outputs.append(told)
    need(outputs[0] == outputs[1], "without a mutant the program is not the ordinary one: their digests differ")
    return len(outputs[0].splitlines())


# ---- the page


JUDGED = ("equivalent", "slower", "hole", "ends")


ZAB_BEGINS = "## zab in detail"


def counts_of(rows, judgement):
    """What the table of all families has of zab."""
    words = collections.Counter(map(judgement, rows))
    return {"drawn": len(rows), "equivalent": words["equivalent"], "slower": words["slower"], "fuzz": sum(map(killed_by_fuzz, rows)),
            "anything": sum(watched(row) or pinned(row) or ended(row) is not None for row in rows), "ends": words["ends"],
            "hole": words["hole"]}


def write_page(results, judgements, zab=None):
    """`zab`: the part about zab; the present one if it is not given."""
    text = PAGE.read_text()
    zab = zab or text[text.index(ZAB_BEGINS):]
    PAGE.write_text("# Bugs that are not planted\n\nMade by `scripts/mutate.py` and from `scripts/mutate-judgements.json` and `scripts/mutate-results.json`; do not edit.\n\n"
                    + mutate_family.families_page(results, judgements) + "\n" + zab)
    RESULTS.write_text("{\n" + ",\n".join(f" {json.dumps(name)}: {lined(results[name])}" for name in results) + "\n}\n")


def lined(result):
    """One row a line."""
    rows = "".join("\n   " + json.dumps(row) + "," for row in result.get("rows", []))
    rest = {name: result[name] for name in result if name != "rows"}
    return json.dumps(rest)[:-1] + (f', "rows": [{rows[:-1]}]' if rows else "") + "}"


def page(header, rows, judgements):
    def judgement(row):
        if watched(row):
            return None
        return judgements.get(row["key"], {}).get("judgement", "ends" if ended(row) else "hole")

    survivors = [row for row in rows if not watched(row)]
    counted = [row for row in rows if judgement(row) not in ("equivalent", "slower")]
    killed = [row for row in rows if watched(row)]
    by_fuzz = [row for row in rows if killed_by_fuzz(row)]
    by_check = [row for row in rows if killed_by_check(row)]
    ends = [row for row in survivors if judgement(row) == "ends"]
    lines = [
        ZAB_BEGINS,
        "",
        f"`{header['command']}`, at commit {header['commit']}.",
        "",
        f"The script changes the protocol at one place by rule: {header['mutants']:,} changes of `protocol/zab` and `protocol/zab_register` without the",
        f"files of `zoo.cfg`, rules and planted mutations, and without comparisons with a rule; {header['dropped']} more do not",
        "compile. All are in one program, and the environment variable `ZABLAB_MUTANT` selects the one in effect; without it the program gives",
        f"the ordinary program's digests. {header['unreached']:,} are in places that neither random runs nor the models reach under the",
        f"default rules (mostly code of other rules). From the others {len(rows)} are drawn at random, spread over kinds and files.",
        "",
        f"Each goes through `zablab fuzz --first --seeds 0:{header['seeds']}` with 3, 4, 5 and 5+2 servers and observers, through",
        f"`zablab check --max-states {header['states']}` of the {header['models']} shipped models that hold, "
        + (f"and what survives that through {header['deep_seeds']} seeds and {header['deep_states']} states, " if header["deep_seeds"] else "")
        + "through every scenario, and through",
        "the recordings of real servers. Fuzz and check count if an invariant is violated, or if a run does not recover",
        "(`stall`); what is noticed only by a scenario's expectations, a model's goals and counts, or a recording is listed separately as",
        "*pinned*: such an expectation states what the code does today, and not why a change would be wrong.",
        "",
        "## The score",
        "",
        f"- {len(rows)} mutants, {len(rows) - len(counted)} of them equivalent or slower only. Of the other {len(counted)} invariants kill",
        f"  {len(killed)} under fuzz or check: **{share(len(killed), len(counted))}**. Fuzz alone {len(by_fuzz)} ({share(len(by_fuzz), len(counted))}), "
        f"check alone {len(by_check)} ({share(len(by_check), len(counted))}).",
        f"- {len(ends)} of the rest end the program or do not end: {share(len(killed) + len(ends), len(counted))} with them.",
        f"- {sum(pinned(row) or ended(row) is not None for row in counted if not watched(row))} of the {len(counted) - len(killed)} that no invariant kills are noticed by something else.",
    ]
    seeds = sorted(min(result["seeds"] for result in row["fuzz"].values() if "what" in result) for row in by_fuzz)
    if seeds:
        lines.append(f"- Seeds until fuzz kills, best of the four shapes: {seeds[len(seeds) // 2]} in the median, "
                     f"{seeds[len(seeds) * 9 // 10]} for nine in ten, {seeds[-1]:,} at most.")
    whats = collections.Counter()
    for row in rows:
        names = {result["what"] for result in row["fuzz"].values() if "what" in result} | {row["check"].get("what")} - {None}
        for name in names:
            whats[name] += 1
    lines.append("- By what, mutants killed (one may be killed by several): "
                 + ", ".join(f"{name} {count}" for name, count in whats.most_common()) + ".")

    def table(title, column):
        lines.extend(["", f"## By {title}", "",
                      f"| {title} | drawn | " + " | ".join(f"fuzz {shape_name(shape)}" for shape in SHAPES)
                      + " | fuzz | check | either | scenarios | conformance | survive: equivalent | slower only | crash or hang | hole |",
                      "|---|" + "---:|" * (len(SHAPES) + 10)])
        groups = collections.defaultdict(list)
        for row in rows:
            groups[row[column]].append(row)
        for name in [*sorted(groups), "all"]:
            these = rows if name == "all" else groups[name]
            cells = [len(these)]
            for shape in SHAPES:
                cells.append(sum("what" in row["fuzz"][shape_name(shape)] for row in these))
            cells += [sum(map(killed_by_fuzz, these)), sum(map(killed_by_check, these)), sum(map(watched, these)),
                      sum(bool(row["scenarios"].get("failed")) for row in these),
                      sum(bool(row["conform"]["differs"]) for row in these)]
            cells += [sum(judgement(row) == word for row in these) for word in ("equivalent", "slower", "ends", "hole")]
            lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")

    table("kind", "kind")
    lines += ["", *[f"- *{kind}*: {text}." for kind, text in KINDS.items()]]
    table("file", "file")

    def cell(text):
        return text.replace("|", "\\|")

    lines += ["", "## Not reached", "",
              "Functions that neither random runs nor models reach under the default rules, with the number of changes there: "
              + ", ".join(f"{name.replace(' ', ' `')}` {count}" for name, count in sorted(header["unreached_by_function"].items())) + "."]

    for word, title in (("hole", "Survivors that show gaps"), ("ends", "Survivors that crash or hang"), ("slower", "Survivors that are only slower"),
                        ("equivalent", "Survivors that are equivalent")):
        these = [row for row in survivors if judgement(row) == word]
        lines += ["", f"## {title}", ""]
        if not these:
            lines.append("None.")
            continue
        lines += [f"Lines are those of commit {header['commit']}. *Same*: digests of all campaigns, counts of all models and everything that happens in 200 runs are the original's.",
                  "", "| place | change | noticed by | same | judgement |", "|---|---|---|---|---|"]
        for row in sorted(these, key=lambda row: (row["file"], row["line"])):
            noticed = [name for name, is_so in (
                ("crash", ended(row) == "crash"), ("hang", ended(row) == "hang"), ("models' counts or goals", row["check"].get("pinned")),
                (f"{row['scenarios'].get('failed')} scenarios", row["scenarios"].get("failed")),
                ("conformance", row["conform"]["differs"])) if is_so]
            why = judgements.get(row["key"], {}).get("why", "the program ends" if word == "ends" else "not judged yet")
            lines.append(f"| {row['file']}:{row['line']} `{row['function']}` | `{cell(shortened(row['change']))}` | {', '.join(noticed) or 'nothing'} | "
                         f"{'yes' if row['same'] else 'no'} | {cell(why)} |")
    return "\n".join(lines) + "\n", counts_of(rows, judgement)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=["zab", *mutate_family.FAMILIES], default="zab")
    parser.add_argument("--sample", type=int, help="240 for zab, 80 for other families")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, help="of each campaign of fuzz: 1,000 for zab; for other families what --cpu allows")
    parser.add_argument("--cpu", type=int, default=60, help="seconds of one core that fuzz has for a mutant of another family than zab")
    parser.add_argument("--states", type=int, default=20_000, help="of each model of check")
    parser.add_argument("--deep-seeds", type=int, default=10_000, help="for what survives these; 0: nothing more is tried")
    parser.add_argument("--deep-states", type=int, default=300_000)
    parser.add_argument("--limit", type=int, default=20, help="processor seconds, and ten times what the original takes: it hangs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ordinary", default="build", help="where the ordinary program was built")
    parser.add_argument("--resume", type=pathlib.Path, metavar="FILE", help="rows are added here, and those in it are not made again")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", type=int, metavar="N")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--only", metavar="TEXT")
    parser.add_argument("--files", metavar="TEXT", default="")
    options = parser.parse_args()
    zab = options.family == "zab"
    options.sample = options.sample or (240 if zab else 80)
    if zab:
        options.seeds = options.seeds or 1000

    def read_rows():
        if not options.resume or not options.resume.exists():
            return None, {}
        told = [json.loads(line) for line in options.resume.read_text().splitlines()]
        return told[0], {row["key"]: row for row in told[1:]}

    listed = json.loads(JUDGEMENTS.read_text()) if JUDGEMENTS.exists() else []
    judgements = {one["key"]: one for one in listed}
    wrong = [one["key"] for one in listed if one["judgement"] not in JUDGED]
    need(not wrong, f"{JUDGEMENTS.name}: {wrong[:1]}: a judgement is one of {', '.join(JUDGED)}")
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}

    def publish(header, rows):
        if zab:
            text, counts = page(header, rows, judgements)
            results["zab"] = {"header": {"commit": header["commit"], "mutants": header["mutants"], "seeds": header["seeds"],
                                         "reached": header["mutants"] - header["unreached"]}, "counts": counts}
            return write_page(results, judgements, text)
        header.pop("keys", None)
        results[options.family] = {"header": header, "rows": [mutate_family.kept(row) for row in rows]}
        return write_page(results, judgements)

    def report(rows, is_watched):
        survivors = [row for row in rows if not is_watched(row)]
        unjudged = [row["key"] for row in survivors if row["key"] not in judgements]
        print(f"{len(rows)} mutants, of which {len(rows) - len(survivors)} are found; {len(survivors)} survive, {len(unjudged)} of them not judged"
              + "".join(f"\n  {key}" for key in unjudged))
        sys.exit(1 if unjudged else 0)

    if options.page:
        header, done = read_rows()
        if header is None:  # judgements may be others
            need(not options.resume, f"there is no {options.resume}")
            return write_page(results, judgements)
        return publish(header, [done[key] for key in header["keys"] if key in done])

    need(clang is not None, "libclang's Python module is missing: apt-get install --no-install-recommends python3-clang-14")
    for program in ("g++", "meson", "ninja"):
        need(shutil.which(program), f"{program} is missing: scripts/deps.sh installs it")
    if not zab:
        measured = mutate_family.measure(options.family, options, commit_of)
        if measured and not options.only and not options.files:
            publish(*measured)
        return report(measured[1], mutate_family.is_killed) if measured else None
    since = time.monotonic()
    WORK.mkdir(exist_ok=True)
    sources = make_plain()
    mutants, dropped = make([Parsed(path, ZabCode(), [PLAIN, ROOT]) for path in sources])
    print(f"{len(mutants)} changes in {len(sources)} files; {len(dropped)} more do not compile "
          f"({time.monotonic() - since:.0f} s)", file=sys.stderr)
    if options.list:
        for one in mutants:
            print(f"{one.number}\t{one.file}:{one.line}\t{one.kind}\t{one.function}\t{one.change}")
        return
    if options.show:
        one = mutants[options.show - 1]
        print(f"{one.key}\n  {one.file}:{one.line}: " + next(path for path in sources if path.name == one.file).read_text().splitlines()[one.line - 1].strip())
        return
    compile_program(options.jobs)
    lines = verify_unchanged(options)
    print(f"without a mutant: the ordinary program's {lines} digests ({time.monotonic() - since:.0f} s)", file=sys.stderr)

    program = Program(options)
    models = models_that_hold()
    # The quick ones first: the first violated one ends a mutant's search.
    scenarios, conformance = program.scenarios(0), program.conform(0)
    need(scenarios.get("failed") == 0 and not conformance["differs"], f"without a mutant something differs: {scenarios} {conformance}")
    budgets = {"quick": (options.seeds, options.states), "deep": (options.deep_seeds, options.deep_states)}
    original = {"digests": program.digests(0)}
    for name, (seeds, states) in budgets.items():
        if seeds:
            original[name] = {"fuzz": {shape_name(shape): program.fuzz(0, shape, seeds) for shape in SHAPES},
                              "check": {model: program.check(0, model, states) for model in models}}
    checked = original["deep" if options.deep_seeds else "quick"]["check"]
    options.models = sorted((model for model in models if "distinct" in checked[model] and "what" not in checked[model]),
                            key=lambda model: checked[model]["seconds"])
    print(f"fuzz --seeds 0:{options.seeds} finds without a mutant: "
          + (", ".join(f"{name}: {result['what']} at {result['seeds'] - 1}" for name, result in original["quick"]["fuzz"].items()
                       if "what" in result) or "nothing"), file=sys.stderr)
    reached = find_reached(program, options)
    visited = reached["fuzz"] | reached["check"]
    drawable = [one for one in mutants if one.number in visited]
    sample = draw(drawable, options.sample, options.seed)
    seconds = sum(one["seconds"] for name in budgets.keys() & original.keys() for part in original[name].values() for one in part.values())
    print(f"{len(drawable)} are reached by fuzz ({len(reached['fuzz'])}) or check ({len(reached['check'])}); {len(sample)} drawn; "
          f"a survivor takes {seconds:.0f} s", file=sys.stderr)
    if options.only:
        sample = [one for one in mutants if options.only in one.key]

    commit = commit_of("protocol", "checker", "sim", "cli", "scenarios", "recordings")
    header = {"commit": commit, "command": f"scripts/mutate.py --sample {options.sample} --seed {options.seed} "
              f"--seeds {options.seeds} --states {options.states} --deep-seeds {options.deep_seeds}"
              + (f" --deep-states {options.deep_states}" if options.deep_seeds else ""), "deep_seeds": options.deep_seeds, "deep_states": options.deep_states, "mutants": len(mutants), "dropped": len(dropped),
              "unreached": len(mutants) - len(drawable), "sample": len(sample), "seeds": f"{options.seeds}", "states": options.states,
              "models": len(options.models), "keys": [one.key for one in sample],
              "unreached_by_function": collections.Counter(f"{one.file} {one.function}" for one in mutants if one.number not in visited)}
    before, done = read_rows()
    need(before is None or (before["commit"], before["command"]) == (header["commit"], header["command"]) or options.only,
         f"{options.resume} is of another commit or of other options: {before and before['command']} at {before and before['commit']}")
    lock = threading.Lock()
    if options.resume and before is None:
        options.resume.write_text(json.dumps(header) + "\n")

    def work(mutant):
        if mutant.key in done:
            return
        row = judge_one(program, options, original, mutant)
        with lock:
            done[mutant.key] = row
            if options.resume:
                with options.resume.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            print(f"{len(done)}/{len(sample)} [{mutant.number}] {mutant.file}:{mutant.line} {mutant.change}: {in_a_word(row)}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(work, sample):
            pass
    rows = [done[one.key] for one in sample]
    if not options.only:
        publish(header, rows)
    report(rows, watched)


if __name__ == "__main__":
    main()
