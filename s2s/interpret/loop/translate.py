"""Compile a function into Python closures once, so that running it needs no look-ups.

Every value has a numbered place in a list, the frame; every operation becomes a closure that reads and writes places.
"""

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp

from s2s.dialects import loop
from s2s.interpret.loop import control, index, memory, network
from s2s.interpret.loop.operations import translate_block
from s2s.interpret.loop.scope import Kernel, Scope
from s2s.types.dtypes import Array

FAMILIES = (control, index, memory, network)
"""The families with operations of other dialects, which register their meanings when they are imported."""


def translate_function(scope: Scope, function: FuncOp) -> Kernel:
    """Compile `function` to a Python function of its buffers, which runs all tiles of a kernel with tiles."""
    for argument in function.body.block.args:
        scope.new(argument)
    body = translate_block(scope, function.body.block)
    constants, first = scope.constants, function.body.block.first_op

    def run(buffers: Sequence[Array]) -> None:
        frame = constants.copy()
        frame[: len(buffers)] = buffers
        for step in body:
            step(frame)

    def run_tiles(buffers: Sequence[Array]) -> None:
        for tile in range(tiles):
            constants[place] = tile
            run(buffers)

    if not isinstance(first, loop.TileOp):
        return run
    place, tiles = scope.place(first.result), first.count.value.data
    return run_tiles
