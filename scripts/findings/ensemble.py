"""An ensemble of real servers on 127.0.0.1: processes, their files and logs, and operations on them."""

import contextlib
import ctypes
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

from client import Client, ConnectionLost
from link import LeaderLink, Link

HOST = '127.0.0.1'
MAIN = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
SERVES = ('leader', 'follower')
PR_SET_PDEATHSIG = 1

LOG4J = """\
log4j.rootLogger=INFO, file
log4j.logger.org.apache.zookeeper.server.quorum={level}
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File=${zookeeper.log}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=%d{HH:mm:ss,SSS}|%t|%c{1}|%m%n
"""


def recordings():
    """scripts/zookeeper-recordings.py, which can read transaction-log files."""
    path = pathlib.Path(__file__).resolve().parent.parent / 'zookeeper-recordings.py'
    spec = importlib.util.spec_from_file_location('zookeeper_recordings', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


zxids_in = recordings().zxids_in


class NotAsTold(Exception):
    """The servers did not do what the story expects."""


def wait_until(condition, seconds, what):
    """The condition's value, as soon as it is true."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise NotAsTold(f'not within {seconds} s: {what}')
        time.sleep(0.02)


def end_with_parent():
    """In a new process: it has its own group, so that Ctrl-C reaches only the stories, and it ends when they do, however they end."""
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class LogLine:
    """A line of a server's log: time, thread, class and message."""

    def __init__(self, text):
        self.time, self.thread, self.logger, self.message = (text.split('|', 3) + ['', '', ''])[:4]

    def milliseconds(self):
        """Of its time of day."""
        hours, minutes, seconds, thousandths = map(int, re.split('[:,]', self.time))
        return ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths

    def __str__(self):
        # The name of the servers' main thread contains more than is of interest here.
        return f'{self.time} {self.thread.partition("](")[0] + "]" if "](" in self.thread else self.thread} {self.logger}: {self.message}'


class Server:
    def __init__(self, ensemble, number, properties):
        self.ensemble = ensemble
        self.id = number
        self.properties = properties
        self.directory = ensemble.directory / str(number)
        self.log = self.directory / 'zk.log'
        self.stalls = {what: self.directory / f'{what}-stalls' for what in ('fsync', 'preallocation', 'snapshot')}
        self.disk_full = self.directory / 'disk-full'
        self.process = None
        (self.directory / 'data').mkdir(parents=True)
        (self.directory / 'data' / 'myid').write_text(f'{number}\n')

    # ---- Operations on it

    def start(self):
        setup = self.ensemble.setup
        environment = {**os.environ, 'LD_PRELOAD': str(setup.slow_disk), 'FULL_WHILE': str(self.disk_full),
                       **{f'SLOW_{what.upper()}_WHILE': str(file) for what, file in self.stalls.items()}}
        properties = {'zookeeper.log': self.log, 'log4j.configuration': f'file:{self.directory}/log4j.properties', **self.properties}
        (self.directory / 'log4j.properties').write_text(LOG4J.replace('{level}', self.ensemble.log_level))
        (self.directory / 'zoo.cfg').write_text(self.ensemble.configuration(self))
        with open(self.directory / 'console', 'ab') as console:
            # pylint: disable-next=subprocess-popen-preexec-fn  # no thread of this process holds a lock that it needs
            self.process = subprocess.Popen(
                ['java', '-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', setup.class_path,
                 *(f'-D{name}={value}' for name, value in properties.items()), MAIN, str(self.directory / 'zoo.cfg')],
                env=environment, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, preexec_fn=self._begin)

    def _begin(self):
        end_with_parent()
        self.ensemble.enter(self.id)
        if self.ensemble.urgent:
            with contextlib.suppress(PermissionError):  # only root may
                os.nice(-10)

    def kill(self):
        """kill -9"""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self):
        """The process stands still until resume(), as in a long pause of the garbage collector."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stall(self, what):
        """The disk stalls in fsync, when a new log file is made large, or when a snapshot is written (slow_disk.c)."""
        self.stalls[what].touch()

    def go_on(self, what):
        self.stalls[what].unlink(missing_ok=True)

    # ---- Its output

    def address(self):
        return HOST, self.ensemble.port('client', self.id)

    def client(self, session=None):
        with self.ensemble.inside(self.id):
            return Client(self.address(), session=session)

    def read(self, path):
        """A fresh client's read, repeated while the server is busy electing."""
        def attempt():
            try:
                client = self.client()
                value = client.read(path)
                client.drop()
                return (value,)
            except ConnectionLost:
                return None
        return wait_until(attempt, 60, f'server {self.id} answers a read of {path}')[0]

    def told(self, name):
        """A line of its answer to the command srvr, or None."""
        try:
            with self.ensemble.inside(self.id), socket.create_connection(self.address(), timeout=2) as connection:
                connection.sendall(b'srvr')
                answer = b''
                while part := connection.recv(4096):
                    answer += part
        except OSError:
            return ''
        found = re.search(rf'^{name}: (.*)', answer.decode(errors='replace'), re.MULTILINE)
        return found.group(1) if found else ''

    def role(self):
        return self.told('Mode') if self.process is not None else ''

    def log_size(self):
        return self.log.stat().st_size if self.log.exists() else 0

    def lines(self, pattern, since=0):
        """The lines of its log from the byte SINCE on that match."""
        if not self.log.exists():
            return []
        with open(self.log, encoding='utf-8', errors='replace') as log:
            log.seek(since)
            return [LogLine(line.rstrip('\n')) for line in log if re.search(pattern, line)]

    def wait_for_line(self, pattern, since, seconds):
        return wait_until(lambda: self.lines(pattern, since), seconds, f'server {self.id} logs "{pattern}"')[-1]

    def logged_zxids(self):
        """The content of its transaction-log files."""
        return sorted(zxid for path in (self.directory / 'data' / 'version-2').glob('log.*') for zxid in zxids_in(path))


class Ensemble:
    """SIZE servers, none of them running. PROXIED has (who, whom, port) for each link that a story wants to cut or slow down,
    the port being 'quorum' or 'election'. PROPERTIES are Java's, for every server, OWN_PROPERTIES for some; SETTINGS stand in
    their configuration files, instead of those below. LOG_LEVEL is that of the package org.apache.zookeeper.server.quorum.
    URGENT servers come before other programs, if that is allowed."""

    PORTS = {'client': 0, 'quorum': 100, 'election': 200}
    PROXY_PORTS = {'quorum': 300, 'election': 400}
    SETTINGS = {'tickTime': 2000, 'initLimit': 10, 'syncLimit': 5, 'maxSessionTimeout': 120_000, 'admin.enableServer': 'false'}

    def __init__(self, setup, name, size, proxied=(), properties=None, own_properties=None, settings=None,
                 log_level='TRACE', urgent=False):
        self.setup = setup
        self.log_level = log_level
        self.urgent = urgent
        self.settings = {**self.SETTINGS, **(settings or {})}
        self.directory = setup.directory / name
        self.links = {}
        self.servers = {number: Server(self, number, {**(properties or {}), **(own_properties or {}).get(number, {})})
                        for number in range(1, size + 1)}
        for who, whom, port in proxied:
            kind = LeaderLink if port == 'quorum' else Link
            self.links[who, whom, port] = kind((HOST, self.proxy_port(who, whom, port)), (HOST, self.port(port, whom)))

    def __getitem__(self, number):
        return self.servers[number]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill_all()
        for link in self.links.values():
            link.end()
        if self.setup.keep:
            self._keep_logs(self.setup.keep / self.directory.name)
        shutil.rmtree(self.directory)

    def _keep_logs(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        for number, server in self.servers.items():
            for kept in ('zk.log', 'console', 'zoo.cfg'):
                if (server.directory / kept).exists():
                    shutil.copyfile(server.directory / kept, directory / f'{number}-{kept}')

    def host(self, _):
        """Where the other servers reach it."""
        return HOST

    def enter(self, number):
        """Called by the new process of a server before it begins."""

    def inside(self, _):
        """A context in which the server's address can be reached."""
        return contextlib.nullcontext()

    def port(self, kind, number):
        return self.setup.first_port + self.PORTS[kind] + number

    def proxy_port(self, who, whom, kind):
        return self.setup.first_port + self.PROXY_PORTS[kind] + 10 * who + whom

    def configuration(self, server):
        def port(kind, other):
            if (server.id, other, kind) in self.links:
                return self.proxy_port(server.id, other, kind)
            return self.port(kind, other)
        return '\n'.join([
            *(f'{name}={value}' for name, value in self.settings.items()), f'dataDir={server.directory}/data',
            f'clientPortAddress={HOST}', f'clientPort={self.port("client", server.id)}',
            *(f'server.{other}={self.host(other)}:{port("quorum", other)}:{port("election", other)}' for other in self.servers)]) + '\n'

    def start(self, first, *others):
        """Starts the others as soon as the first one looks for a leader: it has the largest id of them and will lead."""
        since = self[first].log_size()
        self[first].start()
        self[first].wait_for_line('New election', since, 60)
        for number in others:
            self[number].start()

    def start_all(self):
        """The server with the largest id leads."""
        last = len(self.servers)
        quorum = [last, *range(1, last // 2 + 1)]
        self.start(*quorum)
        self.expect_leader(last, *quorum)
        for number in self.servers.keys() - set(quorum):
            self[number].start()
        self.expect_leader(last, *self.servers)

    def kill_all(self):
        for server in self.servers.values():
            server.kill()

    def wait_for_leader(self, *numbers):
        """The leader among them, when all of them serve."""
        def leader():
            roles = {number: self[number].role() for number in numbers}
            leads = [number for number, role in roles.items() if role == 'leader']
            return leads[0] if len(leads) == 1 and all(role in SERVES for role in roles.values()) else None
        return wait_until(leader, 120, f'the servers {", ".join(map(str, numbers))} serve, one of them leading')

    def expect_leader(self, wanted, *numbers):
        found = self.wait_for_leader(*numbers)
        if found != wanted:
            raise NotAsTold(f'{found} leads, not {wanted}')

    def log_sizes(self, *numbers):
        return {number: self[number].log_size() for number in numbers or self.servers}

    def new_leader(self, since):
        """The leader of the servers of SINCE, which are about to elect or have begun to: their logs had these sizes while they had a
        leader. (Just after its death they still report that they follow.)"""
        for number, size in since.items():
            self[number].wait_for_line('New election', size, 60)
        return self.wait_for_leader(*since)

    def wait_until_logged(self, zxid, *numbers):
        """Until the transaction-log files of these servers, or of all, hold it."""
        for number in numbers or self.servers:
            wait_until(lambda server=self[number]: zxid in server.logged_zxids(), 30, f'server {number} logs {zxid:#x}')

    def holders(self, zxid):
        """The servers whose transaction-log files hold it."""
        return [number for number, server in self.servers.items() if zxid in server.logged_zxids()]
