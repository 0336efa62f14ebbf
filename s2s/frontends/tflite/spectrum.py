"""Import Fourier transforms of two dimensions, and the operators that make real numbers of complex ones.

A tensor of complex numbers is one of floats with a last dimension of two: real and imaginary part. Compared with a
tolerance of 1e-6 of the largest magnitude: the steps of a transform are ordered differently.
"""

from collections.abc import Mapping
from functools import partial

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import pad, reshape, take, transpose
from s2s.frontends.fourier import fourier, has_routine
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.schema import COMPLEX
from s2s.frontends.tflite.tensors import Tensor


def _complex(node: Node) -> Value:
    x = node.input(0)
    if x.info.kind != COMPLEX:
        raise node.unsupported(f"its input is {x.info.kind.lower()}", "give complex numbers of two floats")
    return x.value


def part_of(x: Tensor, place: int) -> Value:
    """The real (0) or imaginary (1) part of complex numbers."""
    return reshape(take(x.value, x.rank - 1, place, 1), x.shape[:-1])


def _part(place: int, node: Node) -> Value:
    _complex(node)
    return part_of(node.input(0), place)


def _abs(node: Node) -> Value:
    x = _complex(node)
    return emit(graph.SqrtOp, emit(graph.ReduceSumOp, x * x, axes=[x.rank - 1]))


def _rfft2d(node: Node) -> Value:
    """The transform along the last dimension, whose half is kept, then along the one before."""
    x, sizes = node.input(0), node.known_ints(1, "the size of the transform")
    require_kinds(node, (x,), "float32")
    if x.rank < 2 or len(sizes) != 2 or min(sizes) < 1:
        raise node.invalid(f"transforms {list(x.shape)} by {sizes}", "give two dimensions and two sizes")
    for size, count, parts in zip(sizes, x.shape[-2:], (2, 1), strict=True):
        if not has_routine(size, parts):
            node.require_small(4 * size * count, "the Fourier matrix")
    rows, columns = sizes
    cut = take(x.value, x.rank - 2, 0, min(rows, x.shape[-2]))
    missing = [0] * (x.rank - 2) + [rows - cut.shape[-2], 0]
    whole = pad(cut, [0] * x.rank, missing)
    halves = fourier(reshape(whole, [*whole.shape, 1]), columns, inverse=False, onesided=True)
    if rows == 1:
        return halves
    swapped = [*range(x.rank - 2), x.rank - 1, x.rank - 2, x.rank]
    return transpose(fourier(transpose(halves, swapped), rows, inverse=False, onesided=False), swapped)


IMPORTERS: Mapping[str, Importer] = {
    "COMPLEX_ABS": _abs,
    "IMAG": partial(_part, 1),
    "REAL": partial(_part, 0),
    "RFFT2D": _rfft2d,
}
