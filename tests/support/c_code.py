"""C from text of the `c` dialect, and the compilers that must take it."""

import shutil
import tempfile
from pathlib import Path

from xdsl.parser import Parser

from s2s.dialects import c
from s2s.emit.statements import FunctionWriter, global_definition, overlay_definition
from s2s.passes.c.name_temporaries import NameTemporariesPass
from s2s.passes.context import CompilerContext
from support.c_compilers import COMPILERS, WARNINGS, run
from support.project import PACKAGES

PROLOGUE = '#include "s2s.h"\n#include "s2s_pairs.h"\n#include <math.h>\n'


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
        elif isinstance(op, c.OverlayOp):
            parts.append(overlay_definition(op))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def check_compiles(text: str, *flags: str) -> None:
    """Fail where a compiler that is installed warns about `text`."""
    for compiler in filter(shutil.which, COMPILERS):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "unit.c").write_text(PROLOGUE + text)
            include = f"-I{PACKAGES['s2s.runtime_c'] / 'include'}"
            kinds = ("-Wno-unused-function", "-Wno-missing-prototypes", *flags)
            run([compiler, *WARNINGS, *kinds, include, "-fsyntax-only", "unit.c"], Path(folder))
