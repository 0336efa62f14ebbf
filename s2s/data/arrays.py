"""Read arrays from files of users without executing anything in them, and refuse damaged files in a sentence."""

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from s2s.errors import InputError
from s2s.types.dtypes import Array

UNREADABLE = (OSError, ValueError, EOFError, KeyError, MemoryError, zipfile.BadZipFile, zlib.error)
"""What numpy raises for a file that it cannot make sense of."""
UNNAMED = ""
"""Stands for the only input of a network, where its array has no name."""
_MAGIC = (np.lib.format.MAGIC_PREFIX, b"PK")


def why(error: Exception) -> str:
    """Describe what is wrong with a file, or an array in it. Numpy's own words advise to execute what it holds."""
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it holds Python objects, no numbers" if "pickle" in str(error) else "it is damaged"


def read_array(file: Path, place: str) -> Array:
    """Read the only array in `file`; errors begin with `place`."""
    found = _load(file, place, "numpy.save")
    if not isinstance(found, np.ndarray):
        raise InputError(f"{place}: holds several arrays; write the one array with numpy.save")
    return cast("Array", found)


def read_arrays(file: Path, place: str) -> dict[str, Array]:
    """Read the arrays in `file` by name; errors begin with `place`."""
    found = _load(file, place, "numpy.savez")
    if isinstance(found, np.ndarray):
        raise InputError(f"{place}: holds one array without a name; write the arrays by name with numpy.savez")
    try:
        with found:
            return {name: found[name] for name in found.files}
    except UNREADABLE as error:
        raise InputError(f"{place}: cannot be read ({why(error)}); write it with numpy.savez") from None


def named(arrays: Mapping[str, Array], names: Sequence[str]) -> dict[str, Array]:
    """The arrays by the names of the network's inputs; an array without a name belongs to the only input."""
    if UNNAMED in arrays and len(names) != 1:
        raise InputError(f"--input: names no input; write NAME=FILE.npy for each of {', '.join(names)}")
    return {name or names[0]: array for name, array in arrays.items()}


def _load(file: Path, place: str, writer: str) -> Any:
    try:
        with file.open("rb") as opened:
            known = opened.read(len(_MAGIC[0])).startswith(_MAGIC)
        if known:
            return np.load(file, allow_pickle=False)
    except UNREADABLE as error:
        raise InputError(f"{place}: cannot be read ({why(error)}); write it with {writer}") from None
    raise InputError(f"{place}: cannot be read (it is no file of numpy's); write it with {writer}")
