"""Intrinsics: instructions of a target that add up several products of small integers at once.

What an instruction computes, and the C function that does it, stand in an attribute of each operation: the interpreter
and the lowering to C read it there, and know no instruction by name.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.intrinsic import ELEMENTS, IntrinsicAttr
from s2s.dialects.loop.checks import check_flat, check_vector, lanes_of
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, WorkInterface, read
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import vector_of


@op_definition
class IntrinsicOp(Op):
    """An instruction that adds products to `acc`, from registers: the forms `dot`, `dot_pairs`, `dot_points`,
    `dot_taps`, `dot_next`, `dot_two`, `dot_lanes`, `dot_window`, `dot_group` and `dot_strips`."""

    name = "loop.intrinsic"

    intrinsic = prop_def(IntrinsicAttr)
    acc = operand_def()
    x = operand_def(VectorType)
    w = operand_def(VectorType)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$intrinsic `(` $acc `,` $x `,` $w `)` attr-dict `:` type($acc) `,` type($x) `,` type($w) `->` type($result)"
    )

    def __init__(self, intrinsic: IntrinsicAttr, acc: SSAValue, x: SSAValue, w: SSAValue) -> None:
        super().__init__(operands=[acc, x, w], properties={"intrinsic": intrinsic}, result_types=[acc.type])

    def verify_(self) -> None:
        each = self.intrinsic
        match each.form.data:
            case "dot" | "dot_pairs" | "dot_taps" | "dot_next" | "dot_window" | "dot_strips":
                sums: Attribute = i32
                factors = [vector_of(ELEMENTS[name.data], each.steps) for name in (each.x, each.w)]
            case "dot_points" | "dot_two":
                sums = i32
                factors = [vector_of(ELEMENTS[name.data], each.steps // 2) for name in (each.x, each.w)]
            case "dot_lanes":
                check_vector(self, self.acc.type, i32)
                sums = self.acc.type
                factors = [self.acc.type] * 2
            case "dot_group":
                check_vector(self, self.acc.type, i32)
                sums, lanes = self.acc.type, lanes_of(self.acc.type) or 1
                counts = ((each.x, each.steps), (each.w, lanes * each.steps))
                factors = [vector_of(ELEMENTS[name.data], count) for name, count in counts]
            case form:
                raise VerifyException(f"{self.name}: form {form} takes rows in memory")
        expected, found = [sums, *factors, sums], [self.acc.type, self.x.type, self.w.type, self.result.type]
        for wanted, given in zip(expected, found, strict=True):
            if wanted != given:
                raise VerifyException(f"{self.name}: {given} where {each.entry.data} wants {wanted}")


@op_definition
class IntrinsicRowsOp(Op, AccessInterface, WorkInterface):
    """An instruction that multiplies a row in memory by rows of constants: the forms `dot_rows` and `dot_half_rows`.

        result[c] = sum over k < steps of x[a + k] * w[b + k / n * lanes * n + c * n + k % n]

    The map gives `(a, b)`; `n` is the group, which divides the steps. In rows of halves, steps `k` and `k + steps / 2`
    take the lower and the upper half of one byte, as numbers from 0 to 15, and `n` divides half the steps.
    """

    name = "loop.intrinsic_rows"

    intrinsic = prop_def(IntrinsicAttr)
    map = prop_def(AffineMapAttr)
    steps = prop_def(IntegerAttr)
    x = operand_def(MemRefType)
    w = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    result = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$intrinsic `(` $x `,` $w `[` $map `(` $indices `)` `]` `)` attr-dict"
        " `:` type($x) `,` type($w) `->` type($result)"
    )

    def __init__(
        self,
        intrinsic: IntrinsicAttr,
        x: SSAValue,
        w: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        *,
        steps: int,
        lanes: int,
    ) -> None:
        super().__init__(
            operands=[x, w, indices],
            properties={"intrinsic": intrinsic, "map": AffineMapAttr(affine_map), "steps": IntegerAttr(steps, i64)},
            result_types=[vector_of(i32, lanes)],
        )

    def accesses(self) -> Sequence[Access]:
        row, constants = self.map.data.results
        return [
            read(self.x, row, self.indices, Extent(self.steps.value.data)),
            read(self.w, constants, self.indices, Extent(self.bytes * self.lanes)),
        ]

    @property
    def bytes(self) -> int:
        """The bytes of each row of constants."""
        halves = self.intrinsic.form.data == "dot_half_rows" or self.intrinsic.w.data == "i4"
        return self.steps.value.data // (2 if halves else 1)

    @property
    def work(self) -> int:
        return self.steps.value.data

    @property
    def lanes(self) -> int:
        """How many rows of constants are taken together."""
        return lanes_of(self.result.type)

    def verify_(self) -> None:
        each = self.intrinsic
        if each.form.data not in ("dot_rows", "dot_half_rows"):
            raise VerifyException(f"{self.name}: form {each.form.data} takes registers")
        check_map(self.name, self.map.data, len(self.indices), results=2)
        check_flat(self, self.x.type, ELEMENTS[each.x.data])
        check_flat(self, self.w.type, ELEMENTS[each.w.data])
        steps, group = self.steps.value.data, each.steps // (2 if each.w.data == "i4" else 1)
        if steps < 1 or self.bytes % group or steps % self.bytes:
            unit = "" if self.bytes == steps else " bytes"
            raise VerifyException(f"{self.name}: {steps} steps are no groups of {group}{unit}")
        check_vector(self, self.result.type, i32)


__all__ = ["IntrinsicAttr", "IntrinsicOp", "IntrinsicRowsOp"]
