"""The project of a demo: the network, its C, a program that runs it on samples, and a Makefile."""

from pathlib import Path
from typing import TYPE_CHECKING

import onnx

from s2s.artifact import compile_artifact
from s2s.emit.files import write_tree
from s2s.emit.templates import fill
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.version import current_version

if TYPE_CHECKING:
    from s2s.demos.made import Made
    from s2s.demos.registry import Demo


def write_demo(demo: "Demo", trained: "Made", destination: Path) -> None:
    """Write the project to a new folder, whole or not at all."""
    check_new(destination)
    model = onnx.load_model_from_string(trained.model)
    with compile_artifact(model, CompileOptions(target="c", name=demo.name, pre=demo.pre)) as artifact:
        tree = artifact.tree()
    views = {
        "demo": demo,
        "network": tree.network(),
        "generator": f"s2s {current_version()}",
        "element": tree.network().inputs[0].c_type,
        "samples": [[_literal(value) for value in sample.reshape(-1).tolist()] for sample in trained.samples],
        "labels": trained.labels,
        "classes": demo.classes,
    }
    names = ("main.c", "samples.h", "Makefile", "README.md")
    files = {name: fill(f"demo/{name}.j2", **views).encode() for name in names}
    network = {f"{demo.name}/{path}": tree.content(path) for path in tree}
    write_tree({f"{demo.name}.onnx": trained.model, **files, **network}, destination)


def check_new(destination: Path) -> None:
    """Raise `InputError` if a folder is there already."""
    if destination.exists():
        raise InputError(f"{destination}: is there already; name a new folder with --output")


def _literal(value: float) -> str:
    """Return a number as C reads it back."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.9g}f" if set(f"{value:.9g}") & set(".e") else f"{value:.1f}f"


__all__ = ["check_new", "write_demo"]
