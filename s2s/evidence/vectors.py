"""Generate the test vectors of an evidence pack: inputs at the limits of their types and random ones, with the outputs
that the interpreter of level `graph` finds.

A vector of a port of int8 with zero point -3 is, for example, -128 everywhere, 127 everywhere, -3 everywhere, -128 and
127 in turn, or random in a range around -3 that grows from vector to vector.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from s2s.artifact import Artifact
from s2s.c_syntax.interface import Port
from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.emit.files import Tree
from s2s.emit.info import GoldenVector
from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.interpret.tensor.run import evaluate_operation
from s2s.stages.read import Read
from s2s.types.dtypes import Array, tensor_type

VECTORS = 16
"""The vectors of a pack."""
LIMITS = ("least", "greatest", "zero", "alternating")
"""The first vectors, by what their inputs hold."""
FLOAT_LIMIT = 8.0
"""The greatest float of a vector: inputs of networks are near zero as a rule."""


def with_vectors(artifact: Artifact, count: int = VECTORS) -> tuple[Tree, tuple[GoldenVector, ...]]:
    """Return the artifact's tree with a self-test on `count` generated vectors, and the vectors; none where its own
    golden vector cannot be computed either."""
    compilation = artifact.compilation
    if not artifact.info.golden or artifact.info.sizes:
        return artifact.tree(), ()
    vectors = tuple(artifact.info.golden[:1]) + tuple(_vectors(compilation, count - 1))
    findings = replace(compilation.request.findings, golden=vectors)
    return compilation.resume(findings=findings).tree, vectors


def described(number: int) -> str:
    """Say what the inputs of a vector are; 0 is the vector of the tree's own self-test."""
    if number == 0:
        return "the tree's own"
    return LIMITS[number - 1] if number <= len(LIMITS) else f"random, range {number - len(LIMITS)}"


def _vectors(compilation: Compilation, count: int) -> Iterator[GoldenVector]:
    state = compilation.at("settle")
    for number in range(1, count + 1):
        inputs = tuple(_input(port, number) for port in state.facts[Read].inputs)
        try:
            evaluator = partial(evaluate_operation, fast=True)
            yield GoldenVector(inputs, tuple(run_graph(state.module, inputs, state.weights, evaluator=evaluator)))
        except InputError:  # indices beyond an axis, which the network refuses in C, too
            continue


def _input(port: Port, number: int) -> Array:
    """The values of an input in vector `number`, counted from 1."""
    drawn = sample(port.name, tensor_type(port.element, port.shape), number, full_range=port.quantisation is not None)
    least, greatest = _limits(drawn)
    zero = 0 if port.quantisation is None else port.quantisation[1]
    if number > len(LIMITS):
        part = (number - len(LIMITS)) / len(LIMITS) / 2
        if drawn.dtype.kind == "f":
            return np.asarray(drawn * part, drawn.dtype)
        return np.asarray(np.clip(zero + (drawn.astype(np.int64) - zero) * part, least, greatest), drawn.dtype)
    kind = LIMITS[number - 1]
    if kind == "alternating":
        return np.resize(np.array([least, greatest], drawn.dtype), drawn.shape)
    return np.full(drawn.shape, {"least": least, "greatest": greatest, "zero": zero}[kind], drawn.dtype)


def _limits(array: Array) -> tuple[float, float]:
    """The least and the greatest value of an input; wide integers often are indices, and stay in the range drawn."""
    if array.dtype.kind == "b":
        return 0, 1
    if array.dtype.kind in "iu" and array.dtype.itemsize == 1:
        limits = np.iinfo(array.dtype)
        return limits.min, limits.max
    if array.dtype.kind in "iu":
        return int(array.min(initial=0)), int(array.max(initial=1))
    return -FLOAT_LIMIT, FLOAT_LIMIT
