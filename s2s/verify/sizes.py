"""Sizes of runs: sizes of inputs, sizes that a network computes, and the network at constant sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, DenseArrayBase, IndexType, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.c_syntax.interface import Port
from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.dialects import graph, tensor
from s2s.dialects.tensor.attributes import values_of
from s2s.dialects.walk import walk
from s2s.emit.info import GoldenVector
from s2s.errors import InputError
from s2s.interpret.graph import initial_state, run_graph
from s2s.interpret.graph.work import MAX_GOLDEN_ELEMENTS, MAX_GOLDEN_WORK
from s2s.interpret.loop import run_loop
from s2s.interpret.loop.scope import Options
from s2s.interpret.loop.state import initial_loop_state
from s2s.passes.tensor.block_channels import BLOCKED
from s2s.passes.tensor.propagate_sizes import Propagation
from s2s.stages.read import Read
from s2s.stages.settle import Settled
from s2s.types.dtypes import Array, as_tensor_type, tensor_type
from s2s.types.hints import isa
from s2s.types.interface import Axis, InputSizes
from s2s.types.sizes import (
    FILLS,
    SIZES,
    VARIES,
    Extents,
    SizeRange,
    derived_of,
    extents_of,
    shape_at,
    sizes_attribute,
    sizes_of,
    varying,
    with_derived,
    with_room,
)
from s2s.verify.levels import Level, LevelsReport, compare_levels, graph_level, outputs_level, tensor_level

Sizes = dict[str, int]

_TRIES = 5
"""How many inputs are tried for a vector in which every result has elements."""


def verified_sizes(compilation: Compilation) -> list[Sizes]:
    """Return the sizes of the runs that are compared with an engine: the greatest ones, the least, and between."""
    sizes = given_sizes(compilation)
    if not sizes:
        return [{}]
    return [
        {name: size.most for name, size in sizes.items()},
        {name: size.least for name, size in sizes.items()},
        {name: size.values[(len(size.values) - 1) // 2] for name, size in sizes.items()},
    ]


def given_sizes(compilation: Compilation) -> dict[str, SizeRange]:
    """Return the sizes that callers give in every run."""
    computed = compilation.facts(Read).computed
    return {name: size for name, size in varying(compilation.options.dims).items() if name not in computed}


def sizes_of_inputs(ports: Sequence[Port], inputs: Sequence[Array], sizes: InputSizes) -> Sizes:
    """Return the sizes of a run with these `inputs`."""
    return sizes.told(
        Axis(name, size)
        for port, array in zip(ports, inputs, strict=True)
        for size, name in zip(array.shape, port.varies, strict=False)
        if name
    )


def at_sizes(compilation: Compilation, inputs: Sequence[Array]) -> Compilation:
    """Return `compilation`, or where sizes vary the one with the constant sizes of a run with these `inputs`."""
    sizes = sizes_of_run(compilation, inputs)
    return compilation if not sizes else _at_constant(compilation, sizes)


def _at_constant(compilation: Compilation, sizes: Sizes) -> Compilation:
    options = compilation.options
    return Compilation(compilation.source, replace(options, dims={**options.dims, **sizes}))


class EmptyResultError(InputError):
    """A size that the network computes is 0, and interpreters know no tensor without elements."""


def sizes_of_run(compilation: Compilation, inputs: Sequence[Array]) -> Sizes:
    """Return the sizes of a run with these `inputs`, the sizes that the network computes included.

    These are found one after the other: the first by the network as it is, the second by the network in which the
    first is constant. Those that nothing depends on are left out.
    """
    network = compilation.facts(Read)
    sizes, missing = sizes_of_inputs(network.inputs, inputs, network.sizes), list(network.computed)
    while missing:
        state = (_at_constant(compilation, sizes) if sizes else compilation).at("settle")
        counts = {op.count: op.size.data for op in walk(state.module) if isinstance(op, graph.NonzeroOp)}
        found: Sizes = {}

        def note(op: Operation, results: Sequence[Array], counts: dict[SSAValue, str], found: Sizes) -> None:
            for result, value in zip(op.results, results, strict=True):
                if result in counts:
                    found[counts[result]] = int(value)

        run_graph(state.module, inputs, state.weights, partial(note, counts=counts, found=found))
        name = next((name for name in found if name in missing), None)
        if name is None:  # nothing depends on the others, so that no operation computes them any more
            break
        if found[name] == 0:
            raise EmptyResultError(f"{name}: is 0 for these inputs, and interpreters know no empty tensor; give others")
        sizes[name] = min(found[name], network.computed[name].most)
        missing.remove(name)
    return sizes


def computed_vectors(compilation: Compilation) -> tuple[GoldenVector, ...]:
    """Return a vector for the self-test of a network that computes sizes: none where each try gives a size of 0, or
    where the network computes too much for an interpreter."""
    facts = compilation.facts(Read)
    elements = sum(port.count for port in facts.inputs)
    if compilation.facts(Settled).work > MAX_GOLDEN_WORK or elements > MAX_GOLDEN_ELEMENTS:
        return ()
    for seed in range(_TRIES):
        inputs = tuple(
            sample(port.name, tensor_type(port.element, port.shape), seed, full_range=port.quantisation is not None)
            for port in facts.inputs
        )
        try:
            sizes = sizes_of_run(compilation, inputs)
            state = _at_constant(compilation, sizes).at("settle")
            outputs = run_graph(state.module, inputs, state.weights)
        except InputError:
            continue
        computed = {name: sizes[name] for name in facts.computed if name in sizes}
        return (GoldenVector(inputs, tuple(outputs), computed),)
    return ()


def compare_levels_at_sizes(
    compilation: Compilation, vectors: Sequence[tuple[Sequence[Array], object]], found: Sequence[Sequence[Array]]
) -> LevelsReport:
    """Run the levels above C on the inputs of all `vectors`, whose sizes differ, and compare them with the results
    `found` by the C; return the report of the first vector in which levels differ, else of the last. Where the network
    keeps state, the vectors are consecutive runs."""
    reports: list[LevelsReport] = []
    states: dict[str, list[Array]] = {}
    for (inputs, _), outputs in zip(vectors, found, strict=True):
        levels = levels_at_sizes(compilation, inputs, states)
        reports.append(compare_levels({**levels, "c": outputs_level(lambda _, outputs=outputs: outputs)}, inputs))
    return next((report for report in reports if not report.passed), reports[-1])


def levels_at_sizes(
    compilation: Compilation, inputs: Sequence[Array], states: dict[str, list[Array]]
) -> dict[str, Level]:
    """Return the levels above C of a network whose sizes vary, for a run with the sizes of `inputs`. Each begins with
    its state in `states`, and updates it; without one it is the initial state."""
    given = sizes_of_run(compilation, inputs)
    graph, tensor, loop = (
        _at_constant(compilation, given).at("graph"),
        compilation.at("tensor"),
        compilation.at("memory"),
    )
    sizes = with_derived(
        {name: given[name] for name in sizes_of(loop.module.attributes)}, derived_of(loop.module.attributes)
    )
    ports = compilation.info
    states.setdefault("graph", initial_state(graph.module, graph.weights))
    states.setdefault("tensor", initial_state(tensor.module, tensor.weights))
    states.setdefault("loop", initial_loop_state(main_of(loop.module), loop.weights))

    def run_at_loop_level(given: Sequence[Array]) -> list[Array]:
        room = [with_room(value, port.shape) for value, port in zip(given, ports.inputs, strict=True)]
        found = run_loop(loop.module, room, loop.weights, options=Options(sizes=sizes), state=states["loop"])
        return [
            value.reshape(port.shape)[tuple(map(slice, shape_at(port.shape, port.varies, sizes)))].copy()
            for value, port in zip(found, ports.outputs, strict=True)
        ]

    return {
        "graph": graph_level(graph.module, graph.weights, state=states["graph"]),
        "tensor": tensor_level(instantiated(tensor.module, sizes), tensor.weights, fast=True, state=states["tensor"]),
        "loop": outputs_level(run_at_loop_level),
    }


def instantiated(module: ModuleOp, sizes: Sizes) -> ModuleOp:
    """Return a module of computations with constant `sizes` in the place of varying ones."""
    made = module.clone()
    propagation = Propagation(made)
    propagation.run()
    for call in [op for op in main_of(made).body.block.ops if isinstance(op, graph.CallOp)]:
        blocked, result = call.attributes.get(BLOCKED), call.results[0]
        if isa(blocked, DenseArrayBase[I64]):
            batch = shape_at(shape_of(result), propagation.extents[result], sizes)[0]
            call.attributes[BLOCKED] = tensor.integers([batch, *values_of(blocked)[1:]])
    for value, extents in propagation.extents.items():
        if any(extents):
            type = as_tensor_type(value.type)
            Rewriter.replace_value_with_new_type(
                value, tensor_type(type.element_type, shape_at(type.get_shape(), extents, sizes))
            )
    for op in walk(made):
        _instantiate(op, propagation.extents, sizes)
    for op in [op for op in made.walk() if isinstance(op, tensor.SizeOp)]:
        Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(sizes[op.size.data], IndexType())))
    given = sizes_of(made.attributes)
    made.attributes[SIZES] = sizes_attribute({name: SizeRange(sizes[name], sizes[name]) for name in given})
    return made


def _instantiate(op: Operation, extents: Mapping[SSAValue, Extents], sizes: Sizes) -> None:
    """Give an operation, whose values had these extents, constant `sizes`."""
    match op:
        case tensor.ComputeOp() if op.extents is not None:
            op.properties["domain"] = tensor.integers(shape_at(op.sizes, op.sizes_at_run_time, sizes))
            del op.properties["extents"]
        case tensor.TransformOp() if any(map(any, (extents.get(v, ()) for v in (op.x, op.res)))):
            op.properties |= {"read": _guarded(op.read), "into": _guarded(op.into)}
        case graph.SliceOp():
            op.properties["sizes"] = tensor.integers(shape_of(op.y))
        case tensor.ScatterOp() if VARIES in op.attributes:
            names = extents_of(op.attributes.pop(VARIES), len(op.sizes))
            op.properties["domain"] = tensor.integers(shape_at(op.sizes, names, sizes))
        case graph.ScanOp() if op.extent is not None:
            op.properties["steps"] = IntegerAttr(sizes[op.extent.data], i64)
            del op.properties["extent"]
        case tensor.ExternOp() if FILLS in op.attributes or VARIES in op.attributes:
            op.properties["numbers"] = tensor.integers(_numbers(op))
        case FuncOp() if not op.is_declaration:
            op.update_function_type()
        case _:
            pass


def _numbers(op: tensor.ExternOp) -> list[int]:
    """Return the numbers that a routine takes for the shapes of its operands and its result."""
    match op.routine.data.rpartition("_")[0]:
        case "roi_align":
            return [*shape_of(op.res[0])[:3], *op.values[3:5], *shape_of(op.inputs[0])]
        case "max_regions":
            return [*shape_of(op.res[0])[:3], *shape_of(op.inputs[0])]
        case "row_order":
            return list(shape_of(op.inputs[0]))
        case "determinant":
            return [prod(shape_of(op.inputs[0])[:-2]), op.values[1]]
        case _:
            return _numbers_of_selection(op)


def _numbers_of_selection(op: tensor.ExternOp) -> list[int]:
    """Return the numbers of a routine that chooses elements."""
    *rows, size = shape_of(op.inputs[0])
    *_, count = shape_of(op.res[0])
    if op.routine.data == "nonzero_bool":
        return [size, count]
    if op.routine.data == "suppressed_f32":
        return [*shape_of(op.inputs[1]), count, op.values[-1]]
    return [prod(rows), size, count]


def _guarded(access: tensor.AccessAttr) -> tensor.AccessAttr:
    """Return `access`, which skips what is behind the end of a smaller tensor."""
    return tensor.AccessAttr.of(access.map.data, guarded=True, divisors=access.division)
