"""Types and declarations of parsed C."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from pycparser import c_ast

from s2s.prove.ctypes import F32, I32, I64, NAMES, U32, U64, IntType, common, named, promoted
from s2s.prove.faults import Unprovable
from s2s.prove.floats import key_of
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
    """A structure whose members hold numbers of one type; in memory, they may be of several. A union has its members in
    one place."""

    members: tuple[tuple[str, CType], ...]
    is_union: bool = False

    @property
    def scalar(self) -> IntType:
        """The type of its numbers."""
        kinds = {scalar_of(ctype) for _, ctype in self.members}
        if len(kinds) != 1 or self.is_union:
            msg = "a structure with numbers of several types"
            raise Unprovable(msg)
        return kinds.pop()

    @property
    def scalars(self) -> int:
        """How many numbers it holds."""
        return sum(scalars_of(ctype) for _, ctype in self.members)

    def place(self, name: str) -> tuple[int, CType]:
        """Bytes before a member in memory, and its type: each lies at the next multiple of its alignment."""
        end = 0
        for each, ctype in self.members:
            begin = 0 if self.is_union else -(-end // alignment_of(ctype)) * alignment_of(ctype)
            if each == name:
                return begin, ctype
            end = begin + size_of(ctype)
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


def alignment_of(ctype: CType) -> int:
    """The bytes of which an address of a type is a multiple: the size of its largest number."""
    if isinstance(ctype, StructType):
        return max(alignment_of(member) for _, member in ctype.members)
    return alignment_of(ctype.element) if isinstance(ctype, ArrayType) else size_of(ctype)


def size_of(ctype: CType) -> int:
    """Bytes of a type; void counts as one, as gcc has it."""
    if isinstance(ctype, IntType):
        return ctype.size
    if isinstance(ctype, ArrayType):
        return ctype.count * size_of(ctype.element)
    if isinstance(ctype, StructType):
        ends = [ctype.place(name)[0] + size_of(member) for name, member in ctype.members]
        return -(-max(ends) // alignment_of(ctype)) * alignment_of(ctype)
    if ctype is None:
        return 1
    msg = "the size of an address"
    raise Unprovable(msg)


def _in_type(value: int, ctype: IntType) -> tuple[int, IntType]:
    """A constant and its type, which holds it."""
    if not ctype.least <= value <= ctype.most or (ctype.bits == 64 and not ctype.signed and value < 0):
        msg = f"the constant {value} of {ctype.bits} bits"
        raise Unprovable(msg)
    return value, ctype


def same_tree(a: c_ast.Node, b: c_ast.Node) -> bool:
    """Whether two nodes say the same C."""
    if type(a) is not type(b) or any(getattr(a, name) != getattr(b, name) for name in a.attr_names):
        return False
    pairs = a.children(), b.children()
    return len(pairs[0]) == len(pairs[1]) and all(
        left[0] == right[0] and same_tree(left[1], right[1]) for left, right in zip(*pairs, strict=True)
    )


Node = TypeVar("Node", bound=c_ast.Node)


def define(names: dict[str, Node], name: str, node: Node) -> None:
    """Let a name stand for a definition of a file; one in a header is defined in each file that includes it.

    Raises Unprovable where another file defines it differently: the prover has one scope for all files.
    """
    defined = names.setdefault(name, node)
    if defined is not node and not same_tree(defined, node):
        msg = f"two files define {name} differently"
        raise Unprovable(msg)


@dataclass
class Types:
    """Typedefs, structures, unions and enumerators of a program."""

    typedefs: dict[str, c_ast.Node] = field(default_factory=dict[str, c_ast.Node])
    structs: dict[str, c_ast.Struct | c_ast.Union] = field(default_factory=dict[str, c_ast.Struct | c_ast.Union])
    enumerators: dict[str, int] = field(default_factory=dict[str, int])
    literals: dict[int, tuple[int, IntType]] = field(default_factory=dict[int, tuple[int, IntType]])
    known: dict[int, tuple[c_ast.Node, CType]] = field(default_factory=dict[int, tuple[c_ast.Node, CType]])

    def note(self, item: c_ast.Node) -> None:
        """Remember what a declaration names."""
        if isinstance(item, c_ast.Typedef):
            define(self.typedefs, item.name, item.type)
        inner = item.type if isinstance(item, c_ast.Typedef | c_ast.Decl) else None
        while isinstance(inner, c_ast.TypeDecl):
            inner = inner.type
        if isinstance(inner, c_ast.Struct | c_ast.Union) and inner.decls and inner.name:
            define(self.structs, inner.name, inner)
        if isinstance(inner, c_ast.Enum) and inner.values is not None:
            self._note_enumerators(inner.values)

    def _note_enumerators(self, values: c_ast.EnumeratorList) -> None:
        following = 0
        for each in values.enumerators:
            value = following if each.value is None else self.constant(each.value)
            if self.enumerators.setdefault(each.name, value) != value:
                msg = f"two files define {each.name} differently"
                raise Unprovable(msg)
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
        if isinstance(node, c_ast.Struct | c_ast.Union):
            decls = node.decls or self.structs[node.name].decls or []
            if any(part == "bitsize" for each in decls for part, _ in each.children()):
                msg = "a structure with bit-fields"
                raise Unprovable(msg)
            members = tuple((each.name, self.of(each.type)) for each in decls)
            return StructType(members, isinstance(node, c_ast.Union))
        if isinstance(node, c_ast.Enum | c_ast.FuncDecl):
            return I32 if isinstance(node, c_ast.Enum) else None
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
        return self._constant(node)[0]

    def converted(self, node: c_ast.Node, ctype: IntType) -> int:
        """The value of a constant expression as a number of a type, the key of a float."""
        value, source = self._constant(node)
        if source.real and not ctype.real:
            msg = "a float as the constant of an integer"
            raise Unprovable(msg)
        return key_of(str(value)) if ctype.real and not source.real else value

    def _constant(self, node: c_ast.Node) -> tuple[int, IntType]:
        """The value and type of a constant expression; arithmetic that leaves its type is refused."""
        if isinstance(node, c_ast.Constant):
            return self.literal(node)
        if isinstance(node, c_ast.UnaryOp) and node.op in {"-", "+"}:
            value, ctype = self._constant(node.expr)
            if ctype.real:
                return (~value if node.op == "-" else value), ctype
            return _in_type(-value if node.op == "-" else value, promoted(ctype))
        if isinstance(node, c_ast.BinaryOp) and node.op in {"+", "-", "*"}:
            (left, left_type), (right, right_type) = self._constant(node.left), self._constant(node.right)
            result = left + right if node.op == "+" else left - right if node.op == "-" else left * right
            ctype = common(left_type, right_type)
            if ctype.real:
                msg = "arithmetic on floats in a constant expression"
                raise Unprovable(msg)
            for value in (left, right):
                _in_type(value, ctype)
            return _in_type(result, ctype)
        if isinstance(node, c_ast.ID) and node.name in self.enumerators:
            return self.enumerators[node.name], I32
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
        if node.type in {"float", "double"} and text.endswith("f"):
            return key_of(node.value), F32
        if node.type in {"float", "double"} or (node.type != "char" and not text[:1].isdigit()):
            msg = f"{node.value}, a number in double precision"
            raise Unprovable(msg)
        suffix = text[len(text.rstrip("ul")) :]
        if node.type == "char" or suffix.count("l") == 1:
            msg = f"{node.value}, whose value or type compilers may choose"
            raise Unprovable(msg)
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
