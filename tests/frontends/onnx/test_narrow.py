"""Elements of eight, six, four and two bits: every conversion, what moves them, and how the interface packs them."""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.numpy_helper import saturate_cast, to_float8e8m0

from benchmarks.conformance_adapters import run, run_graph
from s2s.errors import InputError
from s2s.frontends.onnx.tensors import read_tensor
from s2s.types.dtypes import Array
from s2s.types.narrow import NARROW, pack, unpack

FLOAT8 = (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz)
INTEGERS = (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)
FLOAT6 = (ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn)
SATURATED = (*FLOAT6, ml_dtypes.float4_e2m1fn)
"""Floats without infinities and NaN."""
MOVED = tuple(dtype for dtype in NARROW if dtype.type not in FLOAT6)
"""What the operators that only move elements take."""
OPSET = 28


def node_model(
    kind: str, inputs: Sequence[Array], output: Any, constants: Sequence[Array] = (), **attributes: Any
) -> onnx.ModelProto:
    """A model of one node; `constants` follow the inputs."""
    names = [f"x{number}" for number in range(len(inputs) + len(constants))]
    node = helper.make_node(kind, names, ["y"], name="node", **attributes)
    types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in inputs]
    given = [
        helper.make_tensor_value_info(name, type, array.shape)
        for name, type, array in zip(names, types, inputs, strict=False)
    ]
    known = [numpy_helper.from_array(x, name) for name, x in zip(names[len(inputs) :], constants, strict=True)]
    made = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(output)), None)
    graph = helper.make_graph([node], "g", given, [made], known)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=14)


def run_node(
    kind: str, inputs: Sequence[Array], output: Any, folder: Any, constants: Sequence[Array] = (), **attributes: Any
) -> Array:
    """The output of a network of one node, by the numpy meaning of its operations."""
    file = folder / "model.onnx"
    file.write_bytes(node_model(kind, inputs, output, constants, **attributes).SerializeToString())
    [found] = run_graph(str(file), inputs)
    assert found.dtype == output
    return found


def same_numbers(found: Array, wanted: Array) -> None:
    np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))


def every_code(dtype: Any) -> Array:
    narrow = NARROW[np.dtype(dtype)]
    codes = np.arange(2**narrow.bits, dtype=np.uint8)
    return (
        codes.view(dtype) if narrow.is_float else unpack(pack_codes(codes, narrow.bits), np.dtype(dtype), codes.shape)
    )


def pack_codes(codes: Array, bits: int) -> Array:
    per_byte = 8 // bits
    return np.bitwise_or.reduce(codes.reshape(-1, per_byte) << (np.arange(per_byte) * bits), axis=1).astype(np.uint8)


def cast_of(x: Array, targets: Sequence[Any]) -> bytes:
    """A model that casts `x` to each of `targets`."""
    nodes = [helper.make_node("Cast", ["x"], [f"y{n}"], to=_type(target)) for n, target in enumerate(targets)]
    given = helper.make_tensor_value_info("x", _type(x.dtype), x.shape)
    made = [helper.make_tensor_value_info(f"y{n}", _type(target), x.shape) for n, target in enumerate(targets)]
    graph = helper.make_graph(nodes, "g", [given], made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=14)
    return model.SerializeToString()


def floats(dtype: Any) -> Array:
    """All numbers of a format, the middles between them, their neighbours, and numbers beyond the largest."""
    with np.errstate(all="ignore"):
        known = np.unique(every_code(dtype).astype(np.float64))
    known = known[np.isfinite(known)]
    middles = (known[1:] + known[:-1]) / 2
    exact = np.concatenate(
        [known, middles, known * 1.01, 2 * known, [-0.0, 1e30, -1e30, 1e-30, np.inf, -np.inf, np.nan]]
    )
    return np.concatenate([exact, np.nextafter(exact, np.inf), np.nextafter(exact, -np.inf)])


@pytest.mark.parametrize("target", [np.float32, np.float16, ml_dtypes.bfloat16, np.float64])
@pytest.mark.parametrize("source", NARROW, ids=str)
def test_every_number_is_read_exactly(source: Any, target: Any, tmp_path: Any):
    x = every_code(source)
    with np.errstate(all="ignore"):
        same_numbers(run_node("Cast", [x], target, tmp_path, to=_type(target)), x.astype(np.float32).astype(target))


@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("source", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("target", FLOAT8)
def test_floats_are_rounded_once(target: Any, source: Any, saturate: int, tmp_path: Any):
    with np.errstate(all="ignore"):
        x = floats(target).astype(source)
        if not saturate:
            x = x[np.isfinite(x)]
        wanted = saturate_cast(x, np.dtype(target)) if saturate else x.astype(target)
    same_numbers(run_node("Cast", [x], target, tmp_path, to=_type(target), saturate=saturate), wanted)


@pytest.mark.parametrize("target", SATURATED)
@pytest.mark.parametrize("source", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_floats_without_infinities_saturate(target: Any, source: Any, tmp_path: Any):
    with np.errstate(all="ignore"):
        x = floats(target).astype(source)
        wanted = x.astype(target)
    found = run_node("Cast", [x], target, tmp_path, to=_type(target))
    same_numbers(found, wanted)
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(x)]), np.signbit(x[~np.isnan(x)]))


def test_every_float16_becomes_the_same_float6_in_c(tmp_path: Any):
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    file = tmp_path / "model.onnx"
    file.write_bytes(cast_of(x, FLOAT6))
    for found, target in zip(run(str(file), [x]), FLOAT6, strict=True):
        with np.errstate(invalid="ignore"):
            wanted = x.astype(target)
        wanted[np.isnan(x)] = 0  # the standard says nothing of them
        found[np.isnan(x)] = 0
        np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize("target", FLOAT6)
def test_float32_around_every_step_of_float6_is_rounded_in_c(target: Any, tmp_path: Any):
    with np.errstate(over="ignore"):
        x = np.concatenate([floats(target).astype(np.float32), random_floats(50_000)])
    x = x[~np.isnan(x)]
    file = tmp_path / "model.onnx"
    file.write_bytes(cast_of(x, [target]))
    [found] = run(str(file), [x])
    np.testing.assert_array_equal(found.view(np.uint8), x.astype(target).view(np.uint8))


def random_floats(count: int) -> Array:
    """Half of them of any bits, half between -32 and 32."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**32, count // 2, dtype=np.uint32).view(np.float32)
    return np.concatenate([bits, rng.uniform(-32, 32, count // 2).astype(np.float32)])


@pytest.mark.parametrize("dtype", FLOAT6)
def test_float6_is_packed_four_to_three_bytes_in_c(dtype: Any, tmp_path: Any):
    counts = (1, 2, 3, 4, 5, 64)
    name = np.dtype(dtype).name.replace("_", "").removesuffix("fn")
    inputs = ", ".join(f"{name}[{count}] x{count}" for count in counts)
    outputs = ", ".join(f"float[{count}] y{count}, {name}[{count}] z{count}" for count in counts)
    casts = "\n".join(f"y{n} = Cast <to = 1> (x{n})  z{n} = Cast <to = {_type(dtype)}> (y{n})" for n in counts)
    file = tmp_path / "model.onnx"
    text = f"""<ir_version: 14, opset_import: ["" : 28]> g ({inputs}) => ({outputs}) {{ {casts} }}"""
    file.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    given = [(np.arange(count, dtype=np.uint8) * 29 + 13 & 63).view(dtype) for count in counts]
    found = run(str(file), given)
    for x, y, z in zip(given, found[::2], found[1::2], strict=True):
        np.testing.assert_array_equal(y, x.astype(np.float32))
        np.testing.assert_array_equal(z.view(np.uint8), x.view(np.uint8))


@pytest.mark.parametrize("is_raw", [False, True])
@pytest.mark.parametrize("dtype", FLOAT6)
def test_stored_float6_is_read_packed_or_an_element_each(dtype: Any, is_raw: bool):
    x = every_code(dtype)[:-1]
    stored = numpy_helper.from_array(x)
    if not is_raw:
        stored.ClearField("raw_data")
        stored.int32_data.extend(x.view(np.uint8).tolist())
    found = read_tensor(stored, None, "x")
    np.testing.assert_array_equal(found.view(np.uint8), x.view(np.uint8))


@pytest.mark.parametrize("dtype", FLOAT6)
def test_float6_is_quantised_in_blocks(dtype: Any, tmp_path: Any):
    x = np.linspace(-40, 40, 48, dtype=np.float32).reshape(3, 16)
    scale = np.array([[0.5, 2], [1, 3], [0.25, 1]], np.float32)
    found = run_node("QuantizeLinear", [x], dtype, tmp_path, [scale], block_size=8, output_dtype=_type(dtype))
    wanted = (x / scale.repeat(8, 1)).astype(dtype)
    np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))
    real = run_node("DequantizeLinear", [found], np.float32, tmp_path, [scale], block_size=8)
    np.testing.assert_array_equal(real, wanted.astype(np.float32) * scale.repeat(8, 1))


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
def test_exponents_are_rounded_as_asked(mode: Any, tmp_path: Any):
    target = ml_dtypes.float8_e8m0fnu
    x = np.array([1, 1.5, 1.25, 1.75, 3, 2.0**126, 3e38, 1e-39, 0, 2.0**-126, 1.1e-38, np.inf, np.nan], np.float32)
    found = run_node("Cast", [x], target, tmp_path, to=_type(target), round_mode=mode)
    same_numbers(found, to_float8e8m0(x, True, mode))


@pytest.mark.parametrize("target", INTEGERS)
def test_integers_keep_their_low_bits(target: Any, tmp_path: Any):
    x = np.arange(-40, 40, dtype=np.int32)
    same_numbers(run_node("Cast", [x], target, tmp_path, to=_type(target)), x.astype(target))


@pytest.mark.parametrize("target", [*FLOAT8, *FLOAT6, *INTEGERS], ids=str)
def test_constants_are_converted_likewise(target: Any, tmp_path: Any):
    x = np.array([-2, -1, 0, 1, 2, 3], np.float32)
    x = x[x >= 0] if np.dtype(target).name.startswith("u") else x
    x = x[np.abs(x) <= 1] if np.dtype(target).name == "int2" else x
    same_numbers(run_node("Cast", [], target, tmp_path, [x], to=_type(target)), x.astype(target))


@pytest.mark.parametrize("dtype", MOVED, ids=str)
def test_what_moves_elements_keeps_their_type(dtype: Any, tmp_path: Any):
    x = np.resize(every_code(dtype), (3, 5))
    found = run_node("Transpose", [x], dtype, tmp_path, perm=[1, 0])
    np.testing.assert_array_equal(pack(found), pack(np.asarray(x.T, order="C")))


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_packing_is_as_onnx_stores_tensors(dtype: Any):
    x = np.resize(every_code(dtype), (3, 5))
    stored = numpy_helper.from_array(x)
    assert pack(x).tobytes() == stored.raw_data
    np.testing.assert_array_equal(unpack(pack(x), np.dtype(dtype), x.shape), x)


def test_what_the_standard_does_not_move_is_refused(tmp_path: Any):
    x = every_code(ml_dtypes.float6_e2m3fn)
    with pytest.raises(InputError, match=r"tensor\(float6e2m3\), which Identity of opset 25 does not take"):
        run_node("Identity", [x], x.dtype, tmp_path)


def test_a_zero_point_of_a_float_type_must_be_zero(tmp_path: Any):
    kind = ml_dtypes.float8_e4m3fn
    constants = [np.array(2, np.float32), np.array(1, kind)]
    with pytest.raises(InputError, match="the zero point of float8_e4m3fn is not 0; make it 0"):
        run_node("QuantizeLinear", [np.ones(3, np.float32)], kind, tmp_path, constants)


def test_the_interface_passes_packed_bytes(tmp_path: Any):
    text = """<ir_version: 13, opset_import: ["" : 25]>
    g (int4[3, 3] x, float8e4m3fn[5] z) => (uint4[5] u, float[3, 3] y) {
        y = Cast <to = 1> (x)
        f = Cast <to = 1> (z)
        u = Cast <to = 21> (f)
    }"""
    file = tmp_path / "model.onnx"
    file.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    x = np.array([[-8, 7, 1], [2, -3, 4], [5, -6, 0]], ml_dtypes.int4)
    z = np.array([0, 1, 3.5, 14, 15], ml_dtypes.float8_e4m3fn)
    u, y = run(str(file), [x, z])
    assert u.dtype == ml_dtypes.uint4
    np.testing.assert_array_equal(u.astype(int), [0, 1, 3, 14, 15])
    np.testing.assert_array_equal(y, x.astype(np.float32))


def _type(dtype: Any) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
