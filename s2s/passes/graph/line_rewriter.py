"""Rewrite operators of a network into the bodies of `graph.line_buffers`, as a plan of rings says."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.line_buffers import Group, LineBuffers, Ring
from s2s.analysis.network.on_frames import on_frames, resized
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import ints, type_of
from s2s.passes.graph.constants import copied_constant
from s2s.passes.graph.copy_outputs import copy_shared_outputs
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.types.dtypes import to_numpy
from s2s.types.shapes.sliding import ROW_OF_X, RowBody


class LineRewriter:
    """Moves operators of `main` into the bodies of one `graph.line_buffers`."""

    def __init__(self, module: ModuleOp, main: FuncOp, plan: LineBuffers, *, pushed: bool) -> None:
        self.module, self.main, self.plan, self.pushed = module, main, plan, pushed
        self.axis = plan.clocks[plan.x].axis
        self.names = UniqueNames([op.sym_name.data for op in module.ops if isinstance(op, FuncOp)])
        tensors = [*plan.rings, *plan.wholes]
        self.numbers = {id(ring): number for number, ring in enumerate(tensors, ROW_OF_X + 1)}
        self.pieces: list[RowBody] = []

    def run(self) -> None:
        """Rewrite `main`."""
        ops = [op for group in self.plan.groups for op in group.ops]
        inside = set(ops)
        place = next(op for op in self.main.body.block.ops if self.pushed or op in inside)
        for group in self.plan.groups:
            self._group(group)
            for ring in group.rings:
                self._fill(ring)
        begins = [self._begin(ring, InsertPoint.before(place)) for ring in self.plan.rings]
        buffered = graph.LineBuffersOp(
            self.plan.x,
            begins,
            self.pieces,
            results=[ring.type for ring in self.plan.wholes],
            rows=[ring.size for ring in (*self.plan.rings, *self.plan.wholes)],
            axis=self.axis,
            pushed=self.pushed,
        )
        copy_provenance(buffered, *ops)
        Rewriter.insert_op(buffered, InsertPoint.before(place))
        for ring, result in zip([*self.plan.rings, *self.plan.wholes], buffered.outputs, strict=True):
            result.name_hint = ring.value.name_hint
            if ring.is_whole:
                self._replace(ring, result, InsertPoint.before(place), inside)
        for op in sorted(ops, key=list(self.main.body.block.ops).index, reverse=True):
            Rewriter.erase_op(op)

    def _replace(self, ring: Ring, rows: SSAValue, place: InsertPoint, inside: set[Operation]) -> None:
        """Let operators behind the rings read `rows`; outputs of a network whose rows are pushed are copied, as the
        caller hands over their memory when all rows are there."""
        within = {*inside, rows.owner}
        uses = [
            use for use in ring.value.uses if use.operation not in within and use.operation.parent_op() is self.main
        ]
        result, back = _as_tensor(rows, ring)
        Rewriter.insert_op(back, place)
        for use in uses:
            use.operation.operands[use.index] = result
        last = self.main.body.block.last_op
        assert last is not None
        for number, operand in enumerate(last.operands):
            if operand is rows and self.pushed:
                copy = graph.IdentityOp(rows)
                copy.y.name_hint = ring.value.name_hint
                Rewriter.insert_op(copy, InsertPoint.before(last))
                last.operands[number] = copy.y

    def _group(self, group: Group) -> None:
        """Write the body of a group."""
        read = [self.plan.reads[key] for op in group.ops for key in self.plan.reads if key[0] is op]
        takes_x = group is self.plan.groups[0]
        others = list({id(ring): ring for _, ring in read if ring is not None}.values())
        types = [resized(self.plan.x, self.axis, 1)] if takes_x else []
        block = Block(arg_types=[*types, *(ring.type for ring in others)])
        rings = {id(ring): block.args[len(types) + at] for at, ring in enumerate(others)}
        values: dict[SSAValue, SSAValue] = {}
        if takes_x:
            values[self.plan.x] = block.args[0]
            values[self.plan.x].name_hint = self.plan.x.name_hint
        for ring, argument in zip(others, block.args[len(types) :], strict=True):
            argument.name_hint = ring.value.name_hint
        for op in group.ops:
            self._operator(op, values, rings, block)
        rows = [_as_row(values[ring.value], ring, block) for ring in group.rings]
        numbers = [*map(self._number, group.rings), *([ROW_OF_X] if takes_x else []), *map(self._number, others)]
        self._body("rows", block, rows, group.clock.every, group.clock.first, group.clock.size, numbers)

    def _operator(
        self, op: Operation, values: dict[SSAValue, SSAValue], rings: Mapping[int, SSAValue], block: Block
    ) -> None:
        """Add `op`, for one row."""
        operands: list[SSAValue] = []
        for at, operand in enumerate(op.operands):
            if (op, at) not in self.plan.reads:
                operands.append(copied_constant(operand, block))
                continue
            read, ring = self.plan.reads[op, at]
            operands.append(
                values[operand] if ring is None else _window(rings[id(ring)], ring, read.extent, read.lag, block)
            )
        row_op = on_frames(op, operands, self.plan.clocks[op.results[0]].axis, 1)
        row_op.results[0].name_hint = op.results[0].name_hint
        block.add_op(row_op)
        values[op.results[0]] = row_op.results[0]

    def _fill(self, ring: Ring) -> None:
        """Write the body that puts rows of padding behind the last row of a ring."""
        if not ring.fills:
            return
        block = Block()
        block.add_ops(padding := _filled(ring, 1))
        first = ring.clock.last + ring.clock.every
        self._body("padding", block, padding[-1].results, ring.clock.every, first, ring.fills, [self._number(ring)])

    def _body(
        self,
        name: str,
        block: Block,
        results: Sequence[SSAValue],
        every: int,
        first: int,
        steps: int,
        taken: Sequence[int],
    ) -> None:
        last = ReturnOp(*results)
        block.add_op(last)
        copy_shared_outputs(last, [None] * len(results))
        kind = FunctionType.from_lists(list(block.arg_types), [value.type for value in results])
        func = FuncOp(self.names.make(name), kind, Region(block), visibility="private")
        func.attributes[graph.TIED] = ints([-1] * len(results))
        self.module.body.block.insert_op_before(func, self.main)
        self.pieces.append(RowBody(func.sym_name.data, every, first, steps, tuple(taken), len(results)))

    def _begin(self, ring: Ring, place: InsertPoint) -> SSAValue:
        padding = _filled(ring, ring.size)
        Rewriter.insert_op(padding, place)
        return padding[-1].results[0]

    def _number(self, ring: Ring) -> int:
        return self.numbers[id(ring)]


def _filled(ring: Ring, rows: int) -> list[Operation]:
    """Return operations that make rows of padding."""
    type = ring.rows(rows)
    value = graph.ConstantOp(np.array(ring.padding or 0, to_numpy(type.element_type)))
    return [value, graph.BroadcastToOp(value.y, type.get_shape())]


def _window(argument: SSAValue, ring: Ring, extent: int, lag: int, block: Block) -> SSAValue:
    """Return the rows of a ring that an operator reads."""
    rows = argument
    if extent != ring.size:
        shape = list(type_of(argument).get_shape())
        starts = [0] * len(shape)
        starts[ring.axis], shape[ring.axis] = ring.size - lag - extent, extent
        part = graph.SliceOp(argument, starts=starts, sizes=shape, strides=[1] * len(shape))
        block.add_op(part)
        rows = part.y
    tensor, back = _as_tensor(rows, ring)
    block.add_ops(back)
    return tensor


def _as_tensor(rows: SSAValue, ring: Ring) -> tuple[SSAValue, list[Operation]]:
    """Return rows of a ring in the layout of its tensor, and the operations that make that."""
    if ring.is_in_place:
        return rows, []
    axis, rank = ring.clock.axis, type_of(rows).get_num_dims()
    moved = graph.TransposeOp(rows, perm=[*range(1, axis + 1), 0, *range(axis + 1, rank)])
    moved.y.name_hint = ring.value.name_hint
    return moved.y, [moved]


def _as_row(row: SSAValue, ring: Ring, block: Block) -> SSAValue:
    """Return a row of a tensor in the layout of its ring: the same bytes."""
    if ring.is_in_place:
        return row
    reshaped = graph.ReshapeOp(row, ring.rows(1).get_shape())
    block.add_op(reshaped)
    return reshaped.y
