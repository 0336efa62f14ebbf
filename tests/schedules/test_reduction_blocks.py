"""Reductions are blocked by default where one panel of the packed constant exceeds L2, and only there."""

import pytest
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.dialects import tensor
from s2s.schedules.default import default
from s2s.schedules.directives import Tile
from s2s.targets import get_target
from support.parse import parse
from support.random_kernels import FLOAT_PRODUCT, RELU, Kernel, Operand, compute_of

TARGET = get_target("x86-64-v4")


def schedule(m: int, k: int, n: int) -> tensor.ScheduleAttr:
    reads = [Operand("x", "f32", (m, k), "i, r0"), Operand("w", "f32", (k, n), "r0, j", constant=True)]
    bias = [Operand("b", "f32", (n,), "j", constant=True)]
    module = parse(Kernel((m, n), (k,), reads, bias, "0.0", "f32", FLOAT_PRODUCT, RELU, "f32").text())
    op = compute_of(module)
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    return default(op, TARGET, constant_arguments(kernel, calls_of(module)))


def blocks(m: int, k: int, n: int) -> list[tuple[int, int]]:
    tile = schedule(m, k, n).find(Tile)
    return [] if tile is None else tile.blocks


@pytest.mark.parametrize(("m", "k", "n"), [(128, 16384, 64), (30, 20000, 256)])
def test_panels_beyond_l2_are_read_in_blocks(m: int, k: int, n: int) -> None:
    assert blocks(m, k, n) == [(1, 32), (2, 1024)]


@pytest.mark.parametrize(("m", "k", "n"), [(128, 4096, 64), (1, 16384, 64), (6, 16384, 64)])
def test_panels_that_stay_in_l2_or_are_read_once_are_not(m: int, k: int, n: int) -> None:
    assert all(dim != 2 for dim, _ in blocks(m, k, n))
