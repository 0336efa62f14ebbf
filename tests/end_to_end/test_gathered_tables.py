"""Tables that are only gathered from stay in the type that the model stores; results are those of onnxruntime."""

import json
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import TensorProto, helper

from benchmarks.contrib_cases import CASES
from benchmarks.contrib_cases import model as contrib_model
from s2s import api
from s2s.types.dtypes import Array
from s2s.types.narrow import NARROW, pack
from support.threads import one_thread

ROWS, COLUMNS = 64, 32
PLACES = np.array([[3, 0, 63], [17, -1, 3]], np.int64)
TYPES = {
    "int4": TensorProto.INT4,
    "uint4": TensorProto.UINT4,
    "int2": TensorProto.INT2,
    "uint2": TensorProto.UINT2,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "float8_e4m3fn": TensorProto.FLOAT8E4M3FN,
    "float8_e5m2": TensorProto.FLOAT8E5M2,
    "float6_e2m3fn": TensorProto.FLOAT6E2M3,
    "float6_e3m2fn": TensorProto.FLOAT6E3M2,
    "float4_e2m1fn": TensorProto.FLOAT4E2M1,
}
RANGES = {"int4": (-8, 8), "uint4": (0, 16), "int2": (-2, 2), "uint2": (0, 4), "int8": (-128, 128), "uint8": (0, 256)}


def stored(kind: str, shape: Sequence[int], seed: int = 0) -> Array:
    """Random elements of a type, in that type."""
    rng = np.random.default_rng(seed)
    if kind in RANGES:
        return rng.integers(*RANGES[kind], tuple(shape)).astype(np.dtype(getattr(ml_dtypes, kind, kind)))
    return rng.uniform(-6, 6, tuple(shape)).astype(np.dtype(getattr(ml_dtypes, kind)))


def tensor(name: str, kind: str, values: Array) -> onnx.TensorProto:
    raw = pack(values) if values.dtype in NARROW else values
    return helper.make_tensor(name, TYPES[kind], values.shape, raw.tobytes(), raw=True)


def table(
    kind: str,
    scales: tuple[int, ...],
    *,
    shape: tuple[int, ...] = (ROWS, COLUMNS),
    block: tuple[int, int] = (1, 0),
    axis: int = 0,
    zero: bool = False,
    places: Sequence[int | str] = PLACES.shape,
    tied: bool = False,
    opset: int = 25,
) -> onnx.ModelProto:
    """`Gather(DequantizeLinear(table), i)`; `block` is the axis of the scales and the block's size; a `tied` table is
    an output of the network too."""
    numbers = np.random.default_rng(1).uniform(0.01, 0.1, scales).astype(np.float32)
    constants = [tensor("w", kind, stored(kind, shape)), onnx.numpy_helper.from_array(numbers, "s")]
    if zero:
        constants.append(tensor("z", kind, stored(kind, scales, 2)))
    inputs = ["w", "s", *(["z"] if zero else [])]
    attributes: dict[str, Any] = {"axis": block[0], "block_size": block[1]} if block[1] else {"axis": block[0]}
    nodes = [
        helper.make_node("DequantizeLinear", inputs, ["d"], **attributes),
        helper.make_node("Gather", ["d", "i"], ["y"], axis=axis),
    ]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ["y", "d"][: 1 + tied]]
    indices = helper.make_tensor_value_info("i", TensorProto.INT64, places)
    graph = helper.make_graph(nodes, "network", [indices], outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=12)


def constants(artifact: api.Artifact) -> int:
    record = json.loads(artifact.tree().text("metadata.json"))
    return sum(each["size"] for each in record["weights"]["arrays"])


def expected(model: onnx.ModelProto, places: Array = PLACES) -> Array:
    runtime: Any = onnxruntime
    session = runtime.InferenceSession(model.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"])
    return session.run(["y"], {"i": places})[0]


CODES = ROWS * COLUMNS


@pytest.mark.parametrize(
    ("kind", "scales", "given", "size"),
    [
        pytest.param("int4", (ROWS, 1), {"block": (1, 32)}, CODES // 2 + 4 * ROWS + 2, id="int4 by rows"),
        pytest.param("int4", (ROWS, 2), {"block": (1, 16)}, CODES // 2 + 8 * ROWS + 2, id="int4 in blocks of a row"),
        pytest.param(
            "int4", (4, COLUMNS), {"block": (0, 16)}, CODES // 2 + 16 * COLUMNS + 2, id="int4 in blocks of rows"
        ),
        pytest.param(
            "uint4", (ROWS, 2), {"block": (1, 16), "zero": True}, CODES // 2 + 16 * ROWS + 2, id="uint4, zero points"
        ),
        pytest.param("int4", (), {"axis": 1, "places": (2, 3)}, CODES // 2 + 2, id="int4, columns"),
        pytest.param("int8", (), {}, CODES, id="int8"),
        pytest.param("int8", (ROWS,), {"block": (0, 0)}, CODES + 4 * ROWS, id="int8 by rows"),
        pytest.param("int8", (COLUMNS,), {"zero": True}, CODES + 8 * COLUMNS, id="int8 by columns, zero points"),
        pytest.param("uint8", (ROWS, 2), {"block": (1, 16)}, CODES + 8 * ROWS, id="uint8 in blocks"),
        pytest.param("float8_e4m3fn", (), {}, CODES + 4 * 256, id="float8 e4m3fn"),
        pytest.param("float8_e5m2", (ROWS,), {"block": (0, 0)}, CODES + 4 * 256 + 4 * ROWS, id="float8 e5m2 by rows"),
    ],
)
@pytest.mark.parametrize("target", ["c", "cortex-m4"])
def test_the_table_is_stored_as_the_model_stores_it(
    kind: str, scales: tuple[int, ...], given: dict[str, Any], size: int, target: str
):
    model = table(kind, scales, **given)
    places = PLACES % COLUMNS if given.get("axis") else PLACES
    with api.compile(model.SerializeToString(), target=target) as artifact:
        assert constants(artifact) <= size < 4 * CODES
        np.testing.assert_array_equal(artifact.run({"i": places})["y"], expected(model, places))


@pytest.mark.parametrize(("kind", "size"), [("int2", CODES // 4 + 4), ("uint2", CODES // 4 + 4)])
def test_elements_of_two_bits_lie_four_in_a_byte(kind: str, size: int):
    check_by_numpy(kind, size)


def test_floats_of_four_bits_lie_two_in_a_byte():
    check_by_numpy("float4_e2m1fn", CODES // 2 + 2 + 16 * 4)


@pytest.mark.parametrize("kind", ["float6_e2m3fn", "float6_e3m2fn"])
def test_floats_of_six_bits_take_a_byte_each(kind: str):
    check_by_numpy(kind, CODES + 64 * 4, opset=28)


def check_by_numpy(kind: str, size: int, *, opset: int = 25) -> None:
    """Compare with exact products: onnxruntime dequantises these types on no CPU."""
    model = table(kind, (), opset=opset)
    scale = np.random.default_rng(1).uniform(0.01, 0.1, ()).astype(np.float32)
    with api.compile(model.SerializeToString()) as artifact:
        assert constants(artifact) <= size
        wanted = stored(kind, (ROWS, COLUMNS)).astype(np.float32)[PLACES] * scale
        np.testing.assert_array_equal(artifact.run({"i": PLACES})["y"], wanted)


@pytest.mark.parametrize("block", [16, 8])
def test_rows_that_are_no_whole_bytes_or_blocks(block: int):
    model = table("int4", (ROWS, -(-21 // block)), shape=(ROWS, 21), block=(1, block))
    with api.compile(model.SerializeToString()) as artifact:
        assert constants(artifact) <= ROWS * 11 + 4 * ROWS * -(-21 // block) + 2
        values = stored("int4", (ROWS, 21)).astype(np.float32)
        scales = np.random.default_rng(1).uniform(0.01, 0.1, (ROWS, -(-21 // block))).astype(np.float32)
        wanted = values * np.repeat(scales, block, axis=1)[:, :21]
        np.testing.assert_array_equal(artifact.run({"i": PLACES})["y"], wanted[PLACES])


def test_any_number_of_words():
    model = table("int4", (ROWS, 2), block=(1, 16), places=("n",))
    with api.compile(model.SerializeToString(), dims={"n": (1, 12)}) as artifact:
        assert constants(artifact) <= CODES // 2 + 8 * ROWS + 2
        for count in (1, 5, 12):
            places = np.arange(count, dtype=np.int64) * 5
            np.testing.assert_array_equal(artifact.run({"i": places})["y"], expected(model, places))


def test_every_level_gives_the_same_numbers():
    with api.compile(table("int4", (4, COLUMNS), block=(0, 16)).SerializeToString()) as artifact:
        assert artifact.verify(levels=True).passed


def test_a_table_with_another_reader_is_stored_once_as_that_reads_it():
    model = table("int8", (ROWS, 2), block=(1, 16), tied=True)
    with api.compile(model.SerializeToString()) as artifact:
        assert constants(artifact) == 4 * CODES
        np.testing.assert_array_equal(artifact.run({"i": PLACES})["y"], expected(model))


def test_tables_of_gather_block_quantized_stay_packed():
    case = CASES["GatherBlockQuantized of nibbles"]
    packed, _, *parameters = case.operands
    with api.compile(contrib_model(case).SerializeToString()) as artifact:
        stored_bytes = sum(each.nbytes for each in [packed, *parameters] if each is not None)
        assert constants(artifact) <= stored_bytes + 2
