#!/usr/bin/env python3
"""skeleton.py FILE... OUT writes a header with the files of examples/skeleton, for `zablab new protocol`."""

import pathlib
import sys


def literal(text):
    assert ')text"' not in text
    return f'R"text({text})text"'


*files, out = map(pathlib.Path, sys.argv[1:])
rows = ''.join(f'    SkeletonFile{{"{file.name}", {literal(file.read_text(encoding="utf-8"))}}},\n' for file in files)
out.write_text('// Made by cli/skeleton.py.\n#pragma once\n\n#include <array>\n#include <string_view>\n\nnamespace zablab::cli {\n\n'
               'struct SkeletonFile {\n  std::string_view name;\n  std::string_view text;\n};\n'
               f'inline constexpr std::array skeleton_files{{\n{rows}}};\n\n}}  // namespace zablab::cli\n', encoding='utf-8')
