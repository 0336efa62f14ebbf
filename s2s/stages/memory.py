"""Stage `memory`: every buffer has an offset in the arena, and kernels have their names in C."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from s2s.analysis.cost.loops import KernelPath, kernel_paths
from s2s.analysis.network.arguments import SHAPE, Role, role_of
from s2s.analysis.network.functions import LOADED, POOL, STATE, main_of
from s2s.c_syntax.interface import ArenaPool, StateInfo
from s2s.decisions.decision import Decision
from s2s.decisions.recorded import decisions_of
from s2s.dialects import loop
from s2s.emit.info import CodePool, Overlapping
from s2s.errors import CompilerBug
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.names import c_names
from s2s.passes.loop.plan_memory import (
    ARENA_ALIGN,
    ARENA_APART_BOUND,
    ARENA_LOWER_BOUND,
    ARENA_OVERLAPS,
    ARENA_SIZE,
    OFFSET,
)
from s2s.passes.loop.segments import segments_of
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.state import State
from s2s.types.hints import isa
from s2s.types.index_bounds import IndexBounds, bounds_of
from s2s.types.pools import Pools, code_pools
from s2s.types.sizes import VARIES, Extents, SizeRange, computed_of, counted_of, derived_of, extents_of, sizes_of

if TYPE_CHECKING:
    from s2s.executor.graph_json import Network


class Planned(NamedTuple):
    """The memory plan; sizes in bytes."""

    arena: int
    align: int
    lower_bound: int
    """No plan for this order of kernels needs less."""
    apart_bound: int | None
    """The same if no two live buffers overlapped, where some may."""
    inputs: tuple[int | None, ...]
    """The place of each input in the arena, None for an input without one."""
    outputs: tuple[int | None, ...]
    input_extents: tuple[Extents, ...]
    """The sizes that the axes of each input have at run time."""
    output_extents: tuple[Extents, ...]
    sizes: Mapping[str, SizeRange]
    """The sizes of the caller's structure: given ones, then computed ones."""
    computed_sizes: tuple[str, ...]
    """The sizes that kernels compute."""
    derived_sizes: Mapping[str, AffineMap]
    """The sizes that follow from sizes given at run time."""
    index_bounds: Mapping[str, IndexBounds]
    """The inputs and states that are indices."""
    checks_indices: bool
    """Whether a run checks indices that it computes."""
    states: tuple[StateInfo, ...]
    """What the network keeps from run to run."""
    overlaps: tuple[Overlapping, ...]
    pools: tuple[ArenaPool, ...]
    """The parts of the arena in memory pools."""
    lasting: tuple[str, ...]
    """The parts of the arena that hold something from run to run: state, or constants copied there at start."""
    loaded: int
    """The bytes of the arena that constants are copied to at start."""
    names: Mapping[str, str]
    """The names of kernels in C by their names in the module."""
    code: tuple[CodePool, ...]
    """The memory pools of functions, with the kernels in each."""
    paths: tuple[KernelPath, ...]
    """What is proven of the path of each kernel, and of the run function."""
    steps: loop.RunSteps | None
    """The steps that a run is cut into; None if it is one piece."""
    tables: "Network | None"
    """The network as nodes, for executor `graph`, unless TVM's format cannot say it: varying sizes, state."""
    decisions: tuple[Decision, ...]
    """What was chosen on the way here, and why."""


def planned(state: State, request: Request) -> Planned:
    """Read the plan from `main`, and the decisions from the module."""
    main, name, attributes = main_of(state.module), state.facts[Read].name, state.module.attributes
    tables, states = None, _states(state.module)
    if request.options.executor == "graph" and not sizes_of(attributes) and not states:
        from s2s.executor.describe import describe

        tables = describe(state.module, name, state.weights)
    listed = main.attributes.get(ARENA_OVERLAPS)
    names = c_names(state.module, name).kernels
    return Planned(
        arena=_stated(main, ARENA_SIZE),
        align=_stated(main, ARENA_ALIGN),
        lower_bound=_stated(main, ARENA_LOWER_BOUND),
        apart_bound=_integer(main.attributes.get(ARENA_APART_BOUND)),
        inputs=_offsets(main, Role.INPUT),
        outputs=_offsets(main, Role.OUTPUT),
        input_extents=_extents(main, Role.INPUT),
        output_extents=_extents(main, Role.OUTPUT),
        sizes={name: size for name, size in sizes_of(attributes).items() if name not in counted_of(attributes)},
        computed_sizes=computed_of(attributes),
        derived_sizes=derived_of(attributes),
        index_bounds=bounds_of(attributes),
        checks_indices=any(isinstance(op, loop.RequireOp) for op in main.body.block.ops),
        states=states,
        overlaps=tuple(map(_overlapping, listed)) if isa(listed, ArrayAttr[DictionaryAttr]) else (),
        pools=_parts(main, request.options.pools),
        lasting=_lasting(main),
        loaded=sum(buffer_bytes(op.results[0]) for op in main.body.block.ops if LOADED in op.attributes),
        names=names,
        code=_code(state.module, code_pools(request.options.pools), names),
        paths=kernel_paths(state.module, {**names, main.sym_name.data: f"{name}_run"}),
        steps=loop.RunSteps.of(main),
        tables=tables,
        decisions=decisions_of(state.module),
    )


def describe_overlaps(overlaps: Sequence[Overlapping]) -> str:
    """Describe the results that overlap their operands in words."""
    return "; ".join(
        f"{each.nodes or 'a step'}: {each.bytes} bytes at distance {each.distance:+d}" for each in overlaps
    )


def _parts(main: FuncOp, pools: Pools) -> tuple[ArenaPool, ...]:
    """Return the parts of the arena, with the addresses of their pools."""
    addresses = {pool.name: pool.address for pool in pools}
    return tuple(ArenaPool(each.pool, each.offset, each.size, addresses.get(each.pool)) for each in segments_of(main))


def _code(module: ModuleOp, pools: Pools, names: Mapping[str, str]) -> tuple[CodePool, ...]:
    """Return the pools of functions with the kernels that are placed there."""
    placed = {op.sym_name.data: op.attributes.get(POOL) for op in module.ops if isinstance(op, FuncOp)}
    return tuple(
        CodePool(
            pool.name,
            pool.size,
            tuple(names[kernel] for kernel, place in placed.items() if place == StringAttr(pool.name)),
            pool.address is not None,
        )
        for pool in pools
    )


def _lasting(main: FuncOp) -> tuple[str, ...]:
    """Return the parts of the arena with something that outlives a run."""
    views = [op for op in main.body.block.ops if isinstance(op, loop.ViewOp)]
    starts = [op.start for op in views if STATE in op.attributes or LOADED in op.attributes]
    return tuple(
        part.pool
        for part in segments_of(main)
        if any(part.offset <= start < part.offset + part.size for start in starts)
    )


def _offsets(main: FuncOp, role: Role) -> tuple[int | None, ...]:
    return tuple(_integer(argument.get(OFFSET)) for argument in _arguments(main, role))


def _extents(main: FuncOp, role: Role) -> tuple[Extents, ...]:
    return tuple(extents_of(argument.get(VARIES), 0) for argument in _arguments(main, role))


def _arguments(main: FuncOp, role: Role) -> list[Mapping[str, Attribute]]:
    return [each.data for each in main.arg_attrs or () if role_of(each.data) == role]


def _overlapping(entry: DictionaryAttr) -> Overlapping:
    nodes, shared, distance = entry.data["nodes"], entry.data["bytes"], entry.data["distance"]
    assert isinstance(nodes, StringAttr)
    return Overlapping(nodes.data, _integer(shared) or 0, _integer(distance) or 0)


def _stated(main: FuncOp, key: str) -> int:
    value = _integer(main.attributes.get(key))
    if value is None:
        raise CompilerBug(f"main has no attribute {key}; loop-plan-memory states it")
    return value


def _integer(attribute: Attribute | None) -> int | None:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def _states(module: ModuleOp) -> tuple[StateInfo, ...]:
    """Return the state of the network with its offsets."""
    views = [op for op in main_of(module).body.block.ops if isinstance(op, loop.ViewOp) and STATE in op.attributes]
    return tuple(map(_state, views))


def _state(view: loop.ViewOp) -> StateInfo:
    name, shape, buffer = view.attributes[STATE], view.attributes.get(SHAPE), view.result.type
    if not isinstance(name, StringAttr) or not isinstance(shape, DenseArrayBase) or not isa(buffer, MemRefType):
        raise CompilerBug("a state of main has no name, no shape or no buffer")
    dims = tuple(int(size) for size in shape.get_values())
    return StateInfo(name.data, buffer.element_type, dims, view.offset.value.data)
