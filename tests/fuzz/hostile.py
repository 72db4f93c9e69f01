#!/usr/bin/env python3
"""Gives the program hostile input: shipped scenarios, models and traces, each changed in one to four places.

  tests/fuzz/hostile.py [--zablab build/zablab] [--inputs 20000] [--seed 1] [--jobs 2] [--keep DIR]

Every input goes to one of `run`, `validate`, `check`, `replay`, `render` (and occasionally `shrink`). The requirements on each:
an exit status from 0 to 4 and no signal, an end within 10 s, less than 1 GiB of memory, no control character on the
terminal except line ends. Inputs that violate them are printed, and kept under --keep. The same seed makes the same inputs.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 10
BYTES = 1 << 30

NUMBERS = [0, 1, -1, 2, 7, 31, 32, 33, 255, 65536, 2**31 - 1, 2**31, 2**32, 2**53, 2**60, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30,
           0.5, -0.0, 1e300]
STRINGS = ["", " ", "0", "1.1", "1.4294967295", "99999999999.1", "-1.-1", "observer", "none", "LEADING", "\x1b[2J\x1b]0;x\x07", "\x00", "\n",
           "a" * 70_000, "\u202e", "\ud83d\ude00", "$(touch /tmp/zablab-hostile)", "'; true; '", "../../etc/passwd", "/dev/stdin", "%s%n", "kind"]
TRICKS = ["replace", "delete", "duplicate", "swap", "type", "rename", "repeat", "graft", "nest"]


def anything(dice):
    return dice.choice([None, True, False, [], {}, dice.choice(NUMBERS), dice.choice(NUMBERS), dice.choice(STRINGS), [dice.choice(NUMBERS)],
                        {dice.choice(STRINGS): dice.choice(NUMBERS)}])


def places(value, found=None):
    """Every (container, key) below a value."""
    found = [] if found is None else found
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        found.append((value, key))
        places(child, found)
    return found


def change(document, other, dice):
    all_places = places(document)
    if not all_places:
        return anything(dice)
    container, key = dice.choice(all_places)
    trick = dice.choice(TRICKS)
    if trick == "replace":
        container[key] = anything(dice)
    elif trick == "delete":
        del container[key]
    elif trick == "duplicate" and isinstance(container, list):
        container.insert(key, container[key])
    elif trick == "swap":
        there, at = dice.choice(all_places)
        try:
            container[key], there[at] = there[at], container[key]
            json.dumps(document)
        except (KeyError, IndexError, ValueError, RecursionError):
            return None  # it contains itself now
    elif trick == "type":
        value = container[key]
        container[key] = str(value) if not isinstance(value, str) else [value] if dice.random() < 0.5 else len(value)
    elif trick == "rename" and isinstance(container, dict):
        container[dice.choice(STRINGS + [key + "x", key.upper()])] = container.pop(key)
    elif trick == "repeat" and isinstance(container, list):
        container.extend([container[key]] * dice.choice([1, 5, 40, 400]))
    elif trick == "graft":
        there, at = dice.choice(places(other) or [([0], 0)])
        container[key] = json.loads(json.dumps(there[at]))
    elif trick == "nest":
        for _ in range(dice.choice([1, 10, 70])):
            container[key] = [container[key]] if dice.random() < 0.5 else {"state": container[key]}
    return document


def text_of(document, dice):
    text = json.dumps(document, ensure_ascii=dice.random() < 0.5)
    if dice.random() < 0.05:  # change its text, too
        at = dice.randrange(len(text) + 1)
        text = dice.choice([text[:at], text[:at] + dice.choice(["\x00", "{", "]", ",", "\ufeff", '"']) + text[at:], text + text])
    return text.encode("utf-8", "surrogatepass")


def command_of(kind, dice):
    if kind == "trace":
        return dice.choice([["replay", "FILE"], ["render", "FILE", "-o", "OUT.txt"], ["render", "FILE", "-o", "OUT.dot"], ["shrink", "FILE"],
                            ["render", "FILE", "-o", "OUT.dot", "--rows", "time", "--self", "--no-fold"], ["validate", "FILE"]])
    if kind == "model":
        return dice.choice([["check", "FILE", "--max-states", "3000", "--memory", "256M", "--max-time", "5"], ["validate", "FILE"],
                            ["check", "FILE", "--max-states", "1000", "--memory", "256M", "--max-time", "5", "--search", "dfs", "--json"],
                            ["run", "FILE"]])
    return dice.choice([["run", "FILE"], ["run", "FILE", "--seed", "3"], ["run", "FILE", "--text"], ["run", "FILE", "--json"],
                        ["run", "FILE", "--trace", "OUT.json"], ["validate", "FILE"], ["run", "FILE", "--dot", "OUT.dot"]])


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def try_one(number, request, sources):
    dice = random.Random(f"{request.seed}/{number}")
    kind, text = dice.choice(sources)
    document, other = json.loads(text), json.loads(dice.choice(sources)[1])
    for _ in range(dice.choice([1, 1, 2, 4])):
        document = change(document, other, dice)
        if not isinstance(document, (dict, list)) or not document:
            break
    if document is None:
        return None
    command = command_of(kind, dice)
    content = text_of(document, dice)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "input.json"
        file.write_bytes(content)
        words = [str(file) if word == "FILE" else word.replace("OUT", folder + "/out") for word in command]
        began = time.monotonic()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([request.zablab, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=limits)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            said = output.read()
        took = min(time.monotonic() - began, usage.ru_utime + usage.ru_stime)  # do not count other work on the machine
        left = [one.name for one in pathlib.Path(folder).iterdir() if "unfinished" in one.name]
    wrong = []
    if not 0 <= process.returncode <= 4:
        wrong.append(f"status {process.returncode}")
    if took > SECONDS:
        wrong.append(f"{took:.1f} s")
    if usage.ru_maxrss * 1024 > BYTES:
        wrong.append(f"{usage.ru_maxrss >> 10} MiB")
    if any(byte < 32 and byte != 10 for byte in said) and "--trace" not in command:
        wrong.append("a control character on the terminal")
    if process.returncode == 2 and not said.strip():
        wrong.append("refused without a word")
    if left:
        wrong.append(f"left {left[0]}")
    if wrong and request.keep:
        (request.keep / f"{number}.json").write_bytes(content)
    return number, kind, command, wrong, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zablab", default=str(ROOT / "build" / "zablab"))
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR")
    request = parser.parse_args()
    if request.keep:
        request.keep.mkdir(parents=True, exist_ok=True)
    files = sorted((ROOT / "scenarios").rglob("*.json"))
    sources = []
    with tempfile.TemporaryDirectory() as folder:
        for index, file in enumerate(files):
            text = file.read_text()
            kind = json.loads(text)["kind"]
            sources.append((kind, text))
            if kind == "scenario" and index % 6 == 0:
                trace = pathlib.Path(folder) / "trace.json"
                subprocess.run([request.zablab, "run", str(file), "--trace", str(trace)], stdout=subprocess.DEVNULL, check=False)
                if trace.stat().st_size < 400_000:
                    sources.append(("trace", trace.read_text()))
    statuses, bad, tried = {}, 0, 0
    with concurrent.futures.ThreadPoolExecutor(request.jobs) as pool:
        numbers = range(request.first, request.first + request.inputs)
        for result in pool.map(lambda number: try_one(number, request, sources), numbers):
            if result is None:
                continue
            number, kind, command, wrong, status = result
            tried += 1
            statuses[status] = statuses.get(status, 0) + 1
            if wrong:
                bad += 1
                print(f"{number}: {kind}, {' '.join(command)}: {'; '.join(wrong)}", flush=True)
    print(f"{tried} inputs, {bad} bad; by status: " + ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
