"""The levels of a real compilation agree, and a fault in a pass is found at its level and its node."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp

from s2s import api
from s2s.frontends.onnx.node import Importer
from s2s.frontends.onnx.table import COMMON
from s2s.passes.tensor.describe_kernels import DescribeKernelsPass
from support.fallback_networks import written
from support.trees import DIGITS

NODES, KERNELS = 8, 6
"""Nodes of the network that compute something, and the kernels that they become."""
Apply = Callable[[DescribeKernelsPass, Context, ModuleOp], None]


def test_levels_of_a_network_agree():
    with api.compile(DIGITS, target="c") as artifact:
        verification = artifact.verify(against="reference", levels=True)
    assert verification.passed
    assert verification.levels is not None
    levels = verification.levels.levels
    assert [level.level for level in levels] == ["model", "graph", "tensor", "loop", "c"]
    assert [level.compared for level in levels[:2]] == [NODES, KERNELS + 1]


def test_levels_of_unsigned_bytes_agree(tmp_path: Path):
    """Tables in lanes, weights with zero points, and a product whose zero point is found in the run."""
    with api.compile(written("unsigned", tmp_path), target="host", name="net") as artifact:
        verification = artifact.verify(levels=True)
    assert verification.passed


def test_fault_in_a_pass_is_found_at_its_level_and_node(monkeypatch: pytest.MonkeyPatch):
    """The pass before the end of the tensor level turns every addition in the first kernel into a subtraction."""
    correct: Apply = DescribeKernelsPass.apply

    def faulty(self: DescribeKernelsPass, ctx: Context, op: ModuleOp) -> None:
        correct(self, ctx, op)
        for addition in [each for each in op.walk() if isinstance(each, arith.AddfOp)][:1]:
            difference = arith.SubfOp(addition.lhs, addition.rhs)
            block = addition.parent_block()
            assert block is not None
            block.insert_op_before(difference, addition)
            addition.result.replace_all_uses_with(difference.result)
            addition.detach()
            addition.erase()

    monkeypatch.setattr(DescribeKernelsPass, "apply", faulty)
    with api.compile(DIGITS, target="c") as artifact:
        verification = artifact.verify(against="reference", levels=True)
    assert not verification.passed
    assert verification.levels is not None
    parting = verification.levels.parting
    assert parting is not None
    assert (parting.level, parting.against) == ("tensor", "graph")
    assert parting.node
    assert not any(level.wrong for level in verification.levels.levels[:2])


def test_fault_in_a_frontend_is_found_at_its_node(monkeypatch: pytest.MonkeyPatch):
    """The frontend that reads every Relu as a Neg parts from the engine at the first Relu."""
    monkeypatch.setitem(cast("dict[tuple[str, str], Importer]", COMMON), ("", "Relu"), COMMON["", "Neg"])
    with api.compile(DIGITS, target="c") as artifact:
        verification = artifact.verify(against="reference", levels=True)
    assert verification.levels is not None
    parting = verification.levels.parting
    assert parting is not None
    assert (parting.level, parting.against, parting.node) == ("model", "reference", "relu1")
