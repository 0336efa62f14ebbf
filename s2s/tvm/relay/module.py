"""`IRModule`: a network at graph level and the values of its constants, under TVM's names."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast, overload

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import graph
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.model import GraphModel, Resize
from s2s.support.files import write_file
from s2s.tvm.relay.expr import Expr, const, written
from s2s.tvm.relay.function import Function, GlobalVar, bind, free_vars
from s2s.tvm.relay.lowering import Lowered, built
from s2s.tvm.relay.raising import functions_of
from s2s.tvm.relay.text.printer import text_of_module
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, type_of_array
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

_C_NAME = "network"
"""What C calls a network without a name."""


class IRModule:
    """Functions by name, of which `main` is the network.

    A module of expressions is lowered to the graph level when that is asked for; of a network at graph level, functions
    are read back. Whoever sets a function works on expressions from then on.
    """

    def __init__(
        self,
        functions: Mapping[str, Function] | Mapping[GlobalVar, Function] | None = None,
        type_definitions: Mapping[object, object] | None = None,
        attrs: Mapping[str, object] | None = None,
    ) -> None:
        if type_definitions:
            raise UnsupportedError("IRModule: type_definitions: there are no algebraic data types; leave them out")
        self.attrs = dict(attrs or {})
        self._functions: dict[GlobalVar, Function] | None = {}
        self._lowered: Lowered | None = None
        for name, function in (functions or {}).items():
            self[name] = function

    @staticmethod
    def of(module: ModuleOp, weights: WeightStore | None = None, resize: Resize | None = None) -> "IRModule":
        """The module of a network at graph level and the values of its constants; `resize` reads it with other sizes,
        where some vary."""
        made = IRModule()
        made._functions, made._lowered = None, Lowered(module, weights or WeightStore(), resize)
        return made

    @staticmethod
    def from_expr(
        expr: Expr,
        functions: Mapping[str, Function] | Mapping[GlobalVar, Function] | None = None,
        type_defs: Mapping[object, object] | None = None,
    ) -> "IRModule":
        """The network that `expr` is; its variables become the parameters of `main`, in the order it reads them."""
        made = IRModule(functions, type_defs)
        made["main"] = expr if isinstance(expr, Function) else Function(free_vars(expr), expr)
        return made

    @property
    def is_written(self) -> bool:
        """Whether a program has made its functions, which are not read back from the graph level."""
        return self._functions is not None

    @property
    def functions(self) -> dict[GlobalVar, Function]:
        """The functions by their global variables."""
        if self._functions is None:
            self._functions = functions_of(self.module, self.weights)
        return self._functions

    def __getitem__(self, var: str | GlobalVar) -> Function:
        """The function of a name."""
        return self.functions[self.get_global_var(var if isinstance(var, str) else var.name_hint)]

    def __setitem__(self, var: str | GlobalVar, val: Expr) -> None:
        """Add a function, or replace the one of this name."""
        functions, name = self.functions, GlobalVar(var) if isinstance(var, str) else var
        function = val if isinstance(val, Function) else Function(free_vars(val), val)
        self._lowered = None
        name.expansion = function
        functions.pop(name, None)
        functions[name] = function

    def __contains__(self, var: str | GlobalVar) -> bool:
        return GlobalVar(var if isinstance(var, str) else var.name_hint) in self.functions

    def get_global_var(self, name: str) -> GlobalVar:
        """The global variable of a function."""
        for var in self.functions:
            if var.name_hint == name:
                return var
        names = ", ".join(each.name_hint for each in self.functions)
        raise InputError(f"mod[{name!r}]: the module has {names or 'no functions'}; ask for one of these")

    def get_global_vars(self) -> list[GlobalVar]:
        """The global variables of all functions."""
        return list(self.functions)

    def update(self, other: "IRModule | Mapping[GlobalVar, Function]") -> None:
        """Add the functions of another module, and replace functions of the same names."""
        for var, function in (other.functions if isinstance(other, IRModule) else other).items():
            self[var] = function

    def update_func(self, var: GlobalVar, func: Function) -> None:
        """Replace a function."""
        self[var] = func

    def with_attr(self, attr_key: str, attr_value: object) -> "IRModule":
        """The module with a further attribute."""
        made = self.clone()
        made.attrs[attr_key] = attr_value
        return made

    @property
    def lowered(self) -> Lowered:
        """The network at graph level."""
        if self._lowered is None:
            main = self.functions.get(GlobalVar("main"))
            self._lowered = Lowered(ModuleOp([]), WeightStore()) if main is None else built(self._linked(main))
        return self._lowered

    def _linked(self, function: Function) -> Function:
        """The function with the functions that the module has now where it calls them."""
        names = [each for each in written(function) if isinstance(each, GlobalVar)]
        return cast("Function", bind(function, [(each, self[each]) for each in names]))

    @property
    def module(self) -> ModuleOp:
        """The operations of the graph level; a module that changes them reads its functions back from them."""
        return self.lowered.module

    @property
    def weights(self) -> WeightStore:
        """The values of constants at graph level."""
        return self.lowered.weights

    @property
    def resize(self) -> Resize | None:
        """Reads the network with other sizes, where some vary."""
        return self.lowered.resize

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
        """The module as text in Relay's syntax, constants as metadata behind it; `str(mod.module)` is MLIR's."""
        return text_of_module(self.functions, show_meta_data)

    def __str__(self) -> str:
        return self.astext(show_meta_data=False)

    def walk(self) -> Iterator[object]:
        """The expressions of its functions, or its operations where it was imported."""
        if not self.is_written:
            return self.module.walk()
        return (each for function in self.functions.values() for each in written(function))

    def clone(self) -> "IRModule":
        """A copy that may be changed."""
        if self._functions is not None:
            return IRModule(self._functions, attrs=self.attrs)
        return IRModule.of(self.module.clone(), self.weights.copy(), self.resize)

    def lowered_clone(self) -> "IRModule":
        """A copy whose operations of the graph level may be changed."""
        return IRModule.of(self.module.clone(), self.weights.copy(), self.resize)

    def same_as(self, other: object) -> bool:
        """Whether both are one object."""
        return self is other

    def save(self, path: str | Path) -> None:
        """Write the text of the graph level."""
        write_file(path, str(self.module))


def empty() -> IRModule:
    """A network without inputs and outputs, which an empty module stands for."""
    block = Block()
    block.add_op(ReturnOp())
    return IRModule.of(ModuleOp([FuncOp("main", ([], []), Region(block))]))


@overload
def bind_params_by_name(func: Function, params: Mapping[str, Array]) -> Function: ...
@overload
def bind_params_by_name(func: IRModule, params: Mapping[str, Array]) -> IRModule: ...
def bind_params_by_name(func: Function | IRModule, params: Mapping[str, Array]) -> Function | IRModule:
    """The function, or a module with its function `main`, in which parameters that `params` names are constants; the
    constants of a module are replaced too."""
    if isinstance(func, Function):
        values = [(var, const(np.asarray(params[var.name_hint]))) for var in func.params if var.name_hint in params]
        others = [var for var in func.params if var.name_hint not in params]
        return Function(others, bind(func.body, values), None, None, func.attrs)
    return _with_params(func, params)


def _with_params(mod: IRModule, params: Mapping[str, Array]) -> IRModule:
    bound = mod.lowered_clone()
    if bound.is_empty:
        return bound
    main = function_named(bound.module, "main")
    if main is None:
        raise InputError("bind_params_by_name: the module has no main; add the function")
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
    return IRModule.of(bound.module, weights, bound.resize if len(kept) == len(arguments) else None)


def _checked(name: str, argument: SSAValue, weights: WeightStore) -> AnyTensor:
    found, wanted = type_of_array(weights.get(name)), as_tensor_type(argument.type)
    if found != wanted:
        raise InputError(f"parameter {name!r}: params hold {found}, the network wants {wanted}; convert it")
    return found
