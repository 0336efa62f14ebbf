"""Decide the layout of tensors between kernels: the model's own (NCHW), or blocks of channels (NCHW16c).

Tensors that go to the same places of kernels are asked as one subject. It is named by a hash over the task keys of
these kernels and the numbers of their operands and results.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.decisions.channel_blocks import CHANNEL
from s2s.decisions.channel_evidence import RANKS
from s2s.decisions.channel_layouts import ChannelLayouts, callee, nodes_of, slots_of
from s2s.decisions.decision import Cost
from s2s.decisions.keys import DIGITS, task_key
from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.dialects import tensor
from s2s.targets import Target
from s2s.types.dtypes import size_in_bytes

PLAIN = "NCHW"
_BLOCKED = re.compile(rf"{PLAIN}([1-9]\d*)c")


class Layouts:
    """The layouts of a network during the decisions, one group of tensors after the other."""

    def __init__(self, module: ModuleOp, target: Target) -> None:
        self.module, self.target = module, target
        self.found = ChannelLayouts(module, target)
        self.blocks: dict[SSAValue, int] = {}
        """The first tensor of each group that is decided, with its block."""

    def groups(self) -> list["TensorGroup"]:
        """Return the groups of tensors that are decided together."""
        groups = [group for group in self.found.groups() if len(shape_of(group[0])) in RANKS]
        keys = {name: self._key(name) for name in {name for group in groups for name in _kernels(group)}}
        return [TensorGroup(self, tuple(group), _group_key(group, keys)) for group in groups]

    def _key(self, name: str) -> str:
        func = self.found.kernels[name]
        return name if func.is_declaration else task_key(func, self.found.by_kernel, self.target)

    def why_not(self, value: SSAValue, block: int) -> str | None:
        """Return why the group of `value` cannot have blocks of this size, given the groups already decided."""
        if block == self.model_block(value):
            return None
        if block and block not in self.found.sizes_of(value):
            return f"{shape_of(value)[CHANNEL]} channels do not fill blocks of {block}"
        tried = ChannelLayouts(self.module, self.target, {**self.blocks, value: block})
        if block and tried.refusals(value):
            return tried.why_not(value)
        lost = [other for other, size in self.blocks.items() if size and tried.refusals(other)]
        name = "".join(nodes_of(each) or callee(each.owner) for each in lost[:1])
        return f"{name} is in blocks and needs them here as well" if lost else None

    def model_block(self, value: SSAValue) -> int:
        """Return the block that the channels of `value` fill best; 0 if it cannot have blocks."""
        return 0 if self.found.refusals(value) else self.found.block_of(value)

    def settle(self, value: SSAValue, block: int) -> None:
        """Record the decision about the group of `value`."""
        other = block != self.model_block(value)
        self.blocks[value] = block
        if other:
            self.found = ChannelLayouts(self.module, self.target, self.blocks)


class TensorGroup(NamedTuple):
    """Results of calls that must have one layout."""

    layouts: Layouts
    values: tuple[SSAValue, ...]
    key: str

    @property
    def first(self) -> SSAValue:
        """Return the representative of the group: its members are alike."""
        return self.values[0]


class LayoutKind(Kind[TensorGroup, int]):
    """Layouts of tensors; a choice is the number of channels in a block, 0 for none."""

    name = "layout"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[TensorGroup, int]]]:
        return (("blocks of channels as wide as vectors", _blocks), ("blocks of another width", _other_blocks))

    def key(self, subject: TensorGroup) -> str:
        return subject.key

    def home(self, subject: TensorGroup) -> Operation:
        return subject.layouts.module

    def about(self, subject: TensorGroup) -> str:
        return callee(subject.first.owner)

    def nodes(self, subject: TensorGroup) -> str:
        return ", ".join(filter(None, map(nodes_of, subject.values)))

    def legal(self, subject: TensorGroup, choice: int) -> str | None:
        return subject.layouts.why_not(subject.first, choice)

    def apply(self, subject: TensorGroup, choice: int) -> None:
        subject.layouts.settle(subject.first, choice)

    def text(self, choice: int) -> str:
        return f"{PLAIN}{choice}c" if choice else PLAIN

    def parse(self, subject: TensorGroup, text: str) -> int:
        found = _BLOCKED.fullmatch(text)
        if found is None and text != PLAIN:
            raise ValueError(f"give {PLAIN}, or {PLAIN} with the channels in a block, as {PLAIN}16c")
        return 0 if found is None else int(found[1])


def _blocks(subject: TensorGroup, target: Target) -> Sequence[Candidate[int] | Refused]:
    """Propose blocks where every kernel supports them, else the order of the model."""
    value, found = subject.first, subject.layouts.found
    elements = prod(shape_of(value))
    size = size_in_bytes(tensor.element_type(value))
    plain = Candidate(lambda: 0, "as it comes", Cost(ram=elements * size))
    if found.refusals(value):
        return [Refused("blocks of channels", found.why_not(value)), plain]
    block, channels = found.block_of(value), shape_of(value)[CHANNEL]
    padded = elements // channels * -(-channels // block) * block
    return [Candidate(lambda: block, found.filling(value), Cost(ram=padded * size)), plain]


def _other_blocks(subject: TensorGroup, target: Target) -> Sequence[Candidate[int]]:
    """Propose the blocks that are possible and that `_blocks` does not take."""
    value, found = subject.first, subject.layouts.found
    sizes = [] if found.refusals(value) else [size for size in found.sizes_of(value) if size != found.block_of(value)]
    return [Candidate(lambda size=size: size, f"blocks of {size} channels") for size in sizes]


def _kernels(group: Sequence[SSAValue]) -> list[str]:
    return [name for value in group for name, _ in slots_of(value)]


def _group_key(group: Sequence[SSAValue], keys: Mapping[str, str]) -> str:
    places = sorted({f"{keys[name]}:{number}" for value in group for name, number in slots_of(value)})
    return hashlib.sha256("\n".join(places).encode()).hexdigest()[:DIGITS]
