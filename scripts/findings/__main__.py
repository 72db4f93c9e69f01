"""Runs the stories of a finding, or of all, on real servers; scripts/findings.sh has checked that the programs it needs are present."""

import argparse
import dataclasses
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import typing

from client import ConnectionLost
from ensemble import HOST, NotAsTold
from network import NoNetwork, unavailable
from refusal import FINALIZE_TITLES, finalize
from rights import SETACL_TITLES, setacl
from snapshots import DIRTYSNAP_TITLES, LEADSNAP_TITLES, dirtysnap, leadsnap
from stories import ELECTION_TITLES, REJOIN_TITLES, SNAPGAP_TITLES, elect, rejoin, snapgap

TIME_LIMIT_SECONDS = 15 * 60
PORTS = 460  # of the range that belongs to the stories: ensemble.py
PROGRAM = 'scripts/findings.sh'
ALL = 'all'


@dataclasses.dataclass
class Setup:
    """The state shared by all ensembles of a run."""
    class_path: str
    release: str
    first_port: int
    directory: pathlib.Path
    slow_disk: pathlib.Path
    keep: pathlib.Path | None


@dataclasses.dataclass
class Finding:
    """A finding is shown in several ways, by name; the last one is the control."""
    tell: typing.Callable
    ways: dict
    needs_network: bool = False

    def chosen(self, options):
        """The names of the ways to be run."""
        left_out = 'short' if options.default_interval else 'default_interval'
        return [way for way in self.ways if way != left_out and (way == 'control' or not options.control)]


# In the order of docs/findings.md, which numbers them from 1 on.
FINDINGS = {
    'rejoin': Finding(rejoin, REJOIN_TITLES),
    'snapgap': Finding(snapgap, SNAPGAP_TITLES),
    'election': Finding(elect, ELECTION_TITLES),
    'dirtysnap': Finding(dirtysnap, DIRTYSNAP_TITLES, needs_network=True),
    'leadsnap': Finding(leadsnap, LEADSNAP_TITLES, needs_network=True),
    'finalize': Finding(finalize, FINALIZE_TITLES),
    'setacl': Finding(setacl, SETACL_TITLES),
}


class Ended(Exception):
    """Ends the run: on a signal, or because the time is over."""


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


def end(number, _):
    for further in SIGNALS:  # what is running is already being ended
        signal.signal(further, signal.SIG_IGN)
    raise Ended(number)


def refuse(message):
    print(f'{PROGRAM}: {message}', file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(prog=PROGRAM)
    parser.add_argument('--class-path', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--first-port', required=True, type=int, help=argparse.SUPPRESS)
    parser.add_argument('finding', choices=[*FINDINGS, ALL])
    parser.add_argument('--control', action='store_true')
    parser.add_argument('--default-interval', action='store_true')
    parser.add_argument('--keep', type=pathlib.Path, metavar='DIR')
    options = parser.parse_args()
    if options.default_interval and options.finding not in ('election', ALL):
        parser.error('--default-interval is for the election')
    if not 0 < options.first_port < 65536 - PORTS:
        parser.error(f'ZOOKEEPER_PORT={options.first_port}: from there on {PORTS} ports have to exist')
    if options.keep:
        try:
            options.keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f'{options.keep}: {error.strerror}')
    return options


def refuse_used_ports(first_port):
    for port in range(first_port + 1, first_port + PORTS):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as error:
                refuse(f'port {port}: {error.strerror}; begin elsewhere with ZOOKEEPER_PORT=N')


def refuse_without_network(findings):
    need_it = [name for name in findings if FINDINGS[name].needs_network]
    reason = need_it and unavailable()
    if reason:
        refuse(f'{", ".join(need_it)}: {reason}')


def build_slow_disk(directory):
    library = directory / 'slow_disk.so'
    source = pathlib.Path(__file__).resolve().parent / 'slow_disk.c'
    built = subprocess.run(['gcc', '-O1', '-shared', '-fPIC', '-o', str(library), str(source), '-ldl'], capture_output=True, text=True,
                           timeout=60, check=False)
    if built.returncode != 0:
        refuse(f'gcc cannot build slow_disk.c (on Debian 12: apt-get install --no-install-recommends gcc libc6-dev)\n{built.stderr}')
    return library


def version(class_path):
    """The version that the servers' classes report."""
    try:
        told = subprocess.run(['java', '-cp', class_path, 'org.apache.zookeeper.Version'], capture_output=True, text=True, timeout=120,
                              check=False)
    except subprocess.TimeoutExpired:
        refuse('java does not tell the version of ZooKeeper')
    found = re.search(r'[0-9]+\.[0-9]+\.[0-9]+', told.stdout)
    if not found:
        refuse(f'java does not find ZooKeeper in {class_path}\n{told.stderr}')
    return found.group()


def show(name, options, setup):
    """Runs a finding's stories, and returns what is to be said of them."""
    number = list(FINDINGS).index(name) + 1
    print(f'\n== Finding {number}, {name}', flush=True)
    results = [f'{way}: {FINDINGS[name].tell(setup, way)}' for way in FINDINGS[name].chosen(options)]
    return f'RESULT ZooKeeper {setup.release}, finding {number}, {name}: ' + '; '.join(results)


def show_each(names, options, setup):
    """Returns the exit status."""
    status = 0
    results = []
    for name in names:
        for number in SIGNALS:
            signal.signal(number, end)
        signal.alarm(TIME_LIMIT_SECONDS)
        try:
            results.append(show(name, options, setup))
        except (NotAsTold, ConnectionLost, NoNetwork) as problem:
            results.append(f'{PROGRAM}: {name}: NOT AS TOLD: {problem}' +
                           ('' if options.keep else ' (--keep DIR keeps the logs of the servers)'))
            status = 1
        except Ended as ended:
            if ended.args != (signal.SIGALRM,):
                raise
            results.append(f'{PROGRAM}: {name}: not over within {TIME_LIMIT_SECONDS} s')
            status = 1
        finally:
            signal.alarm(0)
        print('\n' + results[-1], flush=True)
    if len(results) > 1:
        print('\n== All\n' + '\n'.join(results))
    return status


def main():
    options = arguments()
    names = list(FINDINGS) if options.finding == ALL else [options.finding]
    refuse_without_network(names)
    refuse_used_ports(options.first_port)
    for number in SIGNALS:
        signal.signal(number, end)
    try:
        with tempfile.TemporaryDirectory(prefix='zablab-findings-') as directory:
            release = version(options.class_path)
            print(f'ZooKeeper {release}, servers on {HOST} from port {options.first_port + 1} on')
            setup = Setup(options.class_path, release, options.first_port, pathlib.Path(directory),
                          build_slow_disk(pathlib.Path(directory)), options.keep)
            return show_each(names, options, setup)
    except Ended as ended:
        (number,) = ended.args
        return 128 + number


if __name__ == '__main__':
    sys.exit(main())
