"""Casts of floats to integers, on a target whose C casts neighbours in runs: limited to the range, NaN as 0."""

import numpy as np
import pytest
from onnx import helper, numpy_helper

from s2s.api import compile
from s2s.interpret.numbers import float_to_integer
from s2s.types.dtypes import Array
from support.c_compilers import require_target

FLOATS = (np.float16, np.float32, np.float64)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 0.9, -0.9, 1e300, -1e300)
TARGET = "x86-64-v3"


def numbers(dtype: type[np.floating], count: int) -> Array:
    """Numbers of all sizes, those around the limits of integers, and what is no finite number."""
    random = np.random.default_rng(count)
    limits = [
        sign * (2.0**power + step) for power in (7, 8, 15, 16, 31, 32, 63) for step in (-1, 0) for sign in (1, -1)
    ]
    drawn = random.standard_normal(count) * 2.0 ** random.integers(0, 70, count)
    with np.errstate(over="ignore"):
        return random.permutation(np.concatenate([SPECIAL, limits, drawn]).astype(dtype))[:count]


@pytest.mark.parametrize("count", [7, 16, 100])
@pytest.mark.parametrize("source", FLOATS)
def test_casts_limit_numbers_to_the_range(source: type[np.floating], count: int):
    require_target(TARGET)
    nodes = [helper.make_node("Cast", ["x"], [each.__name__], to=_onnx(each)) for each in INTEGERS]
    outputs = [helper.make_tensor_value_info(each.__name__, _onnx(each), [count]) for each in INTEGERS]
    graph = helper.make_graph(nodes, "casts", [helper.make_tensor_value_info("x", _onnx(source), [count])], outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    x = numbers(source, count)
    with compile(model, target=TARGET) as artifact:
        found = artifact.run({"x": x})
        code = artifact.tree().text(f"src/{artifact.info.name}_kernels.c")
    for each in INTEGERS:
        expected = float_to_integer(np.dtype(each), unsigned=each().dtype.kind == "u")(x)
        np.testing.assert_array_equal(found[each.__name__], expected, err_msg=each.__name__)
    runs = {(np.float64, each) for each in INTEGERS} | {(np.float32, each) for each in INTEGERS[-2:]}
    runs |= {(np.float16, each) for each in (np.int16, np.uint16, np.uint32)}
    assert code.count("_x16(") == (sum(given is source for given, _ in runs) if count >= 16 else 0)


def _onnx(dtype: type[np.generic]) -> int:
    return numpy_helper.from_array(np.zeros(1, dtype)).data_type
