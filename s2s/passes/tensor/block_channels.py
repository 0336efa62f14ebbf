"""Store activations between kernels in blocks of channels, as wide as the target's vectors.

    %a = graph.call @conv(%x, %w) : … -> tensor<1x64x56x56xf32>
    @conv: tensor.compute [1, 64, 56, 56 | 64, 3, 3]
             reads(%x at (n, o, h, w, i, r, s) -> (n, i, h + r - 1, w + s - 1), …)
->
    %a = graph.call @conv(%x, %w) {blocked = array<i64: 1, 4, 56, 56, 16>} : … -> tensor<1x4x56x56x16xf32>
    @conv: tensor.compute [1, 4, 56, 56, 16 | 4, 16, 3, 3]
             reads(%x at (n, o, h, w, p, j, q, r, s) -> (n, j, h + r - 1, w + s - 1, q), …)

The layout NCHW[n]c of the field, with no knowledge of operators: a layout is a change of access maps. A consumer's maps
are composed with the block and its place; a producer's domain is split and permuted, so that its results still come in
row-major order; a dimension that walks over blocks is split as well. Vectors then run along the place in the block, in
convolutions, pools and elementwise kernels alike, and neighbouring pixels lie side by side.

Channels that do not fill their blocks leave the rest of the last one unused, where fewer vectors are then needed: 24
channels take two blocks of 16, not three of 8. Kernels compute that rest, from constants that are filled up with zeros
on the host, and no kernel reads it but to compute such a rest again; the attribute `channels` of the call counts those
that are real.

A tensor is blocked when it goes from kernel to kernel only, is of rank 4 and has more than one pixel; and only where
every kernel that touches it, and every other tensor in the same place of a shared kernel, can follow. Declined for
targets without vectors, for the network's inputs and outputs, around kernels whose regions ask for an index, and where
a kernel shows that channels come last already: it slides a window along the second dimension, or reduces the last one
alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.compute import body_ops, shape_of
from s2s.analysis.constants import calls_of
from s2s.analysis.strides import vectorizable
from s2s.context import weights_of
from s2s.dialects import graph, tensor
from s2s.passes.tensor.block_kernel import BlockKernel, blocked_type
from s2s.passes.tensor.build_compute import slots
from s2s.passes.tensor.channel_blocks import (
    CHANNEL,
    block_size,
    channel_constants,
    fill_up,
    moving_arguments,
    reads_blocks,
    results_of,
)
from s2s.targets import get_target
from s2s.weights import WeightStore

BLOCKED = "blocked"
"""Discardable attribute of a call: the shape `[N, C / b, H, W, b]` of its result, where that is blocked."""
CHANNELS = "channels"
"""Discardable attribute of a call: the channels of its blocked result, where they do not fill the last block."""

Slot = tuple[str, int]
"""A place in the signature of a kernel: its name and an argument number, or -1 - n for result n."""


class Groups:
    """Values and kernel slots that must all be blocked, or none of them (a union-find)."""

    def __init__(self) -> None:
        self._parent: dict[object, object] = {}

    def find(self, item: object) -> object:
        """The representative of the group of `item`."""
        parent = self._parent.setdefault(item, item)
        while parent != self._parent[parent]:
            parent = self._parent[parent]
        self._parent[item] = parent
        return parent

    def join(self, a: object, b: object) -> None:
        """Put both into one group."""
        self._parent[self.find(a)] = self.find(b)


class BlockChannels:
    """Decides for one module, then rewrites it."""

    def __init__(self, module: ModuleOp, lanes: int, weights: WeightStore) -> None:
        self.lanes, self.weights = lanes, weights
        self.by_kernel = calls_of(module)
        self.calls = [call for calls in self.by_kernel.values() for call in calls]
        functions = {func.sym_name.data: func for func in module.ops if isinstance(func, FuncOp)}
        self.kernels = {name: functions[name] for name in {_callee(call) for call in self.calls}}
        self.groups = Groups()
        self.refused: set[object] = set()
        self.needs: list[tuple[Slot, Slot]] = []
        """Results that can be padded only if an argument is."""

    def run(self) -> None:
        """Block what can be blocked."""
        self._group()
        chosen = [value for value in self._values() if self.groups.find(value) not in self.refused]
        slots_chosen = {slot: self._block_of(value) for value in chosen for slot in self._slots(value)}
        for name, func in self.kernels.items():
            mine = {number: block for (kernel, number), block in slots_chosen.items() if kernel == name}
            if mine:
                self._fill_up(func, mine)
                BlockKernel(func, mine).run()
        for value in chosen:
            assert isinstance(value.owner, graph.CallOp)
            new_type = blocked_type(value.type, self._block_of(value))
            value.owner.attributes[BLOCKED] = tensor.integers(new_type.get_shape())
            if self._is_padded(value):
                value.owner.attributes[CHANNELS] = IntegerAttr(shape_of(value)[CHANNEL], i64)
            Rewriter.replace_value_with_new_type(value, new_type)

    def _values(self) -> Iterable[SSAValue]:
        return (result for call in self.calls for result in call.results)

    def _slots(self, value: SSAValue) -> list[Slot]:
        assert isinstance(value.owner, graph.CallOp)
        found: list[Slot] = [(_callee(value.owner), -1 - value.owner.results.index(value))]
        found += [(_callee(use.operation), use.index) for use in value.uses if isinstance(use.operation, graph.CallOp)]
        return found

    def _group(self) -> None:
        for value in self._values():
            for slot in self._slots(value):
                self.groups.join(value, slot)
        for call in self.calls:
            for number, operand in enumerate(call.operands):
                if not isinstance(operand.owner, graph.CallOp):
                    self.refused.add((_callee(call), number))
        self.refused |= {value for value in self._values() if not self._suits(value)}
        self.refused |= {slot for value in self._values() for slot in self._slots(value) if not self._follows(slot)}
        self.refused = {self.groups.find(item) for item in self.refused}
        while lost := {result for result, argument in self.needs if self._is_refused(argument)} - self.refused:
            self.refused |= lost
            self.refused |= {self.groups.find(result) for result in lost}

    def _is_refused(self, slot: Slot) -> bool:
        return self.groups.find(slot) in self.refused

    def _block_of(self, value: SSAValue) -> int:
        """How many channels make a block of `value`; 0 where it is not worth blocking."""
        return block_size(shape_of(value)[CHANNEL], self.lanes)

    def _is_padded(self, value: SSAValue) -> bool:
        block = self._block_of(value)
        return block > 0 and shape_of(value)[CHANNEL] % block > 0

    def _fill_up(self, func: FuncOp, blocks: Mapping[int, int]) -> None:
        """Fill up the constants of `func` along the channels of its padded results."""
        calls = self.by_kernel[func.sym_name.data]
        for number, value in results_of(func):
            block = blocks.get(number, 0)
            channels = shape_of(value)[CHANNEL] if block else 0
            if block and channels % block:
                owner = value.owner
                assert isinstance(owner, tensor.ComputeOp)
                for argument, axis in channel_constants(func, owner, calls) or ():
                    fill_up(argument, axis, -(-channels // block) * block, calls, self.weights)

    def _suits(self, value: SSAValue) -> bool:
        """Whether a tensor of main has the right shape and stays among kernels."""
        shape = shape_of(value)
        return (
            len(shape) == 4
            and self._block_of(value) > 0
            and prod(shape[2:]) > 1
            and all(isinstance(use.operation, graph.CallOp) for use in value.uses)
        )

    def _follows(self, slot: Slot) -> bool:
        """Whether a kernel can read or write the blocks in that place."""
        name, number = slot
        func = self.kernels[name]
        if func.is_declaration or len(shape_of(_value_at(func, number))) != 4:
            return False
        computes = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
        if any(isinstance(inner, tensor.IndexOp) for op in computes for inner in body_ops(op)):
            return False
        return self._reads(func, computes, number) if number >= 0 else self._writes(func, computes, number)

    def _reads(self, func: FuncOp, computes: Sequence[tensor.ComputeOp], number: int) -> bool:
        argument = func.body.block.args[number]
        block = self._block_of(argument)
        return all(
            argument not in op.tables
            and _undivided(op, argument)
            and not _channels_last(op, argument)
            and (not block or reads_blocks(op, argument, block))
            for op in computes
        )

    def _writes(self, func: FuncOp, computes: Sequence[tensor.ComputeOp], number: int) -> bool:
        value = _value_at(func, number)
        owner = value.owner
        return (
            isinstance(owner, tensor.ComputeOp)
            and len(owner.res) == 1
            and owner.parallel_sizes == shape_of(value)
            and vectorizable(owner)
            and not any(value in op.operands for op in computes)
            and (not self._is_padded(value) or self._fills(func, owner, number))
        )

    def _fills(self, func: FuncOp, op: tensor.ComputeOp, number: int) -> bool:
        """Whether `op` can compute what lies behind the last channel; what it reads there has to be padded as well."""
        name = func.sym_name.data
        if channel_constants(func, op, self.by_kernel[name]) is None:
            return False
        arguments = moving_arguments(func, op, self.by_kernel[name])
        self.needs += [((name, number), (name, argument.index)) for argument in arguments]
        return True


def _value_at(func: FuncOp, number: int) -> SSAValue:
    return func.body.block.args[number] if number >= 0 else dict(results_of(func))[number]


def _undivided(op: tensor.ComputeOp, value: SSAValue) -> bool:
    operands = [*slots(op.reads, op.read_accesses), *slots(op.points, op.point_accesses)]
    return all(access.division == (1,) * len(access.division) for operand, access in operands if operand is value)


def _channels_last(op: tensor.ComputeOp, value: SSAValue) -> bool:
    """Whether the reduction of `op` walks over `value` as over an image whose channels come last."""
    for operand, access in slots(op.reads, op.read_accesses):
        if operand is not value or len(shape_of(value)) != 4:
            continue
        _, second, third, last = (expr.used_dims() for expr in access.map.data.results)
        reduced = [any(dim >= op.rank for dim in dims) for dims in (second, third, last)]
        if len(second) > 1 or reduced == [False, False, True]:
            return True
    return False


def _callee(call: object) -> str:
    assert isinstance(call, graph.CallOp)
    return call.callee.root_reference.data


@dataclass(frozen=True)
class BlockChannelsPass(ModulePass):
    name = "tensor-block-channels"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lanes = get_target(self.target).lanes
        if lanes > 1:
            BlockChannels(op, lanes, weights_of(ctx)).run()
