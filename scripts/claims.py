#!/usr/bin/env python3
"""Writes docs/claims.md: the claims of the documents, one line for each, and the files that show them.

  scripts/claims.py    run it when a scenario, table or model names a claim; a new claim gets its line here
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

CLAIMS = {
    "Writing and reading": {
        "000-W1": "A write is proposed to all, acknowledged, committed and answered: 12 messages between five servers.",
        "000-W2": "With five servers the second follower's acknowledgement commits; one is never enough.",
        "000-W3": "Observers get the data, and their acknowledgements do not count.",
        "000-W4": "A write asked of a follower or observer takes one hop more.",
        "000-W5": "What was acknowledged is in the log after a crash.",
        "000-W5b": "Acknowledged before it is durable, an answered write can be lost to a power failure.",
        "000-W6": "A leader that logs first and dies before it proposes leaves the entry in its own log alone.",
        "000-R1": "A read costs no message between servers and can be behind; after a sync it is not.",
        "000-R1b": "A sync at a leader that was deposed without knowing it says nothing about newer writes.",
        "000-R2": "A client that moves to a server behind what it has seen is refused.",
        "000-R3": "In one epoch one leader serves; two servers can think that they lead.",
        "000-R4": "Reads scale with the servers, writes do not: messages by kind and number of servers.",
        "000-O1": "An observer never leads, and is not counted in an election.",
        "000-A0": "Of the election algorithms only number 3 is left.",
        "000-Q": "An ensemble serves while more than half of its voters run: four tolerate one, like three.",
    },
    "Transaction ids": {
        "000-Z1": "A zxid is an epoch and a counter that begins anew with it; committed ones grow along the history.",
        "000-Z2": "Where the counter is used up a new epoch begins; without that it runs into the epoch.",
        "000-Z3": "The epoch grows with each established leader, not with each round of an election.",
    },
    "Elections": {
        "000-F0": "A ballot box keeps the last vote of each server.",
        "000-F1": "Three servers start together: all vote for 3, which leads.",
        "000-F1b": "Under other orders of messages 2 can lead, never 1.",
        "000-F1c": "Started one after the other, the first majority elects its largest id; later ones join.",
        "000-F2": "A higher round empties the box and is taken over.",
        "000-F3": "A vote of a lower round is ignored.",
        "000-F4": "Votes are ordered: the round, the larger zxid, the larger id.",
        "000-F5": "Without the epoch in a vote, an older and longer log can win the election.",
        "000-F6": "Whoever is elected has every committed entry, if zxids are those of what is logged last.",
        "000-F7": "Who hears no votes says its own again, or connects again.",
        "000-F8": "A restarted follower hears who leads and follows, and changes nothing for the others.",
        "000-F8b": "So does one that was cut off.",
        "000-F9": "The leader dies: of the others the one with the larger zxid leads.",
        "000-F9b": "With equal zxids the larger id leads.",
        "000-F9c": "One of the followers may be behind, as a majority is enough.",
        "000-F10": "The old leader comes back and follows, whatever it has more; that is cut off.",
        "000-F11": "Rounds in the pictures grow over a restart; in a server they begin anew.",
        "000-F12": "The elected leads, voters follow, observers observe.",
        "000-F13": "A round is one more at each election of a process.",
        "000-F14": "A notification says its sender's round, state and id, and whom it votes for with which zxid.",
        "000-F15": "A box by id and zxid keeps two votes of one server; a box by id keeps the last.",
        "000-H1": "A follower without a leader, and a leader without a majority, look for a leader.",
        "000-H2": "Heartbeats go to observers too, and a silent one is dropped.",
    },
    "Recovery of five servers": {
        "000-C0": "How far each of the five servers is when A dies: the example's table.",
        "000-C1": "B, which alone has P3 beside A, is elected if it votes in time, even with the smallest id.",
        "000-C1b": "If B is slow, C or D is elected, and P3 is lost as it may be.",
        "000-C2": "P1 and P2 are committed at all that are left.",
        "000-C3": "What becomes of P3, which no majority had acknowledged: dropped in the text, committed in ZooKeeper.",
        "000-C4": "The leader serves when a majority has acknowledged NEWLEADER; a silent one joins later.",
        "000-C5": "A comes back and is made equal to the others.",
        "000-C6": "The client of P3 does not know what became of it.",
        "000-C7": "If a majority has P3, it stays; counting only those who are heard drops it.",
        "000-C7b": "And where it was acknowledged, dropping it loses an answered write.",
        "000-C8": "B dies too before it has synchronized anybody: P3 is gone, and is cut off when they return.",
        "000-C9": "P3 in A's log alone can be committed if all restart and A wins.",
        "000-P3-revive": "P3 was dropped, everybody dies, and the policy decides whether it can come back.",
    },
    "Recovery of seven servers": {
        "000-7a": "B and F have P3: the larger id leads, which is B only if its id is larger.",
        "000-7b": "What F, whose last committed is older, is told to cut off and is sent.",
        "000-7c": "Counting holders among those who are heard drops an answered write.",
        "000-7d": "The rows of the rule by which a follower is synchronized.",
        "000-7e": "The same loss with three servers.",
    },
    "What clients are promised": {
        "000-G1": "One client's writes are applied in the order in which it asked.",
        "000-G4": "An answered write survives while a majority does.",
        "000-G5": "When nothing happens any more, all replicas are equal.",
    },
    "The overviews": {
        "001-Z1": "Two servers need both.",
        "001-Z2": "Votes of id and zxid, heard of those who look alone; the winner says its vote again.",
        "001-Z3": "When the leader dies all but observers look for another.",
        "002-A1": "Available while a majority runs.",
        "002-F1": "A, B and C without data: the votes of each step, and C leads.",
        "002-P1": "initLimit and syncLimit, in ticks: how long a leader and its followers wait for each other.",
    },
    "Leader and followers": {
        "004-1": "Without a leader no request is taken; a follower hands requests on to the leader.",
        "004-1b": "A server that starts looks for a leader first, and begins no election where there is one.",
        "004-2": "Three roles; a candidate raises the generation, votes for itself and asks all.",
        "004-3": "Only a server that is up to date may win.",
        "004-4": "A tie: the highest id, or who asked first.",
        "004-5": "A vote is repeated unchanged within its generation, and nobody else wins in it.",
        "004-6": "The table by which a vote is granted or refused.",
        "004-7": "A majority makes a leader; it sends heartbeats, and silence begins a new election.",
        "004-X1": "As printed, a higher generation is granted without a look at the log: a committed entry is lost.",
        "004-X2": "As printed, logs are compared by their index alone.",
        "004-X3": "Whether a vote outlives its server is not said; without that two leaders win a generation.",
    },
    "Quorum registers": {
        "004-Q1": "R + W > N is not enough: one client reads the new value and another the old one afterwards.",
        "004-Q2": "When the replica is back, reads and repairs make all equal.",
        "004-Q3": "Reads that write back what they return are linearizable.",
    },
}


def files():
    """By claim, the files that name it."""
    named = {}
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        for claim in json.loads(path.read_text()).get("claims", []):
            named.setdefault(claim, []).append(path.relative_to(ROOT / "scenarios"))
    return named


def main():
    named = files()
    known = {claim for claims in CLAIMS.values() for claim in claims}
    missing = sorted(set(named) - known)
    if missing:
        raise SystemExit(f"scripts/claims.py has no line for {', '.join(missing)}")
    lines = [
        "# What the documents claim",
        "",
        "Each claim, and the scenarios, tables and models that show it, or show where it does not hold "
        "([documents-versus-zookeeper.md](documents-versus-zookeeper.md)). An id is the document's number and the claim's. "
        "Made by `scripts/claims.py` from the `claims` of the files.",
    ]
    for title, claims in CLAIMS.items():
        lines += ["", f"## {title}", "", "| id | claim | files |", "| --- | --- | --- |"]
        for claim, text in claims.items():
            shown = ", ".join(f"[{path.parent}/{path.stem}](../scenarios/{path})" for path in named.get(claim, []))
            lines.append(f"| {claim} | {text} | {shown} |")
    (ROOT / "docs" / "claims.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
