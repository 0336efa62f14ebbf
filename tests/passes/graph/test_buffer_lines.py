"""Networks that run row by row compute the same numbers, whatever part of them does."""

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import f32, i8

from s2s.dialects import graph
from s2s.errors import UnsupportedError
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.buffer_lines import BufferLinesPass
from s2s.types.weights import WeightStore
from support.row_networks import INPUT, ROWS, RowNetwork

OF_FLOATS = 1e-5
"""Of the largest result: numpy sums the terms of a row in another order."""


@given(seed=st.integers(0, 2**32 - 1), layers=st.integers(1, 8), integers=st.booleans(), operators=st.integers(1, 12))
@example(seed=2126, layers=2, integers=False, operators=1)  # the image is read row by row, and whole behind
@settings(max_examples=150)
def test_rows_give_what_the_whole_image_gives(seed: int, layers: int, integers: bool, operators: int) -> None:
    network = RowNetwork(seed, element=i8 if integers else f32, layers=layers)
    network.module.verify()
    x, weights = network.image(), WeightStore()
    expected = run_graph(network.module, [x], weights)
    try:
        BufferLinesPass(input=INPUT, axis=ROWS, operators=operators).apply(CompilerContext(weights), network.module)
    except UnsupportedError:
        assume(False)
    network.module.verify()
    assert any(isinstance(op, graph.LineBuffersOp) for op in network.module.walk())
    for found, wanted in zip(run_graph(network.module, [x], weights), expected, strict=True):
        if integers:
            np.testing.assert_array_equal(found, wanted)
        else:
            np.testing.assert_allclose(found, wanted, rtol=OF_FLOATS, atol=OF_FLOATS * np.abs(wanted).max(initial=1))
