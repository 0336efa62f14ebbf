"""Store what the margins of a result hold: a few positions behind the end of an axis, over all other axes.

    tensor.compute [8, 320] … {margins = [{axis = 1, count = 2, size = "w", value = 0.0 : f32}]}
->
    loop.for %i = 0 to 8 {
      loop.for %j = %w to min(%w + 2, 320) { store 0.0 at i * 320 + j }
    }
"""

from collections.abc import Mapping
from contextlib import ExitStack
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter
from s2s.types.affine import flat_index
from s2s.types.hints import isa
from s2s.types.margins import MARGINS, Margin, margins_of


def emit_margins(
    op: tensor.Computation, buffers: Mapping[SSAValue, SSAValue], block: Block, sizes: Mapping[str, loop.SizeOp]
) -> None:
    """Append to `block` the loops that store the margins of `op`."""
    for margin in margins_of(op.attributes.get(MARGINS)):
        (result,) = op.results
        buffer, shape = buffers[result], shape_of(result)
        assert isa(buffer.type, MemRefType)
        if prod(buffer.type.get_shape()) < prod(shape):
            raise CompilerBug("a tensor of which one block is stored has no margins; the verifier refuses that")
        emitter = Emitter(block)
        emitter.enter_sizes(sizes)
        _emit(emitter, buffer, shape, margin)


def _emit(emitter: Emitter, buffer: SSAValue, shape: tuple[int, ...], margin: Margin) -> None:
    end = emitter.sizes[margin.size]
    place: list[AffineExpr] = []
    with ExitStack() as stack:
        for axis, size in enumerate(shape):
            bounds = Bounds(0, size)
            if axis == margin.axis:
                bounds = bounds._replace(lower=(end,), upper=(end + margin.positions,))
            place.append(stack.enter_context(emitter.loop(bounds, "ijklmnop"[axis % 8])))
        affine_map, indices = emitter.space.emit(flat_index(place, shape))
        emitter.add(loop.StoreOp(emitter.constant(margin.value), buffer, affine_map, indices))
