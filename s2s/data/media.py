"""Decode files of sound and images to the inputs of networks that take samples and pixels."""

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2s.errors import InputError
from s2s.support.extras import optional_module
from s2s.types.dtypes import Array

SOUNDS = (".wav", ".flac", ".ogg", ".mp3")
IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".ppm")
MAX_PIXELS = 1 << 26


class Taken(NamedTuple):
    """What a network takes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    rate: int | None = None
    """The samples in a second, where the network states them."""


class Decoded(NamedTuple):
    """An input, and what was changed to make it fit; empty if nothing was."""

    array: Array
    note: str


def is_media(file: Path) -> bool:
    """Return whether the suffix of a file names a format of sound or of images."""
    return file.suffix.lower() in (*SOUNDS, *IMAGES)


def decode(file: Path, place: str, taken: Taken) -> Decoded:
    """Decode a sound or an image; errors begin with `place`."""
    return decode_sound(file, place, taken) if file.suffix.lower() in SOUNDS else decode_image(file, place, taken)


def decode_sound(file: Path | BytesIO, place: str, taken: Taken) -> Decoded:
    """Return the mean of the channels, cut or with silence behind, as samples of the input's type."""
    if taken.dtype not in (np.dtype(np.int16), np.dtype(np.float32)):
        raise InputError(f"{place}: the input takes {taken.dtype}{list(taken.shape)}; give --pre mfcc")
    count = int(np.prod(taken.shape))
    library = optional_module("soundfile", "media", place, "give a file of numpy")
    try:
        with library.SoundFile(str(file) if isinstance(file, Path) else file) as sound:
            samples, rate, total = sound.read(count, dtype="float64", always_2d=True), sound.samplerate, sound.frames
    except Exception as error:  # each format of the library has its own
        raise InputError(f"{place}: cannot be read ({str(error).strip('. ')}); give a sound file") from None
    if taken.rate is not None and rate != taken.rate:
        raise InputError(f"{place}: has {rate} samples a second, the network takes {taken.rate}; convert the file")
    mono = np.zeros(count)
    mono[: len(samples)] = samples.mean(axis=1)
    notes = {1: f"the first {count} of {total} samples", -1: f"{total} samples, and silence up to {count}", 0: ""}
    if taken.dtype == np.int16:
        mono = np.clip(np.round(mono * 32768), -32768, 32767)
    return Decoded(mono.astype(taken.dtype).reshape(taken.shape), notes[int(np.sign(total - count))])


def decode_image(file: Path | BytesIO, place: str, taken: Taken) -> Decoded:
    """Return the pixels of an image in the size and form of the input."""
    shape = taken.shape[1:] if len(taken.shape) == 4 and taken.shape[0] == 1 else taken.shape
    if len(shape) == 3 and shape[0] == 1 and shape[-1] not in (1, 3):
        shape = shape[1:]  # one channel in front of the rows has the same bytes as one behind the columns
    is_packed = taken.dtype == np.uint16 and len(shape) == 2
    is_grey = len(shape) == 2 or shape[-1] == 1
    is_image = len(shape) == 2 or (len(shape) == 3 and shape[-1] in (1, 3))
    if not is_packed and not (is_image and taken.dtype == np.uint8):
        raise InputError(
            f"{place}: the input takes {taken.dtype}{list(taken.shape)}, and no bytes [height, width, channels]; "
            "give --pre normalise, grey or rgb565"
        )
    library = optional_module("PIL.Image", "media", place, "give a file of numpy")
    height, width = shape[:2]
    try:
        with library.open(file) as image:
            if image.width * image.height > MAX_PIXELS:
                raise InputError(f"{place}: has {image.width}x{image.height} pixels; give at most {MAX_PIXELS:,}")
            size = (image.width, image.height)
            plain = image.convert("L" if is_grey and not is_packed else "RGB")
            pixels = np.asarray(plain if size == (width, height) else plain.resize((width, height)))
    except (OSError, ValueError, SyntaxError, library.DecompressionBombError) as error:
        raise InputError(f"{place}: cannot be read ({str(error).strip('. ')}); give an image") from None
    note = "" if size == (width, height) else f"{size[0]}x{size[1]} pixels, resized to {width}x{height}"
    return Decoded(_packed(pixels) if is_packed else pixels.reshape(taken.shape), note)


def _packed(pixels: Array) -> Array:
    """Return pixels of five, six and five bits."""
    red, green, blue = (pixels[..., channel].astype(np.uint16) for channel in range(3))
    return ((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3)
