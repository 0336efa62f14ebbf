"""Read functions of relay back from operations of the graph level, so that programs can look at an imported network.

    %y = graph.relu %x          nn.relu(%x)
    %y = graph.conv %x, %w …    nn.conv2d(%x, %w, …)
    %y = graph.rescale %x …     graph.rescale(%x, …)

Operations that an operator of relay makes as they are get its name (`raised_calls`); others keep theirs, and their
properties as attributes. A call of one of these with other arguments is the same operation of other operands.
"""

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.errors import UnsupportedError
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var
from s2s.tvm.relay.function import Function, GlobalVar
from s2s.tvm.relay.graph_calls import GraphCall, GraphCalls
from s2s.tvm.relay.operators import BY_OPERATION, OPERATORS, Call, Op, fields_of
from s2s.tvm.relay.raised_calls import raised
from s2s.types.dtypes import as_tensor_type, from_dense
from s2s.types.weights import WeightStore


def functions_of(module: ModuleOp, weights: WeightStore) -> dict[GlobalVar, Function]:
    """Return the functions of a module."""
    functions: dict[GlobalVar, Function] = {}
    for op in module.ops:
        if isinstance(op, FuncOp):
            var = GlobalVar(op.sym_name.data)
            var.expansion = functions[var] = _function(op, weights)
    return functions


def _function(op: FuncOp, weights: WeightStore) -> Function:
    block = op.body.block
    attributes = list(op.arg_attrs or [DictionaryAttr({})] * len(block.args))
    params = [
        Var(_name(attribute, f"p{number}"), as_tensor_type(argument.type))
        for number, (argument, attribute) in enumerate(zip(block.args, attributes, strict=True))
    ]
    values: dict[SSAValue, Expr] = dict(zip(block.args, params, strict=True))
    for each in block.ops:
        if isinstance(each, ReturnOp):
            outputs = [values[value] for value in each.operands]
            return Function(params, outputs[0] if len(outputs) == 1 else Tuple(outputs))
        values.update(zip(each.results, _results(each, values, weights), strict=True))
    raise UnsupportedError(f"relay: {op.sym_name.data} does not return; read mod.module instead")


def _name(attributes: DictionaryAttr, otherwise: str) -> str:
    name = attributes.data.get("name")
    return name.data if isinstance(name, StringAttr) else otherwise


def _results(op: Operation, values: dict[SSAValue, Expr], weights: WeightStore) -> Sequence[Expr]:
    """The expressions of the results of an operation."""
    if isinstance(op, graph.WeightOp):
        constant = Constant(weights.get(op.weight_name.data))
        constant.name_hint = op.weight_name.data
        return [constant]
    if isinstance(op, graph.ConstantOp):
        return [Constant(from_dense(op.value))]
    if not isinstance(op, GraphOp) or op.regions:
        raise UnsupportedError(f"relay: {op.name} has no form as an expression; read mod.module instead")
    args = [values[value] for value in op.operands]
    name = BY_OPERATION.get(type(op))
    if name is not None and not op.properties:
        return [Call(OPERATORS[name], args)]
    if (known := raised(op, args)) is not None:
        return [known]
    call = Call(Op(op.name, partial(_again, op)), args, op.properties, names=())
    return fields_of(call) if len(op.results) > 1 else [call]


def _again(op: GraphOp, *args: Expr, **_: object) -> Expr:
    """The operation of other operands."""
    build = rebuilding(op)
    if len(op.results) == 1:
        return GraphCall(build, args, {})
    return Tuple(GraphCalls(build, args, {}).results)


def rebuilding(op: GraphOp) -> Callable[..., Operation]:
    """The function that makes an operation of other operands of the same types."""

    def build(*operands: SSAValue) -> Operation:
        made = op.clone()
        made.operands = list(operands)
        return made

    build.__dict__["name"] = op.name
    return build
