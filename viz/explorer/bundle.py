#!/usr/bin/env python3
"""Puts the explorer's page together: bundle.py TEMPLATE STYLE WORKER MODULE... PHRASES... OUT writes a header with the page as a
constant. Modules are given in an order in which each comes after those that it imports; their imports and exports
are removed, so their top-level names must differ. @theme@, @title@, @trace@, @other@, @live-policy@,
@outages@ and @engine@ are left for the program."""

import base64
import hashlib
import pathlib
import re
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from constant import header_of, members_of  # noqa: E402


def script_of(paths):
    names = {}
    parts = ["'use strict';\n"]
    for path in paths:
        text = path.read_text(encoding='utf-8')
        for imported in re.findall(r"^import .* from '\./(.*)';$", text, re.M):
            if path.with_name(imported) not in paths[:paths.index(path)]:
                sys.exit(f'{path}: {imported} must come before it')
        text = re.sub(r"^import .*;\n", '', text, flags=re.M)
        if re.search(r'^import\b', text, re.M):
            sys.exit(f'{path}: an import has to be on one line; two of the same module may follow each other')
        text = re.sub(r'^export (?=(?:const|function|class|async) )', '', text, flags=re.M)
        for name in re.findall(r'^(?:const|let|function|async function|class) (\w+)', text, re.M):
            if names.setdefault(name, path) != path:
                sys.exit(f'{path}: {name} is also in {names[name]}')
        parts.append(text)
    return compact('(() => {\n' + ''.join(parts) + '})();\n')


def compact(text):
    """Without comments that have lines of their own, and without indentation: a fifth of the script. No string of the modules
    goes over several lines."""
    text = re.sub(r'^ *(?://.*|/\*(?:[^*]|\*(?!/))*\*/) *\n', '', text, flags=re.M)
    return re.sub(r'^ +', '', text, flags=re.M)


def hash_of(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main(template, style, worker, *files_and_out):
    *files, out = files_and_out
    modules = [file for file in files if file.endswith('.js')]
    page = pathlib.Path(template).read_text(encoding='utf-8')
    style = compact(pathlib.Path(style).read_text(encoding='utf-8'))
    script = script_of([pathlib.Path(module) for module in modules])
    worker = pathlib.Path(worker).read_text(encoding='utf-8')
    if re.search('</(script|style)|<!--', style + script + worker, re.I):
        sys.exit('a script or a style may contain no end of itself')
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    book = packing.compress(members_of(file for file in files if file.endswith('.json')).encode()) + packing.flush()
    for name, text in (('script-hash', hash_of(script)), ('style-hash', hash_of(style)), ('style', style),
                       ('phrases', base64.b64encode(book).decode()), ('worker', worker), ('script', script)):
        page = page.replace(f'@{name}@', text)
    pathlib.Path(out).write_text(header_of('explorer_page', page.encode('utf-8'), 'viz/explorer/bundle.py'), encoding='utf-8')


main(*sys.argv[1:])
