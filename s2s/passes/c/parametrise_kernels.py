"""Turn numbers in which kernels differ into parameters, so that one kernel can serve them all.

    c.func @sum(%y: …, %x: …)   { … c.for %i = %0 to 125 { … %i * 125 … } }
    c.func @sum_2(%y: …, %x: …) { … c.for %i = %0 to 64  { … %i * 64 … } }
    … c.call "sum"(%a, %b) … c.call "sum_2"(%c, %d)
->
    c.func @sum(%y: …, %x: …, %n: index)   { … c.for %i = %0 to %n { … %i * %n … } }
    c.func @sum_2(%y: …, %x: …, %n: index) { … c.for %i = %0 to %n { … %i * %n … } }
    … c.call "sum"(%a, %b, 125) … c.call "sum_2"(%c, %d, 64)

The kernels of all networks in the module are considered. Where a number depends linearly on one that is a parameter
already, it is computed: of kernels with (64, 68) and (125, 129) only the first number is passed, and the second one is
`n * 1 + 4`. The equal kernels are merged by `c-share-between-networks`.

Code shrinks and slows down: the C compiler no longer knows the trip counts, and cannot fold the offsets. So the pass
runs where the user asks for it.

Declined for kernels that would take more than `most` parameters, for those that are divided among threads, and for
those that something else than a call refers to.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FloatAttr, FunctionType, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.c_syntax.identifiers import unique_identifiers
from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.passes.c.kernel_text import is_whole_kernel, kernel_text
from s2s.support.frozen import frozen

PARAMETERS = "with the numbers of one call, which passes them as the last parameters"
"""Ends the comment of a kernel with parameters."""
Number = IntegerAttr | FloatAttr
MAX_FACTOR = 64
"""The largest factor by which a number is computed from a parameter."""


@frozen
class Source:
    """How a literal is computed: `parameter * factor + offset`."""

    parameter: int
    factor: int = 1
    offset: int = 0


@frozen
class ParametriseKernelsPass(ModulePass):
    name = "c-parametrise-kernels"

    most: int = 8
    """The most parameters that a kernel gets."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls: defaultdict[str, list[c.CallOp]] = defaultdict(list)
        referred: set[str] = set()
        alike: defaultdict[str, list[c.FuncOp]] = defaultdict(list)
        for each in walk(op):
            if isinstance(each, c.CallOp):
                calls[each.callee.data].append(each)
            elif isinstance(each, c.SymbolOp):
                referred.add(each.symbol.data)
            elif isinstance(each, c.FuncOp) and is_whole_kernel(each):
                alike[kernel_text(each, literals=False)].append(each)
        for kernels in alike.values():
            kernels = [kernel for kernel in kernels if kernel.sym_name.data not in referred]
            self._parametrise(kernels, calls)

    def _parametrise(self, kernels: Sequence[c.FuncOp], calls: Mapping[str, list[c.CallOp]]) -> None:
        """Give `kernels`, which differ in literals at most, parameters for these."""
        literals = [[op for op in walk(kernel) if isinstance(op, c.LiteralOp)] for kernel in kernels]
        columns = [tuple(op.value for op in column) for column in zip(*literals, strict=True)]
        parameters: list[tuple[Number, ...]] = []
        sources: dict[int, Source] = {}
        for place, column in sorted(enumerate(columns), key=lambda each: _magnitude(each[1])):
            if len(set(column)) > 1:
                sources[place] = _source(column, parameters)
        if not parameters or len(parameters) > self.most:
            return
        for number, kernel in enumerate(kernels):
            _describe(kernel)
            _add_parameters(kernel, literals[number], [values[number] for values in parameters], sources)
            for call in calls[kernel.sym_name.data]:
                _pass(call, [values[number] for values in parameters])


def _magnitude(column: Sequence[Number]) -> tuple[int, ...]:
    """Sort small numbers first, so that larger ones are computed from them."""
    return tuple(abs(value.value.data) if isinstance(value, IntegerAttr) else 0 for value in column)


def _source(column: tuple[Number, ...], parameters: list[tuple[Number, ...]]) -> Source:
    """Return how the numbers of `column` come from a parameter, which is added to `parameters` if none has them."""
    for number, values in enumerate(parameters):
        found = _linear(column, values)
        if found is not None:
            return Source(number, *found)
    parameters.append(column)
    return Source(len(parameters) - 1)


def _linear(column: Sequence[Number], values: Sequence[Number]) -> tuple[int, int] | None:
    """Return integers (a, b) with column[i] = a * values[i] + b for all i; None if there are none."""
    if column[0].get_type() != values[0].get_type():
        return None
    if tuple(column) == tuple(values):
        return 1, 0
    pairs = [
        (wanted.value.data, given.value.data)
        for wanted, given in zip(column, values, strict=True)
        if isinstance(wanted, IntegerAttr) and isinstance(given, IntegerAttr)
    ]
    if len(pairs) < len(column):
        return None
    (y0, x0), (y1, x1) = pairs[0], next(pair for pair in pairs if pair[1] != pairs[0][1])
    factor, rest = divmod(y1 - y0, x1 - x0)
    offset = y0 - factor * x0
    if rest or not 1 <= factor <= MAX_FACTOR or any(y != factor * x + offset for y, x in pairs):
        return None
    return factor, offset


def _add_parameters(
    kernel: c.FuncOp, literals: Sequence[c.LiteralOp], values: Sequence[Number], sources: Mapping[int, Source]
) -> None:
    """Replace the literals that have a source by parameters."""
    body = kernel.body.block
    given = [name.data for name in kernel.parameters] if kernel.parameters is not None else []
    names = unique_identifiers(map(_name, values), taken=_names_of(kernel))
    arguments: list[SSAValue] = []
    for value, name in zip(values, names, strict=True):
        arguments.append(body.insert_arg(value.get_type(), len(body.args)))
        arguments[-1].name_hint = name
    inputs = [argument.type for argument in body.args]
    kernel.function_type = FunctionType.from_lists(inputs, kernel.function_type.outputs.data)
    if kernel.parameters is not None:
        kernel.parameters = ArrayAttr(StringAttr(name) for name in (*given, *names))
    for place, source in sources.items():
        Rewriter.replace_op(literals[place], *_computed(arguments[source.parameter], source, literals[place].value))


def _computed(argument: SSAValue, source: Source, value: Number) -> tuple[list[Operation], list[SSAValue]]:
    """Return the operations that compute a number from a parameter, and their result."""
    made: list[Operation] = []
    result = argument
    for operator, operand, neutral in (("*", source.factor, 1), ("+", source.offset, 0)):
        if operand != neutral:
            literal = c.LiteralOp(_like(value, operand))
            made += [literal, c.BinaryOp(operator, result, literal.result)]
            result = made[-1].results[0]
    return made, [result]


def _like(value: Number, number: int) -> IntegerAttr:
    """Return `number` with the type of `value`."""
    assert isinstance(value, IntegerAttr)
    return IntegerAttr(number, value.type)


def _describe(kernel: c.FuncOp) -> None:
    """Say in the comment of `kernel` that its numbers are the numbers of one call."""
    if kernel.doc is not None:
        kernel.doc = StringAttr(f"{kernel.doc.data}\n{PARAMETERS}")


def _pass(call: c.CallOp, values: Sequence[Number]) -> None:
    """Hand `values` to the kernel in `call`."""
    literals = [c.LiteralOp(value) for value in values]
    Rewriter.insert_op(literals, InsertPoint.before(call))
    call.operands = [*call.operands, *(literal.result for literal in literals)]


def _names_of(kernel: c.FuncOp) -> set[str]:
    """Return the names of parameters and variables in `kernel`."""
    names = {name.data for name in kernel.parameters or ()}
    for op in walk(kernel):
        names |= {value.data for value in op.properties.values() if isinstance(value, StringAttr)}
    return names


def _name(value: Number) -> str:
    return "n" if isinstance(value, IntegerAttr) else "number"
