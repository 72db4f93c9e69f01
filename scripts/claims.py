#!/usr/bin/env python3
"""Writes docs/generated/claims.md: the claims of the documents, one line for each, and the files that show them.

  scripts/claims.py    run it when a scenario, table or model names a claim; a new claim gets its line here

This is the only list of claims. One that is about every run begins with ∀, one about a run that is possible with ∃: a model has to show it.
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

CLAIMS = {
    "Writing and reading": {
        "000-W1": "A write is proposed to all, acknowledged, committed and answered: 12 messages between five servers.",
        "000-W2": "∀ With five servers the second follower's acknowledgement commits; one is never enough.",
        "000-W3": "∀ Observers get the data, and their acknowledgements do not count.",
        "000-W4": "A write requested at a follower or observer takes one more hop.",
        "000-W5": "What was acknowledged is in the log after a crash.",
        "000-W5b": "Acknowledged before it is durable, an answered write can be lost to a power failure.",
        "000-W6": "A leader that logs first and dies before it proposes leaves the entry only in its own log.",
        "000-R1": "∀∃ A read costs no message between servers and can be behind; after a sync it is not.",
        "000-R1b": "∃ A sync at a leader that was deposed without knowing it says nothing about newer writes.",
        "000-R2": "A client that moves to a server behind what it has seen is refused.",
        "000-R3": "∀∃ In one epoch one leader serves; two servers can think that they lead.",
        "000-R4": "Reads scale with the servers, writes do not: messages by kind and number of servers.",
        "000-O1": "An observer never leads, and is not counted in an election.",
        "000-A0": "Of the election algorithms only number 3 remains.",
        "000-Q": "An ensemble serves while more than half of its voters run: four tolerate one, like three.",
    },
    "Transaction ids": {
        "000-Z1": "∀ A zxid is an epoch and a counter that restarts with each epoch; committed zxids increase along the history.",
        "000-Z2": "If the counter is used up, a new epoch begins; otherwise it would overflow into the epoch.",
        "000-Z3": "The epoch increases with each established leader, not with each round of an election.",
    },
    "Elections": {
        "000-F0": "A ballot box keeps the last vote of each server.",
        "000-F1": "Three servers start together: all vote for 3, which leads.",
        "000-F1b": "∀∃ With other orders of messages 2 can lead, but never 1.",
        "000-F1c": "Started one after the other, the first majority elects its largest id; later ones join.",
        "000-F2": "A higher round empties the box and is adopted.",
        "000-F3": "A vote of a lower round is ignored.",
        "000-F4": "Votes are ordered: the round, the larger zxid, the larger id.",
        "000-F5": "Without the epoch in a vote, an older and longer log can win the election.",
        "000-F6": "∀ The elected server has every committed entry, if votes contain the zxid of the last logged entry.",
        "000-F7": "A server that receives no votes sends its own again, or connects again.",
        "000-F8": "A restarted follower is notified of the leader and follows it, and nothing changes for the others.",
        "000-F8b": "The same holds for a follower that was cut off.",
        "000-F9": "The leader dies: of the others the one with the larger zxid leads.",
        "000-F9b": "With equal zxids the larger id leads.",
        "000-F9c": "∃ One of the followers may be behind, as a majority is enough.",
        "000-F10": "The old leader comes back and follows, even with additional entries, which are truncated.",
        "000-F11": "Rounds in the pictures increase across a restart; in a real server they start again from the beginning.",
        "000-F12": "∀ The elected server leads, voters follow, observers observe.",
        "000-F13": "The round increases by one with each election of a process.",
        "000-F14": "A notification contains its sender's round, state and id, and the candidate with its zxid.",
        "000-F15": "A box by id and zxid keeps two votes of one server; a box by id keeps the last.",
        "000-H1": "A follower without a leader, and a leader without a majority, look for a leader.",
        "000-H2": "Heartbeats go to observers too, and a silent one is dropped.",
    },
    "Recovery of five servers": {
        "000-C0": "The progress of each of the five servers when A dies: the example's table.",
        "000-C1": "B, the only other server with P3 besides A, is elected if it votes in time, even with the smallest id.",
        "000-C1b": "∀∃ If B is slow, C or D is elected, and P3 is lost, which is permitted.",
        "000-C2": "P1 and P2 are committed at all remaining servers.",
        "000-C3": "The outcome of P3, which no majority had acknowledged: dropped in the text, committed in ZooKeeper.",
        "000-C4": "The leader serves when a majority has acknowledged NEWLEADER; a silent one joins later.",
        "000-C5": "A comes back and is made equal to the others.",
        "000-C6": "The client of P3 does not know its outcome.",
        "000-C7": "If a majority has P3, it is kept; counting only servers that are heard drops it.",
        "000-C7b": "If it was acknowledged, dropping it loses an answered write.",
        "000-C8": "B dies too before it has synchronized any server: P3 is lost, and is truncated at A and B when they return.",
        "000-C9": "∃ P3, which is only in A's log, can be committed if all restart and A wins.",
        "000-P3-revive": "P3 was dropped, all servers die, and the policy decides whether it can come back.",
    },
    "Recovery of seven servers": {
        "000-7a": "B and F have P3: the larger id leads, which is B only if its id is larger.",
        "000-7b": "What F, whose last committed transaction is older, has to truncate and is sent.",
        "000-7c": "Counting holders among the servers that are heard drops an answered write.",
        "000-7d": "The rows of the rule by which a follower is synchronized.",
        "000-7e": "The same loss with three servers.",
    },
    "Guarantees to clients": {
        "000-G1": "A client's writes are applied in the order of its requests.",
        "000-G2": "A multi of which one operation fails changes nothing.",
        "000-G3": "∀∃ Servers may show different trees at one moment, but no client goes back.",
        "000-G4": "∀ An answered write survives while a majority does.",
        "000-G5": "When nothing happens any more, all replicas are equal.",
        "002-A2": "∀∃ Of two writes of one node either may be the last, and all servers end with the same.",
        "002-G": "What the overview promises: a server may lag, and a client sees one order.",
    },
    "Nodes, sessions and watches": {
        "000-N1": "A persistent node is there after all servers were restarted.",
        "000-N2": "An ephemeral node ends with its session: at once when it is closed, after the timeout when its client dies.",
        "000-N3": "∀ Of many clients that create the same node one succeeds.",
        "000-N4": "Sequential names are distinct, in the order of the commits, and never given again.",
        "000-V1": "A watch reports one change, and has to be set again.",
        "000-V2": "∀ A client is notified of a change before it can read it.",
        "000-V3": "Notifications arrive in the order of the changes.",
        "002-API": "create, delete, exists, getData, setData, getChildren and sync.",
        "002-D1": "The Stat of a node after changes of its data, children and rights.",
        "002-D2": "An ephemeral node has no children.",
        "002-D3": "A client without the right is refused, and nothing changes.",
        "002-S1": "A session's states; what is asked after its end fails, and the end is learned only on a new connection.",
    },
    "Locks of clients": {
        "000-L1": "∀ One client holds a lock in the store; who believes so without being it is refused by the resource alone.",
        "000-L2": "A lock that its holder acquires again has one node, which goes with the last release.",
        "000-L3": "A lock whose holder dies is released when its session is over.",
        "002-L1": "∀ The lock's steps: create, list without a watch, watch the node before the own; each release wakes one.",
        "002-L2": "∃ Without an identifier in the name a lost reply leads to a deadlock.",
    },
    "Barriers, queues, transactions, configurations and groups of clients": {
        "002-B": "A barrier, a queue and a two-phase commit: nobody passes early, no item is taken twice, and one vote aborts.",
        "002-CFG": "∃ An application follows its configuration: a change may be skipped, but not the last.",
        "002-CFG2": "∀∃ A configuration of several nodes is never half seen if it is written, and read, in one multi.",
        "002-M1": "Who joins a group is seen there, and who leaves or dies is not.",
        "002-NS": "∀ Sequential nodes are names that no two clients are given.",
    },
    "Elections of clients": {
        "000-U1": "Three clients create one node: one leads, two watch it.",
        "000-U2": "The leader leaves or dies: both followers are notified.",
        "000-U3": "∃ The next leader may be either of them, regardless of who came first.",
        "000-U4": "If one is notified late, the other leads without waiting for it.",
        "000-U5": "Each change of leaders notifies all who wait, and all of them create the node: 9, 8, 7, 6.",
        "000-E1": "Three clients take sequential nodes: the smallest number leads.",
        "000-E2": "Each other client watches the node before its own; nobody watches the last.",
        "000-E3": "The leader dies: the next alone is notified, lists the children and leads.",
        "000-E4": "One that waits leaves: the one behind it is notified, is not the first, and watches the next.",
        "000-E5": "The order is that of the numbers, also if the next has stopped: then nobody leads until its session is over.",
        "003-P1": "Eight processes take the numbers 0 to 7, and 0 leads.",
        "003-P2": "0 deletes its node, 1 is disconnected, 2 leads; a newcomer waits last.",
        "003-A": "Watching the parent: 45 notifications and 55 lists when ten join, 35 and 35 when five leave.",
        "003-A'": "The first program's output, 31 lines.",
        "003-B": "Watching the predecessor: no notification when ten join, five when five leave.",
        "003-B'": "∃ The second program's output, 32 lines: who closes its session still says that it leads.",
        "003-B''": "When 3 and 4 have gone, 5 watches 2: the predecessor is not the number minus one.",
        "003-C": "Notifications of one parent grow with the square of the contenders, those of predecessors do not.",
        "003-X1": "∃ A leader that was disconnected for a moment clears its flag and does not lead again.",
        "003-X2": "A process whose session is over never takes part again.",
        "003-X3": "Who reads an empty list leads: several do.",
        "003-X4": "A leader whose node was deleted leads on, beside the next.",
        "003-X5": "A predecessor that goes before it is watched leaves nobody to lead.",
        "003-X6": "A change of the predecessor's data uses up the watch.",
        "003-X7": "A node whose creation was not answered heads the line as long as its session lives.",
        "003-X8": "A leader that has lost its connection keeps its node until its session is over.",
        "003-X9": "Behind the last number comes a negative one, which sorts first: the newest process leads.",
        "003-X10": "Of two processes that create the parent node one never takes part.",
        "003-X11": "A process that is not in the list never watches again.",
        "003-X12": "Who is not connected within 29.7 s never takes part.",
        "003-X13": "A process that cannot prove who it is clears its flag for good.",
    },
    "The overviews": {
        "001-Z1": "Two servers need both.",
        "001-Z2": "Votes of id and zxid, read only from LOOKING servers; the winner sends its vote again.",
        "001-Z3": "When the leader dies, all servers except observers look for another.",
        "002-A1": "Available while a majority runs.",
        "002-F1": "A, B and C without data: the votes of each step, and C leads.",
        "002-P1": "initLimit and syncLimit, in ticks: how long a leader and its followers wait for each other.",
    },
    "Redis Sentinel": {
        "001-S1": "Every sentinel that watches the master may become the leader.",
        "001-S2": "∀ The leader of an epoch does not change.",
        "001-S3": "Every attempt takes an epoch, whether a leader is elected or not.",
        "001-S4": "Who asks first gets the vote; who asks later is refused, or told for whom it was given.",
        "001-S5": "A vote counts if it is of the candidate's epoch and for the candidate.",
        "001-S6": "More than half of the sentinels; in Redis, also as many as the quorum.",
        "001-S7": "∃ Without a leader in time there is another election, until one is elected.",
    },
    "Redis Cluster": {
        "001-C1": "A replica becomes a candidate when a majority of the masters flags its master as FAIL.",
        "001-C2": "Epochs begin at 0, and a failover takes the next one.",
        "001-C3": "A master votes once in each epoch, for the first that asks.",
        "001-C4": "A replica whose data are too old is no candidate.",
        "001-C5": "The delay before an election grows with the number of replicas that have more data.",
        "001-C6": "The replica asks all nodes, and masters alone answer; the document has the master ask.",
        "001-C7": "N/2+1 votes are needed, and N counts dead masters.",
        "001-C8": "Without a majority the next attempt is in the next epoch.",
    },
    "Kafka": {
        "001-K1": "All brokers try to register as the controller, and one succeeds; the others watch.",
        "001-K2": "When the controller's node is deleted, the other brokers are notified and compete again.",
        "001-K3": "When the leader of a partition dies, the next one is one of the replicas that are in sync.",
    },
    "Leader and followers": {
        "004-1": "Without a leader no request is accepted; a follower forwards requests to the leader.",
        "004-1b": "A server that starts looks for a leader first, and begins no election if there is one.",
        "004-2": "Three roles; a candidate raises the generation, votes for itself and asks all.",
        "004-3": "Only a server that is up to date may win.",
        "004-4": "A tie: the highest id, or the first to ask.",
        "004-5": "∀ A vote is repeated unchanged within its generation, and no other server wins in it.",
        "004-6": "The table by which a vote is granted or refused.",
        "004-7": "A majority elects a leader; it sends heartbeats, and silence leads to a new election.",
        "004-X1": "As printed, a higher generation is granted without comparing the logs: a committed entry is lost.",
        "004-X2": "As printed, logs are compared only by their index.",
        "004-X3": "The document does not say whether a vote survives a restart; if it does not, two leaders win a generation.",
    },
    "Election on an external store": {
        "004-8": "Who creates the key leads and renews it; it expires without that, and all are notified.",
        "004-9": "Of n servers that call elect() one becomes the leader, and n-1 read its id.",
        "004-10": "When the leader dies, all are notified of the deletion and call elect() again.",
        "004-11": "Membership and failures follow from the same store as the election.",
        "004-X4": "A leader whose session has expired is not told and does not step down: two believe that they lead.",
    },
    "Quorum registers": {
        "004-Q1": "R + W > N is not enough: one client reads the new value and another the old one afterwards.",
        "004-Q2": "When the replica is back, reads and repairs make all equal.",
        "004-Q3": "Reads that write back what they return are linearizable.",
    },
}


RUNS = {"": "", "∀": "every", "∃": "some", "∀∃": "every, some"}


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
        "([documents-versus-zookeeper.md](../documents-versus-zookeeper.md)). An id is the document's number and the claim's. "
        "*Runs*: `every`, the claim is about every run, `some`, about a run that is possible; a model searches for what contradicts it, or for such a run. "
        "Made by `scripts/claims.py` from the `claims` of the files.",
    ]
    for title, claims in CLAIMS.items():
        lines += ["", f"## {title}", "", "| id | claim | runs | files |", "| --- | --- | --- | --- |"]
        for claim, text in claims.items():
            quantifier = text[: len(text) - len(text.lstrip("∀∃"))]
            text = text[len(quantifier):].lstrip()
            shown = ", ".join(f"[{path.parent}/{path.stem}](../../scenarios/{path})" for path in named.get(claim, []))
            lines.append(f"| {claim} | {text} | {RUNS[quantifier]} | {shown} |")
    (ROOT / "docs" / "generated" / "claims.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
