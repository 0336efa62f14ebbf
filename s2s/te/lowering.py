"""A schedule as a module: one kernel of `tensor.compute` operations with schedules, and a `main` that calls it."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.analysis.tile_and_fuse.fused_groups import groups_of
from s2s.dialects import graph, tensor
from s2s.dialects.tensor import FusedTile
from s2s.errors import InputError, ScheduleError
from s2s.schedules.directives.legal import refusal
from s2s.targets import Target
from s2s.te.bodies import computation, element_of
from s2s.te.expressions import PlaceholderOp, Tensor
from s2s.te.loops import Bind, Loops, size_of
from s2s.te.nests import Nest, nests_of
from s2s.te.schedule import Schedule
from s2s.te.tiles import tiles_of
from s2s.types.dtypes import AnyTensor, tensor_type


def lower_to_tensor(schedule: Schedule, args: Sequence[Tensor], name: str, target: Target, bind: Bind) -> ModuleOp:
    """The module that computes those of `args` that are no placeholders from those that are."""
    names = [each.name for each in args]
    if len(set(names)) < len(names):
        raise InputError(f"te.build {name}: arguments {', '.join(names)}: a name stands twice; give each its own")
    inputs = [each for each in args if isinstance(each.op, PlaceholderOp)]
    outputs = [each for each in args if not isinstance(each.op, PlaceholderOp)]
    nests = nests_of(schedule)
    _check_arguments(nests, inputs, outputs, name)
    block = Block(arg_types=[type_of(each, bind) for each in inputs])
    values: dict[object, SSAValue] = {}
    for each, argument in zip(inputs, block.args, strict=True):
        argument.name_hint = _hint(each.name)
        values[each.op] = argument
    loops = [Loops(nest, target, bind) for nest in nests]
    tiles = tiles_of(nests, loops)
    for number, (nest, each) in enumerate(zip(nests, loops, strict=True)):
        values[nest.tensor.op] = _insert(block, nest, each, values, tiles.get(number, ()))
    _check_tiles(block, nests)
    block.add_op(ReturnOp(*(values[each.op] for each in outputs)))
    kernel = FuncOp(
        name,
        ([argument.type for argument in block.args], [type_of(each, bind) for each in outputs]),
        Region(block),
        visibility="private",
    )
    kernel.attributes["kernel"] = UnitAttr()
    return ModuleOp([kernel, _main(kernel, name, inputs, outputs)])


def type_of(each: Tensor, bind: Bind) -> AnyTensor:
    """The type of a tensor once its sizes are bound."""
    return tensor_type(element_of(each.dtype), tuple(size_of(size, bind) for size in each.shape))


def _check_arguments(nests: Sequence[Nest], inputs: Sequence[Tensor], outputs: Sequence[Tensor], name: str) -> None:
    given = {each.op for each in inputs}
    missing = [
        source.name
        for nest in nests
        for source in nest.sources
        if isinstance(source.op, PlaceholderOp) and source.op not in given
    ]
    if missing:
        raise InputError(f"te.build {name}: {missing[0]} is read, and no argument; add it to the arguments")
    made = {nest.tensor.op for nest in nests}
    unknown = [each.name for each in outputs if each.op not in made]
    if unknown:
        raise InputError(f"te.build {name}: {unknown[0]} is inlined or no part of the schedule; compute it by itself")
    if not outputs:
        raise InputError(f"te.build {name}: no argument is computed; add the result to the arguments")


def _check_tiles(block: Block, nests: Sequence[Nest]) -> None:
    """Refuse tensors that are computed in tiles which do not fit together."""
    attached = next((nest for nest in nests if nest.attached is not None), None)
    if attached is not None:
        try:
            groups_of([op for op in block.ops if isinstance(op, tensor.Computation)])
        except ScheduleError as error:
            raise attached.refusal(f"compute_at: {error}; compute_inline it, or leave it by itself") from None


def _insert(
    block: Block, nest: Nest, loops: Loops, values: Mapping[object, SSAValue], tiles: Sequence[FusedTile]
) -> SSAValue:
    op = computation(nest, loops, values)
    schedule = tensor.ScheduleAttr.of(loops.directives(tiles))
    graph.set_provenance(op, [nest.name])
    op.schedule = schedule
    block.add_op(op)
    reason = refusal(op, schedule)
    if reason is not None:
        raise nest.refusal(f"its directives {schedule} do not fit: {reason}")
    op.res[0].name_hint = _hint(nest.name)
    return op.res[0]


def _main(kernel: FuncOp, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> FuncOp:
    block = Block(arg_types=kernel.function_type.inputs.data)
    for each, argument in zip(inputs, block.args, strict=True):
        argument.name_hint = _hint(each.name)
    call = graph.CallOp(name, list(block.args), kernel.function_type.outputs.data)
    graph.set_provenance(call, [each.name for each in outputs])
    block.add_ops([call, ReturnOp(*call.results)])
    main = FuncOp("main", (kernel.function_type.inputs.data, kernel.function_type.outputs.data), Region(block))
    main.arg_attrs = _named(inputs)
    main.res_attrs = _named(outputs)
    return main


def _named(tensors: Sequence[Tensor]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"name": StringAttr(each.name)}) for each in tensors])


def _hint(name: str) -> str:
    return name.replace(".", "_")
