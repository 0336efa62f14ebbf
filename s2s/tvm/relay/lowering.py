"""Functions of relay as operations of the graph level, made by the builder that importers use."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.model import Resize
from s2s.support.frozen import frozen
from s2s.tvm.relay.annotation import annotate, annotated_calls
from s2s.tvm.relay.expr import Constant, Expr, OnDevice, Tuple, post_order
from s2s.tvm.relay.formula import Formula
from s2s.tvm.relay.function import Function, free_vars, unique_names
from s2s.tvm.relay.graph_calls import GraphCall, GraphCalls, Result, operator_name
from s2s.types.size import Ledger, all_plain
from s2s.types.weights import WeightStore


@frozen
class Lowered:
    """A network at graph level."""

    module: ModuleOp
    weights: WeightStore
    resize: Resize | None = None
    """Reads the network with other sizes, where some vary."""


def built(function: Function, ledger: Ledger | None = None) -> Lowered:
    """The operations of a function, made by the builder that importers use; `ledger` has its sizes that vary."""
    missing = [each.name_hint for each in free_vars(function)]
    if missing:
        raise InputError(f"relay.Function: {missing[0]} is read, and no parameter; add it to params")
    for each in function.params:
        if ledger is None and not all_plain(each.shape):
            raise UnsupportedError(
                f"relay: {each.name_hint} is a {each.checked_type}; give relay.build bounds of its sizes by dims=, "
                "or sizes that are numbers"
            )
    weights = WeightStore()
    block = Block(arg_types=[each.type for each in function.params])
    builder = Builder(block, weights, ledger=ledger)
    builder.ledger.place = lambda: builder.node
    values: dict[int, Value] = {}
    names = unique_names(function.params)
    for parameter, name, argument in zip(function.params, names, block.args, strict=True):
        values[id(parameter)] = builder.computed(argument, name)
    nodes: dict[int, str] = {}
    outputs = emitted(builder, function.outputs, values, nodes)
    block.add_op(ReturnOp(*outputs))
    kinds = [argument.type for argument in block.args], [output.type for output in outputs]
    main = FuncOp("main", kinds, Region(block))
    main.arg_attrs = _names(names)
    main.res_attrs = _names(output_names(function, len(outputs)))
    annotate(main, {nodes[call]: device for call, device in annotated_calls(function.outputs).items()})
    return Lowered(ModuleOp([main]), weights)


def output_names(function: Function, count: int) -> list[str]:
    """Return the names of outputs, which the attribute `output_tensor_names` gives."""
    names = function.attrs.get("output_tensor_names")
    if names is None:
        return [f"output{number}" if number else "output" for number in range(count)]
    texts = [str(name) for name in cast("Sequence[object]", names)]
    if len(set(texts)) != count or len(texts) != count:
        raise InputError(
            f"relay.Function: output_tensor_names {', '.join(texts)}: there are {count} outputs; give a name for each"
        )
    return texts


def emitted(
    builder: Builder, roots: Sequence[Expr], values: dict[int, Value], nodes: dict[int, str] | None = None
) -> list[SSAValue]:
    """Append what computes `roots`; `values` are the values of variables, by the identity of these. The names of the
    operators are added to `nodes`."""
    counts: dict[str, int] = {}
    results: dict[int, list[Value]] = {}
    prefix = builder.node
    for expr in post_order(*roots):
        if isinstance(expr, Constant):
            values[id(expr)] = builder.constant(expr.value, expr.name_hint)
        elif isinstance(expr, Result):
            values[id(expr)] = results[id(expr.call)][expr.index]
        elif isinstance(expr, Formula):
            builder.node = prefix or _numbered(expr.operator, counts)
            results[id(expr)] = expr.write(builder, [values[id(each)] for each in expr.arguments])
        elif isinstance(expr, OnDevice):
            values[id(expr)] = values[id(expr.value)]
        elif (value := expr.value_of) is not expr and not isinstance(value, Tuple):
            values[id(expr)] = values[id(value)]
        elif isinstance(expr, GraphCall | GraphCalls):
            builder.node = prefix or _numbered(operator_name(expr), counts)
            if nodes is not None:
                nodes[id(expr)] = builder.node
            if isinstance(expr, GraphCall):
                values[id(expr)] = builder.emit(expr.build, *_arguments(expr, values), **expr.properties)
            else:
                results[id(expr)] = builder.emit_all(expr.build, *_arguments(expr, values), **expr.properties)
    return [builder.materialize(values[id(each)]) for each in roots]


def _numbered(name: str, counts: dict[str, int]) -> str:
    """The name of the next node of an operator."""
    counts[name] = counts.get(name, -1) + 1
    return f"{name}_{counts[name]}"


def _arguments(expr: GraphCall | GraphCalls, values: Mapping[int, Value]) -> list[Value | list[Value] | None]:
    """The operands of an operation; None stands for one that is left out."""
    return [
        None if each is None else values[id(each)] if isinstance(each, Expr) else [values[id(one)] for one in each]
        for each in expr.arguments
    ]


def _names(names: Sequence[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"name": StringAttr(name)}) for name in names])
