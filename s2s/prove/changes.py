"""What a loop does to the variables that live longer than an iteration: counters, and others.

A counter changes by the same amount once in each iteration, whatever happens: in
`for (k = 0; k < n; k++) { p += 4; if (b) s += 2; }`, k and p are counters, s is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pycparser import c_ast

STEPS = frozenset({"++", "p++", "--", "p--"})


class Step(NamedTuple):
    """A change of a variable: its operator's first character, its operand (None for 1), and whether it counts."""

    op: str
    operand: c_ast.Node | None
    counts: bool


@dataclass
class Changes:
    """The variables that a loop changes and does not declare."""

    counters: dict[str, Step]
    others: set[str]


def changes_of(body: c_ast.Node, following: c_ast.Node | None) -> Changes:
    """What a loop changes in its body and in the step that follows it."""
    visitor = _Visitor()
    for part in (body, following):
        if part is not None:
            visitor.visit(part, frozenset(), always=True)
    changed = set(visitor.steps)
    counters = {
        name: steps[0]
        for name, steps in visitor.steps.items()
        if len(steps) == 1 and steps[0].counts and not (names_in(steps[0].operand) & changed)
    }
    return Changes(counters, changed - set(counters))


@dataclass
class _Visitor:
    """Collects the changes of variables."""

    steps: dict[str, list[Step]] = field(default_factory=dict[str, list[Step]])

    def visit(self, node: c_ast.Node, local: frozenset[str], *, always: bool) -> frozenset[str]:
        """Visit a node where the variables `local` are the body's own; return the variables after it."""
        if isinstance(node, c_ast.Compound | c_ast.For):
            inner, always = local, always and isinstance(node, c_ast.Compound)
            for _, child in node.children():
                inner = self.visit(child, inner, always=always)
            return local
        if isinstance(node, c_ast.DeclList):
            for declaration in node.decls:
                local = self.visit(declaration, local, always=always)
            return local
        self._note(node, local, always=always)
        for _, child in node.children():
            self.visit(child, local, always=always and not _may_skip(node))
        return local | {node.name} if isinstance(node, c_ast.Decl) else local

    def _note(self, node: c_ast.Node, local: frozenset[str], *, always: bool) -> None:
        """Remember what an expression changes."""
        if isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
            counts = always and node.op in {"+=", "-="} and not names_in(node.rvalue) & local
            name, step = node.lvalue.name, Step(node.op[0], node.rvalue, counts)
        elif isinstance(node, c_ast.UnaryOp) and node.op in STEPS and isinstance(node.expr, c_ast.ID):
            name, step = node.expr.name, Step(node.op.strip("p")[0], None, always)
        else:
            return
        if name not in local:
            self.steps.setdefault(name, []).append(step)


def _may_skip(node: c_ast.Node) -> bool:
    """Whether a node may run some of its parts never, or more than once."""
    return isinstance(node, c_ast.If | c_ast.While | c_ast.DoWhile | c_ast.TernaryOp) or (
        isinstance(node, c_ast.BinaryOp) and node.op in {"&&", "||"}
    )


def names_in(node: c_ast.Node | None) -> set[str]:
    """The variables in an expression."""
    if node is None:
        return set()
    names = {node.name} if isinstance(node, c_ast.ID) else set[str]()
    for _, child in node.children():
        names |= names_in(child)
    return names


def only_variables(node: c_ast.Node | None) -> bool:
    """Whether an expression reads no memory and changes nothing."""
    return node is None or (
        not isinstance(node, c_ast.ArrayRef | c_ast.FuncCall | c_ast.StructRef | c_ast.Assignment)
        and not (isinstance(node, c_ast.UnaryOp) and node.op in STEPS | {"*"})
        and all(only_variables(child) for _, child in node.children())
    )
