"""`s2s run`: build a tree of C and run it on arrays from files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.types.dtypes import Array


@command("run")
@click.argument("tree", type=options.PATH, metavar="TREE", help="A folder that s2s compile wrote.")
@click.option("--input", "-i", "inputs", multiple=True, metavar="NAME=FILE.npy", help="An input; repeat for each.")
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="Folder for the outputs, one .npy file each.")
@options.as_json
def run_command(tree: Path, inputs: tuple[str, ...], output: Path | None, as_json: bool) -> None:
    """Build a compiled tree with the C compiler of this machine and run it once.

    Example: s2s run kws --input mfcc=sample.npy
    """
    from s2s import api
    from s2s.cli.output import print_json, steps_shown

    arrays = load_inputs(inputs)
    with steps_shown():
        results = api.load(tree).run(arrays)
    if output is not None:
        save(results, output)
    if as_json:
        print_json(
            {name: {"shape": a.shape, "dtype": str(a.dtype), "values": a.tolist()} for name, a in results.items()}
        )
    elif output is None:
        for name, array in results.items():
            print(f"{name}: {array.dtype}{list(array.shape)}\n{array}")


def split_input(option: str) -> tuple[str, str]:
    """Split `x=a.npy` into name and file."""
    name, equals, file = option.partition("=")
    if not (name and equals and file):
        raise InputError(
            f"--input {option}: is not of the form NAME=FILE.npy; write, for example, --input x=sample.npy"
        )
    return name, file


def load_inputs(given: Sequence[str]) -> "dict[str, Array]":
    """Load the arrays of the options `NAME=FILE.npy`, by name."""
    from s2s.data.arrays import read_array

    arrays: dict[str, Array] = {}
    for option in given:
        name, file = split_input(option)
        if name in arrays:
            raise InputError(f"--input {option}: {name} is given twice; give one file for each input")
        arrays[name] = read_array(Path(file), f"--input {option}")
    return arrays


def save(results: "dict[str, Array]", folder: Path) -> None:
    """Write each result to `<name>.npy`, with characters replaced that file names should not have."""
    import numpy as np

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in results.items():
            np.save(folder / ("".join(c if c.isalnum() or c in "._-" else "_" for c in name) + ".npy"), array)
    except OSError as error:
        raise InputError(f"--output {folder}: cannot be written: {error.strerror}; choose another folder") from error
