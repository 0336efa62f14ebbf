"""Layers of networks: windows, products and normalisations, for `support.operator_cases`."""

from functools import partial

import ml_dtypes
import numpy as np

from s2s.dialects import graph
from s2s.types.dtypes import Array
from support.kernels import rand
from support.operator_cases import FLOATS, Case

SOME = (*FLOATS, np.int8, np.uint8, np.int32, np.uint64)

CONVOLUTIONS = (
    # x, w, strides, pads, dilations, groups
    ([2, 3, 7], [4, 3, 3], [1], [0, 0], [1], 1),
    ([1, 3, 9, 8], [4, 3, 3, 2], [2, 1], [1, 0, 1, 1], [1, 1], 1),
    ([1, 3, 9, 8], [4, 3, 3, 2], [1, 2], [2, 1, 0, 3], [2, 3], 1),
    ([1, 6, 5, 5], [6, 1, 3, 3], [1, 1], [1, 1, 1, 1], [1, 1], 6),
    ([1, 4, 5, 5], [8, 1, 3, 3], [2, 2], [1, 1, 1, 1], [1, 1], 4),
    ([1, 6, 5, 5], [4, 3, 2, 2], [1, 1], [0, 0, 0, 0], [1, 1], 2),
    ([1, 2, 4, 5, 3], [3, 2, 2, 3, 1], [1, 2, 1], [1, 0, 0, 0, 1, 0], [1, 1, 1], 1),
    ([1, 16, 8, 8], [32, 16, 3, 3], [1, 1], [1, 1, 1, 1], [1, 1], 1),
    ([1, 33, 6, 6], [17, 33, 1, 1], [1, 1], [0, 0, 0, 0], [1, 1], 1),
)
TRANSPOSED = (
    # x, w, strides, pads, dilations, groups, output padding
    ([2, 3, 5], [3, 4, 3], [1], [0, 0], [1], 1, [0]),
    ([1, 3, 4, 5], [3, 2, 3, 2], [2, 3], [1, 0, 1, 1], [1, 1], 1, [1, 2]),
    ([1, 3, 4, 5], [3, 2, 3, 2], [2, 1], [0, 1, 2, 0], [2, 3], 1, [1, 0]),
    ([1, 6, 3, 3], [6, 2, 3, 3], [2, 2], [1, 1, 1, 1], [1, 1], 2, [1, 1]),
)
MATRICES = (
    # a, b, transpose_a, transpose_b
    ([3, 4], [4, 5], False, False),
    ([4, 3], [4, 5], True, False),
    ([3, 4], [5, 4], False, True),
    ([2, 4, 3], [5, 4], True, True),
    ([2, 1, 3, 4], [6, 4, 2], False, False),
    ([17, 33], [33, 35], False, False),
    ([1, 64], [48, 64], False, True),
)
POOLS = (
    # x, kernel, strides, pads, dilations
    ([2, 3, 9], [3], [2], [0, 0], [1]),
    ([1, 2, 8, 7], [2, 3], [2, 1], [1, 0, 0, 2], [1, 1]),
    ([1, 2, 8, 7], [2, 3], [1, 2], [0, 3, 1, 4], [2, 2]),
    ([1, 2, 5, 5], [5, 5], [1, 1], [2, 2, 2, 2], [1, 1]),
    ([1, 1, 4, 4, 5], [2, 2, 3], [2, 1, 2], [0, 1, 1, 0, 0, 1], [1, 1, 1]),
    ([1, 32, 8, 8], [3, 3], [2, 2], [1, 1, 1, 1], [1, 1]),
)


def _sum(dtype: type[np.generic]) -> type[np.generic]:
    """In what products of `dtype` are summed."""
    return np.int32 if dtype in (np.int8, np.uint8) else dtype


def convolutions() -> list[Case]:
    """Convolutions of all ranks and of several types, with and without bias, and transposed ones."""
    found: list[Case] = []
    for number, (x, w, strides, pads, dilations, groups) in enumerate(CONVOLUTIONS):
        conv = partial(graph.ConvOp, strides=strides, pads=pads, dilations=dilations, groups=groups)

        operands = [rand(*x), rand(*w, seed=1), rand(w[0], seed=2)]
        found += [Case(f"conv {number} {bias}", conv, operands[: 2 + bias]) for bias in (False, True)]
    found += [
        Case(
            f"conv {np.dtype(each)}",
            partial(graph.ConvOp, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1),
            [rand(1, 3, 5, 5, dtype=each), rand(2, 3, 3, 3, dtype=each, seed=1), rand(2, dtype=_sum(each), seed=2)],
        )
        for each in SOME
    ]
    found += [
        Case(
            f"conv_transpose {number}",
            partial(
                graph.ConvTransposeOp,
                strides=strides,
                pads=pads,
                dilations=dilations,
                groups=groups,
                output_padding=extra,
            ),
            [rand(*x), rand(*w, seed=1), rand(w[1] * groups, seed=2)],
        )
        for number, (x, w, strides, pads, dilations, groups, extra) in enumerate(TRANSPOSED)
    ]
    return found


def products() -> list[Case]:
    """Matrix products."""
    return [
        *(
            Case(
                f"matmul {a} {b} {ta} {tb}",
                partial(graph.MatmulOp, transpose_a=ta, transpose_b=tb),
                [rand(*a), rand(*b, seed=1)],
            )
            for a, b, ta, tb in MATRICES
        ),
        *(
            Case(f"matmul {np.dtype(each)}", graph.MatmulOp, [rand(3, 4, dtype=each), rand(4, 2, dtype=each, seed=1)])
            for each in SOME
        ),
        *(
            Case(
                f"blockwise_matmul {bits} {x}",
                partial(graph.BlockwiseMatmulOp, bits=bits),
                [rand(*x), rand(5, 2, 16 * bits // 8, dtype=np.int8, seed=1), rand(5, 2, seed=2), *zero_points],
            )
            for bits, x, zero_points in (
                (4, (3, 32), []),
                (4, (2, 1, 30), [rand(5, 2, dtype=np.int8, seed=3)]),
                (8, (3, 32), [rand(5, 2, seed=3)]),
            )
        ),
        *(
            Case(
                f"codebook_matmul {x}",
                graph.CodebookMatmulOp,
                [rand(*x), rand(5, 2, 8, dtype=np.int8, seed=1), rand(16, seed=2), rand(5, 2, seed=3)],
            )
            for x in ((3, 32), (2, 1, 30))
        ),
        *(
            Case(
                f"blockwise_dot {bits}",
                partial(graph.BlockwiseDotOp, bits=bits),
                [
                    rand(3, 2, parts, 16 // parts, dtype=np.int8),
                    rand(3, 2, seed=1),
                    rand(5, 2, 16 // parts, dtype=np.int8, seed=2),
                    rand(5, 2, seed=3),
                    *zero_points,
                ],
            )
            for bits, parts, zero_points in ((4, 2, [rand(5, 2, dtype=np.int8, seed=4)]), (8, 1, []))
        ),
        *(
            Case(
                f"superblock_matmul {bits}",
                partial(graph.SuperblockMatmulOp, bits=bits),
                [rand(3, columns), *_superblocks()],
            )
            for bits, columns in ((4, 60), (8, 30))
        ),
        *(
            Case(
                f"superblock_dot {8 // parts}",
                graph.SuperblockDotOp,
                [rand(3, 4, parts, 8, dtype=np.int8), rand(3, 4, seed=1), *_superblocks()],
            )
            for parts in (2, 1)
        ),
    ]


def _superblocks() -> list[Array]:
    """Weights in two superblocks of two blocks, with their scales and least values."""
    levels = [rand(5, 4, dtype=np.int8, seed=seed) for seed in (3, 4)]
    return [
        rand(5, 4, 8, dtype=np.int8, seed=2),
        *levels,
        *(rand(5, 2, seed=seed).astype(np.float16) for seed in (5, 6)),
    ]


def pools() -> list[Case]:
    """Poolings: with borders, of several types, of rows without a largest value."""
    found: list[Case] = []
    for number, (x, kernel, strides, pads, dilations) in enumerate(POOLS):
        window = {"kernel": kernel, "strides": strides, "pads": pads, "dilations": dilations}
        special = rand(*x)
        special.reshape(-1)[::7] = -np.inf
        special.reshape(-1)[3::11] = np.nan
        found += [
            Case(f"max_pool {number}", partial(graph.MaxPoolOp, **window), [special]),
            Case(f"max_pool int8 {number}", partial(graph.MaxPoolOp, **window), [rand(*x, dtype=np.int8)]),
            Case(
                f"max_pool_indices {number}",
                partial(graph.MaxPoolIndicesOp, **window, storage_order=1),
                [special],
            ),
            *(
                Case(
                    f"avg_pool {number} counted {share}",
                    partial(graph.AvgPoolOp, **window, counted_pads=[pad * share // 2 for pad in pads]),
                    [rand(*x)],
                )
                for share in (0, 1, 2)
            ),
        ]
    centred = {"kernel": [3, 2], "strides": [2, 3], "dilations": [1, 2]}
    found += [
        Case(f"same_avg_pool {side}", partial(graph.SameAvgPoolOp, **centred, side=side), [rand(2, 3, 6, 7)])
        for side in ("upper", "lower")
    ]
    found += [
        Case(
            f"max_pool_indices {side}",
            partial(graph.MaxPoolIndicesOp, **centred, pads=[0] * 4, side=side),
            [rand(2, 3, 6, 7)],
        )
        for side in ("upper", "lower")
    ]
    common = {"kernel": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "dilations": [1, 1]}
    for each in FLOATS:
        x = rand(1, 2, 6, 6, dtype=each)
        found += [
            Case(f"max_pool {np.dtype(each)}", partial(graph.MaxPoolOp, **common), [x]),
            Case(f"avg_pool {np.dtype(each)}", partial(graph.AvgPoolOp, **common, counted_pads=[0] * 4), [x]),
        ]
    return found


def normalisations() -> list[Case]:
    """Softmax and the norms, on every float type."""
    found: list[Case] = []
    for each in FLOATS:
        name, x = np.dtype(each), rand(3, 4, 5, dtype=each)
        scale, bias, mean = (rand(4, dtype=each, seed=seed) for seed in range(3))
        variance = np.abs(rand(4, dtype=each, seed=3))
        layer = [rand(5, dtype=each, seed=4), rand(5, dtype=each, seed=5)]
        if each != ml_dtypes.bfloat16:
            found.append(
                Case(
                    f"lrn {name}",
                    partial(graph.LrnOp, size=3, alpha=0.1, beta=0.75, bias=1.5),
                    [rand(2, 6, 3, 2, dtype=each)],
                )
            )
        found += [
            *(Case(f"softmax {name} {axis}", partial(graph.SoftmaxOp, axis=axis), [x]) for axis in range(3)),
            *(Case(f"log_softmax {name} {axis}", partial(graph.LogSoftmaxOp, axis=axis), [x]) for axis in range(3)),
            Case(f"layer_norm {name}", partial(graph.LayerNormOp, axis=1, epsilon=1e-5), [x]),
            Case(
                f"layer_norm {name} scaled",
                partial(graph.LayerNormOp, axis=2, epsilon=1e-5),
                [x, *layer],
            ),
            Case(
                f"batch_norm {name}",
                partial(graph.BatchNormOp, epsilon=1e-3),
                [x, scale, bias, mean, variance],
            ),
        ]
    return found
