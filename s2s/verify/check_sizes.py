"""Check that what a network computes depends on sizes that vary in the trip counts of its loops only.

A network is read at the greatest sizes. A constant that was derived from one of them would be wrong at all others: the
factor 1/128 of a mean over 128 positions. So it is read at a few smaller sizes too, each time lowered to plain
computations, and the two results have to be equal, operation by operation, but for the sizes of domains that vary. A
constant of the smaller network may be the first part of the greater one's, along each axis: a table of positions, a
causal mask. The least sizes are the subject of `check_least_sizes.py`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import mul, sub

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.compilation import Compilation
from s2s.dialects import graph, tensor
from s2s.dialects.graph.traits import DESCRIPTIVE
from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.frontends.model import Source, loaded_once
from s2s.frontends.selection import MIN_ROOM
from s2s.options import CompileOptions, PassOptions
from s2s.passes.context import CompilerContext
from s2s.passes.manager import PassManager
from s2s.passes.tensor.propagate_sizes import Propagation
from s2s.pipeline import passes_of
from s2s.stages.read import Read, read_network
from s2s.stages.state import State
from s2s.support import progress
from s2s.targets import get_target
from s2s.types.affine import ranges, simplify
from s2s.types.hints import isa
from s2s.types.sizes import (
    FILLS,
    VARIES,
    Extents,
    ReadingSize,
    SizeRange,
    at_most,
    derived_of,
    extents_of,
    readings,
    varying,
    with_derived,
)
from s2s.types.symbols import function_named
from s2s.verify.arrays import begins_with
from s2s.verify.check_least_sizes import check_least_sizes, place_of
from s2s.verify.probes import ending_at, probes
from s2s.verify.same_results import difference_at
from s2s.verify.sizes import Sizes


def check_sizes(compilation: Compilation) -> None:
    """Raise an error if the source is not the same network at all sizes within the bounds of its options."""
    progress.step("reading the model at smaller sizes")
    _check_rooms(compilation.facts(Read).computed)
    options, sizes = compilation.options, varying(compilation.options.dims)
    source = loaded_once(compilation.source, options)
    plain = CompileOptions(
        target="c",
        schedule="reference",
        shapes=options.shapes,
        bind=options.bind,
        dims=options.dims,
        name=options.name,
        tflite_rounding=options.tflite_rounding,
        passes=PassOptions(disabled=("graph-order-calls", "graph-check-indices")),  # both depend on the sizes
    )
    known = compilation.at("read").copy() if _is_read_plainly(compilation) else None
    greatest = _plainly(source, plain, known=known)
    for probe in probes(sizes, derived_of(greatest.module.attributes)):
        try:
            state = _read_up_to(probe, sizes, source, plain)
        except (InputError, UnsupportedError) as error:
            raise _refusal(probe, greatest.facts[Read].computed, error) from error
        _check_empty_outputs(greatest.facts[Read], state.facts[Read])
        room = {name: bounds.most for name, bounds in state.facts[Read].computed.items()}  # less of smaller inputs
        _Comparison(greatest, state, {**probe, **room}).check()
    most, computed = at_most(sizes), greatest.facts[Read].computed
    check_least_sizes(
        sizes,
        computed,
        lambda at: _plainly(source, replace(plain, dims={**options.dims, **readings({**most, **at})}), SIMPLIFIED),
        lambda at, state: difference_at(greatest, state, {**most, **at}),
    )


def _check_rooms(computed: Mapping[str, SizeRange]) -> None:
    """Refuse bounds of sizes that a run computes which leave no smaller size to compare with."""
    for name, size in computed.items():
        most = max(MIN_ROOM, size.least + 2)
        if size.most < most:
            raise InputError(
                f"--dim {name}={size}: the network computes this size, and is compared with itself at smaller ones; "
                f"let it end at {most} or more"
            )


def _refusal(probe: Sizes, computed: Collection[str], error: S2SError) -> S2SError:
    """Return the error of a network that cannot be read at the sizes of `probe`, some of which a run computes."""
    found = {name: size for name, size in probe.items() if name in computed}
    if not found:
        return type(error)(f"{' '.join(f'--dim {name}={size}' for name, size in probe.items())}: {error}")
    text = ", ".join(f"{name}={size}" for name, size in found.items())
    reason, _, way = str(error).rpartition("; ")
    return UnsupportedError(f"{text}: a run may compute this size, at which {reason}; {way}")


def _check_empty_outputs(greatest: Read, smaller: Read) -> None:
    """Refuse outputs without elements whose shape depends on sizes: no kernel writes them."""
    for one, other in zip(greatest.empty_outputs, smaller.empty_outputs, strict=False):
        if one.tensor.shape != other.tensor.shape:
            raise UnsupportedError(
                f"output {one.name}: has no element, and its shape depends on the size; give it a constant one"
            )


def _read_up_to(probe: Sizes, sizes: Mapping[str, SizeRange], source: Source, plain: CompileOptions) -> State:
    """Return the network with bounds whose greatest sizes are the sizes of `probe`: where sizes vary, operators are
    lowered another way. A least size is read with a smaller one, or alone where the network has none."""
    found = {name: ending_at(size, sizes[name]) for name, size in probe.items()}
    try:
        return _plainly(source, replace(plain, dims={**plain.dims, **found}))
    except (InputError, UnsupportedError):
        alone = {name: ReadingSize(size) for name, size in probe.items() if size == sizes[name].least}
        if not alone:
            raise
        return _plainly(source, replace(plain, dims={**plain.dims, **found, **alone}))


SIMPLIFIED = ("settle", "simplify")
COMPUTED = (*SIMPLIFIED, "graph", "compute")
"""The stages that networks go through until they are compared."""


def _is_read_plainly(compilation: Compilation) -> bool:
    """Return whether nothing of the network was made state, and no size is computed: it is as `_plainly` reads it."""
    options, computed = compilation.options, compilation.facts(Read).computed
    return options.cache == "float32" and not (options.states or options.streams or computed)


def _plainly(
    source: Source, options: CompileOptions, stages: Sequence[str] = COMPUTED, known: State | None = None
) -> State:
    """Return the network of `source`, or as it is `known`, after `stages`, without the facts of the stages before."""
    state = read_network(source, options) if known is None else known
    named, manager = replace(options, name=state.facts[Read].name), PassManager(options.debug, passes=options.passes)
    for stage in stages:
        context = CompilerContext(state.weights, [get_target(options.target)])
        manager.run(context, state.module, passes_of(stage, named), verify=False)
    return state


class _Comparison:
    """Compares the network at the greatest sizes with the one at the sizes `at`."""

    def __init__(self, greatest: State, smaller: State, at: Sizes) -> None:
        self.greatest, self.smaller = greatest, smaller
        self.extents = _extents(greatest.module)
        self.given, self.at = at, with_derived(at, derived_of(greatest.module.attributes))
        self.there = with_derived(at, derived_of(smaller.module.attributes))
        """The same sizes by the names of the smaller network, in which fewer sizes tell how one follows from others."""
        self.compared: set[tuple[FuncOp, FuncOp]] = set()

    def check(self) -> None:
        """Raise an error at the first operation that differs."""
        mains = main_of(self.greatest.module), main_of(self.smaller.module)
        self._blocks(mains[0].body.block, mains[1].body.block)

    def _blocks(self, great: Block, small: Block) -> None:
        pairs = list(zip(great.ops, small.ops, strict=False))
        numbers: dict[SSAValue, SSAValue] = dict(zip(great.args, small.args, strict=False))
        for ours, theirs in pairs:
            reason = self._difference(ours, theirs, numbers)
            if reason is not None:
                raise self._error(ours, reason)
            numbers |= dict(zip(ours.results, theirs.results, strict=True))
        if len(pairs) != max(len(list(great.ops)), len(list(small.ops))):
            raise self._error(pairs[-1][0], "is followed by other operations")

    def _error(self, op: Operation, reason: str) -> UnsupportedError:
        sizes = " and ".join(f"{name}={size}" for name, size in self.given.items())
        options = [name for name in self.given if name not in self.greatest.facts[Read].computed]
        way = f"give {' and '.join(options)} a constant size" if options else "compute this part outside the network"
        return UnsupportedError(
            f"{place_of(op)}: {reason} at {sizes}, so that what is computed depends on the size; {way}"
        )

    def _difference(self, ours: Operation, theirs: Operation, numbers: dict[SSAValue, SSAValue]) -> str | None:
        """Return how two operations of networks differ; None if they do not."""
        if ours.name != theirs.name or len(ours.operands) != len(theirs.operands):
            return "is another operation"
        if [numbers.get(operand) for operand in ours.operands] != list(theirs.operands):
            return "has other operands"
        match ours, theirs:
            case graph.WeightOp(), graph.WeightOp():
                return self._difference_of_weights(ours, theirs)
            case graph.CallOp(), graph.CallOp():
                reason = self._difference_of_calls(ours, theirs)
            case graph.NetworkOp(), graph.NetworkOp():
                reason = self._difference_of_networks(ours, theirs)
            case graph.ReshapeOp() | graph.SliceOp(), _:
                reason = None
            case _:
                reason = None if _properties(ours) == _properties(theirs) else "has other attributes"
        return reason or self._difference_of_results(ours, theirs)

    def _difference_of_calls(self, ours: graph.CallOp, theirs: graph.CallOp) -> str | None:
        kernels = self._function(self.greatest, ours.callee), self._function(self.smaller, theirs.callee)
        if kernels in self.compared:
            return None
        self.compared.add(kernels)
        return self._difference_of_kernels(*kernels)

    def _difference_of_networks(self, ours: graph.NetworkOp, theirs: graph.NetworkOp) -> str | None:
        """Return how operations that run networks differ; an error if an operation of these networks does."""
        great, small = _properties(ours), _properties(theirs)
        if isinstance(ours, graph.ScanOp) and isinstance(theirs, graph.ScanOp):
            expected = ours.steps.value.data if ours.extent is None else self.at[ours.extent.data]
            if theirs.steps.value.data != expected:
                return f"runs {theirs.steps.value.data} steps, where {expected} were derived,"
            great, small = ({**each, "steps": ours.steps, "extent": ours.steps} for each in (great, small))
        if great != small:
            return "has other attributes"
        for name in map(SymbolRefAttr, ours.networks):
            bodies = self._function(self.greatest, name), self._function(self.smaller, name)
            if bodies not in self.compared:
                self.compared.add(bodies)
                self._blocks(bodies[0].body.block, bodies[1].body.block)
        return None

    def _difference_of_results(self, ours: Operation, theirs: Operation) -> str | None:
        for mine, other in zip(ours.results, theirs.results, strict=True):
            extents = self.extents.get(mine) or ("",) * len(shape_of(mine))
            expected = [self.at[name] if name else size for size, name in zip(shape_of(mine), extents, strict=True)]
            if expected != list(shape_of(other)):
                return f"has a result of shape {list(shape_of(other))}, where {expected} was derived,"
        return None

    def _difference_of_weights(self, ours: graph.WeightOp, theirs: graph.WeightOp) -> str | None:
        great = self.greatest.weights.get(ours.weight_name.data)
        small = self.smaller.weights.get(theirs.weight_name.data)
        return None if begins_with(great, small) else "is another constant"

    def _function(self, state: State, name: SymbolRefAttr) -> FuncOp:
        found = function_named(state.module, name.string_value())
        assert found is not None
        return found

    def _difference_of_kernels(self, great: FuncOp, small: FuncOp) -> str | None:
        if great.is_declaration or small.is_declaration:
            return None if great.is_declaration == small.is_declaration else "is a C function, or is none,"
        numbers: dict[SSAValue, SSAValue] = dict(zip(great.args, small.args, strict=False))
        ours, theirs = list(great.body.block.ops), list(small.body.block.ops)
        if len(ours) != len(theirs):
            return "has other computations"
        for mine, other in zip(ours, theirs, strict=True):
            if mine.name != other.name or [numbers.get(each) for each in mine.operands] != list(other.operands):
                return "has other computations"
            if isinstance(mine, tensor.ComputeOp) and isinstance(other, tensor.ComputeOp):
                reason = self._difference_of_computations(mine, other)
            elif isinstance(mine, tensor.ScatterOp) and isinstance(other, tensor.ScatterOp):
                reason = self._difference_of_scatters(mine, other)
            elif isinstance(mine, tensor.ExternOp) and isinstance(other, tensor.ExternOp) and _takes_sizes(mine):
                reason = None if mine.routine == other.routine else "is another routine"
            else:
                reason = None if _text(mine, self.at) == _text(other, self.there) else "has other computations"
            if reason is not None:
                return reason
            numbers |= dict(zip(mine.results, other.results, strict=True))
        return None

    def _difference_of_scatters(self, ours: tensor.ScatterOp, theirs: tensor.ScatterOp) -> str | None:
        names = extents_of(ours.attributes.get(VARIES), len(ours.sizes))
        expected = [self.at[name] if name else size for size, name in zip(ours.sizes, names, strict=True)]
        if expected != list(theirs.sizes):
            return f"runs over {list(theirs.sizes)}, where {expected} was derived,"
        if (ours.into, ours.accesses, ours.axes) != (theirs.into, theirs.accesses, theirs.axes):
            return "writes other positions"
        texts = (
            [_text(region.block, at) for region in op.regions] for op, at in ((ours, self.at), (theirs, self.there))
        )
        return None if next(texts) == next(texts) else "has other constants or operations in its formula"

    def _difference_of_computations(self, ours: tensor.ComputeOp, theirs: tensor.ComputeOp) -> str | None:
        expected = [
            self.at[name] if name else size for size, name in zip(ours.sizes, ours.sizes_at_run_time, strict=True)
        ]
        if expected != list(theirs.sizes):
            return f"runs over {list(theirs.sizes)}, where {expected} was derived,"
        if not _read_alike(ours, theirs) or ours.inits != theirs.inits or ours.parallel != theirs.parallel:
            return "reads other positions"
        if [_text(region, self.at) for region in _bodies(ours)] != [
            _text(region, self.there) for region in _bodies(theirs)
        ]:
            return "has other constants or operations in its formula"
        return None


def _extents(module: ModuleOp) -> dict[SSAValue, Extents]:
    """Return the extents of all values of `main`."""
    propagation = Propagation(module)
    propagation.run()
    return propagation.extents


def _takes_sizes(op: tensor.ExternOp) -> bool:
    """Return whether a routine takes operands or gives results of varying size."""
    return FILLS in op.attributes or VARIES in op.attributes


def _properties(op: Operation) -> dict[str, Attribute]:
    """Return all attributes of `op` but for its source nodes."""
    return {name: value for name, value in {**op.attributes, **op.properties}.items() if name not in DESCRIPTIVE}


def _read_alike(ours: tensor.ComputeOp, theirs: tensor.ComputeOp) -> bool:
    """Return whether two computations read the same positions at all points of the domain of the second one.

    A window that moves along no axis there, as of a picture that is as large as the window, is read at `d1`, and at
    `d0 * 2 + d1` of a larger one: of `d0` there is only 0.
    """
    if len(ours.accesses) != len(theirs.accesses):
        return False
    return ours.accesses == theirs.accesses or all(
        _at_points(mine, theirs.sizes) == _at_points(other, theirs.sizes)
        for mine, other in zip(ours.accesses, theirs.accesses, strict=True)
    )


def _at_points(access: tensor.AccessAttr, sizes: Sequence[int]) -> tuple[object, ...]:
    """Return what tells an access from others in a domain of these `sizes`."""
    map = access.map.data
    box = ranges(sizes[: map.num_dims])
    places = tuple(simplify(place, box) for place in map.results)
    return places, map.num_dims, access.guard, access.divisors


def _bodies(op: tensor.ComputeOp) -> Sequence[Block]:
    return [region.block for region in (op.reduce, op.apply) if region is not None]


def _text(place: Block | Operation, sizes: Mapping[str, int]) -> list[tuple[object, ...]]:
    """Return a form of a block, or of one operation, that is equal for equal ones at these `sizes`: values are numbered
    in order, and constants stand where they are used."""
    return list(_lines([place] if isinstance(place, Operation) else place.ops, {}, {}, sizes))


_Number = tuple[float, str]
"""A constant, and its type."""


_FOLDED: Mapping[str, Callable[[float, float], float]] = {
    arith.MuliOp.name: mul,
    arith.SubiOp.name: sub,
    arith.MaxSIOp.name: max,
}
"""What is computed of sizes only."""


def _constant(op: Operation, known: Mapping[SSAValue, _Number], sizes: Mapping[str, int]) -> _Number | None:
    """Return the number that `op` computes, and its type, if it is one of `sizes`, or follows from constants."""
    values = [known[operand][0] for operand in op.operands if operand in known]
    type = str(op.results[0].type) if op.results else ""
    match op:
        case tensor.SizeOp():
            return sizes.get(op.size.data, -1), type
        case arith.ConstantOp() if isa(op.value, IntegerAttr | FloatAttr):
            return op.value.value.data, type
        case arith.IndexCastOp() | arith.SIToFPOp() if values:
            return values[0], type
        case arith.MuliOp() | arith.SubiOp() | arith.MaxSIOp() if len(values) == 2:
            return _FOLDED[op.name](*values), type
        case _:
            return None


def _lines(
    ops: Iterable[Operation],
    numbers: dict[SSAValue, int],
    constants: dict[SSAValue, _Number],
    sizes: Mapping[str, int],
) -> Iterator[tuple[object, ...]]:
    for op in ops:
        if (constant := _constant(op, constants, sizes)) is not None:
            constants[op.results[0]] = constant
            continue
        operands = tuple(constants.get(each) or numbers.setdefault(each, len(numbers)) for each in op.operands)
        yield op.name, operands, tuple(sorted(map(str, _properties(op).items()))), tuple(map(str, op.result_types))
        for result in op.results:
            numbers[result] = len(numbers)
        for region in op.regions:
            for block in region.blocks:
                yield from _lines(block.ops, numbers, constants, sizes)
