"""Random cases for the operators of TFLite that TFLite-Micro does not have, in the manner of `tflite_cases`."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from s2s.types.dtypes import Array
from support.litert_stablehlo_cases import STABLEHLO_GENERATORS
from support.litert_state_cases import STATE_GENERATORS
from support.tflite_case import (
    Case,
    Further,
    Generator,
    Operand,
    Random,
    axes_of,
    broadcast_pair,
    operand_of,
    reduced_shape,
    result_near,
    shape_of,
    values_of,
)


def _constant(values: object, dtype: type[np.generic] = np.int32) -> Operand:
    return Operand(np.asarray(values, dtype), constant=True)


def _pair(builtin: str, kind: str, random: Random) -> tuple[Operand, Operand, tuple[int, ...]]:
    first, second = broadcast_pair(random, 4)
    return operand_of(random, kind, first), operand_of(random, kind, second), np.broadcast_shapes(first, second)


def _two(builtin: str, kind: str, random: Random) -> Case:
    a, b, shape = _pair(builtin, kind, random)
    return Case(builtin, [a, b], shape, kind)


def _atan2(random: Random) -> Case:
    shape = shape_of(random, 4)
    y, x = (Operand(np.round(values_of(random, "float32", shape))) for _ in range(2))
    return Case("ATAN2", [y, x], shape, "float32")


def _pow(kind: str, random: Random) -> Case:
    a, b, shape = _pair("POW", kind, random)
    if kind == "int32":
        base, exponent = a.values % 7 - 3, b.values % 5
    else:
        base, exponent = np.abs(a.values) + np.float32(0.1), np.clip(b.values, -3, 3)
    return Case("POW", [Operand(base.astype(kind)), Operand(exponent.astype(kind))], shape, kind)


def _right_shift(kind: str, random: Random) -> Case:
    a, b, shape = _pair("RIGHT_SHIFT", kind, random)
    return Case("RIGHT_SHIFT", [a, Operand((b.values % 12).astype(kind))], shape, kind)


def _one(builtin: str, kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random))
    return Case(builtin, [x], x.values.shape, kind)


def _bitcast(source: str, target: str, random: Random) -> Case:
    x = Operand(values_of(random, source, shape_of(random)))
    return Case("BITCAST", [x], x.values.shape, target)


def _activation(builtin: str, kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random))
    reach = 3.0 if x.quant is None else x.quant[0] * 127
    options = {"approximate": bool(random.integers(0, 2))} if builtin == "GELU" else {}
    return Case(builtin, [x], x.values.shape, kind, result_near(random, kind, reach), options)


def _fake_quant(random: Random) -> Case:
    x = operand_of(random, "float32", shape_of(random))
    low, high = -float(random.uniform(0, 5)), float(random.uniform(0.5, 6))
    options = {
        "min": low,
        "max": high,
        "num_bits": int(random.choice([4, 8])),
        "narrow_range": False,
    }
    return Case("FAKE_QUANT", [x], x.values.shape, "float32", None, options)


def _reduction(builtin: str, kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4, 4))
    if kind in ("int32", "int64"):
        x = Operand(x.values % 5 - 2)
    axes, keep = axes_of(random, x.values.ndim), bool(random.integers(0, 2))
    return Case(builtin, [x, axes], reduced_shape(x, axes, keep), kind, None, {"keep_dims": keep})


def _top_k(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, (*shape_of(random, 3), int(random.integers(1, 40))))
    count = int(random.integers(1, x.values.shape[-1] + 1))
    return Case(
        "TOPK_V2",
        [x, _constant(count)],
        (*x.values.shape[:-1], count),
        kind,
        x.quant,
        further=[Further("int32", (*x.values.shape[:-1], count))],
    )


def _one_hot(kind: str, random: Random) -> Case:
    shape, depth = shape_of(random, 3), int(random.integers(1, 7))
    axis = int(random.integers(-1, len(shape) + 1))
    place = axis if axis >= 0 else len(shape)
    indices = Operand(random.integers(-2, depth + 2, shape).astype(np.int32))
    on, off = (Operand(values_of(random, kind, ())) for _ in range(2))
    result = (*shape[:place], depth, *shape[place:])
    return Case("ONE_HOT", [indices, _constant(depth), on, off], result, kind, None, {"axis": axis})


def _places(random: Random, shape: tuple[int, ...], count: int, *, distinct: bool) -> Array:
    flat = random.choice(int(np.prod(shape)), count, replace=not distinct)
    return np.stack(np.unravel_index(np.sort(flat), shape), -1).astype(np.int32)


def _scatter_nd(kind: str, random: Random) -> Case:
    shape = shape_of(random, 4)
    depth = int(random.integers(1, len(shape) + 1))
    indices = _places(random, shape[:depth], int(random.integers(1, 6)), distinct=False)
    updates = Operand(values_of(random, kind, (len(indices), *shape[depth:])))
    return Case("SCATTER_ND", [Operand(indices), updates, _constant(shape)], shape, kind)


def _sparse_to_dense(kind: str, random: Random) -> Case:
    shape = shape_of(random, 4)
    count = int(random.integers(1, min(5, np.prod(shape)) + 1))
    indices = _places(random, shape, count, distinct=True)
    values = Operand(values_of(random, kind, (count,) if random.integers(0, 2) else ()))
    default = Operand(values_of(random, kind, ()))
    return Case("SPARSE_TO_DENSE", [Operand(indices), _constant(shape), values, default], shape, kind)


def _reverse_sequence(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, tuple(int(n) for n in random.integers(1, 6, random.integers(2, 5))))
    rank = x.values.ndim
    time, batch = (int(axis) for axis in random.choice(rank, 2, replace=False))
    lengths = Operand(random.integers(1, x.values.shape[time] + 1, x.values.shape[batch]).astype(np.int32))
    options = {"seq_dim": time, "batch_dim": batch}
    return Case("REVERSE_SEQUENCE", [x, lengths], x.values.shape, kind, None, options)


def _bucketize(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4))
    bounds = np.sort(random.normal(0, 4, int(random.integers(1, 9)))).astype(np.float32)
    return Case("BUCKETIZE", [x], x.values.shape, "int32", None, {"boundaries": bounds})


def _matrix_diag(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 3))
    return Case("MATRIX_DIAG", [x], (*x.values.shape, x.values.shape[-1]), kind)


def _matrix_set_diag(kind: str, random: Random) -> Case:
    shape = (*shape_of(random, 2), *(int(n) for n in random.integers(1, 6, 2)))
    x, diagonal = operand_of(random, kind, shape), operand_of(random, kind, (*shape[:-2], min(shape[-2:])))
    return Case("MATRIX_SET_DIAG", [x, diagonal], shape, kind)


def _tile(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4))
    counts = random.integers(1, 4, x.values.ndim)
    return Case("TILE", [x, _constant(counts)], tuple(x.values.shape * counts), kind, x.quant)


def _range(kind: str, random: Random) -> Case:
    start, limit, delta = random.integers(-9, 0), random.integers(1, 9), random.integers(1, 4)
    if random.integers(0, 2):
        start, limit, delta = limit, start, -delta
    numbers = np.array([start, limit, delta], kind) * (np.float32(0.7) if kind == "float32" else 1)
    size = int(np.ceil((numbers[1] - numbers[0]) / numbers[2]))
    operands = [Operand(np.asarray(number, kind), constant=True) for number in numbers]
    return Case("RANGE", operands, (size,), kind)


def _lrn(random: Random) -> Case:
    x = operand_of(random, "float32", tuple(int(n) for n in random.integers(1, 7, 4)))
    options = {
        "radius": int(random.integers(0, 4)),
        "bias": 1.0,
        "alpha": 0.3,
        "beta": float(random.choice([0.5, 0.75])),
    }
    return Case("LOCAL_RESPONSE_NORMALIZATION", [x], x.values.shape, "float32", None, options)


def _window(size: int, kernel: int, stride: int, same: bool) -> int:
    return -(-size // stride) if same else (size - kernel) // stride + 1


def _conv_3d(random: Random) -> Case:
    kernel, strides = random.integers(1, 4, 3), random.integers(1, 3, 3)
    inner, outer, same = int(random.integers(1, 4)), int(random.integers(1, 5)), bool(random.integers(0, 2))
    sizes = kernel + random.integers(0, 5, 3)
    x = operand_of(random, "float32", (2, *map(int, sizes), inner))
    w = _constant(random.normal(0, 1, (*kernel, inner, outer)), np.float32)
    b = _constant(random.normal(0, 1, outer), np.float32)
    shape = (
        2,
        *(_window(*each, same) for each in zip(map(int, sizes), map(int, kernel), map(int, strides), strict=True)),
    )
    options = {
        "padding": 0 if same else 1,
        **{f"stride_{axis}": int(stride) for axis, stride in zip("dhw", strides, strict=True)},
        "fused_activation_function": int(random.choice([0, 1, 3])),
    }
    return Case("CONV_3D", [x, w, b], (*shape, outer), "float32", None, options)


def _conv_3d_transpose(random: Random) -> Case:
    kernel, strides = random.integers(1, 4, 3), random.integers(1, 3, 3)
    inner, outer, same = int(random.integers(1, 4)), int(random.integers(1, 4)), bool(random.integers(0, 2))
    sizes = random.integers(1, 5, 3)
    whole = sizes * strides if same else (sizes - 1) * strides + kernel
    x = operand_of(random, "float32", (1, *map(int, sizes), inner))
    w = _constant(random.normal(0, 1, (*kernel, outer, inner)), np.float32)
    shape = (1, *map(int, whole), outer)
    options = {
        "padding": 0 if same else 1,
        **{f"stride_{axis}": int(stride) for axis, stride in zip("dhw", strides, strict=True)},
    }
    return Case("CONV_3D_TRANSPOSE", [_constant(shape), w, x], shape, "float32", None, options)


def _segment_sum(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, (int(random.integers(1, 9)), *shape_of(random, 2)))
    steps = np.append(0, random.integers(0, 2, len(x.values) - 1))
    ids = np.cumsum(steps)
    return Case("SEGMENT_SUM", [x, _constant(ids)], (int(ids[-1]) + 1, *x.values.shape[1:]), kind)


def _unsorted(builtin: str, kind: str, random: Random) -> Case:
    x = operand_of(random, kind, (int(random.integers(1, 9)), *shape_of(random, 2)))
    if builtin.endswith("PROD"):
        x = Operand((x.values % 3).astype(kind))
    count = int(random.integers(1, 5))
    ids = Operand(random.integers(0, count, len(x.values)).astype(np.int32))
    return Case(builtin, [x, ids, _constant(count)], (count, *x.values.shape[1:]), kind)


def _embedding_lookup_sparse(random: Random) -> Case:
    rows, columns = int(random.integers(1, 6)), int(random.integers(1, 5))
    shape = (int(random.integers(1, 4)), int(random.integers(2, 5)))
    count = int(random.integers(1, 5))
    places = _places(random, shape, count, distinct=False)
    ids = _constant(random.integers(0, rows, count))
    weights = _constant(random.uniform(0.5, 2, count), np.float32)
    table = operand_of(random, "float32", (rows, columns))
    options = {"combiner": int(random.integers(0, 3))}
    operands = [ids, _constant(places), _constant(shape), weights, table]
    return Case("EMBEDDING_LOOKUP_SPARSE", operands, (shape[0], columns), "float32", None, options)


def _reduce_window(kind: str, random: Random) -> Case:
    rank = int(random.integers(1, 4))
    window, strides, gaps = (random.integers(1, most, rank) for most in (4, 3, 3))
    sizes = (window - 1) * gaps + 1 + random.integers(0, 4, rank)
    x = operand_of(random, kind, tuple(map(int, sizes)))
    function = int(random.integers(5, 7) if kind == "bool" else random.integers(1, 5))
    values = x.values if kind == "bool" else (x.values % 3).astype(kind)
    shape = (sizes - (window - 1) * gaps - 1) // strides + 1
    start = Operand(values_of(random, kind, ()))
    operands = [Operand(values), start, *(_constant(part, np.int64) for part in (window, strides, gaps))]
    return Case("REDUCE_WINDOW", operands, tuple(map(int, shape)), kind, None, {"reduce_function": function})


def _dilate(kind: str, random: Random) -> Case:
    x = operand_of(random, kind, shape_of(random, 4))
    gaps = random.integers(1, 4, x.values.ndim)
    shape = tuple(int((size - 1) * gap + 1) for size, gap in zip(x.values.shape, gaps, strict=True))
    return Case("DILATE", [x, _constant(gaps), Operand(values_of(random, kind, ()))], shape, kind)


def _suppression(version: int, random: Random) -> Case:
    count, most = int(random.integers(3, 20)), int(random.integers(1, 8))
    corners = random.uniform(0, 10, (count, 2))
    boxes = np.concatenate([corners, corners + random.uniform(1, 6, (count, 2))], 1).astype(np.float32)
    scores = random.permutation(np.linspace(0.1, 0.9, count)).astype(np.float32)
    limits = [_constant(most), _constant(0.4, np.float32), _constant(0.3, np.float32)]
    if version == 5:
        limits.append(_constant(random.choice([0.0, 0.5]), np.float32))
    further = [*([Further("float32", (most,))] if version == 5 else []), Further("int32", ())]
    operands = [Operand(boxes), Operand(scores), *limits]
    return Case(f"NON_MAX_SUPPRESSION_V{version}", operands, (most,), "int32", further=further)


def _lsh_projection(kind: str, random: Random) -> Case:
    (seeds, bits), shape = random.integers(1, 6, 2), shape_of(random, 3)
    operands = [Operand(random.normal(size=(seeds, bits)).astype(np.float32)), Operand(values_of(random, kind, shape))]
    if random.integers(0, 2):
        operands.append(Operand(random.normal(size=shape[0]).astype(np.float32), constant=True))
    form = int(random.integers(1, 3))
    outputs = int(seeds) if form == 1 else int(seeds * bits)
    return Case("LSH_PROJECTION", operands, (outputs,), "int32", None, {"type": form})


def _of(make: Callable[[str, Random], Case], *kinds: str) -> Mapping[str, Generator]:
    return {kind: partial(make, kind) for kind in kinds}


LITERT_GENERATORS: Mapping[str, Mapping[str, Generator]] = {
    "ATAN2": {"float32": _atan2},
    "BITCAST": {
        "float32 to int32": partial(_bitcast, "float32", "int32"),
        "int16 to uint16": partial(_bitcast, "int16", "uint16"),
    },
    "BITWISE_XOR": _of(partial(_two, "BITWISE_XOR"), "int32", "uint8"),
    "BUCKETIZE": _of(_bucketize, "float32", "int32"),
    "CONV_3D": {"float32": _conv_3d},
    "CONV_3D_TRANSPOSE": {"float32": _conv_3d_transpose},
    "DILATE": _of(_dilate, "float32", "int32"),
    "EMBEDDING_LOOKUP_SPARSE": {"float32": _embedding_lookup_sparse},
    "FAKE_QUANT": {"float32": _fake_quant},
    "GELU": _of(partial(_activation, "GELU"), "float32", "int8"),
    "LOCAL_RESPONSE_NORMALIZATION": {"float32": _lrn},
    "LSH_PROJECTION": _of(_lsh_projection, "float32", "int32"),
    "MATRIX_DIAG": _of(_matrix_diag, "float32", "int32"),
    "MATRIX_SET_DIAG": _of(_matrix_set_diag, "float32", "int32"),
    "NON_MAX_SUPPRESSION_V4": {"float32": partial(_suppression, 4)},
    "NON_MAX_SUPPRESSION_V5": {"float32": partial(_suppression, 5)},
    "ONE_HOT": _of(_one_hot, "float32", "int32"),
    "POW": _of(_pow, "float32", "int32"),
    "RANGE": _of(_range, "float32", "int32"),
    "REDUCE_ANY": _of(partial(_reduction, "REDUCE_ANY"), "bool"),
    "REDUCE_PROD": _of(partial(_reduction, "REDUCE_PROD"), "float32", "int32"),
    "REDUCE_WINDOW": _of(_reduce_window, "float32", "int32", "bool"),
    **{name: _of(partial(_activation, name), "float32", "int8") for name in ("RELU_0_TO_1", "RELU_N1_TO_1")},
    "REVERSE_SEQUENCE": _of(_reverse_sequence, "float32", "int32"),
    "RIGHT_SHIFT": _of(_right_shift, "int32", "int8"),
    "SCATTER_ND": _of(_scatter_nd, "float32", "int32"),
    "SEGMENT_SUM": _of(_segment_sum, "float32", "int32"),
    "SIGN": _of(partial(_one, "SIGN"), "float32", "int32"),
    "SPARSE_TO_DENSE": _of(_sparse_to_dense, "float32", "int32"),
    **STABLEHLO_GENERATORS,
    **STATE_GENERATORS,
    "TILE": _of(_tile, "float32", "int8", "int32"),
    "TOPK_V2": _of(_top_k, "float32", "int8", "int32"),
    **{
        f"UNSORTED_SEGMENT_{name}": _of(partial(_unsorted, f"UNSORTED_SEGMENT_{name}"), "float32", "int32")
        for name in ("MAX", "MIN", "PROD", "SUM")
    },
}
