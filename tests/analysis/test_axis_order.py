"""Operators whose axes are put in another order."""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import f32

from s2s.analysis.network.axis_order import reordered
from s2s.dialects import graph
from s2s.types.dtypes import tensor_type

LAST = (0, 2, 3, 1)


@pytest.mark.parametrize("rank", [4, 5])
def test_a_reduction_without_the_axis_keeps_its_order(rank: int):
    """Its result has the rank that the order is for, and its operand one more."""
    x = test.TestOp(result_types=[tensor_type(f32, (2,) * rank)]).results[0]
    kept = graph.ReduceSumOp(x, axes=[rank - 1], keepdims=True)
    gone = graph.ReduceSumOp(x, axes=[rank - 1])
    assert (reordered(kept, LAST) is None) == (rank == 5)
    assert reordered(gone, LAST) is None
