"""Operations on registers: what vectors need beside `arith`."""

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, VectorType, f32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import Op, op_definition
from s2s.dialects.plain import PlainOp
from s2s.types.dtypes import vector_of
from s2s.types.hints import isa

REDUCE_KINDS = ("add", "mul", "max", "min")
COMPARISONS = ("oeq", "une", "olt", "ole", "ogt", "oge")
"""How lanes are compared, as `arith.cmpf` calls it."""
LANES = (4, 8, 16)
"""The lanes that vectors have."""
MIN_LANES = LANES[0]
"""The shortest vectors, in lanes."""


@op_definition
class BroadcastOp(PlainOp):
    """Every lane of `result` is `scalar`."""

    name = "loop.broadcast"

    scalar = operand_def()
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$scalar attr-dict `:` type($scalar) `->` type($result)"

    def __init__(self, scalar: SSAValue, lanes: int) -> None:
        super().__init__(operands=[scalar], result_types=[vector_of(scalar.type, lanes)])

    def verify_(self) -> None:
        if self.result.type.element_type != self.scalar.type:
            raise VerifyException(f"{self.name}: lanes of {self.result.type} cannot hold {self.scalar.type}")


@op_definition
class FmaOp(PlainOp):
    """`result = a * b + c`, in one rounding where the target has it, else in two."""

    name = "loop.fma"

    T: ClassVar = VarConstraint("T", AnyAttr())
    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"

    def __init__(self, a: SSAValue, b: SSAValue, c: SSAValue) -> None:
        super().__init__(operands=[a, b, c], result_types=[c.type])


@op_definition
class ReduceOp(Op):
    """All lanes of `vector` combined, in an order of the target's choice: `add`, `mul`, `max` or `min`."""

    name = "loop.reduce"

    kind = prop_def(StringAttr)
    vector = operand_def(VectorType)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$kind $vector attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, kind: str, vector: SSAValue) -> None:
        if not isa(vector.type, VectorType):
            raise VerifyException(f"{self.name}: {vector.type} is not a vector")
        super().__init__(
            operands=[vector], properties={"kind": StringAttr(kind)}, result_types=[vector.type.element_type]
        )

    def verify_(self) -> None:
        if self.kind.data not in REDUCE_KINDS:
            raise VerifyException(f"{self.name}: kind {self.kind.data!r} is none of {', '.join(REDUCE_KINDS)}")
        if not isa(self.vector.type, VectorType) or self.result.type != self.vector.type.element_type:
            raise VerifyException(f"{self.name}: {self.result.type} is no lane of {self.vector.type}")


@op_definition
class HalveOp(Op):
    """`result[i] = vector[i] ~ vector[i + n]` for the `n` lanes of the result, half as many: part of `loop.reduce`."""

    name = "loop.halve"

    kind = prop_def(StringAttr)
    vector = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$kind $vector attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, kind: str, vector: SSAValue) -> None:
        if not isa(vector.type, VectorType):
            raise VerifyException(f"{self.name}: {vector.type} is not a vector")
        half = VectorType(vector.type.element_type, [vector.type.get_shape()[0] // 2])
        super().__init__(operands=[vector], properties={"kind": StringAttr(kind)}, result_types=[half])

    def verify_(self) -> None:
        if self.kind.data not in REDUCE_KINDS:
            raise VerifyException(f"{self.name}: kind {self.kind.data!r} is none of {', '.join(REDUCE_KINDS)}")
        (lanes,) = self.result.type.get_shape()
        whole = VectorType(self.result.type.element_type, [2 * lanes])
        if lanes < MIN_LANES or self.vector.type != whole:
            raise VerifyException(f"{self.name}: {self.result.type} is no half of {self.vector.type}")


@op_definition
class ChooseOp(Op):
    """`result[i] = x[i] if a[i] ~ b[i] else y[i]`, where `~` is a predicate of `arith.cmpf`: there are no vectors of
    bools."""

    name = "loop.choose"

    T: ClassVar = VarConstraint("T", BaseAttr(VectorType))
    predicate = prop_def(StringAttr)
    a = operand_def(T)
    b = operand_def(T)
    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$predicate $a `,` $b `,` $x `,` $y attr-dict `:` type($result)"

    def __init__(self, predicate: str, a: SSAValue, b: SSAValue, x: SSAValue, y: SSAValue) -> None:
        super().__init__(operands=[a, b, x, y], properties={"predicate": StringAttr(predicate)}, result_types=[x.type])

    def verify_(self) -> None:
        if self.predicate.data not in COMPARISONS:
            raise VerifyException(f"{self.name}: predicate {self.predicate.data!r} is none of {', '.join(COMPARISONS)}")
        if self.result.type.element_type != f32:
            raise VerifyException(f"{self.name}: {self.result.type} is no vector of floats")


__all__ = ["COMPARISONS", "LANES", "MIN_LANES", "BroadcastOp", "ChooseOp", "FmaOp", "HalveOp", "ReduceOp"]
