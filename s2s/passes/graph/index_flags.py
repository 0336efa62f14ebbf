"""Compute in each network whether an index that it computes is out of range (`graph-check-indices`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import main_of, networks
from s2s.analysis.network.varying_values import VaryingValues
from s2s.analysis.numbers.index_ranges import IndexRanges
from s2s.analysis.numbers.indexed_axes import IndexedAxis, IndexProofs
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import ints, type_of
from s2s.dialects.graph.traits import copy_provenance, set_part_of
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.passes.graph.constants import new_constant
from s2s.types.dtypes import Array, tensor_type, to_numpy
from s2s.types.sizes import SizeTable
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

FLAG = tensor_type(i32, (1,))
CHECK = "check_indices"
"""The function that the flag is computed by, a word for names in C."""


def add_checks(module: ModuleOp, indexing: Iterable[graph.IndexingOp], weights: WeightStore) -> None:
    """Check the indices of `indexing` in `module`, unless intervals prove them in range."""
    main = main_of(module)
    runners = {name: each for each in walk(module) if isinstance(each, graph.NetworkOp) for name in each.networks}
    proofs = IndexProofs(IndexRanges(weights, runners), VaryingValues(module), SizeTable(module.attributes))
    unproved = {each: proofs.axes(each) for each in indexing if not _is_in_range(main, each, proofs)}
    if unproved:
        checks = _Checks(unproved, weights)
        for network in networks(module):
            checks.add_to(network)
        checks.require_in(main)


def _is_in_range(main: FuncOp, op: graph.IndexingOp, proofs: IndexProofs) -> bool:
    """Return whether all indices of `op` are in range in every run that inputs and states do not end."""
    varies = any(axis.size for axis in proofs.axes(op))
    if op.parent_block() is main.body.block and not varies:
        return proofs.needed_of_inputs(main, op) is not None
    return proofs.are_in_range(op)


@dataclass
class _Checks:
    """Adds a flag to each network in which an index may be out of range, callees first."""

    unproved: Mapping[graph.IndexingOp, Sequence[IndexedAxis]]
    """The operations with indices that are checked, and the axes that these count along."""
    weights: WeightStore
    flags: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The flag of each network that has one, which the network does not return yet."""
    returning: set[str] = field(default_factory=set[str])
    """The networks that return their flag."""

    def add_to(self, network: FuncOp) -> None:
        """Compute the flag of `network`."""
        found: list[SSAValue] = []
        for op in list(network.body.block.ops):
            if isinstance(op, graph.IndexingOp) and op in self.unproved:
                found.append(self._outside(op))
            elif isinstance(op, graph.NetworkOp) and any(name in self.flags for name in op.networks):
                found += self._of_networks(op)
        last = network.body.block.last_op
        if found and last is not None:
            self.flags[network.sym_name.data] = reduce(_Writer(last, self.weights).either, found)

    def require_in(self, main: FuncOp) -> None:
        """End the run with an error where the flag of `main` is set."""
        flag, last = self.flags.get(main.sym_name.data), main.body.block.last_op
        if flag is not None and last is not None:
            Rewriter.insert_op(graph.RequireOp(flag), InsertPoint.before(last))

    def _outside(self, op: graph.IndexingOp) -> SSAValue:
        """Return whether an index of `op` is out of range."""
        write, axes = _Writer(op, self.weights), self.unproved[op]
        tests = _beyond_sizes(write, op, axes) if any(axis.size for axis in axes) else _beyond_bounds(write, op, axes)
        outside = write(graph.CastOp(reduce(lambda a, b: write(graph.LogicalOrOp(a, b)), tests), i32))
        if type_of(outside).element_count() > 1:
            outside = write(graph.ReduceMaxOp(outside, axes=range(len(shape_of(outside)))))
        return write.as_flag(outside)

    def _of_networks(self, op: graph.NetworkOp) -> Iterable[SSAValue]:
        """Have `op` hand over the flags of the networks that it runs; yield its own."""
        write = _Writer(op, self.weights)
        match op:
            case graph.IfOp():
                for name in op.networks:
                    self._return(_network(op, name))
                made = graph.IfOp(op.condition, op.then, op.otherwise, op.inputs, [*op.outputs.types, FLAG])
                return [_replaced(write, op, made, len(op.outputs))]
            case graph.ScanOp():
                return [self._of_scan(write, op)]
            case graph.WhileOp():
                return self._of_while(write, op)
            case _:
                raise CompilerBug(f"{op.name} stands before graph-check-indices")

    def _of_scan(self, write: "_Writer", op: graph.ScanOp) -> SSAValue:
        carry, scan, keep = ([op.inputs[number] for number in part] for part in op.parts)
        self._carry(_network(op, op.body.string_value()), len(carry))
        types = [*op.outputs.types[: len(carry)], FLAG, *op.outputs.types[len(carry) :]]
        made = graph.ScanOp(op.body, [*carry, write.unset()], scan, keep, types, steps=op.steps.value.data)
        made.properties |= {name: op.properties[name] for name in ("backward", "extent") if name in op.properties}
        return _replaced(write, op, made, len(carry))

    def _of_while(self, write: "_Writer", op: graph.WhileOp) -> Iterable[SSAValue]:
        count, condition, body = len(op.outputs), *(_network(op, name) for name in op.networks)
        flag = self.flags.get(condition.sym_name.data)
        if flag is not None:
            first = body.body.block.first_op
            assert first is not None
            before = _computed_again(flag, condition, body.body.block.args, _Writer(first, self.weights))
            name, last = body.sym_name.data, body.body.block.last_op
            assert last is not None
            own = self.flags.get(name)
            self.flags[name] = before if own is None else _Writer(last, self.weights).either(before, own)
        self._carry(body, count)
        self._take(condition, count)
        inputs = [*op.inputs[:count], write.unset(), *op.inputs[count:]]
        made = graph.WhileOp(op.condition, op.body, inputs, [*op.outputs.types, FLAG])
        _replaced(write, op, made, count)
        behind = [] if flag is None else [_after(made, flag, condition, self.weights)]
        return [made.outputs[count], *behind]

    def _return(self, network: FuncOp) -> None:
        """Return the flag of `network`, 0 where it has none, as its last result."""
        name, last = network.sym_name.data, network.body.block.last_op
        if name not in self.returning and last is not None:
            self.returning.add(name)
            _insert_result(network, len(last.operands), self.flags.get(name) or _Writer(last, self.weights).unset())

    def _carry(self, body: FuncOp, at: int) -> None:
        """Carry the flag of `body` from step to step, behind `at` other values."""
        last = body.body.block.last_op
        assert last is not None
        argument = self._take(body, at)
        _insert_result(body, at, _Writer(last, self.weights).either(argument, self.flags[body.sym_name.data]))
        parts = len(body.function_type.outputs) - at - 1
        body.attributes[graph.TIED] = ints([*range(at + 1), *[-1] * parts])

    def _take(self, network: FuncOp, at: int) -> SSAValue:
        """Add an argument for the flag of the steps before."""
        argument = network.body.block.insert_arg(FLAG, at)
        types = network.function_type
        inputs = [*types.inputs.data[:at], FLAG, *types.inputs.data[at:]]
        network.function_type = FunctionType.from_lists(inputs, list(types.outputs.data))
        network.arg_attrs = _with_none(network.arg_attrs, at)
        return argument


class _Writer:
    """Inserts operations before `place`, which they come from."""

    def __init__(self, place: Operation, weights: WeightStore) -> None:
        self.place, self.weights = place, weights

    def __call__(self, op: Operation) -> SSAValue:
        Rewriter.insert_op(op, InsertPoint.before(self.place))
        if not isinstance(op, graph.ConstantOp | graph.NetworkOp):
            set_part_of(op, CHECK)
        if not isinstance(self.place, ReturnOp):
            copy_provenance(op, self.place)
        return op.results[0]

    def constant(self, value: Array, name: str) -> SSAValue:
        """Insert a constant."""
        return self(new_constant(value, name, self.weights))

    def unset(self) -> SSAValue:
        """Insert a flag that is not set."""
        return self.constant(np.zeros(1, np.int32), "none_outside")

    def either(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return the flag that is set where one of two is."""
        return self(graph.MaximumOp(a, b))

    def as_flag(self, value: SSAValue) -> SSAValue:
        """Return one number as a flag."""
        return value if value.type == FLAG else self(graph.ReshapeOp(value, shape=[1]))


def _beyond_bounds(write: _Writer, op: graph.IndexingOp, axes: Sequence[IndexedAxis]) -> list[SSAValue]:
    """Return where an index of `op` is too small, and where too large, as far as its type allows it."""
    dtype = to_numpy(type_of(op.indices).element_type)
    ends = np.iinfo(dtype)
    least, most = (np.array(each) for each in zip(*(axis.bounds for axis in axes), strict=True))
    tests: list[SSAValue] = []
    if least.max() > ends.min:
        tests.append(write(graph.LessOp(op.indices, write.constant(_bound(least, dtype), "least"))))
    if most.min() < ends.max:
        tests.append(write(graph.GreaterOp(op.indices, write.constant(_bound(most, dtype), "most"))))
    return tests


def _beyond_sizes(write: _Writer, op: graph.IndexingOp, axes: Sequence[IndexedAxis]) -> list[SSAValue]:
    """Return where an index of `op` is below 0, or minus the size that its axis has in a run, and where it is that size
    or above."""
    indices = op.indices if type_of(op.indices).element_type in (i32, i64) else write(graph.CastOp(op.indices, i64))
    axes = axes[:1] if len(set(axes)) == 1 else axes
    element, values = type_of(indices).element_type, [axis.bounds.most + 1 for axis in axes]
    size = write(graph.SizeValuesOp(element, [len(axes)], values=values, names=tuple(axis.size for axis in axes)))
    if op.is_nonnegative:
        least = write.constant(np.zeros(1, to_numpy(element)), "least")
    else:
        least = write(graph.NegOp(size))
    below, within = write(graph.LessOp(indices, least)), write(graph.LessOp(indices, size))
    return [below, write(graph.LogicalNotOp(within))]


def _bound(ends: Array, dtype: Array | np.dtype) -> Array:
    """Return one bound, or one for each number of a coordinate, within the numbers of `dtype`."""
    limits = np.iinfo(dtype)
    ends = ends[:1] if np.all(ends == ends[0]) else ends
    return np.clip(ends, limits.min, limits.max).astype(dtype)


def _network(op: Operation, name: str) -> FuncOp:
    found = function_named(op, name)
    if found is None:
        raise CompilerBug(f"@{name} is no network")
    return found


def _replaced(write: _Writer, op: graph.NetworkOp, made: Operation, at: int) -> SSAValue:
    """Replace `op` by `made`, which has the flag as a further result number `at`; return it."""
    write(made)
    results = [*made.results[:at], *made.results[at + 1 :]]
    for old, new in zip(op.results, results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    made.attributes |= op.attributes
    Rewriter.erase_op(op)
    return made.results[at]


def _insert_result(network: FuncOp, at: int, value: SSAValue) -> None:
    """Return `value` as a further result number `at`."""
    last, types = network.body.block.last_op, network.function_type
    assert last is not None
    Rewriter.replace_op(last, ReturnOp(*last.operands[:at], value, *last.operands[at:]))
    outputs = [*types.outputs.data[:at], FLAG, *types.outputs.data[at:]]
    network.function_type = FunctionType.from_lists(list(types.inputs.data), outputs)
    network.res_attrs = _with_none(network.res_attrs, at)


def _with_none(attributes: ArrayAttr[DictionaryAttr] | None, at: int) -> ArrayAttr[DictionaryAttr] | None:
    """Add no attributes for a further argument or result number `at`."""
    if attributes is None:
        return None
    return ArrayAttr([*attributes.data[:at], DictionaryAttr({}), *attributes.data[at:]])


def _after(op: graph.WhileOp, flag: SSAValue, condition: FuncOp, weights: WeightStore) -> SSAValue:
    """Compute behind the loop `op` the flag of its condition, for the values at which it ends."""
    following = op.next_op
    assert following is not None
    kept = op.inputs[len(op.outputs) :]
    return _computed_again(flag, condition, [*op.outputs, *kept], _Writer(following, weights))


def _computed_again(flag: SSAValue, network: FuncOp, values: Sequence[SSAValue], write: _Writer) -> SSAValue:
    """Insert what computes `flag` of `network` from its arguments, which are `values`; return it."""
    mapping: dict[SSAValue, SSAValue] = dict(zip(network.body.block.args, values, strict=True))
    for op in _computing(flag, network.body.block):
        clone = op.clone(mapping)
        Rewriter.insert_op(clone, InsertPoint.before(write.place))
    return mapping[flag]


def _computing(value: SSAValue, block: Block) -> list[Operation]:
    """Return the operations of `block` that `value` depends on, in order."""
    needed: set[SSAValue] = {value}
    found: list[Operation] = []
    for op in reversed(list(block.ops)):
        if not needed.isdisjoint(op.results):
            found.append(op)
            needed.update(op.operands)
    return found[::-1]
