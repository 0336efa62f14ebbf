"""The type of an expression that is not evaluated: the other operand of `?:` takes part in the result's type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pycparser import c_ast

from s2s.prove.ctypes import I32, U32, IntType, common, promoted
from s2s.prove.declarations import ArrayType, CType, PointerType, StructType
from s2s.prove.faults import Unprovable
from s2s.prove.machine import Machine
from s2s.prove.operations import COMPARISONS


def type_of(machine: Machine, node: c_ast.Node) -> CType:
    """The type of an expression.

    Raises Unprovable for expressions whose type is not worked out here.
    """
    rule = RULES.get(type(node))
    if rule is None:
        msg = f"the type of {type(node).__name__}"
        raise Unprovable(msg)
    return rule(machine, node)


def _constant(machine: Machine, node: c_ast.Constant) -> CType:
    return machine.program.types.literal(node)[1]


def _cast(machine: Machine, node: c_ast.Cast) -> CType:
    return machine.program.types.of(node.to_type.type)


def _call(machine: Machine, node: c_ast.FuncCall) -> CType:
    if isinstance(node.name, c_ast.ID) and node.name.name in machine.program.functions:
        return machine.program.result(node.name.name)
    msg = "the type of a call of what the tree does not define"
    raise Unprovable(msg)


def _indexed(machine: Machine, node: c_ast.ArrayRef) -> CType:
    return _element(type_of(machine, node.name))


def _member(machine: Machine, node: c_ast.StructRef) -> CType:
    structure = type_of(machine, node.name)
    structure = _element(structure) if node.type == "->" else structure
    if isinstance(structure, StructType):
        return structure.place(node.field.name)[1]
    msg = "a member of what is no structure"
    raise Unprovable(msg)


def _name(machine: Machine, node: c_ast.ID) -> CType:
    variable = machine.find(node.name)
    if variable is not None:
        return variable.ctype
    if node.name in machine.program.global_types:
        return machine.program.global_types[node.name]
    if node.name in machine.program.types.enumerators:
        return I32
    msg = f"{node.name} is not known to the prover"
    raise Unprovable(msg)


def _operation(machine: Machine, node: c_ast.BinaryOp | c_ast.TernaryOp) -> CType:
    if isinstance(node, c_ast.TernaryOp):
        operands = node.iftrue, node.iffalse
    elif node.op in COMPARISONS | {"&&", "||"}:
        return I32
    else:
        operands = node.left, node.right
    left, right = (type_of(machine, operand) for operand in operands)
    if not (isinstance(left, IntType) and isinstance(right, IntType)):
        return left if isinstance(left, PointerType | ArrayType) else right
    return promoted(left) if isinstance(node, c_ast.BinaryOp) and node.op in {"<<", ">>"} else common(left, right)


def _unary(machine: Machine, node: c_ast.UnaryOp) -> CType:
    if node.op == "!":
        return I32
    if node.op == "sizeof":
        return U32
    inner = type_of(machine, node.expr)
    if node.op == "&":
        return PointerType(inner)
    if node.op == "*":
        return _element(inner)
    return promoted(inner) if isinstance(inner, IntType) and node.op in {"-", "+", "~"} else inner


def _element(ctype: CType) -> CType:
    if isinstance(ctype, PointerType | ArrayType):
        return ctype.element
    msg = "an index into what is no array"
    raise Unprovable(msg)


RULES: Mapping[type[c_ast.Node], Callable[[Machine, Any], CType]] = {
    c_ast.Constant: _constant,
    c_ast.ID: _name,
    c_ast.Cast: _cast,
    c_ast.FuncCall: _call,
    c_ast.BinaryOp: _operation,
    c_ast.TernaryOp: _operation,
    c_ast.UnaryOp: _unary,
    c_ast.ArrayRef: _indexed,
    c_ast.StructRef: _member,
}
"""The type of an expression, by its node."""
