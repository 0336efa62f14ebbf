"""`s2s run`: build a tree of C and run it on arrays from files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.inputs import decoded, divided, inputs, load_inputs
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.types.dtypes import Array


@command("run")
@click.argument("tree", type=options.PATH, metavar="TREE", help="A folder that s2s compile wrote.")
@inputs
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="Folder for the outputs, one .npy file each.")
@click.option(
    "--labels",
    type=options.PATH,
    metavar="FILE",
    help="Names of classes, one a line: show the largest outputs by name.",
)
@options.as_json
def run_command(tree: Path, inputs: tuple[str, ...], output: Path | None, labels: Path | None, as_json: bool) -> None:
    """Build a compiled tree with the C compiler of this machine and run it once.

    Example: s2s run kws --input sample.npy --labels words.txt

    Example: s2s run kws --input speech.wav

    Example: s2s run detector --input image=street.npy --input threshold=half.npy -o results
    """
    from s2s import api
    from s2s.cli.largest import read_labels
    from s2s.cli.output import print_json, steps_shown
    from s2s.data.arrays import named
    from s2s.emit.read_tree import read_tree

    if labels is not None and as_json:
        raise InputError(f"--labels {labels}: is for people, and --json for programs; give one of them")
    classes = None if labels is None else read_labels(labels)
    media, plain = divided(inputs)
    arrays = load_inputs(plain)
    with steps_shown():
        network = api.load(tree)
        arrays |= decoded(media, network.inputs, read_tree(tree).record)
        results = network.run(named(arrays, [port.name for port in network.inputs]))
    if output is not None:
        save(results, output)
    if as_json:
        print_json(
            {name: {"shape": a.shape, "dtype": str(a.dtype), "values": a.tolist()} for name, a in results.items()}
        )
    elif classes is not None:
        _show_largest(results, classes)
    elif output is None:
        texts = {port.name: port.texts for port in network.outputs}
        for name, array in results.items():
            print(f"{name}: {array.dtype}{list(array.shape)}\n{array}")
            if texts.get(name):
                print(", ".join(texts[name][int(number)] for number in array.reshape(-1) if number < len(texts[name])))


def _show_largest(results: "Mapping[str, Array]", classes: Sequence[str]) -> None:
    """Print the largest elements of the outputs whose last axis is the axis of classes."""
    from s2s.cli.largest import largest

    fitting = {name: array for name, array in results.items() if array.shape[-1:] == (len(classes),)}
    if not fitting:
        shapes = ", ".join(f"{name} {list(array.shape)}" for name, array in results.items())
        raise InputError(
            f"--labels: {len(classes)} names, and no output has as many columns: {shapes}; name each class"
        )
    for name, array in fitting.items():
        print("\n".join([f"{name}:", *largest(array, classes)]))


def save(results: "dict[str, Array]", folder: Path) -> None:
    """Write each result to `<name>.npy`, with characters replaced that file names should not have."""
    import numpy as np

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in results.items():
            np.save(folder / ("".join(c if c.isalnum() or c in "._-" else "_" for c in name) + ".npy"), array)
    except OSError as error:
        raise InputError(f"--output {folder}: cannot be written: {error.strerror}; choose another folder") from error
