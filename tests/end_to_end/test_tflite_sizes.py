"""TFLite inputs whose size is given at run time: one tree, right at every size, against LiteRT's resized inputs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError
from s2s.frontends.onnx import load_model
from s2s.frontends.tflite.writer import SAME, VALID, GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.fuzz.tflite.engines import run_litert_resized
from s2s.types.dtypes import Array
from s2s.types.sizes import InputShapes
from support.onnx_text import onnx_file
from support.project import SHARED

RNG = np.random.default_rng(5)
W, B = RNG.standard_normal((4, 3, 3, 2)).astype(np.float32), RNG.standard_normal(4).astype(np.float32)
D = RNG.standard_normal((5, 36)).astype(np.float32)


def conv(y: Sequence[int], padding: int = VALID, stride: int = 1) -> tuple[list[TensorSpec], OperatorSpec]:
    """A convolution of `x` with four channels of 3 x 3."""
    fields = {"padding": padding, "stride_h": stride, "stride_w": stride}
    tensors = [TensorSpec("w", W.shape, data=W), TensorSpec("b", (4,), data=B), TensorSpec("c", y)]
    return tensors, OperatorSpec("CONV_2D", ["x", "w", "b"], ["c"], "Conv2DOptions", fields)


def classifier(new_shape: list[int], *, computed: bool = False) -> bytes:
    """Convolution, RESHAPE, fully connected layer; the shape is a constant, or computed from that of an input."""
    tensors, first = conv((1, 3, 3, 4))
    tensors += [
        TensorSpec("x", (1, 5, 5, 2), signature=(-1, 5, 5, 2)),
        TensorSpec("r", (1, 36)),
        TensorSpec("y", (1, 5)),
    ]
    tensors += [TensorSpec("d", D.shape, data=D)]
    between: list[OperatorSpec] = []
    if computed:
        numbers = {"zero": [0], "one": [1], "rest": [36]}
        tensors += [TensorSpec(name, (1,), data=np.array(value, np.int32)) for name, value in numbers.items()]
        tensors += [TensorSpec(name, shape, "INT32") for name, shape in (("s", (4,)), ("n", (1,)), ("shape", (2,)))]
        between = [
            OperatorSpec("SHAPE", ["c"], ["s"], "ShapeOptions", {"out_type": 2}),
            OperatorSpec("STRIDED_SLICE", ["s", "zero", "one", "one"], ["n"], "StridedSliceOptions"),
            OperatorSpec("CONCATENATION", ["n", "rest"], ["shape"], "ConcatenationOptions"),
        ]
    else:
        tensors.append(TensorSpec("shape", (2,), data=np.array(new_shape, np.int32)))
    last = [
        OperatorSpec("RESHAPE", ["c", "shape"], ["r"], "ReshapeOptions"),
        OperatorSpec("FULLY_CONNECTED", ["r", "d", ""], ["y"], "FullyConnectedOptions"),
    ]
    return model([GraphSpec(tensors, [first, *between, *last], ["x"], ["y"])])


def check(data: bytes, shape: tuple[int | str, ...], bounds: tuple[int, int], sizes: Sequence[int]) -> None:
    """Compile for `bounds` of N, and run at `sizes`."""
    rng = np.random.default_rng(3)
    with api.compile(data, shapes={"x": shape}, dims={"N": bounds}) as artifact:
        for size in sizes:
            given = tuple(size if isinstance(each, str) else each for each in shape)
            x: Array = rng.standard_normal(given).astype(np.float32)
            (found,) = artifact.run({"x": x}).values()
            (expected,) = run_litert_resized(data, [x])
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("computed", [False, True])
def test_batches(computed: bool):
    check(classifier([-1, 36], computed=computed), ("N", 5, 5, 2), (1, 7), [1, 2, 3, 6, 7])


@pytest.mark.parametrize("shape", [("N", 9, 9, 2), (1, "N", 9, 2), (2, 5, "N", 2)])
@pytest.mark.parametrize("padding", [SAME, VALID])
def test_each_axis_of_a_convolution(shape: tuple[int | str, ...], padding: int):
    tensors, layer = conv((1, 9, 9, 4) if padding == SAME else (1, 7, 7, 4), padding)
    data = model([GraphSpec([TensorSpec("x", (1, 9, 9, 2)), *tensors], [layer], ["x"], ["c"])])
    check(data, shape, (3, 12), [3, 4, 9, 11, 12])


def resized(builtin: str, kind: str, to: Sequence[int] | None, how: str) -> bytes:
    """A picture of 7 by 9 that is resized: to constant sizes, or to twice its own ones."""
    numbers: dict[str, list[int]] = {"one": [1], "three": [3], "two": [2]} if to is None else {"size": list(to)}
    quantised: dict[str, Any] = {"scale": 0.1, "zero_point": 3} if kind == "INT8" else {}
    tensors = [TensorSpec(name, (len(each),), data=np.array(each, np.int32)) for name, each in numbers.items()]
    tensors += [TensorSpec("x", (1, 7, 9, 2), kind, **quantised)]
    tensors += [TensorSpec("y", (1, *(to or (14, 18)), 2), kind, **quantised)]
    operators: list[OperatorSpec] = []
    if to is None:
        tensors += [TensorSpec(name, (count,), "INT32") for name, count in (("s", 4), ("hw", 2), ("size", 2))]
        operators = [
            OperatorSpec("SHAPE", ["x"], ["s"], "ShapeOptions", {"out_type": 2}),
            OperatorSpec("STRIDED_SLICE", ["s", "one", "three", "one"], ["hw"], "StridedSliceOptions"),
            OperatorSpec("MUL", ["hw", "two"], ["size"], "MulOptions"),
        ]
    options = "ResizeBilinearOptions" if builtin == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    last = OperatorSpec(builtin, ["x", "size"], ["y"], options, {how: True} if how else {})
    return model([GraphSpec(tensors, [*operators, last], ["x"], ["y"])])


RESIZED = [
    ("RESIZE_NEAREST_NEIGHBOR", "FLOAT32", (5, 12), "half_pixel_centers"),
    ("RESIZE_NEAREST_NEIGHBOR", "FLOAT32", None, "align_corners"),
    ("RESIZE_NEAREST_NEIGHBOR", "INT8", (7, 9), ""),
    ("RESIZE_BILINEAR", "FLOAT32", (5, 12), "align_corners"),
    ("RESIZE_BILINEAR", "FLOAT32", None, "half_pixel_centers"),
    ("RESIZE_BILINEAR", "INT8", (5, 12), "half_pixel_centers"),
    ("RESIZE_BILINEAR", "INT8", (7, 9), "align_corners"),
    ("RESIZE_BILINEAR", "INT8", None, ""),
]


@pytest.mark.parametrize(("builtin", "kind", "to", "how"), RESIZED)
def test_pictures_of_any_size_are_resized(builtin: str, kind: str, to: Sequence[int] | None, how: str):
    """Integers have the bits of LiteRT."""
    data, rng = resized(builtin, kind, to, how), np.random.default_rng(3)
    shapes: InputShapes = {"x": (1, "H", "W", 2)}
    dims = {"H": (2, 10), "W": (2, 13)}
    with api.compile(data, shapes=shapes, dims=dims, target="c", tflite_rounding="reference") as artifact:
        for height, width in ((2, 2), (10, 13), (7, 9), (3, 12), (9, 4)):
            x = rng.standard_normal((1, height, width, 2)).astype(np.float32)
            given = (40 * x).clip(-128, 127).astype(np.int8) if kind == "INT8" else x
            (found,) = artifact.run({"x": given}).values()
            (expected,) = run_litert_resized(data, [given])
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=0, atol=0 if kind == "INT8" else 1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums_of_any_length(reverse: bool):
    tensors = [
        TensorSpec("x", (2, 5, 3)),
        TensorSpec("axis", (), data=np.array(1, np.int32)),
        TensorSpec("y", (2, 5, 3)),
    ]
    fields = {"exclusive": False, "reverse": reverse}
    layer = OperatorSpec("CUMSUM", ["x", "axis"], ["y"], "CumsumOptions", fields)
    check(model([GraphSpec(tensors, [layer], ["x"], ["y"])]), (2, "N", 3), (2, 21), [2, 3, 5, 20, 21])


def test_the_largest_of_any_number():
    tensors = [TensorSpec("x", (2, 9)), TensorSpec("k", (), data=np.array(2, np.int32)), TensorSpec("y", (2, 2))]
    layer = OperatorSpec("TOPK_V2", ["x", "k"], ["y", "i"], "TopKV2Options")
    data = model([GraphSpec([*tensors, TensorSpec("i", (2, 2), "INT32")], [layer], ["x"], ["y"])])
    check(data, (2, "N"), (2, 21), [2, 3, 9, 20, 21])


@pytest.mark.parametrize("name", ["ad01_int8", "kws_ref_model_int8", "pretrainedResnet_quant"])
def test_batches_of_networks_of_integers(name: str):
    data = (SHARED / "models" / "mlperf_tiny" / f"{name}.tflite").read_bytes()
    (port,) = api.inspect(data).inputs
    shape, rng = port.shape[1:], np.random.default_rng(1)
    named: InputShapes = {port.name: ("N", *shape)}
    with api.compile(data, shapes=named, dims={"N": (1, 5)}, tflite_rounding="reference") as artifact:
        for size in (1, 2, 5):
            x = rng.integers(-128, 128, (size, *shape)).astype(np.int8)
            (found,) = artifact.run({port.name: x}).values()
            (expected,) = run_litert_resized(data, [x])
            np.testing.assert_array_equal(found, expected)


def test_shape_of_a_batch_of_one_is_refused():
    with pytest.raises(InputError, match=r"operator 1 \(RESHAPE\) 'r': shape \[1, 36\] does not fit the 252 elements"):
        api.compile(classifier([1, 36]), shapes={"x": ("N", 5, 5, 2)}, dims={"N": (1, 7)})


@pytest.mark.parametrize("shape", [(1, "N", 9, 2), (1, 8, "N", 2), (1, "N", "N", 2), ("N", 9, 9, 2)])
def test_padding_that_depends_on_the_size(shape: tuple[int | str, ...]):
    tensors, layer = conv((1, 5, 5, 4), SAME, stride=2)
    data = model([GraphSpec([TensorSpec("x", (1, 9, 9, 2)), *tensors], [layer], ["x"], ["c"])])
    check(data, shape, (3, 12), [3, 4, 9, 11, 12])


def check_bytes(data: bytes, channels: int) -> None:
    """Compile for pictures of 3 to 12 rows and columns, and run at several sizes with the bits of LiteRT."""
    with api.compile(
        data, shapes={"x": (1, "N", "K", channels)}, dims={"N": (3, 12), "K": (3, 9)}, tflite_rounding="reference"
    ) as artifact:
        for size, columns in ((3, 3), (4, 9), (5, 8), (9, 4), (11, 7), (12, 9), (12, 8)):
            x = np.random.default_rng(size).integers(-128, 128, (1, size, columns, channels)).astype(np.int8)
            (found,) = artifact.run({"x": x}).values()
            (expected,) = run_litert_resized(data, [x])
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("operator", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
@pytest.mark.parametrize("padding", [SAME, VALID])
def test_poolings_of_bytes(operator: str, padding: int):
    shape = (1, 5, 9, 2) if padding == SAME else (1, 4, 7, 2)
    options: dict[str, object] = {"padding": padding, "stride_h": 2, "stride_w": 1}
    options |= {"filter_height": 3, "filter_width": 3}
    x, y = (
        TensorSpec(name, size, "INT8", scale=0.5, zero_point=7) for name, size in (("x", (1, 9, 9, 2)), ("y", shape))
    )
    check_bytes(single(operator, [x], [y], "Pool2DOptions", **options), 2)


@pytest.mark.parametrize("operator", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_convolutions_of_bytes_with_padding_that_depends_on_the_size(operator: str):
    rng = np.random.default_rng(8)
    deep = operator == "DEPTHWISE_CONV_2D"
    w = rng.integers(-127, 128, (1, 3, 4, 4) if deep else (4, 3, 4, 4)).astype(np.int8)
    options: dict[str, object] = {"padding": SAME, "stride_h": 2, "stride_w": 2}
    options |= {"depth_multiplier": 1} if deep else {}
    inputs = [
        TensorSpec("x", (1, 9, 9, 4), "INT8", scale=0.5, zero_point=-5),
        TensorSpec("w", w.shape, data=w, scale=[0.1, 0.2, 0.05, 0.3], zero_point=[0] * 4, axis=3 if deep else 0),
        TensorSpec(
            "b", (4,), data=np.array([5, -90, 300, 0], np.int32), scale=[0.05, 0.1, 0.025, 0.15], zero_point=[0] * 4
        ),
    ]
    y = TensorSpec("y", (1, 5, 5, 4), "INT8", scale=30.0, zero_point=3)
    kind = "DepthwiseConv2DOptions" if deep else "Conv2DOptions"
    check_bytes(single(operator, inputs, [y], kind, **options), 4)


def test_state_of_one_size_is_refused():
    variable = TensorSpec("h", (1, 6), "FLOAT32", is_variable=True)
    weights = {"w": np.ones((6, 4), np.float32), "r": np.ones((6, 6), np.float32), "b": np.ones(6, np.float32)}
    given = [TensorSpec("x", (1, 4)), *(TensorSpec(name, value.shape, data=value) for name, value in weights.items())]
    data = single("RNN", [*given, variable], [TensorSpec("y", (1, 6))], "RNNOptions")
    with pytest.raises(InputError, match=r"operator 0 \(RNN\) 'y': "):
        api.compile(data, shapes={"x": ("N", 4)}, dims={"N": (1, 3)})


def test_axis_without_a_name_is_refused():
    with pytest.raises(InputError, match=r"--dim N=1\.\.7: no dimension .*; name an axis, --shape x=N,28,28$"):
        api.compile(classifier([-1, 36]), dims={"N": (1, 7)})


def test_name_without_a_size_is_refused():
    with pytest.raises(InputError, match=r"--shape x: the axis N has no size; give it one, --dim N=4, or bounds"):
        api.compile(classifier([-1, 36]), shapes={"x": ("N", 5, 5, 2)})


def test_axes_of_onnx_models_without_names_get_names(tmp_path: Path):
    proto = load_model(onnx_file("(float[?,6] x) => (float[?,6] y) { y = Relu (x) }", tmp_path)).proto
    proto.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    with api.compile(proto, shapes={"x": ("N", 6)}, dims={"N": (1, 4)}) as artifact:
        for size in (1, 3, 4):
            x = np.random.default_rng(size).standard_normal((size, 6)).astype(np.float32)
            np.testing.assert_array_equal(artifact.run({"x": x})["y"], np.maximum(x, 0))
