"""`s2s run`: a tree of C built and called with arrays from files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from s2s.cli import options
from s2s.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def run_command(
    tree: Annotated[Path, typer.Argument(metavar="TREE", help="A folder that s2s compile wrote.", show_default=False)],
    inputs: Annotated[
        list[str] | None, typer.Option("--input", "-i", metavar="NAME=FILE.npy", help="An input; repeat for each.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder for the outputs, one .npy file each.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Build a compiled tree with the C compiler of this machine and run it once.

    Example: s2s run kws --input mfcc=sample.npy
    """
    from s2s import api
    from s2s.cli.output import print_json, steps_shown

    arrays = {name: load(name, Path(file)) for name, file in (split_input(option) for option in inputs or ())}
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
    """`x=a.npy` as name and file."""
    name, equals, file = option.partition("=")
    if not (name and equals and file):
        raise InputError(f"--input {option}: not of the form NAME=FILE.npy")
    return name, file


def load(name: str, file: Path) -> "npt.NDArray[np.generic]":
    """The array in `file`; pickled objects are refused, because unpickling runs code."""
    import numpy as np

    try:
        array = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"--input {name}={file}: cannot be read: {error}; write it with numpy.save") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"--input {name}={file}: holds several arrays; write the one array with numpy.save")
    return cast("npt.NDArray[np.generic]", array)


def save(results: "dict[str, npt.NDArray[np.generic]]", folder: Path) -> None:
    """Write each result as `<name>.npy`, characters that file names should not have replaced."""
    import numpy as np

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in results.items():
            np.save(folder / ("".join(c if c.isalnum() or c in "._-" else "_" for c in name) + ".npy"), array)
    except OSError as error:
        raise InputError(f"--output {folder}: cannot be written: {error.strerror}; choose another folder") from error
