"""Lower the index arithmetic of kernels."""

from xdsl.ir import SSAValue

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS


@LOWERINGS.register(loop.SizeOp)
def size(b: Builder, op: loop.SizeOp) -> SSAValue:
    """Lower a size of this run to the parameter of the function."""
    b.ranges[op.result] = op.bounds
    return b.sizes[op.size.data]


@LOWERINGS.register(loop.TileOp)
def tile(b: Builder, op: loop.TileOp) -> SSAValue:
    """Lower the number of a tile to the last parameter of the function."""
    if b.tile is None:
        raise CompilerBug(f"{op.name} in a function without a parameter for it")
    b.ranges[op.result] = op.bounds
    return b.tile


@LOWERINGS.register(loop.ApplyOp)
def apply(b: Builder, op: loop.ApplyOp) -> SSAValue:
    """Lower an affine expression of indices."""
    return index_expression(b, op.map.data.results[0], op.indices)
