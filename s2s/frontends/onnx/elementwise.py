"""Operators that treat each element alone: arithmetic, comparison, logic, bits, casts."""

from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np
from onnx import TensorProto
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, greater, maximum, minimum, select
from s2s.frontends.onnx.narrow import convert, marked, numbers
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.tensors import element_dtype
from s2s.types.dtypes import from_numpy
from s2s.types.narrow import NARROW

OperationClass = Callable[..., Operation]


def aligned(a: Value, b: Value, axis: int) -> Value:
    """`b` with its dimensions at the dimensions of `a` from `axis` on, for numpy broadcasting."""
    return emit(graph.ReshapeOp, b, shape=[*b.shape, *[1] * (a.rank - axis - b.rank)])


def legacy_broadcast(node: Node, a: Value, b: Value) -> Value:
    """`b` as an operator before opset 7 aligned it: only on request, from the back or from `axis`."""
    if node.since >= 7:
        return b
    if not node.flag("broadcast", False):
        if a.shape != b.shape:
            raise node.invalid(f"shapes {list(a.shape)} and {list(b.shape)} differ", "set broadcast = 1")
        return b
    if not node.has("axis"):
        return b
    axis = node.axis(node.integer("axis"), a.rank)
    if axis + b.rank > a.rank:
        raise node.invalid(f"axis {axis} leaves no room for {b.rank} dimensions", "fix the axis")
    return aligned(a, b, axis)


def _unary(operation: OperationClass) -> Importer:
    return lambda node: emit(operation, node.input(0))


def _erf(node: Node) -> Value:
    """The error function; of integers, which opsets before 13 take, cut to a whole number."""
    x = node.input(0)
    return emit(graph.ErfOp, x) if x.is_float else cast(emit(graph.ErfOp, cast(x, np.dtype(np.float64))), x.dtype)


def _binary(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        return emit(operation, a, legacy_broadcast(node, a, b))

    return importer


def _variadic(operation: OperationClass) -> Importer:
    return lambda node: reduce(lambda a, b: emit(operation, a, b), node.inputs())


def _mean(node: Node) -> Value:
    return reduce(lambda a, b: a + b, node.inputs()) / len(node.operands)


def _identity(node: Node) -> Value:
    return node.input(0)


def _cast(node: Node) -> Value:
    x = node.input(0)
    if x.texts is not None:
        if node.integer("to") != TensorProto.STRING:
            raise node.unsupported("its input is text", "use numbers")
        return x
    return _converted(node, element_dtype(node.integer("to"), f"{node.place}: attribute 'to'"))


def _cast_like(node: Node) -> Value:
    return _converted(node, node.input(1).model_dtype)


def _converted(node: Node, target: np.dtype[np.generic]) -> Value:
    mode = node.text("round_mode", "up")
    return convert(node.input(0), target, saturate=node.flag("saturate", True), round_mode=mode)


def _where(node: Node) -> Value:
    return select(node.input(0), node.input(1), node.input(2))


def _clip(node: Node) -> Value:
    x = node.input(0)
    if node.since < 11:
        return clamp(x, *_attribute_bounds(node))
    low, high = node.optional(1), node.optional(2)
    bounds = [bound.array for bound in (low, high) if bound is not None]
    if all(array is not None and array.size == 1 and not np.isnan(array).any() for array in bounds):
        return clamp(x, node.known_number(1, "min"), node.known_number(2, "max"))
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def _attribute_bounds(node: Node) -> tuple[float | None, float | None]:
    """Bounds of Clip before opset 11, whose defaults are the largest finite floats, meaning none."""
    largest = float(np.finfo(np.float32).max)
    low, high = node.real("min", -largest), node.real("max", largest)
    return None if low <= -largest else low, None if high >= largest else high


def _pow(node: Node) -> Value:
    base, exponent = node.input(0), node.input(1)
    exponent = legacy_broadcast(node, base, exponent)
    if exponent.is_float and not base.is_float:
        return cast(emit(graph.PowOp, cast(base, exponent.dtype), exponent), base.dtype)
    return emit(graph.PowOp, base, cast(exponent, base.dtype))


def _mod(node: Node) -> Value:
    return emit(graph.ModOp, node.input(0), node.input(1), fmod=node.flag("fmod"))


def _bit_cast(node: Node) -> Value:
    x, target = node.input(0), element_dtype(node.integer("to"), f"{node.place}: attribute 'to'")
    given, wanted = NARROW.get(x.model_dtype), NARROW.get(target)
    if (given and given.bits < 8) or (wanted and wanted.bits < 8):
        raise node.unsupported(f"reinterprets {x.model_dtype} as {target}", "do this outside the network")
    carrier = target if wanted is None else wanted.carrier
    plain = marked(x, None)
    bits = plain if carrier == x.dtype else emit(graph.BitcastOp, plain, element_type=from_numpy(carrier))
    return marked(bits, wanted)


def _binarizer(node: Node) -> Value:
    x = node.input(0)
    return cast(greater(x, node.real("threshold")), x.dtype)


def _bit_shift(node: Node) -> Value:
    left = node.choice("direction", "LEFT", "RIGHT") == "LEFT"
    return emit(graph.ShiftLeftOp if left else graph.ShiftRightOp, node.input(0), node.input(1))


def _is_nan(node: Node) -> Value:
    return emit(graph.IsNanOp, numbers(node.input(0)))


def _is_inf(node: Node) -> Value:
    return emit(
        graph.IsInfOp,
        numbers(node.input(0)),
        detect_negative=node.flag("detect_negative"),
        detect_positive=node.flag("detect_positive"),
    )


IMPORTERS: Mapping[str, Importer] = {
    "Abs": _unary(graph.AbsOp),
    "Acos": _unary(graph.AcosOp),
    "Acosh": _unary(graph.AcoshOp),
    "Add": _binary(graph.AddOp),
    "And": _binary(graph.LogicalAndOp),
    "Asin": _unary(graph.AsinOp),
    "Asinh": _unary(graph.AsinhOp),
    "Atan": _unary(graph.AtanOp),
    "Atanh": _unary(graph.AtanhOp),
    "BitCast": _bit_cast,
    "BitShift": _bit_shift,
    "BitwiseAnd": _binary(graph.BitwiseAndOp),
    "BitwiseNot": _unary(graph.BitwiseNotOp),
    "BitwiseOr": _binary(graph.BitwiseOrOp),
    "BitwiseXor": _binary(graph.BitwiseXorOp),
    "Cast": _cast,
    "CastLike": _cast_like,
    "Ceil": _unary(graph.CeilOp),
    "Clip": _clip,
    "Cos": _unary(graph.CosOp),
    "Cosh": _unary(graph.CoshOp),
    "Div": _binary(graph.DivOp),
    "Equal": _binary(graph.EqualOp),
    "Erf": _erf,
    "Exp": _unary(graph.ExpOp),
    "Floor": _unary(graph.FloorOp),
    "Greater": _binary(graph.GreaterOp),
    "GreaterOrEqual": _binary(graph.GreaterEqualOp),
    "Identity": _identity,
    "IsInf": _is_inf,
    "IsNaN": _is_nan,
    "Less": _binary(graph.LessOp),
    "LessOrEqual": _binary(graph.LessEqualOp),
    "Log": _unary(graph.LogOp),
    "Max": _variadic(graph.MaximumOp),
    "Mean": _mean,
    "Min": _variadic(graph.MinimumOp),
    "Mod": _mod,
    "Mul": _binary(graph.MulOp),
    "Neg": _unary(graph.NegOp),
    "Not": _unary(graph.LogicalNotOp),
    "Or": _binary(graph.LogicalOrOp),
    "Pow": _pow,
    "Reciprocal": _unary(graph.ReciprocalOp),
    "Round": _unary(graph.RoundOp),
    "Sign": _unary(graph.SignOp),
    "Sin": _unary(graph.SinOp),
    "Sinh": _unary(graph.SinhOp),
    "Sqrt": _unary(graph.SqrtOp),
    "Sub": _binary(graph.SubOp),
    "Sum": _variadic(graph.AddOp),
    "Tan": _unary(graph.TanOp),
    "Tanh": _unary(graph.TanhOp),
    "Where": _where,
    "Xor": _binary(graph.LogicalXorOp),
}
ML_IMPORTERS: Mapping[str, Importer] = {
    "Binarizer": _binarizer,
}
