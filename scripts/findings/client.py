"""The part of ZooKeeper's client protocol that the stories need: one session, one request at a time or one left open."""

import socket
import struct

CREATE, DELETE, GET_DATA, SET_DATA, SET_ACL, SYNC, CLOSE_SESSION = 1, 2, 4, 5, 7, 9, -11
OK, NO_NODE, NO_AUTH = 0, -101, -102
READ, ALL, ALL_BUT_WRITE = 1, 31, 29  # permissions: read 1, write 2, create 4, delete 8, admin 16
ANY_VERSION = -1
SESSION_TIMEOUT_MS = 120_000  # no session expires during a story


class ConnectionLost(Exception):
    """The server closed the connection, or did not answer in time."""


def with_length(data):
    return struct.pack('>i', len(data)) + data


def anyone_may(permissions):
    """An access list."""
    return struct.pack('>ii', 1, permissions) + with_length(b'world') + with_length(b'anyone')


class Client:
    """A session with one server. SESSION is that of an earlier client, which is continued here."""

    def __init__(self, address, patience=30, session=None):
        try:
            self.socket = socket.create_connection(address, timeout=patience)
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        self.requests = 0
        self.id, self.password, self.last_zxid = session or (0, bytes(16), 0)
        self._send(struct.pack('>iqiq', 0, self.last_zxid, SESSION_TIMEOUT_MS, self.id) + with_length(self.password) + b'\0')
        answer = self._receive()
        if len(answer) < 20:
            raise ConnectionLost('no session was opened')
        self.timeout, self.id, length = struct.unpack_from('>iqi', answer, 4)
        self.password = answer[20:20 + length]
        if self.timeout <= 0:
            raise ConnectionLost('the session has expired')

    def session(self):
        return self.id, self.password, self.last_zxid

    def drop(self):
        """Ends the connection; the session remains until it expires."""
        self.socket.close()

    def close(self):
        """Ends the session, by a separate transaction; returns its zxid."""
        self._request(CLOSE_SESSION, b'')
        _, zxid, _ = self.answer()
        self.socket.close()
        return zxid

    def ask_to_create(self, path, data=b''):
        """Sends the request; answer() waits for its result."""
        self._request(CREATE, with_length(path.encode()) + with_length(data) + anyone_may(ALL) + struct.pack('>i', 0))

    def ask_to_set(self, path, data):
        self._request(SET_DATA, with_length(path.encode()) + with_length(data) + struct.pack('>i', ANY_VERSION))

    def ask_to_delete(self, path):
        self._request(DELETE, with_length(path.encode()) + struct.pack('>i', ANY_VERSION))

    def ask_to_set_acl(self, path, permissions):
        self._request(SET_ACL, with_length(path.encode()) + anyone_may(permissions) + struct.pack('>i', ANY_VERSION))

    def create(self, path, data=b''):
        """(error, zxid)"""
        self.ask_to_create(path, data)
        return self.answer()[:2]

    def set(self, path, data):
        """(error, zxid)"""
        self.ask_to_set(path, data)
        return self.answer()[:2]

    def read(self, path):
        """The data, or None if there is no such node. The server catches up with its leader first."""
        self._request(SYNC, with_length(path.encode()))
        self.answer()
        self._request(GET_DATA, with_length(path.encode()) + b'\0')
        error, _, body = self.answer()
        if error == NO_NODE:
            return None
        if error != OK:
            raise ConnectionLost(f'reading {path} ends with error {error}')
        (length,) = struct.unpack_from('>i', body)
        return body[4:4 + max(length, 0)]

    def answer(self):
        """(error, zxid, body) of the oldest request that is not answered."""
        while True:
            packet = self._receive()
            number, zxid, error = struct.unpack_from('>iqi', packet)
            if number > 0:  # a packet that is not an answer has a number below zero
                self.last_zxid = max(self.last_zxid, zxid)
                return error, zxid, packet[16:]

    def _request(self, operation, body):
        self.requests += 1
        self._send(struct.pack('>ii', self.requests, operation) + body)

    def _send(self, packet):
        try:
            self.socket.sendall(with_length(packet))
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    def _receive(self):
        (length,) = struct.unpack('>i', self._read(4))
        return self._read(length)

    def _read(self, length):
        data = b''
        while len(data) < length:
            try:
                part = self.socket.recv(length - len(data))
            except OSError as error:
                raise ConnectionLost(str(error)) from error
            if not part:
                raise ConnectionLost('the server closed the connection')
            data += part
        return data
