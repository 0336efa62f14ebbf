"""Values of the level `loop` as text in the form in which TVM prints its loops: types, affine indices, operations.

arith.addf %a, %b : f32                  (a + b)
loop.load %A[(d0) -> (d0 * 4)(%i)]       A[(i*4)], of a vector A[ramp((i*4), 1, 4)]
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.arith import CMPF_COMPARISON_OPERATIONS, CMPI_COMPARISON_OPERATIONS
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, StringAttr, VectorType, i32
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.dialects import loop
from s2s.types.dtypes import ELEMENT_TYPES, to_numpy
from s2s.types.hints import isa

_SIGNS: Mapping[str, str] = {
    "arith.addf": " + ",
    "arith.addi": " + ",
    "arith.subf": " - ",
    "arith.subi": " - ",
    "arith.mulf": "*",
    "arith.muli": "*",
    "arith.divf": " / ",
    "arith.divsi": " / ",
    "arith.andi": " & ",
    "arith.ori": " | ",
    "arith.xori": " ^ ",
    "arith.shli": " << ",
    "arith.shrsi": " >> ",
}
_CALLS: Mapping[str, str] = {
    "arith.maximumf": "max",
    "arith.maxnumf": "max",
    "arith.maxsi": "max",
    "arith.minimumf": "min",
    "arith.minnumf": "min",
    "arith.minsi": "min",
    "arith.select": "select",
    "arith.floordivsi": "floordiv",
    "arith.remsi": "truncmod",
}
_CASTS = ("fptosi", "fptoui", "sitofp", "uitofp", "extf", "truncf", "trunci", "extsi", "extui", "index_cast", "bitcast")
_SIGN_OF: Mapping[str, str] = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def type_text(kind: Attribute) -> str:
    """An element type, or a vector's, as TVM names it: `float32`, `float32x16`."""
    if isa(kind, VectorType):
        return f"{type_text(kind.element_type)}x{kind.get_shape()[0]}"
    if isinstance(kind, IndexType):
        return "int32"
    return str(to_numpy(kind)) if kind in ELEMENT_TYPES else str(kind)


def affine_text(expr: AffineExpr, dims: Sequence[str]) -> str:
    """An affine expression of indices."""
    match expr:
        case AffineConstantExpr():
            return str(expr.value)
        case AffineDimExpr():
            return dims[expr.position]
        case AffineBinaryOpExpr():
            a, b = affine_text(expr.lhs, dims), affine_text(expr.rhs, dims)
            match expr.kind:
                case AffineBinaryOpKind.Add:
                    return f"({a} - {b[1:]})" if b.startswith("-") else f"({a} + {b})"
                case AffineBinaryOpKind.Mul:
                    return f"({a}*{b})"
                case AffineBinaryOpKind.FloorDiv:
                    return f"floordiv({a}, {b})"
                case AffineBinaryOpKind.CeilDiv:
                    return f"ceildiv({a}, {b})"
                case _:
                    return f"floormod({a}, {b})"
        case _:
            return str(expr)


def element_text(op: loop.LoadOp | loop.StoreOp, value: Attribute, buffer: str, indices: Sequence[str]) -> str:
    """The elements that a load reads, or a store writes."""
    place = affine_text(op.map.data.results[0], indices)
    if isa(value, VectorType):
        lanes = value.get_shape()[0] if op.lanes is None else op.lanes.value.data
        place = f"ramp({place}, {op.lane_stride}, {lanes})"
    return f"{buffer}[{place}]"


def constant_text(op: arith.ConstantOp) -> str:
    """A number as TVM writes it: `1`, `1i64`, `0.5f32`."""
    kind, value = op.result.type, op.value
    if isinstance(value, FloatAttr):
        return f"{value.value.data:.9g}{_suffix(kind)}"
    if isinstance(value, IntegerAttr):
        return str(value.value.data) + ("" if type_text(kind) == "int32" else _suffix(kind))
    return str(value)


def _suffix(kind: Attribute) -> str:
    return f"{'f' if isinstance(kind, AnyFloat) else 'i'}{kind.bitwidth}" if isa(kind, AnyFloat | IntegerType) else ""


def _sign(op: arith.CmpiOp | arith.CmpfOp) -> str | None:
    """The sign of a comparison; None where it has none, as whether two numbers are ordered."""
    names = CMPI_COMPARISON_OPERATIONS if isinstance(op, arith.CmpiOp) else CMPF_COMPARISON_OPERATIONS
    return _SIGN_OF.get(names[op.predicate.value.data][-2:])


def operation_text(op: Operation, operands: Sequence[str]) -> str:
    """What an operation computes of its operands; operations without a form of their own are calls by their names."""
    kind = type_text(op.results[0].type)
    dialect, _, short = op.name.partition(".")
    if op.name in _SIGNS:
        return f"({_SIGNS[op.name].join(operands)})"
    if op.name in _CALLS:
        return f"{_CALLS[op.name]}({', '.join(operands)})"
    if (form := _form(op, operands, kind)) is not None:
        return form
    if dialect == "arith" and short in _CASTS:
        return f"cast({kind}, {operands[0]})"
    name = f"tir.{short}" if dialect == "math" else op.name
    said = [f'"{value.data}"' for value in op.properties.values() if isinstance(value, StringAttr)]
    return f"@{name}({', '.join([*operands, *said])}, dtype={kind})"


def _form(op: Operation, operands: Sequence[str], kind: str) -> str | None:
    """The text of an operation that says more than its name and operands; None for others."""
    match op:
        case arith.ConstantOp():
            return constant_text(op)
        case arith.CmpiOp() | arith.CmpfOp():
            sign = _sign(op)
            return None if sign is None else f"({operands[0]} {sign} {operands[1]})"
        case arith.IndexCastOp() if {op.input.type, op.result.type} <= {IndexType(), i32}:
            return operands[0]
        case loop.LoadOp():
            return element_text(op, op.result.type, operands[0], operands[1:])
        case loop.LoadAtOp():
            return f"{operands[0]}[{operands[1]}]"
        case loop.ApplyOp():
            return affine_text(op.map.data.results[0], operands)
        case loop.BroadcastOp():
            return f"broadcast({operands[0]}, {kind.rpartition('x')[2]})"
        case loop.FmaOp():
            return f"(({operands[0]}*{operands[1]}) + {operands[2]})"
        case loop.SizeOp():
            return op.size.data
        case _:
            return None
