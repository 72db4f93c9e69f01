"""The findings 4 and 5: a snapshot that contains what was never committed, and that TRUNC loads."""

from client import NO_NODE
from network import SplittableEnsemble
from report import Report, create, expect, named, shown

# /config is written to a snapshot after /bulk: the children of / are a HashSet, which lists zookeeper, bulk, config.
PATHS = GHOST, BASE, KEPT = '/config/ghost', '/config/base', '/config/kept'
COMMITTED = {GHOST: None, BASE: b'committed', KEPT: b'committed'}
TAIL = {GHOST: b'never committed', BASE: b'never committed', KEPT: None}  # the same with what the old leader proposed in vain
QUICK = {'tickTime': 500, 'initLimit': 40, 'syncLimit': 6}  # a leader notices after 3 s that it has lost its quorum
ROLE_ENDS_WITHIN = 60  # seconds


def write_nodes(client):
    """What is committed; returns the last zxid."""
    create(client, '/config')
    return [create(client, path, data) for path, data in COMMITTED.items() if data is not None][-1]


def propose_in_vain(client):
    """Three writes whose answers never come."""
    client.ask_to_create(GHOST, TAIL[GHOST])
    client.ask_to_set(BASE, TAIL[BASE])
    client.ask_to_delete(KEPT)


def read_all(report, servers):
    """What each server has, after a sync."""
    trees = {number: {path: server.read(path) for path in PATHS} for number, server in servers.servers.items()}
    for number, tree in trees.items():
        report.show(f'{number} has: ' + ', '.join(f'{path.rpartition("/")[2]} {shown(data)}' for path, data in tree.items()))
    return trees


def differ(trees, number, tree):
    """Whether this server has that tree, and all others another one, which is the same for all."""
    others = [other for which, other in trees.items() if which != number]
    return trees[number] == tree and all(other == others[0] for other in others) and others[0] != tree


def equal(trees):
    return len({tuple(tree.items()) for tree in trees.values()}) == 1


def compare_from_now_on(report, servers, suspect, dirty):
    """Reads everything at each server: now, after one more write, and after a restart of all. With DIRTY, SUSPECT has to have what
    was never committed; otherwise all have to be equal. Returns the leader after the restart."""
    def judge(trees, wanted):
        if dirty:
            expect(differ(trees, suspect, wanted), f'{suspect} does not have what was never committed, or others have it as well')
        else:
            expect(equal(trees), 'the servers differ')

    report.step('Each server is read, after a sync:')
    judge(read_all(report, servers), TAIL)
    client = servers[servers.wait_for_leader(*servers.servers)].client()
    answered = create(client, GHOST, b'answered')
    client.drop()
    report.step(f'A client creates {GHOST} once more: error 0, zxid {answered:#x}. Each server is read again:')
    judge(read_all(report, servers), TAIL)
    since = servers.log_sizes()
    servers.kill_all()
    servers.start_all()
    report.step(f'All are killed and started; {max(servers.servers)} leads. Each server is read again:')
    if dirty:
        report.quote(servers[suspect], servers[suspect].lines('First digest mismatch', since[suspect])[:1])
    judge(read_all(report, servers), TAIL)
    return max(servers.servers)


# ---- 4. A snapshot that is being written when its server's role ends

DIRTYSNAP_TITLES = {
    'follower': 'dirtysnap, follower: the snapshot of 1, a follower, is being written when the network splits',
    'leader': 'dirtysnap, leader: the snapshot of 5, the leader, is being written when the network splits',
    'control': 'dirtysnap, control: the same as the first one, but the snapshot of 1 is complete before the split',
}


def dirtysnap(setup, how):
    """5 and 1 are split from 2, 3 and 4, with three writes that only they have; one of them is writing a snapshot. The network heals."""
    report = Report(DIRTYSNAP_TITLES[how])
    control = how == 'control'
    writer = 5 if how == 'leader' else 1
    with SplittableEnsemble(setup, f'dirtysnap-{how}', 5, settings=QUICK,
                            own_properties={writer: {'zookeeper.snapCount': 20}}) as servers:
        snapshotting = servers[writer]
        servers.start_all()
        client = servers[5].client()
        write_nodes(client)
        create(client, '/bulk')
        for number in range(4):
            create(client, f'/bulk/{number}', bytes(20_000))

        since = snapshotting.log_size()
        if not control:
            snapshotting.stall('snapshot')
        for written in range(100):
            if snapshotting.lines('Snapshotting: 0x', since):
                break
            expect(client.set('/bulk', b'%d' % written)[0] == 0, 'a write fails')
        begun = snapshotting.wait_for_line('Snapshotting: 0x', since, 10)
        if control:
            snapshotting.wait_for_line('Snapshot taken', since, 30)
        last = [client.set('/bulk', b'last')[1] for _ in range(2)][-1]
        servers.wait_until_logged(last)
        report.step(f'5 leads; snapCount of {writer} is 20. {writer} begins a snapshot, and '
                    f'{"completes it" if control else "its device is slow"}. The last committed transaction is {last:#x}.')
        report.quote(snapshotting, begun)

        sizes = servers.log_sizes()
        servers.split((1, 5), (2, 3, 4))
        propose_in_vain(client)
        servers.wait_until_logged(last + 3, 1, 5)
        expect(servers.holders(last + 3) == [1, 5], 'others have the tail')
        report.step(f'The network splits: 1 5 | 2 3 4. 5 proposes create {GHOST}, set {BASE}, delete {KEPT}: {last + 1:#x} to '
                    f'{last + 3:#x}. In the log files of: {named(servers.holders(last + 3))}. Nobody is answered.')

        looking = [servers[number].wait_for_line('New election', sizes[number], ROLE_ENDS_WITHIN) for number in (5, 1)]
        if not control:
            expect(not snapshotting.lines('Snapshot taken', since), 'the snapshot was complete too early')
            snapshotting.go_on('snapshot')
        taken = snapshotting.wait_for_line('Snapshot taken', since, 30)
        leader = servers.wait_for_leader(2, 3, 4)
        report.step(f'5 has no quorum, and the roles of 5 and 1 end; {"after that" if not control else "before that"} the snapshot of '
                    f'{writer} is complete, under its old name. {leader} leads 2, 3 and 4.')
        report.quote(servers[5], looking[0])
        report.quote(servers[1], looking[1])
        report.quote(snapshotting, taken)

        sizes = servers.log_sizes()
        servers.heal()
        servers.expect_leader(leader, *servers.servers)
        told = servers[leader].lines('Sending (TRUNC|DIFF|snapshot).*sid: ?[15]', sizes[leader])
        expect(len([line for line in told if 'TRUNC' in line.message]) == 2, '1 and 5 are not told to truncate')
        report.step('The network is whole again. 1 and 5 are told to truncate the three transactions.')
        report.quote(servers[leader], told)
        report.quote(snapshotting, snapshotting.lines('Truncating log|Reading snapshot|not covering the snapshot digest', sizes[writer]))

        leads = compare_from_now_on(report, servers, writer, not control)
        if control:
            return 'all servers are equal'
        if how == 'leader':
            client = servers[leads].client()
            client.ask_to_delete(KEPT)
            error = client.answer()[0]
            expect(error == NO_NODE, f'the delete ends with error {error}')
            report.step(f'A client of {leads}, the leader, deletes {KEPT}, which the four others have: error {error}, no node.')
        return f'server {writer} DIVERGES for good: it has what was never committed, and lacks what was; nothing crashed'


# ---- 5. The snapshot that a new leader takes

LEADSNAP_TITLES = {
    'taken': 'leadsnap: 3 takes over and takes a snapshot, and loses its followers',
    'control': 'leadsnap, control: the same, but 3 does not take over in between',
}


def leadsnap(setup, how):
    """3 has three writes that nobody else has; it is elected, takes its snapshot, and is split off before anybody has synchronized."""
    report = Report(LEADSNAP_TITLES[how])
    control = how == 'control'
    with SplittableEnsemble(setup, f'leadsnap-{how}', 3, settings=QUICK) as servers:
        servers.start_all()
        client = servers[3].client()
        last = write_nodes(client)
        servers.wait_until_logged(last)
        servers.split((3,), (1, 2))
        propose_in_vain(client)
        servers.wait_until_logged(last + 3, 3)
        expect(servers.holders(last + 3) == [3], 'others have the tail')
        servers.kill_all()
        servers.heal()
        report.step(f'3 leads. The last committed transaction is {last:#x}. The network splits: 3 | 1 2. 3 proposes create {GHOST}, '
                    f'set {BASE}, delete {KEPT}: {last + 1:#x} to {last + 3:#x}. In the log files of: '
                    f'{named(servers.holders(last + 3))}. All are killed, and the network is whole again.')

        if not control:
            take_over(report, servers, last + 3)
            expect(servers.holders(last + 3) == [3], '1 was faster')
        else:
            servers[1].start()
        servers[2].start()
        leader = servers.wait_for_leader(1, 2)
        report.step(f'2 is started. 1 and 2 are a quorum: {leader} leads.')

        sizes = servers.log_sizes()
        if control:
            servers[3].start()
        else:
            servers.heal()
        servers.expect_leader(leader, 1, 2, 3)
        told = servers[leader].lines('Sending (TRUNC|DIFF|snapshot).*sid: ?3', sizes[leader])
        expect(any('TRUNC' in line.message for line in told), '3 is not told to truncate')
        report.step(f'{"3 is started" if control else "The network is whole again"}. 3 is told to truncate the three transactions.')
        report.quote(servers[leader], told)
        report.quote(servers[3], servers[3].lines('Truncating log|Reading snapshot|not covering the snapshot digest', sizes[3]))

        compare_from_now_on(report, servers, 3, not control)
        return ('all servers are equal' if control else
                'server 3 DIVERGES for good: it has what was never committed, and lacks what was')


def take_over(report, servers, last_logged):
    """3 and 1 elect 3. A quorum that agrees waits 200 ms for a better vote: then the network splits."""
    since = servers[3].log_size()
    servers.start(3, 1)
    vote = servers[3].wait_for_line('Notification: my state:LOOKING; n.sid:1, n.state:LOOKING, n.leader:3', since, 60)
    servers.split((3,), (1, 2))
    taken = servers[3].wait_for_line(f'Snapshotting: {last_logged:#x}', since, 60)
    report.step('3 and 1 are started, and elect 3. The network splits, 3 | 1 2, before 1 is synchronized. 3 takes over, and takes a '
                'snapshot of all that is in its log.')
    report.quote(servers[3], [vote, *servers[3].lines('QuorumPeer.LEADING$|LEADING - LEADER', since), taken])
