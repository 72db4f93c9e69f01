#!/usr/bin/env python3
"""Puts the explorer's page together: bundle.py TEMPLATE STYLE MODULE... OUT writes a header with the page as a
constant. Modules are given in an order in which each comes after those that it imports; their imports and exports
are removed, so their top-level names must differ. @theme@, @title@, @trace@ and @other@ are left for the program."""

import base64
import hashlib
import pathlib
import re
import sys


def script_of(paths):
    names = {}
    parts = ["'use strict';\n"]
    for path in paths:
        text = path.read_text(encoding='utf-8')
        for imported in re.findall(r"^import .* from '\./(.*)';$", text, re.M):
            if path.with_name(imported) not in paths[:paths.index(path)]:
                sys.exit(f'{path}: {imported} must come before it')
        text = re.sub(r"^import .*;\n", '', text, flags=re.M)
        text = re.sub(r'^export (?=(?:const|function|class|async) )', '', text, flags=re.M)
        for name in re.findall(r'^(?:const|let|function|async function|class) (\w+)', text, re.M):
            if names.setdefault(name, path) != path:
                sys.exit(f'{path}: {name} is also in {names[name]}')
        parts.append(text)
    return '(() => {\n' + ''.join(parts) + '})();\n'


def hash_of(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main(template, style, *modules_and_out):
    *modules, out = modules_and_out
    page = pathlib.Path(template).read_text(encoding='utf-8')
    style = pathlib.Path(style).read_text(encoding='utf-8')
    script = script_of([pathlib.Path(module) for module in modules])
    if re.search('</(script|style)|<!--', style + script, re.I):
        sys.exit('a script or a style may contain no end of itself')
    for name, text in (('script-hash', hash_of(script)), ('style-hash', hash_of(style)), ('style', style), ('script', script)):
        page = page.replace(f'@{name}@', text)
    # Not a string: compilers need not accept one of this length.
    data = page.encode('utf-8')
    lines = ''.join('    ' + ''.join(f"'\\x{byte:02x}'," for byte in data[i:i + 20]) + '\n' for i in range(0, len(data), 20))
    pathlib.Path(out).write_text('// Made by viz/explorer/bundle.py.\n#pragma once\n\n#include <string_view>\n\nnamespace zablab::viz {\n\n'
                                 f'constexpr char explorer_bytes[] = {{\n{lines}}};\n'
                                 'constexpr std::string_view explorer_page{explorer_bytes, sizeof explorer_bytes};\n\n'
                                 '}  // namespace zablab::viz\n', encoding='utf-8')


main(*sys.argv[1:])
