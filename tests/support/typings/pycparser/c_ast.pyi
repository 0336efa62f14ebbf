"""Nodes of a parsed C file: `Expression` and `Type` name the nodes that stand where C has one."""

class Node:
    attr_names: tuple[str, ...]
    def children(self) -> tuple[tuple[str, Node], ...]: ...

class FileAST(Node):
    ext: list[Node]

class FuncDef(Node):
    decl: Decl
    body: Compound

# Declarations and types

class Decl(Node):
    name: str
    quals: list[str]
    storage: list[str]
    type: Node
    init: Node | None

class DeclList(Node):
    decls: list[Decl]

class Typedef(Node):
    name: str
    type: Node

class Typename(Node):
    type: Node

class TypeDecl(Node):
    type: Node

class PtrDecl(Node):
    quals: list[str]
    type: Node

class ArrayDecl(Node):
    type: Node
    dim: Node | None

class FuncDecl(Node):
    args: ParamList | None
    type: Node

class ParamList(Node):
    params: list[Node]

class IdentifierType(Node):
    names: list[str]

class Struct(Node):
    name: str
    decls: list[Decl] | None

class Union(Node):
    name: str
    decls: list[Decl] | None

class Enum(Node):
    name: str
    values: EnumeratorList | None

class EnumeratorList(Node):
    enumerators: list[Enumerator]

class Enumerator(Node):
    name: str
    value: Node | None

class InitList(Node):
    exprs: list[Node]

# Statements

class Compound(Node):
    block_items: list[Node] | None

class EmptyStatement(Node): ...
class Pragma(Node): ...
class Break(Node): ...

class Return(Node):
    expr: Node | None

class If(Node):
    cond: Node
    iftrue: Node | None
    iffalse: Node | None

class For(Node):
    init: Node | None
    cond: Node | None
    next: Node | None
    stmt: Node

class While(Node):
    cond: Node
    stmt: Node

class DoWhile(Node):
    cond: Node
    stmt: Node

# Expressions

class Constant(Node):
    type: str
    value: str

class ID(Node):
    name: str

class Cast(Node):
    to_type: Typename
    expr: Node

class UnaryOp(Node):
    op: str
    expr: Node

class BinaryOp(Node):
    op: str
    left: Node
    right: Node

class TernaryOp(Node):
    cond: Node
    iftrue: Node
    iffalse: Node

class ArrayRef(Node):
    name: Node
    subscript: Node

class StructRef(Node):
    name: Node
    type: str
    field: ID

class ExprList(Node):
    exprs: list[Node]

class FuncCall(Node):
    name: Node
    args: ExprList | None

class Assignment(Node):
    op: str
    lvalue: Node
    rvalue: Node
