"""Verification after a stage checks what xDSL's does, though equal arithmetic only once."""

import pytest
from xdsl.dialects.arith import AddfOp
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import DiagnosticException

from s2s.dialects.walk import walk
from s2s.passes.verification import verify


def sums() -> tuple[ModuleOp, list[AddfOp]]:
    """A function of three additions, the third of other types."""
    block = Block(arg_types=[f32, f64])
    x, y = block.args
    ops = [AddfOp(x, x), AddfOp(x, x), AddfOp(y, y)]
    block.add_ops([*ops, ReturnOp()])
    return ModuleOp([FuncOp("f", ([f32, f64], []), Region(block))]), ops


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_sound_module_is_refused_once_an_addition_has_two_types(number: int) -> None:
    module, ops = sums()
    verify(module)
    other = ops[2 if number < 2 else 0].lhs
    ops[number].operands[1] = other
    with pytest.raises(DiagnosticException, match=r"arith\.addf"):
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
