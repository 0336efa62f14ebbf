"""Random cases for the converting, element-wise, reducing, normalising and resizing operators of TFLite.

`GENERATORS[builtin][kind](random)` gives one case: shapes that broadcast up to five dimensions, scales and zero points
as converters choose them and beyond, numbers over the whole range of their type.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import add, mul
from typing import Any

import numpy as np

from s2s.frontends.tflite.schema import options_class
from s2s.types.dtypes import Array
from support.tflite_models import GraphSpec, OperatorSpec, TensorSpec, model

Random = np.random.Generator
Quant = tuple[float, int]


@dataclass(frozen=True)
class Operand:
    """A tensor of a case: with data it is a constant of the model, else an input that is fed `values`."""

    values: Array
    quant: Quant | None = None
    constant: bool = False


@dataclass(frozen=True)
class Case:
    """One operator, its operands, and the type of its result."""

    builtin: str
    operands: Sequence[Operand]
    shape: tuple[int, ...]
    kind: str
    quant: Quant | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    defined: Array | None = None
    """Where the reference's result is defined by C++, if not everywhere."""

    @property
    def inputs(self) -> list[Array]:
        """What the model is fed."""
        return [operand.values for operand in self.operands if not operand.constant]

    @property
    def model(self) -> bytes:
        """The model of this operator alone."""
        return network([self])


def network(cases: Sequence[Case]) -> bytes:
    """The model of all `cases` side by side: their inputs and outputs one after the other."""
    tensors: list[TensorSpec] = []
    operators: list[OperatorSpec] = []
    for number, case in enumerate(cases):
        operands = [_spec(f"{case.builtin}{number}.x{place}", operand) for place, operand in enumerate(case.operands)]
        scale, zero = case.quant or (None, 0)
        result = TensorSpec(f"{case.builtin}{number}", case.shape, case.kind.upper(), scale=scale, zero_point=zero)
        names = [spec.name for spec in operands]
        options = options_class(case.builtin) or ""
        operators.append(OperatorSpec(case.builtin, names, [result.name], options, case.options))
        tensors += [*operands, result]
    results = [name for operator in operators for name in operator.outputs]
    free = [spec.name for spec in tensors if spec.data is None and spec.name not in results]
    return model([GraphSpec(tensors, operators, free, results)])


def _spec(name: str, operand: Operand) -> TensorSpec:
    scale, zero = operand.quant or (None, 0)
    data = operand.values if operand.constant else None
    return TensorSpec(name, operand.values.shape, operand.values.dtype.name.upper(), data, scale, zero)


Generator = Callable[[Random], Case]

_ACTIVATIONS = (0, 0, 0, 1, 2, 3)


# -------------------------------------------------------------------- building blocks


def _shape(random: Random, most: int = 5, size: int = 6) -> tuple[int, ...]:
    return tuple(int(n) for n in random.integers(1, size, random.integers(1, most + 1)))


def _broadcast(random: Random, most: int = 5) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that go together: equal, or with dimensions of one, or one of them shorter."""
    shape = list(_shape(random, most))
    if random.random() < 0.4:
        return tuple(shape), tuple(shape)
    first = [1 if random.random() < 0.3 else n for n in shape]
    second = [1 if random.random() < 0.3 else n for n in shape]
    cut = int(random.integers(0, len(shape) + 1)) if random.random() < 0.5 else 0
    pair = tuple(first), tuple(second[cut:])
    return pair if random.random() < 0.5 else (pair[1], pair[0])


def _scale(random: Random, low: float = -7.0, high: float = 1.0) -> float:
    return float(np.float32(np.exp(random.uniform(low, high))))


def _zero(random: Random, kind: str) -> int:
    if kind != "int8":
        return 0
    return int(random.choice([0, -128, 127, *random.integers(-128, 128, 3)]))


def _quant(random: Random, kind: str) -> Quant | None:
    if kind not in ("int8", "int16"):
        return None
    low, high = (-7.0, 0.0) if kind == "int8" else (-13.0, -4.0)
    return _scale(random, low, high), _zero(random, kind)


def _values(random: Random, kind: str, shape: Sequence[int], spread: float = 4.0) -> Array:
    if kind == "bool":
        return random.integers(0, 2, shape).astype(np.bool_)
    if kind == "float32":
        drawn = random.normal(0, spread, shape)
        return np.where(random.random(shape) < 0.1, np.round(drawn), drawn).astype(np.float32)
    if kind in ("int32", "int64"):
        return random.integers(-1000, 1000, shape).astype(kind)
    info = np.iinfo(kind)
    ends = random.choice([info.min, info.max, 0], shape)
    return np.where(random.random(shape) < 0.1, ends, random.integers(info.min, info.max + 1, shape)).astype(kind)


def _operand(random: Random, kind: str, shape: Sequence[int], quant: Quant | None = None) -> Operand:
    return Operand(_values(random, kind, shape), quant or _quant(random, kind))


def _result_near(random: Random, kind: str, real: float) -> Quant | None:
    """Quantisation of a result whose numbers reach about `real`."""
    if kind not in ("int8", "int16"):
        return None
    steps = 255 if kind == "int8" else 65535
    scale = np.float32(2 * real / steps * np.exp(random.uniform(-1.0, 1.5)))
    return float(scale), _zero(random, kind)


def _reach(operand: Operand) -> float:
    """About the largest magnitude an operand stands for."""
    if operand.quant is None:
        return 1.0
    info = np.iinfo(operand.values.dtype.str)
    scale, zero = operand.quant
    return scale * max(info.max - zero, zero - info.min)


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
    first, second = (_operand(random, kind, shape) for shape in _broadcast(random, most))
    if random.random() < 0.25:
        second = Operand(second.values, second.quant, constant=True)
    options = {"fused_activation_function": int(random.choice(_ACTIVATIONS))} if activation else {}
    shape = np.broadcast_shapes(first.values.shape, second.values.shape)
    quant = _result_near(random, kind, reach(_reach(first), _reach(second)))
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
    quant = _result_near(random, kind, _reach(first) / (second.quant[0] * float(random.integers(1, 64))))
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
    first, second = (_operand(random, kind, shape) for shape in _broadcast(random, 4))
    divisor = Operand(np.where(second.values == 0, second.values.dtype.type(3), second.values))
    shape = np.broadcast_shapes(first.values.shape, second.values.shape)
    return Case(builtin, [first, divisor], shape, kind)


def _same_scale(builtin: str, kind: str, random: Random) -> Case:
    """Operators on stored numbers: all three tensors are quantised alike."""
    first, second = _broadcast(random)
    quant = _quant(random, kind)
    operands = [_operand(random, kind, first, quant), _operand(random, kind, second, quant)]
    return Case(builtin, operands, np.broadcast_shapes(first, second), kind, quant)


def _add_n(kind: str, random: Random) -> Case:
    shape, quant, count = _shape(random), _quant(random, kind), int(random.integers(2, 6))
    operands = [_operand(random, kind, shape, quant) for _ in range(count)]
    return Case("ADD_N", operands, shape, kind, _result_near(random, kind, count * _reach(operands[0])))


def _comparison(builtin: str, kind: str, random: Random) -> Case:
    first, second = (_operand(random, kind, shape) for shape in _broadcast(random, 4))
    if random.random() < 0.5:
        near = second.values.copy()
        near[...] = np.resize(first.values, near.shape)
        second = Operand(near, first.quant if random.random() < 0.5 else second.quant)
    return Case(builtin, [first, second], np.broadcast_shapes(first.values.shape, second.values.shape), "bool")


def _logical(builtin: str, random: Random) -> Case:
    first, second = (_operand(random, "bool", shape) for shape in _broadcast(random, 4))
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
    operand = _operand(random, kind, _shape(random))
    if positive:
        zero = operand.quant[1] if operand.quant else 0
        values = operand.values
        above = np.abs(values) + np.float32(1e-3) if kind == "float32" else np.maximum(values, zero)
        operand = Operand(above.astype(values.dtype), operand.quant)
    quant = result(random, operand) if result else _result_near(random, kind, _reach(operand))
    return Case(builtin, [operand], operand.values.shape, kind, quant, options(random))


def _alike(random: Random, operand: Operand) -> Quant | None:
    return operand.quant


def _sometimes_alike(random: Random, operand: Operand) -> Quant | None:
    if random.random() < 0.3:
        return operand.quant
    return _result_near(random, operand.values.dtype.name, _reach(operand))


def _inverse_root(random: Random, operand: Operand) -> Quant | None:
    if operand.quant is None:
        return None
    return _result_near(random, "int8", float(operand.quant[0] ** -0.5))


def _slope(random: Random) -> Mapping[str, Any]:
    return {"alpha": float(random.normal(0, 0.5))}


def _unit(scales: Mapping[str, Quant]) -> Callable[[Random, Operand], Quant | None]:
    return lambda random, operand: scales.get(operand.values.dtype.name)


def _sigmoid(builtin: str, kind: str, random: Random, scales: Mapping[str, Quant]) -> Case:
    case = _one(builtin, kind, random, result=_unit(scales))
    if kind == "float32":
        return case
    scale = _scale(random, -6.0, 0.0) if kind == "int8" else float(random.choice([2**-12, 2**-11, 3e-4, 1e-3, 2.5e-5]))
    operand = Operand(case.operands[0].values, (scale, _zero(random, kind)))
    return Case(builtin, [operand], case.shape, kind, case.quant)


def _hard_swish(kind: str, random: Random) -> Case:
    case = _one("HARD_SWISH", kind, random)
    quant = case.operands[0].quant
    if quant is None:
        return case
    return Case(
        "HARD_SWISH", case.operands, case.shape, kind, (quant[0] * float(random.uniform(0.5, 2)), _zero(random, kind))
    )


def _prelu(kind: str, random: Random) -> Case:
    shape = _shape(random, 4)
    slope = tuple(1 if random.random() < 0.4 else n for n in shape)
    alpha_kind = "float32" if kind == "float32" else "int8"
    x, alpha = _operand(random, kind, shape), _operand(random, alpha_kind, slope)
    if random.random() < 0.7:
        alpha = Operand(alpha.values, alpha.quant, constant=True)
    return Case("PRELU", [x, alpha], shape, kind, _result_near(random, kind, _reach(x)))


# ----------------------------------------------------------- reductions, rows, images


def _axes(random: Random, rank: int) -> Operand:
    count = int(random.integers(1, rank + 1))
    axes = random.choice(rank, count, replace=False)
    return Operand(np.where(random.random(count) < 0.3, axes - rank, axes).astype(np.int32), constant=True)


def _reduced(case: Operand, axes: Operand, keep: bool) -> tuple[int, ...]:
    shape = case.values.shape
    gone = {int(axis) % len(shape) for axis in axes.values}
    return tuple(1 if dim in gone else n for dim, n in enumerate(shape) if keep or dim not in gone)


def _reduction(builtin: str, kind: str, random: Random, *, alike: bool = False) -> Case:
    x = _operand(random, kind, _shape(random, 4, 9))
    axes, keep = _axes(random, x.values.ndim), bool(random.random() < 0.5)
    count = np.prod([x.values.shape[int(axis)] for axis in axes.values])
    quant = x.quant if alike else _result_near(random, kind, _reach(x) * (count**0.5 if builtin == "SUM" else 1))
    return Case(builtin, [x, axes], _reduced(x, axes, keep), kind, quant, {"keep_dims": keep})


def _arg(builtin: str, kind: str, random: Random) -> Case:
    x = _operand(random, kind, _shape(random, 4))
    axis = int(random.integers(-x.values.ndim, x.values.ndim))
    shape = tuple(n for dim, n in enumerate(x.values.shape) if dim != axis % x.values.ndim)
    return Case(
        builtin, [x, Operand(np.array([axis], np.int32), constant=True)], shape, "int32", None, {"output_type": 2}
    )


def _cumsum(kind: str, random: Random) -> Case:
    x = _operand(random, kind, _shape(random, 4))
    axis = Operand(np.array([random.integers(-x.values.ndim, x.values.ndim)], np.int32), constant=True)
    options = {"exclusive": bool(random.random() < 0.5), "reverse": bool(random.random() < 0.5)}
    return Case("CUMSUM", [x, axis], x.values.shape, kind, _result_near(random, kind, 3 * _reach(x)), options)


_SOFTMAX_RESULTS: Mapping[tuple[str, str], Quant] = {
    ("int8", "int8"): (1 / 256, -128),
    ("int8", "int16"): (1 / 65536, -32768),
    ("int16", "int16"): (1 / 32768, 0),
}


def _softmax(kind: str, to: str, random: Random) -> Case:
    scale = _scale(random, -6.0, 1.0) if kind == "int8" else _scale(random, -11.0, -6.0)
    x = Operand(_values(random, kind, (*_shape(random, 3), int(random.integers(1, 40)))), (scale, _zero(random, kind)))
    beta = float(random.choice([1.0, 1.0, 0.5, 2.0]))
    if kind == "float32":
        x = Operand(x.values)
    return Case("SOFTMAX", [x], x.values.shape, to, _SOFTMAX_RESULTS.get((kind, to)), {"beta": beta})


def _log_softmax(kind: str, random: Random) -> Case:
    x = Operand(_values(random, kind, (*_shape(random, 3), int(random.integers(1, 40)))))
    if kind == "int8":
        x = Operand(x.values, (_scale(random, -6.0, 0.5), _zero(random, kind)))
    return Case("LOG_SOFTMAX", [x], x.values.shape, kind, (1 / 16, 127) if kind == "int8" else None)


def _l2_normalization(kind: str, random: Random) -> Case:
    x = _operand(random, kind, (*_shape(random, 3), int(random.integers(1, 40))))
    if random.random() < 0.3 and x.quant is not None:
        x = Operand(np.clip(x.values, x.quant[1] - 2, x.quant[1] + 2).astype(np.int8), x.quant)
    return Case("L2_NORMALIZATION", [x], x.values.shape, kind, (1 / 128, 0) if kind == "int8" else None)


def _resize(builtin: str, kind: str, random: Random) -> Case:
    n, h, w, c = (int(size) for size in random.integers(1, 9, 4))
    quant = _quant(random, kind)
    x = Operand(_values(random, kind, (n, h, w, c)), quant)
    factor = int(random.integers(1, 4))
    size = [h * factor, w * factor] if random.random() < 0.5 else [int(s) for s in random.integers(1, 20, 2)]
    corners = bool(random.random() < 0.4)
    options = {"align_corners": corners, "half_pixel_centers": bool(not corners and random.random() < 0.5)}
    operands = [x, Operand(np.array(size, np.int32), constant=True)]
    return Case(builtin, operands, (n, *size, c), kind, quant, options)


# ----------------------------------------------------------------------- conversions


def _quantize(source: str, target: str, random: Random) -> Case:
    x = _operand(random, source, _shape(random, 4))
    if source == "float32":
        scale = _scale(random, -5.0, 1.0) if target == "int8" else _scale(random, -9.0, -4.0)
        return Case("QUANTIZE", [x], x.values.shape, target, (scale, _zero(random, target)))
    scale = (x.quant or (1.0, 0))[0] * float(np.exp(random.uniform(-2.0, 5.0)))
    return Case("QUANTIZE", [x], x.values.shape, target, (float(np.float32(scale)), _zero(random, target)))


def _dequantize(kind: str, random: Random) -> Case:
    x = _operand(random, kind, _shape(random, 4))
    return Case("DEQUANTIZE", [x], x.values.shape, "float32")


def _cast(source: str, target: str, random: Random) -> Case:
    shape = _shape(random, 4)
    values = _values(random, source, shape, 40.0)
    if source == "float32":
        values = np.clip(values, -120, 120)
    return Case("CAST", [Operand(values)], shape, target)


def _broadcast_args(random: Random) -> Case:
    shapes = [np.array(shape, np.int32) for shape in _broadcast(random)]
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
    **dict.fromkeys(("SIN", "COS", "TANH"), (1e-06, 1e-07)),
    # The reference calls expm1.
    "ELU": (1e-6, 1.2e-7),
    # Below -9 the reference takes e ** x for the function, which is 1.5e-8 too high.
    "LOGISTIC": (1e-6, 2e-8),
    # The order of additions is a kernel's own.
    "SOFTMAX": (4e-6, 0.0),
    "LOG_SOFTMAX": (1e-6, 1e-6),
    "L2_NORMALIZATION": (1e-6, 0.0),
    "MEAN": (1e-6, 3e-6),
    "SUM": (1e-6, 3e-6),
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
    relative, absolute = TOLERANCES.get(case.builtin, (0.0, 0.0))
    largest = max(float(np.abs(values).max(initial=1.0)) for values in (expected, *case.inputs))
    allowed = relative * np.abs(expected) + absolute * largest
    wrong = ~((np.abs(found - expected) <= allowed) | (found == expected))
    return f"differs by {float(np.abs(found - expected).max()):.3g}" if wrong.any() else ""
