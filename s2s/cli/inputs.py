"""The option `--input` of commands that run a network on arrays from files."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.c_syntax.interface import Port
    from s2s.types.dtypes import Array

inputs = click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    metavar="[NAME=]FILE",
    help="An input, as NAME=FILE.npy, repeated for each; FILE.npy where there is one; FILE.npz for all, by name. "
    "`s2s run` decodes sounds and images.",
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


def divided(options: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options that name sounds or images, and the others."""
    from s2s.data.media import is_media

    media = [option for option in options if is_media(Path(option))]
    return media, [option for option in options if option not in media]


def decoded(options: Sequence[str], ports: "Sequence[Port]", record: Mapping[str, Any]) -> "dict[str, Array]":
    """Decode the sounds and images that options name, for the network of `record`; what had to be changed is said."""
    from s2s.data.arrays import UNNAMED
    from s2s.data.media import Taken, decode
    from s2s.frontends.features.registry import rate_of

    arrays: dict[str, Array] = {}
    for option in options:
        name, _, file = option.rpartition("=")
        place = f"--input {option}"
        port = next((one for one in ports if one.name == name or (not name and len(ports) == 1)), None)
        if port is None or name in arrays:
            names = ", ".join(one.name for one in ports)
            raise InputError(f"{place}: names no input, or one twice; write NAME={file} for one of {names}")
        rate = rate_of(port.name, len(ports), record.get("options", {}).get("pre", ()))
        content = decode(Path(file), place, Taken(port.shape, port.dtype, rate))
        if content.note:
            print(f"{place}: {content.note}", file=sys.stderr)
        arrays[name or UNNAMED] = content.array
    return arrays
