"""Where inputs and outputs are during a run: in the arena, or in memory of the caller."""

import numpy as np

from s2s.c_syntax.interface import Port
from s2s.options import Io
from s2s.types.dtypes import Array
from s2s.verify.guarded import GUARD, Guarded


def placed(port: Port, arena: Guarded, value: Array, io: Io) -> Array:
    """Return the memory that holds an input during a run."""
    if io == "caller" or port.offset is None:
        return value
    place = arena.part(port.offset, port.size).memory
    place[:] = value.reshape(-1).view(np.uint8)
    return place


def place_of(port: Port, arena: Guarded, io: Io) -> Guarded:
    """Return the memory that holds an output."""
    if io == "caller" or port.offset is None:
        return Guarded(port.size, max(GUARD, port.dtype.itemsize))
    return arena.part(port.offset, port.size)
