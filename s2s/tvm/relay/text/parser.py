"""Read expressions and modules from Relay's text format.

    module = tvm.parser.fromtext(module.astext())

Numbered values may be read anywhere behind their statement, in inner blocks, too.
"""

import base64
import json
from collections.abc import Callable
from typing import cast

import numpy as np

from s2s.tvm.relay import op
from s2s.tvm.relay.annotation import on_device
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var, const
from s2s.tvm.relay.function import Function, GlobalVar, If, Let, name_value
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.operators import Call, Op, TupleGetItem, as_tuple
from s2s.tvm.relay.text.tokens import Tokens
from s2s.tvm.relay.ty import FuncType, TensorType, TupleType, Type

DTYPES = {
    "f64": "float64",
    "f16": "float16",
    "f": "float32",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u8": "uint8",
}
"""The types of numbers by what stands behind them."""
PRECEDENCE: dict[str, tuple[int, Callable[..., Expr]]] = {
    "==": (1, op.equal),
    "!=": (1, op.not_equal),
    "<": (1, op.less),
    "<=": (1, op.less_equal),
    ">": (1, op.greater),
    ">=": (1, op.greater_equal),
    "+": (2, op.add),
    "-": (2, op.subtract),
    "*": (3, op.multiply),
    "/": (3, op.divide),
}
"""How tightly operators between two expressions bind, and what they mean."""


class Parser:
    """Reads the tokens of a text."""

    def __init__(self, text: str, where: str) -> None:
        self.tokens = Tokens(text, where)
        self.values: dict[str, Expr] = {}
        self.globals: dict[str, GlobalVar] = {}

    def module(self) -> IRModule:
        """The module of a text of definitions."""
        module = IRModule()
        while self.tokens.accept("def"):
            var = self._global(self.tokens.take("global"))
            module[var] = self._function()
        self.end()
        return module

    def end(self) -> None:
        """Refuse what stands behind the end."""
        if self.tokens.next.kind != "end":
            raise self.tokens.invalid(f"{self.tokens.next.text!r} behind the end")

    def body(self) -> Expr:
        """Statements, and the expression that they are for."""
        lets: list[tuple[Var, Expr]] = []
        while True:
            if self.tokens.accept("let"):
                var = self._parameter()
                self.tokens.expect("=")
                lets.append((var, self.expression()))
                name_value(*lets[-1])
            elif self.tokens.accept("free_var"):
                self._parameter()
            elif self.tokens.next.kind == "local" and self.tokens.peek(1) == "=":
                name = self.tokens.take()
                self.tokens.expect("=")
                self.values[name] = self.expression()
            else:
                break
            self.tokens.expect(";")
        value = self.expression()
        for var, bound in reversed(lets):
            value = Let(var, bound, value)
        return value

    def expression(self, level: int = 1) -> Expr:
        """An expression with operators that bind at least as tightly as `level`."""
        left = self._postfix()
        while (entry := PRECEDENCE.get(self.tokens.next.text)) is not None and entry[0] >= level:
            self.tokens.take()
            left = entry[1](left, self.expression(entry[0] + 1))
        return left

    def _postfix(self) -> Expr:
        value = self._atom()
        while True:
            if self.tokens.accept("."):
                value = TupleGetItem(value, int(self.tokens.take("number")))
            elif self.tokens.next.kind == "number" and self.tokens.next.text.startswith("."):
                value = TupleGetItem(value, int(self.tokens.take()[1:]))
            elif self.tokens.accept("("):
                value = Call(value, self._list(")"))
            else:
                return value

    def _atom(self) -> Expr:
        token = self.tokens.next
        match token.kind:
            case "local":
                return self._local()
            case "global":
                return self._global(self.tokens.take())
            case "number":
                return _number(self.tokens.take())
            case "name":
                return self._named(self.tokens.take())
            case _:
                return self._bracket()

    def _local(self) -> Expr:
        name = self.tokens.take()
        if name not in self.values:
            raise self.tokens.invalid(f"{name} is not defined")
        return self.values[name]

    def _bracket(self) -> Expr:
        if self.tokens.accept("{"):
            value = self.body()
            self.tokens.expect("}")
            return value
        if self.tokens.accept("-"):
            return op.negative(self._postfix())
        self.tokens.expect("(")
        if self.tokens.accept(")"):
            return Tuple([])
        first = self.expression()
        if self.tokens.accept(")"):
            return first
        self.tokens.expect(",")
        return Tuple([first, *self._list(")")])

    def _list(self, end: str) -> list[Expr]:
        values: list[Expr] = []
        while not self.tokens.accept(end):
            values.append(self.expression())
            if not self.tokens.accept(","):
                self.tokens.expect(end)
                break
        return values

    def _named(self, name: str) -> Expr:
        match name:
            case "True" | "False":
                return const(name == "True", "bool")
            case "meta":
                return self._constant()
            case "fn":
                return self._function()
            case "if":
                self.tokens.expect("(")
                cond = self.expression()
                self.tokens.expect(")")
                branches = [self._bracket(), self._bracket() if self.tokens.accept("else") else Tuple([])]
                return If(cond, branches[0], branches[1])
            case _ if self.tokens.accept("("):
                return self._operator(name)
            case _:
                return Op.get(name)

    def _operator(self, name: str) -> Expr:
        """The call of an operator, behind its bracket."""
        if name.startswith("graph."):
            raise self.tokens.invalid(f"{name} is an operation of the dialect graph, which only its own text holds")
        args, attrs = list[Expr](), dict[str, object]()
        while not self.tokens.accept(")"):
            if self.tokens.next.kind == "name" and self.tokens.peek(1) == "=":
                key = self.tokens.take()
                self.tokens.expect("=")
                attrs[key] = self._attribute()
            else:
                args.append(self.expression())
            if not self.tokens.accept(","):
                self.tokens.expect(")")
                break
        if name == "on_device":
            return on_device(args[0], str(attrs["device"]))
        named = {key: value for key, value in attrs.items() if isinstance(value, Expr)}
        rest = {key: value for key, value in attrs.items() if key not in named}
        operator = Op.get(name)
        names = [*operator.tensors[: len(args)], *named]
        return Call(operator, [*args, *named.values()], operator.with_defaults(rest, names), names=names)

    def _attribute(self) -> object:
        """The value of an attribute."""
        if self.tokens.next.kind == "string":
            return json.loads(self.tokens.take())
        if self.tokens.accept("["):
            values: list[object] = []
            while not self.tokens.accept("]"):
                values.append(self._attribute())
                if not self.tokens.accept(","):
                    self.tokens.expect("]")
                    break
            return values
        if self.tokens.next.text in ("None", "True", "False"):
            return {"None": None, "True": True, "False": False}[self.tokens.take()]
        if self.tokens.next.kind == "number" and self.tokens.peek(1) in (",", ")", "]"):
            return _plain(self.tokens.take())[0]
        return self.expression()

    def _constant(self) -> Expr:
        self.tokens.expect("[")
        kind = self.tokens.take("name")
        self.tokens.expect("]")
        self.tokens.expect("[")
        number = int(self.tokens.take("number"))
        self.tokens.expect("]")
        entries = self.tokens.metadata.get(kind, [])
        if number >= len(entries):
            raise self.tokens.invalid(f"meta[{kind}][{number}]: there are {len(entries)} entries of metadata")
        entry = entries[number]
        data = np.frombuffer(base64.b64decode(entry["data"]), np.dtype(entry["dtype"]))
        return Constant(data.reshape(entry["shape"]).copy())

    def _function(self) -> Function:
        self.tokens.expect("(")
        params, attrs = list[Var](), dict[str, object]()
        while not self.tokens.accept(")"):
            if self.tokens.next.kind == "local":
                params.append(self._parameter())
            else:
                key = self.tokens.take("name")
                self.tokens.expect("=")
                attrs[key] = self._attribute()
            if not self.tokens.accept(","):
                self.tokens.expect(")")
                break
        result = self.type() if self.tokens.accept("->") else None
        self.tokens.expect("{")
        body = self.body()
        self.tokens.expect("}")
        function = Function(params, body, result, None, attrs)
        if result is not None and body.checked_type != result:
            raise self.tokens.invalid(f"a function of {result} returns {body.checked_type}")
        return function

    def _parameter(self) -> Var:
        name = self.tokens.take("local")
        var = Var(name[1:], self.type() if self.tokens.accept(":") else None)
        self.values[name] = var
        return var

    def type(self) -> Type | None:
        """A type; None for one that is left open."""
        if self.tokens.accept("_"):
            return None
        if self.tokens.accept("("):
            fields: list[Type] = []
            while not self.tokens.accept(")"):
                fields.append(cast("Type", self.type()))
                if not self.tokens.accept(","):
                    self.tokens.expect(")")
                    break
            return TupleType(fields)
        if self.tokens.accept("fn"):
            arguments = cast("TupleType", self.type())
            self.tokens.expect("->")
            return FuncType(arguments.fields, cast("Type", self.type()))
        name = self.tokens.take("name")
        if name != "Tensor":
            return TensorType((), name)
        self.tokens.expect("[")
        shape = self._shape()
        self.tokens.expect(",")
        dtype = self.tokens.take("name")
        self.tokens.expect("]")
        return TensorType(shape, dtype)

    def _shape(self) -> list[int]:
        sizes: list[int] = []
        self.tokens.expect("(")
        while not self.tokens.accept(")"):
            if self.tokens.next.kind != "number":
                raise self.tokens.invalid(f"size {self.tokens.next.text!r} is no number")
            sizes.append(int(self.tokens.take()))
            self.tokens.accept(",")
        return sizes

    def _global(self, name: str) -> GlobalVar:
        return self.globals.setdefault(name, GlobalVar(name[1:]))


def _plain(text: str) -> tuple[float, str]:
    """A number and its type."""
    suffix = next((each for each in DTYPES if text.endswith(each)), "")
    digits = text.removesuffix(suffix)
    is_real = suffix.startswith("f") or any(mark in digits for mark in ".eE")
    return float(digits) if is_real else int(digits), DTYPES.get(suffix, "float32" if is_real else "int32")


def _number(text: str) -> Constant:
    value, dtype = _plain(text)
    return Constant(np.asarray(value).astype(dtype))


def fromtext(source: str, source_name: str = "from_string") -> IRModule:
    """The module of a text that `astext` has written; an expression becomes its `main`."""
    parser = Parser(source, source_name)
    if parser.tokens.next.text == "def":
        return parser.module()
    return IRModule.from_expr(parse_expr(source))


def parse(source: str, source_name: str = "from_string", init_module: IRModule | None = None) -> IRModule:
    """The module of a text, together with the functions of `init_module`."""
    module = fromtext(source, source_name)
    if init_module is not None:
        module.update(init_module)
    return module


def parse_expr(source: str) -> Expr:
    """The expression of a text."""
    parser = Parser(source, "from_string")
    value = parser.body()
    parser.end()
    return as_tuple(value) if isinstance(value, Tuple) else value
