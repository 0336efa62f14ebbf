"""The C of a tree, preprocessed as a strict C99 compiler sees it and parsed by pycparser.

The compiler's own macros are left out (`-undef`), so that headers choose their portable forms; system headers are
replaced by the declarations in `SYSTEM`. Long lists of numbers are read here: the parser is slow for them.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pycparser import c_ast, c_parser

from s2s.errors import ToolchainError

TYPES = """
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned int size_t; typedef unsigned int uintptr_t; typedef int ptrdiff_t;
"""
"""The types that the parser must know as such; kernels are read with their names, see `s2s.prove.ctypes`."""

LIMITS = "\n".join(
    f"#define INT{bits}_MAX {2 ** (bits - 1) - 1}{'LL' if bits == 64 else ''}\n"
    f"#define INT{bits}_MIN (-{2 ** (bits - 1) - 1}{'LL' if bits == 64 else ''} - 1)\n"
    f"#define UINT{bits}_MAX {2**bits - 1}{'ULL' if bits == 64 else 'u'}"
    for bits in (8, 16, 32, 64)
)
SYSTEM = {
    "stdint.h": LIMITS + "\n#define INT64_C(x) x##LL\n#define UINT64_C(x) x##ULL\n#define INT32_C(x) x\n"
    "#define UINT32_C(x) x##u\n#define SIZE_MAX 4294967295u\n",
    "stddef.h": "#define NULL ((void *)0)\n",
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "string.h": "void *memcpy(void *to, const void *from, size_t size);\nvoid *memset(void *to, int c, size_t size);\n",
    "math.h": "\n",
    "limits.h": "#define INT_MAX 2147483647\n#define CHAR_BIT 8\n",
    "float.h": "\n",
    "assert.h": "#define assert(x)\n",
}
NUMBERS = re.compile(r"=\s*\{([-\s\d,uUlL()]{120,}?)\}\s*;")
DECIMAL = r"(?:0|[1-9]\d*)(?:[uU]|[uU]?(?:ll|LL)|(?:ll|LL)[uU])?"
TAKEN = re.compile(r"^S2S_TAKE\((\w+), (\d+), (\d+)\);$", re.MULTILINE)
"""An array whose bytes the assembler takes from the binary file beside the source: its name, offset and size."""
LITERAL = re.compile(rf"\s*(?:\(\s*(-{DECIMAL})\s*-\s*1\s*\)|(-?{DECIMAL}))\s*")
"""A decimal number, or the least one of a type; a list of anything else is left to the parser."""


@dataclass
class Source:
    """The parsed files of a tree."""

    files: list[c_ast.FileAST] = field(default_factory=list[c_ast.FileAST])
    numbers: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    """Contents of long arrays, by the number that stands in their place."""
    binaries: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Contents of arrays whose bytes are in a binary file, by name."""


def parse_tree(tree: Path, files: list[str]) -> Source:
    """Parse the .c files of a tree.

    Raises ToolchainError where the C preprocessor or the parser refuses one.
    """
    source = Source()
    with TemporaryDirectory() as folder:
        system = Path(folder)
        for name, text in SYSTEM.items():
            (system / name).write_text(text)
        for file in files:
            if (tree / f"{file}.bin").is_file():
                _take(source, tree / file)
                continue
            text = preprocessed(tree, tree / file, system)
            text = NUMBERS.sub(lambda match: _number(source, match), text)
            source.files.append(c_parser.CParser().parse(TYPES + text, file))
    return source


def _take(source: Source, file: Path) -> None:
    """Read the arrays that a file takes from the binary file beside it; their types are in its header."""
    content = file.with_name(f"{file.name}.bin").read_bytes()
    for name, offset, size in TAKEN.findall(file.read_text(encoding="utf-8")):
        begin, end = int(offset), int(offset) + int(size)
        if end > len(content) or name in source.binaries:
            msg = f"{file}: {name} is taken twice, or from beyond its binary file; give the tree as s2s compile wrote it"
            raise ToolchainError(msg)
        source.binaries[name] = content[begin:end]


def preprocessed(tree: Path, file: Path, system: Path) -> str:
    """The text of a file after the C preprocessor, without its line marks."""
    includes = [f"-I{folder}" for folder in (tree / "include", tree / "runtime" / "include", tree / "src", system)]
    command = ["cc", "-E", "-P", "-undef", "-nostdinc", "-std=c99", "-D__STDC_VERSION__=199901L", *includes, str(file)]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise ToolchainError(f"cc: cannot be started: {error.strerror}; install a C compiler as `cc`") from error
    if done.returncode != 0:
        msg = f"{file}: the C preprocessor fails: {done.stderr.strip()[:500]}; give the tree as s2s compile wrote it"
        raise ToolchainError(msg)
    return re.sub(r"_Pragma\s*\([^)]*\)|^#pragma.*$", "", done.stdout, flags=re.MULTILINE)


def _number(source: Source, match: re.Match[str]) -> str:
    """Keep a list of numbers; a number stands for it."""
    literals = [LITERAL.fullmatch(item) for item in match[1].rstrip().removesuffix(",").split(",")]
    values = [_value(literal) for literal in literals if literal is not None]
    if len(values) < len(literals) or max(map(abs, values)) >= 2**63:
        return match[0]
    key = len(source.numbers)
    source.numbers[key] = np.array(values, np.int64)
    return f"= {key};"


def _value(literal: re.Match[str]) -> int:
    """The number that a literal says."""
    low, plain = (re.sub("[uUlL]", "", part) if part else "" for part in literal.groups())
    return int(low) - 1 if low else int(plain)
