"""Find the activations that can be stored in blocks of channels, and the reasons against the others.

Tensors that must agree are one group: a result, every place of a kernel that it goes to, and, because equal layers
share a kernel, every other tensor in the same place. A group is blocked as a whole, or refused for the reasons that
its members have.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr, i8, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from s2s.analysis.affine.strides import vectorizable
from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.network.stream_windows import stream_windows
from s2s.analysis.structure.compute import body_ops, moves_only, shape_of, slots
from s2s.analysis.structure.lanes import in_lanes
from s2s.decisions.channel_blocks import (
    CHANNEL,
    block_size,
    block_sizes,
    channel_constants,
    in_whole_blocks,
    moving_arguments,
    reads_blocks,
    results_of,
)
from s2s.decisions.channel_evidence import RANKS, SIGNAL, convolves, undivided, why_channels_last
from s2s.dialects import graph, tensor
from s2s.dialects.graph.traits import PROVENANCE
from s2s.targets import Target

Slot = tuple[str, int]
"""A place in the signature of a kernel: its name and an argument number, or -1 - n for result n."""
Member = SSAValue | Slot


class Refusal(NamedTuple):
    """The reason why one member keeps its group from being blocked."""

    member: Member
    reason: str


class LayoutGroups:
    """A union-find of members of which either all are blocked, or none."""

    def __init__(self) -> None:
        self._parent: dict[Member, Member] = {}

    def find(self, item: Member) -> Member:
        """Return the representative of the group of `item`."""
        parent = self._parent.setdefault(item, item)
        while parent != self._parent[parent]:
            parent = self._parent[parent]
        self._parent[item] = parent
        return parent

    def join(self, a: Member, b: Member) -> None:
        """Merge the groups of two members."""
        self._parent[self.find(a)] = self.find(b)


class ChannelLayouts:
    """The tensors of a module that can be blocked, if the tensors in `settled` have blocks of the stated size (0 for
    none)."""

    def __init__(self, module: ModuleOp, target: Target, settled: Mapping[SSAValue, int] | None = None) -> None:
        self.module, self.target, self.lanes = module, target, target.lanes
        self.settled = dict(settled or {})
        self._has_bytes = target.multiplies_bytes
        self.by_kernel = calls_of(module)
        self.calls = [op for op in module.walk() if isinstance(op, graph.CallOp)]
        functions = {func.sym_name.data: func for func in module.ops if isinstance(func, FuncOp)}
        self.kernels = {name: functions[name] for name in dict.fromkeys(map(callee, self.calls))}
        self.windows = stream_windows(module)
        """Windows over streams, whose states are results of the run before."""
        self._kept = {value for window in self.windows for value in window.values[:2]}
        self._ends = {window.end for window in self.windows}
        self._blocks: dict[SSAValue, int] = {}
        """The layouts in `settled` of the tensors of main and of the values that stand for them inside of kernels."""
        self._groups = LayoutGroups()
        self._refusals: dict[Member, list[Refusal]] = {}
        self._needs: list[tuple[Slot, Slot]] = []
        """Results that can be padded only if an argument is."""
        self._signals: set[Member] = set()
        """Groups whose second dimension a convolution shows to be channels, as it must with rank 3 and on scalar
        cores."""
        self._decide()

    def _all_of(self, value: SSAValue) -> list[SSAValue]:
        """Return `value` and the kernel arguments and results that stand for it."""
        places = ((self.kernels[name], number) for name, number in slots_of(value))
        return [value, *(value_at(func, number) for func, number in places if not func.is_declaration)]

    def groups(self) -> list[list[SSAValue]]:
        """Return the groups of tensors of main whose layouts must agree, in the order of the module."""
        found: dict[Member, list[SSAValue]] = {}
        for value in self.values():
            found.setdefault(self._groups.find(value), []).append(value)
        return list(found.values())

    def chosen(self) -> list[SSAValue]:
        """Return the tensors that are blocked."""
        return [value for value in self.values() if not self.refusals(value)]

    def values(self) -> Iterator[SSAValue]:
        """Return every result of a call, and the states of windows over streams."""
        yield from (result for call in self.calls for result in call.results)
        yield from (value for window in self.windows for value in window.values[:2])

    def refusals(self, member: Member) -> Sequence[Refusal]:
        """Return why the group of `member` is not blocked; nothing if it is."""
        return self._refusals.get(self._groups.find(member), ())

    def block_of(self, value: SSAValue) -> int:
        """Return the number of channels in a block of `value`; 0 if blocking it does not pay. A block of bytes holds
        all."""
        if value in self._blocks:
            return self._blocks[value]
        channels = shape_of(value)[CHANNEL]
        if self._is_bytes(value):
            return channels if channels > 1 else 0
        return block_size(channels, self.lanes)

    def sizes_of(self, value: SSAValue) -> list[int]:
        """Return the possible block sizes of `value`."""
        channels = shape_of(value)[CHANNEL]
        return [channels] if self._is_bytes(value) else block_sizes(channels, self.lanes)

    def _is_bytes(self, value: SSAValue) -> bool:
        """Return whether `value` holds bytes, or sums of products of bytes, whose packed constants have one order for
        all layouts."""
        return self._has_bytes and tensor.element_type(value) in (i8, i32)

    def is_padded(self, value: SSAValue) -> bool:
        """Return whether the channels of `value` do not fill their last block."""
        block = self.block_of(value)
        return block > 0 and shape_of(value)[CHANNEL] % block > 0

    def why_not(self, value: SSAValue) -> str:
        """Return why `value` is not blocked, by itself or because of its group."""
        refusals, places = self.refusals(value), slots_of(value)
        about_it = [each.reason for each in refusals if each.member is value]
        around_it = [_told(each) for each in refusals if each.member in places]
        elsewhere = [f"goes with {_whose(each.member)}: {_told(each)}" for each in refusals]
        return "; ".join(dict.fromkeys(about_it or around_it or elsewhere))

    def filling(self, value: SSAValue) -> str:
        """Describe how the channels of `value` fill its blocks."""
        block, channels = self.block_of(value), shape_of(value)[CHANNEL]
        if self._is_bytes(value):
            return f"bytes of {channels} channels side by side, where groups of them are multiplied"
        vectors = "vectors" if block == self.lanes else "half vectors"
        if not self.is_padded(value):
            return f"channels {channels} fill {vectors} of {block}"
        return (
            f"channels {channels} take {-(-channels // block)} {vectors} of {block}, {-channels % block} of them unused"
        )

    def _decide(self) -> None:
        for value in self.values():
            for slot in slots_of(value):
                self._groups.join(value, slot)
        for window in self.windows:
            self._groups.join(window.argument, window.op.y)
            self._groups.join(window.end, window.op.y)
        for first, block in self.settled.items():
            alike = [value for value in self.values() if self._groups.find(value) == self._groups.find(first)]
            self._blocks |= {each: block for value in alike for each in self._all_of(value)}
        places = dict.fromkeys(slot for value in self.values() for slot in slots_of(value))
        self._signals = {self._groups.find(slot) for slot in places if self._shows_channels(slot)}
        for value in (value for value, block in self.settled.items() if not block):
            self._refuse(value, "it was decided to lie as it comes")
        for member, reason in [*self._outside(), *self._unsuited(), *self._unable()]:
            self._refuse(member, reason)
        while lost := [each for each in self._needs if self.refusals(each[1]) and not self.refusals(each[0])]:
            for result, argument in lost:
                why = self.refusals(argument)[0].reason
                self._refuse(result, f"cannot fill up its last block, as what it reads has none ({why})")

    def _refuse(self, member: Member, reason: str) -> None:
        self._refusals.setdefault(self._groups.find(member), []).append(Refusal(member, reason))

    def _outside(self) -> Iterator[tuple[Member, str]]:
        """Return the arguments of kernels that are passed anything but the result of a kernel."""
        for call in self.calls:
            for number, operand in enumerate(call.operands):
                if isinstance(operand.owner, graph.CallOp) or operand in self._kept:
                    continue
                what = "an input of the network" if isinstance(operand, BlockArgument) else "a weight"
                yield (callee(call), number), f"reads {what} in the same place"

    def _unsuited(self) -> Iterator[tuple[Member, str]]:
        for value in self.values():
            if (reason := self._why_unsuited(value)) is not None:
                yield value, reason

    def _unable(self) -> Iterator[tuple[Member, str]]:
        for slot in dict.fromkeys(slot for value in self.values() for slot in slots_of(value)):
            if (reason := self._why_unable(slot)) is not None:
                yield slot, reason

    def _why_unsuited(self, value: SSAValue) -> str | None:
        """Return why a tensor of main has an unsuitable shape or is used outside of kernels; None if it is suitable."""
        shape = shape_of(value)
        returns = sum(isinstance(use.operation, ReturnOp) for use in value.uses)
        if returns > (value in self._ends):
            return "output of the network, whose layout is the caller's"
        inside = (graph.CallOp, ReturnOp, *([graph.AdvanceOp] if value in self._kept else []))
        others = [use.operation.name for use in value.uses if not isinstance(use.operation, inside)]
        if others:
            return f"goes to a {others[0]} between kernels"
        if len(shape) not in RANKS:
            return f"rank {len(shape)}, no image"
        if self._needs_evidence(value) and self._groups.find(value) not in self._signals:
            return f"rank {len(shape)}, and no convolution shows that channels come second"
        if self.lanes == 1 and not self._is_bytes(value):
            return "no bytes, and there are no vectors of anything else"
        if not self.block_of(value) and self._is_bytes(value):
            return "a single channel, whose bytes lie side by side already"
        if not self.block_of(value):
            return f"channels {shape[CHANNEL]} leave too much of vectors of {self.lanes}, and of half ones, unused"
        if prod(shape[2:]) == 1:
            return "a single pixel, whose channels lie side by side already"
        return None

    def _needs_evidence(self, value: SSAValue) -> bool:
        return len(shape_of(value)) == SIGNAL or self.lanes == 1

    def _shows_channels(self, slot: Slot) -> bool:
        """Return whether a kernel convolves this argument, or computes this result by a convolution, along its last
        dimension."""
        name, number = slot
        func = self.kernels[name]
        if func.is_declaration or not self._needs_evidence(value_at(func, number)):
            return False
        constants, value = constant_arguments(func, self.by_kernel), value_at(func, number)
        sums = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp) and op.reduce is not None]
        return any(convolves(op, value, constants) for op in sums)

    def _why_unable(self, slot: Slot) -> str | None:
        """Return why a kernel cannot read or write this argument or result in blocks; None if it can."""
        name, number = slot
        func = self.kernels[name]
        if func.is_declaration:
            return "is a function of the user"
        if len(shape_of(value_at(func, number))) not in RANKS:
            return "sees another shape"
        computes = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
        if any(isinstance(inner, tensor.IndexOp) for op in computes for inner in body_ops(op)):
            return "computes with positions"
        if number < 0:
            return self._why_unwritable(func, computes, number)
        argument = func.body.block.args[number]
        if not all(self._reads_in_order(use.operation) for use in argument.uses):
            return "reads whole tensors, in no order of its own"
        return next((reason for op in computes if (reason := self._why_unreadable(op, argument))), None)

    def _reads_in_order(self, op: Operation) -> bool:
        if self.lanes == 1 and isinstance(op, tensor.ScatterOp):
            return inserts_frames(op)
        return not isinstance(op, tensor.WholeOp)

    def _why_unreadable(self, op: tensor.ComputeOp, argument: SSAValue) -> str | None:
        if argument in op.tables:
            return "looks elements up by computed positions"
        if not undivided(op, argument):
            return "reads one position in several, as a transposed convolution does"
        block = self.block_of(argument)
        if block and not reads_blocks(op, argument, block):
            return "reads beyond the channels, into what a padded block leaves unused"
        return why_channels_last(op, argument)

    def _why_unwritable(self, func: FuncOp, computes: Sequence[tensor.ComputeOp], number: int) -> str | None:
        value = value_at(func, number)
        owner = value.owner
        if self.lanes == 1 and isinstance(owner, tensor.ScatterOp) and inserts_frames(owner):
            return None
        if not isinstance(owner, tensor.ComputeOp) or len(owner.res) != 1:
            return "computes other results along with this one"
        if owner.parallel_sizes != shape_of(value):
            return "computes the result in another shape"
        if self.lanes > 1 and not (vectorizable(owner) or (self._has_bytes and in_lanes(owner))):
            return "computes what has no form in vectors"
        if any(value in op.operands for op in computes):
            return "reads its own result again"
        if not in_whole_blocks(owner, self.block_of(value)):
            return "reads by groups of channels that do not fill the blocks"
        if self._is_bytes(value) and self._ends_with_channels(func, owner):
            return "has constants for each place in the last dimension: channels come last already"
        if self.is_padded(value) and not self._fills(func, owner, number):
            return "cannot fill up its last block: it has no constant to fill with zeros"
        return None

    def _ends_with_channels(self, func: FuncOp, op: tensor.ComputeOp) -> bool:
        """Return whether the constants of `op` vary with the last dimension of its result, and not with the second."""
        constants = constant_arguments(func, self.by_kernel)
        operands = [*slots(op.reads, op.read_accesses), *slots(op.epilogue, op.epilogue_accesses)]
        exprs = [expr for value, access in operands if value in constants for expr in access.map.data.results]
        moving = {dim for expr in exprs for dim in expr.used_dims() if op.sizes[dim] > 1}
        return op.rank - 1 in moving and CHANNEL not in moving

    def _fills(self, func: FuncOp, op: tensor.ComputeOp, number: int) -> bool:
        """Return whether `op` can compute the padding behind the last channel; the operands it reads there must be
        padded as well."""
        name = func.sym_name.data
        if channel_constants(func, op, self.by_kernel[name]) is None:
            return False
        arguments = moving_arguments(func, op, self.by_kernel[name])
        self._needs += [((name, number), (name, argument.index)) for argument in arguments]
        return True


def inserts_frames(op: tensor.ScatterOp) -> bool:
    """Return whether `op` puts the new frames of a stream into a window: at known positions, with all channels."""
    base = op.base.owner
    return not op.parts and isinstance(base, tensor.ComputeOp) and moves_only(base) and op.base.has_one_use()


def value_at(func: FuncOp, number: int) -> SSAValue:
    """Return the argument or result of a kernel with this number."""
    return func.body.block.args[number] if number >= 0 else dict(results_of(func))[number]


def slots_of(value: SSAValue) -> list[Slot]:
    """Return the kernel arguments and results that `value` is passed to or returned from."""
    owner = value.owner
    found: list[Slot] = [(callee(owner), -1 - owner.results.index(value))] if isinstance(owner, graph.CallOp) else []
    found += [(callee(use.operation), use.index) for use in value.uses if isinstance(use.operation, graph.CallOp)]
    return found


def callee(call: object) -> str:
    """Return the kernel that a call names."""
    assert isinstance(call, graph.CallOp)
    return call.callee.root_reference.data


def nodes_of(value: SSAValue) -> str:
    """Return the nodes of the model that compute `value`."""
    named = value.owner.attributes.get(PROVENANCE) if isinstance(value.owner, graph.CallOp) else None
    return named.data if isinstance(named, StringAttr) else ""


def _told(refusal: Refusal) -> str:
    """Return a refusal with the name of the kernel that it is about."""
    return f"@{refusal.member[0]} {refusal.reason}" if isinstance(refusal.member, tuple) else refusal.reason


def _whose(member: Member) -> str:
    return f"@{member[0]}" if isinstance(member, tuple) else nodes_of(member) or f"%{member.name_hint}"
