"""Merge stores of vectors whose elements interleave in memory into one interleaved store.

    loop.store %r, %y[affine_map<(d0) -> (d0 * 3)>(%i)] {stride = 3} : vector<16xi8>, memref<96xi8>
    loop.store %g, %y[affine_map<(d0) -> (d0 * 3 + 1)>(%i)] {stride = 3} : vector<16xi8>, memref<96xi8>
    loop.store %b, %y[affine_map<(d0) -> (d0 * 3 + 2)>(%i)] {stride = 3} : vector<16xi8>, memref<96xi8>
->
    loop.store_interleaved %y[affine_map<(d0) -> (d0 * 3)>(%i)] from %r, %g, %b : memref<96xi8>, vector<16xi8>, …

Quantising an image from channels first to channels last makes such stores: to store byte by byte costs more than the
arithmetic. Vectors need not fill the places between two lanes: a tile of results whose vectors run along another
dimension than memory does is transposed in registers and stored in whole vectors, or in words of bytes.

    loop.store %a, %y[affine_map<(d0) -> (d0)>(%i)] {stride = 784} : vector<16xf32>, …
    loop.store %b, %y[affine_map<(d0) -> (d0 + 1)>(%i)] {stride = 784} : vector<16xf32>, …
    …
->
    loop.store_interleaved %y[affine_map<(d0) -> (d0)>(%i)] from %a, %b, … {stride = 784} : memref<25088xf32>, …

Two whole vectors at distance 2, such as the x and the y of points, interleave by one shuffle for each.

Declined where too few vectors of floats or of integers of 32 bits lie side by side to pay for the transposition; where
another operation of the block touches the buffer, or stores the same element in between; and in kernels whose result
may lie over an operand: stores move behind loads.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, Float32Type, MemRefType, ModuleOp, VectorType, i8, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.arguments import IN_PLACE
from s2s.dialects import loop
from s2s.types.affine import linear
from s2s.types.dtypes import ui8
from s2s.types.hints import isa

UNBOUNDED = (-(2**31), 2**31)
MIN_SHARE = 4
"""Transpose numbers of 32 bits in registers only if more than a quarter as many vectors as lanes are neighbours."""


class Store(NamedTuple):
    """A store of a vector, and the constant part of the position of its first lane."""

    place: int
    op: loop.StoreOp

    @property
    def lanes(self) -> int:
        """The number of lanes of the vector."""
        assert isa(self.op.value.type, VectorType)
        return self.op.value.type.get_shape()[0]

    @property
    def is_bytes(self) -> bool:
        """Whether the elements are bytes and not numbers of 32 bits."""
        assert isa(self.op.value.type, VectorType)
        return self.op.value.type.element_type == i8


class InterleaveStoresPass(ModulePass):
    name = "loop-interleave-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not _overwrites_operands(func):
                for inner in func.walk():
                    for region in inner.regions:
                        for block in region.blocks:
                            _interleave(block)


def _overwrites_operands(func: FuncOp) -> bool:
    listed = func.attributes.get(IN_PLACE)
    return isinstance(listed, DenseArrayBase) and len(listed.get_values()) > 0


def _interleave(block: Block) -> None:
    """Merge interleaving stores of one block."""
    groups: dict[tuple[object, ...], list[Store]] = {}
    for op in block.ops:
        if isinstance(op, loop.StoreOp) and _is_strided(op):
            form = linear(op.map.data.results[0], [UNBOUNDED] * len(op.indices))
            terms = frozenset(form.terms.items())
            groups.setdefault(
                (op.buffer, tuple(op.indices), op.value.type, op.lane_stride, terms, op.lanes), []
            ).append(Store(form.constant, op))
    if not groups:
        return
    order = {op: number for number, op in enumerate(block.ops)}
    merged: list[tuple[Sequence[Store], loop.StoreOp]] = []
    for stores in groups.values():
        for run in _runs(sorted(stores, key=lambda store: store.place)):
            ops = sorted((store.op for store in run), key=lambda op: order[op])
            if _pays(run) and _may_move(run, ops[0], ops[-1], stores):
                merged.append((run, ops[-1]))
    for run, last in merged:
        _replace(run, last)


def _is_strided(op: loop.StoreOp) -> bool:
    type, buffer = op.value.type, op.buffer.type
    if not isa(type, VectorType) or not isa(buffer, MemRefType) or op.lane_stride < 2:
        return False
    if buffer.element_type not in (type.element_type, ui8):
        return False
    return type.element_type in (i8, i32) or isinstance(type.element_type, Float32Type)


def _runs(stores: Sequence[Store]) -> list[list[Store]]:
    """Group stores to neighbouring positions, at most what one operation takes."""
    runs: list[list[Store]] = []
    for store in stores:
        most = min(store.op.lane_stride, store.lanes)
        if runs and len(runs[-1]) < most and store.place == runs[-1][-1].place + 1:
            runs[-1].append(store)
        else:
            runs.append([store])
    return runs


def _pays(run: Sequence[Store]) -> bool:
    first = run[0]
    is_pair = first.op.lane_stride == loop.INTERLEAVED_PAIR and first.op.lanes is None
    return len(run) > (1 if first.is_bytes or is_pair else max(1, first.lanes // MIN_SHARE))


def _may_move(run: Sequence[Store], first: loop.StoreOp, last: loop.StoreOp, stores: Sequence[Store]) -> bool:
    """Return whether no operation from `first` to `last` touches the buffer, other than `stores` at other elements."""
    mine: set[Operation] = {store.op for store in run}
    others: dict[Operation, Store] = {store.op: store for store in stores}
    between: Operation | None = first
    while between is not None and between is not last:
        other = others.get(between)
        if other is None and any(first.buffer in op.operands for op in between.walk()):
            return False
        if other is not None and between not in mine and any(_meet(other, store) for store in run):
            return False
        between = between.next_op
    return True


def _meet(a: Store, b: Store) -> bool:
    """Return whether two vectors with equal strides have an element in common."""
    rows, rest = divmod(abs(a.place - b.place), a.op.lane_stride)
    return rest == 0 and rows < a.lanes


def _replace(run: Sequence[Store], last: loop.StoreOp) -> None:
    first = run[0].op
    lanes = None if first.lanes is None else first.lanes.value.data
    values, indices = [store.op.value for store in run], list(first.indices)
    merged = loop.StoreInterleavedOp(
        values, first.buffer, first.map.data, indices, stride=first.lane_stride, lanes=lanes
    )
    Rewriter.insert_op(merged, InsertPoint.after(last))
    for store in run:
        Rewriter.erase_op(store.op)
