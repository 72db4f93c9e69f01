"""A link between two servers that can fail: a proxy before a server's port, to which one other server is configured to connect."""

import socket
import struct
import threading
import time

TRUNC, SNAP, LEADERINFO = 14, 15, 17
PACKET_HEAD = struct.Struct('>iqi')  # type, zxid, length of the data
LEADER_OPENS_WITHIN = 2  # seconds: a leader opens its port a moment after it is elected


class Link:
    """A proxy at the address LISTEN for TARGET: a thread for each direction of each connection."""

    def __init__(self, listen, target):
        self.target = target
        self.connections = []
        self.is_cut = False
        self.holds = False
        self.holds_after = None
        self.ended = False
        self.listener = socket.create_server(listen)
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()

    # ---- Faults

    def hold(self):
        """From now on what comes from the target is in transit, and does not arrive."""
        self.holds = True

    def hold_after(self, packet_type):
        """What a leader sends after its next packet of this type does not arrive."""
        self.holds_after = packet_type

    def disconnect(self):
        """Breaks the connections; what is in transit is lost. The next connections work normally."""
        for pair in self.connections:
            close_all(pair)
        self.connections = []

    def cut(self):
        """Nothing passes until heal()."""
        self.is_cut = True
        self.disconnect()

    def heal(self):
        self.is_cut = self.holds = False
        self.holds_after = None

    def end(self):
        self.ended = True
        self.cut()
        close_all([self.listener])  # closing alone would leave it listening while a thread accepts
        self.accepting.join()

    # ---- What passes

    def _accept(self):
        while not self.ended:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = None if self.is_cut else self._reach_target()
            if far is None:
                near.close()
                continue
            pair = (near, far)
            for end in pair:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections.append(pair)
            threading.Thread(target=self._towards_target, args=pair, daemon=True).start()
            threading.Thread(target=self._from_target, args=pair, daemon=True).start()

    def _reach_target(self):
        try:
            far = socket.create_connection(self.target, timeout=1)
            far.settimeout(None)
            return far
        except OSError:
            return None

    def _towards_target(self, near, far):
        try:
            while data := near.recv(65536):
                far.sendall(data)
        except OSError:
            pass
        close_all((near, far))

    def _from_target(self, near, far):
        try:
            for data in self._pieces(far):
                while self.holds and (near, far) in self.connections:
                    time.sleep(0.005)
                if (near, far) not in self.connections:
                    break
                near.sendall(data)
                if self.holds_after is not None and self.holds_after == packet_type(data):
                    self.holds = True
        except OSError:
            pass
        close_all((near, far))

    def _pieces(self, far):
        """What arrives, as it comes."""
        while data := far.recv(65536):
            yield data


class LeaderLink(Link):
    """A link to a leader's port for learners: what the leader sends passes packet by packet."""

    def _reach_target(self):
        deadline = time.monotonic() + LEADER_OPENS_WITHIN
        while (far := super()._reach_target()) is None and time.monotonic() < deadline and not self.is_cut:
            time.sleep(0.05)
        return far

    def _pieces(self, far):
        while head := receive(far, PACKET_HEAD.size):
            kind, _, length = PACKET_HEAD.unpack(head)
            # After the data comes a list of identities, which servers leave empty.
            yield head + receive(far, max(length, 0) + 4)
            if kind == SNAP:  # then the tree follows, which is not a packet
                yield from super()._pieces(far)


def packet_type(packet):
    return PACKET_HEAD.unpack_from(packet)[0] if len(packet) >= PACKET_HEAD.size else None


def receive(source, length):
    """LENGTH bytes, or None if the connection ends."""
    data = b''
    while len(data) < length:
        part = source.recv(length - len(data))
        if not part:
            return b''
        data += part
    return data


def close_all(sockets):
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        one.close()
