"""Finding 7: what is sent behind an outstanding setACL is judged by the access list before it."""

from client import ALL, ALL_BUT_WRITE, NO_AUTH, OK, READ
from ensemble import Ensemble
from report import Report, create, expect, named

SETACL_TITLES = {
    'outstanding': 'setacl: two setACL, and writes behind them while they are outstanding',
    'control': 'setacl, control: the same, but each request waits for the answer to the one before it',
}
PATIENT = {'syncLimit': 30}  # the leader waits a minute for followers that stand still
CLOSED, OPENED = '/closed', '/opened'


def setacl(setup, how):
    """The followers stand still, so that nothing is committed. Ann takes from everybody the right to write /closed, and gives it for
    /opened; then she and Bob write. In the control nobody stands still, and each answer is awaited."""
    report = Report(SETACL_TITLES[how])
    control = how == 'control'
    with Ensemble(setup, f'setacl-{how}', 3, settings=PATIENT) as servers:
        servers.start_all()
        leader = servers[3]
        ann, bob = leader.client(), leader.client()
        create(ann, CLOSED)
        before = create(ann, OPENED)
        ann.ask_to_set_acl(OPENED, ALL_BUT_WRITE)
        error, last = ann.answer()[:2]
        expect(error == OK, f'setACL ends with error {error}')
        servers.wait_until_logged(last)
        report.step(f'3 leads 1 and 2. Ann and Bob are clients of 3. Ann creates {CLOSED}, which anyone may write, and {OPENED}, '
                    f'zxid {before:#x}, which nobody may write.')

        requests = [
            (ann, f'Ann: setACL {CLOSED}, anyone may only read', lambda: ann.ask_to_set_acl(CLOSED, READ)),
            (ann, f'Ann: set {CLOSED}', lambda: ann.ask_to_set(CLOSED, b'Ann')),
            (ann, f'Ann: create {CLOSED}/child', lambda: ann.ask_to_create(f'{CLOSED}/child')),
            (bob, f'Bob: set {CLOSED}', lambda: bob.ask_to_set(CLOSED, b'Bob')),
            (ann, f'Ann: setACL {OPENED}, anyone may do everything', lambda: ann.ask_to_set_acl(OPENED, ALL)),
            (ann, f'Ann: set {OPENED}', lambda: ann.ask_to_set(OPENED, b'Ann')),
            (bob, f'Bob: set {OPENED}', lambda: bob.ask_to_set(OPENED, b'Bob')),
        ]
        answers = ask(report, servers, requests, last, control)
        for (_, what, _), (error, zxid) in zip(requests, answers):
            report.show(f'{what}: {"OK" if error == OK else "NOAUTH" if error == NO_AUTH else error}, zxid {zxid:#x}')
        by_old_list = [OK, OK, OK, OK, OK, NO_AUTH, NO_AUTH]
        by_new_list = [OK, NO_AUTH, NO_AUTH, NO_AUTH, OK, OK, OK]
        errors = [error for error, _ in answers]
        expect(errors == (by_new_list if control else by_old_list), f'the errors are {errors}')
        zxids = [zxid for _, zxid in answers]
        expect(zxids == sorted(zxids), 'the zxids do not rise in the order of the requests')

        ann.ask_to_set(CLOSED, b'later')
        bob.ask_to_set(OPENED, b'later')
        errors = [client.answer()[0] for client in (ann, bob)]
        expect(errors == [NO_AUTH, OK], f'later: the errors are {errors}')
        found = leader.read(CLOSED)
        report.step(f'Later everything is judged by the new lists: set {CLOSED} is NOAUTH, set {OPENED} is OK. {CLOSED} has the data '
                    f'"{found.decode()}".')
        return ('everything is judged by the new list' if control else
                'three writes SUCCEED behind a setACL that forbids them, and two are refused behind one that allows them')


def ask(report, servers, requests, last, control):
    """Sends the requests; returns (error, zxid) of each."""
    if control:
        answers = []
        for client, _, send in requests:
            send()
            answers.append(client.answer()[:2])
        report.step('The requests, each sent when the one before it was answered:')
        return answers
    followers = servers[1], servers[2]
    for follower in followers:
        follower.pause()
    for asked, (_, _, send) in enumerate(requests):
        send()
        servers.wait_until_logged(last + asked + 1, 3)  # an error is logged as well: so Bob's come behind Ann's
    holders = servers.holders(last + 1)
    expect(holders == [3], f'the first setACL is in the logs of {named(holders)}')
    report.step(f'1 and 2 stand still. The requests are sent. In the log files of 3 alone: {last + 1:#x} to {last + len(requests):#x}: '
                'nothing is committed, and no request is answered.')
    for follower in followers:
        follower.resume()
    answers = [client.answer()[:2] for client, _, _ in requests]
    report.step('1 and 2 go on. The answers:')
    return answers
