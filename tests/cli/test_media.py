"""Sounds and images as inputs of `s2s run`."""

from pathlib import Path

import numpy as np
import pytest

from s2s.cli.main import run
from s2s.data.media import Taken, decode
from s2s.errors import InputError
from support.steps import clips, stepped

I16, U8 = np.dtype(np.int16), np.dtype(np.uint8)


def test_samples_of_sixteen_bits_are_what_the_file_holds(tmp_path: Path) -> None:
    library = pytest.importorskip("soundfile")
    file, clip = tmp_path / "clip.wav", clips(1)[0]
    library.write(file, clip, 16000)
    found = decode(file, "--input", Taken((16000,), I16, 16000))
    assert np.array_equal(found.array, clip)
    assert not found.note
    longer = decode(file, "--input", Taken((17000,), I16))
    assert np.array_equal(longer.array, np.pad(clip, (0, 1000)))
    assert longer.note == "16000 samples, and silence up to 17000"
    shorter = decode(file, "--input", Taken((100,), np.dtype(np.float32)))
    np.testing.assert_allclose(shorter.array, clip[:100] / 32768)
    with pytest.raises(InputError, match="has 16000 samples a second, the network takes 8000; convert the file"):
        decode(file, "--input", Taken((16000,), I16, 8000))


def test_pixels_are_what_the_file_holds(tmp_path: Path) -> None:
    library = pytest.importorskip("PIL.Image")
    file, pixels = tmp_path / "photo.png", np.random.default_rng(0).integers(0, 256, (6, 8, 3)).astype(np.uint8)
    library.fromarray(pixels).save(file)
    assert np.array_equal(decode(file, "--input", Taken((1, 6, 8, 3), U8)).array[0], pixels)
    assert decode(file, "--input", Taken((3, 4, 1), U8)).note == "8x6 pixels, resized to 4x3"
    packed = decode(file, "--input", Taken((6, 8), np.dtype(np.uint16))).array
    assert np.array_equal(packed >> 11, pixels[..., 0] >> 3)
    assert np.array_equal(packed & 31, pixels[..., 2] >> 3)


@pytest.mark.parametrize(("name", "taken"), [("a.wav", Taken((8,), I16)), ("a.png", Taken((4, 4, 3), U8))])
def test_damaged_files_are_refused(tmp_path: Path, name: str, taken: Taken) -> None:
    pytest.importorskip("soundfile")
    file = tmp_path / name
    file.write_bytes(b"RIFF\x89PNG" * 9)
    with pytest.raises(InputError, match="--input: cannot be read"):
        decode(file, "--input", taken)
    with pytest.raises(InputError, match="--input: the input takes int64"):
        decode(file, "--input", Taken((4,), np.dtype(np.int64)))


def test_a_sound_is_run_to_its_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = pytest.importorskip("soundfile")
    artifact = stepped({"x": (1, 3, 4)}, ["log-mel:bins=4,step=10ms"], ["argmax", "labels:names=low/mid/high/top"])
    artifact.write(tmp_path / "tree")
    library.write(tmp_path / "clip.wav", clips(1)[0], 16000)
    assert run(["run", str(tmp_path / "tree"), "--input", str(tmp_path / "clip.wav")]) == 0
    shown = capsys.readouterr()
    assert any(word in shown.out for word in ("low", "mid", "high", "top"))
    assert "the first 800 of 16000 samples" in shown.err
