"""Decide whether the constants of a network become arrays of C literals or a binary file.

    builtin.module { c.global @w : … weight "conv1" }
->
    builtin.module attributes {constants = "C arrays"} { c.global @w : … weight "conv1" }

The choice is a decision (`s2s/decisions/constants.py`), by default by size; `form` is what the user asks for. The files
are written when the tree is.

Declined for networks without constants, and for constants of a pack.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.decisions.chooser import Chooser
from s2s.decisions.constants import ConstantsKind, ConstantsUnit
from s2s.dialects import c
from s2s.dialects.c.types import ArrayType
from s2s.errors import InputError
from s2s.passes.context import given_of, target_of
from s2s.support.frozen import frozen
from s2s.types.dtypes import size_in_bytes

PACKED = "packed"
"""Marks a constant whose values are in a pack."""
FORMS = ("auto", "arrays", "incbin")


def is_placed(table: c.GlobalOp) -> bool:
    """Return whether a table holds weights that the program brings along."""
    return table.weight is not None and PACKED not in table.attributes


@frozen
class PlaceConstantsPass(ModulePass):
    name = "c-place-constants"

    target: str = "c"
    form: str = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.form not in FORMS:
            raise InputError(f"c-place-constants: form {self.form} is not known; give {', '.join(FORMS)}")
        tables = [each.type for each in op.ops if isinstance(each, c.GlobalOp) and is_placed(each)]
        if not tables:
            return
        size = sum(type.size * size_in_bytes(type.element) for type in tables if isinstance(type, ArrayType))
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            chooser.choose(ConstantsKind(), ConstantsUnit(op, size, self.form))
