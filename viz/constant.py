#!/usr/bin/env python3
"""constant.py NAME FILE... OUT writes a header with the text of the file, or of the JSON object that has the members of
all files' objects, as the constant NAME."""

import json
import pathlib
import sys


def members_of(paths):
    members = {}
    for path in paths:
        for key, value in json.loads(pathlib.Path(path).read_text(encoding='utf-8')).items():
            if key in members:
                sys.exit(f'{path}: {key!r} is in another file, too: what several have belongs into common.json')
            members[key] = value
    return json.dumps(members, ensure_ascii=False, separators=(',', ':'))


def header_of(name, data, maker):
    # Not a string: compilers need not accept one of this length.
    lines = ''.join('    ' + ''.join(f"'\\x{byte:02x}'," for byte in data[i:i + 20]) + '\n' for i in range(0, len(data), 20))
    return (f'// Made by {maker}.\n#pragma once\n\n#include <string_view>\n\nnamespace zablab::viz {{\n\n'
            f'constexpr char {name}_bytes[] = {{\n{lines}}};\n'
            f'constexpr std::string_view {name}{{{name}_bytes, sizeof {name}_bytes}};\n\n'
            '}  // namespace zablab::viz\n')


if __name__ == '__main__':
    name, *files, out = sys.argv[1:]
    data = pathlib.Path(files[0]).read_bytes() if len(files) == 1 else members_of(files).encode('utf-8')
    pathlib.Path(out).write_text(header_of(name, data, 'viz/constant.py'), encoding='utf-8')
