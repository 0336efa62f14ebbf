"""Compiled networks and emitted trees that tests share: each is made once in a process.

There is one network for each family of operators; `support.scheduling` has its tests run in one process.
"""

import tempfile
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from s2s import api
from s2s.artifact import Artifact
from s2s.targets import get_target
from s2s.verify.toolchain import accepted_flags
from support import layer_cases, operator_cases
from support.compiled import compiled
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"

FAMILIES = {
    family.__name__: family
    for family in (
        *(operator_cases.functions, operator_cases.casts, operator_cases.binary, operator_cases.shapes),
        *(operator_cases.iotas, operator_cases.indices, operator_cases.reductions, operator_cases.quantised),
        *(layer_cases.convolutions, layer_cases.products, layer_cases.pools, layer_cases.normalisations),
    )
}
"""Makers of the cases that share a network."""


def artifact_of(network: str, target: str, **options: Any) -> Artifact:
    """The network called `network`: that of the demo (`digits`), or the cases of a family, which stays loaded."""
    if network == "digits":
        return api.compile(DIGITS, target=target, name="net", **options)
    return _family(network, target, **options)


@lru_cache(maxsize=4)
def _family(name: str, target: str, **options: Any) -> Artifact:
    module, _ = operator_cases.network(FAMILIES[name]())
    return compiled(module, target=target, **options)


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="s2s-test-trees-")


@cache
def written(network: str, target: str, executor: str = "aot", weights: str = "auto") -> Path:
    """The tree of a network; not to be changed."""
    place = Path(_folder().name) / f"{network}-{target}-{executor}-{weights}"
    options = {} if (executor, weights) == ("aot", "auto") else {"executor": executor, "weights": weights}
    return artifact_of(network, target, **options).write(place)


def sources(tree: Path, *, tests: bool = True) -> list[str]:
    """The C files of a tree, relative to it."""
    found = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.c"))
    return [path for path in found if tests or not path.startswith("test/")]


def command(tree: Path, compiler: str, target: str, *flags: str, tests: bool = True) -> list[str | Path]:
    """A command that compiles all files of a tree at once, to be run in it."""
    includes = ["-Iinclude", "-Isrc", "-Iruntime/include"]
    own = accepted_flags((compiler,), get_target(target).cflags)
    return [compiler, *own, *flags, *includes, *sources(tree, tests=tests)]
