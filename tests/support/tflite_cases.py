"""Random cases for the converting, element-wise, reducing, normalising and resizing operators of TFLite.

`GENERATORS[builtin][kind](random)` gives one case: shapes that broadcast up to five dimensions, scales and zero points
as converters choose them and beyond, numbers over the whole range of their type.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import add, mul
from typing import Any

import numpy as np

from s2s.types.dtypes import Array
from support.tflite_case import (
    Case,
    Generator,
    Operand,
    Quant,
    Random,
    axes_of,
    broadcast_pair,
    operand_of,
    quant_of,
    reach_of,
    reduced_shape,
    result_near,
    scale_of,
    shape_of,
    values_of,
    zero_of,
)

_ACTIVATIONS = (0, 0, 0, 1, 2, 3)


# -------------------------------------------------------------------- two operands


def _two(
    builtin: str,
    kind: str,
    random: Random,
    *,
    reach: Callable[[float, float], float],
    activation: bool = True,
    most: int = 5,
) -> Case:
    first, second = (operand_of(random, kind, shape) for shape in broadcast_pair(random, most))
    if random.random() < 0.25:
        second = Operand(second.values, second.quant, constant=True)
    options = {"fused_activation_function": int(random.choice(_ACTIVATIONS))} if activation else {}
    shape = np.broadcast_shapes(first.values.shape, second.values.shape)
    quant = result_near(random, kind, reach(reach_of(first), reach_of(second)))
    return Case(builtin, [first, second], shape, kind, quant, options)


def _squared(a: float, b: float) -> float:
    return (a + b) ** 2


def _quotient(kind: str, random: Random) -> Case:
    case = _two("DIV", kind, random, reach=max)
    first, second = case.operands
    zero = second.quant[1] if second.quant else 0
    values = np.where(second.values == zero, second.values + (1 if zero < 100 else -1), second.values)
    divisor = Operand(values.astype(second.values.dtype), second.quant, second.constant)
    if first.quant is None or second.quant is None:
        return Case("DIV", [first, divisor], case.shape, kind, None, case.options)
    quant = result_near(random, kind, reach_of(first) / (second.quant[0] * float(random.integers(1, 64))))
    assert quant is not None
    defined = _quotient_is_defined(first, divisor, first.quant[0] / (second.quant[0] * quant[0]))
    return Case("DIV", [first, divisor], case.shape, kind, quant, case.options, defined)


def _quotient_is_defined(first: Operand, second: Operand, factor: float) -> Array:
    """Whether the reference shifts its quotient by less than the 32 bits it has."""
    (_, zero_a), (_, zero_b) = first.quant or (1, 0), second.quant or (1, 0)
    a, b = np.broadcast_arrays(first.values.astype(np.int64) - zero_a, second.values.astype(np.int64) - zero_b)
    a = np.where(b < 0, -a, a)
    sign_bits = 31 - np.ceil(np.log2(np.where(a < 0, -a, a + 1)))
    return np.frexp(factor)[1] - np.floor(np.log2(np.abs(b))) - sign_bits >= -30


def _floored(builtin: str, kind: str, random: Random) -> Case:
    first, second = (operand_of(random, kind, shape) for shape in broadcast_pair(random, 4))
    divisor = Operand(np.where(second.values == 0, second.values.dtype.type(3), second.values))
    shape = np.broadcast_shapes(first.values.shape, second.values.shape)
    return Case(builtin, [first, divisor], shape, kind)


def _same_scale(builtin: str, kind: str, random: Random) -> Case:
    """Operators on stored numbers: all three tensors are quantised alike."""
    first, second = broadcast_pair(random)
    quant = quant_of(random, kind)
    operands = [operand_of(random, kind, first, quant), operand_of(random, kind, second, quant)]
    return Case(builtin, operands, np.broadcast_shapes(first, second), kind, quant)


def _add_n(kind: str, random: Random) -> Case:
    shape, quant, count = shape_of(random), quant_of(random, kind), int(random.integers(2, 6))
    operands = [operand_of(random, kind, shape, quant) for _ in range(count)]
    return Case("ADD_N", operands, shape, kind, result_near(random, kind, count * reach_of(operands[0])))


def _comparison(builtin: str, kind: str, random: Random) -> Case:
    first, second = (operand_of(random, kind, shape) for shape in broadcast_pair(random, 4))
    if random.random() < 0.5:
        near = second.values.copy()
        near[...] = np.resize(first.values, near.shape)
        second = Operand(near, first.quant if random.random() < 0.5 else second.quant)
    return Case(builtin, [first, second], np.broadcast_shapes(first.values.shape, second.values.shape), "bool")


def _logical(builtin: str, random: Random) -> Case:
    first, second = (operand_of(random, "bool", shape) for shape in broadcast_pair(random, 4))
    return Case(builtin, [first, second], np.broadcast_shapes(first.values.shape, second.values.shape), "bool")


# --------------------------------------------------------------------- one operand


def _one(
    builtin: str,
    kind: str,
    random: Random,
    *,
    positive: bool = False,
    result: Callable[[Random, Operand], Quant | None] | None = None,
    options: Callable[[Random], Mapping[str, Any]] = lambda random: {},
) -> Case:
    operand = operand_of(random, kind, shape_of(random))
    if positive:
        zero = operand.quant[1] if operand.quant else 0
        values = operand.values
        above = np.abs(values) + np.float32(1e-3) if kind == "float32" else np.maximum(values, zero)
        operand = Operand(above.astype(values.dtype), operand.quant)
    quant = result(random, operand) if result else result_near(random, kind, reach_of(operand))
    return Case(builtin, [operand], operand.values.shape, kind, quant, options(random))


def _alike(random: Random, operand: Operand) -> Quant | None:
    return operand.quant


def _sometimes_alike(random: Random, operand: Operand) -> Quant | None:
    if random.random() < 0.3:
        return operand.quant
    return result_near(random, operand.values.dtype.name, reach_of(operand))


def _inverse_root(random: Random, operand: Operand) -> Quant | None:
    if operand.quant is None:
        return None
    return result_near(random, "int8", float(operand.quant[0] ** -0.5))


def _slope(random: Random) -> Mapping[str, Any]:
    return {"alpha": float(random.normal(0, 0.5))}


def _unit(scales: Mapping[str, Quant]) -> Callable[[Random, Operand], Quant | None]:
    return lambda random, operand: scales.get(operand.values.dtype.name)


def _sigmoid(builtin: str, kind: str, random: Random, scales: Mapping[str, Quant]) -> Case:
    case = _one(builtin, kind, random, result=_unit(scales))
    if kind == "float32":
        return case
    scale = (
        scale_of(random, -6.0, 0.0) if kind == "int8" else float(random.choice([2**-12, 2**-11, 3e-4, 1e-3, 2.5e-5]))
    )
    operand = Operand(case.operands[0].values, (scale, zero_of(random, kind)))
    return Case(builtin, [operand], case.shape, kind, case.quant)


def _hard_swish(kind: str, random: Random) -> Case:
    case = _one("HARD_SWISH", kind, random)
    quant = case.operands[0].quant
    if quant is None:
        return case
    return Case(
        "HARD_SWISH", case.operands, case.shape, kind, (quant[0] * float(random.uniform(0.5, 2)), zero_of(random, kind))
    )


def _prelu(kind: str, random: Random) -> Case:
    shape = shape_of(random, 4)
    slope = tuple(1 if random.random() < 0.4 else n for n in shape)
    alpha_kind = "float32" if kind == "float32" else "int8"
    x, alpha = operand_of(random, kind, shape), operand_of(random, alpha_kind, slope)
    if random.random() < 0.7:
        alpha = Operand(alpha.values, alpha.quant, constant=True)
    return Case("PRELU", [x, alpha], shape, kind, result_near(random, kind, reach_of(x)))


# ----------------------------------------------------------- reductions, rows, images


def _reduction(builtin: str, kind: str, random: Random, *, alike: bool = False) -> Case:
    x = operand_of(random, kind, shape_of(random, 4, 9))
    axes, keep = axes_of(random, x.values.ndim), bool(random.random() < 0.5)
    count = np.prod([x.values.shape[int(axis)] for axis in axes.values])
    quant = x.quant if alike else result_near(random, kind, reach_of(x) * (count**0.5 if builtin == "SUM" else 1))
    return Case(builtin, [x, axes], reduced_shape(x, axes, keep), kind, quant, {"keep_dims": keep})


def _arg(builtin: str, kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4))
    axis = int(random.integers(-x.values.ndim, x.values.ndim))
    shape = tuple(n for dim, n in enumerate(x.values.shape) if dim != axis % x.values.ndim)
    return Case(
        builtin, [x, Operand(np.array([axis], np.int32), constant=True)], shape, "int32", None, {"output_type": 2}
    )


def _cumsum(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4))
    axis = Operand(np.array([random.integers(-x.values.ndim, x.values.ndim)], np.int32), constant=True)
    options = {"exclusive": bool(random.random() < 0.5), "reverse": bool(random.random() < 0.5)}
    return Case("CUMSUM", [x, axis], x.values.shape, kind, result_near(random, kind, 3 * reach_of(x)), options)


_SOFTMAX_RESULTS: Mapping[tuple[str, str], Quant] = {
    ("int8", "int8"): (1 / 256, -128),
    ("int8", "int16"): (1 / 65536, -32768),
    ("int16", "int16"): (1 / 32768, 0),
}


def _softmax(kind: str, to: str, random: Random) -> Case:
    scale = scale_of(random, -6.0, 1.0) if kind == "int8" else scale_of(random, -11.0, -6.0)
    x = Operand(
        values_of(random, kind, (*shape_of(random, 3), int(random.integers(1, 40)))), (scale, zero_of(random, kind))
    )
    beta = float(random.choice([1.0, 1.0, 0.5, 2.0]))
    if kind == "float32":
        x = Operand(x.values)
    return Case("SOFTMAX", [x], x.values.shape, to, _SOFTMAX_RESULTS.get((kind, to)), {"beta": beta})


def _log_softmax(kind: str, random: Random) -> Case:
    x = Operand(values_of(random, kind, (*shape_of(random, 3), int(random.integers(1, 40)))))
    if kind == "int8":
        x = Operand(x.values, (scale_of(random, -6.0, 0.5), zero_of(random, kind)))
    return Case("LOG_SOFTMAX", [x], x.values.shape, kind, (1 / 16, 127) if kind == "int8" else None)


def _l2_normalization(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, (*shape_of(random, 3), int(random.integers(1, 40))))
    if random.random() < 0.3 and x.quant is not None:
        x = Operand(np.clip(x.values, x.quant[1] - 2, x.quant[1] + 2).astype(np.int8), x.quant)
    return Case("L2_NORMALIZATION", [x], x.values.shape, kind, (1 / 128, 0) if kind == "int8" else None)


def _resize(builtin: str, kind: str, random: Random) -> Case:
    n, h, w, c = (int(size) for size in random.integers(1, 9, 4))
    quant = quant_of(random, kind)
    x = Operand(values_of(random, kind, (n, h, w, c)), quant)
    factor = int(random.integers(1, 4))
    size = [h * factor, w * factor] if random.random() < 0.5 else [int(s) for s in random.integers(1, 20, 2)]
    corners = bool(random.random() < 0.4)
    options = {"align_corners": corners, "half_pixel_centers": bool(not corners and random.random() < 0.5)}
    operands = [x, Operand(np.array(size, np.int32), constant=True)]
    return Case(builtin, operands, (n, *size, c), kind, quant, options)


# ----------------------------------------------------------------------- conversions


def _quantize(source: str, target: str, random: Random) -> Case:
    x = operand_of(random, source, shape_of(random, 4))
    if source == "float32":
        scale = scale_of(random, -5.0, 1.0) if target == "int8" else scale_of(random, -9.0, -4.0)
        return Case("QUANTIZE", [x], x.values.shape, target, (scale, zero_of(random, target)))
    scale = (x.quant or (1.0, 0))[0] * float(np.exp(random.uniform(-2.0, 5.0)))
    return Case("QUANTIZE", [x], x.values.shape, target, (float(np.float32(scale)), zero_of(random, target)))


def _dequantize(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4))
    return Case("DEQUANTIZE", [x], x.values.shape, "float32")


def _cast(source: str, target: str, random: Random) -> Case:
    shape = shape_of(random, 4)
    values = values_of(random, source, shape, 40.0)
    if source == "float32":
        values = np.clip(values, -120, 120)
    return Case("CAST", [Operand(values)], shape, target)


def _broadcast_args(random: Random) -> Case:
    shapes = [np.array(shape, np.int32) for shape in broadcast_pair(random)]
    together = np.broadcast_shapes(*(tuple(int(n) for n in shape) for shape in shapes))
    operands = [Operand(shape, constant=True) for shape in shapes]
    return Case("BROADCAST_ARGS", operands, (len(together),), "int32")


# ------------------------------------------------------------------------ all of them


def _of(kinds: Sequence[str], make: Callable[[str, Random], Case]) -> Mapping[str, Generator]:
    return {kind: partial(make, kind) for kind in kinds}


_ALL, _F, _F8 = ("float32", "int8", "int16"), ("float32",), ("float32", "int8")
_LOGISTIC: Mapping[str, Quant] = {"int8": (1 / 256, -128), "int16": (1 / 32768, 0)}
_TANH: Mapping[str, Quant] = {"int8": (1 / 128, 0), "int16": (1 / 32768, 0)}

GENERATORS: Mapping[str, Mapping[str, Generator]] = {
    "QUANTIZE": {
        f"{source} to {target}": partial(_quantize, source, target) for source in _ALL for target in ("int8", "int16")
    },
    "BROADCAST_ARGS": {"int32": _broadcast_args},
    "DEQUANTIZE": _of(("int8", "int16"), _dequantize),
    "CAST": {
        f"{source} to {target}": partial(_cast, source, target)
        for source in (*_ALL, "int32", "bool")
        for target in ("float32", "int8", "int16", "int32")
        if source != target
    },
    "ADD": _of((*_ALL, "int32"), partial(_two, "ADD", reach=add)),
    "SUB": _of((*_ALL, "int32"), partial(_two, "SUB", reach=add)),
    "MUL": _of((*_ALL, "int32"), partial(_two, "MUL", reach=mul)),
    "SQUARED_DIFFERENCE": _of((*_ALL, "int32"), partial(_two, "SQUARED_DIFFERENCE", reach=_squared, activation=False)),
    "DIV": _of((*_F8, "int32"), _quotient),
    "FLOOR_DIV": _of(_F, partial(_floored, "FLOOR_DIV")),
    "FLOOR_MOD": _of(_F, partial(_floored, "FLOOR_MOD")),
    "ADD_N": _of(_F8, _add_n),
    **{name: _of((*_ALL, "int32", "int64"), partial(_same_scale, name)) for name in ("MAXIMUM", "MINIMUM")},
    **{name: _of((*_F8, "int32", "int64", "bool"), partial(_comparison, name)) for name in ("EQUAL", "NOT_EQUAL")},
    **{
        name: _of((*_F8, "int32", "int64"), partial(_comparison, name))
        for name in ("GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
    },
    **{name: {"bool": partial(_logical, name)} for name in ("LOGICAL_AND", "LOGICAL_OR")},
    "LOGICAL_NOT": _of(("bool",), partial(_one, "LOGICAL_NOT")),
    "ABS": _of(_ALL, partial(_one, "ABS", result=_sometimes_alike)),
    **{name: _of(_F, partial(_one, name)) for name in ("CEIL", "COS", "EXP", "FLOOR", "NEG", "ROUND", "SIN", "SQUARE")},
    **{name: _of(_F, partial(_one, name, positive=True)) for name in ("LOG", "SQRT")},
    "RSQRT": _of(_F8, partial(_one, "RSQRT", positive=True, result=_inverse_root)),
    "RELU": _of(_ALL, partial(_one, "RELU", result=_sometimes_alike)),
    "RELU6": _of(_ALL, partial(_one, "RELU6", result=_alike)),
    "LEAKY_RELU": _of(_ALL, partial(_one, "LEAKY_RELU", options=_slope)),
    "PRELU": _of(_ALL, _prelu),
    "ELU": _of(_F8, partial(_one, "ELU")),
    "HARD_SWISH": _of(_F8, _hard_swish),
    "LOGISTIC": _of(_ALL, partial(_sigmoid, "LOGISTIC", scales=_LOGISTIC)),
    "TANH": _of(_ALL, partial(_sigmoid, "TANH", scales=_TANH)),
    "SOFTMAX": {
        "float32": partial(_softmax, "float32", "float32"),
        "int8": partial(_softmax, "int8", "int8"),
        "int8 to int16": partial(_softmax, "int8", "int16"),
        "int16": partial(_softmax, "int16", "int16"),
    },
    "LOG_SOFTMAX": _of(_F8, _log_softmax),
    "L2_NORMALIZATION": _of(_F8, _l2_normalization),
    **{name: _of(_ALL, partial(_reduction, name)) for name in ("MEAN", "SUM")},
    **{name: _of(_F8, partial(_reduction, name, alike=True)) for name in ("REDUCE_MAX", "REDUCE_MIN")},
    "REDUCE_ALL": _of(("bool",), partial(_reduction, "REDUCE_ALL")),
    **{name: _of(_F8, partial(_arg, name)) for name in ("ARG_MAX", "ARG_MIN")},
    "CUMSUM": _of(_F8, _cumsum),
    "RESIZE_BILINEAR": _of(_F8, partial(_resize, "RESIZE_BILINEAR")),
    "RESIZE_NEAREST_NEIGHBOR": _of(_ALL, partial(_resize, "RESIZE_NEAREST_NEIGHBOR")),
}

TOLERANCES: Mapping[str, tuple[float, float]] = {
    # Libraries differ in the last place.
    **dict.fromkeys(("EXP", "LOG", "RSQRT"), (1e-06, 0.0)),
    **dict.fromkeys(("SIN", "COS", "TANH", "ATAN2", "GELU"), (1e-06, 1e-07)),
    "POW": (2e-6, 0.0),
    # The reference calls expm1.
    "ELU": (1e-6, 1.2e-7),
    # Sums of up to 16 products, and tangents.
    "LSTM": (1e-6, 1e-6),
    # Below -9 the reference takes e ** x for the function, which is 1.5e-8 too high.
    "LOGISTIC": (1e-6, 2e-8),
    # The order of additions is a kernel's own.
    "SOFTMAX": (4e-6, 0.0),
    "LOG_SOFTMAX": (1e-6, 1e-6),
    "L2_NORMALIZATION": (1e-6, 0.0),
    "MEAN": (1e-6, 3e-6),
    **dict.fromkeys(("SUM", "REDUCE_PROD", "REDUCE_WINDOW", "CONV_3D", "CONV_3D_TRANSPOSE"), (1e-6, 3e-6)),
    # Products of up to 27 numbers, each rounded.
    "STABLEHLO_REDUCE_WINDOW": (27 * 2.0**-23, 3e-6),
    **dict.fromkeys(("SEGMENT_SUM", "UNSORTED_SEGMENT_SUM", "EMBEDDING_LOOKUP_SPARSE"), (1e-6, 1e-6)),
    "LOCAL_RESPONSE_NORMALIZATION": (2e-6, 0.0),
    "CUMSUM": (1e-6, 1e-6),
    # The reference weighs four pixels at once, here it is two and two.
    "RESIZE_BILINEAR": (1e-6, 1e-6),
}
"""Relative tolerance, and absolute one times the largest magnitude, of floats; none for the others."""


def difference(case: Case, found: Array, expected: Array) -> str:
    """What is wrong with a result; nothing when it is as it should be."""
    if found.shape != case.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape} for {expected.dtype}{case.shape}"
    expected = expected.reshape(found.shape)
    if case.kind != "float32":
        wrong = found != expected if case.defined is None else (found != expected) & case.defined
        return f"{int(wrong.sum())} of {wrong.size} numbers differ" if wrong.any() else ""
    return _far(case, found, expected, *TOLERANCES.get(case.builtin, (0.0, 0.0)))


def further_difference(case: Case, found: Sequence[Array], expected: Sequence[Array]) -> str:
    """What is wrong with the results after the first."""
    for got, wanted in zip(found, expected, strict=True):
        if got.dtype != wanted.dtype or got.shape != wanted.shape:
            return f"{got.dtype}{got.shape} for {wanted.dtype}{wanted.shape}"
        if got.dtype != np.float32:
            fact = "" if np.array_equal(got, wanted) else "other integers differ"
        else:
            fact = _far(case, got, wanted, *TOLERANCES.get(case.builtin, (1e-6, 0.0)))
        if fact:
            return fact
    return ""


def _far(case: Case, found: Array, expected: Array, relative: float, absolute: float) -> str:
    largest = max(float(np.abs(values).max(initial=1.0)) for values in (expected, *case.inputs))
    allowed = relative * np.abs(expected) + absolute * largest
    wrong = ~((np.abs(found - expected) <= allowed) | (found == expected))
    return f"differs by {float(np.abs(found - expected).max()):.3g}" if wrong.any() else ""
