"""Store vectors of bytes whose elements lie in turn as one.

    loop.store %r, %y[affine_map<(d0) -> (d0 * 3)>(%i)] {stride = 3} : vector<16xi8>, memref<96xi8>
    loop.store %g, %y[affine_map<(d0) -> (d0 * 3 + 1)>(%i)] {stride = 3} : vector<16xi8>, memref<96xi8>
    loop.store %b, %y[affine_map<(d0) -> (d0 * 3 + 2)>(%i)] {stride = 3} : vector<16xi8>, memref<96xi8>
->
    loop.store_woven %y[affine_map<(d0) -> (d0 * 3)>(%i)] from %r, %g, %b : memref<96xi8>, vector<16xi8>, …

An image whose channels come first is quantised so to one whose channels come last: bytes one by one cost more than the
arithmetic. Declined where the vectors are not filled, where a place between them stays free, where another operation of
the block touches the buffer, and in kernels whose result may lie over an operand: stores move behind loads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, VectorType, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from s2s.analysis.affine import Linear, linear
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop import IN_PLACE

UNBOUNDED = (-(2**31), 2**31)


@dataclass(frozen=True)
class WeaveStoresPass(ModulePass):
    name = "loop-weave-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not _overwrites_operands(func):
                for inner in func.walk():
                    for region in inner.regions:
                        for block in region.blocks:
                            _weave(block)


def _overwrites_operands(func: FuncOp) -> bool:
    listed = func.attributes.get(IN_PLACE)
    return isinstance(listed, DenseArrayBase) and len(listed.get_values()) > 0


def _weave(block: Block) -> None:
    groups: dict[tuple[SSAValue, tuple[SSAValue, ...], Attribute], list[loop.StoreOp]] = {}
    for op in block.ops:
        if isinstance(op, loop.StoreOp) and _is_strided(op):
            groups.setdefault((op.buffer, tuple(op.indices), op.value.type), []).append(op)
    for stores in groups.values():
        count = stores[0].lane_stride
        forms = [_form(op) for op in stores]
        order = sorted(range(len(stores)), key=lambda number: forms[number].constant)
        apart = [forms[number].plus(forms[order[0]], -1) for number in order]
        if len(stores) == count and apart == [Linear(place) for place in range(count)] and _alone(block, stores):
            first = stores[order[0]]
            values = [stores[number].value for number in order]
            woven = loop.StoreWovenOp(values, first.buffer, first.map.data, list(first.indices))
            Rewriter.insert_op(woven, InsertPoint.after(stores[-1]))
            for op in stores:
                Rewriter.erase_op(op)


def _is_strided(op: loop.StoreOp) -> bool:
    type = op.value.type
    return isa(type, VectorType) and type.element_type == i8 and op.lanes is None and 1 < op.lane_stride <= loop.GROUP


def _form(op: loop.StoreOp) -> Linear:
    return linear(op.map.data.results[0], [UNBOUNDED] * len(op.indices))


def _alone(block: Block, stores: Sequence[loop.StoreOp]) -> bool:
    """Whether nothing else in `block` touches the buffer, and all have the same stride."""
    buffer, mine = stores[0].buffer, set(stores)
    touching = [op for op in block.walk() if buffer in op.operands and op not in mine]
    return not touching and len({op.lane_stride for op in stores}) == 1
