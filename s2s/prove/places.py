"""Places in memory: what expressions of C designate, and loads, stores and copies there."""

from __future__ import annotations

import numpy as np
from pycparser import c_ast

from s2s.prove.buffers import Buffer
from s2s.prove.control import Conflict
from s2s.prove.ctypes import F32, IntType
from s2s.prove.declarations import ArrayType, CType, PointerType, StructType, scalar_of, size_of
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.machine import Machine, Typed
from s2s.prove.operations import moved
from s2s.prove.values import Aggregate, Pointer, Value, is_number, plain


def place(machine: Machine, node: c_ast.Node) -> tuple[Pointer, CType]:
    """The address that an expression designates, and the type of what is there."""
    if isinstance(node, c_ast.ArrayRef):
        return _indexed(machine.evaluate(node.name), machine.evaluate(node.subscript)[0])
    if isinstance(node, c_ast.UnaryOp) and node.op == "*":
        return _indexed(machine.evaluate(node.expr), 0)
    if isinstance(node, c_ast.StructRef):
        return _member(machine, node)
    if isinstance(node, c_ast.ID):
        variable = machine.find(node.name)
        if variable is not None and isinstance(variable.value, Aggregate):
            return Pointer(variable.value, 0, variable.ctype), variable.ctype
    msg = f"the address of {type(node).__name__}"
    raise Unprovable(msg)


def _indexed(base: Typed, index: Value) -> tuple[Pointer, CType]:
    pointer, ctype = base
    if not (isinstance(pointer, Pointer) and isinstance(ctype, PointerType)):
        msg = "an index into what is no array"
        raise Unprovable(msg)
    if not is_number(index):
        return Pointer(pointer.target, (pointer.plain_offset, index), ctype.element), ctype.element
    return moved(pointer, index * size_of(ctype.element), ctype), ctype.element


def _member(machine: Machine, node: c_ast.StructRef) -> tuple[Pointer, CType]:
    base: Value
    if node.type == "->":
        base, pointer_type = machine.evaluate(node.name)
        ctype = pointer_type.element if isinstance(pointer_type, PointerType) else None
    elif isinstance(node.name, c_ast.FuncCall):
        value, ctype = machine.evaluate(node.name)
        base = Pointer(value, 0, ctype)
    else:
        base, ctype = place(machine, node.name)
    if not (isinstance(ctype, StructType) and isinstance(base, Pointer)):
        msg = "a member of what is no structure"
        raise Unprovable(msg)
    before, member = ctype.place(node.field.name)
    return Pointer(base.target, base.plain_offset + before, member), member


def load(machine: Machine, pointer: Pointer, ctype: CType) -> Typed:
    """What is at a place."""
    if isinstance(ctype, ArrayType):
        return Pointer(pointer.target, pointer.offset, ctype.element), PointerType(ctype.element)
    if isinstance(pointer.target, Aggregate):
        return _load_local(machine, pointer.target, pointer, ctype)
    if not isinstance(ctype, IntType):
        msg = "a structure or an address in memory"
        raise Unprovable(msg)
    if isinstance(pointer.offset, tuple):
        return _looked_up(machine, pointer), ctype
    return machine.memory.load(pointer, ctype), ctype


def _load_local(machine: Machine, target: Aggregate, pointer: Pointer, ctype: CType) -> Typed:
    """A number, or a structure, of a local array or structure."""
    first = _item(machine, target, pointer, ctype)
    if isinstance(ctype, StructType):
        items = target.items[first : first + ctype.scalars]
        return Aggregate(list(items), target.width, machine.lanes.depth), ctype
    value = target.items[first]
    if value is None:
        msg = "a local array is read before it is set"
        raise Fault(msg)
    assert isinstance(ctype, IntType)
    return machine.arithmetic.read_as(value, ctype), ctype


def _looked_up(machine: Machine, pointer: Pointer) -> Value:
    """An element of a constant array at an index that depends on the input."""
    buffer = pointer.target
    assert isinstance(pointer.offset, tuple)
    offset, index = plain(pointer.offset[0]), pointer.offset[1]
    if not (isinstance(buffer, Buffer) and buffer.constant and isinstance(offset, int) and offset == 0):
        msg = "an index depends on the input"
        raise Unprovable(msg)
    if pointer.ctype != buffer.ctype:
        msg = f"{buffer.name} is read with another type than its own"
        raise Unprovable(msg)
    return machine.arithmetic.lookup(index, buffer.numbers, buffer.name)


def _item(machine: Machine, target: Aggregate, pointer: Pointer, ctype: CType) -> int:
    """The number of a scalar in an aggregate."""
    offset = pointer.plain_offset
    if isinstance(offset, np.ndarray):
        raise Conflict(machine.arithmetic.varying(offset))
    if scalar_of(ctype).width != target.width:
        msg = "a local array is used with numbers of another width"
        raise Unprovable(msg)
    index, rest = divmod(offset, target.size)
    if rest or not 0 <= index < len(target.items):
        msg = f"an index of {index} in a local array of {len(target.items)}"
        raise Fault(msg)
    return index


def assign(machine: Machine, node: c_ast.Node, value: Value, source: CType) -> Typed:
    """Store a value where an expression designates."""
    if isinstance(node, c_ast.ID):
        variable = machine.find(node.name)
        if variable is None:
            msg = f"{node.name} is not known to the prover"
            raise Unprovable(msg)
        value = machine.to_type(value, source, variable.ctype)
        if isinstance(variable.value, Aggregate):
            # Pointers into the variable stay what they are.
            _put_local(machine, variable.value, Pointer(variable.value, 0, variable.ctype), value, variable.ctype)
        else:
            variable.value = value
        return value, variable.ctype
    pointer, ctype = place(machine, node)
    value = machine.to_type(value, source, ctype)
    put(machine, pointer, value, ctype)
    return value, ctype


def put(machine: Machine, pointer: Pointer, value: Value, ctype: CType) -> None:
    """Store a value at a place."""
    if isinstance(pointer.target, Aggregate):
        _put_local(machine, pointer.target, pointer, value, ctype)
        return
    if not isinstance(ctype, IntType):
        msg = "a structure or an address in memory"
        raise Unprovable(msg)
    machine.memory.store(pointer, value, ctype)


def _put_local(machine: Machine, target: Aggregate, pointer: Pointer, value: Value, ctype: CType) -> None:
    """Store in a local array or structure, unless iterations at once share it."""
    if target.depth < machine.lanes.depth:
        raise Conflict(machine.lanes.loops[target.depth][0])
    first = _item(machine, target, pointer, ctype)
    if isinstance(value, Aggregate):
        target.items[first : first + len(value.items)] = value.items
    else:
        target.items[first] = value


def copy_bytes(machine: Machine, to: Value, source: Value, size: Value) -> None:
    """memcpy, number by number of the local array or structure that one side is."""
    if not (isinstance(to, Pointer) and isinstance(source, Pointer) and isinstance(size, int)):
        msg = "memcpy of what is no address, or of a size that varies"
        raise Unprovable(msg)
    local = [pointer for pointer in (to, source) if isinstance(pointer.target, Aggregate)]
    scalar = _scalar_around((local or [to])[0])
    if size % scalar.size:
        msg = "memcpy of a part of a number"
        raise Unprovable(msg)
    element = PointerType(scalar)
    for at in range(0, size, scalar.size):
        value, _ = load(machine, moved(source, at, element), scalar)
        put(machine, moved(to, at, element), value, scalar)


def _scalar_around(pointer: Pointer) -> IntType:
    """The type of the numbers where a pointer goes."""
    if isinstance(pointer.target, Aggregate) and not isinstance(pointer.ctype, IntType | ArrayType | StructType):
        return F32 if pointer.target.width == F32.width else IntType(pointer.target.size * 8, signed=True)
    return scalar_of(pointer.ctype)


def size_of_node(machine: Machine, node: c_ast.Node) -> int:
    """sizeof a type or an expression."""
    if isinstance(node, c_ast.Typename):
        return size_of(machine.program.types.of(node.type))
    if isinstance(node, c_ast.ID):
        variable = machine.find(node.name)
        if variable is not None:
            return size_of(variable.ctype)
    if isinstance(node, c_ast.StructRef):
        return size_of(_member(machine, node)[1])
    msg = "sizeof an expression"
    raise Unprovable(msg)
