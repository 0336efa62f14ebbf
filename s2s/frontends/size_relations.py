"""Find what a network read at the greatest sizes holds that follows from these sizes, by reading it at smaller ones.

    %y = graph.slice %x {starts = [0, 8], sizes = [1, 1], …}         at N = 9, and starts = [0, 7] at N = 8
->
    %y = graph.dynamic_slice %x {starts = [0, 8], begins = ["", "N - 1"], …}

A slice from the end of an axis, a broadcast to the shape of another tensor, and numbers computed from shapes
(`Shape`, `Size`) are constants of the importer. Where they are other constants at smaller sizes, and the difference is
that of an affine function, the operation takes the size of the run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.shape_functions import related
from s2s.dialects import graph
from s2s.dialects.graph.traits import FusionKind, copy_provenance, fusion_kind, provenance
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.size_numbers import integers_of, numbers_of, small_value
from s2s.frontends.size_reshapes import ReshapeSizes, ShapeAt
from s2s.types.dtypes import to_numpy
from s2s.types.sizes import DERIVED, SizeRange, SizeTable, computed_of, extents_attribute, sizes_of
from s2s.types.weights import WeightStore

STEPS = (1, 2, 3, 8, 12, 16, 32)
"""How much smaller the sizes are at which a network is read first; it is read at others where these leave open how a
number follows."""
FEW_STEPS = STEPS[:3]
"""The same for sizes that a run computes: few layers with strides read what a run finds."""

ReadAt = Callable[[Mapping[str, int]], tuple[ModuleOp, WeightStore]]
"""Reads the network at other sizes."""


def relate_to_sizes(module: ModuleOp, weights: WeightStore, read_at: ReadAt) -> None:
    """Let what follows from sizes in `module`, whose sizes are marked, say so."""
    sizes = sizes_of(module.attributes)
    readings = [reading for name, size in sizes.items() for reading in _readings(name, size, read_at, module, weights)]
    if readings:
        _Relations(module, weights, readings, read_at).run()


class _Reading:
    """The network at a smaller size."""

    def __init__(self, name: str, size: int, module: ModuleOp, weights: WeightStore) -> None:
        self.name, self.size, self.weights = name, size, weights
        self.ops = list(main_of(module).body.block.ops)
        self.kinds = [op.name for op in self.ops]

    def holds_the_same(self, other: "_Reading") -> bool:
        """Return whether the network states the same numbers in a reading of the same operations."""
        pairs = zip(self.ops, other.ops, strict=True)
        return all(numbers_of(a, self.weights) == numbers_of(b, other.weights) for a, b in pairs)


def _readings(
    name: str, size: SizeRange, read_at: ReadAt, module: ModuleOp, weights: WeightStore
) -> Iterator[_Reading]:
    """Yield the network at smaller sizes, only one if it holds the same numbers there and at the least size, none if it
    is another network.

    A half may be the same at the next size, 2 of 4 and of 5, and is not at the least one. A slice by steps may have as
    many elements at both, and fewer at others; so may the result of a layer with strides, and the axes that it is
    reshaped to.
    """
    steps = FEW_STEPS if name in computed_of(module.attributes) else STEPS
    sizes = [size.most - step * size.step for step in steps]
    least = next((each for each in size.values if each >= 2), size.most)
    whole = _Reading(name, size.most, module, weights)
    for number, each in enumerate(dict.fromkeys((*sizes, least))):
        if not 2 <= each < size.most:
            continue
        reading = _read(name, each, read_at)
        if reading is None:
            continue
        if reading.kinds != whole.kinds:
            return
        yield reading
        if number == 0 and not _moves(whole, reading):
            last = _read(name, least, read_at) if least < each else None
            if last is None or last.kinds != whole.kinds or whole.holds_the_same(last):
                return


def _moves(whole: _Reading, smaller: _Reading) -> bool:
    """Return whether a network states other numbers at a smaller size, or may do so at others."""
    pairs = list(zip(whole.ops, smaller.ops, strict=True))
    if not whole.holds_the_same(smaller) or any(_goes_by_steps(op) for op in whole.ops):
        return True
    return any(_is_rounded(a, b) for a, b in pairs) and any(_is_same_reshape(a, b) for a, b in pairs)


def _read(name: str, size: int, read_at: ReadAt) -> _Reading | None:
    """Return the network where size `name` is `size`; None if it cannot be read there."""
    try:
        return _Reading(name, size, *read_at({name: size}))
    except (InputError, UnsupportedError):
        return None


def _goes_by_steps(op: Operation) -> bool:
    return isinstance(op, graph.SliceOp) and any(stride > 1 for stride in op.strides.get_values())


def _is_rounded(op: Operation, smaller: Operation) -> bool:
    """Whether an operation with strides has a result of one shape at two sizes: 4 of 8 elements, and of 9."""
    strides = op.properties.get("strides")
    return (
        isinstance(strides, DenseArrayBase)
        and any(stride > 1 for stride in strides.get_values())
        and shape_of(op.operands[0]) != shape_of(smaller.operands[0])
        and shape_of(op.results[0]) == shape_of(smaller.results[0])
    )


def _is_same_reshape(op: Operation, smaller: Operation) -> bool:
    return isinstance(op, graph.ReshapeOp) and shape_of(op.y) == shape_of(smaller.results[0])


class _Relations:
    """Rewrites the network at the greatest sizes."""

    def __init__(self, module: ModuleOp, weights: WeightStore, readings: Sequence[_Reading], read_at: ReadAt) -> None:
        self.module, self.weights, self.readings, self.read_at = module, weights, list(readings), read_at
        self.table = SizeTable(module.attributes)
        self.ops = list(main_of(module).body.block.ops)
        self.kinds = [op.name for op in self.ops]
        self.more: dict[tuple[str, int], _Reading | None] = {}
        """Further readings that were asked for, None where the network is another one."""

    def run(self) -> None:
        """Rewrite each operation whose numbers follow from sizes."""
        shapes = {result: self._shapes(number) for number, op in enumerate(self.ops) for result in op.results[:1]}
        varying: set[SSAValue] = {value for value, found in shapes.items() if found}
        varying |= set[SSAValue](main_of(self.module).args)
        for number, op in enumerate(self.ops):
            match op:
                case graph.SliceOp():
                    self._slice(number, op)
                case graph.BroadcastToOp():
                    self._broadcast(number, op)
                case graph.ConstantOp() | graph.WeightOp():
                    self._constant(number, op, varying)
                case graph.SizeValuesOp():
                    self._sizes(number, op)
                case _:
                    pass
        if self.table.derived:
            self.module.attributes[DERIVED] = self.table.attribute
        ReshapeSizes(self.module, self._reshapes()).run()

    def _reshapes(self) -> dict[Operation, list[ShapeAt]]:
        """Return the shapes that the results of reshapes have at smaller sizes."""
        return {
            op: [ShapeAt(each.name, each.size, shape_of(each.ops[number].results[0])) for each in self.readings]
            for number, op in enumerate(self.ops)
            if isinstance(op, graph.ReshapeOp)
        }

    def _shapes(self, number: int) -> bool:
        """Whether the shape of an operation's result is another one at smaller sizes."""
        whole = shape_of(self.ops[number].results[0])
        return any(shape_of(each.ops[number].results[0]) != whole for each in self.readings)

    def _reading(self, name: str, size: int) -> _Reading | None:
        """Return the network where size `name` is `size`, which `readings` has not; None if it is another one there."""
        if (name, size) not in self.more:
            reading = _read(name, size, self.read_at)
            alike = reading is not None and reading.kinds == self.kinds
            self.more[name, size] = reading if alike else None
            if reading is not None and alike:
                self.readings.append(reading)
        return self.more[name, size]

    def _names(self, number: int, numbers: Callable[[Operation, WeightStore], Sequence[int]]) -> tuple[str, ...] | None:
        """Return the sizes that numbers of an operation are, None if one of them follows in an unknown way."""
        whole = numbers(self.ops[number], self.weights)
        smaller = [(each, numbers(each.ops[number], each.weights)) for each in self.readings]
        if any(len(found) != len(whole) for _, found in smaller):
            return None
        names = list[str]()
        for place, value in enumerate(whole):
            points: dict[str, dict[int, int]] = {}
            for each, found in smaller:
                points.setdefault(each.name, {})[each.size] = found[place]

            def number_at(name: str, size: int, place: int = place) -> int | None:
                reading = self._reading(name, size)
                found = list[int]() if reading is None else numbers(reading.ops[number], reading.weights)
                return found[place] if len(found) == len(whole) else None

            name = related(value, points, self.table, number_at)
            if name is None:
                return None
            names.append(name)
        return tuple(names)

    def _slice(self, number: int, op: graph.SliceOp) -> None:
        names = self._names(number, lambda each, weights: numbers_of(each, weights) or [])
        if names is None:
            self._refuse_other_starts(number, op)
        if names is None or not any(names):
            return
        rank = len(shape_of(op.y))
        slices = [op, *(each.ops[number] for each in self.readings)]
        reached = [_reached(each) for each in slices if isinstance(each, graph.SliceOp)]
        moves = self._axes_that_vary(number)
        reaches = [moving and all(each[axis] for each in reached) for axis, moving in enumerate(moves)]
        begins, extents = names[:rank], names[rank:]
        if not any(begins) and all(known for known, name in zip(reaches, extents, strict=True) if name):
            return  # to the end of an axis: what every slice does that says so
        strides = op.strides.get_values()
        self._replace(op, op.x, op.starts.get_values(), shape_of(op.y), strides, begins, extents)

    def _refuse_other_starts(self, number: int, op: graph.SliceOp) -> None:
        """Refuse a slice that begins elsewhere at other sizes, in a way that is not known: the third of three parts of
        which the last is shorter begins at 8 of 12 elements and of 11, and at 6 of 9."""
        slices = [each.ops[number] for each in self.readings]
        moved = any(isinstance(each, graph.SliceOp) and each.starts != op.starts for each in slices)
        if moved and any(op.y.uses):
            raise UnsupportedError(
                f"{', '.join(provenance(op))}: begins to read elsewhere at other sizes, and not by a division of the "
                "size; let it go by steps of which the parts are whole, --dim NAME=A..B:+S, or give it a constant size"
            )

    def _axes_that_vary(self, number: int) -> list[bool]:
        """Return for each axis of an operation's first operand whether its size is another one at smaller sizes."""
        operands = [shape_of(each.ops[number].operands[0]) for each in self.readings]
        return [
            any(shape[axis] != size for shape in operands)
            for axis, size in enumerate(shape_of(self.ops[number].operands[0]))
        ]

    def _broadcast(self, number: int, op: graph.BroadcastToOp) -> None:
        names = self._names(number, lambda each, _: shape_of(each.results[0]))
        shape, own = shape_of(op.y), shape_of(op.x)
        aligned = (1,) * (len(shape) - len(own)) + own
        repeated = [size == 1 and wanted > 1 for size, wanted in zip(aligned, shape, strict=True)]
        if names is None or not any(name for name, new in zip(names, repeated, strict=True) if new):
            return
        x = op.x
        if len(aligned) > len(own):
            made = graph.ReshapeOp(x, aligned)
            copy_provenance(made, op)
            Rewriter.insert_op(made, InsertPoint.before(op))
            x = made.y
        strides, zeros = [int(not new) for new in repeated], [0] * len(shape)
        self._replace(op, x, zeros, shape, strides, ("",) * len(shape), names)

    def _replace(
        self,
        op: graph.SliceOp | graph.BroadcastToOp,
        x: SSAValue,
        starts: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        begins: tuple[str, ...],
        extents: tuple[str, ...],
    ) -> None:
        made = graph.DynamicSliceOp(x, starts=starts, sizes=sizes, strides=strides, begins=begins, extents=extents)
        copy_provenance(made, op)
        made.y.name_hint = op.y.name_hint
        Rewriter.replace_op(op, made)

    def _constant(self, number: int, op: graph.ConstantOp | graph.WeightOp, varying: set[SSAValue]) -> None:
        if op.y in varying:
            self._cut(number, op, varying)
            return
        if small_value(op, self.weights) is None:
            self._shift(number, op)
            return
        names = self._names(number, lambda each, weights: numbers_of(each, weights) or [])
        if names is None or not any(names):
            return
        values = numbers_of(op, self.weights) or []
        made = graph.SizeValuesOp(op.y.type.element_type, shape_of(op.y), values=values, names=names)
        copy_provenance(made, op)
        made.y.name_hint = op.y.name_hint
        Rewriter.replace_op(op, made)

    def _shift(self, number: int, op: graph.ConstantOp | graph.WeightOp) -> None:
        """Replace a constant to which smaller sizes add one number everywhere, `[[N - 1, N], …]`, by that sum."""
        whole = integers_of(op, self.weights)
        smaller = [(each, integers_of(each.ops[number], each.weights)) for each in self.readings]
        if whole is None or not whole.size:
            return
        points, first = dict[str, dict[int, int]](), int(whole.flat[0])

        def number_at(name: str, size: int) -> int | None:
            reading = self._reading(name, size)
            value = None if reading is None else integers_of(reading.ops[number], reading.weights)
            return None if value is None or value.shape != whole.shape else int(value.flat[0])

        for each, value in smaller:
            if value is None or value.shape != whole.shape or not np.array_equal(value - value.flat[0], whole - first):
                return
            points.setdefault(each.name, {})[each.size] = int(value.flat[0])
        name = related(first, points, self.table, number_at)
        if not name:
            return
        number_of_run = graph.SizeValuesOp(op.y.type.element_type, (), values=[first], names=(name,))
        steps = whole - first
        made: list[Operation] = [number_of_run, graph.BroadcastToOp(number_of_run.y, shape_of(op.y))]
        if steps.any():
            rest = self.weights.add(f"{op.y.name_hint or 'numbers'}_steps", steps)
            weight = graph.WeightOp(rest, op.y.type, self.weights.hash(rest))
            made += [weight, graph.AddOp(weight.y, made[1].results[0])]
        for each in made:
            copy_provenance(each, op)
        made[-1].results[0].name_hint = op.y.name_hint
        Rewriter.replace_op(op, made)

    def _sizes(self, number: int, op: graph.SizeValuesOp) -> None:
        """Name the sizes among numbers that the importer took from shapes; make those that stay the same constants."""
        names = self._names(number, lambda each, weights: numbers_of(each, weights) or [])
        if names is None:
            return
        if any(names):
            op.properties["names"] = extents_attribute(names)
            return
        values = np.array(op.values.get_values()).astype(to_numpy(op.y.type.element_type))
        made = graph.ConstantOp(values.reshape(shape_of(op.y)))
        copy_provenance(made, op)
        made.y.name_hint = op.y.name_hint
        Rewriter.replace_op(op, made)

    def _cut(self, number: int, op: graph.ConstantOp | graph.WeightOp, varying: set[SSAValue]) -> None:
        """Cut a constant as far as its shape follows from sizes."""
        names = self._names(number, lambda each, _: shape_of(each.results[0]))
        if names is not None and any(names):
            cut_by_readers(op, names, varying)


def cut_by_readers(
    op: graph.ConstantOp | graph.WeightOp, names: tuple[str, ...], varying: set[SSAValue]
) -> SSAValue | None:
    """Cut a constant of the sizes `names` by a slice where its readers have no other operand that tells how much of it
    counts, and return the slice; `varying` are the values whose shape varies."""
    readers = [use for use in op.y.uses if _is_cut_by_itself(use.operation, op.y, varying, names)]
    if not readers:
        return None
    rank, shape = len(names), shape_of(op.y)
    made = graph.DynamicSliceOp(
        op.y, starts=[0] * rank, sizes=shape, strides=[1] * rank, begins=("",) * rank, extents=names
    )
    copy_provenance(made, op)
    made.y.name_hint = op.y.name_hint
    Rewriter.insert_op(made, InsertPoint.after(op))
    for use in readers:
        use.operation.operands[use.index] = made.y
    return made.y


def _reached(op: graph.SliceOp) -> list[bool]:
    """Return for each axis whether a slice takes all elements from its start to the end, by its stride."""
    parts = zip(shape_of(op.x), op.starts.get_values(), op.sizes.get_values(), op.strides.get_values(), strict=True)
    return [stride > 0 and start + count * stride >= size for size, start, count, stride in parts]


def _is_cut_by_itself(op: Operation, constant: SSAValue, varying: set[SSAValue], names: Sequence[str]) -> bool:
    """Whether `op` reads a constant whose axes have the sizes `names`, and nothing else whose shape varies alike."""
    if isinstance(op, graph.GatherFamilyOp):
        return op.indices is constant
    if isinstance(op, graph.NetworkOp | ReturnOp):
        return True
    if isinstance(op, graph.ScatterFamilyOp):
        return op.x is constant
    if isinstance(op, graph.ConcatOp) and names[op.axis.value.data]:
        return True
    others = [operand for operand in op.operands if operand is not constant and operand in varying]
    if others and len(op.operands) > 1 and fusion_kind(op) <= FusionKind.BROADCAST:
        return not _is_as_long(constant, names, others)
    return True


def _is_as_long(constant: SSAValue, names: Sequence[str], others: Sequence[SSAValue]) -> bool:
    """Whether an operand that is no constant has the axes of `constant` that vary: of `[1, 24] >= [4, 1]`, not."""
    shapes = [shape_of(each)[::-1] for each in others if not isinstance(each.owner, graph.ConstantOp | graph.WeightOp)]
    sizes = zip(shape_of(constant)[::-1], reversed(names), strict=True)
    return all(
        any(axis < len(shape) and shape[axis] == size for shape in shapes)
        for axis, (size, name) in enumerate(sizes)
        if name
    )
