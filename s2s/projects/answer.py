"""What the program of a project prints when it starts: the answer of the network to the input of the self-test."""

from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from s2s.c_syntax.identifiers import c_string
from s2s.c_syntax.interface import Port
from s2s.emit.selftest import vector_names
from s2s.packagings.description import TreeDescription

INEXACT = ("float32", "float64")
WITHOUT_VALUE = ("float16", "bfloat16")
"""Dtypes that C has no type for; their elements are not printed."""


class PortView(NamedTuple):
    """An input or output of the program."""

    identifier: str
    text: str
    """The name in the model, for a string in C."""
    elements: int
    """How many it has."""
    vector: str
    """The constant with its values in the self-test."""
    value: str
    """The real value of the element `place` of the array `from`, in C; empty where C has no type for it."""
    exact: bool
    """Whether all elements are equal to the elements of the self-test."""


class Answer(NamedTuple):
    """The parts of the program."""

    title: str
    model: str
    inputs: tuple[PortView, ...]
    outputs: tuple[PortView, ...]
    has_vectors: bool
    """Whether the tree has inputs of a self-test, with what the outputs are."""
    relative: float
    absolute: float
    ticks: str
    """How long the run took, in C."""
    unit: str
    stack: str
    """The stack of the run function, in words; empty where it was not measured."""


def vector_files(tree: TreeDescription) -> list[str]:
    """The files of the tree that hold the inputs and outputs of the self-test; none for sizes that vary."""
    if tree.network.sizes:
        return []
    return [path for path in tree.files if PurePosixPath(path).stem == f"{tree.name}_vectors"]


def answer_of(tree: TreeDescription, instructions_per_tick: Fraction | None) -> Answer:
    """The parts of the program; a clock that counts no instructions counts microseconds."""
    network = tree.network
    names = vector_names(network, network.ports, 0)
    views = list(map(_port, network.ports, names))
    ratio = instructions_per_tick
    measured: dict[str, Any] = tree.record["measured"] or {}
    return Answer(
        title=_text(tree.summary),
        model=_text(tree.source),
        inputs=tuple(views[: len(network.inputs)]),
        outputs=tuple(views[len(network.inputs) :]),
        has_vectors=bool(vector_files(tree)),
        relative=tree.record["tolerance"]["relative"],
        absolute=tree.record["tolerance"]["absolute"],
        ticks="after - before" if ratio is None else f"(after - before) * {ratio.numerator}u / {ratio.denominator}u",
        unit="microseconds" if ratio is None else "instructions (emulated)",
        stack="" if measured.get("stack") is None else f", {measured['stack']} of stack",
    )


def _port(port: Port, vector: str) -> PortView:
    element, dtype = f"((const {port.c_type} *)from)[place]", port.dtype.name
    value = f"(double){element}"
    if dtype == "bool":
        value = f"{element} ? 1.0 : 0.0"
    if port.quantisation is not None:
        value = f"{port.quantisation.scale!r} * ({value} - {float(port.quantisation.zero_point)!r})"
    if dtype in WITHOUT_VALUE:
        value = ""
    return PortView(port.identifier, _text(port.name), port.count, vector, value, dtype not in INEXACT)


def _text(text: str) -> str:
    """Any text as the inside of a string literal of C."""
    return c_string(text)[1:-1]
