"""Merging biases with what takes off zero points: kernels take one array for both, and results stay."""

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, Signedness, i8

from s2s.interpret.graph import run_graph
from s2s.interpret.loop import run_loop
from s2s.options import CompileOptions
from s2s.pipeline import pipeline
from s2s.targets import get_target
from s2s.types.shapes.accumulate import largest_factor
from support.numbers import functions
from support.quantised_layers import Layer

LAYERS = {
    "padded": Layer((6, 6, 8), 4, (3, 3), pads=(1, 1, 1, 1)),
    "in two blocks": Layer((3, 3, 40), 12, (3, 3), pads=(1, 1, 1, 1)),
}


@pytest.mark.parametrize("name", ["cortex-m55", "x86-64-v4"])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_a_kernel_takes_one_array_for_both(layer: Layer, name: str):
    ctx, module, x = layer.build()
    (expected,) = run_graph(module, [x], ctx.weights)
    passes = pipeline(CompileOptions(target=get_target(name)))
    for level in ("graph", "tensor", "loop"):
        for each in passes[level]:
            each.apply(ctx, module)
    module.verify()
    named = [str(argument.name_hint) for each in functions(module) for argument in each.args]
    assert "start" not in named
    assert '_start"' in str(module)
    np.testing.assert_array_equal(run_loop(module, [x], ctx.weights)[0].reshape(expected.shape), expected)


@pytest.mark.parametrize("element", [i8, IntegerType(8, Signedness.UNSIGNED)], ids=str)
def test_a_product_that_is_still_in_the_start_is_within_the_bound_of_its_sum(element: IntegerType):
    """The start has `-zero_point * w`, or `-(zero_point - least) * w` where bytes are counted from the least one."""
    least = -128 if element == i8 else 0
    for zero_point in range(least, least + 256):
        assert max(abs(zero_point), zero_point - least) <= largest_factor(element, zero_point)
