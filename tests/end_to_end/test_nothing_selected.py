"""Operators behind a selection that may choose nothing, against onnxruntime.

An index that the importer computes beside the elements that are there, such as one in front of the first, is none of
the user's: a run in which a table has no element is a run like any other.
"""

from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest

from s2s import api
from s2s.errors import UnsupportedError
from s2s.types.dtypes import Array
from support.onnx_text import onnx_model
from support.threads import one_thread

ROWS = 8
CONSTANTS = "int64[1] zero = {0}, int64[1] one = {1}, int64[1] four = {4}, int64[1] eight = {8}, int64 five = {5}"
DISTINCT = "float[K] y, int64[K] a, int64[L] b, int64[K] c"
COUNT = "n = Shape<start = 0, end = 1> (kept)"
BOXES = "s = ReduceSum<keepdims = 0> (kept, one) r = Unsqueeze (s, zero) scores = Unsqueeze (r, zero)"

CASES = {
    "rows": ("float[K, 4] y", "y = Identity (kept)"),
    "rows of these": (
        "float[L, 4] y",
        "s = ReduceSum<keepdims = 0> (kept, one) c = Greater (s, s) y = Compress<axis = 0> (kept, c)",
    ),
    "places": ("int64[2, K] y", "y = NonZero (kept)"),
    "elements at places": ("float[K] y", "p = NonZero (kept) i = Transpose (p) y = GatherND (kept, i)"),
    "rows at places": ("float[K, 4] y", "p = NonZero (m) i = Squeeze (p, zero) y = Gather (x, i)"),
    "distinct": (DISTINCT, "r = Round (kept) y, a, b, c = Unique (r)"),
    "distinct in turn": (DISTINCT, "r = Round (kept) y, a, b, c = Unique<sorted = 0> (r)"),
    "distinct rows": (DISTINCT.replace("[K] y", "[K, 4] y"), "r = Round (kept) y, a, b, c = Unique<axis = 0> (r)"),
    "distinct rows of an input": ("float[K, 4] y", "r = Round (x) y = Unique<axis = 0> (r)"),
    "in order": ("float[K, 4] y, int64[K, 4] i", f"{COUNT} y, i = TopK<axis = 0> (kept, n)"),
    "best columns": ("float[K, 1] y", "i = ArgMax<axis = 1> (kept) y = GatherElements<axis = 1> (kept, i)"),
    "reversed": (
        "float[K, 4] y",
        f"{COUNT} l = Expand (n, four) y = ReverseSequence<batch_axis = 1, time_axis = 0> (kept, l)",
    ),
    "padded by constants": ("float[K, 4] y", "p = Concat<axis = 0> (one, zero, four, zero) y = Pad (kept, p)"),
    "padded by a size": (
        "float[L, 4] y",
        "n = Shape<start = 0, end = 1> (x) p = Concat<axis = 0> (n, zero, zero, zero) y = Pad (kept, p)",
    ),
    "padded to eight": (
        "float[8, 4] y",
        f"{COUNT} d = Sub (eight, n) p = Concat<axis = 0> (d, zero, zero, zero) y = Pad (kept, p)",
    ),
    "centre": ("float[4, 4] y", "y = CenterCropPad<axes = [0]> (kept, four)"),
    "sums": ("float[K, 4] y", "a = Squeeze (zero) y = CumSum (kept, a)"),
    "boxes": ("int64[L, 3] y", f"{BOXES} b = Unsqueeze (kept, zero) y = NonMaxSuppression (b, scores, five)"),
    "repeated": (
        "float[L, 4] y",
        's = Constant<value_floats = [2.0, 1.0]> () y = Resize<mode = "nearest"> (kept, , s)',
    ),
    "labels": (
        "float y",
        'l = ArgMax<axis = 1, keepdims = 0> (kept) y = NegativeLogLikelihoodLoss<reduction = "sum"> (kept, l)',
    ),
}
"""The outputs and the nodes of networks of `kept`, the rows of `x` that the mask `m` chooses."""
MASKS = [np.zeros(1), np.zeros(3), np.zeros(ROWS), np.ones(1), np.ones(ROWS), np.arange(5) % 2, np.arange(ROWS) == 7]


REFUSED = {
    "the greatest three": ("float[3] y", "y, i = TopK (f, three)", "TopK_y: is read for 3 <= Compress_kept . 4"),
    "the first element": ("float y", "i = Squeeze (zero) y = Gather (f, i)", "Gather_y: is read for 0 < "),
    "the first two": ("float[2] y", "y = Slice (f, zero, two)", "Slice_y: is read for not Compress_kept . 4 < 2"),
}
"""What is there for every size but 0, of `f`, the elements of `kept`: (outputs, nodes, why it is refused)."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_nothing_has_is_not_read_of_nothing(name: str):
    outputs, body, message = REFUSED[name]
    constants = f"{CONSTANTS}, int64[1] two = {{2}}, int64[1] three = {{3}}, int64[1] all = {{-1}}"
    nodes = f"kept = Compress<axis = 0> (x, m) f = Reshape (kept, all) {body}"
    proto = onnx_model(f"(float[8, 4] x, bool[8] m) => ({outputs}) <{constants}> {{ {nodes} }}", 18)
    with pytest.raises(
        UnsupportedError, match=f"{message}.*, which does not hold where a run computes Compress_kept=0"
    ):
        api.compile(proto, target="c")


@pytest.mark.parametrize(
    "nodes",
    ["y = MaxPool<kernel_shape = [2], strides = [2]> (g)", "y = Conv<pads = [1, 1]> (g, w)"],
    ids=["pool", "conv"],
)
def test_windows_on_nothing_give_nothing(nodes: str):
    """Which onnxruntime refuses in the run."""
    weights = "w = Constant<value = float[1, 1, 3] {1, 2, 3}> () shape = Constant<value_ints = [1, 1, -1]> ()"
    body = f"kept = Compress<axis = 0> (x, m) {weights} g = Reshape (kept, shape) {nodes}"
    proto = onnx_model(f"(float[8, 4] x, bool[8] m) => (float[1, 1, K] y) {{ {body} }}", 18)
    with api.compile(proto, target="c") as artifact:
        (found,) = artifact.run({"x": np.ones((8, 4), np.float32), "m": np.zeros(8, np.bool_)}).values()
    assert found.shape == (1, 1, 0)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", CASES)
def test_a_run_in_which_nothing_is_selected_is_right(name: str):
    outputs, body = CASES[name]
    proto = onnx_model(
        f"(float[N, 4] x, bool[N] m) => ({outputs}) <{CONSTANTS}> {{ kept = Compress<axis = 0> (x, m) {body} }}", 18
    )
    session: Any = onnxruntime.InferenceSession(
        proto.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"]
    )
    random = np.random.default_rng(0)
    with api.compile(proto, target="c", dims={"N": (1, ROWS)}) as artifact:
        for mask in MASKS:
            x = random.standard_normal((len(mask), 4)).astype(np.float32)
            inputs: dict[str, Array] = {"x": x, "m": mask.astype(np.bool_)}
            for value, expected in zip(artifact.run(inputs).values(), session.run(None, inputs), strict=True):
                assert value.shape == expected.shape
                np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-5)
