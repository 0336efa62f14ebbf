"""Equality of expressions and modules up to the names of variables that they bind."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import cast

from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.function import free_vars
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.text.printer import canonical_text
from s2s.tvm.te import expressions as formulas


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise a ValueError where two modules, expressions or other objects differ."""
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"they differ:\n{lhs}\n{rhs}")


def structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> bool:
    """Whether two modules, expressions or other objects are equal; names of functions count, names of variables do not.

    Variables that nothing binds are equal to themselves, or with `map_free_vars` to those that are read in their place.
    """
    return _form(lhs, map_free_vars) == _form(rhs, map_free_vars)


def structural_hash(node: object, map_free_vars: bool = False) -> int:
    """A number that is the same for equal objects."""
    text = repr(_form(node, map_free_vars))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


def _form(node: object, map_free_vars: bool) -> object:
    """What equal objects have in common."""
    match node:
        case IRModule():
            functions = {var.name_hint: each for var, each in node.functions.items()}
            return [(name, _form(functions[name], map_free_vars)) for name in sorted(functions)]
        case Expr():
            free = {
                id(each): f"%f{number if map_free_vars else id(each)}" for number, each in enumerate(free_vars(node))
            }
            return canonical_text(node, free)
        case formulas.Expr():
            return _formula(node)
        case str() | bytes():
            return node
        case Mapping():
            return {key: _form(value, map_free_vars) for key, value in cast("Mapping[object, object]", node).items()}
        case Sequence():
            return [_form(each, map_free_vars) for each in cast("Sequence[object]", node)]
        case _:
            return node


def _formula(expr: formulas.Expr) -> tuple[object, ...]:
    """What equal expressions of elements have in common; variables and tensors are equal to themselves."""
    kind = (type(expr).__name__, expr.dtype)
    match expr:
        case formulas.Const():
            return *kind, expr.value
        case formulas.Binary():
            return *kind, expr.sign, *map(_formula, expr.operands)
        case formulas.Call():
            return *kind, expr.function, *map(_formula, expr.operands)
        case formulas.Read():
            return *kind, expr.tensor.key, *map(_formula, expr.operands)
        case formulas.Select() | formulas.Cast():
            return *kind, *map(_formula, expr.operands)
        case _:
            return *kind, id(expr)
