"""What is put in the place of matches: results of a program's callback, or calls of functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.ir.structural import structural_equal
from s2s.tvm.relay.dataflow_pattern import patterns as p
from s2s.tvm.relay.dataflow_pattern.matching import Matcher, NodeMap, Readers, inputs_of, plain
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var, written
from s2s.tvm.relay.expr_functor import ExprMutator
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.operators import Call, Op, TupleGetItem

MAX_ROUNDS = 100
"""How often the matches of an expression are rewritten, at most."""
PARTITIONED = "PartitionedFromPattern"


@frozen(eq=False)
class Group:
    """A match: the last expression, the inputs from outside, and the expressions of each pattern."""

    root: Expr
    inputs: Sequence[Expr]
    matches: NodeMap


def groups_of(pattern: p.DFPattern, expr: Expr) -> dict[int, Group]:
    """Return the matches in an expression that share nothing, last ones first, by the identity of their roots."""
    groups: dict[int, Group] = {}
    taken: set[int] = set()
    readers = Readers(expr)
    parts = written(expr)
    closed = {id(node) for function in parts if _is_partitioned(function) for node in written(function)}
    for node in reversed(parts):
        root = plain(node)
        if id(root) in taken or id(root) in closed:
            continue
        matches = Matcher(readers).match(pattern, root)
        group = None if matches is None else _group(root, matches, readers)
        if group is None:
            continue
        inner = {id(one) for ones in group.matches.values() for one in ones if not isinstance(one, Op | Constant | Var)}
        inner -= set(map(id, group.inputs))
        if not inner & taken:
            taken |= inner
            groups[id(root)] = group
    return groups


def _is_partitioned(expr: Expr) -> bool:
    return isinstance(expr, Function) and PARTITIONED in expr.attrs


def _group(root: Expr, matches: NodeMap, readers: Readers) -> Group | None:
    """The group of a match; None where something outside reads what is inside of it."""
    between = [node for pattern in matches for part in _inside(pattern) for node in matches.get(part, ())]
    inputs: dict[int, Expr] = {}
    for pattern, matched in matches.items():
        for node in matched:
            for outside in _outside(pattern, node):
                is_inside = any(outside is other for other in between) or isinstance(outside, Op | Function)
                if not is_inside:
                    inputs[id(outside)] = outside
    inner = {id(node) for matched in matches.values() for node in matched} - inputs.keys()
    for node in (one for matched in matches.values() for one in matched):
        is_inner = id(node) in inner and node is not root and not isinstance(node, Op | Constant | Var)
        if is_inner and any(id(reader) not in inner for reader in readers.of(node)):
            return None
    return Group(root, list(inputs.values()), matches)


def _inside(pattern: p.DFPattern) -> Sequence[p.DFPattern]:
    """The parts of a pattern that match nothing outside, whatever they match."""
    match pattern:
        case p.DominatorPattern():
            return pattern.parent, pattern.path
        case p.FunctionPattern():
            return pattern.inner
        case _:
            return ()


def _outside(pattern: p.DFPattern, expr: Expr) -> Sequence[Expr]:
    """What a match reads from outside at one of its patterns."""
    match pattern:
        case p.CallPattern(args=None) | p.TuplePattern(fields=None):
            return inputs_of(expr)
        case p.ConstantPattern():
            return ()
        case p.WildcardPattern() | p.VarPattern() | p.ExprPattern():
            return () if pattern.inner else (expr,)
        case _:
            return ()


class _Rewriter(ExprMutator):
    """Puts the results of a function in the place of groups."""

    def __init__(self, groups: Mapping[int, Group], build: Callable[[Group, Expr, "_Rewriter"], Expr]) -> None:
        super().__init__()
        self._groups, self._made = groups, build

    def visit(self, expr: Expr) -> Any:
        """The expression with other ones in it, or what is put in its place."""
        expr = plain(expr)
        if expr in self.memo_map:
            return self.memo_map[expr]
        post = super().visit(expr)
        group = self._groups.get(id(expr))
        if group is not None:
            post = self._made(group, post, self)
            self.memo_map[expr] = post
        return post


def rewrite(callbacks: p.DFPatternCallback | Sequence[p.DFPatternCallback], expr: Expr, mod: object = None) -> Expr:
    """Return the expression with the results of callbacks in the place of what their patterns match, until nothing
    changes, or once."""
    several = [callbacks] if isinstance(callbacks, p.DFPatternCallback) else list(callbacks)
    for number in range(MAX_ROUNDS):
        before = expr
        for callback in several if number == 0 else [node for node in several if not node.rewrite_once]:
            if callback.pattern is None:
                raise InputError(f"{type(callback).__name__}: pattern is None; set it in __init__")
            expr = _Rewriter(groups_of(callback.pattern, expr), _called(callback)).visit(expr)
        if structural_equal(before, expr):
            break
    return expr


def _called(callback: p.DFPatternCallback) -> Callable[[Group, Expr, _Rewriter], Expr]:
    def build(group: Group, post: Expr, rewriter: _Rewriter) -> Expr:
        matches = {
            pattern: [node if isinstance(node, Op) else rewriter.visit(node) if node is not group.root else post
                      for node in matched]
            for pattern, matched in group.matches.items()
        }  # fmt: skip
        return callback.callback(group.root, post, matches)

    return build


def partition(
    pattern: p.DFPattern,
    expr: Expr,
    attrs: Mapping[str, object] | None = None,
    check: Callable[[Expr], bool] = lambda x: True,
) -> Expr:
    """Return the expression with calls of functions in the place of all matches for which `check` holds."""
    groups = {key: node for key, node in groups_of(pattern, expr).items() if check(node.root)}

    def build(group: Group, post: Expr, rewriter: _Rewriter) -> Expr:
        number = list(groups).index(id(group.root))
        params = [Var(f"FunctionVar_{number}_{at}", node.checked_type) for at, node in enumerate(group.inputs)]
        body = _Body(dict(zip(map(id, group.inputs), params, strict=True)))
        inside = body.visit(group.root)
        function = Function(params, inside, None, None, {**(attrs or {}), PARTITIONED: body.name})
        return Call(function, [rewriter.visit(node) for node in group.inputs])

    return _Rewriter(groups, build).visit(expr)


class _Body(ExprMutator):
    """The body of a function of a match: parameters in the place of what it reads from outside."""

    def __init__(self, params: Mapping[int, Expr]) -> None:
        super().__init__()
        self._params, self.name = params, ""

    def visit(self, expr: Expr) -> Any:
        """A parameter, or the expression of parameters."""
        expr = plain(expr)
        if id(expr) in self._params:
            return self._params[id(expr)]
        is_new = expr not in self.memo_map
        build = super().visit(expr)
        if is_new:
            self.name += _name_of(expr)
        return build


def _name_of(expr: Expr) -> str:
    match expr:
        case Call(op=Op(name=name)):
            return f"{name}_"
        case Tuple():
            return "Tuple_"
        case TupleGetItem():
            return f"TupleGetItem{expr.index}_"
        case Call():
            return "FunctionCall_"
        case _:
            return ""


p.DFPattern.partitioned = partition
p.DFPatternCallback.rewritten = rewrite
