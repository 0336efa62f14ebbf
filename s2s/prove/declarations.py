"""Types and declarations of parsed C."""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from s2s.prove.ctypes import I32, I64, NAMES, U32, U64, IntType, named
from s2s.prove.faults import Unprovable
from s2s.support.frozen import frozen


@frozen
class PointerType:
    """A pointer; to None if it is to void."""

    element: CType


@frozen
class ArrayType:
    """An array of `count` elements."""

    element: CType
    count: int

    @property
    def scalar(self) -> IntType:
        """The type of its numbers."""
        return scalar_of(self.element)

    @property
    def scalars(self) -> int:
        """How many numbers it holds."""
        return self.count * scalars_of(self.element)


@frozen
class StructType:
    """A structure whose members hold numbers of one type."""

    members: tuple[tuple[str, CType], ...]

    @property
    def scalar(self) -> IntType:
        """The type of its numbers."""
        kinds = {scalar_of(ctype) for _, ctype in self.members}
        if len(kinds) != 1:
            msg = "a structure with numbers of several types"
            raise Unprovable(msg)
        return kinds.pop()

    @property
    def scalars(self) -> int:
        """How many numbers it holds."""
        return sum(scalars_of(ctype) for _, ctype in self.members)

    def member(self, name: str) -> tuple[int, CType]:
        """Numbers before a member, and its type."""
        before = 0
        for each, ctype in self.members:
            if each == name:
                return before, ctype
            before += scalars_of(ctype)
        raise KeyError(name)


CType = IntType | PointerType | ArrayType | StructType | None
"""None is void."""


def scalar_of(ctype: CType) -> IntType:
    """The type of the numbers in a type."""
    if isinstance(ctype, IntType):
        return ctype
    if isinstance(ctype, ArrayType | StructType):
        return ctype.scalar
    msg = "an array of addresses"
    raise Unprovable(msg)


def scalars_of(ctype: CType) -> int:
    """How many numbers a type holds."""
    return ctype.scalars if isinstance(ctype, ArrayType | StructType) else 1


def size_of(ctype: CType) -> int:
    """Bytes of a type; void counts as one, as gcc has it."""
    if isinstance(ctype, IntType):
        return ctype.size
    if isinstance(ctype, ArrayType | StructType):
        return ctype.scalar.size * ctype.scalars
    if ctype is None:
        return 1
    msg = "the size of an address"
    raise Unprovable(msg)


@dataclass
class Types:
    """Typedefs, structures and enumerators of a program."""

    typedefs: dict[str, c_ast.Node] = field(default_factory=dict[str, c_ast.Node])
    structs: dict[str, c_ast.Struct] = field(default_factory=dict[str, c_ast.Struct])
    enumerators: dict[str, int] = field(default_factory=dict[str, int])
    literals: dict[int, tuple[int, IntType]] = field(default_factory=dict[int, tuple[int, IntType]])
    known: dict[int, tuple[c_ast.Node, CType]] = field(default_factory=dict[int, tuple[c_ast.Node, CType]])

    def note(self, item: c_ast.Node) -> None:
        """Remember what a declaration names."""
        if isinstance(item, c_ast.Typedef):
            self.typedefs[item.name] = item.type
        inner = item.type if isinstance(item, c_ast.Typedef | c_ast.Decl) else None
        while isinstance(inner, c_ast.TypeDecl):
            inner = inner.type
        if isinstance(inner, c_ast.Struct) and inner.decls:
            self.structs[inner.name] = inner
        if isinstance(inner, c_ast.Enum) and inner.values is not None:
            self._note_enumerators(inner.values)

    def _note_enumerators(self, values: c_ast.EnumeratorList) -> None:
        following = 0
        for each in values.enumerators:
            value = following if each.value is None else self.constant(each.value)
            self.enumerators[each.name] = value
            following = value + 1

    def of(self, node: c_ast.Node) -> CType:
        """The type that a declaration gives."""
        found = self.known.get(id(node))
        if found is None:
            found = self.known[id(node)] = (node, self._of(node))
        return found[1]

    def of_parameter(self, node: c_ast.Node) -> CType:
        """The type of a parameter: arrays are pointers to their first element."""
        ctype = self.of(node)
        return PointerType(ctype.element) if isinstance(ctype, ArrayType) else ctype

    def _of(self, node: c_ast.Node) -> CType:
        if isinstance(node, c_ast.PtrDecl):
            return PointerType(self.of(node.type))
        if isinstance(node, c_ast.ArrayDecl):
            return ArrayType(self.of(node.type), 0 if node.dim is None else self.constant(node.dim))
        if isinstance(node, c_ast.TypeDecl):
            return self.of(node.type)
        if isinstance(node, c_ast.Struct):
            decls = node.decls or self.structs[node.name].decls or []
            return StructType(tuple((each.name, self.of(each.type)) for each in decls))
        if isinstance(node, c_ast.Enum):
            return I32
        if isinstance(node, c_ast.IdentifierType):
            name = " ".join(node.names)
            if name == "void":
                return None
            if name not in NAMES and name in self.typedefs:
                return self.of(self.typedefs[name])
            return named(node.names)
        msg = f"the type {type(node).__name__}"
        raise Unprovable(msg)

    def constant(self, node: c_ast.Node) -> int:
        """The value of a constant expression of integers."""
        if isinstance(node, c_ast.Constant):
            return int(self.literal(node)[0])
        if isinstance(node, c_ast.UnaryOp) and node.op in {"-", "+"}:
            value = self.constant(node.expr)
            return -value if node.op == "-" else value
        if isinstance(node, c_ast.BinaryOp) and node.op in {"+", "-", "*", "/"}:
            left, right = self.constant(node.left), self.constant(node.right)
            return {"+": left + right, "-": left - right, "*": left * right, "/": left // max(right, 1)}[node.op]
        if isinstance(node, c_ast.Cast):
            return self.constant(node.expr)
        if isinstance(node, c_ast.ID) and node.name in self.enumerators:
            return self.enumerators[node.name]
        msg = f"a constant expression with {type(node).__name__}"
        raise Unprovable(msg)

    def literal(self, node: c_ast.Constant) -> tuple[int, IntType]:
        """The value and type of a literal."""
        found = self.literals.get(id(node))
        if found is None:
            found = self.literals[id(node)] = self._literal(node)
        return found

    def _literal(self, node: c_ast.Constant) -> tuple[int, IntType]:
        text = node.value.lower()
        if node.type in {"float", "double"} or (node.type not in {"char"} and not text[:1].isdigit()):
            msg = "numbers in floating point"
            raise Unprovable(msg)
        if node.type == "char":
            return ord(node.value[1]), I32
        suffix = text[len(text.rstrip("ul")) :]
        digits = text[: len(text) - len(suffix)]
        value = int(digits, 0) if not (len(digits) > 1 and digits.isdigit() and digits[0] == "0") else int(digits, 8)
        unsigned, long = "u" in suffix, "ll" in suffix
        candidates = [U64] if long and unsigned else [I64] if long else [U32, U64] if unsigned else [I32, I64]
        if not unsigned and digits.startswith("0x"):
            candidates = [I64, U64] if long else [I32, U32, I64, U64]
        for ctype in candidates:
            if value <= (2**64 - 1 if ctype == U64 else ctype.most):
                return (value - 2**64 if ctype == U64 and value >= 2**63 else value), ctype
        msg = f"the literal {node.value}"
        raise Unprovable(msg)
