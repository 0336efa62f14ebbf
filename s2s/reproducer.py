"""Write what repeats an internal error: the module before the pass that failed, for `s2s-opt`.

The file holds no weights: `s2s-opt --sample-weights` makes up values. It holds the names of nodes and tensors. With
`--reproduce-with-weights` the weights that the module names stand in an `.npz` file beside it.
"""

import hashlib
import tempfile
from dataclasses import fields, replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from s2s.compilation import Compilation
from s2s.options import CompileOptions, DebugOptions
from s2s.options.declaration import default_of
from s2s.stages.failure import failure_of
from s2s.targets import Target
from s2s.types.weights import WeightStore
from s2s.version import current_version

DIGITS = 8


def write_reproducer(error: Exception, folder: Path | None = None) -> Path | None:
    """Write the reproducer of an error that a pass of a compilation raised, and return its path.

    Returns None if no pass raised the error, or if the compilation fails elsewhere now. `folder` is by default that for
    temporary files. The stages up to the pass run again.
    """
    failure = failure_of(error)
    if failure is None:
        return None
    options = replace(failure.options, debug=DebugOptions())
    try:
        text, passes, weights = Compilation(failure.source, options, failure.findings).before(failure)
    except Exception:  # the report of the first error matters more
        return None
    path = (folder if folder is not None else Path(tempfile.gettempdir())) / f"s2s-{_digest(text + passes[0])}.mlir"
    weights_option = "--sample-weights"
    if failure.options.debug.reproduce_with_weights:
        weights_option = f"--weights {path.with_suffix('.npz')}"
        _write_weights(path.with_suffix(".npz"), weights, text)
    path.write_text(_with_header(text, passes, weights_option, failure.options, error), encoding="utf-8")
    return path


def _write_weights(path: Path, weights: WeightStore, text: str) -> None:
    """Write the weights that `text` names as `s2s-opt --weights` reads them; `numpy.savez` takes not every name."""
    with ZipFile(path, "w") as archive:
        for name in weights.names():
            if f'"{name}"' in text:
                with archive.open(f"{name}.npy", "w") as file:
                    np.lib.format.write_array(file, weights.get(name), allow_pickle=False)


def _with_header(text: str, passes: list[str], weights: str, options: CompileOptions, error: Exception) -> str:
    changed = [
        f"{field.name}={_named(getattr(options, field.name))!r}"
        for field in fields(options)
        if field.name not in ("debug", "passes") and getattr(options, field.name) != default_of(field)
    ]
    lines = [
        f"RUN: s2s-opt {weights} -p '{passes[0]}' %s",
        f"s2s {current_version()}: {type(error).__name__}: {str(error).partition(chr(10))[0]}",
        f"options: {', '.join(changed)}",
        f"passes of the stage from here on: {','.join(passes)}",
    ]
    return "".join(f"// {' '.join(line.split())}\n" for line in lines) + text + "\n"


def _named(value: object) -> object:
    """A target by its name, other values as they are."""
    return value.name if isinstance(value, Target) else value


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
