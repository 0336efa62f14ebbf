"""The `c` dialect: one construct of C99 an operation, and nothing about tensors.

Expressions are SSA values. A value used once is printed where it is used; `c-name-temporaries` turns the others into
`c.let`, after which emission only prints. Reading an object (`c.load`) and writing it (`c.assign`) are separate from
designating it (`c.variable`, `c.subscript`, `c.member`), as they are in C.
"""

from xdsl.ir import Dialect

from s2s.dialects.c.control import BreakOp, CommentOp, ForOp, IfOp, LoopOp, ReturnOp, SwitchOp
from s2s.dialects.c.expressions import (
    AggregateOp,
    BinaryOp,
    CallOp,
    CastOp,
    ConditionalOp,
    LiteralOp,
    SymbolOp,
    UnaryOp,
)
from s2s.dialects.c.objects import AddressOfOp, AssignOp, LetOp, LoadOp, MemberOp, SubscriptOp, VariableOp
from s2s.dialects.c.types import STATUS, VOID, ArrayType, LValueType, NamedType, PtrType
from s2s.dialects.c.unit import FuncOp, GlobalOp, IncludeOp, OverlayOp, StructOp

C = Dialect(
    "c",
    [
        AddressOfOp,
        AggregateOp,
        AssignOp,
        BinaryOp,
        BreakOp,
        CallOp,
        CastOp,
        CommentOp,
        ConditionalOp,
        ForOp,
        FuncOp,
        GlobalOp,
        IfOp,
        IncludeOp,
        LetOp,
        LiteralOp,
        LoadOp,
        LoopOp,
        MemberOp,
        OverlayOp,
        ReturnOp,
        StructOp,
        SubscriptOp,
        SwitchOp,
        SymbolOp,
        UnaryOp,
        VariableOp,
    ],
    [ArrayType, LValueType, NamedType, PtrType],
)

__all__ = [
    "STATUS",
    "VOID",
    "AddressOfOp",
    "AggregateOp",
    "ArrayType",
    "AssignOp",
    "BinaryOp",
    "BreakOp",
    "C",
    "CallOp",
    "CastOp",
    "CommentOp",
    "ConditionalOp",
    "ForOp",
    "FuncOp",
    "GlobalOp",
    "IfOp",
    "IncludeOp",
    "LValueType",
    "LetOp",
    "LiteralOp",
    "LoadOp",
    "LoopOp",
    "MemberOp",
    "NamedType",
    "OverlayOp",
    "PtrType",
    "ReturnOp",
    "StructOp",
    "SubscriptOp",
    "SwitchOp",
    "SymbolOp",
    "UnaryOp",
    "VariableOp",
]
