"""Convolutions, poolings and matrix products keep their numbers when they are lowered."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.types.dtypes import Array
from support.kernels import check_lowering, rand

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.uint8, np.int32, np.uint64)


def sum_type(dtype: Any) -> Any:
    """In what convolutions of `dtype` are summed."""
    return np.int32 if np.dtype(dtype).name in ("int8", "uint8") else dtype


def special(*shape: int) -> Array:
    """Random numbers, some of them infinite or NaN."""
    x = rand(*shape)
    x.reshape(-1)[::7] = -np.inf
    x.reshape(-1)[3::11] = np.nan
    return x


CONVOLUTIONS = [
    # x, w, strides, pads, dilations, groups
    ([2, 3, 7], [4, 3, 3], [1], [0, 0], [1], 1),
    ([1, 3, 9, 8], [4, 3, 3, 2], [2, 1], [1, 0, 1, 1], [1, 1], 1),
    ([1, 3, 9, 8], [4, 3, 3, 2], [1, 2], [2, 1, 0, 3], [2, 3], 1),
    ([2, 1, 6, 6], [3, 1, 3, 3], [1, 1], [1, 1, 1, 1], [1, 1], 1),
    ([1, 6, 5, 5], [6, 1, 3, 3], [1, 1], [1, 1, 1, 1], [1, 1], 6),
    ([1, 4, 5, 5], [8, 1, 3, 3], [2, 2], [1, 1, 1, 1], [1, 1], 4),
    ([1, 6, 5, 5], [4, 3, 2, 2], [1, 1], [0, 0, 0, 0], [1, 1], 2),
    ([1, 2, 4, 5, 3], [3, 2, 2, 3, 1], [1, 2, 1], [1, 0, 0, 0, 1, 0], [1, 1, 1], 1),
    ([1, 8, 1, 1], [3, 8, 1, 1], [1, 1], [0, 0, 0, 0], [1, 1], 1),
]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("x", "w", "strides", "pads", "dilations", "groups"), CONVOLUTIONS)
def test_conv(
    x: list[int], w: list[int], strides: list[int], pads: list[int], dilations: list[int], groups: int, bias: bool
):
    operands = [rand(*x), rand(*w, seed=1), *([rand(w[0], seed=2)] if bias else [])]

    def build(*values: SSAValue) -> Operation:
        return graph.ConvOp(*values, strides=strides, pads=pads, dilations=dilations, groups=groups)

    check_lowering(build, *operands)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_conv_of_other_types(dtype: Any):
    check_lowering(
        lambda x, w, b: graph.ConvOp(x, w, b, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1),
        rand(1, 3, 5, 5, dtype=dtype),
        rand(2, 3, 3, 3, dtype=dtype, seed=1),
        rand(2, dtype=sum_type(dtype), seed=2),
        rtol=0.02 if dtype == ml_dtypes.bfloat16 else None,
    )


TRANSPOSED = [
    # x, w, strides, pads, dilations, groups, output padding
    ([2, 3, 5], [3, 4, 3], [1], [0, 0], [1], 1, [0]),
    ([1, 3, 4, 5], [3, 2, 3, 2], [2, 3], [1, 0, 1, 1], [1, 1], 1, [1, 2]),
    ([1, 3, 4, 5], [3, 2, 3, 2], [2, 1], [0, 1, 2, 0], [2, 3], 1, [1, 0]),
    ([1, 4, 3, 3], [4, 1, 2, 2], [2, 2], [0, 0, 0, 0], [1, 1], 4, [0, 0]),
    ([1, 6, 3, 3], [6, 2, 3, 3], [2, 2], [1, 1, 1, 1], [1, 1], 2, [1, 1]),
    ([1, 2, 3, 2, 2], [2, 2, 2, 1, 2], [2, 1, 2], [0, 0, 1, 0, 0, 0], [1, 1, 1], 1, [0, 0, 1]),
]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("x", "w", "strides", "pads", "dilations", "groups", "extra"), TRANSPOSED)
def test_conv_transpose(
    x: list[int],
    w: list[int],
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    extra: list[int],
    bias: bool,
):
    operands = [rand(*x), rand(*w, seed=1), *([rand(w[1] * groups, seed=2)] if bias else [])]

    def build(*values: SSAValue) -> Operation:
        return graph.ConvTransposeOp(
            *values, strides=strides, pads=pads, dilations=dilations, groups=groups, output_padding=extra
        )

    check_lowering(build, *operands)


MATRICES: list[tuple[list[int], list[int], dict[str, bool]]] = [
    ([3, 4], [4, 5], {}),
    ([4, 3], [4, 5], {"transpose_a": True}),
    ([3, 4], [5, 4], {"transpose_b": True}),
    ([2, 4, 3], [5, 4], {"transpose_a": True, "transpose_b": True}),
    ([2, 1, 3, 4], [6, 4, 2], {}),
    ([1, 3, 4], [2, 4, 1], {}),
    ([1, 1], [1, 1], {}),
]


@pytest.mark.parametrize(("a", "b", "flags"), MATRICES)
def test_matmul(a: list[int], b: list[int], flags: dict[str, bool]):
    transposed = flags.get("transpose_a", False), flags.get("transpose_b", False)

    def build(x: SSAValue, y: SSAValue) -> Operation:
        return graph.MatmulOp(x, y, transpose_a=transposed[0], transpose_b=transposed[1])

    check_lowering(build, rand(*a), rand(*b, seed=1))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_matmul_of_other_types(dtype: Any):
    check_lowering(graph.MatmulOp, rand(3, 4, dtype=dtype), rand(4, 2, dtype=dtype, seed=1))


POOLS = [
    # x, kernel, strides, pads, dilations
    ([2, 3, 9], [3], [2], [0, 0], [1]),
    ([1, 2, 8, 7], [2, 3], [2, 1], [1, 0, 0, 2], [1, 1]),
    ([1, 2, 8, 7], [2, 3], [1, 2], [0, 3, 1, 4], [2, 2]),
    ([1, 2, 5, 5], [5, 5], [1, 1], [0, 0, 0, 0], [1, 1]),
    ([1, 2, 5, 5], [5, 5], [1, 1], [2, 2, 2, 2], [1, 1]),
    ([1, 1, 4, 4, 5], [2, 2, 3], [2, 1, 2], [0, 1, 1, 0, 0, 1], [1, 1, 1]),
]
STATED = ("x", "kernel", "strides", "pads", "dilations")


@pytest.mark.parametrize(STATED, POOLS)
def test_max_pool(x: list[int], kernel: list[int], strides: list[int], pads: list[int], dilations: list[int]):
    for operand in (rand(*x), special(*x), rand(*x, dtype=np.int8)):
        check_lowering(
            lambda value: graph.MaxPoolOp(value, kernel=kernel, strides=strides, pads=pads, dilations=dilations),
            operand,
        )


@pytest.mark.parametrize("storage_order", [0, 1])
@pytest.mark.parametrize(STATED, POOLS)
def test_max_pool_indices(
    x: list[int], kernel: list[int], strides: list[int], pads: list[int], dilations: list[int], storage_order: int
):
    rounded = np.rint(rand(*x))
    lowest = np.full(x, -np.inf, np.float32)
    for operand in (rounded, special(*x), lowest, rand(*x, dtype=np.uint8)):
        check_lowering(
            lambda value: graph.MaxPoolIndicesOp(
                value, kernel=kernel, strides=strides, pads=pads, dilations=dilations, storage_order=storage_order
            ),
            operand,
        )


@pytest.mark.parametrize("share", [0, 1, 2])
@pytest.mark.parametrize(STATED, POOLS)
def test_avg_pool(
    x: list[int], kernel: list[int], strides: list[int], pads: list[int], dilations: list[int], share: int
):
    counted = [pad * share // 2 for pad in pads]
    for operand in (rand(*x), rand(*x, dtype=np.int8), rand(*x, dtype=np.int64) // 2**20):
        check_lowering(
            lambda value: graph.AvgPoolOp(
                value, kernel=kernel, strides=strides, pads=pads, dilations=dilations, counted_pads=counted
            ),
            operand,
        )


@pytest.mark.parametrize("dtype", FLOATS)
def test_pools_of_other_floats(dtype: Any):
    kernel, pads = [3, 3], [1, 1, 1, 1]
    x = rand(1, 2, 6, 6, dtype=dtype)
    check_lowering(lambda v: graph.MaxPoolOp(v, kernel=kernel, strides=[2, 2], pads=pads, dilations=[1, 1]), x)
    check_lowering(lambda v: graph.MaxPoolIndicesOp(v, kernel=kernel, strides=[2, 2], pads=pads, dilations=[1, 1]), x)
    check_lowering(
        lambda v: graph.AvgPoolOp(
            v, kernel=kernel, strides=[2, 2], pads=pads, dilations=[1, 1], counted_pads=[0, 0, 0, 0]
        ),
        x,
    )


@pytest.mark.parametrize(("x_type", "w_type"), [(np.int8, np.int8), (np.uint8, np.int8), (np.int16, np.int8)])
@pytest.mark.parametrize(("x", "w", "strides", "pads", "dilations", "groups"), CONVOLUTIONS)
def test_conv_with_channels_last_and_zero_points(
    x: list[int],
    w: list[int],
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    x_type: Any,
    w_type: Any,
):
    bias = rand(w[0], dtype=np.int64 if x_type == np.int16 else np.int32, seed=2)
    check_lowering(
        lambda value, weights, b: graph.ConvOp(
            value,
            weights,
            b,
            strides=strides,
            pads=pads,
            dilations=dilations,
            groups=groups,
            layout="NHWC",
            input_zp=11,
            weight_zp=-5,
        ),
        np.moveaxis(rand(*x, dtype=x_type), 1, -1).copy(),
        rand(*w, dtype=w_type, seed=1),
        bias,
    )


@pytest.mark.parametrize(("x", "w", "strides", "pads", "dilations", "groups", "extra"), TRANSPOSED)
def test_conv_transpose_with_channels_last_and_zero_points(
    x: list[int],
    w: list[int],
    strides: list[int],
    pads: list[int],
    dilations: list[int],
    groups: int,
    extra: list[int],
):
    check_lowering(
        lambda value, weights: graph.ConvTransposeOp(
            value,
            weights,
            strides=strides,
            pads=pads,
            dilations=dilations,
            groups=groups,
            output_padding=extra,
            layout="NHWC",
            input_zp=-128,
        ),
        np.moveaxis(rand(*x, dtype=np.int8), 1, -1).copy(),
        rand(*w, dtype=np.int8, seed=1),
    )


@pytest.mark.parametrize(("a", "b", "flags"), MATRICES)
def test_matmul_with_zero_points(a: list[int], b: list[int], flags: dict[str, bool]):
    operands = rand(*a, dtype=np.int8), rand(*b, dtype=np.int8, seed=1)
    transposed = flags.get("transpose_a", False), flags.get("transpose_b", False)

    def build(x: SSAValue, y: SSAValue) -> Operation:
        return graph.MatmulOp(x, y, a_zp=100, b_zp=-7, transpose_a=transposed[0], transpose_b=transposed[1])

    check_lowering(build, *operands)


def test_products_that_can_overflow_wrap():
    x = np.full((1, 70000), -128, np.int8)
    check_lowering(lambda a, b: graph.MatmulOp(a, b, a_zp=127, b_zp=127), x, x.T.copy())


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, np.int16])
@pytest.mark.parametrize(STATED, POOLS)
def test_pools_with_channels_last(
    x: list[int], kernel: list[int], strides: list[int], pads: list[int], dilations: list[int], dtype: Any
):
    operand = np.moveaxis(rand(*x, dtype=dtype), 1, -1).copy()
    window: dict[str, Any] = {"kernel": kernel, "strides": strides, "pads": pads, "dilations": dilations}
    check_lowering(lambda value: graph.MaxPoolOp(value, **window, layout="NHWC"), operand)
    check_lowering(lambda value: graph.AvgPoolOp(value, **window, counted_pads=[0] * len(pads), layout="NHWC"), operand)


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.float16])
def test_means_of_centred_windows(side: str, dtype: Any):
    window: dict[str, Any] = {"kernel": [3, 4], "strides": [2, 3], "dilations": [2, 1], "side": side}
    check_lowering(lambda value: graph.SameAvgPoolOp(value, **window), rand(2, 3, 8, 7, dtype=dtype))
    check_lowering(lambda value: graph.SameAvgPoolOp(value, **window, layout="NHWC"), rand(2, 8, 7, 3, dtype=dtype))
