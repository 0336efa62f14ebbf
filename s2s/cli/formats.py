"""`--format` of `s2s export` and `s2s compile`: what a tree is packed as."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import click

Format = Literal[
    "cmake",
    "make",
    "meson",
    "single",
    "arduino",
    "platformio",
    "esp-idf",
    "zephyr",
    "cmsis-pack",
    "wheel",
    "mlperf-tiny",
    "rust",
    "wasm",
    "web",
    "all",
]


def formats(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option `--format`."""
    return click.option(
        "--format",
        "-f",
        type=click.Choice(get_args(Format)),
        multiple=True,
        required=required,
        help="What the tree becomes; may be repeated, or `all`: a folder of each in DIR.",
    )


def checked_folder(output: Path | None, name: str, formats: Sequence[str]) -> Path:
    """Return the folder that a tree, or its packages, is written to, named by the user or else after the network.

    Raises InputError for packages where something that is not theirs would be replaced.
    """
    folder = output if output is not None else default_folder(name, formats)
    if formats:
        from s2s.packagings.formats import check_folders

        check_folders(formats, folder)
    return folder


def default_folder(name: str, formats: Sequence[str]) -> Path:
    """Return the folder that a tree, or its packages, is written to where the user names none."""
    if not formats:
        return Path(name)
    return Path(f"{name}-{formats[0] if len(formats) == 1 and formats[0] != 'all' else 'packages'}")


def packages_in_words(found: Mapping[str, Path | str]) -> dict[str, str]:
    """Return for each format the folder that was written, or why the tree does not allow it."""
    return {name: str(to) if isinstance(to, Path) else f"refused: {to}" for name, to in found.items()}


def packages_as_dict(found: Mapping[str, Path | str]) -> dict[str, dict[str, str]]:
    """Return the folders and the refusals for JSON."""
    return {
        "packages": {name: str(to) for name, to in found.items() if isinstance(to, Path)},
        "refused": {name: to for name, to in found.items() if isinstance(to, str)},
    }
