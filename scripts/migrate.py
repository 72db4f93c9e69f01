#!/usr/bin/env python3
"""Rewrites scenarios and models of older versions in the present format, in place.

    scripts/migrate.py FILE...

Everything else in a file remains unchanged, to the character. What is rewritten:

    {"write": {"client": 101, "value": 7, "repeat": 2}}   {"client": 101, "write": 7, "times": 2}
    {"power_loss": 1, "keep": 2}                          {"power_loss": {"servers": 1, "keep": 2}}
    {"look": 2}                                           {"prompt": 2}
    a model's {"client": 1, "operation": "put"}           {"client": 1, "write": true}
    an action's {"do": "ask", "operation": "put"}         {"do": "ask", "ask": {"write": true}}
    a model's timers: paid, quiet, rest, gone, due        budgeted and the others of FIRES
    in the state of ZooKeeper's server: "box"             "recvset", and the others of STATE_FIELDS
    in a vote: "epoch", "round"                           "peer_epoch", "election_epoch"
    a message's type: ASK, ANSWER, FORWARDED_ANSWER       CLIENT_REQUEST, REPLY, FORWARDED_REPLY
    in a pattern: {"kind": "sent", "to": 3}               {"kind": "sent", "receiver": 3}
    in a pattern: {"op": {"getChildren2": "/a"}}          {"op": {"getChildren": "/a"}}
    {"multi": [{"create": "/a", "flags": 3}]}             {"multi": [{"create": "/a", "flags": ["EPHEMERAL", "SEQUENTIAL"]}]}
"""
import json
import re
import sys

STEP_WORDS = {
    "start", "stop", "kill", "crash", "power_loss", "pause", "resume", "wipe", "prompt", "partition", "cut",
    "heal", "break", "hold", "release", "drop", "repeat", "send", "disk", "set", "clock", "note",
}

FIRES = {
    "paid": "budgeted", "quiet": "no_pending_votes", "rest": "quiescent", "gone": "peer_unreachable",
    "due": "lost_quorum",
}
STATE_FIELDS = {
    "box": "recvset", "established": "outofelection", "unlogged": "packets_not_logged",
    "to_commit": "packets_committed", "pending": "pending_txns", "outstanding": "outstanding_proposals",
    "connecting": "connecting_followers", "electing": "electing_followers", "round": "logicalclock",
}
TYPES = {"ASK": "CLIENT_REQUEST", "ANSWER": "REPLY", "FORWARDED_ANSWER": "FORWARDED_REPLY"}
VOTES = {"vote", "current_vote", "proposal", "challenger", "current", "instead_of", "against"}
CREATES = ("create", "create2", "createContainer", "createTTL")
MODES = {
    0: [], 1: ["EPHEMERAL"], 2: ["SEQUENTIAL"], 3: ["EPHEMERAL", "SEQUENTIAL"], 4: ["CONTAINER"], 5: ["TTL"],
    6: ["TTL", "SEQUENTIAL"],
}
VOTE_FIELDS = {"epoch": "peer_epoch", "round": "election_epoch"}


class Value:
    """A JSON value and its place in the text."""

    def __init__(self, text, start, end, value, members=(), elements=()):
        self.text, self.start, self.end, self.value = text, start, end, value
        self.members, self.elements = members, elements

    def raw(self):
        return self.text[self.start:self.end]

    def find(self, key):
        return next((member for name, _, member in self.members if name == key), None)


def parse(text, at=0):
    """The value that begins at `at`, or after the space there. Raises ValueError."""
    at = re.compile(r"\s*").match(text, at).end()
    decoder = json.JSONDecoder()
    if text[at:at + 1] == "{":
        members, value, end = [], {}, at + 1
        for key_at, key, inner in items(text, at + 1, "}"):
            members.append((key, key_at, inner))
            value[key] = inner.value
            end = inner.end
        return Value(text, at, text.index("}", end) + 1, value, members=members)
    if text[at:at + 1] == "[":
        elements, end = [], at + 1
        for _, _, inner in items(text, at + 1, "]"):
            elements.append(inner)
            end = inner.end
        return Value(text, at, text.index("]", end) + 1, [one.value for one in elements], elements=elements)
    value, end = decoder.raw_decode(text, at)
    return Value(text, at, end, value)


def items(text, at, close):
    """(place of the key, key, value) of each member, or element without a key, up to `close`."""
    space = re.compile(r"\s*")
    at = space.match(text, at).end()
    while text[at:at + 1] != close:
        key_at, key = at, None
        if close == "}":
            key, at = json.JSONDecoder().raw_decode(text, at)
            at = space.match(text, at).end()
            if text[at:at + 1] != ":":
                raise ValueError(f"no colon at {at}")
            at += 1
        inner = parse(text, at)
        yield key_at, key, inner
        at = space.match(text, inner.end).end()
        if text[at:at + 1] == ",":
            at = space.match(text, at + 1).end()
        elif text[at:at + 1] != close:
            raise ValueError(f"neither a comma nor the end at {at}")


def said(pairs):
    return ", ".join(f"{json.dumps(key)}: {value}" for key, value in pairs)


def asked(word, content):
    """The members that request `word`, of an object of the old form."""
    word = "write" if word in ("", "put") else word
    first = "server" if word == "connect" else "value"
    number = content.find("to" if first == "server" and content.find("to") else first)
    pairs = [(word, number.raw() if number else "true")]
    return pairs + [(key, content.find(key).raw()) for key in ("expected", "clock") if content.find(key)]


def step_edits(step):
    keep = step.find("keep")
    for i, (key, key_at, value) in enumerate(step.members):
        if key == "look":
            yield key_at, key_at + len('"look"'), '"prompt"'
        elif key == "power_loss" and keep:
            yield value.start, value.end, "{" + said([("servers", value.raw()), ("keep", keep.raw())]) + "}"
        elif key == "keep":
            yield (step.members[i - 1][2].end, value.end, "") if i else (key_at, step.members[1][1], "")
        elif key not in STEP_WORDS and isinstance(value.value, dict) and "client" in value.value and key != "when":
            pairs = [("client", value.find("client").raw())] + asked(key, value)
            pairs += [(new, value.find(old).raw())
                      for old, new in (("repeat", "times"), ("every", "every")) if value.find(old)]
            yield key_at, value.end, said(pairs)


def action_edits(action):
    old = ("operation", "value", "expected", "clock")
    if action.value.get("do") != "ask" or action.find("ask"):
        return
    pairs = []
    word = action.value.get("operation", "")
    for key, _, value in action.members:
        if key not in old and not (key == "to" and word == "connect"):
            pairs.append((key, value.raw()))
    pairs.append(("ask", "{" + said(asked(word, action)) + "}"))
    yield action.start, action.end, "{" + said(pairs) + "}"


def ask_edits(ask):
    if ask.find("operation"):
        pairs = [("client", ask.find("client").raw())] + asked(ask.value["operation"], ask)
        yield ask.start, ask.end, "{" + said(pairs) + "}"


def state_edits(value):
    """In every `state` and `disk` below the value, and in the fields that `equal` compares."""
    for key, _, member in value.members:
        if key == "state" and isinstance(member.value, dict):
            by_server = [inner for name, _, inner in member.members if name.lstrip("-").isdigit()]
            for state in by_server or [member]:
                for name, at, _ in state.members:
                    if name in STATE_FIELDS:
                        yield at, at + len(json.dumps(name)), json.dumps(STATE_FIELDS[name])
                for name, _, disk in state.members:
                    if name in ("disk", "files") and disk.find("round"):
                        at = next(at for inner, at, _ in disk.members if inner == "round")
                        yield at, at + len('"round"'), '"logicalclock"'
        elif key == "disk" and member.find("round"):
            at = next(at for name, at, _ in member.members if name == "round")
            yield at, at + len('"round"'), '"logicalclock"'
        elif key == "equal" and member.find("field"):
            head, dot, rest = member.value["field"].partition(".")
            if head in STATE_FIELDS:
                field = member.find("field")
                yield field.start, field.end, json.dumps(STATE_FIELDS[head] + dot + rest)
        else:
            yield from state_edits(member)
    for element in value.elements:
        yield from state_edits(element)


def vote_edits(value, key=""):
    """In every vote below the value."""
    if key in VOTES and not value.find("vote"):
        for name, at, _ in value.members:
            if name in VOTE_FIELDS:
                yield at, at + len(json.dumps(name)), json.dumps(VOTE_FIELDS[name])
    for name, _, member in value.members:
        yield from vote_edits(member, name)
    for element in value.elements:
        yield from vote_edits(element, "vote" if key == "earlier" else "")


def type_edits(value):
    """In every object below the value that has a `type`."""
    for name, _, member in value.members:
        if name == "type" and isinstance(member.value, str) and member.value in TYPES:
            yield member.start, member.end, json.dumps(TYPES[member.value])
        yield from type_edits(member)
    for element in value.elements:
        yield from type_edits(element)


def pattern_edits(value):
    """In every pattern and operation below the value."""
    to = value.find("to")
    if value.members and value.value.get("kind") == "sent" and not value.find("receiver") and isinstance(
            to.value if to else None, int):
        at = next(at for name, at, _ in value.members if name == "to")
        yield at, at + len('"to"'), '"receiver"'
    creates = any(name in CREATES for name, _, _ in value.members)
    for name, at, member in value.members:
        if name == "getChildren2":
            yield at, at + len('"getChildren2"'), '"getChildren"'
        if name == "flags" and creates and type(member.value) is int and member.value in MODES:
            yield member.start, member.end, json.dumps(MODES[member.value])
        yield from pattern_edits(member)
    for element in value.elements:
        yield from pattern_edits(element)


def migrated(text):
    """The text of a scenario or a model in the present format. Raises ValueError if it is not JSON."""
    document = parse(text)
    edits = []
    for key, editor in (("steps", step_edits), ("actions", action_edits), ("asks", ask_edits)):
        listed = document.find(key)
        for one in listed.elements if listed else ():
            edits += editor(one)
    timers = document.find("timers")
    for _, _, rule in timers.members if timers else ():
        if rule.value in FIRES:
            edits.append((rule.start, rule.end, json.dumps(FIRES[rule.value])))
    if document.value.get("protocol", "zab") == "zab":
        edits += list(state_edits(document)) + list(vote_edits(document))
    edits += list(type_edits(document)) + list(pattern_edits(document))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def main(paths):
    if not paths or paths[0].startswith("-"):
        sys.exit(__doc__)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            new = migrated(text)
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}")
        if new != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
