"""Attention in the ways that exporters and people write it: canonical or not, it gives onnxruntime's numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2s import api
from support.compiled import run_c
from support.onnx_text import onnx_file
from support.threads import one_thread

EXAMPLES = 8
"""Each takes a run of the C compiler."""

LENGTH = st.integers(1, 40) | st.sampled_from([49, 64, 77, 130])
FEATURES = st.integers(1, 20) | st.sampled_from([32, 36])
SCALES = {
    "none": ("", ""),
    "of scores": ("", "s1 = Mul (s0, scale)"),
    "divides scores": ("", "s1 = Div (s0, scale)"),
    "of queries": ("q = Mul (q0, scale)", ""),
    "of keys": ("k = Div (k0, scale)", ""),
    "of both": ("q = Mul (q0, scale) k = Mul (k0, scale)", ""),
    "for each head": ("", "s1 = Mul (s0, head_scale)"),
    "for each query": ("q = Mul (q0, row_scale)", ""),
}
"""What happens to queries and keys, and to scores."""
MASKS = {
    "none": "s2 = Identity (s1)",
    "added": "s2 = Add (s1, mask)",
    "subtracted": "s2 = Sub (s1, mask)",
    "multiplied": "s2 = Mul (mask, s1)",
    "selects": "w = Greater (mask, zero) s2 = Where (w, s1, low)",
    "selects away": "w = Less (mask, zero) s2 = Where (w, low, s1)",
    "selects from a tensor": "w = Less (mask, zero) s2 = Where (w, s1, mask)",
}
MASK_SHAPES = ["1", "K", "Q,1", "Q,K", "1,1,1,K", "1,1,Q,K", "1,H,1,K", "1,H,Q,1", "B,1,1,K", "B,H,Q,K"]
ENDS = {
    "canonical": "p = Softmax <axis = -1> (s2) y = MatMul (p, v)",
    "reshaped weights": "p0 = Softmax <axis = 3> (s2) p = Reshape (p0, flat) u = Reshape (v, flat) y0 = MatMul (p, u)"
    " y = Reshape (y0, whole)",
    "along queries": "p = Softmax <axis = 2> (s2) y = MatMul (p, v)",
    "written out": "m = ReduceMax <keepdims = 1> (s2, last) e0 = Sub (s2, m) e = Exp (e0)"
    " t = ReduceSum <keepdims = 1> (e, last) p = Div (e, t) y = MatMul (p, v)",
    "scaled weights": "p0 = Softmax <axis = -1> (s2) p = Mul (p0, scale) y = MatMul (p, v)",
    "weights wanted": "p = Softmax <axis = -1> (s2) y0 = MatMul (p, v) p1 = ReduceMax <keepdims = 1> (p, last)"
    " y = Add (y0, p1)",
    "values added": "p = Softmax <axis = -1> (s2) y0 = MatMul (p, v) y1 = Tanh (y0) y = Add (y1, y0)",
}
LAYOUTS = {
    "heads first": ("B,H,Q,D", "B,H,K,D", "B,H,K,E", "", "kt = Transpose <perm = [0, 1, 3, 2]> (k)"),
    "heads last": (
        *("B,Q,H,D", "B,K,H,D", "B,K,H,E"),
        "qi = Transpose <perm = [0, 2, 1, 3]> (qx) ki = Identity (kx) vi = Transpose <perm = [0, 2, 1, 3]> (vx)",
        "kt = Transpose <perm = [0, 2, 3, 1]> (k)",
    ),
    "heads shared": ("B,H,Q,D", "B,1,K,D", "B,1,K,E", "", "kt = Transpose <perm = [0, 1, 3, 2]> (k)"),
    "keys transposed": ("B,H,Q,D", "B,H,D,K", "B,H,K,E", "", "kt = Identity (k)"),
}


def pattern(sizes: dict[str, int], layout: str, scale: str, mask: str, shape: str, end: str) -> str:
    """The network as text."""

    def sized(axes: str) -> str:
        return ",".join(str(sizes.get(axis, axis)) for axis in axes.split(","))

    q, k, v, before, keys = LAYOUTS[layout]
    of_inputs, of_scores = SCALES[scale]
    if not before:
        before = "qi = Identity (qx) ki = Identity (kx) vi = Identity (vx)"
    rename = f"q0 = Identity (qi) k0 = Identity (ki) v = Identity (vi) {of_inputs}"
    rename += "" if "q =" in of_inputs else " q = Identity (q0)"
    rename += "" if "k =" in of_inputs else " k = Identity (k0)"
    flat, whole = sized("-1,Q,K"), sized("B,H,Q,E")
    if end == "reshaped weights":
        end_text = ENDS[end].replace("Reshape (v, flat)", "Reshape (v, flat_values)")
    else:
        end_text = ENDS[end]
    heads = ", ".join(str(0.5 + number) for number in range(sizes["H"]))
    rows = ", ".join(str(0.1 * number - 0.7) for number in range(sizes["Q"]))
    nodes = f"{before} {rename} {keys} s0 = MatMul (q, kt) {of_scores or 's1 = Identity (s0)'} {MASKS[mask]} {end_text}"
    return (
        f"(float[{sized(q)}] qx, float[{sized(k)}] kx, float[{sized(v)}] vx, float[{sized(shape)}] mask)"
        f" => (float[{whole}] y)"
        f" <float scale = {{0.35}}, float zero = {{0.0}}, float low = {{-10000.0}}, int64[1] last = {{-1}},"
        f" int64[3] flat = {{{flat}}}, int64[3] flat_values = {{{sized('-1,K,E')}}}, int64[4] whole = {{{whole}}},"
        f" float[{sizes['H']},1,1] head_scale = {{{heads}}}, float[{sizes['Q']},1] row_scale = {{{rows}}}>"
        f" {{ {nodes} }}"
    )


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.fixed_dictionaries(
        {"B": st.integers(1, 2), "H": st.integers(1, 4), "Q": LENGTH, "K": LENGTH, "D": FEATURES, "E": FEATURES}
    ),
    layout=st.sampled_from(sorted(LAYOUTS)),
    scale=st.sampled_from(sorted(SCALES)),
    mask=st.sampled_from(sorted(MASKS)),
    shape=st.sampled_from(MASK_SHAPES),
    end=st.sampled_from(sorted(ENDS)),
    target=st.sampled_from(["host", "x86-64-v3", "c"]),
)
def test_every_pattern_gives_the_numbers_of_onnxruntime(
    sizes: dict[str, int], layout: str, scale: str, mask: str, shape: str, end: str, target: str, tmp_path: Path
) -> None:
    if layout == "heads shared" and end == "reshaped weights":
        end = "canonical"  # values have fewer heads than weights
    file = onnx_file(pattern(sizes, layout, scale, mask, shape, end), tmp_path, opset=18)
    runtime: Any = onnxruntime
    options = one_thread()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session: Any = runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    generator = np.random.default_rng(sum(sizes.values()))
    shapes: list[list[int]] = [port.shape for port in session.get_inputs()]
    inputs = [generator.standard_normal(shape).astype(np.float32) for shape in shapes]
    names: list[str] = [port.name for port in session.get_inputs()]
    (expected,) = session.run(None, dict(zip(names, inputs, strict=True)))
    with api.compile(file, target=target) as artifact:
        (found,) = run_c(artifact, inputs)
    np.testing.assert_allclose(found, expected, rtol=5e-4, atol=5e-5)
