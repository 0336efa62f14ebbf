"""An abstract machine that executes parsed C on values that stand for every input.

Indices, bounds and conditions must not depend on the input; what depends on it goes through `Arithmetic`. The machine
holds what a program has at run time and calls functions; what each construct of C does stands in `STATEMENTS` and
`EXPRESSIONS` (`s2s.prove.statements`, `s2s.prove.expressions`). A construct that is in neither ends the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pycparser import c_ast

from s2s.prove.arithmetic import Arithmetic
from s2s.prove.atoms import Atoms
from s2s.prove.changes import Changes
from s2s.prove.control import Returned
from s2s.prove.ctypes import BOOL, I32, IntType
from s2s.prove.declarations import CType, PointerType
from s2s.prove.faults import Unprovable
from s2s.prove.memory import Memory
from s2s.prove.program import Program
from s2s.prove.values import Aggregate, Comparison, Form, Function, Lanes, Pointer, Value, is_number

Typed = tuple[Value, CType]
"""A value and its type in C."""
Statements = Mapping[type[c_ast.Node], Callable[["Machine", Any], None]]
Expressions = Mapping[type[c_ast.Node], Callable[["Machine", Any], Typed]]
NULL = Pointer(None, 0, None)


@dataclass
class Variable:
    """A local variable or parameter."""

    ctype: CType
    value: Value | None


class Machine:
    """Executes functions of a program."""

    def __init__(self, program: Program, atoms: Atoms, statements: Statements, expressions: Expressions) -> None:
        self.program = program
        self.statements, self.expressions = statements, expressions
        self.lanes = Lanes()
        self.arithmetic = Arithmetic(atoms, self.lanes)
        self.memory = Memory(self.arithmetic, self.lanes)
        self.scopes: list[dict[str, Variable]] = []
        self.in_order: set[int] = set()
        """Loops that run one iteration after the other."""
        self.loop_changes: dict[int, Changes] = {}
        self.cuts: dict[int, set[int]] = {}
        """Where loops inside the present outermost one are cut into parts that run at once."""
        self.called: set[str] = set()
        """Functions that were executed."""
        self.by_meaning: set[str] = set()
        """Functions of the runtime and of math.h that were taken by their documented meaning."""
        self.kept: list[object] = []
        """Nodes whose numbers are in use as names."""

    def call(self, name: str, arguments: list[Value]) -> tuple[Value | None, CType]:
        """Run a function of the tree on arguments that have the types of its parameters."""
        parameters = self.program.parameters(name, len(arguments))
        self.called.add(name)
        outer, self.scopes = self.scopes, [{}]
        try:
            for (parameter, ctype), argument in zip(parameters, arguments, strict=True):
                self.scopes[0][parameter] = Variable(ctype, self._bound(argument, ctype))
            self.execute(self.program.functions[name].body)
        except Returned as result:
            if result.value is None:
                return None, I32
            ctype = self.program.result(name)
            return self.to_type(result.value, result.ctype, ctype), ctype
        finally:
            self.scopes = outer
        return None, I32

    def _bound(self, argument: Value, ctype: CType) -> Value:
        """The argument as the value of a parameter."""
        if isinstance(argument, Pointer) and isinstance(ctype, PointerType):
            return Pointer(argument.target, argument.offset, ctype.element)
        return self.copied(argument)

    def execute(self, node: c_ast.Node) -> None:
        """Run a statement."""
        run = self.statements.get(type(node))
        if run is None:
            self.evaluate(node)
        else:
            run(self, node)

    def evaluate(self, node: c_ast.Node) -> Typed:
        """The value of an expression and its type."""
        value = self.expressions.get(type(node))
        if value is None:
            msg = f"{type(node).__name__} in C is not known to the prover"
            raise Unprovable(msg)
        return value(self, node)

    def truth(self, node: c_ast.Node) -> bool:
        """A condition that is the same in every lane and for every input."""
        value, ctype = self.evaluate(node)
        if isinstance(value, Pointer):
            return not value.is_null
        assert isinstance(ctype, IntType)
        if not is_number(value):
            value = self.arithmetic.compare("!=", value, 0, ctype)
        if isinstance(value, Function):
            value = self.arithmetic.linear(value)
        if isinstance(value, Form) and not any(np.any(ids) for ids, _ in value.groups):
            value = value.constant
        if not is_number(value):
            msg = "a statement depends on a condition of the input"
            raise Unprovable(msg)
        array = np.asarray(value) != 0
        if array.ndim and np.any(array) != np.all(array):
            raise self.arithmetic.parts(array)
        return bool(array.reshape(-1)[0])

    def find(self, name: str) -> Variable | None:
        """The variable of this name that is in scope."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def to_type(self, value: Value, source: CType, ctype: CType) -> Value:
        """A value converted from one type to another."""
        if isinstance(ctype, PointerType):
            return self._as_address(value, ctype)
        if isinstance(ctype, IntType) and isinstance(value, Pointer):
            msg = "an address is used as a number"
            raise Unprovable(msg)
        if isinstance(ctype, IntType) and isinstance(source, IntType):
            if ctype == BOOL and source != BOOL:
                return self.arithmetic.compare("!=", value, 0, source)
            if ctype == source or isinstance(value, Comparison):
                return value
            if ctype.real or source.real:
                return self.arithmetic.convert_float(value, source, ctype)
            return self.arithmetic.convert(value, source, ctype)
        return self.copied(value)

    def _as_address(self, value: Value, ctype: PointerType) -> Pointer:
        if isinstance(value, Pointer):
            return Pointer(value.target, value.offset, ctype.element)
        if isinstance(value, int) and value == 0:
            return NULL
        msg = "a number is used as an address"
        raise Unprovable(msg)

    def copied(self, value: Value) -> Value:
        """A value of its own where it is a structure."""
        if isinstance(value, Aggregate):
            return Aggregate(list(value.items), value.width, self.lanes.depth)
        return value
