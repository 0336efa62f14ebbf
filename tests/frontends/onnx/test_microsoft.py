"""Operators of onnxruntime's QOperator format: the integers of onnxruntime, imported and lifted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import helper, numpy_helper

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model, load_model
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.registry import get_pass
from s2s.types.dtypes import Array

RNG = np.random.default_rng(0)
TYPES = (np.int8, np.uint8)
Attributes = Mapping[str, Any]


def integers(dtype: type[np.generic], *shape: int) -> Array:
    info = np.iinfo(np.dtype(dtype).str)
    return RNG.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def scale(low: float = 0.01, high: float = 0.1) -> Array:
    return np.asarray(RNG.uniform(low, high), np.float32)


def model(kind: str, operands: Sequence[Array], data: Sequence[int], attributes: Attributes) -> onnx.ModelProto:
    """One node; operands at the positions `data` are inputs, the others initializers."""
    domain = "" if kind in ("QLinearConv", "QLinearMatMul") else "com.microsoft"
    names = [f"x{number}" for number in range(len(operands))]
    node = helper.make_node(kind, names, ["y"], name="node", domain=domain, **attributes)
    named = list(zip(names, operands, strict=True))
    element = helper.np_dtype_to_tensor_dtype(operands[data[0]].dtype)
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info(names[at], element, operands[at].shape) for at in data],
        [helper.make_tensor_value_info("y", element, None)],
        [numpy_helper.from_array(value, name) for at, (name, value) in enumerate(named) if at not in data],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=opsets)
    made.ir_version = 8
    return made


def by_onnxruntime(proto: onnx.ModelProto, inputs: Sequence[Array]) -> Array:
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    [found] = session.run(None, {port.name: x for port, x in zip(session.get_inputs(), inputs, strict=True)})
    return np.asarray(found)


def unary(dtype: type[np.generic], shape: Sequence[int], *, probabilities: bool = False) -> list[Array]:
    lowest = np.asarray(np.iinfo(np.dtype(dtype).str).min, dtype)
    target = [np.asarray(1 / 256, np.float32), lowest] if probabilities else [scale(), integers(dtype)]
    return [integers(dtype, *shape), scale(), integers(dtype), *target]


def binary(dtype: type[np.generic]) -> list[Array]:
    operands = [integers(dtype, 2, 3, 4, 5), scale(), integers(dtype), integers(dtype, 2, 3, 4, 5), scale()]
    return [*operands, integers(dtype), scale(), integers(dtype)]


def layer(dtype: type[np.generic], x: Array, w: Array, channels: int) -> list[Array]:
    scales = RNG.uniform(0.001, 0.01, channels).astype(np.float32)
    operands = [x, scale(), integers(dtype), w, scales, np.zeros(channels, np.int8)]
    return [*operands, scale(0.05, 0.2), integers(dtype)]


Case = tuple[str, list[Array], tuple[int, ...], Attributes]


def cases(dtype: type[np.generic]) -> list[Case]:
    bias = RNG.integers(-3000, 3000, 6).astype(np.int32)
    weights = RNG.integers(-127, 128, (6, 4, 3, 3)).astype(np.int8)
    convolution = layer(dtype, integers(dtype, 2, 4, 7, 6), weights, 6)
    matrix = RNG.integers(-127, 128, (6, 20)).astype(np.int8)
    gemm = layer(dtype, integers(dtype, 3, 20), matrix, 6)
    product = layer(dtype, integers(dtype, 3, 20), np.ascontiguousarray(matrix.T), 6)
    concat = [scale(), integers(dtype), integers(dtype, 2, 3), scale(), integers(dtype), integers(dtype, 2, 4)]
    window = {"kernel_shape": [3, 2], "strides": [2, 1]}
    return [
        ("QLinearAdd", binary(dtype), (0, 3), {}),
        ("QLinearMul", binary(dtype), (0, 3), {}),
        ("QLinearAveragePool", unary(dtype, (2, 3, 7, 6)), (0,), window),
        ("QLinearGlobalAveragePool", unary(dtype, (2, 3, 7, 6)), (0,), {}),
        ("QLinearConcat", [*concat, scale(), integers(dtype)], (2, 5), {"axis": 1}),
        ("QLinearSigmoid", unary(dtype, (300,), probabilities=True), (0,), {}),
        ("QLinearLeakyRelu", unary(dtype, (300,)), (0,), {"alpha": 0.1}),
        ("QLinearSoftmax", unary(dtype, (9, 10), probabilities=True), (0,), {"axis": -1, "opset": 13}),
        ("QGemm", [*gemm[:6], bias, *gemm[6:]], (0,), {"transB": 1}),
        ("QLinearConv", [*convolution, bias], (0,), {"pads": [1, 0, 1, 1], "strides": [2, 1]}),
        ("QLinearMatMul", product, (0,), {}),
    ]


EVERY = [pytest.param(*case, id=f"{case[0]} {dtype.__name__}") for dtype in TYPES for case in cases(dtype)]


@pytest.mark.parametrize("passes", [(), ("graph-lift-quantized",)])
@pytest.mark.parametrize(("kind", "operands", "data", "attributes"), EVERY)
def test_gives_the_integers_of_onnxruntime(
    kind: str, operands: list[Array], data: tuple[int, ...], attributes: Attributes, passes: tuple[str, ...]
):
    proto = model(kind, operands, data, attributes)
    inputs = [operands[at] for at in data]
    imported = import_model(load_model(proto))
    for each in passes:
        get_pass(each)().apply(CompilerContext(imported.weights), imported.module)
    [found] = run_graph(imported.module, inputs, imported.weights)
    np.testing.assert_array_equal(found, by_onnxruntime(proto, inputs))


@pytest.mark.parametrize("kind", ["QLinearConv", "QLinearMatMul", "QGemm", "QLinearAdd"])
def test_gives_the_integers_of_onnxruntime_in_c(kind: str):
    operands, data, attributes = next(case[1:] for case in cases(np.int8) if case[0] == kind)
    proto = model(kind, operands, data, attributes)
    inputs = {f"x{at}": operands[at] for at in data}
    with api.compile(proto, target="c") as artifact:
        found = artifact.run(inputs)["y"]
    np.testing.assert_array_equal(found, by_onnxruntime(proto, list(inputs.values())))


def test_scales_for_each_channel_of_activations_are_refused():
    operands = unary(np.int8, (2, 3, 4, 4))
    operands[1] = np.ones(3, np.float32)
    with pytest.raises(UnsupportedError, match=r"node \(com.microsoft.QLinearSigmoid\): a scale .* shape \[3\]"):
        import_model(load_model(model("QLinearSigmoid", operands, (0,), {})))


def test_channels_last_is_refused():
    proto = model("QLinearGlobalAveragePool", unary(np.int8, (2, 3, 4, 4)), (0,), {"channels_last": 1})
    with pytest.raises(UnsupportedError, match="channels_last is set; export the model with channels first"):
        import_model(load_model(proto))


def test_other_operators_of_the_domain_are_no_operators():
    proto = model("FusedGelu", unary(np.int8, (2, 3)), (0,), {})
    with pytest.raises(UnsupportedError, match=r"com.microsoft.FusedGelu is no operator of opset 1"):
        import_model(load_model(proto))


def test_attribute_the_operator_does_not_have_is_refused():
    proto = model("QLinearSigmoid", unary(np.int8, (2, 3)), (0,), {"alpha": 1.0})
    with pytest.raises(InputError, match="has no attribute 'alpha'"):
        import_model(load_model(proto))
