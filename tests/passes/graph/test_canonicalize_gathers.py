"""Gathers at constant positions give the same elements after the pass, and say that they are in range if they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.canonicalize_gathers import CanonicalizeGathersPass

X = np.arange(5 * 4 * 3, dtype=np.float32).reshape(5, 4, 3)
SIGNS = {True: ", nonnegative_indices", False: ""}


def gathers(op: str, indices: np.ndarray, axis: int, result: tuple[int, ...], *, nonnegative: bool) -> str:
    """A network of one gather from 5x4x3 elements."""
    index, y = ("x".join(map(str, shape)) for shape in (indices.shape, result))
    return f"""func.func @main(%x: tensor<5x4x3xf32>) -> tensor<{y}xf32> {{
  %i = graph.constant dense<{indices.tolist()}> : tensor<{index}xi64>
  %y = {op} %x, %i {{axis = {axis} : i64{SIGNS[nonnegative]}}}
    : (tensor<5x4x3xf32>, tensor<{index}xi64>) -> tensor<{y}xf32>
  func.return %y : tensor<{y}xf32>
}}"""


def rewritten(text: str) -> tuple[ModuleOp, CompilerContext]:
    ctx = CompilerContext()
    module = Parser(ctx, text).parse_module()
    CanonicalizeGathersPass().apply(ctx, module)
    module.verify()
    return module, ctx


@given(st.data())
def test_a_gather_reads_the_same_elements(data: st.DataObject):
    axis = data.draw(st.integers(0, 2))
    size = X.shape[axis]
    places = st.integers(-size, size - 1)
    indices = np.array(data.draw(st.lists(places, min_size=2, max_size=6)), np.int64)
    shape = (*X.shape[:axis], len(indices), *X.shape[axis + 1 :])
    module, ctx = rewritten(gathers("graph.gather", indices, axis, shape, nonnegative=False))
    np.testing.assert_array_equal(run_graph(module, [X], ctx.weights)[0], X.take(indices, axis))
    (gather,) = [op for op in module.walk() if isinstance(op, graph.SliceOp | graph.GatherOp)]
    steps = set(np.diff(np.where(indices < 0, indices + size, indices)).tolist())
    assert isinstance(gather, graph.SliceOp) == (len(steps) == 1 and 0 not in steps)


@given(st.data())
def test_a_gather_of_elements_reads_the_same_elements(data: st.DataObject):
    axis, kept = data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3))
    size = X.shape[axis]
    shape = [data.draw(st.integers(1, most)) if data.draw(st.booleans()) else most for most in X.shape]
    shape[axis] = data.draw(st.integers(1, 6))
    equal = [length if dim < kept else 1 for dim, length in enumerate(shape)]
    drawn = data.draw(
        st.lists(st.integers(-size, size - 1), min_size=int(np.prod(equal)), max_size=int(np.prod(equal)))
    )
    indices = np.broadcast_to(np.array(drawn, np.int64).reshape(equal), shape)
    module, ctx = rewritten(gathers("graph.gather_elements", indices, axis, tuple(shape), nonnegative=False))
    part = X[tuple(slice(None) if dim == axis else slice(length) for dim, length in enumerate(shape))]
    np.testing.assert_array_equal(
        run_graph(module, [X], ctx.weights)[0],
        np.take_along_axis(part, np.where(indices < 0, indices + size, indices), axis),
    )


@pytest.mark.parametrize(("places", "nonnegative"), [([1, 5], False), ([-6, 0], False), ([1, -1], True)])
def test_positions_out_of_range_stay(places: list[int], *, nonnegative: bool):
    module, _ = rewritten(gathers("graph.gather", np.array(places), 0, (2, 4, 3), nonnegative=nonnegative))
    (gather,) = [op for op in module.walk() if isinstance(op, graph.GatherOp)]
    assert gather.in_range is None
    assert gather.is_nonnegative == nonnegative
