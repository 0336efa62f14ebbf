"""Lengths that follow from a size piece by piece: right at every size within the bounds, or refused."""

from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.errors import UnsupportedError
from s2s.types.dtypes import Array
from s2s.types.sizes import SizeRange
from support.varying_networks import model, session

_STATE: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")

MISSING = {
    "maximum": "m = Max (d, zero)",
    "relu": "df = Cast <to = 1> (d) r = Relu (df) m = Cast <to = 7> (r)",
    "clip": "z = Squeeze (zero) m = Clip (d, z)",
    "where": "c = Less (d, zero) m = Where (c, zero, d)",
    "to a multiple": "m = Mod (d, least)",
}
"""How many elements are missing to the least length, from the difference `d`."""
SIDES = {
    "end": "p = Concat <axis = 0> (zeros, zero, m)",
    "front": "p = Concat <axis = 0> (zero, m, zeros)",
}
MODES = ("constant", "edge", "reflect")
USES = {"padded": "y = Neg (t)", "mean": "y = ReduceMean <axes = [1], keepdims = 1> (t)"}
BOUNDS = (SizeRange(8, 40), SizeRange(32, 640, step=32), SizeRange(1, 9))
LEASTS = {8: (5, 9, 12, 13, 14, 20, 39, 41, 50), 32: (40, 96, 100, 224, 700), 1: (2, 5, 7, 8, 12)}


def padded(least: int, missing: str, side: str, mode: str, use: str, folder: Path) -> Path:
    """A network that pads its input of N elements to a least length."""
    return model(
        f"""(float[1,N] x) => (float[1,M] y)
<int64[1] least = {{{least}}}, int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[2] zeros = {{0, 0}}>
{{ s = Shape (x) n = Gather (s, one) d = Sub (least, n) {MISSING[missing]} {SIDES[side]}
   t = Pad <mode = "{mode}"> (x, p) {USES[use]} }}""",
        folder,
        17,
    )


def limited(kind: str, least: int, folder: Path) -> Path:
    """A network that reads at most, or all but, `least` elements of its N."""
    formula = {
        "first": "e = Min (n, least) y0 = Slice (x, zero, e, one)",
        "last": "e = Min (n, least) f = Neg (e) y0 = Slice (x, f, n, one)",
        "rest": "e = Min (n, least) y0 = Slice (x, e, n1, one)",
        "between": "e = Clip (n, four, ten) y0 = Slice (x, zero, e, one)",
    }[kind]
    return model(
        f"""(float[1,N] x) => (float[1,M] y)
<int64[1] least = {{{least}}}, int64 four = {{4}}, int64 ten = {{10}}, int64[1] zero = {{0}}, int64[1] one = {{1}}>
{{ s = Shape (x) n = Gather (s, one) n1 = Add (n, one) {formula} y = Neg (y0) }}""",
        folder,
        17,
    )


def check(file: Path, bounds: SizeRange) -> None:
    """Compare with onnxruntime at every size, unless the network is refused."""
    engine, rng = session(file), np.random.default_rng(0)
    try:
        artifact = api.compile(file, shapes={"x": (1, "N")}, dims={"N": str(bounds)}, target="c")
    except UnsupportedError:
        return
    with artifact:
        for size in bounds.values:
            given: Array = rng.standard_normal((1, size)).astype(np.float32)
            try:
                (expected,) = engine.run(None, {"x": given})
            except (_STATE.RuntimeException, _STATE.InvalidArgument):  # more is reflected than there is
                continue
            (found,) = artifact.run({"x": given}).values()
            assert found.shape == expected.shape, size
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("missing", "side", "mode", "use"), list(product(MISSING, SIDES, MODES, USES)))
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_padding_to_a_least_length_is_right_or_refused(
    bounds: SizeRange, missing: str, side: str, mode: str, use: str, tmp_path: Path
):
    for least in LEASTS[bounds.least]:
        check(padded(least, missing, side, mode, use, tmp_path), bounds)


@pytest.mark.parametrize("kind", ["first", "last", "rest", "between"])
@pytest.mark.parametrize("least", [6, 9, 20])
def test_parts_up_to_a_length_are_right_or_refused(kind: str, least: int, tmp_path: Path):
    check(limited(kind, least, tmp_path), SizeRange(5, 24))
