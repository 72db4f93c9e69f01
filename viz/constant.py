#!/usr/bin/env python3
"""constant.py NAME FILE OUT writes a header with the file's bytes as the constant NAME."""

import pathlib
import sys


def header_of(name, data, maker):
    # Not a string: compilers need not accept one of this length.
    lines = ''.join('    ' + ''.join(f"'\\x{byte:02x}'," for byte in data[i:i + 20]) + '\n' for i in range(0, len(data), 20))
    return (f'// Made by {maker}.\n#pragma once\n\n#include <string_view>\n\nnamespace zablab::viz {{\n\n'
            f'constexpr char {name}_bytes[] = {{\n{lines}}};\n'
            f'constexpr std::string_view {name}{{{name}_bytes, sizeof {name}_bytes}};\n\n'
            '}  // namespace zablab::viz\n')


if __name__ == '__main__':
    name, file, out = sys.argv[1:]
    pathlib.Path(out).write_text(header_of(name, pathlib.Path(file).read_bytes(), 'viz/constant.py'), encoding='utf-8')
