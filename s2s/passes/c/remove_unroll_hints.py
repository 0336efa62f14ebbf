"""Remove the hints that ask the C compiler to unroll loops.

    c.func @conv(…) attributes {doc = "schedule: tile 4 ow; let the C compiler unroll 18 passes of kw; loops oh, ow"} {
      c.for %i = %0 to %144 step 8 unroll 18 : index { … }
    }
->
    c.func @conv(…) attributes {doc = "schedule: tile 4 ow; loops oh, ow"} {
      c.for %i = %0 to %144 step 8 : index { … }
    }

An unrolled loop takes several times the code and saves the instructions that count and branch. So the pass runs where
the user prefers small code, before `c-parametrise-kernels`, which finds more kernels alike without the hints.
"""

import re

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.support.frozen import frozen

_HINT = re.compile(r"let the C compiler unroll [^;\n]*(; |$)", re.MULTILINE)
"""How the comment of a kernel states such a hint (`s2s/schedules/directives/unroll.py`)."""


@frozen
class RemoveUnrollHintsPass(ModulePass):
    name = "c-remove-unroll-hints"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in walk(op):
            if isinstance(each, c.ForOp):
                each.unroll = None
            elif isinstance(each, c.FuncOp) and each.doc is not None:
                each.doc = StringAttr(_HINT.sub("", each.doc.data))
