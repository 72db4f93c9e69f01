"""What a story prints, and what it expects."""

from ensemble import NotAsTold


class Report:
    """The output: numbered steps, and the servers' own lines that show them."""

    def __init__(self, title):
        self.steps = 0
        print(f'\n{title}', flush=True)

    def step(self, text):
        self.steps += 1
        print(f'{self.steps:>2}. {text}', flush=True)

    def quote(self, server, lines):
        """Lines of a server's log: one, or several."""
        for line in lines if isinstance(lines, list) else [lines]:
            print(f'      {server.id} | {line}', flush=True)

    def show(self, text):
        """A line that belongs to the step."""
        print(f'      {text}', flush=True)


def expect(condition, otherwise):
    if not condition:
        raise NotAsTold(otherwise)


def create(client, path, data=b'x'):
    """The zxid of a write that must be answered."""
    error, zxid = client.create(path, data)
    expect(error == 0, f'creating {path} ends with error {error}')
    return zxid


def shown(data):
    return 'no node' if data is None else f'"{data.decode()}"'


def named(numbers):
    return ' '.join(map(str, numbers)) or 'none'
