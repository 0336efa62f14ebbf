"""Fourier transforms in numpy."""

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.fixed_fourier import fixed_fourier, fixed_inverse
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.routines import fourier
from s2s.types.dtypes import Array


def _dft(op: graph.DftOp, x: Array, roots: Array) -> Array:
    return fourier(x, op.bins.value.data, inverse=op.inverse is not None)


def _fixed_dft(op: graph.FixedDftOp, x: Array, roots: Array, turns: Array) -> Array:
    if op.inverse is None:
        found = fixed_fourier(x.reshape(-1, x.shape[-1]), roots, turns)
    else:
        found = fixed_inverse(x.reshape(-1, *x.shape[-2:]), roots, turns)
    return found.reshape(op.y.type.get_shape())


MEANINGS: dict[type[Operation], Meaning] = {graph.DftOp: _dft, graph.FixedDftOp: _fixed_dft}
