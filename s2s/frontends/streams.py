"""Turn a network over sliding windows into one that takes the new frames only, and keeps the others as state.

    %a = graph.conv %x, %w … : tensor<1x40x98xf32> -> tensor<1x64x96xf32>        three taps along axis 2, no padding
->                                                                               `--stream x:2`
    %moved = graph.advance %old {by = 1}                %x: tensor<1x40x1xf32>, %old: tensor<1x40x3xf32> {state}
    %window = graph.insert_slice %moved, %x …           which is %old in the next run
    %a = graph.conv %window, %w … : tensor<1x40x3xf32> -> tensor<1x64x1xf32>

The results are those of the whole network on the windows that end with the new frames; before the first run a window
is zeros. What moves from run to run (`s2s.analysis.network.motions`) is computed once and kept for as long as an
operator reads it. What changes along the frames is computed in each run as far as it is read, and so is what is
dequantised, of which the integers are kept; an operator that reads padding, or computes along the axis, computes all of
its elements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, lcm, prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from s2s.analysis.network.frame_rules import Frames
from s2s.analysis.network.functions import INIT, NAME, STATE, input_numbers, main_of, text
from s2s.analysis.network.motions import Motions, Moves, frames_of, is_dequantised, motions_of, rule_in
from s2s.analysis.network.on_frames import on_frames, resized
from s2s.dialects import graph
from s2s.dialects.graph.base import ints, type_of
from s2s.errors import InputError, UnsupportedError
from s2s.interpret.graph import run_graph
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, to_numpy
from s2s.types.sizes import sizes_of
from s2s.types.sliding import Sliding
from s2s.types.weights import WeightStore


@frozen
class Elements:
    """The elements of a tensor along its axis that a run has: of `begin` to `end` the ones from `new` on are computed,
    the others kept."""

    begin: int
    new: int
    end: int


class Window(NamedTuple):
    """A window that slides along an axis over the frames of an input."""

    axis: int
    frames: Array
    """What it holds; zeros before the first run."""

    def moved(self, new: Array) -> "Window":
        """Return the window with `new` frames behind the others, as many of which leave it."""
        kept = np.take(self.frames, range(new.shape[self.axis], self.frames.shape[self.axis]), self.axis)
        return Window(self.axis, np.concatenate([kept, new], self.axis))


@frozen
class _Input:
    """An input of `main` that takes new frames along an axis, and the option that says so."""

    option: str
    name: str
    argument: BlockArgument
    axis: int
    frames: int | None
    """How many a run takes; None for as few as the network allows."""

    @property
    def size(self) -> int:
        """The frames of the window."""
        return type_of(self.argument).get_shape()[self.axis]

    def moved_by(self, step: int) -> Moves:
        """Return the motion of the window where a run takes `step` frames."""
        return Moves(Frames(self.axis, 0, self.size), Fraction(step))


def stream_inputs(module: ModuleOp, weights: WeightStore, streams: Mapping[str, Sliding]) -> dict[str, Window]:
    """Have `main` take the new frames of the inputs that `streams` names, each along an axis, and return the windows
    that they had."""
    main = main_of(module)
    inputs = [_input(main, name, sliding) for name, sliding in streams.items()]
    _check_sizes(module, inputs)
    windows = _steps(main, inputs)
    motions = motions_of(main, windows)
    arguments = set(main.body.block.args)
    if not any(frames_of(value, motions) for value in motions if value not in arguments):
        raise InputError(f"{_options(inputs)}: no operator reads less than the whole window in a run; leave it out")
    parts = _parts(main, windows, motions)
    zeros = _values_of_zeros(module, weights, parts)
    _Rewriter(main, weights, {each.argument: each.name for each in inputs}, motions, parts, zeros).run()
    return {each.name: Window(each.axis, zeros[each.argument]) for each in inputs}


def _input(main: FuncOp, name: str, sliding: Sliding) -> _Input:
    """Return the input called `name`; raise an error where there is none, or it has no such axis."""
    axis, frames = sliding
    option = f"--stream {name}:{axis}" + (f"={frames}" if frames is not None else "")
    known = {text(list(main.arg_attrs or ())[each], NAME): each for each in input_numbers(main)}
    if name not in known:
        names = ", ".join(repr(each) for each in known)
        raise InputError(f"{option}: the model has no input {name!r}; its inputs are {names}")
    argument = main.body.block.args[known[name]]
    rank = type_of(argument).get_num_dims()
    if not 0 <= axis < rank:
        raise InputError(f"{option}: the input has {rank} axes; give one from 0 to {rank - 1}")
    return _Input(option, name, argument, axis, frames)


def _check_sizes(module: ModuleOp, inputs: Sequence[_Input]) -> None:
    """Raise an error where sizes vary: what a window keeps of a run has the sizes of that run, and no others."""
    if sizes := sizes_of(module.attributes):
        given = " ".join(f"--dim {name}={size.most}" for name, size in sizes.items())
        raise UnsupportedError(
            f"{_options(inputs)}: windows keep constant sizes, and {', '.join(sizes)} varies; give {given}"
        )


def _steps(main: FuncOp, inputs: Sequence[_Input]) -> dict[SSAValue, Moves]:
    """Return how the windows move: by the frames that their options say, or by the fewest with which all that moves
    moves on by whole elements."""
    windows: dict[SSAValue, Moves] = {}
    for each in inputs:
        least = _denominator(main, {each.argument: each.moved_by(1)})
        step = least if each.frames is None else each.frames
        if step == 0 or step % least:
            raise InputError(f"{each.option}: the strides of the network are {least} frames; give a multiple of them")
        windows[each.argument] = each.moved_by(step)
    while (together := _denominator(main, windows)) > 1:
        if any(each.frames is not None for each in inputs):
            raise InputError(
                f"{_options(inputs)}: what is computed of several of them moves on by 1/{together} of an element; "
                f"give {together} times as many frames of each"
            )
        windows = {value: Moves(each.frames, each.step * together) for value, each in windows.items()}
    for each in inputs:
        step = windows[each.argument].step
        if step >= each.size:
            raise InputError(
                f"{each.option}: a run takes {step} frames, and the window has no more; leave the option out"
            )
    return windows


def _options(inputs: Sequence[_Input]) -> str:
    return " ".join(each.option for each in inputs)


def _denominator(main: FuncOp, windows: Mapping[SSAValue, Moves]) -> int:
    """Return the least factor by which the windows have to move further for all that moves to do so by whole
    elements."""
    motions = motions_of(main, windows)
    moves = {value: motion for value, motion in motions.items() if isinstance(motion, Moves)}
    return lcm(*(each.step.denominator for value, each in moves.items() if _size(value, each.frames) > 1))


def _values_of_zeros(
    module: ModuleOp, weights: WeightStore, parts: Mapping[SSAValue, Elements]
) -> dict[SSAValue, Array]:
    """Return what the tensors of `parts` are where all inputs are zeros."""
    main = main_of(module)
    arguments = [main.body.block.args[each] for each in input_numbers(main)]
    inputs = [np.zeros(type_of(each).get_shape(), to_numpy(type_of(each).element_type)) for each in arguments]
    found: dict[SSAValue, Array] = dict(zip(arguments, inputs, strict=True))

    def observe(op: Operation, results: Sequence[Array]) -> None:
        found.update((value, each) for value, each in zip(op.results, results, strict=True) if value in parts)

    run_graph(module, inputs, weights, observe)
    return found


def _size(value: SSAValue, frames: Frames) -> int:
    """Return the elements of a tensor along its frames."""
    return type_of(value).get_shape()[frames.axis]


def _parts(main: FuncOp, windows: Mapping[SSAValue, Moves], motions: Motions) -> dict[SSAValue, Elements]:
    """Return the parts that a run has of each tensor with frames that is read; others are computed whole in each
    run."""
    read: dict[SSAValue, tuple[int, int]] = {}
    parts: dict[SSAValue, Elements] = {}

    def reads(value: SSAValue, begin: int, end: int) -> None:
        before = read.get(value, (begin, end))
        read[value] = min(before[0], begin), max(before[1], end)

    for op in reversed(list(main.body.block.ops)):
        result = op.results[0] if len(op.results) == 1 else None
        part = None if result is None else _part(result, motions, read.get(result))
        rule = None if part is None else rule_in(op, motions)
        if result is not None and part is not None and rule is not None:
            parts[result] = part
        for number, operand in enumerate(op.operands):
            frames = frames_of(operand, motions)
            if frames is None:
                continue
            if part is not None and rule is not None and number in rule.taps:
                reads(operand, *rule.taps[number].range(part.new, part.end))
            else:
                reads(operand, 0, _size(operand, frames))
    for window, moves in windows.items():
        size = _size(window, moves.frames)
        new = size - int(moves.step)
        parts[window] = Elements(min(read.get(window, (size, size))[0], new), new, size)
    return parts


def _part(value: SSAValue, motions: Motions, read: tuple[int, int] | None) -> Elements | None:
    """Return the elements of `value` that a run has if operators read the elements of `read`: what moves is kept, all
    else is computed. None if these are none, or if some of them read padding."""
    motion, frames = motions[value], frames_of(value, motions)
    if frames is None or read is None or read[0] < frames.low or read[1] > frames.high:
        return None
    begin, end = read
    if not isinstance(motion, Moves) or is_dequantised(value, motions):
        return Elements(begin, begin, end)
    return Elements(begin, max(begin, end - ceil(motion.step)), end)


@dataclass
class _Rewriter:
    """Builds the new body of `main`."""

    main: FuncOp
    weights: WeightStore
    windows: Mapping[SSAValue, str]
    """The names of the arguments that take new frames."""
    motions: Motions
    parts: Mapping[SSAValue, Elements]
    zeros: Mapping[SSAValue, Array]
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The tensors of the new body by the tensors of the old one: of a tensor with a part, its elements of that part."""
    new: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Of a tensor with a part, the elements that this run computes."""
    origins: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The name of the input with new frames that a tensor is computed of; of several, the first that is read."""
    kept: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The values that the next run begins with, by the names of their states."""
    attributes: list[DictionaryAttr] = field(default_factory=list[DictionaryAttr])
    """The attributes of their arguments."""

    def run(self) -> None:
        """Replace the body."""
        main, old = self.main, self.main.body.block
        self.block = Block(arg_types=[self._argument_type(each) for each in old.args])
        self.values.update(zip(old.args, self.block.args, strict=True))
        for window, name in self.windows.items():
            self.origins[window] = name
            self._keep(window, self.values[window])
        tied, first = graph.tied_arguments(main), len(old.args)
        for op in list(old.ops):
            self._rewrite(op)
        returned = self.block.last_op
        assert isinstance(returned, ReturnOp)
        returned.operands = [*returned.operands, *self.kept.values()]
        main.arg_attrs = ArrayAttr([*(main.arg_attrs or ()), *self.attributes])
        main.res_attrs = ArrayAttr([*(main.res_attrs or ()), *(DictionaryAttr({}) for _ in self.kept)])
        places = [-1 if each is None else each for each in tied]
        main.attributes[graph.TIED] = ints([*places, *range(first, first + len(self.kept))])
        main.body.detach_block(old)
        main.body.add_block(self.block)
        main.update_function_type()
        old.drop_all_references()

    def _argument_type(self, argument: BlockArgument) -> Attribute:
        motion = self.motions[argument]
        return resized(argument, motion.frames.axis, int(motion.step)) if isinstance(motion, Moves) else argument.type

    def _rewrite(self, op: Operation) -> None:
        """Add `op`; if its result has a part, it computes the new elements only."""
        origin = next((self.origins[each] for each in op.operands if each in self.origins), None)
        if origin is not None:
            self.origins.update(dict.fromkeys(op.results, origin))
        part = self.parts.get(op.results[0]) if len(op.results) == 1 else None
        rule = None if part is None else rule_in(op, self.motions)
        if part is None or rule is None:
            made = op.clone(self.values)
            self.block.add_op(made)
            self.values.update(zip(op.results, made.results, strict=True))
            return
        operands = [
            self._elements(operand, *rule.taps[number].range(part.new, part.end))
            if number in rule.taps
            else self.values[operand]
            for number, operand in enumerate(op.operands)
        ]
        made = on_frames(op, operands, rule.axis, part.end - part.new)
        self.block.add_op(made)
        self._keep(op.results[0], made.results[0])

    def _elements(self, value: SSAValue, begin: int, end: int) -> SSAValue:
        """Return the elements of a tensor from `begin` to `end` along its frames."""
        frames = frames_of(value, self.motions)
        assert frames is not None
        part = self.parts.get(value, Elements(0, 0, _size(value, frames)))
        if value in self.new and begin >= part.new:
            return self._slice(self.new[value], frames.axis, begin - part.new, end - begin)
        return self._slice(self.values[value], frames.axis, begin - part.begin, end - begin)

    def _slice(self, value: SSAValue, axis: int, start: int, size: int) -> SSAValue:
        shape = type_of(value).get_shape()
        if size == shape[axis]:
            return value
        starts, sizes = [0] * len(shape), list(shape)
        starts[axis], sizes[axis] = start, size
        made = graph.SliceOp(value, starts=starts, sizes=sizes, strides=[1] * len(shape))
        self.block.add_op(made)
        return made.y

    def _keep(self, value: SSAValue, new: SSAValue) -> None:
        """Put the `new` elements of a tensor into its window, which the next run begins with."""
        part, motion = self.parts[value], self.motions[value]
        self.values[value] = self.new[value] = new
        if part.new == part.begin:
            return
        assert isinstance(motion, Moves)
        size, axis = part.end - part.begin, motion.frames.axis
        old = self.block.insert_arg(resized(value, axis, size), len(self.block.args))
        moved = graph.AdvanceOp(old, by=int(motion.step) * prod(type_of(value).get_shape()[axis + 1 :]))
        starts = [0] * len(type_of(value).get_shape())
        starts[axis] = part.new - part.begin
        window = graph.InsertSliceOp(moved, new, starts=starts)
        if isinstance(value.owner, Operation):
            graph.copy_provenance(moved, value.owner)
            graph.copy_provenance(window, value.owner)
        self.block.add_ops([moved, window])
        self.values[value] = window.y
        initial = np.asarray(np.take(self.zeros[value], range(part.begin, part.end), axis), order="C")
        self._add_state(self.origins[value], window.y, initial)

    def _add_state(self, origin: str, value: SSAValue, initial: Array) -> None:
        """Have the next run begin with `value`, and the first one with `initial`."""
        count = 1 + sum(each.rpartition("_")[0] == origin for each in self.kept)
        name = f"{origin}_{count}"
        self.kept[name] = value
        attributes: dict[str, Attribute] = {NAME: StringAttr(name), STATE: UnitAttr()}
        if initial.view(np.uint8).any():
            attributes[INIT] = StringAttr(self.weights.add(f"{name}_before", initial))
        self.attributes.append(DictionaryAttr(attributes))
