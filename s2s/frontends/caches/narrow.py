"""Rewrite the states of `main` that are caches, to float16 or to int8 with a scale for each row."""

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr, f16, f32, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import INIT, NAME, STATE, StateArgument, main_of, state_arguments
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import ints, type_of
from s2s.errors import InputError
from s2s.frontends.caches.moves import (
    Place,
    axis_behind,
    axis_of_operand,
    moved_operands,
    moved_scales,
    with_data,
)
from s2s.frontends.caches.products import is_product, scaled_product
from s2s.frontends.decoder.cache import MAX_NUMBER, MIN_SCALE
from s2s.options import Cache
from s2s.types.dtypes import Array, tensor_type
from s2s.types.weights import WeightStore

RING = "-ring"


class Rows(NamedTuple):
    """A tensor of a cache: its numbers, the scales of their rows if they are quantised, and the axis of the rows."""

    numbers: SSAValue
    scales: SSAValue | None
    axis: int


def narrow_caches(module: ModuleOp, weights: WeightStore, cache: Cache) -> None:
    """Keep the caches of `main` as `cache` says, among the states that `--state` has tied."""
    if cache == "float32":
        return
    if cache.endswith(RING):
        raise InputError(
            f"--cache {cache}: the model itself says where rows are written, s2s does so for GGUF files only; take "
            f"{cache.removesuffix(RING)}, and export the model with a ring"
        )
    main = main_of(module)
    states = state_arguments(main)
    found = [_Cache(main, state, weights, cache).rewrite() for state in states]
    if not any(found):
        known = ", ".join(repr(state.name) for state in states) or "none"
        raise InputError(
            f"--cache {cache}: no state of the model is a cache of float32 that rows are put in (its states: {known}); "
            "name caches by --state, or leave --cache out"
        )


class _Cache:
    """One state, and what becomes of its elements."""

    def __init__(self, main: FuncOp, state: StateArgument, weights: WeightStore, cache: Cache) -> None:
        self.main, self.state, self.weights, self.cache = main, state, weights, cache
        self.argument = main.body.block.args[state.number]
        self.result = list(graph.tied_arguments(main)).index(state.number)
        self.axes: dict[SSAValue, int] = {}
        """The axis of the rows of each tensor that holds elements of the cache."""
        self.rows: dict[SSAValue, Rows] = {}

    @property
    def next(self) -> SSAValue:
        """The value of the state in the next run."""
        returned = self.main.body.block.last_op
        assert isinstance(returned, ReturnOp)
        return returned.operands[self.result]

    def recognise(self) -> bool:
        """Follow the elements of the state; return whether its next value consists of moved ones."""
        type = type_of(self.argument)
        if type.element_type != f32:
            return False
        rank = type.get_num_dims()
        for axis in range(rank - 1, max(rank - 3, 0), -1):
            self.axes = {self.argument: axis}
            for op in self.main.body.block.ops:
                self._follow(op)
            if self.axes.get(self.next) == axis and self.next is not self.argument:
                return True
        return False

    def _follow(self, op: Operation) -> None:
        """Note the result of `op` if it moves elements of the cache by whole rows."""
        axes = {self.axes[each] for each in moved_operands(op) if each in self.axes}
        if len(axes) != 1:
            return
        found = axis_behind(op, axes.pop(), self.weights)
        if found is not None:
            self.axes[op.results[0]] = found

    def rewrite(self) -> bool:
        """Change the type of the state, of the values that its elements are moved to, and of their readers; return
        whether it is a cache."""
        if not self.recognise():
            return False
        moves = [value.owner for value in self.axes if isinstance(value.owner, Operation)]
        self.rows[self.argument] = self._narrow_state()
        for op in moves:
            self._move(op)
        for value, rows in self.rows.items():
            self._read(value, rows, frozenset(moves))
        for op in reversed(moves):
            Rewriter.erase_op(op)
        self.main.body.block.erase_arg(self.argument)
        self.main.update_function_type()
        return True

    def _narrow_state(self) -> Rows:
        """Put a state of the new type before the old one, and one for scales behind all others."""
        block, shape, axis = self.main.body.block, shape_of(self.argument), self.axes[self.argument]
        arguments, name = list(self.main.arg_attrs or ()), self.state.name
        first, *more = self._quantised_array(self.state.initial(self.weights), axis)
        numbers = block.insert_arg(tensor_type(f16 if self.cache == "float16" else i8, shape), self.state.number)
        arguments[self.state.number] = self._described(numbers, name, first)
        scales = None
        for array in more:
            scales = block.insert_arg(tensor_type(f32, array.shape), len(block.args))
            arguments.append(self._described(scales, f"{name}_scale", array))
            tied = [-1 if number is None else number for number in graph.tied_arguments(self.main)]
            self.main.attributes[graph.TIED] = ints([*tied, len(arguments) - 1])
            self.main.res_attrs = ArrayAttr([*(self.main.res_attrs or ()), DictionaryAttr({})])
        self.main.arg_attrs = ArrayAttr(arguments)
        return Rows(numbers, scales, axis)

    def _described(self, state: SSAValue, name: str, initial: Array) -> DictionaryAttr:
        """Return the attributes of a state."""
        state.name_hint = name if SSAValue.is_valid_name(name) else None
        attributes: dict[str, Attribute] = {NAME: StringAttr(name), STATE: UnitAttr()}
        if initial.any():
            attributes[INIT] = StringAttr(self.weights.add(f"{name}_initial", initial))
        return DictionaryAttr(attributes)

    def _quantised_array(self, array: Array, axis: int) -> list[Array]:
        """Return the values before the first run, as the state holds them."""
        if self.cache == "float16":
            return [array.astype(np.float16)]
        scales = np.abs(array).max(axis=axis, keepdims=True) / MAX_NUMBER
        q = np.rint(array / np.maximum(scales, MIN_SCALE)).astype(np.int8)
        return [q, scales.astype(np.float32)]

    def _move(self, op: Operation) -> None:
        """Move numbers and scales as `op` moves elements of the cache."""
        place, operands = _before(op), moved_operands(op)
        axis = next(self.axes[each] for each in operands if each in self.axes)
        rows = [
            self.rows[each]
            if each in self.rows
            else self._quantised(op, each, axis_of_operand(op, number, axis), place)
            for number, each in enumerate(operands)
        ]
        result, scales = self.axes[op.results[0]], [each.scales for each in rows if each.scales is not None]
        numbers = place(with_data(op, [each.numbers for each in rows]))
        moved = moved_scales(op, scales, axis, result, self.weights, place) if scales else None
        self.rows[op.results[0]] = Rows(numbers, moved, result)

    def _quantised(self, op: Operation, x: SSAValue, axis: int, place: Place) -> Rows:
        """Return what `op` puts in the cache, quantised."""
        if isinstance(op, graph.SelectOp) and shape_of(x) != shape_of(op.y):
            x = place(graph.BroadcastToOp(x, shape_of(op.y)))
        if self.cache == "float16":
            return Rows(place(graph.CastOp(x, f16)), None, axis)
        largest = place(graph.ReduceMaxOp(place(graph.AbsOp(x)), axes=[axis], keepdims=True))
        step = place(graph.ConstantOp(np.asarray(1 / MAX_NUMBER, np.float32)))
        scales = place(graph.ClampOp(place(graph.MulOp(largest, step)), min=MIN_SCALE))
        q = place(graph.RoundOp(place(graph.DivOp(x, scales))))
        return Rows(place(graph.CastOp(q, i8)), scales, axis)

    def _read(self, value: SSAValue, rows: Rows, moves: frozenset[Operation]) -> None:
        """Let all that read the elements of the cache in `value` read `rows`."""
        for use in list(value.uses):
            op = use.operation
            if op in moves:
                continue
            if isinstance(op, ReturnOp) and use.index == self.result:
                op.operands = [
                    *(rows.numbers if at == use.index else each for at, each in enumerate(op.operands)),
                    *([] if rows.scales is None else [rows.scales]),
                ]
                continue
            place = _before(op)
            numbers = place(graph.CastOp(rows.numbers, f32))
            if rows.scales is None:
                op.operands[use.index] = numbers
            elif isinstance(op, graph.MatmulOp) and is_product(op, value):
                Rewriter.replace_op(op, [], [scaled_product(op, numbers, rows.scales, rows.axis, place)])
            else:
                op.operands[use.index] = place(graph.MulOp(numbers, rows.scales))


def _before(op: Operation) -> Place:
    """Return what inserts operations before `op`, as parts of the same nodes of the model."""

    def place(made: Operation) -> SSAValue:
        graph.set_provenance(made, graph.provenance(op))
        Rewriter.insert_op(made, InsertPoint.before(op))
        return made.results[0]

    return place
