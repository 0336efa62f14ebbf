"""The functions, types and constants that the files of a tree define."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from pycparser import c_ast

from s2s.prove.ctypes import IntType
from s2s.prove.declarations import ArrayType, CType, Types
from s2s.prove.faults import Unprovable
from s2s.prove.memory import Buffer
from s2s.prove.source import Source


@dataclass
class Program:
    """Functions, types and constants of a tree."""

    functions: dict[str, c_ast.FuncDef] = field(default_factory=dict[str, c_ast.FuncDef])
    types: Types = field(default_factory=Types)
    globals: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    global_types: dict[str, ArrayType] = field(default_factory=dict[str, ArrayType])

    def parameters(self, name: str) -> list[tuple[str, CType]]:
        """Names and types of a function's parameters, arrays as pointers.

        Raises Unprovable where the tree does not define it.
        """
        if name not in self.functions:
            msg = f"{name} has no definition in the tree"
            raise Unprovable(msg)
        declared = self.functions[name].decl.type
        assert isinstance(declared, c_ast.FuncDecl)
        listed = declared.args.params if declared.args is not None else []
        return [(each.name, self.types.of_parameter(each.type)) for each in listed if isinstance(each, c_ast.Decl)]

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
                _define_function(program, item)
                continue
            program.types.note(item)
            if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.ArrayDecl) and item.init is not None:
                _define_array(program, item, source)
    return program


def _define_function(program: Program, item: c_ast.FuncDef) -> None:
    """A function; one of a header stands in each file that includes it."""
    known = program.functions.setdefault(item.decl.name, item)
    if known is not item and not same_tree(known, item):
        msg = f"two files define {item.decl.name} differently"
        raise Unprovable(msg)


def _define_array(program: Program, item: c_ast.Decl, source: Source) -> None:
    """A constant array with its numbers; arrays of anything but integers stay unknown."""
    try:
        ctype = program.types.of(item.type)
    except Unprovable:
        return
    assert isinstance(ctype, ArrayType)
    if not isinstance(ctype.element, IntType):
        return
    if isinstance(item.init, c_ast.Constant):
        numbers = source.numbers[int(item.init.value)]
    else:
        assert isinstance(item.init, c_ast.InitList)
        numbers = np.array([program.types.constant(each) for each in item.init.exprs], np.int64)
    full = np.zeros(ctype.count, np.int64)
    full[: len(numbers)] = numbers
    known = program.globals.get(item.name)
    if known is not None and not np.array_equal(known.numbers, full):
        msg = f"two files define {item.name} differently"
        raise Unprovable(msg)
    program.globals[item.name] = Buffer.of_numbers(item.name, full, ctype.element)
    program.global_types[item.name] = ctype


def same_tree(a: c_ast.Node, b: c_ast.Node) -> bool:
    """Whether two nodes say the same C."""
    if type(a) is not type(b) or any(getattr(a, name) != getattr(b, name) for name in a.attr_names):
        return False
    pairs = a.children(), b.children()
    return len(pairs[0]) == len(pairs[1]) and all(
        left[0] == right[0] and same_tree(left[1], right[1]) for left, right in zip(*pairs, strict=True)
    )
