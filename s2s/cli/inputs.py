"""The option `--input` of commands that run a network on arrays from files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.types.dtypes import Array

inputs = click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    metavar="[NAME=]FILE",
    help="An input, as NAME=FILE.npy, repeated for each; FILE.npy where there is one; FILE.npz for all, by name.",
)


def load_inputs(given: Sequence[str]) -> "dict[str, Array]":
    """Load the arrays of the options by name; an array without a name belongs to the only input."""
    from s2s.data.arrays import UNNAMED, read_array, read_arrays

    arrays: dict[str, Array] = {}
    for option in given:
        name, equals, file = option.rpartition("=")
        place = f"--input {option}"
        if not file or (equals and not name):
            raise InputError(f"{place}: is not of the form NAME=FILE.npy; write, for example, --input x=sample.npy")
        is_archive = not equals and Path(file).suffix == ".npz"
        found = read_arrays(Path(file), place) if is_archive else {name or UNNAMED: read_array(Path(file), place)}
        twice = next((each for each in found if each in arrays), None)
        if twice is not None:
            raise InputError(f"{place}: {twice or 'the input'} is given twice; give one file for each input")
        arrays |= found
    return arrays
