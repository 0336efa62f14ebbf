"""What the expressions of C mean: each a value and its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from pycparser import c_ast

from s2s.prove.changes import STEPS
from s2s.prove.control import Conflict
from s2s.prove.ctypes import F32, I32, U32, IntType, common, promoted
from s2s.prove.declarations import ArrayType, CType, PointerType
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.floats import FUNCTIONS, is_float, key_of
from s2s.prove.machine import Expressions, Machine, Typed
from s2s.prove.meanings import ALIGNED, BITS, MEANINGS, check_definition
from s2s.prove.operations import COMPARISONS, operate
from s2s.prove.packing import PACKED
from s2s.prove.places import assign, copy_bytes, load, place, put, size_of_node
from s2s.prove.static_types import type_of
from s2s.prove.values import Aggregate, Pointer, Value, is_number, plain

T = TypeVar("T")
MINUS_ONE = key_of("-1")


def _constant(machine: Machine, node: c_ast.Constant) -> Typed:
    return machine.program.types.literal(node)


def _name(machine: Machine, node: c_ast.ID) -> Typed:
    variable = machine.find(node.name)
    if variable is not None:
        if variable.value is None:
            msg = f"{node.name} is read before it is set"
            raise Fault(msg)
        if isinstance(variable.ctype, ArrayType) and isinstance(variable.value, Aggregate):
            return Pointer(variable.value, 0, variable.ctype.element), PointerType(variable.ctype.element)
        return variable.value, variable.ctype
    if node.name in machine.program.globals:
        element = machine.program.global_types[node.name].element
        return Pointer(machine.program.globals[node.name], 0, element), PointerType(element)
    if node.name in machine.program.types.enumerators:
        return machine.program.types.enumerators[node.name], I32
    if node.name in FUNCTIONS:
        return Pointer(node.name, 0, None), PointerType(None)
    msg = f"{node.name} is not known to the prover"
    raise Unprovable(msg)


def _cast(machine: Machine, node: c_ast.Cast) -> Typed:
    ctype = machine.program.types.of(node.to_type.type)
    if ctype == F32 and (literal := _exact_double(node.expr)) is not None:
        return literal, F32
    value, source = machine.evaluate(node.expr)
    if ctype is None:
        return 0, I32
    return machine.to_type(value, source, ctype), ctype


def _exact_double(node: c_ast.Node) -> int | None:
    """The key of a literal of type double, or minus one, that is exactly a float; None for all else."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        key = _exact_double(node.expr)
        return None if key is None else ~key
    if not isinstance(node, c_ast.Constant) or node.type != "double":
        return None
    return key_of(node.value) if is_float(node.value) else None


def _binary(machine: Machine, node: c_ast.BinaryOp) -> Typed:
    if node.op in {"&&", "||"}:
        return _logical(machine, node), I32
    left = machine.evaluate(node.left)
    return operate(machine, node.op, left, machine.evaluate(node.right))


def _logical(machine: Machine, node: c_ast.BinaryOp) -> Value:
    """`&&` and `||`: the right operand counts only where the left one does not decide."""
    left = _truth_value(machine, node.left)
    decided = 0 if node.op == "&&" else 1
    if is_number(left) and np.all(np.asarray(left) == decided):
        return decided
    always = is_number(left) and not np.any(np.asarray(left) == decided)
    right = _truth_value(machine, node.right) if always else _at_times(machine, node.right, left, _truth_value)
    if is_number(left) and is_number(right):
        array = np.logical_and(left, right) if node.op == "&&" else np.logical_or(left, right)
        return plain(np.asarray(array, np.int64))
    if isinstance(left, int):
        return right
    if isinstance(right, int) and right != decided:
        return left
    return machine.arithmetic.binary("&" if node.op == "&&" else "|", left, right, I32)


def _truth_value(machine: Machine, node: c_ast.Node) -> Value:
    """1 where an expression is not zero, 0 where it is; comparisons stay as they are."""
    value, ctype = machine.evaluate(node)
    if isinstance(value, Pointer):
        return int(not value.is_null)
    if isinstance(node, c_ast.BinaryOp) and node.op in COMPARISONS | {"&&", "||"}:
        return value
    assert isinstance(ctype, IntType)
    return machine.arithmetic.compare("!=", value, 0, ctype)


def _at_times(machine: Machine, node: c_ast.Node, condition: Value, value: Callable[[Machine, c_ast.Node], T]) -> T:
    """The value of an operand that C evaluates only under a condition, which differs by input or by lane.

    Raises Unprovable, or Conflict where the condition differs by lane, if it changes something or may be undefined.
    """
    reason = "an operand that C evaluates at times only changes something"
    if _changes_nothing(machine, node):
        try:
            return value(machine, node)
        except Fault as fault:
            reason = f"{fault}, in an operand that C evaluates at times only"
    if isinstance(condition, np.ndarray):
        raise machine.arithmetic.parts(condition)
    raise Unprovable(reason)


def _changes_nothing(machine: Machine, node: c_ast.Node) -> bool:
    """Whether an expression assigns nothing, and calls only functions that get no address to write to."""
    if isinstance(node, c_ast.Assignment) or (isinstance(node, c_ast.UnaryOp) and node.op in STEPS):
        return False
    if isinstance(node, c_ast.FuncCall):
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        count = len(node.args.exprs) if node.args is not None else 0
        if name not in machine.program.functions:
            return False
        if any(isinstance(ctype, PointerType) for _, ctype in machine.program.parameters(name, count)):
            return False
    return all(_changes_nothing(machine, child) for _, child in node.children())


def _choice(machine: Machine, node: c_ast.TernaryOp) -> Typed:
    """`?:`; only the chosen operand is evaluated where the condition does not depend on the input."""
    condition = _truth_value(machine, node.cond)
    if is_number(condition) and np.any(condition) == np.all(condition):
        chosen, other = (node.iftrue, node.iffalse) if np.any(condition) else (node.iffalse, node.iftrue)
        value, ctype = machine.evaluate(chosen)
        if not isinstance(ctype, IntType):
            return value, ctype
        together = _common(ctype, type_of(machine, other))
        return machine.to_type(value, ctype, together), together
    (yes, yes_type), (no, no_type) = (
        _at_times(machine, operand, condition, Machine.evaluate) for operand in (node.iftrue, node.iffalse)
    )
    if not (isinstance(yes_type, IntType) and isinstance(no_type, IntType)):
        raise Conflict(machine.arithmetic.varying(condition) if isinstance(condition, np.ndarray) else None)
    ctype = common(yes_type, no_type)
    values = (machine.to_type(yes, yes_type, ctype), machine.to_type(no, no_type, ctype))
    return machine.arithmetic.select(condition, *values, ctype), ctype


def _common(a: IntType, b: CType) -> IntType:
    """The type of a choice between numbers."""
    if not isinstance(b, IntType):
        msg = "a choice between a number and something else"
        raise Unprovable(msg)
    return common(a, b)


def _unary(machine: Machine, node: c_ast.UnaryOp) -> Typed:
    if node.op in {"++", "p++", "--", "p--"}:
        return _step(machine, node)
    if node.op == "*":
        return _loaded(machine, node)
    if node.op == "&":
        pointer, ctype = place(machine, node.expr)
        return pointer, PointerType(ctype)
    if node.op == "sizeof":
        return size_of_node(machine, node.expr), U32
    if node.op == "!":
        return machine.arithmetic.negated(_truth_value(machine, node.expr)), I32
    value, ctype = machine.evaluate(node.expr)
    if not isinstance(ctype, IntType):
        msg = f"{node.op} of what is no number"
        raise Unprovable(msg)
    if ctype.real:
        return machine.arithmetic.on_floats("*", MINUS_ONE, value) if node.op == "-" else _refused(node.op), ctype
    wide = promoted(ctype)
    return _signed(machine, node.op, machine.to_type(value, ctype, wide), wide), wide


def _refused(op: str) -> Value:
    msg = f"{op} of a float"
    raise Unprovable(msg)


def _signed(machine: Machine, op: str, value: Value, ctype: IntType) -> Value:
    """-x, +x and ~x = -x - 1, of which the last never overflows."""
    if op == "-":
        return machine.arithmetic.binary("-", 0, value, ctype)
    if op == "~":
        return machine.arithmetic.binary("-", -1, value, ctype)
    if op == "+":
        return value
    msg = f"{op} in C is not known to the prover"
    raise Unprovable(msg)


def _step(machine: Machine, node: c_ast.UnaryOp) -> Typed:
    """x++ and its like."""
    before = machine.evaluate(node.expr)
    result = operate(machine, "+" if "+" in node.op else "-", before, (1, I32))
    after = assign(machine, node.expr, *result)
    return before if node.op.startswith("p") else after


def _loaded(machine: Machine, node: c_ast.Node) -> Typed:
    """What is at the place that an expression designates."""
    return load(machine, *place(machine, node))


def _sequence(machine: Machine, node: c_ast.ExprList) -> Typed:
    results = [machine.evaluate(item) for item in node.exprs]
    return results[-1]


def _call(machine: Machine, node: c_ast.FuncCall) -> Typed:
    if not isinstance(node.name, c_ast.ID):
        msg = "a call through a pointer"
        raise Unprovable(msg)
    name = node.name.name
    variable = machine.find(name)
    if variable is not None and isinstance(variable.value, Pointer) and isinstance(variable.value.target, str):
        # The address of a function of math.h.
        name = variable.value.target
    arguments = [machine.evaluate(item) for item in (node.args.exprs if node.args is not None else [])]
    by_meaning = _by_meaning(machine, name, arguments)
    if by_meaning is not None:
        return by_meaning
    types = [ctype for _, ctype in machine.program.parameters(name, len(arguments))]
    values = [
        machine.to_type(value, source, ctype) if isinstance(ctype, IntType | PointerType) else value
        for (value, source), ctype in zip(arguments, types, strict=True)
    ]
    value, ctype = machine.call(name, values)
    return (0 if value is None else value), ctype


def _by_meaning(machine: Machine, name: str, arguments: list[Typed]) -> Typed | None:
    """The result of a function that is taken by its documented meaning; None for the others, which are executed."""
    if name == "memcpy":
        to, source, size = (value for value, _ in arguments)
        copy_bytes(machine, to, source, size)
        return arguments[0]
    if name in {ALIGNED, *BITS, *MEANINGS, *PACKED} and name not in machine.by_meaning:
        check_definition(machine.program.functions, name)
    if name == ALIGNED:
        machine.by_meaning.add(name)
        return _is_aligned(*(value for value, _ in arguments)), I32
    if name in FUNCTIONS and name not in machine.program.functions and len(arguments) == 1:
        ((value, source),) = arguments
        machine.by_meaning.add(name)
        return machine.arithmetic.unary(FUNCTIONS[name], machine.to_type(value, source, F32), F32), F32
    if name not in {*BITS, *MEANINGS, *PACKED}:
        return None
    types = [ctype for _, ctype in machine.program.parameters(name, len(arguments))]
    values = [machine.to_type(value, source, ctype) for (value, source), ctype in zip(arguments, types, strict=True)]
    if name not in BITS and all(map(is_number, values)):
        return None
    machine.by_meaning.add(name)
    if name in BITS:
        op, source, result = BITS[name]
        return machine.arithmetic.unary(op, values[0], source, result), result
    if name in MEANINGS:
        return machine.arithmetic.unary(MEANINGS[name], values[0], U32), U32
    return machine.arithmetic.packed(values, PACKED[name]), I32


def _is_aligned(address: Value, alignment: Value) -> int:
    """Whether an address is a multiple of `alignment` if the object that it goes into begins at one."""
    if not (isinstance(address, Pointer) and isinstance(alignment, int)):
        msg = f"{ALIGNED} of what is no address, or by a number that varies"
        raise Unprovable(msg)
    return int(not np.any(np.asarray(address.plain_offset) % alignment))


def _assignment(machine: Machine, node: c_ast.Assignment) -> Typed:
    value, source = machine.evaluate(node.rvalue)
    if node.op == "=":
        return assign(machine, node.lvalue, value, source)
    if isinstance(node.lvalue, c_ast.ID):
        result = operate(machine, node.op[:-1], machine.evaluate(node.lvalue), (value, source))
        return assign(machine, node.lvalue, *result)
    pointer, ctype = place(machine, node.lvalue)
    result, result_type = operate(machine, node.op[:-1], load(machine, pointer, ctype), (value, source))
    result = machine.to_type(result, result_type, ctype)
    put(machine, pointer, result, ctype)
    return result, ctype


EXPRESSIONS: Expressions = {
    c_ast.Constant: _constant,
    c_ast.ID: _name,
    c_ast.Cast: _cast,
    c_ast.BinaryOp: _binary,
    c_ast.TernaryOp: _choice,
    c_ast.UnaryOp: _unary,
    c_ast.ArrayRef: _loaded,
    c_ast.StructRef: _loaded,
    c_ast.ExprList: _sequence,
    c_ast.FuncCall: _call,
    c_ast.Assignment: _assignment,
}
"""What evaluates an expression, by its node."""
