"""What a file says as records: buffers outside the tables, sparse constants, four-bit constants, model-wide checks."""

import importlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model, load_model
from s2s.frontends.tflite.checks import check_model
from s2s.frontends.tflite.read import read_model
from s2s.frontends.tflite.records import ModelInfo, Sparsity, TensorInfo
from s2s.frontends.tflite.tensors import constant_array, densify
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.types.dtypes import Array


def sound() -> ModelInfo:
    x, y = TensorSpec("x", (2, 3)), TensorSpec("y", (2, 3))
    w = TensorSpec("w", (3,), data=np.array([1, 2, 3], np.float32))
    return load_model(single("ADD", [x, w], [y], "AddOptions")).info


def with_tensor(info: ModelInfo, index: int, **changes: Any) -> ModelInfo:
    graph = info.subgraphs[0]
    tensors = [replace(each, **changes) if each.index == index else each for each in graph.tensors]
    return replace(info, subgraphs=(replace(graph, tensors=tuple(tensors)),))


def test_other_versions_of_the_schema_are_refused():
    with pytest.raises(InputError, match="schema version 2 is not 3; convert the model again"):
        check_model(replace(sound(), version=2))


def test_a_model_without_graphs_is_refused():
    with pytest.raises(InputError, match="holds no graph"):
        check_model(replace(sound(), subgraphs=()))


def test_buffers_are_in_their_list():
    with pytest.raises(InputError, match=r"tensor 1 'w': buffer 9 of 2; export the model again"):
        check_model(with_tensor(sound(), 1, buffer=9))


def test_graphs_that_are_too_long_are_refused():
    graph = sound().subgraphs[0]
    with pytest.raises(UnsupportedError, match="operators are over the limit"):
        check_model(replace(sound(), subgraphs=(replace(graph, operators=graph.operators * 200_001),)))


def external(offset: int, size: int) -> bytes:
    """A file whose only buffer says that it lies elsewhere in the file."""
    tflite: Any = importlib.import_module("tflite")
    builder: Any = importlib.import_module("flatbuffers").Builder(0)
    tflite.BufferStart(builder)
    tflite.BufferAddOffset(builder, offset)
    tflite.BufferAddSize(builder, size)
    buffer = tflite.BufferEnd(builder)
    tflite.ModelStartBuffersVector(builder, 1)
    builder.PrependUOffsetTRelative(buffer)
    buffers = builder.EndVector()
    tflite.ModelStart(builder)
    tflite.ModelAddVersion(builder, 3)
    tflite.ModelAddBuffers(builder, buffers)
    builder.Finish(tflite.ModelEnd(builder), b"TFL3")
    return bytes(builder.Output())


def test_buffers_behind_the_tables_are_read():
    length = len(external(1000, 4))
    assert bytes(read_model(external(length, 4) + b"abcd", "model").buffers[0]) == b"abcd"


@pytest.mark.parametrize(("offset", "size"), [(1000, 4), (2**63, 4), (8, 2**63)])
def test_buffers_outside_the_file_are_refused(offset: int, size: int):
    with pytest.raises(InputError, match=r"buffer 0: lies at \d+ to \d+ of a file of \d+ bytes; give the whole file"):
        read_model(external(offset, size), "model")


def constant(shape: tuple[int, ...], dtype: Any = np.int8, kind: str = "INT8") -> TensorInfo:
    return TensorInfo(0, 0, "w", kind, np.dtype(dtype), shape, False, 0, None, False, None)


def test_four_bits_are_two_to_a_byte_the_lower_ones_first():
    info = replace(sound(), buffers=(bytes([0x21, 0xF8, 0x07]),))
    assert constant_array(constant((5,), kind="INT4"), info).tolist() == [1, 2, -8, -1, 7]


def rows(shape: tuple[int, int], segments: list[int], indices: list[int]) -> Sparsity:
    """Rows one after the other, of each the columns that are stored."""
    return Sparsity((0, 1), (), (shape[0], 0), (None, (np.array(segments), np.array(indices))))


def test_sparse_rows_are_filled_up():
    stored = np.array([5, 6, 7], np.int8).tobytes()
    dense = densify(constant((3, 4)), rows((3, 4), [0, 2, 2, 3], [0, 3, 1]), stored)
    assert dense.tolist() == [[5, 0, 0, 6], [0, 0, 0, 0], [0, 7, 0, 0]]


def test_sparse_blocks_are_filled_up():
    sparsity = Sparsity((0, 1, 2, 3), (0, 1), (2, 0, 2, 2), (None, (np.array([0, 1, 2]), np.array([1, 0])), None, None))
    dense = densify(constant((4, 4)), sparsity, bytes(range(1, 9)))
    assert dense.tolist() == [[0, 0, 1, 2], [0, 0, 3, 4], [5, 6, 0, 0], [7, 8, 0, 0]]


BROKEN = {
    "order": Sparsity((0, 0), (), (3, 4), (None, None)),
    "size": Sparsity((0, 1), (), (2, 4), (None, None)),
    "segments go back": rows((3, 4), [0, 3, 2, 3], [0, 3, 1]),
    "too few segments": rows((3, 4), [0, 3], [0, 3, 1]),
    "column outside": rows((3, 4), [0, 2, 2, 3], [0, 4, 1]),
    "more than the shape": rows((3, 4), [0, 20, 20, 20], [0] * 20),
    "block of nothing": Sparsity((0, 1, 2), (0,), (3, 4, 0), (None, None, None)),
    "missing level": Sparsity((0, 1), (), (3,), (None,)),
}


@pytest.mark.parametrize("sparsity", BROKEN.values(), ids=BROKEN)
def test_sparsity_that_does_not_fit_is_refused(sparsity: Sparsity):
    with pytest.raises(InputError, match=r"tensor 0 'w': its sparsity does not fit its shape; export"):
        densify(constant((3, 4)), sparsity, bytes(3))


def test_every_sparse_entry_has_a_value():
    with pytest.raises(InputError, match=r"tensor 0 'w': holds 3 values for 4 places; export the model again"):
        densify(constant((3, 4)), rows((3, 4), [0, 2, 3, 4], [0, 3, 1, 1]), bytes(3))


def test_sparse_constants_of_absurd_size_are_not_made():
    with pytest.raises(UnsupportedError, match=r"is sparse, of over .* elements; store it densely"):
        densify(constant((2**15, 2**15)), rows((2**15, 2**15), [0], []), b"")


def test_densify_passes_dense_constants_on():
    w = TensorSpec("w", (3,), data=np.array([1, 2, 3], np.float32))
    assert densified(single("DENSIFY", [w], [TensorSpec("y", (3,))], "DensifyOptions")).tolist() == [1, 2, 3]


def densified(data: bytes) -> Array:
    imported = import_model(data)
    return imported.weights.get(next(iter(imported.weights.names())))


def test_variable_tensors_are_refused_where_an_operator_keeps_no_state():
    state = TensorSpec("s", (2, 3), is_variable=True)
    operators = [OperatorSpec("ADD", ["x", "s"], ["y"], "AddOptions")]
    tensors = [TensorSpec("x", (2, 3)), state, TensorSpec("y", (2, 3))]
    with pytest.raises(UnsupportedError, match="input 1 is a variable tensor; keep the state in"):
        import_model(model([GraphSpec(tensors, operators, ["x"], ["y"])]))
