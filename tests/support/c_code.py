"""C from text of the `c` dialect, and the compilers that must take it."""

import subprocess
import tempfile
from pathlib import Path
from shutil import which

import pytest
from xdsl.parser import Parser

from s2s.context import CompilerContext
from s2s.dialects import c
from s2s.emit.statements import FunctionWriter, global_definition
from s2s.passes.c.name_temporaries import NameTemporariesPass
from s2s.targets.flags import STANDARD, WARNINGS
from support.project import ROOT

COMPILERS = ("gcc", "clang")
PROLOGUE = '#include "s2s.h"\n#include <math.h>\n'


def written(text: str) -> str:
    """The functions and tables of a module in text form, as C."""
    ctx = CompilerContext()
    module = Parser(ctx, text).parse_module()
    module.verify()
    NameTemporariesPass().apply(ctx, module)
    module.verify()
    parts: list[list[str]] = []
    for op in module.ops:
        if isinstance(op, c.FuncOp):
            writer = FunctionWriter(op)
            parts.append(writer.definition() if op.body.blocks else writer.prototype())
        elif isinstance(op, c.GlobalOp):
            parts.append(global_definition(op))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def check_compiles(text: str, *flags: str) -> None:
    """Fail where a compiler that is installed warns about `text`."""
    for compiler in filter(which, COMPILERS):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "unit.c"
            source.write_text(PROLOGUE + text)
            command = [compiler, *STANDARD, *WARNINGS, "-Werror", "-Wno-unused-function", *flags]
            include = f"-I{ROOT / 'runtime_c' / 'include'}"
            result = subprocess.run(
                [*command, include, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False
            )
            if result.returncode:
                pytest.fail(f"{compiler}: {result.stderr}\n{text}")
