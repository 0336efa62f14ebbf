"""Attention as exporters write it, in one kernel, against onnxruntime; scores of long sequences never exist whole."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx.reference import ReferenceEvaluator

from s2s import api
from s2s.frontends.onnx import load_model
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.onnx_text import onnx_file
from support.threads import one_thread

ARENA_OF_A_BLOCK = 2**20

SELF = """(float[2,{T},48] x) => (float[2,{T},16] y)
<int64[4] heads = {{2, {T}, 2, 8}}, int64[3] merged = {{2, {T}, 16}}, float scale = {{0.35}}>
{{ q0, k0, v0 = Split <axis = 2, num_outputs = 3> (x)
   q1 = Reshape (q0, heads) k1 = Reshape (k0, heads) v1 = Reshape (v0, heads)
   q = Transpose <perm = [0, 2, 1, 3]> (q1) k = Transpose <perm = [0, 2, 3, 1]> (k1)
   v = Transpose <perm = [0, 2, 1, 3]> (v1)
   s0 = MatMul (q, k) s = Mul (s0, scale)
   p = Softmax <axis = -1> (s)
   o = MatMul (p, v) o1 = Transpose <perm = [0, 2, 1, 3]> (o) y = Reshape (o1, merged) }}"""

WITH_MASK = """(float[2,{Q},{D}] q, float[2,{K},{D}] k, float[2,{K},5] v, {type} mask) => (float[2,{Q},5] y)
<float big = {{-10000.0}}, float root = {{2.8}}, float one = {{1.0}}>
{{ kt = Transpose <perm = [0, 2, 1]> (k) s = MatMul (q, kt) {step} p = Softmax <axis = 2> (m) y = MatMul (p, v) }}"""

STEPS = {
    "added": ("float[1,{Q},{K}]", "m = Add (s, mask)"),
    "added_to_keys": ("float[2,1,{K}]", "d = Div (s, root) m = Add (mask, d)"),
    "multiplied": ("float[1,1,{K}]", "n = Sub (one, mask) b = Mul (n, big) m = Add (s, b)"),
    "selected": ("bool[2,{Q},{K}]", "m = Where (mask, s, big)"),
    "selected_of_all": ("bool[1,1,{K}]", "d = Div (s, root) m = Where (mask, d, big)"),
}


def by_onnxruntime(file: Path, inputs: list[Array]) -> list[Array]:
    runtime: Any = onnxruntime
    session = runtime.InferenceSession(str(file), one_thread(), providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    return [np.asarray(value) for value in session.run(None, dict(zip(names, inputs, strict=True)))]


def check(file: Path, inputs: list[Array], target: str) -> int:
    """Hold the C against onnxruntime; return the size of the arena."""
    with api.compile(file, target=target) as artifact:
        for found, expected in zip(run_c(artifact, inputs), by_onnxruntime(file, inputs), strict=True):
            np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-6)
        assert "model_attention" in artifact.ir()
        return artifact.info.arena_size


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.sample(1, each="length")
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize("length", [8, 33, 150])
def test_self_attention(length: int, target: str, tmp_path: Path) -> None:
    check(onnx_file(SELF.format(T=length), tmp_path, opset=18), [numbers(2, length, 48)], target)


@pytest.mark.sample(6)
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize(("queries", "keys"), [(21, 21), (70, 19), (9, 130)])
@pytest.mark.parametrize("step", STEPS)
def test_masks_of_exporters(step: str, queries: int, keys: int, target: str, tmp_path: Path) -> None:
    type, nodes = STEPS[step]
    body = WITH_MASK.format(Q=queries, K=keys, D=12, type=type.format(Q=queries, K=keys), step=nodes)
    shape = {"added": (1, queries, keys), "added_to_keys": (2, 1, keys), "selected": (2, queries, keys)}
    mask = numbers(*shape.get(step, (1, 1, keys)), seed=3)
    if type.startswith("bool") or step == "multiplied":
        mask = (mask > -0.5).astype(np.bool_ if type.startswith("bool") else np.float32)
    inputs = [numbers(2, queries, 12), numbers(2, keys, 12, seed=1), numbers(2, keys, 5, seed=2), mask]
    check(onnx_file(body, tmp_path), inputs, target)


@pytest.mark.parametrize("target", ["c", "host"])
def test_causal_mask_that_is_a_constant(target: str, tmp_path: Path) -> None:
    length = 40
    numbers_of_mask = ", ".join("0" if key <= query else "-1e9" for query in range(length) for key in range(length))
    step = "c = Add (s, causal) m = Add (c, mask)"
    body = WITH_MASK.format(Q=length, K=length, D=8, type="float[1]", step=step)
    body = body.replace("float one", f"float[{length}, {length}] causal = {{{numbers_of_mask}}}, float one")
    tensors = [numbers(2, length, 8), numbers(2, length, 8, seed=1), numbers(2, length, 5, seed=2)]
    check(onnx_file(body, tmp_path), [*tensors, np.zeros(1, np.float32)], target)


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["c", "x86-64-v3"])
def test_scores_of_a_long_sequence_never_exist_whole(target: str, tmp_path: Path) -> None:
    length = 2048
    arena = check(onnx_file(SELF.format(T=length), tmp_path, opset=18), [numbers(2, length, 48)], target)
    assert arena < ARENA_OF_A_BLOCK < 4 * length * length / 8


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("inputs", "attributes"),
    [
        ("float[1,2,20,8] q, float[1,2,24,8] k, float[1,2,24,8] v", "is_causal = 1"),
        ("float[1,4,20,8] q, float[1,2,24,8] k, float[1,2,24,8] v", "scale = 0.5"),
        ("float[1,20,32] q, float[1,24,32] k, float[1,24,32] v", "q_num_heads = 4, kv_num_heads = 4"),
        ("float[1,2,20,8] q, float[1,2,24,8] k, float[1,2,24,8] v, float[20,24] mask", "softcap = 2.0"),
    ],
    ids=["causal", "grouped", "merged_heads", "mask"],
)
def test_the_operator_of_onnx(inputs: str, attributes: str, tmp_path: Path) -> None:
    names = ", ".join(part.split()[-1] for part in inputs.split(", "))
    shape = "1,20,32" if "float[1,20,32]" in inputs else inputs.split("float[")[1].split("]")[0]
    file = onnx_file(
        f"({inputs}) => (float[{shape}] y) {{ y = Attention <{attributes}> ({names}) }}", tmp_path, opset=23
    )
    model = load_model(file).proto
    sizes = [[axis.dim_value for axis in port.type.tensor_type.shape.dim] for port in model.graph.input]
    values = [numbers(*size, seed=seed) for seed, size in enumerate(sizes)]
    if len(values) == 4:
        values[3][3] = -np.inf
    feeds = {port.name: value for port, value in zip(model.graph.input, values, strict=True)}
    evaluator: Any = ReferenceEvaluator(model)
    [expected] = evaluator.run(None, feeds)
    with api.compile(file) as artifact:
        [found] = run_c(artifact, values)
        assert "model_attention" in artifact.ir()
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-6)
