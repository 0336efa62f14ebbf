"""Patterns of expressions of relay, under TVM's names.

    conv = is_op("nn.conv2d")(wildcard(), is_constant())
    layer = conv.optional(lambda x: is_op("nn.relu")(x))
    layer.match(expr)

A pattern object that stands in several places matches one expression in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.operators import Op


class DFPattern:
    """A pattern; `inner` are the patterns that it is made of."""

    partitioned: Callable[..., Expr]
    """Puts functions in the place of matches; `rewriting` sets it."""
    matched: Callable[[DFPattern, Expr], bool]
    """Whether a pattern matches an expression; `matching` sets it."""

    def __init__(self, *inner: DFPattern) -> None:
        self.inner = inner

    def __call__(self, *args: DFPattern | None) -> CallPattern:
        """A call of what the pattern matches, of these arguments; of any for None."""
        arguments = [arg for arg in args if arg is not None]
        return CallPattern(self, None if args == (None,) else arguments)

    def __or__(self, other: DFPattern) -> AltPattern:
        return AltPattern(self, other)

    def __add__(self, other: DFPattern) -> CallPattern:
        return is_op("add")(self, other)

    def __sub__(self, other: DFPattern) -> CallPattern:
        return is_op("subtract")(self, other)

    def __mul__(self, other: DFPattern) -> CallPattern:
        return is_op("multiply")(self, other)

    def __truediv__(self, other: DFPattern) -> CallPattern:
        return is_op("divide")(self, other)

    def has_attr(self, attrs: Mapping[str, object]) -> AttrPattern:
        """The pattern of calls, operators or functions with these attributes."""
        return AttrPattern(self, attrs)

    def has_type(self, ttype: object) -> TypePattern:
        """The pattern of expressions of a type."""
        return TypePattern(self, ttype)

    def has_dtype(self, dtype: str) -> DataTypePattern:
        """The pattern of tensors of an element type."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[int]) -> ShapePattern:
        """The pattern of tensors of a shape."""
        return ShapePattern(self, shape)

    def optional(self, option_constructor: Callable[[DFPattern], DFPattern]) -> AltPattern:
        """The pattern, or what the function makes of it where that matches."""
        return AltPattern(option_constructor(self), self)

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DominatorPattern:
        """The pattern behind `parent`, where all ways between both match `path`."""
        return DominatorPattern(parent, wildcard() if path is None else path, self)

    def match(self, expr: Expr) -> bool:
        """Whether the pattern matches an expression."""
        return DFPattern.matched(self, expr)

    def partition(
        self, expr: Expr, attrs: Mapping[str, object] | None = None, check: Callable[[Expr], bool] = lambda x: True
    ) -> Expr:
        """The expression with calls of functions in the place of all matches for which `check` holds."""
        return DFPattern.partitioned(self, expr, attrs, check)


class WildcardPattern(DFPattern):
    """Matches everything, or once it is redirected what another pattern matches."""

    def redirect_to(self, pat: DFPattern) -> None:
        """Let the pattern stand for another one, which may contain it."""
        self.inner = (pat,)


class VarPattern(DFPattern):
    """Matches a variable, of a name or of any."""

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name


class ConstantPattern(DFPattern):
    """Matches a constant."""


class ExprPattern(DFPattern):
    """Matches expressions that are equal to one."""

    def __init__(self, expr: Expr) -> None:
        super().__init__()
        self.expr = expr


class CallPattern(DFPattern):
    """Matches a call; without arguments, of any."""

    def __init__(self, op: DFPattern, args: Sequence[DFPattern] | None) -> None:
        super().__init__(op, *(args or ()))
        self.op, self.args = op, None if args is None else tuple(args)


class FunctionPattern(DFPattern):
    """Matches a function by its parameters and its body."""

    def __init__(self, params: Sequence[DFPattern] | None, body: DFPattern) -> None:
        super().__init__(*(params or ()), body)
        self.params, self.body = None if params is None else tuple(params), body


class TuplePattern(DFPattern):
    """Matches a tuple; without fields, any."""

    def __init__(self, fields: Sequence[DFPattern] | None) -> None:
        super().__init__(*(fields or ()))
        self.fields = None if fields is None else tuple(fields)


class TupleGetItemPattern(DFPattern):
    """Matches a field of a tuple; without an index, any."""

    def __init__(self, tuple: DFPattern, index: int | None = None) -> None:
        super().__init__(tuple)
        self.tuple, self.index = tuple, index


class IfPattern(DFPattern):
    """Matches a choice."""

    def __init__(self, cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> None:
        super().__init__(cond, true_branch, false_branch)
        self.cond, self.true_branch, self.false_branch = cond, true_branch, false_branch


class LetPattern(DFPattern):
    """Matches a value with a name: the name, the value and the body."""

    def __init__(self, var: DFPattern, value: DFPattern, body: DFPattern) -> None:
        super().__init__(var, value, body)
        self.var, self.value, self.body = var, value, body


class AltPattern(DFPattern):
    """Matches what one of two patterns matches; the first is tried before."""


class AttrPattern(DFPattern):
    """Matches what the pattern matches, with attributes."""

    def __init__(self, pattern: DFPattern, attrs: Mapping[str, object]) -> None:
        super().__init__(pattern)
        self.attrs = dict(attrs)


class TypePattern(DFPattern):
    """Matches what the pattern matches, of a type."""

    def __init__(self, pattern: DFPattern, ttype: object) -> None:
        super().__init__(pattern)
        self.type = ttype


class DataTypePattern(DFPattern):
    """Matches what the pattern matches, of an element type."""

    def __init__(self, pattern: DFPattern, dtype: str) -> None:
        super().__init__(pattern)
        self.dtype = dtype


class ShapePattern(DFPattern):
    """Matches what the pattern matches, of a shape."""

    def __init__(self, pattern: DFPattern, shape: Sequence[int]) -> None:
        super().__init__(pattern)
        self.shape = tuple(shape)


class DominatorPattern(DFPattern):
    """Matches `child` where all ways from it to `parent` match `path`, and nothing outside reads what is between."""

    def __init__(self, parent: DFPattern, path: DFPattern, child: DFPattern) -> None:
        super().__init__(parent, path, child)
        self.parent, self.path, self.child = parent, path, child


def is_var(name: str = "") -> VarPattern:
    """The pattern of a variable."""
    return VarPattern(name)


def is_constant() -> ConstantPattern:
    """The pattern of a constant."""
    return ConstantPattern()


def is_expr(expr: Expr) -> ExprPattern:
    """The pattern of expressions that are equal to `expr`."""
    return ExprPattern(expr)


def is_op(op_name: str) -> ExprPattern:
    """The pattern of an operator."""
    return ExprPattern(Op.get(op_name))


def is_tuple(fields: Sequence[DFPattern] | None = None) -> TuplePattern:
    """The pattern of a tuple."""
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """The pattern of a field of a tuple."""
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> IfPattern:
    """The pattern of a choice."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> LetPattern:
    """The pattern of a value with a name."""
    return LetPattern(var, value, body)


def wildcard() -> WildcardPattern:
    """The pattern that matches everything."""
    return WildcardPattern()


def has_type(ttype: object, pattern: DFPattern | None = None) -> TypePattern:
    """The pattern of expressions of a type."""
    return (pattern or wildcard()).has_type(ttype)


def has_dtype(dtype: str, pattern: DFPattern | None = None) -> DataTypePattern:
    """The pattern of tensors of an element type."""
    return (pattern or wildcard()).has_dtype(dtype)


def has_shape(shape: Sequence[int], pattern: DFPattern | None = None) -> ShapePattern:
    """The pattern of tensors of a shape."""
    return (pattern or wildcard()).has_shape(shape)


def has_attr(attrs: Mapping[str, object], pattern: DFPattern | None = None) -> AttrPattern:
    """The pattern of expressions with attributes."""
    return (pattern or wildcard()).has_attr(attrs)


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DominatorPattern:
    """The pattern of `child` behind `parent`, where all ways between both match `path`."""
    return DominatorPattern(parent, path, child)


class DFPatternCallback:
    """What is put in the place of matches: a program's class sets `pattern` and defines `callback`."""

    rewritten: Callable[[DFPatternCallback, Expr], Expr]
    """Puts results of the callback in the place of matches; `rewriting` sets it."""

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.pattern: DFPattern | None = None
        self.require_type, self.rewrite_once = require_type, rewrite_once

    def rewrite(self, expr: Expr) -> Expr:
        """The expression with the results of `callback` in the place of matches."""
        return DFPatternCallback.rewritten(self, expr)

    def callback(self, pre: Expr, post: Expr, node_map: Mapping[DFPattern, Sequence[Any]]) -> Expr:
        """Return the expression in the place of a match: `pre` is the match, `post` the match with rewritten arguments,
        `node_map` has the expressions of each pattern."""
        raise InputError(f"{type(self).__name__}.callback: is not defined; define it in the class")
