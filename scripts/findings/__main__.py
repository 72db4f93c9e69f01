"""Runs a story on real servers; scripts/findings.sh has checked that everything needed is present."""

import argparse
import dataclasses
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

from client import ConnectionLost
from ensemble import HOST, NotAsTold
from stories import FINDINGS, stories

TIME_LIMIT_SECONDS = 15 * 60
PORTS = 460  # of the range that belongs to the stories: ensemble.py
PROGRAM = 'scripts/findings.sh'


@dataclasses.dataclass
class Setup:
    """The state shared by all ensembles of a run."""
    class_path: str
    first_port: int
    directory: pathlib.Path
    slow_disk: pathlib.Path
    keep: pathlib.Path | None
    default_interval: bool


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
    parser.add_argument('finding', choices=FINDINGS)
    parser.add_argument('--control', action='store_true')
    parser.add_argument('--default-interval', action='store_true')
    parser.add_argument('--keep', type=pathlib.Path, metavar='DIR')
    options = parser.parse_args()
    if options.default_interval and options.finding != 'election':
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
        told = subprocess.run(['java', '-cp', class_path, 'org.apache.zookeeper.Version'], capture_output=True, text=True, timeout=60,
                              check=False)
    except subprocess.TimeoutExpired:
        return 'unknown'
    found = re.search(r'[0-9]+\.[0-9]+\.[0-9]+', told.stdout)
    if not found:
        refuse(f'java does not find ZooKeeper in {class_path}\n{told.stderr}')
    return found.group()


def tell(options, directory):
    setup = Setup(options.class_path, options.first_port, directory, build_slow_disk(directory), options.keep, options.default_interval)
    release = version(options.class_path)
    print(f'ZooKeeper {release}, servers on {HOST} from port {options.first_port + 1} on')
    results = [f'{name}: {story(setup)}' for name, story in stories(options.finding, options.default_interval).items()
               if name == 'control' or not options.control]
    print(f'\nRESULT ZooKeeper {release}, {options.finding}: ' + '; '.join(results))


def main():
    options = arguments()
    refuse_used_ports(options.first_port)
    for number in SIGNALS:
        signal.signal(number, end)
    signal.alarm(TIME_LIMIT_SECONDS)
    try:
        with tempfile.TemporaryDirectory(prefix='zablab-findings-') as directory:
            tell(options, pathlib.Path(directory))
    except (NotAsTold, ConnectionLost) as problem:
        print(f'{PROGRAM}: {options.finding}: NOT AS TOLD: {problem}' +
              ('' if options.keep else ' (--keep DIR keeps the logs of the servers)'), file=sys.stderr)
        return 1
    except Ended as ended:
        (number,) = ended.args
        if number == signal.SIGALRM:
            print(f'{PROGRAM}: {options.finding}: not over within {TIME_LIMIT_SECONDS} s', file=sys.stderr)
            return 1
        return 128 + number
    return 0


if __name__ == '__main__':
    sys.exit(main())
