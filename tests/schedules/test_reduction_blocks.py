"""Reductions are blocked by default where one panel of the packed constant exceeds L2, and only there."""

import numpy as np
import pytest
from onnx import helper, numpy_helper
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.api import compile as compile_network
from s2s.decisions.schedule import ScheduledComputation, ScheduleKind
from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.schedules.default import Choice, candidates, default, long_reduction
from s2s.schedules.directives import Tile
from s2s.targets import get_target
from support.onnx_text import onnx_model
from support.parse import parse
from support.random_kernels import FLOAT_PRODUCT, RELU, Kernel, Operand, compute_of

TARGET = get_target("x86-64-v4")


def product(m: int, k: int, n: int) -> tuple[tensor.ComputeOp, frozenset[SSAValue]]:
    """A product of floats with a constant, and its constants."""
    reads = [Operand("x", "f32", (m, k), "i, r0"), Operand("w", "f32", (k, n), "r0, j", constant=True)]
    bias = [Operand("b", "f32", (n,), "j", constant=True)]
    module = parse(Kernel((m, n), (k,), reads, bias, "0.0", "f32", FLOAT_PRODUCT, RELU, "f32").text())
    op = compute_of(module)
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    return op, constant_arguments(kernel, calls_of(module))


def schedule(m: int, k: int, n: int) -> tensor.ScheduleAttr:
    op, constants = product(m, k, n)
    return default(op, TARGET, constants)


def blocks(m: int, k: int, n: int) -> list[tuple[int, int]]:
    tile = schedule(m, k, n).find(Tile)
    return [] if tile is None else tile.blocks


def test_matrices_that_exceed_l2_together_are_read_panel_by_panel():
    """As in a Winograd convolution: each of 16 products reads a panel of 32 KB of its own."""
    reads = [Operand("x", "f32", (16, 16, 512), "i, j, r0")]
    reads += [Operand("w", "f32", (16, 32, 512), "i, k, r0", constant=True)]
    bias = [Operand("b", "f32", (32,), "k", constant=True)]
    module = parse(Kernel((16, 16, 32), (512,), reads, bias, "0.0", "f32", FLOAT_PRODUCT, RELU, "f32").text())
    op = compute_of(module)
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    found = default(op, get_target("x86-64-v3"), constant_arguments(kernel, calls_of(module)))
    state = found.on(op)
    assert (state.vector_dim, state.block_of, len(list(state.packs))) == (2, {}, 1)


@pytest.mark.parametrize(("m", "k", "n"), [(128, 16384, 64), (30, 20000, 256)])
def test_panels_beyond_l2_are_read_in_blocks(m: int, k: int, n: int) -> None:
    assert blocks(m, k, n) == [(1, 32), (2, 1024)]


@pytest.mark.parametrize(("m", "k", "n"), [(128, 4096, 64), (1, 16384, 64), (6, 16384, 64)])
def test_panels_that_stay_in_l2_or_are_read_once_are_not(m: int, k: int, n: int) -> None:
    assert all(dim != 2 for dim, _ in blocks(m, k, n))


def estimated(m: int, k: int, n: int, steps: int | None) -> float:
    """The estimate of the default schedule with its register tile, and with blocks of `steps` of the reduction."""
    op, constants = product(m, k, n)
    given = default(op, TARGET, constants)
    tile = given.find(Tile)
    assert tile is not None
    blocks = [] if steps is None else [(1, tile.register[1]), (2, steps)]
    made = Tile.of(tile.register, blocks)
    assert made is not None
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    subject = ScheduledComputation(op, kernel, "k", 0, "", constants)
    cost = ScheduleKind(CompilerContext()).estimate(subject, given.replacing(made), TARGET)
    assert cost is not None
    assert cost.cycles is not None
    return cost.cycles


def test_the_estimate_of_given_blocks_is_that_of_their_size() -> None:
    whole, short = estimated(128, 16384, 64, None), estimated(128, 16384, 64, 16)
    assert estimated(128, 16384, 64, 1024) < min(whole, short)


def test_blocks_of_operands_that_stay_in_l2_cost_the_partial_results() -> None:
    assert estimated(64, 512, 64, 256) - estimated(64, 512, 64, None) == 2 * 64 * 64 / 16


def test_sizes_of_blocks_are_ranked_with_their_costs() -> None:
    op, constants = product(128, 16384, 64)
    (choice,) = [
        each
        for each in candidates(op, TARGET, constants)
        if isinstance(each, Choice) and each.lanes > 1 and each.dim == 1
    ]
    long = long_reduction(op, TARGET, choice)
    assert long is not None
    assert [each.steps for each in long.ranked()] == [1024, 512, 256, 2048, 4096, 16384]


def test_why_shows_the_sizes_that_were_not_taken() -> None:
    body = "(float[30, 20000] x, float[20000, 32] w) => (float[30, 32] y) { [product] y = MatMul (x, w) }"
    graph = onnx_model(body).graph
    weights = np.random.default_rng(0).normal(size=(20000, 32)).astype(np.float32)
    graph.initializer.append(numpy_helper.from_array(weights, "w"))
    del graph.input[1]
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (decision,) = [each for each in compile_network(model, target=TARGET).decisions if each.kind == "schedule"]
    notes = [each.note for each in decision.candidates]
    assert any(note.endswith("blocks of 1024 k") for note in notes)
    assert any(note.endswith("blocks of 512 k") for note in notes)
    assert any(note.endswith("k all at once") for note in notes)
    assert " by 1024 by 1" in decision.chosen
