"""Turn a network over a sliding window into one that takes the new frames only, and keeps the others as state.

    %a = graph.conv %x, %w … : tensor<1x40x98xf32> -> tensor<1x64x96xf32>        three taps along axis 2, no padding
->                                                                               `--stream x:2`
    %moved = graph.advance %old {by = 1}                %x: tensor<1x40x1xf32>, %old: tensor<1x40x3xf32> {state}
    %window = graph.insert_slice %moved, %x …           which is %old in the next run
    %a = graph.conv %window, %w … : tensor<1x40x3xf32> -> tensor<1x64x1xf32>

The results are those of the whole network on the window that ends with the new frames; before the first run the window
is zeros. What moves from run to run (`s2s.analysis.network.slides`) is computed once and kept for as long as an
operator reads it; an operator that reads padding, or computes along the axis, computes all of its elements in each run.
Of what is dequantised the integers are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, lcm, prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.network.functions import INIT, NAME, STATE, input_numbers, main_of, text
from s2s.analysis.network.slides import Rule, Slide, Slides, is_dequantised, rule_of, slides_of
from s2s.dialects import graph
from s2s.dialects.graph.base import ints, type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.support.frozen import frozen
from s2s.types.dtypes import AnyTensor, Array, tensor_type, to_numpy
from s2s.types.shapes.window import spatial_axes
from s2s.types.sliding import Sliding
from s2s.types.weights import WeightStore


@frozen
class Elements:
    """The elements of a tensor along its axis that a run has: of `begin` to `end` those from `new` on are computed, the
    others kept."""

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


def stream_inputs(module: ModuleOp, weights: WeightStore, streams: Mapping[str, Sliding]) -> dict[str, Window]:
    """Have `main` take the new frames of the inputs that `streams` names, each along an axis, and return the windows
    that they had."""
    return {name: _Stream(module, weights, name, sliding).rewrite() for name, sliding in streams.items()}


class _Stream:
    """Rewrites `main` for one input."""

    def __init__(self, module: ModuleOp, weights: WeightStore, name: str, sliding: Sliding) -> None:
        self.module, self.weights, self.main = module, weights, main_of(module)
        axis, self.frames = sliding
        self.name = name
        self.option = f"--stream {name}:{axis}" + (f"={self.frames}" if self.frames is not None else "")
        self.number = self._number(name)
        self.argument = self.main.body.block.args[self.number]
        rank = type_of(self.argument).get_num_dims()
        if not 0 <= axis < rank:
            raise InputError(f"{self.option}: the input has {rank} axes; give one from 0 to {rank - 1}")
        self.axis = axis

    def _number(self, name: str) -> int:
        known = {text(list(self.main.arg_attrs or ())[each], NAME): each for each in input_numbers(self.main)}
        if name not in known:
            names = ", ".join(repr(each) for each in known)
            raise InputError(f"{self.option}: the model has no input {name!r}; its inputs are {names}")
        return known[name]

    def rewrite(self) -> Window:
        """Rewrite `main`, and return the window."""
        once = slides_of(self.main, self.argument, self.axis)
        least = lcm(*(each.step.denominator for value, each in once.items() if _size(value, each) > 1))
        step = least if self.frames is None else self.frames
        if step == 0 or step % least:
            raise InputError(f"{self.option}: the strides of the network are {least} frames; give a multiple of them")
        slides = slides_of(self.main, self.argument, self.axis, step)
        if step >= type_of(self.argument).get_shape()[self.axis]:
            raise InputError(
                f"{self.option}: a run takes {step} frames, and the window has no more; leave the option out"
            )
        parts = _parts(self.main, self.argument, slides)
        if not any(
            part.end - part.new < _size(value, slides[value])
            for value, part in parts.items()
            if value is not self.argument
        ):
            raise InputError(f"{self.option}: no operator reads less than the whole window in a run; leave it out")
        zeros = self._values_of_zeros(parts)
        window = Window(self.axis, zeros[self.argument])
        _Rewriter(self, slides, parts, zeros).run()
        return window

    def _values_of_zeros(self, parts: Mapping[SSAValue, Elements]) -> dict[SSAValue, Array]:
        """What the tensors of `parts` are where all inputs are zeros."""
        inputs = [
            np.zeros(type_of(self.main.body.block.args[each]).get_shape(), _dtype(self.main.body.block.args[each]))
            for each in input_numbers(self.main)
        ]
        found: dict[SSAValue, Array] = {self.argument: inputs[input_numbers(self.main).index(self.number)]}

        def observe(op: Operation, results: Sequence[Array]) -> None:
            found.update((value, each) for value, each in zip(op.results, results, strict=True) if value in parts)

        run_graph(self.module, inputs, self.weights, observe)
        return found


def _size(value: SSAValue, slide: Slide) -> int:
    """Return the elements of a tensor along the axis that it moves along."""
    return type_of(value).get_shape()[slide.axis]


def _dtype(value: SSAValue) -> "np.dtype[np.generic]":
    return to_numpy(type_of(value).element_type)


def _parts(main: FuncOp, argument: SSAValue, slides: Slides) -> dict[SSAValue, Elements]:
    """The parts that a run has of each tensor that moves and is read; others are computed whole in each run."""
    read: dict[SSAValue, tuple[int, int]] = {}
    parts: dict[SSAValue, Elements] = {}

    def reads(value: SSAValue, begin: int, end: int) -> None:
        before = read.get(value, (begin, end))
        read[value] = min(before[0], begin), max(before[1], end)

    def part_of(value: SSAValue) -> Elements | None:
        slide = slides.get(value)
        if slide is None or value not in read:
            return None
        begin, end = read[value]
        if begin < slide.low or end > slide.high:
            return None
        new = begin if is_dequantised(value, slides) else end - ceil(slide.step)
        return Elements(begin, max(begin, new), end)

    for op in reversed(list(main.body.block.ops)):
        part = part_of(op.results[0]) if len(op.results) == 1 else None
        rule = rule_of(op, slides) if part is not None else None
        if part is not None and rule is not None:
            parts[op.results[0]] = part
        for number, operand in enumerate(op.operands):
            if operand not in slides:
                continue
            if part is not None and rule is not None:
                reads(operand, *rule.taps[number].range(part.new, part.end))
            else:
                reads(operand, 0, _size(operand, slides[operand]))
    size = _size(argument, slides[argument])
    begin = read.get(argument, (size, size))[0]
    new = size - int(slides[argument].step)
    parts[argument] = Elements(min(begin, new), new, size)
    return parts


@dataclass
class _Rewriter:
    """Builds the new body of `main`."""

    stream: _Stream
    slides: Slides
    parts: Mapping[SSAValue, Elements]
    zeros: Mapping[SSAValue, Array]
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The tensors of the new body by those of the old one: of a tensor with a part, its elements of that part."""
    new: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Of a tensor with a part, the elements that this run computes."""
    kept: list[SSAValue] = field(default_factory=list[SSAValue])
    """The values that the next run begins with."""
    attributes: list[DictionaryAttr] = field(default_factory=list[DictionaryAttr])
    """The attributes of their arguments."""

    def run(self) -> None:
        """Replace the body."""
        main, argument = self.stream.main, self.stream.argument
        old, slide = main.body.block, self.slides[argument]
        types: list[Attribute] = [each.type for each in old.args]
        types[self.stream.number] = _resized(argument, slide.axis, int(slide.step))
        self.block = Block(arg_types=types)
        self.values.update(zip(old.args, self.block.args, strict=True))
        self._keep(argument, self.block.args[self.stream.number])
        tied, first = graph.tied_arguments(main), len(old.args)
        for op in list(old.ops):
            self._rewrite(op)
        returned = self.block.last_op
        assert isinstance(returned, ReturnOp)
        returned.operands = [*returned.operands, *self.kept]
        main.arg_attrs = ArrayAttr([*(main.arg_attrs or ()), *self.attributes])
        main.res_attrs = ArrayAttr([*(main.res_attrs or ()), *(DictionaryAttr({}) for _ in self.kept)])
        places = [-1 if each is None else each for each in tied]
        main.attributes[graph.TIED] = ints([*places, *range(first, first + len(self.kept))])
        main.body.detach_block(old)
        main.body.add_block(self.block)
        main.update_function_type()
        old.drop_all_references()

    def _rewrite(self, op: Operation) -> None:
        """Add `op`; if its result has a part, it computes the new elements only."""
        part = self.parts.get(op.results[0]) if len(op.results) == 1 else None
        rule = rule_of(op, self.slides)
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
        made = type(op).create(
            operands=operands,
            result_types=[_resized(op.results[0], rule.axis, part.end - part.new)],
            properties={**op.properties, **_without_borders(op, rule, part)},
            attributes=op.attributes,
        )
        self.block.add_op(made)
        self._keep(op.results[0], made.results[0])

    def _elements(self, value: SSAValue, begin: int, end: int) -> SSAValue:
        """Return the elements of a tensor from `begin` to `end` along its axis."""
        part, axis = self.parts.get(value, Elements(0, 0, _size(value, self.slides[value]))), self.slides[value].axis
        if value in self.new and begin >= part.new:
            return self._slice(self.new[value], axis, begin - part.new, end - begin)
        return self._slice(self.values[value], axis, begin - part.begin, end - begin)

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
        part, slide = self.parts[value], self.slides[value]
        self.values[value] = self.new[value] = new
        if part.new == part.begin:
            return
        size = part.end - part.begin
        old = self.block.insert_arg(_resized(value, slide.axis, size), len(self.block.args))
        moved = graph.AdvanceOp(old, by=int(slide.step) * prod(type_of(value).get_shape()[slide.axis + 1 :]))
        starts = [0] * len(type_of(value).get_shape())
        starts[slide.axis] = part.new - part.begin
        window = graph.InsertSliceOp(moved, new, starts=starts)
        if isinstance(value.owner, Operation):
            graph.copy_provenance(moved, value.owner)
            graph.copy_provenance(window, value.owner)
        self.block.add_ops([moved, window])
        self.values[value] = window.y
        self.kept.append(window.y)
        initial = np.asarray(np.take(self.zeros[value], range(part.begin, part.end), slide.axis), order="C")
        name = f"{self.stream.name}_{len(self.kept)}"
        attributes: dict[str, Attribute] = {NAME: StringAttr(name), STATE: UnitAttr()}
        if initial.view(np.uint8).any():
            attributes[INIT] = StringAttr(self.stream.weights.add(f"{name}_before", initial))
        self.attributes.append(DictionaryAttr(attributes))


def _resized(value: SSAValue, axis: int, size: int) -> AnyTensor:
    """Return the type of a tensor with another size along `axis`."""
    shape = list(type_of(value).get_shape())
    shape[axis] = size
    return tensor_type(type_of(value).element_type, tuple(shape))


def _without_borders(op: Operation, rule: Rule, part: Elements) -> dict[str, Attribute]:
    """Return the properties of `op` that say which elements it reads, where its operand holds those and no others."""
    match op:
        case graph.ConvOp() | PoolOp():
            rank = type_of(op.x).get_num_dims()
            place = list(spatial_axes(op.data_layout, rank)).index(rule.axis)
            names = ["pads", "counted_pads"] if isinstance(op, graph.AvgPoolOp) else ["pads"]
            return {name: _zeroed(op.properties[name], place, place + rank - 2) for name in names}
        case graph.PadOp():
            return {name: _zeroed(op.properties[name], rule.axis) for name in ("low", "high")}
        case graph.SliceOp():
            sizes = list(op.sizes.get_values())
            sizes[rule.axis] = part.end - part.new
            return {"starts": _zeroed(op.starts, rule.axis), "sizes": ints(sizes)}
        case _:
            return {}


def _zeroed(attribute: Attribute, *places: int) -> Attribute:
    """Return a list of integers with zeros in some places."""
    assert isinstance(attribute, DenseArrayBase)
    return ints([0 if place in places else int(value) for place, value in enumerate(attribute.get_values())])
