"""The mutants of one family other than zab, for scripts/mutate.py --family.

The ordinary build is linked once more, with another object first: the family's part of protocol/, compiled from copies of its files with
all changes in them. Nothing else is compiled, so that checkers, bindings and the other families are the ordinary program's.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from mutate_changes import KINDS, Code, Parsed, draw, keys_of, need, unique

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_CODE = re.compile(r"rules|mutations|variants")  # tables of names

# The protocol that runs each family's code, and the folders of protocol/ that are compiled with its changes.
FAMILIES = {
    "zookeeper": ("zookeeper", ["zookeeper"]),
    "recipes": ("zookeeper", ["recipes", "zookeeper"]),
    "sentinel": ("sentinel", ["sentinel"]),
    "redis_cluster": ("redis_cluster", ["redis_cluster"]),
    "kafka": ("kafka", ["kafka"]),
    "external_store": ("external_store", ["external_store"]),
    "leader_followers": ("leader_followers", ["leader_followers"]),
    "quorum_register": ("quorum_register", ["quorum_register"]),
}
RECORDINGS = {"zookeeper": (["client", "--variant", "zookeeper-3.8.0"], "recordings/zookeeper-3.8.0-clients")}

MUTANT_H = """#pragma once
namespace zablab_mutant {
extern const int chosen;
void reached(int number);
inline bool is(int number) {
  if (chosen == number) return true;
  if (chosen < 0) [[unlikely]] reached(number);
  return false;
}
}  // namespace zablab_mutant
"""

MUTANT_CC = """#include "protocol/mutant.h"
#include <cstdio>
#include <cstdlib>
namespace zablab_mutant {
namespace {
char marks[100000];
int chosenMutant() {
  const char* text = std::getenv("ZABLAB_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}
}  // namespace
const int chosen = chosenMutant();
void reached(int number) {
  static std::FILE* const file = std::fopen(std::getenv("ZABLAB_MUTANT_REACHED"), "a");
  if (marks[number] != 0) return;
  marks[number] = 1;
  std::fprintf(file, "%d\\n", number);
  std::fflush(file);
}
}  // namespace zablab_mutant
"""


def write_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


class FamilyCode(Code):
    templates = True

    def __init__(self, family):
        super().__init__([f"zablab::{family}::", "zablab::", "Register::"], family + "/")
        self.folder = f"protocol/{family}/"

    def has_fields(self, file):
        return self.folder in file

    def has_enumerators(self, file):
        return self.folder in file and not file.endswith(("/rules.h", "/events.h"))


def over_register(text):
    """Definitions over a service, with the register as the service: a text of the same length, so that every expression has a type."""

    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])

    text = re.sub(r"template <(?:class|IsService) S>(?=\n[^;{(]* BasicFamily<S>::\w+\()", "template <>".ljust(18), text)
    text = re.sub(r"template <(?:class|IsService) S>(?=\n)", blank, text)
    return text.replace("IsContext auto&", "Context       &")


def parsed_files(family, only, work):
    """The files with code, and what is read of them."""
    folder = ROOT / "protocol" / family
    code = FamilyCode(family)
    files = []
    for path in sorted([*folder.glob("*.cc"), *folder.glob("*.h")]):
        if NO_CODE.fullmatch(path.stem) or only not in path.name:
            continue
        if path.stem.endswith("_impl"):
            client = folder / "client.h"  # which names what the register's templates are
            header = work / "over_register.h"
            write_changed(header, f'#include "{client}"\nnamespace zablab::{family} {{\nusing S = Register;\n}}\n')
            files.append(Parsed(path, code, [ROOT], [header], over_register(path.read_text())))
        else:
            files.append(Parsed(path, code, [ROOT]))
    return files


class Family:
    def __init__(self, name, options):
        self.name, self.options = name, options
        self.protocol, self.folders = FAMILIES[name]
        self.work = ROOT / "build-mutants" / (f"{name}-{options.files}" if options.files else name)
        self.tree = self.work / "tree"
        self.object_file = self.work / "mutants.o"
        self.known = self.work / "compiled.json"  # what the object file was made of
        self.program = self.work / "zablab"
        self.ordinary = ROOT / options.ordinary
        self.took = {}  # the original, by its arguments
        self.models = None
        self.lock = threading.Lock()

    # -- the program

    def flags(self):
        """Of the compiler, for this family's files."""
        told = json.loads((self.ordinary / "compile_commands.json").read_text())
        library = f"protocol/libprotocol_{self.folders[0]}.a.p/"
        command = next((one["command"] for one in told if library in one.get("output", one["command"])), None)
        need(command is not None, f"{self.ordinary} does not compile {library}")
        words = shlex.split(command)
        kept = [word for word in words[1:] if word.startswith(("-std", "-f", "-D")) and "diagnostics" not in word]
        include = [f"-I{self.tree}", *(word for word in words if word.startswith("-I/"))]
        return [words[0], *kept, "-O1", "-w", "-D_GLIBCXX_ASSERTIONS", *include]

    def unity(self, folders):
        path = self.work / "mutants.cc"
        files = [self.work / "mutant.cc", *(path for folder in folders for path in sorted((self.tree / "protocol" / folder).glob("*.cc")))]
        write_changed(path, "".join(f'#include "{one}"\n' for one in files))
        return path

    def compile(self, paths):
        """Lines of the changed files with errors; without any there is an object file."""
        command = [*self.flags(), "-fmax-errors=0", "-c", str(self.unity(self.folders)), "-o", str(self.object_file)]
        process = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        found = collections.defaultdict(set)
        for pattern in (r": (?:fatal )?error: ", r":   required from here"):
            for match in re.finditer(rf"^(/[^:\n]+):(\d+):\d+{pattern}", process.stderr, re.M):
                if pathlib.Path(match[1]) in paths:
                    found[pathlib.Path(match[1])].add(int(match[2]))
            if found:
                break
        need(process.returncode == 0 or found, process.stderr[:5000])
        return found

    def write_tree(self, files):
        """protocol/ with the changed files; `files`: what was parsed, and the mutants of each."""
        changed = {parsed.path.relative_to(ROOT): parsed.render(mutants) for parsed, mutants in files if mutants}
        for source in sorted((ROOT / "protocol").rglob("*")):
            name = source.relative_to(ROOT)
            if source.suffix in (".h", ".cc"):
                write_changed(self.tree / name, changed.get(name) or source.read_text())
        write_changed(self.tree / "protocol" / "mutant.h", MUTANT_H)
        write_changed(self.work / "mutant.cc", MUTANT_CC)
        return changed

    def make(self):
        """Compiles the mutants: those that compile, and how many do not."""
        shutil.rmtree(self.tree, ignore_errors=True)
        files = [(parsed, unique(parsed.mutants)) for parsed in parsed_files(self.name, self.options.files, self.work)]
        all_of_them = [one for _, mutants in files for one in mutants]
        keys_of(all_of_them)
        for number, one in enumerate(all_of_them, 1):
            one.number = number
        changed = self.write_tree(files)
        headers = {str(path): path.read_text() for path in sorted((ROOT / "protocol").rglob("*.h"))}
        texts = {str(name): changed[name] for name in sorted(changed)}
        content = hashlib.sha256(json.dumps([texts, headers, self.flags()]).encode()).hexdigest()
        known = json.loads(self.known.read_text()) if self.known.exists() else {}
        is_known = known.get("content") == content and self.object_file.exists()
        dropped = set(known["dropped"]) if is_known else set()
        by_number = {one.number: one for one in all_of_them}
        while True:
            files = [(parsed, [one for one in mutants if one.key not in dropped]) for parsed, mutants in files]
            changed = self.write_tree(files)
            wrong = {} if is_known else self.compile({self.tree / name for name in changed})
            if not wrong:
                break
            before = len(dropped)
            for path, numbers in wrong.items():
                lines = path.read_text().splitlines()
                for line in numbers:
                    for at in range(line - 1, -1, -1):  # of several operands, the error may be reported at the last
                        match = re.search(r"/\*(\d+)\*/", lines[at])
                        if match:
                            dropped.add(by_number[int(match[1])].key)
                            break
            need(len(dropped) > before, "an error belongs to no change")
        self.known.write_text(json.dumps({"content": content, "dropped": sorted(dropped)}))
        return [one for _, mutants in files for one in mutants], len(dropped)

    def link(self):
        told = subprocess.run(["ninja", "-C", str(self.ordinary), "-n", "zablab"], capture_output=True, text=True)
        need("no work to do" in told.stdout, f"the ordinary program is not up to date: ninja -C {self.options.ordinary} zablab")
        link = subprocess.run(["ninja", "-C", str(self.ordinary), "-t", "commands", "zablab"], check=True, capture_output=True,
                              text=True).stdout.splitlines()[-1]
        words = shlex.split(link)
        at = words.index("-o")
        # Of several definitions the first is taken.
        words[at:at + 2] = ["-o", str(self.program), "-Wl,--allow-multiple-definition", str(self.object_file)]
        linked = subprocess.run(words, cwd=self.ordinary, capture_output=True, text=True)
        need(linked.returncode == 0, linked.stderr[-3000:])

    def run(self, number, arguments, extra=None, program=None, seconds=None):
        """(status, output, processor seconds); the status is negative if a signal ended it."""
        seconds = seconds or (900 if number <= 0 else 20 + int(3 * self.took.get(tuple(arguments), 0)))
        environment = {**os.environ, "ZABLAB_MUTANT": str(number), **(extra or {})}

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            if arguments[:1] != ["check"]:  # which reserves more than it uses, and has its own limit
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.nice(max(0, 10 - os.nice(0)))

        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([str(program or self.program), *arguments], stdout=output, stderr=subprocess.DEVNULL,
                                       env=environment, cwd=ROOT, preexec_fn=limits)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            took = round(usage.ru_utime + usage.ru_stime, 2)
            if number == 0:
                self.took[tuple(arguments)] = took
            return process.returncode, output.read(), took

    @staticmethod
    def ended(status):
        return "hang" if status in (-24, -9) else "crash"  # SIGXCPU, SIGKILL

    def fuzz(self, number, seeds, first=True, extra=None, program=None):
        arguments = ["fuzz", "--protocol", self.protocol, "--seeds", f"0:{seeds}", "--seed-time", "20", "--no-shrink", "--json", *(["--first"] if first else [])]
        status, output, seconds = self.run(number, arguments, extra, program)
        row = {"seconds": seconds}
        if status not in (0, 1, 3):
            return {**row, "ended": self.ended(status), "status": status}
        summary = json.loads(output.splitlines()[-1])["summary"]
        row["digest"] = str(summary["statistics"]["digest"])
        if summary["findings"]:
            found = min(summary["findings"], key=lambda one: one["first_seed"])
            row.update(what=found["what"], seeds=found["first_seed"] + 1)
        return row

    def check(self, number, model, states):
        arguments = ["check", model, "--json", "--jobs", "1", "--memory", "1G", "--max-states", str(states)]
        status, output, seconds = self.run(number, arguments)
        row = {"seconds": seconds}
        if status not in (0, 1, 3):
            return {**row, "ended": self.ended(status), "status": status}
        told = json.loads(output.splitlines()[-1])
        goals = {goal["name"] for goal in told.get("goals") or []}
        row.update(distinct=told["distinct"], generated=told["generated"])
        if told["violated"]:
            row["goal" if told["violated"] in goals else "what"] = told["violated"]
        return row

    def scenarios(self, number):
        status, output, seconds = self.run(number, ["run", *self.files("scenario"), "--json"])
        row = {"seconds": seconds}
        if status not in (0, 1, 2, 3):
            return {**row, "ended": self.ended(status), "status": status}
        verdicts = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        failed = [one["file"] for one in verdicts if one["verdict"] not in ("passed", "ran", "left aside")]
        return {**row, "failed": len(failed), "first": failed[:1], "run": len(verdicts)}

    def conform(self, number):
        """Recordings of which a record differs."""
        words, folder = RECORDINGS.get(self.protocol, (None, None))
        differs = []
        for path in sorted((ROOT / folder).glob("*.json")) if folder else []:
            status, _, _ = self.run(number, ["conform", *words, str(path.relative_to(ROOT)), "--json"])
            if status == 1 or status < 0:
                differs.append(path.name)
        return differs

    def files(self, kind):
        """Shipped files of this protocol: scenarios, and models of which nothing is violated."""
        found = []
        for path in sorted((ROOT / "scenarios").rglob("*.json")):
            told = json.loads(path.read_text())
            is_model = told.get("kind") == "model"
            if told.get("protocol", "zab") != self.protocol or path.parent.name == "large-models" or is_model != (kind == "model"):
                continue
            if not is_model or told.get("expect", {}).get("verdict", "holds") == "holds":
                found.append(str(path.relative_to(ROOT)))
        return found

    def verify_unchanged(self):
        """Number 0 is the ordinary program."""
        told = [self.fuzz(0, 100, first=False, program=program) for program in (self.ordinary / "zablab", self.program)]
        need(told[0].get("digest") == told[1].get("digest"), f"without a mutant the program is not the ordinary one: {told}")

    def models_that_hold(self):
        """What the models give without a mutant. Also sees that nothing else differs then; only survivors need this."""
        with self.lock:
            if self.models is None:
                scenarios = self.scenarios(0)
                need(scenarios.get("failed") == 0, f"without a mutant scenarios differ: {scenarios}")
                need(not self.conform(0), "without a mutant recordings differ")
                results = {model: self.check(0, model, self.options.states) for model in self.files("model")}
                self.models = {model: result for model, result in results.items() if "distinct" in result and "what" not in result}
            return self.models

    def seeds_for(self, seconds):
        """How many seeds take so long, of two digits."""
        self.fuzz(0, 20, first=False)
        took = self.fuzz(0, 220, first=False)["seconds"] - self.fuzz(0, 20, first=False)["seconds"]
        seeds = str(int(200 * seconds / max(took, 0.01)))
        return int(seeds[:2].ljust(len(seeds), "0"))

    def reached(self, seeds):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "reached"
            self.fuzz(-1, seeds, first=False, extra={"ZABLAB_MUTANT_REACHED": str(file)})
            return {int(line) for line in file.read_text().split()}

    # -- a mutant

    def judge(self, mutant, seeds, original):
        row = {"key": mutant.key, "kind": mutant.kind, "file": mutant.file, "function": mutant.function, "line": mutant.line,
               "change": mutant.change}
        fuzz = self.fuzz(mutant.number, seeds)
        row["fuzz"] = fuzz
        row["same"] = fuzz.get("digest") == original["digest"]
        if "what" in fuzz:
            return row
        row["scenarios"] = self.scenarios(mutant.number)
        for model, before in self.models_that_hold().items():
            result = self.check(mutant.number, model, self.options.states)
            if "what" in result or "ended" in result:
                row["check"] = {"model": model, **result}
                break
            if any(result[name] != before[name] for name in ("distinct", "generated")):
                row["counts"] = row.get("counts", 0) + 1
        row["conform"] = self.conform(mutant.number)
        return row


def is_killed(row):
    return "what" in row["fuzz"]


def ended(row):
    return next((one["ended"] for one in (row["fuzz"], row.get("check", {}), row.get("scenarios", {})) if "ended" in one), None)


def noticed(row):
    by = [name for name, is_so in (
        (ended(row) or "", ended(row)),
        (f"model {pathlib.Path(row.get('check', {}).get('model', '')).stem}: {row.get('check', {}).get('what')}", "what" in row.get("check", {})),
        (f"{row.get('counts')} models' counts", row.get("counts")),
        (f"{row.get('scenarios', {}).get('failed')} scenarios", row.get("scenarios", {}).get("failed")),
        ("conformance", row.get("conform"))) if is_so]
    return ", ".join(by) or "nothing"


def judgement(row, judgements):
    """Of what random runs do not find, even if something else does."""
    if is_killed(row):
        return None
    return judgements.get(row["key"], {}).get("judgement", "ends" if ended(row) else "hole")


def in_a_word(row):
    if is_killed(row):
        return f"{row['fuzz']['what']} after {row['fuzz']['seeds']}"
    return f"survives{', all as before' if row['same'] else ''}; noticed by {noticed(row)}"


def measure(name, options, commit_of):
    """Runs the sample; returns the header and the rows."""
    since = time.monotonic()
    family = Family(name, options)
    family.work.mkdir(parents=True, exist_ok=True)
    mutants, dropped = family.make()
    print(f"{len(mutants)} changes in {len({one.file for one in mutants})} files; {dropped} more do not compile "
          f"({time.monotonic() - since:.0f} s)", file=sys.stderr)
    if options.list:
        for one in mutants:
            print(f"{one.number}\t{one.file}:{one.line}\t{one.kind}\t{one.function}\t{one.change}")
        return None
    if options.show:
        one = next(one for one in mutants if one.number == options.show)
        print(f"{one.key}\n  {one.file}:{one.line}: " + (ROOT / "protocol" / one.file).read_text().splitlines()[one.line - 1].strip())
        return None
    family.link()
    family.verify_unchanged()
    before, done = None, {}
    if options.resume and options.resume.exists():
        told = [json.loads(line) for line in options.resume.read_text().splitlines()]
        before, done = told[0], {row["key"]: row for row in told[1:]}
    seeds = options.seeds or (before["seeds"] if before else family.seeds_for(options.cpu))
    marking = min(seeds, 1000)
    reached = family.reached(marking)
    drawable = [one for one in mutants if one.number in reached]
    sample = draw(drawable, options.sample, options.seed)
    if options.only:
        sample = [one for one in mutants if options.only in one.key]
    original = family.fuzz(0, seeds)
    need("digest" in original and "what" not in original, f"without a mutant: {original}")
    print(f"{len(drawable)} are reached by {marking} seeds; {len(sample)} drawn; {seeds} seeds each "
          f"({time.monotonic() - since:.0f} s)", file=sys.stderr)
    header = {"family": name, "commit": commit_of("protocol", "checker", "sim", "cli", "scenarios", "recordings"),
              "command": f"scripts/mutate.py --family {name} --sample {options.sample} --seed {options.seed} --seeds {seeds} "
                         f"--states {options.states}",
              "mutants": len(mutants), "dropped": dropped, "reached": len(drawable), "seeds": seeds, "states": options.states,
              "keys": [one.key for one in sample]}
    need(before is None or (before["commit"], before["command"]) == (header["commit"], header["command"]) or options.only,
         f"{options.resume} is of another commit or of other options: {before and before['command']} at {before and before['commit']}")
    if options.resume and before is None:
        options.resume.write_text(json.dumps(header) + "\n")
    lock = threading.Lock()

    def work(mutant):
        if mutant.key in done:
            return
        row = family.judge(mutant, seeds, original)
        with lock:
            done[mutant.key] = row
            if options.resume:
                with options.resume.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            print(f"{len(done)}/{len(sample)} [{mutant.number}] {mutant.file}:{mutant.line} {mutant.change}: {in_a_word(row)}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(work, sample):
            pass
    return header, [done[one.key] for one in sample]


# ---- the page


def shortened(text):
    return text if len(text) <= 160 else text[:100] + " ... " + text[-55:]


def share(part, whole):
    return f"{1000 * part // whole / 10:.1f} %" if whole else "-"


def counts_of(rows, judgements):
    """What the table has of a family."""
    def judged(word):
        return sum(judgement(row, judgements) == word for row in rows)

    return {"drawn": len(rows), "equivalent": judged("equivalent"), "slower": judged("slower"), "fuzz": sum(map(is_killed, rows)),
            "anything": sum(is_killed(row) or noticed(row) != "nothing" for row in rows), "ends": judged("ends"), "hole": judged("hole")}


def families_page(results, judgements):
    """`results`: what scripts/mutate-results.json has; of zab the counts alone, the rest being the part of the page that is about it."""
    lines = [
        "## All families",
        "",
        "The other families' mutants are made by the same rules, from the files of `protocol/<family>/` without rules and planted mutations. They are",
        "linked into the ordinary program in place of the family's own code, so that checkers are unchanged. Drawn are those that random runs",
        "reach. Each goes through `fuzz` with `--first` of the default variant, with as many seeds as take a minute of one core without a mutant;",
        "what survives goes through the family's scenarios, through its models that hold, up to a number of states, and through recordings of its",
        "clients. *Anything* is that some of these notices it; *ends* that the program crashes or does not end, which fuzz reports as a finding",
        "since d99df1ee (rows of commits before do not count it). The score is the share of the drawn ones, without the equivalent and the merely",
        "slower ones, in which fuzz finds an invariant violated, a run that does not recover, or one that ends the program.",
        "",
        "| family | changes | reached | drawn | seeds | equivalent | slower | fuzz | anything | ends | hole | score | commit |",
        "|---|" + "---:|" * 11 + "---|",
    ]
    for name in ("zab", *FAMILIES):
        if name not in results:
            continue
        header = results[name]["header"]
        counts = results[name].get("counts") or counts_of(results[name]["rows"], judgements)
        counted = counts["drawn"] - counts["equivalent"] - counts["slower"]
        lines.append(f"| {name} | {header['mutants']:,} | {header['reached']:,} | {counts['drawn']} | {int(header['seeds']):,} | {counts['equivalent']} | "
                     f"{counts['slower']} | {counts['fuzz']} | {counts['anything']} | {counts['ends']} | {counts['hole']} | "
                     f"{share(counts['fuzz'], counted)} | {header['commit']} |")
    for name in FAMILIES:
        if name not in results:
            continue
        header, rows = results[name]["header"], results[name]["rows"]
        kills = collections.Counter(row["fuzz"]["what"] for row in rows if is_killed(row))
        needed = sorted(row["fuzz"]["seeds"] for row in rows if is_killed(row))
        lines += ["", f"### {name}", "", f"`{header['command']}`, at commit {header['commit']}.", ""]
        if needed:
            lines += [f"Killed by: {', '.join(f'{what} {count}' for what, count in kills.most_common())}. Seeds until then: {needed[len(needed) // 2]} in "
                      f"the median, {needed[-1]:,} at most.", ""]
        survivors = [row for row in rows if not is_killed(row)]
        lines += ["| place | change | noticed by | judgement |", "|---|---|---|---|"] if survivors else ["Nothing survived."]
        for row in sorted(survivors, key=lambda row: (("hole", "ends", "slower", "equivalent").index(judgement(row, judgements)), row["file"], row["line"])):
            why = judgements.get(row["key"], {}).get("why", "not judged yet")
            change = shortened(row["change"]).replace("|", "\\|")
            lines.append(f"| {row['file']}:{row['line']} `{row['function']}` | `{change}` | {noticed(row)} | *{judgement(row, judgements)}*: "
                         + why.replace("|", "\\|") + " |")
    return "\n".join(lines) + "\n"


def kept(row):
    """Of a row, what the page needs."""
    names = ("key", "kind", "file", "function", "line", "change", "same", "counts", "conform")
    return {**{name: row[name] for name in names if row.get(name) not in (None, [], 0)},
            "fuzz": {name: row["fuzz"][name] for name in ("what", "seeds", "ended") if name in row["fuzz"]},
            "check": {name: row.get("check", {})[name] for name in ("model", "what", "ended") if name in row.get("check", {})},
            "scenarios": {name: row.get("scenarios", {})[name] for name in ("failed", "ended") if row.get("scenarios", {}).get(name)}}
