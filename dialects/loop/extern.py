"""Calls of routines of the runtime."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, MemRefType, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import AttrSizedOperandSegments, ParsePropInAttrDict, prop_def, var_operand_def

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.interfaces import Access, AccessInterface, read_any, write_any
from s2s.dialects.operation import Op, op_definition

SAME = ("fft", "fixed_dft", "fixed_idft")
"""The routines that take the same path for all data."""
_DIGITS, _VALUES, _FEW, _PARTS = 8, 256, 48, 64
"""Of `s2s_select.h`: the digits of the longest keys, the values of a digit, the keys that are inserted one by one, and
the parts whose maxima are compared."""


def _selected(rows: int, size: int, count: int) -> int:
    """Bound the turns of a loop that selects `count` of `size` elements, in each of some rows."""
    few = min(size, _FEW)
    sorting = _DIGITS * max(size, _VALUES) if size > _FEW else 0
    comparing = min(size // 2, _PARTS) ** 2
    return rows * max(size, count, few * (few - 1) // 2, sorting, comparing)


def _eliminated(count: int, size: int) -> int:
    """Bound the turns of a loop that eliminates elements of square matrices."""
    return count * size**3


def _searched(size: int, bound: int) -> int:
    """Bound the turns of a loop that searches a row for `bound` elements."""
    return max(size, bound)


def _ordered(rows: int, size: int) -> int:
    """Bound the turns of a loop that merges ordered rows."""
    return rows * rows.bit_length() * (size + 1)


def _suppressed(images: int, classes: int, count: int, most: int, _: int) -> int:
    """Bound the turns of a loop over the boxes that are kept for each box."""
    return images * classes * max(count * most, _selected(1, count, count))


_TURNS: Mapping[str, Callable[..., int]] = {
    "determinant": _eliminated,
    "largest": _selected,
    "nonzero": _searched,
    "row_order": _ordered,
    "smallest": _selected,
    "suppressed": _suppressed,
}
"""How often the loops of a routine turn in a call at most, by its numbers."""


@op_definition
class ExternOp(Op, AccessInterface, PathInterface):
    """`s2s_routine(outputs…, scratch…, inputs…, numbers…);`: a routine of `runtime_c` on whole buffers.

    It writes all elements of its outputs; what it leaves in its scratch is undefined.
    """

    name = "loop.extern"

    routine = prop_def(StringAttr)
    numbers = prop_def(DenseArrayBase.constr(i64))
    outputs = var_operand_def(MemRefType)
    scratch = var_operand_def(MemRefType)
    inputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$routine `sets` `(` $outputs `)` `uses` `(` $scratch `)` `from` `(` $inputs `)` attr-dict"
        " `:` `(` type($outputs) `)` `,` `(` type($scratch) `)` `,` `(` type($inputs) `)`"
    )

    def __init__(
        self,
        routine: StringAttr,
        numbers: DenseArrayBase[I64],
        *,
        outputs: Sequence[SSAValue],
        scratch: Sequence[SSAValue],
        inputs: Sequence[SSAValue],
    ) -> None:
        super().__init__(operands=[outputs, scratch, inputs], properties={"routine": routine, "numbers": numbers})

    def accesses(self) -> Sequence[Access]:
        written = [write_any(each) for each in (*self.outputs, *self.scratch)]
        return [*written, *(read_any(each) for each in (*self.scratch, *self.inputs))]

    def turns(self) -> Sequence[Turn]:
        kind = self.routine.data.rpartition("_")[0]
        if kind in SAME:
            return []
        most = _TURNS.get(kind)
        times = None if most is None else most(*map(int, self.numbers.get_values()))
        return [Turn(f"runs {self.routine.data} as long as data say", repeats=True, most=times)]


__all__ = ["ExternOp"]
