"""Samples are checked before anybody calculates with them, and say what is wrong with them."""

from pathlib import Path

import numpy as np
import pytest

from s2s.data.sets import read_samples
from s2s.data.specs import InputSpec
from s2s.errors import InputError

IMAGE = InputSpec("image", np.dtype(np.float32), (1, 2, 3))
OPEN = InputSpec("frame", np.dtype(np.float32), (None, 4))


def saved(folder: Path, **arrays: object) -> Path:
    path = folder / "samples.npz"
    np.savez(path, **arrays)  # pyright: ignore[reportArgumentType]
    return path


def test_samples_come_one_by_one_in_the_shape_of_the_input(tmp_path: Path):
    values = np.arange(30, dtype=np.float32).reshape(5, 2, 3)
    samples = read_samples(saved(tmp_path, image=values, labels=np.zeros(5)), [IMAGE])
    assert samples.count == 5
    found = [sample["image"] for sample in samples]
    assert {each.shape for each in found} == {(1, 2, 3)}
    np.testing.assert_array_equal(np.concatenate(found), values)


def test_samples_with_their_own_batch_dimension():
    values = np.zeros((5, 1, 2, 3), np.float32)
    assert read_samples({"image": values}, [IMAGE]).arrays["image"].shape == values.shape


def test_open_dimensions_take_any_size():
    assert read_samples({"frame": np.zeros((7, 9, 4), np.float32)}, [OPEN]).count == 7


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.zeros((5, 2, 3), np.float32)}, "holds 'images', but no 'image'; name the arrays after"),
        ({"image": np.zeros((5, 2, 3))}, "'image' holds float64, the model wants float32; convert it"),
        (
            {"image": np.zeros((5, 3, 3), np.float32)},
            r"shape \[5, 3, 3\]; .* samples of shape \[1, 2, 3\]",
        ),
        ({"image": np.zeros((), np.float32)}, r"shape \[\]; the model wants samples"),
        ({"image": np.zeros((0, 2, 3), np.float32)}, "holds no sample"),
        ({"image": np.full((1, 2, 3), np.nan, np.float32)}, "holds infinities or NaN"),
        ({"image": np.array([{}], dtype=object)}, "array 'image' cannot be read .*Python objects"),
    ],
)
def test_wrong_arrays_are_refused(tmp_path: Path, arrays: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        read_samples(saved(tmp_path, **arrays), [IMAGE])


def test_numbers_of_samples_have_to_agree():
    arrays = {"image": np.zeros((5, 2, 3), np.float32), "frame": np.zeros((4, 9, 4), np.float32)}
    with pytest.raises(InputError, match="as many for one input as for another"):
        read_samples(arrays, [IMAGE, OPEN])


def test_a_name_the_model_does_not_have_is_refused():
    with pytest.raises(InputError, match="'label' is no input of the model; its inputs are 'image'"):
        read_samples({"image": np.zeros((1, 2, 3), np.float32), "label": np.zeros(1)}, [IMAGE])


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 cut off", b"\x93NUMPY no archive"])
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, content: bytes | None):
    path = tmp_path / "samples.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"samples\.npz: (there is no such file|is no \.npz file)"):
        read_samples(path, [IMAGE])


def test_a_damaged_archive_is_refused(tmp_path: Path):
    path = saved(tmp_path, image=np.zeros((50, 2, 3), np.float32))
    data = bytearray(path.read_bytes())
    data[200:260] = b"\xff" * 60
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="cannot be read"):
        read_samples(path, [IMAGE])


def test_samples_of_a_scalar_are_arrays():
    read = read_samples({"gain": np.array([1, 2], np.float32)}, [InputSpec("gain", np.dtype(np.float32), ())])
    assert [(type(each["gain"]), each["gain"].shape) for each in read] == [(np.ndarray, ())] * 2
