"""What the statements of C do."""

from __future__ import annotations

from pycparser import c_ast

from s2s.prove.control import Broken, Returned
from s2s.prove.ctypes import I32
from s2s.prove.declarations import ArrayType, StructType
from s2s.prove.faults import Unprovable
from s2s.prove.loops import Loop, run_loop
from s2s.prove.machine import Machine, Statements, Variable
from s2s.prove.values import Aggregate, Value


def _compound(machine: Machine, node: c_ast.Compound) -> None:
    machine.scopes.append({})
    try:
        for item in node.block_items or []:
            machine.execute(item)
    finally:
        machine.scopes.pop()


def _nothing(machine: Machine, node: c_ast.Node) -> None:
    """A statement that does nothing, or a pragma, which may only say how to compile."""
    del machine, node


def _declarations(machine: Machine, node: c_ast.DeclList) -> None:
    for declaration in node.decls:
        machine.execute(declaration)


def _declaration(machine: Machine, node: c_ast.Decl) -> None:
    """A local variable; one that is static or volatile lives by rules that the prover does not have."""
    if {"static", "extern"} & set(node.storage) or "volatile" in node.quals:
        msg = f"{node.name} is static or volatile"
        raise Unprovable(msg)
    ctype = machine.program.types.of(node.type)
    value: Value | None
    if isinstance(ctype, ArrayType | StructType):
        value = _aggregate(machine, node, ctype)
    elif node.init is None:
        value = None
    else:
        value = machine.to_type(*machine.evaluate(node.init), ctype)
    machine.scopes[-1][node.name] = Variable(ctype, value)


def _aggregate(machine: Machine, node: c_ast.Decl, ctype: ArrayType | StructType) -> Value:
    """A local array or structure with what its declaration gives it."""
    value = Aggregate([None] * ctype.scalars, ctype.scalar.width, machine.lanes.depth)
    if isinstance(node.init, c_ast.InitList):
        if len(node.init.exprs) > len(value.items):
            msg = f"{node.name} is initialised with more numbers than its declaration counts"
            raise Unprovable(msg)
        for index, item in enumerate(node.init.exprs):
            value.items[index] = machine.to_type(*machine.evaluate(item), ctype.scalar)
        for index in range(len(node.init.exprs), len(value.items)):
            value.items[index] = 0
    elif node.init is not None:
        return machine.copied(machine.evaluate(node.init)[0])
    return value


def _return(machine: Machine, node: c_ast.Return) -> None:
    if node.expr is None:
        raise Returned(None, I32)
    raise Returned(*machine.evaluate(node.expr))


def _break(machine: Machine, node: c_ast.Break) -> None:
    del machine, node
    raise Broken


def _if(machine: Machine, node: c_ast.If) -> None:
    branch = node.iftrue if machine.truth(node.cond) else node.iffalse
    if branch is not None:
        machine.execute(branch)


def _for(machine: Machine, node: c_ast.For) -> None:
    if node.cond is None:
        msg = "a loop without a condition"
        raise Unprovable(msg)
    machine.scopes.append({})
    try:
        if node.init is not None:
            machine.execute(node.init)
        run_loop(machine, Loop(node, node.cond, node.stmt, node.next))
    finally:
        machine.scopes.pop()


def _while(machine: Machine, node: c_ast.While) -> None:
    run_loop(machine, Loop(node, node.cond, node.stmt, None))


STATEMENTS: Statements = {
    c_ast.Compound: _compound,
    c_ast.EmptyStatement: _nothing,
    c_ast.Pragma: _nothing,
    c_ast.DeclList: _declarations,
    c_ast.Decl: _declaration,
    c_ast.Return: _return,
    c_ast.Break: _break,
    c_ast.If: _if,
    c_ast.For: _for,
    c_ast.While: _while,
}
"""What runs a statement, by its node; a statement that is not here is an expression, or unknown."""
