"""A network that can be split: each server of an ensemble has a network namespace of its own, and switches (bridges) connect them. Servers
on different switches reach each other no longer, in either direction, and no connection is told. Proxies cannot do this: a server that
is dialled for an election by one with a smaller id closes that connection and dials back.

Nothing here has a name outside this process: namespaces are file descriptors, and what is in them ends with the last process that has
one, however it ends. Needs root (CAP_SYS_ADMIN and CAP_NET_ADMIN) and ip."""

import contextlib
import ctypes
import os
import subprocess

from ensemble import Ensemble

CLONE_NEWNET = 0x40000000
SWITCHES = 2
SUBNET = '10.77.0'

libc = ctypes.CDLL(None, use_errno=True)


class NoNetwork(Exception):
    """This machine does not allow it."""


def check(result, what):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f'{what}: {os.strerror(error)}')


def present_namespace():
    return os.open('/proc/thread-self/ns/net', os.O_RDONLY | os.O_CLOEXEC)


def enter_namespace(descriptor):
    check(libc.setns(descriptor, CLONE_NEWNET), 'setns')


def new_namespace():
    """Its file descriptor."""
    outside = present_namespace()
    try:
        check(libc.unshare(CLONE_NEWNET), 'unshare')
        try:
            return present_namespace()
        finally:
            enter_namespace(outside)
    finally:
        os.close(outside)


@contextlib.contextmanager
def within(descriptor):
    """What is opened here belongs to that namespace; connections that are open remain where they are."""
    outside = present_namespace()
    try:
        enter_namespace(descriptor)
        yield
    finally:
        enter_namespace(outside)
        os.close(outside)


def ip(descriptor, *commands):
    """Commands of ip(8), in that namespace."""
    with within(descriptor):
        done = subprocess.run(['ip', '-batch', '-'], input='\n'.join(commands) + '\n', capture_output=True, text=True, timeout=30,
                              check=False)
    if done.returncode != 0:
        raise OSError(f'ip: {done.stderr.strip()}')


class Network:
    def __init__(self, numbers):
        self.hub, self.namespaces = None, {}
        try:
            self.hub = new_namespace()
            self.namespaces = {number: new_namespace() for number in numbers}
            ip(self.hub, *(command for switch in range(SWITCHES)
                           for command in (f'link add switch{switch} type bridge', f'link set switch{switch} up')))
            for number, descriptor in self.namespaces.items():
                ip(self.hub, f'link add port{number} type veth peer name wire netns /proc/{os.getpid()}/fd/{descriptor}',
                   f'link set port{number} master switch0 up')
                ip(descriptor, 'link set lo up', f'address add {address(number)}/24 dev wire', 'link set wire up')
        except OSError as error:
            self.end()
            raise NoNetwork(error.strerror or str(error)) from error

    def assign(self, switches):
        """Puts servers on switches: number to switch."""
        ip(self.hub, *(f'link set port{number} master switch{switch}' for number, switch in switches.items()))

    def end(self):
        for descriptor in (self.hub, *self.namespaces.values()):
            if descriptor is not None:
                os.close(descriptor)
        self.hub, self.namespaces = None, {}


def address(number):
    return f'{SUBNET}.{number}'


def unavailable():
    """Why there can be no such network, or None."""
    if os.geteuid() != 0:
        return 'root is needed: each server gets a network namespace, and bridges connect them'
    try:
        Network([1]).end()
    except (NoNetwork, subprocess.TimeoutExpired) as problem:
        return f'no network namespaces and bridges can be made here ({problem})'
    return None


class SplittableEnsemble(Ensemble):
    """An ensemble on such a network. Its clients connect at the server's machine, so that a split does not concern them."""

    def __init__(self, setup, name, size, **options):
        self.network = Network(range(1, size + 1))
        super().__init__(setup, name, size, **options)

    def __exit__(self, *exception):
        super().__exit__(*exception)
        self.network.end()

    def split(self, *groups):
        self.network.assign({number: switch for switch, group in enumerate(groups) for number in group})

    def heal(self):
        self.network.assign(dict.fromkeys(self.servers, 0))

    def host(self, number):
        return address(number)

    def enter(self, number):
        enter_namespace(self.network.namespaces[number])

    def inside(self, number):
        return within(self.network.namespaces[number])
