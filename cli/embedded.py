#!/usr/bin/env python3
"""embedded.py NAME FILE... OUT writes a header with the texts of files as the array NAME: what `zablab new` writes and prints."""

import pathlib
import sys


def literal(text):
    assert ')text"' not in text
    return f'R"text({text})text"'


name, *paths = sys.argv[1:]
*files, out = map(pathlib.Path, paths)
rows = ''.join(f'    EmbeddedFile{{"{file.name}", {literal(file.read_text(encoding="utf-8"))}}},\n' for file in files)
out.write_text('// Made by cli/embedded.py.\n#pragma once\n\n#include <array>\n\n#include "cli/embedded.h"\n\nnamespace zablab::cli {\n\n'
               f'inline constexpr std::array {name}{{\n{rows}}};\n\n}}  // namespace zablab::cli\n', encoding='utf-8')
