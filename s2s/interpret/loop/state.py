"""Find where a loop-level network keeps its state: in arguments of `main` or, after memory planning, in its arena.

Constants that are copied to the arena before the first run count as state that no run changes.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from s2s.analysis.network.functions import INIT, LOADED, STATE, text
from s2s.dialects import loop
from s2s.interpret.loop.scope import memref
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, size_in_bytes, to_numpy
from s2s.types.weights import WeightStore


@frozen
class StatePlace:
    """A flat buffer that keeps its value between runs: argument `number` of `main`, or its arena at `offset`."""

    number: int
    offset: int | None
    type: MemRefType[Attribute]
    init: str | None

    def initial(self, weights: WeightStore) -> Array:
        """Return the value before the first run."""
        if self.init is None:
            return np.zeros(self.type.get_shape(), to_numpy(self.type.element_type))
        return np.array(weights.get(self.init)).reshape(-1)

    def of(self, buffers: Sequence[Array]) -> Array:
        """Return its elements among the buffers of `main`."""
        if self.offset is None:
            return buffers[self.number]
        end = self.offset + self.type.get_shape()[0] * size_in_bytes(self.type.element_type)
        return buffers[self.number].view(np.uint8)[self.offset : end].view(to_numpy(self.type.element_type))


def state_places(main: FuncOp) -> list[StatePlace]:
    """Return all state of `main`, in order."""
    found: list[StatePlace] = []
    for argument, attributes in zip(main.body.block.args, main.arg_attrs or (), strict=False):
        if STATE in attributes.data:
            found.append(StatePlace(argument.index, None, memref(argument), text(attributes, INIT)))
    for op in main.body.block.ops:
        if isinstance(op, loop.ViewOp) and (STATE in op.attributes or LOADED in op.attributes):
            init = op.attributes.get(INIT)
            name = init.data if isinstance(init, StringAttr) else None
            found.append(StatePlace(0, op.offset.value.data, memref(op.result), name))
    return found


def initial_loop_state(main: FuncOp, weights: WeightStore) -> list[Array]:
    """Return the state of a network before its first run, one flat array each."""
    return [place.initial(weights) for place in state_places(main)]
