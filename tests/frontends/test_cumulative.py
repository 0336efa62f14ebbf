"""Running sums along short and long axes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.conformance_adapters import run
from s2s.frontends.cumulative import LONG_SLICE, SHORT
from s2s.frontends.onnx import import_model
from support.onnx_nodes import NodeCase, check, floats, known

LONG = SHORT + 9


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_long_axes(axis: int, exclusive: int, reverse: int):
    shape = [3, 4, 2]
    shape[axis] = LONG
    check(NodeCase("CumSum", [floats(*shape), known(axis)], {"exclusive": exclusive, "reverse": reverse}))


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize(("exclusive", "reverse"), [(0, 0), (1, 1)])
def test_long_slices_are_summed_where_they_stand(axis: int, exclusive: int, reverse: int):
    shape = [2, 3, 2, LONG_SLICE]
    shape[axis] = LONG
    case = NodeCase("CumSum", [floats(*shape), known(axis)], {"exclusive": exclusive, "reverse": reverse})
    check(case)
    assert "graph.transpose" not in str(import_model(case.model()).module)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_wide_types(kind: Any):
    check(NodeCase("CumSum", [floats(LONG, 2, low=-9, high=9).astype(kind), known(0)]))


def test_long_axes_are_walked_and_short_ones_are_not():
    walked = [
        "graph.scan" in str(import_model(NodeCase("CumSum", [floats(size), known(0)]).model()).module)
        for size in (SHORT, LONG)
    ]
    assert walked == [False, True]


@pytest.mark.parametrize("slice_size", [1, LONG_SLICE])
def test_in_c(slice_size: int, tmp_path: Path):
    x = floats(3, LONG, slice_size)
    file = tmp_path / "sums.onnx"
    file.write_bytes(NodeCase("CumSum", [x, known(1)], {"exclusive": 1, "reverse": 1}).model().SerializeToString())
    expected = np.cumsum(x[:, ::-1], 1)[:, ::-1] - x
    np.testing.assert_allclose(run(str(file), [x])[0], expected, atol=1e-4)
