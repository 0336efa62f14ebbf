"""Verification after a stage checks what xDSL's does, though equal arithmetic only once."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects.arith import AddfOp
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.passes.verification import verify


def c_sum(x: SSAValue, y: SSAValue) -> Operation:
    return c.BinaryOp("+", x, y)


def sums(add: Callable[[SSAValue, SSAValue], Any] = AddfOp) -> tuple[ModuleOp, list[Any]]:
    """A function of three additions, the third of other types."""
    block = Block(arg_types=[f32, f64])
    x, y = block.args
    ops = [add(x, x), add(x, x), add(y, y)]
    block.add_ops([*ops, ReturnOp()])
    return ModuleOp([FuncOp("f", ([f32, f64], []), Region(block))]), ops


@pytest.mark.parametrize(
    ("add", "name", "number"),
    [
        (AddfOp, "arith.addf", 0),
        (AddfOp, "arith.addf", 1),
        (AddfOp, "arith.addf", 2),
        (c_sum, "c.binary", 0),
        (c_sum, "c.binary", 1),
    ],
)
def test_a_sound_module_is_refused_once_an_addition_has_two_types(
    add: Callable[[SSAValue, SSAValue], Any], name: str, number: int
) -> None:
    module, ops = sums(add)
    verify(module)
    other = ops[2 if number < 2 else 0].lhs
    ops[number].operands[1] = other
    with pytest.raises(DiagnosticException, match=re.escape(name)):
        verify(module)


def test_a_use_before_the_value_is_computed_is_refused() -> None:
    module, ops = sums()
    ops[0].operands[0] = ops[1].result
    with pytest.raises(DiagnosticException, match="or after it"):
        verify(module)


def test_an_optional_operand_is_given_at_most_once() -> None:
    """Two values of `c.return` are one operand too many."""
    block = Block(arg_types=[f32])
    returned = c.ReturnOp(block.args[0])
    block.add_op(returned)
    module = ModuleOp([c.FuncOp("f", [f32], f32, block)])
    verify(module)
    returned.operands = [block.args[0], block.args[0]]
    with pytest.raises(DiagnosticException, match=r"c\.return"):
        verify(module)


def test_a_use_of_an_erased_value_is_refused() -> None:
    module, ops = sums()
    ops[1].operands[0] = ops[0].result
    ops[0].detach()
    ops[0].erase(safe_erase=False)
    with pytest.raises(ValueError, match="Erased SSA value"):
        verify(module)


def test_the_walk_gives_operations_in_the_order_of_xdsl() -> None:
    module, _ = sums()
    assert list(walk(module)) == list(module.walk())
