"""Let a kernel read its arguments from offsets on that follow from the sizes of the run.

    func.func private @conv(%x: tensor<98x98xf32> {begins = ["h", "w"]}) { tensor.compute … reads(%x at …) }
->
    func.func private @conv(%y: …, %x: memref<9604xf32>) {
      %h = loop.size "h" from 0 to 1
      %w = loop.size "w" from 0 to 1
      %x_from = loop.shift %x[affine_map<(d0, d1) -> (d0 * 98 + d1)>(%h, %w)]
      … loop.load %x_from …

The rest of the kernel is that of an offset of 0.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.network.begins import begins_of
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.types.affine import bounds, flat_index
from s2s.types.dtypes import flat_buffer
from s2s.types.hints import isa


def shift_arguments(
    kernel: FuncOp, buffers: dict[SSAValue, SSAValue], sizes: Mapping[str, loop.SizeOp], block: Block
) -> None:
    """Replace the buffers of arguments that a kernel begins to read at an offset."""
    emitter = Emitter(block)
    emitter.enter_sizes(sizes)
    for argument in kernel.args:
        begins, shape = begins_of(kernel, argument), shape_of(argument)
        if not any(begins):
            continue
        if len(begins) != len(shape):
            raise CompilerBug(f"{kernel.sym_name.data}: {len(begins)} offsets of an argument of shape {list(shape)}")
        place: list[AffineExpr] = [emitter.sizes[name] if name else AffineConstantExpr(0) for name in begins]
        position = flat_index(place, shape)
        buffer = buffers[argument]
        assert isa(buffer.type, MemRefType)
        rest = buffer.type.get_shape()[0] - bounds(position, emitter.space.bound)[1]
        affine_map, indices = emitter.space.emit(position)
        shift = loop.ShiftOp(buffer, affine_map, indices, flat_buffer(buffer.type.element_type, rest))
        buffers[argument] = emitter.add(shift, buffer.name_hint).result
