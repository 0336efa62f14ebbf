"""The functions, types and constants that the files of a tree define."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from pycparser import c_ast

from s2s.prove.buffers import Buffer
from s2s.prove.ctypes import IntType
from s2s.prove.declarations import ArrayType, CType, Types, define
from s2s.prove.faults import Unprovable
from s2s.prove.floats import encoded, key_of
from s2s.prove.intervals import at, wrap
from s2s.prove.source import Source


@dataclass
class Program:
    """Functions, types and constants of a tree."""

    functions: dict[str, c_ast.FuncDef] = field(default_factory=dict[str, c_ast.FuncDef])
    types: Types = field(default_factory=Types)
    globals: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    global_types: dict[str, ArrayType] = field(default_factory=dict[str, ArrayType])

    def parameters(self, name: str, arguments: int) -> list[tuple[str, CType]]:
        """Names and types of a function's parameters, arrays as pointers.

        Raises Unprovable where the tree does not define it, or with another number of parameters than `arguments`.
        """
        if name not in self.functions:
            msg = f"{name} has no definition in the tree"
            raise Unprovable(msg)
        declared = self.functions[name].decl.type
        assert isinstance(declared, c_ast.FuncDecl)
        listed = declared.args.params if declared.args is not None else []
        parameters = [
            (each.name, self.types.of_parameter(each.type)) for each in listed if isinstance(each, c_ast.Decl)
        ]
        if len(parameters) != arguments:
            msg = f"{name} has {len(parameters)} parameters and is called with {arguments} arguments"
            raise Unprovable(msg)
        return parameters

    def result(self, name: str) -> CType:
        """The type of a function's result."""
        declared = self.functions[name].decl.type
        assert isinstance(declared, c_ast.FuncDecl)
        return self.types.of(declared.type)


def program_of(source: Source) -> Program:
    """What the files of a tree define.

    Raises Unprovable where two files define one name differently: the prover has one scope for all files.
    """
    program = Program()
    for file in source.files:
        for item in file.ext:
            if isinstance(item, c_ast.FuncDef):
                define(program.functions, item.decl.name, item)
                continue
            program.types.note(item)
            if not (isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.ArrayDecl)):
                continue
            if item.init is not None:
                _define_array(program, item, source)
            elif item.name in source.binaries and item.name not in program.globals:
                _define_binary(program, item, source.binaries[item.name])
    return program


def _define_array(program: Program, item: c_ast.Decl, source: Source) -> None:
    """A constant array with its numbers; one of anything but integers, or that may change, stays unknown."""
    try:
        ctype = program.types.of(item.type)
    except Unprovable:
        return
    assert isinstance(ctype, ArrayType)
    if not isinstance(ctype.element, IntType):
        return
    if "const" not in item.quals or "volatile" in item.quals:
        return
    if isinstance(item.init, c_ast.Constant):
        numbers = source.numbers[int(item.init.value)]
        if ctype.element.real:
            numbers = np.array([key_of(str(number)) for number in numbers.tolist()], np.int64)
    else:
        assert isinstance(item.init, c_ast.InitList)
        numbers = np.array([program.types.converted(each, ctype.element) for each in item.init.exprs], np.int64)
    if len(numbers) > ctype.count:
        msg = f"{item.name} is initialised with more numbers than its declaration counts"
        raise Unprovable(msg)
    full = np.zeros(ctype.count, np.int64)
    full[: len(numbers)] = wrap(at(numbers), ctype.element).low
    _note_array(program, item.name, full, ctype)


def _define_binary(program: Program, item: c_ast.Decl, content: bytes) -> None:
    """A constant array whose bytes, little-endian, are in a binary file beside the source."""
    ctype = program.types.of(item.type)
    assert isinstance(ctype, ArrayType)
    element = ctype.element
    if "const" not in item.quals or not isinstance(element, IntType) or len(content) != ctype.count * element.size:
        msg = f"{item.name} is declared with another size than the bytes that its file takes"
        raise Unprovable(msg)
    if element.real:
        numbers = encoded(np.frombuffer(content, "<f4"))
    else:
        numbers = np.frombuffer(content, f"<{'i' if element.signed else 'u'}{element.size}").astype(np.int64)
    _note_array(program, item.name, numbers, ctype)


def _note_array(program: Program, name: str, numbers: np.ndarray, ctype: ArrayType) -> None:
    """Note a constant array; two files may define it if both say the same."""
    assert isinstance(ctype.element, IntType)
    known = program.globals.get(name)
    if known is not None and not (known.ctype == ctype.element and np.array_equal(known.numbers, numbers)):
        msg = f"two files define {name} differently"
        raise Unprovable(msg)
    program.globals[name] = Buffer.of_numbers(name, numbers, ctype.element)
    program.global_types[name] = ctype
