"""Lower windows that slide over a stream: where the memory of their state lies, and how they move through it.

    func.func @main(%old: tensor<64x34xf32> {state, name = "x_1"}, …) {
      %moved = graph.advance %old {by = 2, slack = 272}
      %window = graph.call @insert_slice(%moved, %new)
      … return %window                                                   tied to %old
->
    func.func @main(%old: memref<2448xf32> {role = "state", …}, …, %at: memref<1xi32> {role = "state", …}) {
      %window = loop.advance %old at %at {by = 2} : memref<2448xf32> -> memref<2176xf32>
      func.call @insert_slice(%window, %window, %new)

The call writes the new frames alone: what it leaves as it was lies in place.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, StringAttr, UnitAttr, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from s2s.analysis.network.arguments import SHAPE, Role, with_role
from s2s.analysis.network.functions import INIT, NAME, STATE, text
from s2s.analysis.network.reshapes import root_of
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, loop, tensor
from s2s.dialects.graph.traits import provenance, set_provenance
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type
from s2s.passes.tensor.lower_to_loop.tied import written_directly
from s2s.support.frozen import frozen
from s2s.types.dtypes import as_tensor_type, flat_buffer
from s2s.types.weights import WeightStore


@frozen
class _Window:
    """A state that `graph.advance` moves."""

    argument: BlockArgument
    op: graph.AdvanceOp
    root: SSAValue
    """The tensor that the next run begins with, written where the window has moved to."""

    @property
    def slack(self) -> int:
        return self.op.slack.value.data

    @property
    def size(self) -> int:
        """The elements of its memory."""
        return prod(shape_of(self.argument)) + self.slack


class Windows:
    """The windows of one network."""

    def __init__(self, func: FuncOp, weights: WeightStore) -> None:
        self.func, self.weights = func, weights
        self.found = {
            window.argument: window
            for op in func.body.block.ops
            if isinstance(op, graph.AdvanceOp)
            for window in [_window(func, op)]
        }
        self.places: dict[SSAValue, SSAValue] = {}
        """The memory of each window, and the position of windows that have slack, by its argument and operation."""

    @property
    def _with_position(self) -> list[_Window]:
        return [window for window in self.found.values() if window.slack]

    def argument_types(self) -> list[MemRefType[Attribute]]:
        """Return the types of the buffers of all arguments, then of the positions."""
        types: list[MemRefType[Attribute]] = []
        for argument in self.func.body.block.args:
            window = self.found.get(argument)
            element = as_tensor_type(argument.type).element_type
            types.append(buffer_type(argument.type) if window is None else flat_buffer(element, window.size))
        return [*types, *(MemRefType(i32, [1]) for _ in self._with_position)]

    def bind(self, buffers: Sequence[SSAValue]) -> None:
        """Take note of the buffers of the arguments and the positions."""
        count = len(self.func.body.block.args)
        self.places = dict(zip(self.func.body.block.args, buffers, strict=False))
        for window, place in zip(self._with_position, buffers[count:], strict=True):
            self.places[window.op.y] = place
            place.name_hint = f"{window.argument.name_hint or 'window'}_position"

    def ends_as(self, argument: BlockArgument, root: SSAValue) -> bool:
        """Return whether `root` is what the next run begins with as the window of `argument`."""
        return argument in self.found and self.found[argument].root is root

    def advance(self, op: graph.AdvanceOp, block: Block) -> Mapping[SSAValue, SSAValue]:
        """Move the window of `op`; return the buffer of its result, and of the tensor that is written there."""
        [window] = [each for each in self.found.values() if each.op is op]
        moved = loop.AdvanceOp(
            self.places[window.argument],
            self.places.get(op.y),
            buffer_type(op.y.type),
            by=op.by.value.data,
        )
        moved.result.name_hint = window.argument.name_hint
        set_provenance(moved, provenance(op))
        block.add_op(moved)
        return {op.y: moved.result, window.root: moved.result}

    def attributes(self, given: Sequence[DictionaryAttr]) -> list[DictionaryAttr]:
        """Return the attributes of all arguments, the ones of windows with the size of their memory; then of the
        positions."""
        changed = [
            self._of_memory(self.found[argument], attributes) if argument in self.found else attributes
            for argument, attributes in zip(self.func.body.block.args, given, strict=True)
        ]
        return [*changed, *(self._of_position(window) for window in self._with_position)]

    def _of_memory(self, window: _Window, attributes: DictionaryAttr) -> DictionaryAttr:
        if not window.slack:
            return attributes
        known: dict[str, Attribute] = {**attributes.data, SHAPE: tensor.integers([window.size])}
        if (name := text(attributes, INIT)) is not None:
            values = np.pad(np.array(self.weights.get(name)).reshape(-1), (0, window.slack))
            known[INIT] = StringAttr(self.weights.add(name, values))
        return DictionaryAttr(known)

    def _of_position(self, window: _Window) -> DictionaryAttr:
        given = (self.func.arg_attrs or ArrayAttr[DictionaryAttr]([])).data[window.argument.index]
        name = StringAttr(f"{text(given, NAME) or 'window'}_position")
        return DictionaryAttr({**with_role(Role.STATE, {NAME: name, STATE: UnitAttr()}), SHAPE: tensor.integers([1])})


def _window(func: FuncOp, op: graph.AdvanceOp) -> _Window:
    """Return the window that `op` moves: a state of the network, which ends as one tensor that is computed in place."""
    last = func.body.block.last_op
    argument = root_of(op.x)
    tied = graph.tied_arguments(func)
    if isinstance(argument, BlockArgument) and argument.index in tied and last is not None:
        root = root_of(last.operands[tied.index(argument.index)])
        if not isinstance(root, BlockArgument) and written_directly(func, argument, root):
            return _Window(argument, op, root)
    raise CompilerBug(f"{func.sym_name.data} advances what is no state, or a state that is not written in place")
