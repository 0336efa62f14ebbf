"""`IRModule`: a network at graph level and the values of its constants, under TVM's names."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.model import GraphModel, Resize
from s2s.support.files import write_file
from s2s.tvm.relay.annotation import annotate, annotated_calls
from s2s.tvm.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    MultiCall,
    OnDevice,
    Result,
    free_vars,
    operator_name,
    post_order,
)
from s2s.tvm.relay.formula import Formula
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, type_of_array
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

_C_NAME = "network"
"""What C calls a network without a name."""


class IRModule:
    """Functions at graph level, of which `main` is the network, and the values of its constants."""

    def __init__(
        self, module: ModuleOp | None = None, weights: WeightStore | None = None, resize: Resize | None = None
    ) -> None:
        self.module = module if module is not None else ModuleOp([])
        self.resize = resize
        """Reads the network with other sizes, where some vary."""
        self.weights = weights if weights is not None else WeightStore()

    @staticmethod
    def from_expr(expr: Expr | Function, functions: object = None) -> "IRModule":
        """The network that `expr` is; its variables become the parameters of `main`, in the order it reads them."""
        function = expr if isinstance(expr, Function) else Function(free_vars(expr), expr)
        return _built(function)

    def __getitem__(self, name: str) -> FuncOp:
        """The function of a name."""
        found = function_named(self.module, name)
        if found is None:
            names = ", ".join(op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp))
            raise InputError(f"mod[{name!r}]: the module has {names or 'no functions'}; ask for one of these")
        return found

    def __contains__(self, name: str) -> bool:
        return function_named(self.module, name) is not None

    @property
    def params(self) -> dict[str, Array]:
        """The values of its constants by name."""
        return {name: self.weights.get(name) for name in self.weights.names()}

    @property
    def is_empty(self) -> bool:
        """Whether it holds no function."""
        return not list(self.module.ops)

    def as_model(self, name: str | None = None) -> GraphModel:
        """Return the network as the compiler reads it, with its own parameters; C calls it `name`."""
        module = empty() if self.is_empty else self
        return GraphModel(module.module, module.params, name or _C_NAME, module.resize)

    def astext(self, show_meta_data: bool = True, annotate: None = None) -> str:
        """The module as text in MLIR's syntax, which has no metadata that could be left out."""
        return str(self.module)

    def __str__(self) -> str:
        return self.astext()

    def clone(self) -> "IRModule":
        """A copy that may be changed."""
        return IRModule(self.module.clone(), self.weights.copy(), self.resize)

    def save(self, path: str | Path) -> None:
        """Write the text of the module."""
        write_file(path, self.astext())


def empty() -> IRModule:
    """A network without inputs and outputs, which an empty module stands for."""
    block = Block()
    block.add_op(ReturnOp())
    return IRModule(ModuleOp([FuncOp("main", ([], []), Region(block))]))


def bind_params_by_name(mod: IRModule, params: Mapping[str, Array]) -> IRModule:
    """The module with the parameters of `main` that `params` names as constants, and its constants replaced."""
    bound = mod.clone()
    if bound.is_empty:
        return bound
    main = bound["main"]
    block, weights = main.body.block, WeightStore()
    for name, value in {**mod.params, **params}.items():
        weights.add(name, value)
    kept: list[int] = []
    attributes = list(main.arg_attrs or [DictionaryAttr({})] * len(block.args))
    for number, argument in enumerate(list(block.args)):
        name = attributes[number].data.get("name")
        if not isinstance(name, StringAttr) or name.data not in params:
            kept.append(number)
            continue
        op = graph.WeightOp(name.data, _checked(name.data, argument, weights), weights.hash(name.data))
        Rewriter.insert_op(op, InsertPoint.at_start(block))
        op.y.name_hint = argument.name_hint
        argument.replace_all_uses_with(op.y)
    arguments = list(block.args)
    for number in reversed(range(len(arguments))):
        if number not in kept:
            block.erase_arg(arguments[number])
    main.arg_attrs = ArrayAttr([attributes[number] for number in kept])
    main.update_function_type()
    for op in bound.module.walk():
        if isinstance(op, graph.WeightOp) and op.weight_name.data in weights:
            op.hash = StringAttr(weights.hash(op.weight_name.data))
    return IRModule(bound.module, weights, bound.resize if len(kept) == len(arguments) else None)


def _checked(name: str, argument: SSAValue, weights: WeightStore) -> AnyTensor:
    found, wanted = type_of_array(weights.get(name)), as_tensor_type(argument.type)
    if found != wanted:
        raise InputError(f"parameter {name!r}: params hold {found}, the network wants {wanted}; convert it")
    return found


def _built(function: Function) -> IRModule:
    """The operations of a function, made by the builder that importers use."""
    weights = WeightStore()
    block = Block(arg_types=[each.checked_type for each in function.params])
    builder = Builder(block, weights)
    values: dict[int, Value] = {}
    for parameter, argument in zip(function.params, block.args, strict=True):
        values[id(parameter)] = builder.computed(argument, parameter.name_hint)
    nodes: dict[int, str] = {}
    outputs = emitted(builder, function.outputs, values, nodes)
    block.add_op(ReturnOp(*outputs))
    kinds = [argument.type for argument in block.args], [output.type for output in outputs]
    main = FuncOp("main", kinds, Region(block))
    main.arg_attrs = _names([each.name_hint for each in function.params])
    main.res_attrs = _names([f"output{number}" if number else "output" for number in range(len(outputs))])
    annotate(main, {nodes[call]: device for call, device in annotated_calls(function.outputs).items()})
    return IRModule(ModuleOp([main]), weights)


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
        elif isinstance(expr, Call | MultiCall):
            builder.node = prefix or _numbered(operator_name(expr), counts)
            if nodes is not None:
                nodes[id(expr)] = builder.node
            if isinstance(expr, Call):
                values[id(expr)] = builder.emit(expr.build, *_arguments(expr, values), **expr.properties)
            else:
                results[id(expr)] = builder.emit_all(expr.build, *_arguments(expr, values), **expr.properties)
    return [builder.materialize(values[id(each)]) for each in roots]


def _numbered(name: str, counts: dict[str, int]) -> str:
    """The name of the next node of an operator."""
    counts[name] = counts.get(name, -1) + 1
    return f"{name}_{counts[name]}"


def _arguments(expr: Call | MultiCall, values: Mapping[int, Value]) -> list[Value | list[Value] | None]:
    """The operands of an operation; None stands for one that is left out."""
    return [
        None if each is None else values[id(each)] if isinstance(each, Expr) else [values[id(one)] for one in each]
        for each in expr.arguments
    ]


def _names(names: Sequence[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"name": StringAttr(name)}) for name in names])
