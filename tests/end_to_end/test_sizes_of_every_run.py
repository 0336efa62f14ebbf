"""Networks whose numbers, rooms, tables or masks are not at each size what they are at the greatest one."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.varying_networks import session

MAX_SIZE = 20
LENGTH = "a = Shape <start = 1, end = 2> (x)"
CONSTANTS = """<int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] four = {4}, int64[1] back = {-2},
int64 start = {0}, int64 step = {1}, float[1] half = {0.5}, float[1] many = {41}, bool t = {1}>"""

RIGHT = {
    "a negative divisor": f"{LENGTH} b = Div (a, back) c = Neg (b) y = Slice (x, zero, c, one)",
    "a remainder with the sign of the dividend": f"""{LENGTH} q = Sub (one, a) b = Mod <fmod = 1> (q, four)
        c = Cast <to = 1> (b) y = Add (x, c)""",
    "two roundings": f"""{LENGTH} f = Cast <to = 1> (a) d = Div (f, many) e = Mul (d, many) g = Floor (e)
        y = Add (x, g)""",
    "a fraction": f"{LENGTH} f = Cast <to = 1> (a) d = Div (f, many) g = Sqrt (d) y = Add (x, g)",
    "a fraction beside a constant": f"""{LENGTH} f = Cast <to = 1> (a) d = Mul (f, half)
        c = Concat <axis = 0> (d, half) g = Floor (c) h = ReduceSum (g) y = Add (x, h)""",
    "the remainder as a place": f"{LENGTH} b = Mod (a, four) c = Gather <axis = 1> (x, b) y = Add (x, c)",
    "places of ones": f"""{LENGTH} w = ConstantOfShape <value = int64[1] {{1}}> (a) b = NonZero (w)
        c = Cast <to = 1> (b) y = Add (x, c)""",
    "the sum of places of ones": f"""{LENGTH} w = ConstantOfShape <value = int64[1] {{1}}> (a) b = NonZero (w)
        c = Cast <to = 1> (b) d = ReduceSum (c) y = Add (x, d)""",
    "places of a range": f"""{LENGTH} s = Squeeze (a) r = Range (start, s, step) y = Gather <axis = 1> (x, r)""",
    "a mask that is computed twice": """m = Less (x, half) n = Less (x, half) p = NonZero (m) q = NonZero (n)
        v = Transpose (p) w = Transpose (q) e = GatherND (x, v) u = Neg (x) f = GatherND (u, w) y = Mul (e, f)""",
    "two results of one mask": """m = Less (x, half) r = Reshape (x, back1) k = Reshape (m, back1)
        e = Compress (r, k) u = Neg (r) f = Compress (u, k) y = Mul (e, f)""".replace("back1", "flat"),
    "a size inside of a loop": f"""{LENGTH} f = Cast <to = 1> (a) s = Squeeze (four)
        y = Loop <body = g (int64 i, bool c, float[1,N] z) => (bool co, float[1,N] zo)
        {{ co = Identity (c) zo = Div (z, f) }}> (s, t, x)""",
    "a remainder": f"{LENGTH} b = Mod (a, four) c = Add (b, one) y = Slice (x, zero, c, one)",
    "padding of a remainder": f"{LENGTH} b = Mod (a, four) c = Concat <axis = 0> (zero, zero, zero, b) y = Pad (x, c)",
    "padding that falls": f"""{LENGTH} b = Mul (a, back) c = Constant <value_ints = [{2 * MAX_SIZE}]> () d = Add (b, c)
        e = Concat <axis = 0> (zero, zero, zero, d) y = Pad (x, e)""",
}


def file_of(body: str, folder: Path) -> Path:
    flat = CONSTANTS.replace("<int64[1] zero", "<int64[1] flat = {-1}, int64[1] zero")
    return onnx_file(f"(float[1,N] x) => (float[P,M] y) {flat} {{ {body} }}", folder, 17)


@pytest.mark.parametrize("name", RIGHT)
def test_results_are_right_at_all_sizes(name: str, tmp_path: Path):
    file, random = file_of(RIGHT[name], tmp_path), np.random.default_rng(5)
    engine = session(file)
    with api.compile(file, target="c", dims={"N": (4, MAX_SIZE)}) as artifact:
        for size in range(4, MAX_SIZE + 1):
            x: Array = random.standard_normal((1, size)).astype(np.float32)
            (expected,), (actual,) = engine.run(None, {"x": x}), artifact.run({"x": x}).values()
            assert actual.shape == expected.shape
            np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5, err_msg=f"N = {size}")
