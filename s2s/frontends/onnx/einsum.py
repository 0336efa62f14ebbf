"""Einsum, as sums over one operand and matrix products of two."""

from collections.abc import Mapping, Sequence
from math import prod
from string import ascii_letters
from typing import NamedTuple

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, reshape, select, transpose
from s2s.frontends.names import one_line
from s2s.frontends.onnx.node import Importer, Node


class _Term(NamedTuple):
    """A value and one label for each of its dimensions, all different."""

    value: Value
    labels: tuple[str, ...]

    def size(self, label: str) -> int:
        """Size of the dimension called `label`, one when there is none."""
        return self.value.shape[self.labels.index(label)] if label in self.labels else 1


def _einsum(node: Node) -> Value:
    equation, operands = node.text("equation").replace(" ", ""), node.inputs()
    inputs, arrow, output = equation.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(operands):
        raise node.invalid(
            f"equation {one_line(equation)!r} has {len(parts)} terms for {len(operands)} inputs", "fix it"
        )
    terms = [_term(node, labels, value) for labels, value in zip(parts, operands, strict=True)]
    ellipsis = max((label for term in terms for label in term.labels if label.isdigit()), key=int, default="-1")
    dots = tuple(str(position) for position in range(int(ellipsis), -1, -1))
    wanted = _expand(output, dots) if arrow else _implicit_output(inputs, dots)
    known = {label for term in terms for label in term.labels}
    if len(set(wanted)) != len(wanted) or not set(wanted) <= known:
        raise node.invalid(
            f"output of equation {one_line(equation)!r} has a label twice or not in the inputs", "fix it"
        )
    result = terms[0]
    for position, term in enumerate(terms[1:], 1):
        needed = {*wanted, *(label for later in terms[position + 1 :] for label in later.labels)}
        result = _contract(
            node, _sum_out(result, needed | {*term.labels}), _sum_out(term, needed | {*result.labels}), needed
        )
    result = _sum_out(result, set(wanted))
    return transpose(result.value, [result.labels.index(label) for label in wanted])


def _expand(labels: str, dots: tuple[str, ...]) -> tuple[str, ...]:
    """`labels` with the ellipsis written out; its dimensions are numbered from the back."""
    before, ellipsis, after = labels.partition("...")
    return (*before, *(dots if ellipsis else ()), *after)


def _implicit_output(inputs: str, dots: tuple[str, ...]) -> tuple[str, ...]:
    """Without an output: the ellipsis, then the labels that occur once, in alphabetical order."""
    letters = [label for label in inputs if label in ascii_letters]
    return (*dots, *sorted(label for label in set(letters) if letters.count(label) == 1))


def _term(node: Node, text: str, value: Value) -> _Term:
    spare = value.rank - len(text.replace("...", ""))
    if spare < 0 or (spare > 0 and "..." not in text) or not set(text.replace("...", "")) <= set(ascii_letters):
        raise node.invalid(
            f"term {one_line(text)!r} does not fit a tensor of {value.rank} dimensions", "fix the equation"
        )
    labels = _expand(text, tuple(str(position) for position in range(spare - 1, -1, -1)))
    while len(set(labels)) != len(labels):
        value, labels = _diagonal(node, value, labels)
    return _Term(value, labels)


def _diagonal(node: Node, value: Value, labels: tuple[str, ...]) -> tuple[Value, tuple[str, ...]]:
    """`value` where the two dimensions of a label that occurs twice are equal."""
    second = next(at for at, label in enumerate(labels) if label in labels[:at])
    first = labels.index(labels[second])
    size = value.shape[first]
    if value.shape[second] != size:
        raise node.invalid(f"dimensions of label {labels[second]!r} differ", "fix the equation")
    shape = [size if axis in (first, second) else 1 for axis in range(value.rank)]
    chosen = select(node.constant(np.eye(size, dtype=np.bool_).reshape(shape)), value, 0)
    picked = emit(graph.ReduceSumOp, chosen, axes=[second])
    return picked, labels[:second] + labels[second + 1 :]


def _sum_out(term: _Term, needed: set[str]) -> _Term:
    """`term` summed over the dimensions nobody needs."""
    axes = [axis for axis, label in enumerate(term.labels) if label not in needed]
    if not axes:
        return term
    kept = tuple(label for label in term.labels if label in needed)
    return _Term(emit(graph.ReduceSumOp, term.value, axes=axes), kept)


def _contract(node: Node, a: _Term, b: _Term, needed: set[str]) -> _Term:
    """The product of two terms, summed over the labels that both have and nobody needs, by a matrix product."""
    both = [label for label in a.labels if label in b.labels]
    for label in both:
        if 1 not in (a.size(label), b.size(label)) and a.size(label) != b.size(label):
            raise node.invalid(
                f"dimensions of label {label!r} have sizes {a.size(label)} and {b.size(label)}", "fix them"
            )
    batch = [label for label in both if label in needed]
    summed = [label for label in both if label not in needed]
    rows = [label for label in a.labels if label not in both]
    columns = [label for label in b.labels if label not in both]
    sizes = {label: max(a.size(label), b.size(label)) for label in (*a.labels, *b.labels)}
    left = _matrix(a, [batch, rows, summed], sizes)
    right = _matrix(b, [batch, summed, columns], sizes)
    labels = (*batch, *rows, *columns)
    return _Term(reshape(emit(graph.MatmulOp, left, right), [sizes[label] for label in labels]), labels)


def _matrix(term: _Term, groups: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> Value:
    """`term` with its dimensions brought into groups, each of which becomes one dimension."""
    order = [label for group in groups for label in group]
    value = transpose(term.value, [term.labels.index(label) for label in order])
    value = broadcast_to(value, [sizes[label] for label in order])
    return reshape(value, [prod(sizes[label] for label in group) for group in groups])


IMPORTERS: Mapping[str, Importer] = {"Einsum": _einsum}
