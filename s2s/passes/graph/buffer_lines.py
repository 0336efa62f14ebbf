"""Run the operators that read an input row by row as its rows arrive, with rings of rows between them.

    func.func @main(%x: tensor<1x8x8x4xi8>) -> … {
      %a = graph.conv %x, … {pads = [1, 1, 1, 1], …} : … -> tensor<1x8x8x4xi32>
      %y = graph.reduce_mean %a …                                              reads all rows
->
    func.func private @rows(%ring: tensor<1x3x8x4xi8>, %row: tensor<1x1x8x4xi8>) -> tensor<1x3x8x4xi8> { …
      %moved = graph.advance %ring {by = 32}
      %next = graph.insert_slice %moved, %row {starts = [0, 2, 0, 0]} …
    func.func private @rows_2(%whole: tensor<1x8x8x4xi32>, %ring: tensor<1x3x8x4xi8>) -> tensor<1x8x8x4xi32> { …
      %a = graph.conv %ring, … {pads = [0, 1, 0, 1], …} : … -> tensor<1x1x8x4xi32>
    func.func private @padding(%ring: tensor<1x3x8x4xi8>) -> tensor<1x3x8x4xi8> { …
    func.func @main(%x: tensor<1x8x8x4xi8>) -> … {
      %ring, %a = graph.line_buffers %x (%begin, %begin_2) {bodies = [@rows, @padding, @rows_2], …}
      %y = graph.reduce_mean %a …

How many operators run row by row is the choice with the least memory: those behind them run once, on tensors that
are kept. Refused where no operator goes row by row, where rows do not lie one after the other in memory, and in
networks with further inputs or state.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import NAME, input_numbers, main_of, text
from s2s.analysis.network.line_buffers import Group, LineBuffers, Ring, line_buffers
from s2s.analysis.network.on_frames import on_frames, resized
from s2s.analysis.network.row_clocks import RowClock, clocked
from s2s.analysis.network.row_memory import least_memory
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import ints, type_of
from s2s.errors import InputError, UnsupportedError
from s2s.passes.graph.constants import copied_constant
from s2s.passes.graph.copy_outputs import copy_shared_outputs
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.support.frozen import frozen
from s2s.types.dtypes import AnyTensor, to_numpy
from s2s.types.shapes.sliding import ROW_OF_X, RowBody


@frozen
class BufferLinesPass(ModulePass):
    """Rewrite the operators of `main` that read the input called `input` into `graph.line_buffers`."""

    name = "graph-buffer-lines"

    input: str | None = None
    """The input whose rows are pushed; None for none."""
    axis: int = 1
    operators: int = -1
    """How many operators, from the first one on, run row by row; -1 for the number with the least memory."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.input is None:
            return
        main = main_of(op)
        x = _input(main, self.input, self.axis)
        ops = list(clocked(main, x, self.axis))
        clock = RowClock(self.axis, type_of(x).get_shape()[self.axis])
        count = least_memory(main, x, clock, ops) if self.operators < 0 else self.operators
        plan = line_buffers(x, clock, ops[:count])
        if not any(group.ops for group in plan.groups):
            reader = next((use.operation for use in x.uses), None)
            nodes = "" if reader is None else ", ".join(graph.provenance(reader)) or reader.name
            raise UnsupportedError(
                f"--push {self.input}:{self.axis}: {nodes or 'the network'} reads all rows at once, or averages over "
                "padding that does not count; leave --push out"
            )
        _Rewriter(op, main, plan, self.axis).run()


def _input(main: FuncOp, name: str, axis: int) -> SSAValue:
    """Return the input whose rows are pushed; raise an error where these cannot be."""
    option = f"--push {name}:{axis}"
    names = [text(attributes, NAME) or "" for attributes in main.arg_attrs or ()]
    numbers = input_numbers(main)
    if name not in [names[number] for number in numbers]:
        listed = ", ".join(repr(names[number]) for number in numbers)
        raise InputError(f"{option}: the model has no input {name!r}; its inputs are {listed}")
    if len(names) > 1:
        raise UnsupportedError(
            f"{option}: rows are pushed to networks with one input and no state; keep the others constant (--bind)"
        )
    argument = main.body.block.args[names.index(name)]
    shape = type_of(argument).get_shape()
    if not 0 <= axis < len(shape):
        raise InputError(f"{option}: the input has {len(shape)} axes; give one from 0 to {len(shape) - 1}")
    if prod(shape[:axis]) != 1:
        raise UnsupportedError(
            f"{option}: rows of {list(shape)} do not lie one after the other in memory; export the model with the rows "
            "first, channels last"
        )
    return argument


class _Rewriter:
    """Moves operators of `main` into the bodies of one `graph.line_buffers`."""

    def __init__(self, module: ModuleOp, main: FuncOp, plan: LineBuffers, axis: int) -> None:
        self.module, self.main, self.plan, self.axis = module, main, plan, axis
        self.names = UniqueNames([op.sym_name.data for op in module.ops if isinstance(op, FuncOp)])
        self.numbers = {id(ring): number for number, ring in enumerate(plan.rings, ROW_OF_X + 1)}
        self.pieces: list[RowBody] = []

    def run(self) -> None:
        """Rewrite `main`."""
        for group in self.plan.groups:
            self._group(group)
            for ring in group.rings:
                self._fill(ring)
        first = self.main.body.block.first_op
        assert first is not None
        begins = [self._begin(ring, InsertPoint.before(first)) for ring in self.plan.rings]
        buffered = graph.LineBuffersOp(self.plan.x, begins, self.pieces, axis=self.axis, pushed=True)
        ops = [op for group in self.plan.groups for op in group.ops]
        copy_provenance(buffered, *ops)
        Rewriter.insert_op(buffered, InsertPoint.before(first))
        inside = set(ops)
        for ring, result in zip(self.plan.rings, buffered.outputs, strict=True):
            result.name_hint = ring.value.name_hint
            if ring.is_whole:
                self._replace(ring.value, result, inside)
        for op in sorted(ops, key=list(self.main.body.block.ops).index, reverse=True):
            Rewriter.erase_op(op)

    def _replace(self, value: SSAValue, result: SSAValue, inside: set[Operation]) -> None:
        """Let operators behind the rings read `result`; outputs of the network are copied, as the caller hands over
        their memory when all rows are there."""
        for use in [use for use in value.uses if use.operation not in inside]:
            if use.operation.parent_op() is self.main and not isinstance(use.operation, graph.LineBuffersOp):
                use.operation.operands[use.index] = result
        last = self.main.body.block.last_op
        assert last is not None
        for number, operand in enumerate(last.operands):
            if operand is result:
                copy = graph.IdentityOp(result)
                copy.y.name_hint = value.name_hint
                Rewriter.insert_op(copy, InsertPoint.before(last))
                last.operands[number] = copy.y

    def _group(self, group: Group) -> None:
        """Write the body of a group."""
        read = [self.plan.reads[key] for op in group.ops for key in self.plan.reads if key[0] is op]
        takes_x = group is self.plan.groups[0]
        others = list({id(ring): ring for _, ring in read if ring is not None}.values())
        block = Block(
            arg_types=[
                *(_ring_type(ring) for ring in group.rings),
                *([resized(self.plan.x, self.axis, 1)] if takes_x else []),
                *(_ring_type(ring) for ring in others),
            ]
        )
        rings = {id(ring): block.args[len(block.args) - len(others) + at] for at, ring in enumerate(others)}
        values: dict[SSAValue, SSAValue] = {}
        if takes_x:
            values[self.plan.x] = block.args[len(group.rings)]
            values[self.plan.x].name_hint = self.plan.x.name_hint
        for op in group.ops:
            self._operator(op, values, rings, block)
        results = [
            self._put(ring, argument, values[ring.value], block)
            for ring, argument in zip(group.rings, block.args, strict=False)
        ]
        numbers = [*map(self._number, group.rings), *([ROW_OF_X] if takes_x else []), *map(self._number, others)]
        self._body("rows", block, results, group.clock.every, group.clock.first, group.clock.size, numbers)

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

    def _put(self, ring: Ring, argument: SSAValue, row: SSAValue, block: Block) -> SSAValue:
        """Return the ring with `row` behind its others, the first of which leaves it."""
        argument.name_hint = "rows"
        if ring.size == 1:
            return row
        axis, shape = ring.clock.axis, type_of(ring.value).get_shape()
        moved = graph.AdvanceOp(argument, by=prod(shape[axis + 1 :]))
        starts = [0] * len(shape)
        starts[axis] = ring.size - 1
        window = graph.InsertSliceOp(moved.y, row, starts=starts)
        if isinstance(ring.value.owner, Operation):
            copy_provenance(window, ring.value.owner)
        block.add_ops([moved, window])
        return window.y

    def _fill(self, ring: Ring) -> None:
        """Write the body that puts rows of padding behind the last row of a ring."""
        if not ring.fills:
            return
        block = Block(arg_types=[_ring_type(ring)])
        padding = _filled(ring, 1)
        block.add_ops(padding)
        results = [self._put(ring, block.args[0], padding[-1].results[0], block)]
        first = ring.clock.last + ring.clock.every
        self._body("padding", block, results, ring.clock.every, first, ring.fills, [self._number(ring)])

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
        tied = list(range(len(results)))
        copy_shared_outputs(last, tied)
        kind = FunctionType.from_lists([value.type for value in block.args], [value.type for value in results])
        func = FuncOp(self.names.make(name), kind, Region(block), visibility="private")
        func.attributes[graph.TIED] = ints(tied)
        self.module.body.block.insert_op_before(func, self.main)
        self.pieces.append(RowBody(func.sym_name.data, every, first, steps, tuple(taken), len(results)))

    def _begin(self, ring: Ring, place: InsertPoint) -> SSAValue:
        padding = _filled(ring, ring.size)
        Rewriter.insert_op(padding, place)
        return padding[-1].results[0]

    def _number(self, ring: Ring) -> int:
        return self.numbers[id(ring)]


def _ring_type(ring: Ring) -> AnyTensor:
    return resized(ring.value, ring.clock.axis, ring.size)


def _filled(ring: Ring, rows: int) -> list[Operation]:
    """Return operations that make rows of padding."""
    type = resized(ring.value, ring.clock.axis, rows)
    value = graph.ConstantOp(np.array(ring.padding or 0, to_numpy(type.element_type)))
    return [value, graph.BroadcastToOp(value.y, type.get_shape())]


def _window(argument: SSAValue, ring: Ring, extent: int, lag: int, block: Block) -> SSAValue:
    """Return the rows of a ring that an operator reads."""
    if extent == ring.size:
        return argument
    shape = list(type_of(argument).get_shape())
    starts = [0] * len(shape)
    starts[ring.clock.axis], shape[ring.clock.axis] = ring.size - lag - extent, extent
    rows = graph.SliceOp(argument, starts=starts, sizes=shape, strides=[1] * len(shape))
    block.add_op(rows)
    return rows.y
