#!/usr/bin/env python3
"""Reads the logs of one ensemble of real ZooKeeper servers and records what they decided.

It writes two files, arrays with one entry per line:
  election_calls.json   every finished call of lookForLeader: what it began with, what it received, what it sent, whom it chose
  sync_decisions.json   every synchronization a leader gave a learner: what it knew, what it sent
recordings/README.md explains their fields.
"""

import argparse
import bisect
import json
import pathlib
import re
import struct
import sys
from datetime import datetime

NOTES = """\
The logs have lines `date,milliseconds|LEVEL|thread|logger|message`, with DEBUG and TRACE for the package
org.apache.zookeeper.server.quorum (scripts/record-zookeeper.sh sets that up). A log may hold several lives of its server. All
servers' clocks are taken to be one. Times are milliseconds since the earliest line of all logs.

What a log does not say:
  voters, observers, groups, weights   The configuration that a leader logs, or the zoo.cfg given with --config.
  an election cut off by a kill        Left out: it has no result.
  own[2] (peerEpoch), round            From the first notification sent in the call.
  committedLog, txnLog.zxids           What the leader's log shows it receiving, proposing and discarding, from the packets. What
                                       it held before its log begins is read from its transaction-log files, if --data names them.
  txnLog.usable                        True unless the leader logged why it could not use its log files for this learner.
  reconstructed                        False when the transaction-log files given with --data hold every entry of committedLog
                                       (or it is empty); true when only the packets speak for it.
  truncated                            True when the leader's log has no NEWLEADER to this learner: then packets are missing.

example:
  scripts/zookeeper-recordings.py --scenario leader-dies --out recordings/mine \\
      --data 1=s1/data --data 2=s2/data --data 3=s3/data s1/zk.log s2/zk.log s3/zk.log
"""

LINE = re.compile(r'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\|\w+\|([^|]*)\|(\w+)\|(.*)', re.DOTALL)

SERVER_START = re.compile(r'Starting quorum peer, myid=(\d+)')
INTERVAL = re.compile(r'zookeeper\.fastleader\.(min|max)NotificationInterval = (\d+) ms')
CALL_BEGINS = re.compile(r'New election\. My id = \d+, proposed zxid=(0x[0-9a-f]+)')
CALL_ENDS = re.compile(r'About to leave FLE instance: leader=(-?\d+), zxid=(0x[0-9a-f]+), my id=\d+, my state=(\w+)')
SENT = re.compile(r'Sending Notification: (-?\d+) \(n\.leader\), (0x[0-9a-f]+) \(n\.zxid\), (0x[0-9a-f]+) \(n\.round\), '
                  r'(\d+) \(recipient\), \d+ \(myid\), (0x[0-9a-f]+) \(n\.peerEpoch\)')
RECEIVED = re.compile(r'Notification: my state:(\w+); n\.sid:(-?\d+), n\.state:(\w+), n\.leader:(-?\d+), n\.round:(0x[0-9a-f]+), '
                      r'n\.peerEpoch:(0x[0-9a-f]+), n\.zxid:(0x[0-9a-f]+)')
ANSWERED = re.compile(r'Sending new notification\. My id')
TIME_OUT = re.compile(r'Notification time out: (\d+) ms')

LOADED = re.compile(r'Snapshot loaded in \d+ ms, highest zxid is (0x[0-9a-f]+)')
PROPOSED = re.compile(r'Proposing:: .* zxid:(0x[0-9a-f]+) ')
LEARNED = re.compile(r'i (PROPOSAL|INFORM|INFORMANDACTIVATE|TRUNC|SNAP) ([0-9a-f]+) ')

DECISION = re.compile(r'Synchronizing with Learner sid: (\d+) maxCommittedLog=(0x[0-9a-f]+) minCommittedLog=(0x[0-9a-f]+) '
                      r'lastProcessedZxid=(0x[0-9a-f]+) peerLastZxid=(0x[0-9a-f]+)')
OPERATION = re.compile(r'Sending (DIFF|TRUNC) .*?=(0x[0-9a-f]+)')
SNAPSHOT = re.compile(r'Sending snapshot .* send zxid of db as (0x[0-9a-f]+),')
QUEUED = re.compile(r'o (PROPOSAL|COMMIT|NEWLEADER) ([0-9a-f]+) ')
TXN_LOG_UNUSABLE = ('On disk txn sync disabled', 'Unable to get size of most recent snapshot', 'Negative size limit',
                    'Unable to find proposals from txnlog', 'Txnlog size:', 'Unable to read txnlog')


class Unusable(Exception):
    """The input cannot be used for a recording; the message is for the user."""


def signed(number):
    """Java's long from its unsigned hexadecimal: an observer votes for MIN_LONG, logged as 0x8000000000000000."""
    value = int(number, 16)
    return value - (1 << 64) if value >> 63 else value


def runs(zxids):
    """Zxids as [first, last] of each run of consecutive ones."""
    result = []
    for zxid in sorted(zxids):
        if result and zxid == result[-1][1] + 1:
            result[-1][1] = zxid
        else:
            result.append([zxid, zxid])
    return [[hex(first), hex(last)] for first, last in result]


# ---- The ensemble


def numbered(text, name):
    """The lines NAME.N=VALUE, in the order of N."""
    return sorted((int(number), value) for number, value in re.findall(rf'^\s*{name}\.(\d+)\s*=\s*(\S+)', text, re.MULTILINE))


class Members:
    """The voters and the weights of votes, from the lines that a zoo.cfg and a logged configuration have in common."""

    def __init__(self, text):
        servers = numbered(text, 'server')
        self.observers = [sid for sid, address in servers if ':observer' in address]
        self.voters = [sid for sid, _ in servers if sid not in self.observers]
        try:
            self.groups = [[int(sid) for sid in members.split(':')] for _, members in numbered(text, 'group')]
            given = {sid: int(weight) for sid, weight in numbered(text, 'weight')}
        except ValueError as error:
            raise Unusable(f'groups or weights cannot be read: {error}') from error
        # A member of a group has weight 1 unless its weight is given; without groups weights do not count.
        self.weights = {str(sid): given.get(sid, 1) for sid in sorted(sum(self.groups, []))}

    def fields(self):
        return {'voters': self.voters, 'observers': self.observers, 'groups': self.groups, 'weights': self.weights}


# ---- Logs


class Entry:
    """One message of a log; a message of several lines keeps them."""

    def __init__(self, match):
        stamp, milliseconds, self.thread, self.logger, self.message = match.groups()
        # Only differences of time stamps count; a log must not extend across a change of summer time.
        try:
            seconds = (datetime.fromisoformat(stamp) - datetime(1970, 1, 1)).total_seconds()
        except ValueError as error:
            raise Unusable(f'{stamp}: {error}') from error
        self.at = int(seconds) * 1000 + int(milliseconds)


class Log:
    def __init__(self, path):
        self.path = path
        self.entries = read_entries(path)
        starts = {int(match[1]) for match in self.matches(SERVER_START)}
        if len(starts) != 1:
            said = f'several servers: {sorted(starts)}' if starts else 'no server: it has no line "Starting quorum peer, myid=N"'
            raise Unusable(f'{path} is the log of {said}')
        self.sid = starts.pop()
        if any(self.matches(CALL_BEGINS)) and not any(self.matches(SENT)):
            raise Unusable(f'{path} has no DEBUG lines of org.apache.zookeeper.server.quorum; its notifications are not logged')

    def matches(self, pattern):
        return filter(None, (pattern.search(entry.message) for entry in self.entries))


def read_entries(path):
    entries = []
    try:
        # Clients' paths can hold any byte, hence the replacement.
        with open(path, encoding='utf-8', errors='replace', newline='\n') as lines:
            for line in lines:
                match = LINE.match(line.rstrip('\n'))
                if match:
                    entries.append(Entry(match))
                elif entries:
                    entries[-1].message += '\n' + line.rstrip('\n')
    except OSError as error:
        raise Unusable(f'{path}: {error.strerror}') from error
    if not entries:
        raise Unusable(f'{path} has no line of the form "date,milliseconds|LEVEL|thread|logger|message"')
    return entries


def logged_members(logs):
    texts = {entry.message.split('(', 1)[1] for log in logs for entry in log.entries
             if entry.logger == 'Leader' and entry.message.startswith('set lastSeenQuorumVerifier')}
    if not texts:
        raise Unusable('no log names the members, for nobody led; give a zoo.cfg with --config')
    if len(texts) > 1:
        raise Unusable('the members change on the way, and that cannot be recorded')
    return Members(texts.pop())


# ---- Elections


class ElectionReader:
    """Follows one server's log through its elections."""

    def __init__(self, scenario, sid, members, epoch_ms):
        self.scenario, self.sid, self.members, self.epoch_ms = scenario, sid, members, epoch_ms
        self.calls = []
        self.interval = {}
        self.forget()

    def forget(self):
        """A process begins: whatever was in progress ended with the previous one."""
        self.call = None
        # Notifications are queued whenever the state is LOOKING, also before lookForLeader is called; the next call reads them.
        self.heard = []

    def read(self, entry):
        if SERVER_START.match(entry.message):
            self.forget()
        elif entry.logger == 'FastLeaderElection':
            t = entry.at - self.epoch_ms
            for pattern, action in self.ACTIONS:
                match = pattern.match(entry.message)
                if match:
                    action(self, t, match)
                    break

    def set_interval(self, _, match):
        self.interval[match[1]] = int(match[2])

    def begin(self, t, match):
        self.call = {'t': t, 'zxid': match[1], 'broadcasts': [], 'timeouts': []}

    def send(self, _, match):
        leader, zxid, round_, recipient, peer_epoch = match.groups()
        if self.call is None:
            return
        vote = [int(leader), zxid, signed(peer_epoch), signed(round_)]
        # One broadcast is a line for each voter, however long the thread is delayed between them: a new one begins when the
        # vote changes or a recipient's turn comes again.
        bursts = self.call['broadcasts']
        if not bursts or bursts[-1][0] != vote or recipient in bursts[-1][1]:
            bursts.append((vote, set()))
        bursts[-1][1].add(recipient)

    def receive(self, t, match):
        my_state, sender, state, leader, round_, peer_epoch, zxid = match.groups()
        # A server that is LOOKING queues what it receives; any other answers those who are LOOKING and discards the rest. The state
        # in this line was read a moment before it counts, so for a sender that is LOOKING the next line decides: see answer.
        if 'LOOKING' in (my_state, state):
            self.heard.append([t, int(sender), state, int(leader), signed(round_), signed(peer_epoch), zxid])

    def answer(self, *_):
        """The receiving thread has answered what it received last, and so has not queued it."""
        if self.heard:
            self.heard.pop()

    def time_out(self, t, match):
        if self.call is not None:
            self.call['timeouts'].append([t, int(match[1])])

    def end(self, t, match):
        leader, zxid, state = match.groups()
        call, heard = self.call, self.heard
        self.forget()  # leaving an election empties the queue
        if call is None or not call['broadcasts']:
            return
        votes = [vote for vote, _ in call['broadcasts']]
        own_leader, own_zxid, own_epoch, own_round = votes[0]
        self.calls.append({
            'scenario': self.scenario, 'sid': self.sid, 'voter': self.sid in self.members.voters, 't': call['t'], 't_end': t,
            'own': [own_leader, own_zxid, own_epoch], 'round': own_round, 'received': heard,
            'proposals_broadcast': [vote for i, vote in enumerate(votes) if i == 0 or vote != votes[i - 1]],
            'broadcasts': len(votes), 'timeouts': call['timeouts'], 'result': [int(leader), zxid, state],
            'duration_ms': t - call['t'], **self.members.fields(),
            'min_ms': self.interval.get('min', 200), 'max_ms': self.interval.get('max', 60000)})

    ACTIONS = ((SENT, send), (RECEIVED, receive), (CALL_BEGINS, begin), (CALL_ENDS, end), (TIME_OUT, time_out),
               (ANSWERED, answer), (INTERVAL, set_interval))


# ---- Synchronization


class History:
    """The transactions that one server holds, according to its log: a leader's and a learner's committedLog both come from here."""

    def __init__(self, on_files):
        self.on_files = on_files
        self.in_memory = []
        self.on_disk = []
        self.begun = False

    def read(self, entry):
        message = entry.message
        if match := LOADED.match(message):
            self.load(signed(match[1]))
        elif match := CALL_BEGINS.match(message):
            self.load(signed(match[1]))
        elif match := PROPOSED.match(message):
            self.append(int(match[1], 16))
        elif entry.logger == 'Learner' and (match := LEARNED.match(message)):
            kind, zxid = match[1], int(match[2], 16)
            if kind == 'TRUNC':
                self.drop_above(zxid)
            elif kind == 'SNAP':
                # The learner's memory is reset; its log files keep what the snapshot hides.
                self.in_memory = []
            else:
                self.append(zxid)

    def load(self, last):
        """The server reports its last transaction: it has what the files hold up to there, and nothing beyond."""
        if not self.begun:
            self.begun = True
            self.in_memory = [zxid for zxid in self.on_files if zxid <= last]
            self.on_disk = list(self.in_memory)
        elif last >= 0:  # an observer's vote contains nothing about its log
            self.drop_above(last)

    def append(self, zxid):
        for zxids in (self.in_memory, self.on_disk):
            if not zxids or zxid > zxids[-1]:
                zxids.append(zxid)

    def drop_above(self, last):
        for zxids in (self.in_memory, self.on_disk):
            del zxids[bisect.bisect_right(zxids, last):]

    def committed(self, first, last):
        """committedLog between the bounds that the leader logs. Two zeros mean that it is empty."""
        if last == 0:
            return []
        known = [zxid for zxid in self.in_memory if first <= zxid <= last]
        if first >> 32 == last >> 32:
            return list(range(first, last + 1))  # within an epoch no zxid is omitted
        return sorted({first, *known, last})


class SyncReader:
    """Follows one server's log through the synchronizations it gives as a leader."""

    def __init__(self, scenario, sid, members, files):
        self.scenario, self.sid, self.members = scenario, sid, members
        self.files = set(files)
        self.history = History(files)
        self.decisions = []
        self.open = {}  # by the learner's address, which is in the names of the two threads that serve it
        self.unusable = set()

    def read(self, entry):
        self.history.read(entry)
        # LearnerHandler-/ADDRESS or, when the address was looked up in between, LearnerHandler-NAME/ADDRESS
        role, _, host = entry.thread.partition('-')
        address = host.rpartition('/')[2]
        if role == 'LearnerHandler':
            self.handle(address, entry.message)
        elif role == 'Sender' and address in self.open:
            self.send(address, entry.message)

    def handle(self, address, message):
        if message.startswith(TXN_LOG_UNUSABLE):
            self.unusable.add(address)
            if address in self.open:
                self.open[address]['txnLog']['usable'] = False
        elif match := DECISION.match(message):
            self.begin(address, match)
        elif address not in self.open:
            return
        elif match := SNAPSHOT.match(message):
            # Logged last, also when a walk through the log had begun and was abandoned.
            self.open[address]['sent'] = ['SNAP', match[1]]
        elif (match := OPERATION.match(message)) and self.open[address]['sent'] is None:
            self.open[address]['sent'] = [match[1], match[2]]

    def begin(self, address, match):
        learner, newest, oldest, last, peer = match.groups()
        committed = self.history.committed(int(oldest, 16), int(newest, 16))
        on_disk = [zxid for zxid in self.history.on_disk if zxid <= int(last, 16)]
        decision = {
            'scenario': self.scenario, 'leader': self.sid, 'learner': int(learner), 'voter': int(learner) in self.members.voters,
            'minCommittedLog': oldest, 'maxCommittedLog': newest, 'lastProcessedZxid': last, 'peerLastZxid': peer,
            'sent': None, 'proposals_before_NEWLEADER': 0, 'first_last': None, 'commits_before_NEWLEADER': 0,
            'committedLog': runs(committed), 'txnLog': {'usable': address not in self.unusable, 'zxids': runs(on_disk)},
            'reconstructed': not self.files.issuperset(committed), 'truncated': True}
        self.decisions.append(decision)
        self.open[address] = decision
        self.unusable.discard(address)

    def send(self, address, message):
        match = QUEUED.match(message)
        if not match:
            return
        decision, kind, zxid = self.open[address], match[1], hex(int(match[2], 16))
        if kind == 'PROPOSAL':
            decision['proposals_before_NEWLEADER'] += 1
            decision['first_last'] = [(decision['first_last'] or [zxid])[0], zxid]
        elif kind == 'COMMIT':
            decision['commits_before_NEWLEADER'] += 1
        else:
            decision['truncated'] = False
            del self.open[address]


# ---- Transaction-log files


def zxids_on_files(directory):
    """Every zxid in a server's transaction-log files (log.*), in DIRECTORY or its version-2."""
    directory = pathlib.Path(directory)
    if (directory / 'version-2').is_dir():
        directory /= 'version-2'
    if not directory.is_dir():
        raise Unusable(f'{directory}: no such directory')
    return sorted({zxid for path in directory.glob('log.*') for zxid in zxids_in(path)})


def zxids_in(path):
    """A file is a header of 16 bytes and records: checksum (8 bytes), length (4), the transaction, one byte 'B'. A transaction
    begins with its session (8) and its number there (4); its zxid (8) follows. After the last record the file contains zeros."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unusable(f'{path}: {error.strerror}') from error
    if content[:4] not in (b'ZKLG', b''):
        raise Unusable(f'{path} is no transaction log of ZooKeeper')
    at = 16
    while at + 12 <= len(content):
        (length,) = struct.unpack_from('>i', content, at + 8)
        end = at + 12 + length + 1
        if length < 20 or end > len(content):  # zeros, or a record that a crash cut off
            return
        yield struct.unpack_from('>q', content, at + 12 + 12)[0]
        at = end


# ---- Files written


def write_entries(path, scenario, entries, append):
    """One entry per line, so that differences between two recordings are readable."""
    kept = []
    try:
        if append and path.exists():
            kept = [entry for entry in json.loads(path.read_text()) if entry['scenario'] != scenario]
        lines = [json.dumps(entry, separators=(',', ':')) for entry in kept + entries]
        path.write_text('[\n' + ',\n'.join(lines) + '\n]\n')
    except OSError as error:
        raise Unusable(f'{path}: {error.strerror}') from error
    except (ValueError, KeyError, TypeError) as error:
        raise Unusable(f'{path} is no recording that could be appended to') from error


def record(scenario, logs, members, files):
    """The elections and the synchronizations of all servers, server by server in the order of time."""
    epoch_ms = min(entry.at for log in logs for entry in log.entries)
    calls, decisions = [], []
    for log in sorted(logs, key=lambda log: log.sid):
        elections = ElectionReader(scenario, log.sid, members, epoch_ms)
        synchronizations = SyncReader(scenario, log.sid, members, files.get(log.sid, []))
        for entry in log.entries:
            elections.read(entry)
            synchronizations.read(entry)
        calls += elections.calls
        # A handler that ended before it sent anything decided nothing.
        decisions += [decision for decision in synchronizations.decisions if decision['sent']]
    return calls, decisions


def data_directory(argument):
    sid, equals, directory = argument.partition('=')
    if not (sid.isdigit() and equals and directory):
        raise argparse.ArgumentTypeError(f'{argument!r} is not ID=DIR')
    return int(sid), directory


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=NOTES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('logs', nargs='+', metavar='LOG', help='the log of one server; give those of all servers of the ensemble')
    parser.add_argument('--scenario', required=True, metavar='NAME', help='what the run is called in the files')
    parser.add_argument('--config', metavar='ZOO.CFG', help='the members, if no log names them')
    parser.add_argument('--data', action='append', default=[], type=data_directory, metavar='ID=DIR',
                        help='where server ID keeps its transaction log (dataLogDir, or dataDir)')
    parser.add_argument('--out', default='.', metavar='DIR', help='where the two files go (here, unless given)')
    parser.add_argument('--append', action='store_true', help='keep the other scenarios that the two files already hold')
    return parser.parse_args()


def main():
    options = arguments()
    logs = [Log(path) for path in options.logs]
    if len({log.sid for log in logs}) != len(logs):
        raise Unusable('two of the logs are of one server')
    if options.config:
        try:
            members = Members(pathlib.Path(options.config).read_text(errors='replace'))
        except OSError as error:
            raise Unusable(f'{options.config}: {error.strerror}') from error
    else:
        members = logged_members(logs)
    strangers = {log.sid for log in logs} - set(members.voters + members.observers)
    if strangers:
        raise Unusable(f'no members of the ensemble: {", ".join(map(str, sorted(strangers)))}')
    files = {sid: zxids_on_files(directory) for sid, directory in options.data}

    calls, decisions = record(options.scenario, logs, members, files)
    if not calls:
        raise Unusable('the logs have no finished election')
    out = pathlib.Path(options.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(f'{out}: {error.strerror}') from error
    write_entries(out / 'election_calls.json', options.scenario, calls, options.append)
    write_entries(out / 'sync_decisions.json', options.scenario, decisions, options.append)
    print(f'{options.scenario}: {len(calls)} elections, {len(decisions)} synchronizations')


if __name__ == '__main__':
    try:
        main()
    except Unusable as problem:
        print(f'zookeeper-recordings.py: {problem}', file=sys.stderr)
        sys.exit(2)
