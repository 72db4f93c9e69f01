"""Finding 6: a server that is refused again and again keeps another one in its election."""

import time

from ensemble import Ensemble, NotAsTold, wait_until
from link import LEADERINFO
from report import Report, create

FINALIZE_TITLES = {
    'full': 'finalize: the disk of 4 is full, and 4 tries to follow again and again; 1 stood still during the election',
    'control': 'finalize, control: the same, but the disk of 4 has room',
}
TRIES = 30
CONTROL_TRIES = 2
TRYING_SECONDS = 10 * 60
JOINS_WITHIN = 5  # seconds: otherwise it takes less than one
WATCHED_SECONDS = 25
PATIENT = {'initLimit': 30}  # a synchronization may take a minute
# 1 stands still for less than this, which is then its wait for a notification: it doubles from 0.2 s on, and at its end 1 asks the others.
WAITS_MS = 25_600
# 1 has to have a quorum's votes less than 200 ms before the first notification of 4 after a refusal. When that comes depends on the
# machine: a try that failed says whether 1 went on too early or too late.
FINALIZE_WAIT_MS = 200
FIRST_PAUSE, STEP = 0.15, 0.06  # seconds since 4 follows for the first time
JOINED = '(FOLLOWING|LEADING) - LEADER ELECTION TOOK'


def finalize(setup, how):
    """2, 3 and 5 elect while 1 stands still. While 2 and 3 are being synchronized, 4 is started. It cannot store the new epoch, so that its
    attempts to follow end at once, and it looks for a leader again, without a pause, each time with a notification to all. 1 goes
    on, has the votes of a quorum, and waits 200 ms for a better one; each notification begins this wait anew."""
    report = Report(FINALIZE_TITLES[how])
    control = how == 'control'
    with Ensemble(setup, f'finalize-{how}', 5, proxied=[(who, 5, 'quorum') for who in (2, 3)], settings=PATIENT,
                  log_level='INFO', urgent=True) as servers:
        servers.start_all()
        write(servers, 5, 0)
        report.step('5 leads 1, 2, 3 and 4. A write is answered, and all have it. All are killed.')
        deadline = time.monotonic() + TRYING_SECONDS
        tries, pause = 0, FIRST_PAUSE
        while tries < (CONTROL_TRIES if control else TRIES) and (control or time.monotonic() < deadline):
            tries += 1
            sizes, resumed_at = elect_without_1(servers, control, pause)
            joined = joins(servers, sizes[1], JOINS_WITHIN)
            for link in servers.links.values():
                link.heal()
            if joined is None and control:
                raise NotAsTold('1 does not join')
            if joined is None:
                joined = joins(servers, sizes[1], WATCHED_SECONDS - (time.monotonic() - resumed_at))
                if joined is None:
                    return stuck(report, servers, sizes, time.monotonic() - resumed_at, tries)
            why, change = ('', 0) if control else reason(servers[1], sizes[1])
            pause = max(0, pause + change)
            print(f'    try {tries}: 1 joins after {time.monotonic() - resumed_at:.1f} s{why}', flush=True)
            servers[4].kill()
            write(servers, servers.wait_for_leader(1, 2, 3, 5), tries)
        if control:
            report.step(f'1 joined at once in each of {tries} tries.')
            return f'1 joined at once in {tries} of {tries} tries'
        raise NotAsTold(f'1 joined in each of {tries} tries: it is a race, and none was won')


def write(servers, leader, number):
    """All servers but 4, which may not be running, have equal logs afterwards: so 5 will be elected."""
    client = servers[leader].client()
    zxid = create(client, f'/try{number}')
    servers.wait_until_logged(zxid, *(which for which in servers.servers if which != 4))
    client.drop()


def elect_without_1(servers, control, pause):
    """Returns the sizes of the logs just before 1 went on, and when that was."""
    servers.kill_all()
    for link in servers.links.values():
        link.heal()
        link.hold_after(LEADERINFO)  # the synchronization of 2 and 3 takes long
    sizes = servers.log_sizes()
    servers[1].start()
    servers[1].wait_for_line(f'Notification time out: {WAITS_MS} ms', sizes[1], 90)
    servers[1].pause()
    servers.start(5, 2, 3)
    for number in (2, 3):
        servers[5].wait_for_line(f'Synchronizing with Learner sid: {number}', sizes[5], 60)
    if not control:
        servers[4].disk_full.touch()
    servers[4].start()
    servers[4].wait_for_line('QuorumPeer.FOLLOWING$', sizes[4], 60)
    sizes = servers.log_sizes()
    time.sleep(pause)
    servers[1].resume()
    return sizes, time.monotonic()


def joins(servers, since, seconds):
    """After how many seconds 1 has left its election, or None."""
    begun = time.monotonic()
    try:
        wait_until(lambda: servers[1].lines(JOINED, since), seconds, '1 joins')
    except NotAsTold:
        return None
    return time.monotonic() - begun


def reason(server, since):
    """Why a try has failed, and what to add to the pause for the next one."""
    heard = server.lines('my state:LOOKING; n.sid:4, n.state:LOOKING.*n.round:0x[2-9]', since)
    if not heard:
        return ': it went on too early', STEP
    times = [line.milliseconds() for line in [*heard, server.lines('QuorumPeer.(FOLLOWING|LEADING)$', since)[0]]]
    if max(later - earlier for earlier, later in zip(times, times[1:])) >= FINALIZE_WAIT_MS - 5:
        return f': 4 was silent for {FINALIZE_WAIT_MS} ms', 0
    return ': it went on too late', -STEP


def stuck(report, servers, sizes, seconds, tries):
    """1 has not joined for so long: shows why, and ends 4."""
    report.step(f'Try {tries}: 5 leads 2 and 3; 1 stood still meanwhile. 4 is started, with a full disk; when it follows for the first '
                'time, 1 goes on.')
    report.quote(servers[4], servers[4].lines('No space left|Exception when following', sizes[4])[:1])
    heard = servers[1].lines('Notification: my state:LOOKING; n.sid:4, n.state:LOOKING', sizes[1])
    elections = len(servers[4].lines('New election', sizes[4]))
    report.step(f'{seconds:.0f} s later 1 has not joined, although it has the votes of a quorum for 5. 4 began {elections / seconds:.0f} '
                f'elections a second, and 1 received {len(heard)} notifications of 4.')
    for number in (5, 2, 3):
        vote = f'Notification: my state:LOOKING; n.sid:{number}, n.state:LOOKING, n.leader:5'
        report.quote(servers[1], servers[1].lines(vote, sizes[1])[:1])
    report.quote(servers[1], heard[-1:])
    killed_at = time.monotonic()
    servers[4].kill()
    servers[1].wait_for_line(JOINED, sizes[1], 30)
    joined = time.monotonic() - killed_at
    report.step(f'4 is killed: 1 joins {joined:.2f} s later.')
    report.quote(servers[1], servers[1].lines(JOINED, sizes[1]))
    return f'server 1 DOES NOT JOIN in {seconds:.0f} s (try {tries}); {joined:.1f} s after 4 was killed it does'
