"""A schedule as a module: a kernel of `tensor.compute` operations with schedules, and a `main` that calls it.

Functions outside of the expressions are called by `main`; the stages before and after one are kernels of their own.
"""

from collections.abc import Mapping, Sequence, Set

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from s2s.analysis.network.functions import IMPORTS
from s2s.analysis.tile_and_fuse.fused_groups import groups_of
from s2s.c_syntax.identifiers import c_identifier, c_macro
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import ints
from s2s.dialects.tensor import FusedTile
from s2s.errors import InputError, ScheduleError
from s2s.schedules.directives.legal import refusal
from s2s.targets import Target
from s2s.tvm.names import distinct
from s2s.tvm.te.bodies import computation, element_of
from s2s.tvm.te.expressions import Expr, PlaceholderOp, Tensor, TensorOp, Var, VariableOp
from s2s.tvm.te.extern_call import ExternCall
from s2s.tvm.te.loops import Loops
from s2s.tvm.te.nests import BlocksPart, Nest, Part, ScanPart, parts_of
from s2s.tvm.te.open_sizes import OpenSizes
from s2s.tvm.te.rewriting import rewritten
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.sizes import Bind, greatest_of, size_of
from s2s.tvm.te.tensorized import BlockCalls, named
from s2s.tvm.te.tiles import tiles_of
from s2s.types.dtypes import AnyTensor, tensor_type


def lower_to_tensor(schedule: Schedule, args: Sequence[Tensor], name: str, target: Target, bind: Bind) -> ModuleOp:
    """The module that computes the tensors of `args` that are no placeholders from the placeholders."""
    repeated = next((arg for at, arg in enumerate(args) if arg.key in [before.key for before in args[:at]]), None)
    if repeated is not None:
        raise InputError(f"te.build {name}: argument {repeated.name} stands twice; give each tensor once")
    names = {arg.key: port for arg, port in zip(args, distinct([arg.name for arg in args]), strict=True)}
    inputs = [each for each in args if isinstance(each.op, PlaceholderOp)]
    outputs = [each for each in args if not isinstance(each.op, PlaceholderOp)]
    parts = [_with_arguments(part, inputs) for part in parts_of(schedule, outputs)]
    _check_arguments(parts, inputs, outputs, name)
    return _Network(name, parts, inputs, outputs, target, bind).module(names)


class _Network:
    """Builds `main`, which calls a kernel for each part of the schedule, and functions outside between them."""

    def __init__(
        self,
        name: str,
        parts: Sequence[Part],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        target: Target,
        bind: Bind,
    ) -> None:
        self._name, self._parts, self._inputs, self._outputs = name, parts, inputs, outputs
        self._target, self._bind = target, bind
        self._block = Block(arg_types=[self._type(each) for each in inputs])
        self._values = {each.key: value for each, value in zip(inputs, self._block.args, strict=True)}
        self._kernels: list[FuncOp] = []
        self._sizes = OpenSizes(bind)

    def module(self, names: Mapping[tuple[TensorOp, int], str]) -> ModuleOp:
        """The kernels and `main`, whose arguments and results have these names by the keys of their tensors."""
        self._name_values(self._inputs)
        for number, part in enumerate(self._parts):
            if isinstance(part, ExternCall):
                self._call_outside(part)
            elif isinstance(part, ScanPart):
                self._scan(part)
            elif isinstance(part, BlocksPart):
                self._call_blocks(part)
            else:
                self._call_kernel(part, {source.key for each in self._parts[number + 1 :] for source in _sources(each)})
        self._block.add_op(ReturnOp(*(self._values[each.key] for each in self._outputs)))
        types = [[self._type(each) for each in ports] for ports in (self._inputs, self._outputs)]
        main = FuncOp("main", (types[0], types[1]), Region(self._block))
        main.arg_attrs, main.res_attrs = (
            _named([names[tensor.key] for tensor in tensors]) for tensors in (self._inputs, self._outputs)
        )
        module = ModuleOp([*self._kernels, main])
        self._sizes.mark(module, main, self._inputs)
        return module

    def _call_outside(self, part: ExternCall) -> None:
        operands = [self._values[each.key] for each in part.inputs]
        types = [self._type(each) for each in part.outputs]
        self._add(
            graph.ExternOp(
                operands,
                function=part.function,
                result_types=types,
                packed=part.packed,
                source=part.source,
                numbers=tuple(
                    each if not isinstance(each, Expr) else size_of(each, self._bind) for each in part.numbers
                ),
            ),
            part.outputs,
        )

    def _call_blocks(self, part: BlocksPart) -> None:
        """Call a kernel that calls functions of C for each block of a tensor."""
        header, result = f"{self._name}_imports.h", part.stage.tensor
        calls = BlockCalls(part, self._bind, f'"{header}"')
        operands = list(dict.fromkeys(part.sources))
        block = Block(arg_types=[self._type(each) for each in operands])
        for each, argument in zip(operands, block.args, strict=True):
            argument.name_hint = _hint(each.name)
        values: dict[object, SSAValue] = {each.key: at for each, at in zip(operands, block.args, strict=True)}
        op = named(calls.op(values, self._type), part.stage)
        block.add_ops([op, ReturnOp(op.res)])
        name = self._name if len(self._parts) == 1 else f"{self._name}_{len(self._kernels)}"
        types = [value.type for value in block.args], [op.res.type]
        kernel = FuncOp(name, types, Region(block), visibility="private")
        kernel.attributes |= {
            "kernel": UnitAttr(),
            IMPORTS: DictionaryAttr({header: StringAttr(self._imports(header))}),
        }
        self._kernels.append(kernel)
        self._add(graph.CallOp(name, [self._values[each.key] for each in operands], [op.res.type]), [result])

    def _imports(self, header: str) -> str:
        """The text of the header with all C that the program has given."""
        texts = [text for part in self._parts if isinstance(part, BlocksPart) for text in part.imports]
        guard = c_macro(c_identifier(header))
        body = "\n\n".join(text.strip() for text in dict.fromkeys(texts))
        return f"#ifndef {guard}\n#define {guard}\n\n{body}\n\n#endif\n"

    def _scan(self, part: ScanPart) -> None:
        """Run the step of a scan for each row behind the initial ones, and put all rows together."""
        step, call = part.step, part.step.call
        count = type_of(call.inits[0], self._bind).get_shape()[0]
        steps = type_of(call.states[0], self._bind).get_shape()[0] - count
        if steps < 1:
            raise InputError(f"te.scan {call.name}: {count + steps} rows, {count} of them in init; give more rows")
        operands = [*step.rows, *step.slices.values(), *step.kept]
        kernel = self._kernel(f"{self._name}_{call.name}", part.nests, operands, [*step.moved, *step.made])
        body = _network(kernel, f"{self._name}_{call.name}_step", len(step.rows))
        self._kernels += [kernel, body]
        slices = [self._rows_of(each, count) for each in step.slices]
        carried, kept = ([self._values[each.key] for each in group] for group in (call.inits, step.kept))
        stacked = [tensor_type(type_of(row, self._bind).element_type, (steps, *type_of(row, self._bind).get_shape()))
                   for row in step.made]  # fmt: skip
        types = [*(value.type for value in carried), *stacked]
        op = graph.ScanOp(body.sym_name.data, carried, slices, kept, types, steps=steps)
        graph.set_provenance(op, [call.name])
        self._block.add_op(op)
        for number, output in enumerate(call.outputs):
            rows = op.outputs[len(carried) + number]
            self._add(graph.ConcatOp([carried[number], rows], axis=0), [output])

    def _rows_of(self, each: Tensor, first: int) -> SSAValue:
        """The rows of a tensor from one on."""
        shape = type_of(each, self._bind).get_shape()
        starts, sizes = [first, *[0] * (len(shape) - 1)], [shape[0] - first, *shape[1:]]
        op = graph.SliceOp(self._values[each.key], starts=starts, sizes=sizes, strides=[1] * len(shape))
        graph.set_provenance(op, [each.name])
        self._block.add_op(op)
        return op.results[0]

    def _call_kernel(self, nests: Sequence[Nest], read_later: Set[object]) -> None:
        """Call the kernel of the nests between two calls of functions outside."""
        computed = {output.key: output for nest in nests for output in nest.outputs}
        read = {source.key: source for nest in nests for source in nest.sources if source.key not in computed}
        operands = [read[key] for key in self._values if key in read]
        results = [output for output in self._outputs if output.key in computed]
        taken = {result.key for result in results}
        results += [output for key, output in computed.items() if key in read_later and key not in taken]
        is_only = not any(isinstance(part, ExternCall | ScanPart | BlocksPart) for part in self._parts)
        name = self._name if is_only else f"{self._name}_{len(self._kernels)}"
        kernel = self._kernel(name, nests, operands, results)
        self._kernels.append(kernel)
        call = graph.CallOp(name, [self._values[source.key] for source in operands], kernel.function_type.outputs.data)
        self._add(call, results)

    def _kernel(
        self, name: str, nests: Sequence[Nest], operands: Sequence[Tensor], results: Sequence[Tensor]
    ) -> FuncOp:
        """The function of some nests."""
        block = Block(arg_types=[self._type(each) for each in operands])
        values: dict[object, SSAValue] = {}
        for each, argument in zip(operands, block.args, strict=True):
            argument.name_hint = _hint(each.name)
            values[each.key] = argument
        loops = [Loops(nest, self._target, self._bind) for nest in nests]
        tiles = tiles_of(nests, loops)
        for number, (nest, each) in enumerate(zip(nests, loops, strict=True)):
            op = _insert(block, nest, each, values, tiles.get(number, ()), self._sizes)
            values |= {output.key: value for output, value in zip(nest.outputs, op.res, strict=True)}
        _check_tiles(block, nests)
        block.add_op(ReturnOp(*(values[each.key] for each in results)))
        types = [self._type(each) for each in operands], [self._type(each) for each in results]
        kernel = FuncOp(name, types, Region(block), visibility="private")
        kernel.attributes["kernel"] = UnitAttr()
        return kernel

    def _add(self, op: Operation, results: Sequence[Tensor]) -> None:
        graph.set_provenance(op, [each.name for each in results])
        self._block.add_op(op)
        self._values |= {each.key: value for each, value in zip(results, op.results, strict=True)}
        self._name_values(results)

    def _name_values(self, tensors: Sequence[Tensor]) -> None:
        for each in tensors:
            self._values[each.key].name_hint = _hint(each.name)

    def _type(self, each: Tensor) -> AnyTensor:
        return type_of(each, self._bind)


def type_of(each: Tensor, bind: Bind) -> AnyTensor:
    """The type of a tensor once its sizes are bound."""
    return tensor_type(element_of(each.dtype), tuple(greatest_of(size, bind) for size in each.shape))


def _sources(part: Part) -> Sequence[Tensor]:
    """The tensors that a part reads."""
    if isinstance(part, ScanPart | BlocksPart):
        return part.sources
    return part.inputs if isinstance(part, ExternCall) else [each for nest in part for each in nest.sources]


def _with_arguments(part: Part, inputs: Sequence[Tensor]) -> Part:
    """`part` with the variables that are arguments read from the arguments."""
    variables = {each.op.variable: each for each in inputs if isinstance(each.op, VariableOp)}
    if isinstance(part, ExternCall | BlocksPart) or not variables:
        return part

    def value(expr: Expr) -> Expr | None:
        return variables[expr]() if isinstance(expr, Var) and expr in variables else None

    for nest in part.nests if isinstance(part, ScanPart) else part:
        if nest.reduction is not None:
            nest.reduction = nest.reduction.of(rewritten(nest.reduction.value, value), nest.reduction.axes)
        nest.epilogue = None if nest.epilogue is None else rewritten(nest.epilogue, value)
    return part


def _made_by(part: Part) -> Sequence[Tensor]:
    """The tensors that a part computes."""
    if isinstance(part, ScanPart):
        return part.step.call.outputs
    if isinstance(part, BlocksPart):
        return (part.stage.tensor,)
    return part.outputs if isinstance(part, ExternCall) else [each for nest in part for each in nest.outputs]


def _network(kernel: FuncOp, name: str, tied: int) -> FuncOp:
    """A network that calls a kernel; its first results take over its first arguments."""
    kind = kernel.function_type
    block = Block(arg_types=kind.inputs.data)
    call = graph.CallOp(kernel.sym_name.data, list(block.args), kind.outputs.data)
    graph.set_provenance(call, [name])
    block.add_ops([call, ReturnOp(*call.results)])
    function = FuncOp(name, kind, Region(block), visibility="private")
    function.attributes[graph.TIED] = ints([n if n < tied else -1 for n in range(len(kind.outputs))])
    return function


def _check_arguments(parts: Sequence[Part], inputs: Sequence[Tensor], outputs: Sequence[Tensor], name: str) -> None:
    arguments = {port.key for port in inputs}
    computed = {output.key for part in parts for output in _made_by(part)}
    read = [source for part in parts for source in _sources(part)]
    missing = [source.name for source in read if isinstance(source.op, PlaceholderOp) and source.key not in arguments]
    if missing:
        raise InputError(f"te.build {name}: {missing[0]} is read, and no argument; add it to the arguments")
    wanted = [each for each in (*outputs, *read) if not isinstance(each.op, PlaceholderOp)]
    unknown = [each.name for each in wanted if each.key not in computed]
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
    block: Block,
    nest: Nest,
    loops: Loops,
    values: Mapping[object, SSAValue],
    tiles: Sequence[FusedTile],
    sizes: OpenSizes,
) -> tensor.ComputeOp:
    op = computation(nest, loops, values)
    sizes.state(op, loops, values)
    schedule = tensor.ScheduleAttr.of(loops.directives(tiles))
    graph.set_provenance(op, [nest.name])
    op.schedule = schedule
    block.add_op(op)
    reason = refusal(op, schedule)
    if reason is not None:
        raise nest.refusal(f"its directives {schedule} do not fit ({reason}); choose others")
    for output, value in zip(nest.outputs, op.res, strict=True):
        value.name_hint = _hint(nest.name if len(op.res) == 1 else output.name)
    return op


def _named(names: Sequence[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"name": StringAttr(name)}) for name in names])


def _hint(name: str) -> str:
    return name.replace(".", "_")
