"""Fourier transforms in numpy."""

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.routines import fourier
from s2s.types.dtypes import Array


def _dft(op: graph.DftOp, x: Array, roots: Array) -> Array:
    return fourier(x, op.bins.value.data, inverse=op.inverse is not None)


MEANINGS: dict[type[Operation], Meaning] = {graph.DftOp: _dft}
