"""Print expressions and modules in Relay's text format.

    def @main(%x: Tensor[(1, 3), float32]) -> Tensor[(1, 3), float32] {
      %0 = nn.relu(%x);
      add(%0, %0)
    }

Each call gets a number, and the last one stands at the end. Constants other than plain numbers are entries of the
metadata behind the text, by which it can be read again.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Attribute

from s2s.tvm.relay.expr import Constant, Expr, OnDevice, Tuple, Var, post_order
from s2s.tvm.relay.function import Function, GlobalVar, If, Let, free_vars
from s2s.tvm.relay.graph_calls import operator_name
from s2s.tvm.relay.operators import Call, Op, TupleGetItem
from s2s.types.dtypes import Array

VERSION = '#[version = "0.0.5"]'
SUFFIXES = {"float32": "f", "float64": "f64", "float16": "f16", "int32": "", "int64": "i64", "int8": "i8"}
"""What is written behind a number of a type."""


def text_of(expr: Expr, show_meta_data: bool = True) -> str:
    """Return the text of an expression; variables that nothing binds are declared first."""
    printer = Printer()
    declared = [f"free_var {printer.parameter(each)};" for each in free_vars(expr)]
    text = "\n".join([*declared, *printer.lines(expr)])
    return text + (printer.metadata() if show_meta_data else "")


def text_of_module(functions: Mapping[GlobalVar, Function], show_meta_data: bool = True) -> str:
    """Return the text of a module."""
    printer = Printer()
    texts = [printer.function(each, f"def @{var.name_hint}") for var, each in functions.items()]
    return "\n\n".join([VERSION, *texts]) + "\n" + (printer.metadata() if show_meta_data else "")


def canonical_text(expr: Expr, free: Mapping[int, str]) -> str:
    """Return a text that is equal for expressions that differ in the names of variables they bind; `free` names the
    others by identity."""
    printer = Printer(dict(free), is_canonical=True)
    return "\n".join(printer.lines(expr)) + printer.metadata()


class Printer:
    """Names variables, numbers calls, and collects constants."""

    def __init__(self, names: dict[int, str] | None = None, *, is_canonical: bool = False) -> None:
        self.names: dict[int, str] = names or {}
        self.constants: list[Array] = []
        self.is_canonical = is_canonical
        self.count = 0
        self._kept: list[Expr] = []
        """Expressions that are named by their identity."""

    def lines(self, expr: Expr) -> list[str]:
        """The statements of an expression, the last of which is its value."""
        if isinstance(expr, Function):
            return self.function(expr, "fn ").split("\n")
        before = [expr.value] if isinstance(expr, Let) and not _is_numbered(expr.value) else _in_scope(expr)
        if isinstance(expr, Let) and _is_numbered(expr.value):
            before = _in_scope(expr.value)
        statements = [each for part in post_order(*before, children=_in_scope) for each in self._statement(part)]
        if isinstance(expr, Let):
            return [*statements, f"let {self.name(expr.var)} = {self.value(expr.value)};", *self.lines(expr.body)]
        return [*statements, self.value(expr)]

    def _statement(self, expr: Expr) -> list[str]:
        """The statement that numbers a call."""
        if id(expr) in self.names or not _is_numbered(expr):
            return []
        value = self.value(expr)
        self.names[id(expr)] = f"%{self.count}"
        self._kept.append(expr)
        self.count += 1
        return [f"{self.names[id(expr)]} = {value};"]

    def value(self, expr: Expr) -> str:
        """The text of an expression whose operands have been numbered."""
        if (name := self.names.get(id(expr))) is not None:
            return name
        match expr:
            case Var():
                return self.name(expr)
            case Constant():
                return self._constant(expr.value)
            case Op():
                return expr.name
            case GlobalVar():
                return f"@{expr.name_hint}"
            case Tuple():
                return f"({', '.join(map(self.value, expr.fields))}{',' if len(expr.fields) == 1 else ''})"
            case TupleGetItem():
                return f"{self.value(expr.tuple_value)}.{expr.index}"
            case _:
                return self._computed(expr)

    def _computed(self, expr: Expr) -> str:
        match expr:
            case Call():
                return f"{self.value(expr.op)}({', '.join(self._arguments(expr))})"
            case If():
                branches = [_block(self.lines(each)) for each in (expr.true_branch, expr.false_branch)]
                return f"if ({self.value(expr.cond)}) {branches[0]} else {branches[1]}"
            case OnDevice():
                return f'on_device({self.value(expr.value)}, device="{expr.device}")'
            case Function():
                return self.function(expr, "fn ")
            case Let():
                return _block(self.lines(expr))
            case _:
                return f"graph.{operator_name(expr)}({', '.join(map(self.value, expr.operands))})"

    def function(self, function: Function, head: str) -> str:
        """The text of a function, behind `fn` or `def @name`."""
        params = ", ".join(self.parameter(each) for each in function.params)
        attrs = "".join(f", {key}={literal(value)}" for key, value in sorted(function.attrs.items()))
        return f"{head}({params}{attrs}) -> {function.ret_type} {_block(self.lines(function.body))}"

    def parameter(self, var: Var) -> str:
        """The name of a variable with its type."""
        return f"{self.name(var)}: {var.checked_type}" if var.is_typed else self.name(var)

    def name(self, var: Var) -> str:
        """The name of a variable, which differs from the names of others."""
        if id(var) not in self.names:
            taken = set(self.names.values())
            wanted = "p" if self.is_canonical else "".join(c if c.isalnum() or c == "_" else "_" for c in var.name_hint)
            wanted = wanted if wanted[:1].isalpha() or wanted[:1] == "_" else f"v{wanted}"
            numbers = (f"%{wanted}{number or ''}" for number in range(len(taken) + 1))
            self.names[id(var)] = next(each for each in numbers if each not in taken)
            self._kept.append(var)
        return self.names[id(var)]

    def _arguments(self, call: Call) -> Iterator[str]:
        tensors = call.op.tensors if isinstance(call.op, Op) else []
        in_order = list(call.names) == tensors[: len(call.names)] or not call.names
        for number, each in enumerate(call.args):
            yield self.value(each) if in_order else f"{call.names[number]}={self.value(each)}"
        for key, value in call.attrs.items():
            if not (isinstance(call.op, Op) and call.op.is_default(key, value, literal)):
                yield f"{key}={literal(value)}"

    def _constant(self, value: Array) -> str:
        suffix = SUFFIXES.get(str(value.dtype))
        if value.shape == () and value.dtype == np.bool_:
            return str(bool(value))
        if value.shape == () and suffix is not None and np.isfinite(value):
            return f"{str(value[()]).removesuffix('.0')}{suffix}"
        number = next((at for at, each in enumerate(self.constants) if _same(each, value)), len(self.constants))
        self.constants[number:] = [value] if number == len(self.constants) else self.constants[number:]
        return f"meta[relay.Constant][{number}]"

    def metadata(self) -> str:
        """The constants as text behind the text of the expression."""
        if not self.constants:
            return ""
        entries = [
            {"dtype": str(each.dtype), "shape": list(each.shape), "data": base64.b64encode(each.tobytes()).decode()}
            for each in self.constants
        ]
        return "\n#[metadata]\n" + json.dumps({"relay.Constant": entries}, indent=1)


def _same(first: Array, second: Array) -> bool:
    is_like = (first.dtype, first.shape) == (second.dtype, second.shape)
    return is_like and first.tobytes() == second.tobytes()


def _in_scope(expr: Expr) -> Sequence[Expr]:
    """What is numbered before an expression is written, in the same block."""
    if isinstance(expr, Function | Let):
        return ()
    return (expr.cond,) if isinstance(expr, If) else expr.children


def _is_numbered(expr: Expr) -> bool:
    return not isinstance(expr, Var | Constant | Op | GlobalVar | Tuple | TupleGetItem)


def _block(lines: list[str]) -> str:
    return "\n".join(["{", *(f"  {part}" for line in lines for part in line.split("\n")), "}"])


def literal(value: object) -> str:
    """The text of an attribute."""
    if isinstance(value, np.generic):
        return literal(cast("object", value.item()))
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(each) for each in cast('list[object]', value))}]"
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{repr(value).removesuffix('.0')}f"
    if isinstance(value, int):
        return str(value)
    return json.dumps(str(value) if isinstance(value, Attribute | str) else repr(value))


Expr.printed = text_of
