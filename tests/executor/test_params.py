"""TVM's params format: its bytes, round trips, and files that lie."""

import struct
from collections.abc import Mapping

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from s2s.errors import InputError
from s2s.executor.params import load_param_dict, save_param_dict
from s2s.types.weights import Array

INTEGERS = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
ARRAYS = st.sampled_from([np.dtype(name) for name in ("bool", "float16", "float32", "float64", *INTEGERS)]).flatmap(
    lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
PARAMS = st.dictionaries(st.text(max_size=8).filter(lambda name: name.isprintable()), ARRAYS, max_size=4)

EXAMPLE: dict[str, Array] = {"b": np.array([1, -1], np.int16), "a": np.array(1.5, np.float32)}

EXAMPLE_BYTES = b"".join(
    [
        bytes.fromhex("b79c04054f8de5f7") + bytes(8),
        struct.pack("<Q", 2) + struct.pack("<Q", 1) + b"a" + struct.pack("<Q", 1) + b"b",
        struct.pack("<Q", 2),
        bytes.fromhex("3fa1b496f0405edd") + bytes(8) + struct.pack("<iii", 1, 0, 0) + bytes([2, 32, 1, 0]),
        struct.pack("<q", 4) + struct.pack("<f", 1.5),
        bytes.fromhex("3fa1b496f0405edd") + bytes(8) + struct.pack("<iii", 1, 0, 1) + bytes([0, 16, 1, 0]),
        struct.pack("<qq", 2, 4) + bytes([1, 0, 255, 255]),
    ]
)


def assert_same(loaded: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    assert loaded.keys() == expected.keys()
    for name, array in expected.items():
        assert loaded[name].dtype == array.dtype
        assert loaded[name].shape == array.shape
        assert loaded[name].tobytes() == np.asarray(array, order="C").tobytes()


def test_bytes_are_those_of_tvm():
    assert save_param_dict(EXAMPLE) == EXAMPLE_BYTES


@given(PARAMS)
def test_round_trip(params: dict[str, Array]):
    assert_same(load_param_dict(save_param_dict(params)), params)


def test_round_trip_of_bfloat16():
    params = {"w": np.array([[1.5, -2.0]], ml_dtypes.bfloat16)}
    assert_same(load_param_dict(save_param_dict(params)), params)


def test_bool_of_one_bit_and_of_dlpack_are_both_read():
    blob = save_param_dict({"mask": np.array([True, False])})
    assert bytes([1, 1, 1, 0]) in blob
    assert_same(load_param_dict(blob.replace(bytes([1, 1, 1, 0]), bytes([6, 8, 1, 0]))), load_param_dict(blob))


def test_order_of_the_names_does_not_matter():
    assert save_param_dict(dict(reversed(EXAMPLE.items()))) == EXAMPLE_BYTES


def test_views_are_written_by_value():
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    params = {"t": values.T, "splat": np.broadcast_to(np.int8(7), (3, 5)), "big": values.astype(">f4")}
    loaded = load_param_dict(save_param_dict(params))
    assert loaded["t"].tolist() == values.T.tolist()
    assert loaded["splat"].tolist() == [[7] * 5] * 3
    assert loaded["big"].tolist() == values.tolist()
    assert loaded["big"].dtype == np.dtype(np.float32)


def test_arrays_longer_than_a_chunk_are_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("s2s.executor.params.CHUNK_ELEMENTS", 5)
    params = {"w": np.arange(23, dtype=np.int32)}
    assert_same(load_param_dict(save_param_dict(params)), params)


def test_unknown_element_type_is_refused():
    with pytest.raises(InputError, match="complex64"):
        save_param_dict({"z": np.zeros(2, np.complex64)})


@given(st.integers(0, len(EXAMPLE_BYTES) - 1))
def test_a_cut_file_is_refused(length: int):
    with pytest.raises(InputError, match="params"):
        load_param_dict(EXAMPLE_BYTES[:length])


def test_bytes_behind_the_end_are_refused():
    with pytest.raises(InputError, match="1 bytes follow"):
        load_param_dict(EXAMPLE_BYTES + b"x")


@given(st.data())
def test_a_changed_file_is_read_or_refused(data: st.DataObject):
    blob = bytearray(EXAMPLE_BYTES)
    for _ in range(data.draw(st.integers(1, 3))):
        blob[data.draw(st.integers(0, len(blob) - 1))] = data.draw(st.integers(0, 255))
    try:
        loaded = load_param_dict(bytes(blob))
    except InputError:
        return
    assert sum(array.nbytes for array in loaded.values()) <= len(blob)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(blob: bytes):
    try:
        loaded = load_param_dict(EXAMPLE_BYTES[:16] + blob)
    except InputError:
        return
    assert sum(array.nbytes for array in loaded.values()) <= len(blob)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (bytes.fromhex("b79c04054f8de5f7"), bytes(8), "not a params file"),
        (struct.pack("<Q", 1) + b"b", struct.pack("<Q", 1) + b"a", "occurs twice"),
        (struct.pack("<Q", 1) + b"b", struct.pack("<Q", 1) + b"\xff", "not UTF-8"),
        (struct.pack("<Q", 1) + b"b", struct.pack("<Q", 2**63) + b"b", "length of a name|a name wants"),
        (struct.pack("<iii", 1, 0, 1), struct.pack("<iii", 2, 0, 1), "device of type 2"),
        (struct.pack("<iii", 1, 0, 1), struct.pack("<iii", 1, 0, -1), "-1 dimensions"),
        (struct.pack("<iii", 1, 0, 1), struct.pack("<iii", 1, 0, 33), "33 dimensions"),
        (struct.pack("<qq", 2, 4), struct.pack("<qq", -2, 4), "cannot have 4 bytes"),
        (struct.pack("<qq", 2, 4), struct.pack("<qq", 2**62, 2**63 - 1), "cannot have"),
        (struct.pack("<qq", 2, 4), struct.pack("<qq", 2**40, 2**41), "are left"),
        (struct.pack("<qq", 2, 4), struct.pack("<qq", 2, -4), "cannot have -4 bytes"),
        (bytes([0, 16, 1, 0]), bytes([0, 16, 2, 0]), "2 lanes"),
        (bytes([0, 16, 1, 0]), bytes([9, 16, 1, 0]), "code 9"),
    ],
)
def test_lies_are_named(old: bytes, new: bytes, message: str):
    assert EXAMPLE_BYTES.count(old) == 1
    with pytest.raises(InputError, match=message):
        load_param_dict(EXAMPLE_BYTES.replace(old, new))


def test_more_arrays_than_names_are_refused():
    second_count = 16 + 8 + 9 + 9
    blob = EXAMPLE_BYTES[:second_count] + struct.pack("<Q", 3) + EXAMPLE_BYTES[second_count + 8 :]
    with pytest.raises(InputError, match="2 names stand for 3 arrays"):
        load_param_dict(blob)
