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
@click.option(
    "--data",
    type=options.PATH,
    metavar="SAMPLES",
    help="Run on each of many samples: .npz, .npy, .csv, .parquet, a folder of images or sounds, FILE.py:FUNCTION.",
)
@click.option("--classes", metavar="NAME", help="Array or column of SAMPLES with the class of each sample.")
@options.as_json
def run_command(
    tree: Path,
    inputs: tuple[str, ...],
    output: Path | None,
    labels: Path | None,
    data: Path | None,
    classes: str | None,
    as_json: bool,
) -> None:
    """Build a compiled tree with the C compiler of this machine and run it once, or on each of many samples.

    Example: s2s run kws --input sample.npy --labels words.txt

    Example: s2s run kws --input speech.wav

    Example: s2s run birds --data photos

    Example: s2s run detector --input image=street.npy --input threshold=half.npy -o results
    """
    from s2s import api
    from s2s.cli.largest import read_labels
    from s2s.cli.output import print_json, save, steps_shown
    from s2s.data.arrays import named
    from s2s.emit.read_tree import read_tree

    if data is not None:
        from s2s.cli.many import run_samples

        if inputs or labels is not None:
            raise InputError(
                f"--data {data}: gives all inputs, and no names of classes; leave --input and --labels out"
            )
        run_samples(tree, data, classes, output, as_json=as_json)
        return
    if classes is not None:
        raise InputError(f"--classes {classes}: is an array or a column of --data; add it")
    if labels is not None and as_json:
        raise InputError(f"--labels {labels}: is for people, and --json for programs; give one of them")
    titles = None if labels is None else read_labels(labels)
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
    elif titles is not None:
        _show_largest(results, titles)
    elif output is None:
        _show_all(results, {port.name: port.texts for port in network.outputs})


def _show_all(results: "Mapping[str, Array]", texts: "Mapping[str, Sequence[str]]") -> None:
    """Print the outputs, and the names of the classes that they number."""
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
