"""The findings 1 to 3, each with its control. A story returns its result in a sentence; any deviation raises NotAsTold."""

import time

from ensemble import Ensemble, wait_until
from link import TRUNC
from report import Report, create, expect, named, shown


# ---- 1. An acknowledgement outlives its truncation

REJOIN_TITLES = {
    'kill': 'rejoin, kill: 3 alone is killed while 1 handles NEWLEADER',
    'packet': 'rejoin, packet: what 3 sends after TRUNC is lost with 3',
    'control': 'rejoin, control: the same, but 1 keeps its connection to 3',
}


def rejoin(setup, how):
    """A server that acknowledged a proposal joins its leader again in the same epoch, and is instructed to truncate the
    proposal. In the control it keeps its connection."""
    report = Report(REJOIN_TITLES[how])
    control = how == 'control'
    with Ensemble(setup, f'rejoin-{how}', 3, proxied=[(1, 3, 'quorum'), (2, 3, 'quorum')]) as servers:
        leader = servers[3]
        servers.start(3, 1)
        servers.expect_leader(3, 1, 3)
        servers.start(2)
        servers.expect_leader(3, 1, 2, 3)
        client = leader.client()
        before = create(client, '/before')
        report.step(f'3 leads 1 and 2. The client of 3 creates /before, zxid {before:#x}.')
        time.sleep(1)  # so that every server has answered a ping recently

        since = servers.log_sizes()
        leader.stall('fsync')
        servers.links[2, 3, 'quorum'].hold()
        client.ask_to_create('/lost', b'acknowledged')
        zxid = before + 1
        acknowledged = leader.wait_for_line(rf'LearnerHandler.*Ack zxid: {zxid:#x}', since[3], 20)
        report.step(f'The fsync of 3 stalls; the link from 3 to 2 delivers nothing. The client asks 3 to create /lost, zxid {zxid:#x}. '
                    f'1 has it on disk and acknowledges it. In the log files of: {named(servers.holders(zxid))}.')
        report.quote(leader, acknowledged)

        if not control:
            break_connection(report, servers, how, zxid, since)

        leader.go_on('fsync')
        error, answered = client.answer()[:2]
        expect((error, answered) == (0, zxid), f'the client is answered: error {error}, zxid {answered:#x}')
        read_before = client.read('/lost')
        expect(read_before == b'acknowledged', f'the client reads {read_before} at 3')
        counted = ' and the acknowledgement of 1 from before' if not control else ' and the acknowledgement of 1'
        report.step(f'The fsync of 3 returns. 3 commits with its own{counted}: THE CLIENT IS ANSWERED, error 0, '
                    f'zxid {answered:#x}, and reads its data at 3. In the log files of: {named(servers.holders(zxid))}.')
        report.quote(leader, leader.lines(rf'Ack zxid: {zxid:#x}', since[3]))

        values = read_without_leader(report, servers, how, client.session())
        expect(values == {b'acknowledged' if control else None}, 'the write is not there' if control else 'the write is not lost')
        return 'the answered write is there' if control else 'an answered write is LOST'


def break_connection(report, servers, how, zxid, since):
    """1 loses its connection once, joins again in the same epoch and truncates the proposal."""
    leader, rejoining = servers[3], servers[1]
    link = servers.links[1, 3, 'quorum']
    if how == 'kill':
        rejoining.stall('fsync')
    else:
        link.hold_after(TRUNC)
    link.disconnect()
    rejoining.wait_for_line('Truncating log', since[1], 20)
    if how == 'kill':
        rejoining.wait_for_line('Learner received NEWLEADER', since[1], 20)
    wait_until(lambda: zxid not in rejoining.logged_zxids(), 20, '1 has cut the proposal off its log')
    where = ('In NEWLEADER its fsync stalls, so it has not synced it anew' if how == 'kill'
             else 'Nothing that 3 sends after that arrives')
    report.step(f'The connection between 1 and 3 breaks once; 1 joins again. 3 tells it TRUNC, as {zxid:#x} is not committed, and 1 cuts '
                f'it off. {where}. In the log files of: {named(servers.holders(zxid))}.')
    report.quote(leader, leader.lines('Synchronizing with Learner sid: 1|Sending TRUNC', since[3]))
    report.quote(rejoining, rejoining.lines('Truncating log|Learner received NEWLEADER', since[1]))


def read_without_leader(report, servers, how, session):
    """Kills 3, and returns what 1 and 2 then report of the write. In 3.8.0, 1 continues with NEWLEADER when its fsync returns, and
    another of its threads logs the write again: a race, because it counts if it is in the file before 1 looks for a leader.
    Therefore a new log file, which is what it is written to, is slow as well."""
    since = servers.log_sizes(1, 2)
    to_1, to_2 = (servers.links[number, 3, 'quorum'] for number in (1, 2))
    to_2.cut()
    if how == 'packet':
        to_1.cut()
    elif how == 'kill':
        servers[1].stall('preallocation')
    servers[3].kill()
    if how == 'kill':
        time.sleep(0.5)
        servers[1].go_on('fsync')
        servers[1].wait_for_line('New election', since[1], 30)
        servers[1].go_on('preallocation')
    leader = servers[servers.new_leader(since)]
    report.step(f'3 is killed. 1 and 2 are a quorum: {leader.id} leads.')
    report.quote(leader, leader.lines('LEADING - LEADER ELECTION TOOK|Synchronizing with Learner', since[leader.id]))

    found = {number: servers[number].read('/lost') for number in (1, 2)}
    again = servers[1].client(session)
    expect(again.id == session[0], 'the session does not go on at 1')
    seen_again = again.read('/lost')
    again.drop()
    report.step('Reads of /lost, each after a sync: ' + ', '.join(f'{shown(data)} at {number}' for number, data in found.items())
                + f'; {shown(seen_again)} for the same session, which goes on at 1.')
    return {seen_again, *found.values()}


# ---- 2. A log kept under a SNAP is served as committed

# kB: a log file is made large by so much at a time, and a leader reads those that are small in relation to the data. With the default of
# 64 MB it takes hundreds of MB of data. It must not be smaller than a transaction, which releases from 3.9.0 on could damage
# (ZOOKEEPER-2249).
SMALL_LOG_FILES = {'zookeeper.preAllocSize': 4096}
NODES, NODE_BYTES = 40, 900_000

SNAPGAP_TITLES = {
    'default': 'snapgap: five servers, snapshotSizeFactor as it is by default',
    'control': 'snapgap, control: the same with snapshotSizeFactor=-1',
}


def snapgap(setup, how):
    """A server that was synchronized by a SNAP still has in its log what was discarded; as the leader it sends that to
    another as committed. In the control no leader reads its log files."""
    report = Report(SNAPGAP_TITLES[how])
    control = how == 'control'
    properties = {**SMALL_LOG_FILES, **({'zookeeper.snapshotSizeFactor': -1} if control else {})}
    with Ensemble(setup, f'snapgap-{how}', 5, proxied=[(who, 5, 'quorum') for who in (1, 2, 3)], properties=properties) as servers:
        old_leader, late = servers[5], servers[4]
        servers.start_all()
        client = old_leader.client()
        for number in range(NODES):
            create(client, f'/data{number}', bytes(NODE_BYTES))
        client.drop()
        servers.kill_all()
        servers.start_all()
        client = old_leader.client()
        base = create(client, '/base')
        wait_until(lambda: base in late.logged_zxids(), 20, '4 logs /base')
        late.kill()
        report.step(f'Five servers with {NODES * NODE_BYTES // 1_000_000} MB of data; all were restarted once. 5 leads. /base is written, '
                    f'zxid {base:#x}; 4 goes down.')

        for link in servers.links.values():
            link.hold()
        ghost = base + 1
        client.ask_to_create('/ghost', b'never answered')
        wait_until(lambda: ghost in old_leader.logged_zxids(), 20, '5 logs /ghost')
        expect(servers.holders(ghost) == [5], '/ghost is not in the log files of 5 alone')
        since = servers.log_sizes(1, 2, 3)
        for link in servers.links.values():
            link.cut()
        old_leader.kill()
        leader = servers.new_leader(since)
        client = servers[leader].client()
        written = [create(client, path, b'answered') for path in ('/b0', '/b1', '/b2')]
        report.step(f'5 alone logs /ghost, zxid {ghost:#x}, which nobody else gets, and is killed; the client has no answer. {leader} '
                    f'leads 1, 2 and 3: /b0 to /b2 are written and answered, zxids {written[0]:#x} to {written[-1]:#x}.')

        for link in servers.links.values():
            link.heal()
        since = servers[leader].log_size()
        old_leader.start()
        servers.expect_leader(leader, 1, 2, 3, 5)
        last = create(client, '/c0', b'answered')
        wait_until(lambda: last in old_leader.logged_zxids(), 20, '5 logs /c0')
        logged = [zxid for zxid in old_leader.logged_zxids() if zxid >= base]
        expect(ghost in logged and not set(written) & set(logged), '5 has another log than told')
        report.step(f'5 comes back and gets a SNAP. /c0 is written, zxid {last:#x}. The log files of 5 hold, from /base on: '
                    f'{" ".join(map(hex, logged))}.')
        report.quote(servers[leader], servers[leader].lines('Synchronizing with Learner sid: 5|Sending snapshot', since))

        others = [number for number in (1, 2, 3, 5) if number != leader]
        since = servers.log_sizes(*others)
        servers[leader].kill()
        expect(servers.new_leader(since) == 5, '5 does not lead')
        since = servers.log_sizes(4, 5)
        late.start()
        servers.expect_leader(5, *others, 4)
        report.step(f'{leader} is killed, and 5 leads. 4 comes back; it has everything to {base:#x}.')
        report.quote(old_leader, old_leader.lines('Synchronizing with Learner sid: 4|Use txnlog|Sending (DIFF|snapshot).*(sid|zxid)',
                                                  since[5]))
        report.quote(late, late.lines('Got zxid|First digest mismatch|Getting a (diff|snapshot)', since[4]))

        paths = ['/ghost', '/b0', '/b1', '/b2', '/c0']
        sound = {'/ghost': None, '/b0': b'answered', '/b1': b'answered', '/b2': b'answered', '/c0': b'answered'}
        seen = {number: {path: servers[number].read(path) for path in paths} for number in [*others, 4]}
        report.step('Each server is read, after a sync: ' + '; '.join(
            f'{number} has {" ".join(path for path in paths if tree[path] is not None)}' for number, tree in seen.items()) + '.')
        expect(all(seen[number] == sound for number in others), 'the servers other than 4 are not as they should be')
        if control:
            expect(seen[4] == sound, '4 is not as the others')
            return '4 is as the others'
        expect(seen[4] == {'/ghost': b'never answered', '/b0': None, '/b1': None, '/b2': None, '/c0': b'answered'},
               '4 is not as told')

        since = servers.log_sizes(4, *(number for number in others if number != 5))
        old_leader.kill()
        next_leader = servers.new_leader(since)
        kept = {path: late.read(path) for path in paths}
        expect(kept == seen[4], '4 has changed')
        report.step(f'5 is killed; {next_leader} leads. 4 has what it had: {" ".join(path for path in paths if kept[path] is not None)}.')
        return 'server 4 DIVERGES: it has a write that was thrown away, and lacks three that were answered'


# ---- 3. An election of two sound servers that does not end

ELECTION_TITLES = {
    'short': 'election: maxNotificationInterval of 1 1,800 ms, of 3 2,000 ms',
    'default_interval': 'election, default interval: maxNotificationInterval as it is by default, 60,000 ms',
    'control': 'election, control: maxNotificationInterval of 1 2,000 ms, of 3 1,800 ms',
}
INTERVALS_MS = {'short': {1: 1800, 3: 2000}, 'default_interval': {1: 60_000, 3: 60_000}, 'control': {1: 2000, 3: 1800}}
WATCHED_SECONDS = 30


def elect(setup, how):
    """2 leads, 1 follows, 3 is cut off only from 2. 2 dies; 3 has the better vote and is silent. In the control 3 waits the
    shorter time, so that it sends its vote."""
    report = Report(ELECTION_TITLES[how])
    intervals = INTERVALS_MS[how]
    properties = {number: {'zookeeper.fastleader.maxNotificationInterval': ms} for number, ms in intervals.items()}
    proxied = [(3, 2, 'election'), (2, 3, 'election'), (3, 2, 'quorum')]
    with Ensemble(setup, f'election-{how}', 3, proxied=proxied, own_properties=properties) as servers:
        servers.start(2, 1)
        servers.expect_leader(2, 1, 2)
        servers[3].start()
        servers.expect_leader(2, 1, 2, 3)
        client = servers[2].client()
        zxid = create(client, '/a')
        closed = client.close()  # it must not expire during the story, because 3 would not learn of that
        wait_until(lambda: all(closed in servers[number].logged_zxids() for number in (1, 3)), 20, '1 and 3 log /a')
        report.step(f'2 leads 1 and 3. /a is written, zxid {zxid:#x}: all have it.')

        since = servers.log_sizes(1, 3)
        for link in servers.links.values():
            link.cut()
        line = servers[3].wait_for_line(f'Notification time out: {intervals[3]} ms', since[3], 2 * intervals[3] / 1000 + 10)
        time.sleep(0.5)  # so that it has just sent its vote, and will not send it for a while
        report.step('The link between 2 and 3 is cut; 1 reaches both. 3 looks for a leader, which 1 hears while it follows; 3 waits longer '
                    'and longer before it says its vote again.')
        report.quote(servers[3], [*servers[3].lines('New election', since[3]), line])

        watched = 10 * 60 if how == 'default_interval' else WATCHED_SECONDS
        served, seconds = watch_election(report, servers, watched)
        expect(served == (how != 'short'), f'{"they serve" if served else "no leader"} after {seconds:.1f} s')
        if how == 'control':
            return f'they serve {seconds:.1f} s after the leader was killed'
        if how == 'default_interval':
            expect(seconds > 100, f'they serve after {seconds:.1f} s')
            return f'no leader for {seconds:.1f} s with the default interval'

        servers[1].kill()
        servers[1].start()
        restarted_at = time.monotonic()
        servers.wait_for_leader(1, 3)
        report.step(f'1 is restarted: they serve {time.monotonic() - restarted_at:.1f} s later.')
        return f'two sound, connected servers have NO LEADER in {seconds:.0f} s; a restart of one ends it'


def watch_election(report, servers, watched):
    """Kills 2; returns whether 1 and 3 serve within this many seconds, and after how many."""
    since = servers.log_sizes(1, 3)
    servers[2].kill()
    killed_at = time.monotonic()
    servers[1].wait_for_line('New election', since[1], 30)
    served = False
    while not served and time.monotonic() < killed_at + watched:
        time.sleep(0.05)
        served = {servers[1].role(), servers[3].role()} == {'leader', 'follower'}
    seconds = time.monotonic() - killed_at

    heard = servers[3].lines('Notification: my state:LOOKING; n.sid:1, n.state:LOOKING, n.leader:1,', since[3])
    said = servers[3].lines('Notification: my state:LOOKING; n.sid:3,', since[3])  # it receives its own vote
    outcome = f'They serve after {seconds:.1f} s' if served else f'After {seconds:.1f} s they have NO LEADER'
    report.step(f'2 is killed; 1 and 3 are sound, connected and a quorum. {outcome}. Since then 1 has said its vote {len(heard)} times, '
                f'and 3, whose vote is better, {len(said)} times.')
    report.quote(servers[1], servers[1].lines('New election', since[1]))
    report.quote(servers[3], [*heard[:1], *heard[1:][-1:], *said[:1]])
    if served:
        report.quote(servers[1], servers[1].lines('ELECTION TOOK', since[1]))
    return served, seconds
