"""Whether a pattern matches an expression, and which expressions its parts match."""

from collections.abc import Mapping, Sequence
from typing import cast

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.ir.structural import structural_equal
from s2s.tvm.relay.dataflow_pattern import patterns as p
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var, written
from s2s.tvm.relay.function import Function, If, Let
from s2s.tvm.relay.operators import Attrs, Call, Op, TupleGetItem, TupleWrapper
from s2s.tvm.relay.unread_attributes import REFUSED

NodeMap = dict[p.DFPattern, list[Expr]]
COMMUTATIVE = ("add", "multiply")
"""Operators whose arguments match in either order."""


def plain(expr: Expr) -> Expr:
    """The expression itself, of a tuple that a call returns the call."""
    return expr.astuple() if isinstance(expr, TupleWrapper) else expr


def inputs_of(expr: Expr) -> list[Expr]:
    """What an expression is computed from, without functions that are called."""
    return [plain(node) for node in (expr.args if isinstance(expr, Call) else expr.children)]


class Readers:
    """Who reads each expression of a whole one."""

    def __init__(self, root: Expr) -> None:
        self._readers: dict[int, list[Expr]] = {}
        for node in written(root):
            for child in node.children:
                self._readers.setdefault(id(plain(child)), []).append(node)

    def of(self, expr: Expr) -> Sequence[Expr]:
        """The expressions that read `expr`."""
        return self._readers.get(id(expr), ())


class Matcher:
    """Matches patterns in one expression."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._found: list[tuple[p.DFPattern, Expr]] = []
        self._repeats = True

    def match(self, pattern: p.DFPattern, expr: Expr) -> NodeMap | None:
        """What each part of the pattern matches; None where it does not match."""
        self._found.clear()
        if not self._matches(pattern, plain(expr)):
            return None
        matches: NodeMap = {}
        for part, node in self._found:
            matches.setdefault(part, []).append(node)
        return matches

    def _matches(self, pattern: p.DFPattern, expr: Expr) -> bool:
        expr = plain(expr)
        if self._repeats:
            before = next((node for part, node in self._found if part is pattern), None)
            if before is not None:
                return before is expr
        mark = len(self._found)
        if not self._is_like(pattern, expr):
            del self._found[mark:]
            return False
        self._found.append((pattern, expr))
        return True

    def _all(self, patterns: Sequence[p.DFPattern], exprs: Sequence[Expr]) -> bool:
        mark = len(self._found)
        matches = len(patterns) == len(exprs) and all(map(self._matches, patterns, exprs))
        if not matches:
            del self._found[mark:]
        return matches

    def _is_like(self, pattern: p.DFPattern, expr: Expr) -> bool:
        match pattern:
            case p.AltPattern():
                return any(self._matches(node, expr) for node in pattern.inner)
            case p.CallPattern():
                return isinstance(expr, Call) and self._call(pattern, expr)
            case p.DominatorPattern():
                return self._dominator(pattern, expr)
            case p.AttrPattern():
                return self._matches(pattern.inner[0], expr) and _has_attributes(expr, pattern.attrs)
            case p.TypePattern() | p.DataTypePattern() | p.ShapePattern():
                return self._matches(pattern.inner[0], expr) and _has_type(pattern, expr)
            case p.WildcardPattern():
                return all(self._matches(node, expr) for node in pattern.inner)
            case _:
                return _is_leaf(pattern, expr) or self._structure(pattern, expr)

    def _structure(self, pattern: p.DFPattern, expr: Expr) -> bool:
        """Whether an expression that holds others is like a pattern that holds others."""
        match pattern, expr:
            case p.TuplePattern(fields=fields), Tuple():
                return fields is None or self._all(fields, expr.fields)
            case p.TupleGetItemPattern(index=index), TupleGetItem():
                return index in (None, -1, expr.index) and self._matches(pattern.tuple, expr.tuple_value)
            case p.FunctionPattern(params=params), Function():
                return (params is None or self._all(params, expr.params)) and self._matches(pattern.body, expr.body)
            case p.IfPattern(), If():
                return self._all(pattern.inner, expr.children)
            case p.LetPattern(), Let():
                return self._all(pattern.inner, (expr.var, expr.value, expr.body))
            case _:
                return False

    def _call(self, pattern: p.CallPattern, expr: Call) -> bool:
        if not self._matches(pattern.op, expr.op):
            return False
        if pattern.args is None or self._all(pattern.args, expr.args):
            return True
        is_commutative = isinstance(expr.op, Op) and expr.op.name in COMMUTATIVE
        return is_commutative and self._all(pattern.args[::-1], expr.args)

    def _dominator(self, pattern: p.DominatorPattern, expr: Expr) -> bool:
        if not self._matches(pattern.child, expr):
            return False
        between: list[Expr] = []
        try:
            is_path = self._goes_back(pattern, expr, between)
        finally:
            self._repeats = True
        inside = {id(node) for node in (expr, *between)}
        return is_path and all(id(reader) in inside for node in between for reader in self._readers.of(node))

    def _goes_back(self, pattern: p.DominatorPattern, expr: Expr, between: list[Expr]) -> bool:
        """Whether all ways back from an expression match the path until the parent; `between` gets what is on them."""
        for node in inputs_of(expr):
            self._repeats = True
            is_parent = self._matches(pattern.parent, node)
            self._repeats = False
            if not any(node is other for other in between):
                between.append(node)
                if not is_parent and not (
                    self._matches(pattern.path, node) and inputs_of(node) and self._goes_back(pattern, node, between)
                ):
                    return False
        return True


def _is_leaf(pattern: p.DFPattern, expr: Expr) -> bool:
    """Whether a pattern of an operator, a variable, a constant or an expression matches."""
    match pattern:
        case p.ExprPattern(expr=Op(name=name)):
            return isinstance(expr, Op) and expr.name == name
        case p.ExprPattern():
            return not isinstance(expr, Op) and structural_equal(pattern.expr, expr)
        case p.VarPattern():
            return isinstance(expr, Var) and pattern.name in ("", expr.name_hint)
        case p.ConstantPattern():
            return isinstance(expr, Constant)
        case _:
            return False


def _has_attributes(expr: Expr, wanted: Mapping[str, object]) -> bool:
    """Whether an operator, a call or a function has attributes of these values."""
    match expr:
        case Op():
            unread = next((key for key in wanted if key in REFUSED and not expr.has_attr(key)), None)
            if unread is not None:
                raise UnsupportedError(f"has_attr {unread}: operators do not tell it; name them by is_op")
            return all(expr.has_attr(key) and _equal(expr.get_attr(key), value) for key, value in wanted.items())
        case Call() | Function():
            attrs: Attrs = expr.attrs
            return all(key in attrs and _equal(attrs[key], value) for key, value in wanted.items())
        case _:
            return False


def _equal(one: object, other: object) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return [*cast("Sequence[object]", one)] == [*cast("Sequence[object]", other)]
    return structural_equal(cast("object", one), other)


def _has_type(pattern: p.DFPattern, expr: Expr) -> bool:
    try:
        if isinstance(pattern, p.ShapePattern):
            return tuple(expr.shape) == pattern.shape
        if isinstance(pattern, p.DataTypePattern):
            return expr.dtype == pattern.dtype
        return isinstance(pattern, p.TypePattern) and expr.checked_type == pattern.type
    except InputError:  # a variable without a type
        return False


def match(pattern: p.DFPattern, expr: Expr) -> bool:
    """Whether a pattern matches an expression."""
    return Matcher(Readers(expr)).match(pattern, expr) is not None


p.DFPattern.matched = match
