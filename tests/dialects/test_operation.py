"""The decorator of our operations keeps what xDSL's does: formats that can be read, and every check."""

import pytest
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Block
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from s2s.dialects import c, graph, loop, tensor
from s2s.dialects.operation import Op

DIALECTS = {"graph": graph.Graph, "tensor": tensor.Tensor, "loop": loop.Loop, "c": c.C}
WITH_FORMAT = [
    operation
    for dialect in DIALECTS.values()
    for operation in dialect.operations
    if issubclass(operation, Op) and operation.assembly_format is not None
]


@pytest.mark.parametrize("operation", WITH_FORMAT, ids=lambda operation: operation.name)
def test_every_assembly_format_can_be_read(operation: type[Op]) -> None:
    assert operation.assembly_format is not None
    FormatProgram.from_str(operation.assembly_format, operation.get_irdl_definition())


def test_a_fixed_operand_is_the_one_at_its_position() -> None:
    a, b, total = (create_ssa_value(f32) for _ in range(3))
    fma = loop.FmaOp(a, b, total)
    assert (fma.a, fma.b, fma.c) == (a, b, total)
    assert fma.result is fma.results[0]


def test_an_operand_too_few_is_refused() -> None:
    view = c.BinaryOp("+", create_ssa_value(i32), create_ssa_value(i32))
    view.operands = view.operands[:1]
    with pytest.raises(VerifyException, match="Expected 2 operands, but got 1"):
        view.verify_()


def test_a_missing_property_is_refused() -> None:
    sum_ = c.BinaryOp("+", create_ssa_value(i32), create_ssa_value(i32))
    del sum_.properties["operator"]
    with pytest.raises(VerifyException, match="property 'operator' expected"):
        sum_.verify_()


def test_a_property_too_many_is_refused() -> None:
    sum_ = c.BinaryOp("+", create_ssa_value(i32), create_ssa_value(i32))
    sum_.properties["other"] = i32
    with pytest.raises(VerifyException, match="property 'other' is not defined"):
        sum_.verify_()


def test_a_value_that_is_computed_after_its_use_is_refused() -> None:
    block = Block(arg_types=[i32])
    block.add_ops([first := c.UnaryOp("-", block.args[0]), second := c.UnaryOp("-", first.result)])
    first.operands[0] = second.result
    with pytest.raises(VerifyException, match="or after it"):
        c.FuncOp("f", [i32], body=block).verify()
