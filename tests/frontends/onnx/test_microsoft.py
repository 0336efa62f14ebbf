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
from s2s.verify.unsigned_weights import with_unsigned_weights
from support.threads import one_thread

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
    options = one_thread()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    unsigned = with_unsigned_weights(proto).SerializeToString()
    session = runtime.InferenceSession(unsigned, options, providers=["CPUExecutionProvider"])
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
    product = layer(dtype, integers(dtype, 3, 20), np.asarray(matrix.T, order="C"), 6)
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


def blockwise(columns: int, rows: int, bits: int, block: int, zero_points: str = "", lines: int = 1) -> onnx.ModelProto:
    """One MatMulNBits with random weights."""
    rng, blocks = np.random.default_rng(0), -(-columns // block)
    constants = {
        "w": rng.integers(0, 256, (rows, blocks, block * bits // 8)).astype(np.uint8),
        "scales": rng.uniform(0.01, 0.02, rows * blocks).astype(np.float32),
    }
    if zero_points == "packed":
        constants["zero_points"] = rng.integers(0, 256, rows * -(-blocks * bits // 8)).astype(np.uint8)
    if zero_points == "floats":
        constants["zero_points"] = rng.integers(0, 2**bits, rows * blocks).astype(np.float32)
    sizes: Any = {"K": columns, "N": rows, "bits": bits, "block_size": block}
    node = helper.make_node("MatMulNBits", ["x", *constants], ["y"], name="fc", domain="com.microsoft", **sizes)
    graph = helper.make_graph(
        [node],
        "blockwise",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [lines, columns])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [lines, rows])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


BLOCKWISE = [
    (64, 16, 4, 32, "", 1),
    (72, 8, 4, 16, "packed", 2),
    (160, 8, 4, 128, "floats", 1),
    (64, 5, 8, 32, "", 2),
    (72, 16, 8, 16, "packed", 1),
]


@pytest.mark.parametrize(("columns", "rows", "bits", "block", "zero_points", "lines"), BLOCKWISE)
def test_weights_in_blocks_give_the_product_of_onnxruntime(
    columns: int, rows: int, bits: int, block: int, zero_points: str, lines: int
):
    proto = blockwise(columns, rows, bits, block, zero_points, lines)
    x = np.random.default_rng(1).standard_normal((lines, columns), np.float32)
    imported = import_model(load_model(proto))
    (found,) = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_allclose(found, by_onnxruntime(proto, [x]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bits", [4, 8])
def test_columns_in_the_order_of_groups_belong_to_these(bits: int):
    """onnxruntime has kernels for 4 bits without zero points only."""
    proto = blockwise(72, 8, bits, 16, lines=2)
    groups = np.random.default_rng(2).permutation(np.arange(72, dtype=np.int32) // 16)
    proto.graph.node[0].input.extend(["", "groups"])
    proto.graph.initializer.append(numpy_helper.from_array(groups, "groups"))
    packed, scales = (numpy_helper.to_array(each) for each in proto.graph.initializer[:2])
    numbers = packed if bits == 8 else np.stack([packed & 15, packed >> 4], axis=-1)
    weights = numbers.reshape(8, -1)[:, :72].astype(np.float64) - 2 ** (bits - 1)
    x = np.random.default_rng(1).standard_normal((2, 72), np.float32)
    with api.compile(proto, target="c") as artifact:
        (found,) = artifact.run({"x": x}).values()
    np.testing.assert_allclose(found, x @ (weights * scales.reshape(8, 5)[:, groups]).T, rtol=1e-4, atol=1e-4)
    if bits == 4:
        np.testing.assert_allclose(found, by_onnxruntime(proto, [x]), rtol=1e-4, atol=1e-4)


def test_groups_of_other_sizes_than_blocks_are_refused():
    proto = blockwise(64, 8, 4, 16, "packed")
    proto.graph.node[0].input.append("groups")
    proto.graph.initializer.append(numpy_helper.from_array(np.arange(64, dtype=np.int32) % 3, "groups"))
    with pytest.raises(
        UnsupportedError, match="g_idx makes other groups than blocks of 16 columns; quantise in groups"
    ):
        api.compile(proto, target="c")


@pytest.mark.parametrize(("target", "case"), [("c", 1), ("host", 0), ("host", 2), ("host", 4)])
def test_weights_in_blocks_stay_packed_and_right_in_c(target: str, case: int):
    proto = blockwise(*BLOCKWISE[case])
    _, rows, bits, block, zero_points, _ = BLOCKWISE[case]
    with api.compile(proto, target=target) as artifact:
        found = artifact.verify(levels=True)
        assert found.passed, found.describe()
        blocks = -(-BLOCKWISE[case][0] // block)
        parameters = 4 + {"": 0, "packed": 1, "floats": 4}[zero_points]
        assert artifact.report().weights == rows * blocks * (block * bits // 8 + parameters)


@pytest.mark.parametrize(
    ("target", "case"),
    [
        ("c", (64, 5, 8, 32, "", 1)),
        ("host", (96, 40, 4, 32, "", 1)),
        ("host", (72, 200, 8, 32, "packed", 5)),
        ("x86-64-v3", (64, 24, 4, 32, "floats", 3)),
    ],
)
def test_accuracy_level_4_asks_for_products_of_integers(target: str, case: tuple[int, int, int, int, str, int]):
    proto = blockwise(*case)
    proto.graph.node[0].attribute.append(helper.make_attribute("accuracy_level", 4))
    with api.compile(proto, target=target) as artifact:
        found = artifact.verify(levels=True)
        assert found.passed, found.describe()
        (source,) = [name for name in artifact.tree() if name.endswith("_kernels.c")]
        kernels = artifact.tree().text(source)
        assert "products" in kernels
        assert ("add_dot" in kernels) == (target != "c")


def test_a_bias_joins_the_kernel_of_weights_in_blocks():
    proto = blockwise(64, 16, 4, 32)
    proto.graph.node[0].input.extend(["", "", "bias"])
    proto.graph.initializer.append(numpy_helper.from_array(np.arange(16, dtype=np.float32), "bias"))
    with api.compile(proto, target="c") as artifact:
        assert artifact.report().kernels == 1
        assert artifact.verify().passed


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("bits", 2, "weights have 2 bits; quantise them to 4 or 8"),
        ("block_size", 24, "block_size is 24; give a power of two from 16 on"),
        ("N", 17, "holds 512 bytes of weights for N = 17, K = 64; quantise the model again"),
    ],
)
def test_other_weights_in_blocks_are_refused(attribute: str, value: int, message: str):
    proto = blockwise(64, 16, 4, 32)
    [given] = [each for each in proto.graph.node[0].attribute if each.name == attribute]
    given.i = value
    with pytest.raises((InputError, UnsupportedError), match=message):
        import_model(load_model(proto))


def test_scales_for_each_channel_of_activations_are_refused():
    operands = unary(np.int8, (2, 3, 4, 4))
    operands[1] = np.ones(3, np.float32)
    with pytest.raises(UnsupportedError, match=r"node \(com.microsoft.QLinearSigmoid\): a scale .* shape \[3\]"):
        import_model(load_model(model("QLinearSigmoid", operands, (0,), {})))


def test_other_operators_of_the_domain_are_no_operators():
    proto = model("FusedGelu", unary(np.int8, (2, 3)), (0,), {})
    with pytest.raises(UnsupportedError, match=r"com.microsoft.FusedGelu is no operator of opset 1"):
        import_model(load_model(proto))


def test_attribute_the_operator_does_not_have_is_refused():
    proto = model("QLinearSigmoid", unary(np.int8, (2, 3)), (0,), {"alpha": 1.0})
    with pytest.raises(InputError, match="has no attribute 'alpha'"):
        import_model(load_model(proto))
