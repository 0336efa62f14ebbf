"""Products with weights in blocks: the lowered computation gives what the operation means."""

from functools import partial

import numpy as np
import pytest
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.types.dtypes import Array
from support.kernels import check_lowering, rand

ZERO_POINTS: dict[str, list[Array]] = {
    "none": [],
    "integers": [rand(5, 2, dtype=np.int8, seed=3)],
    "floats": [rand(5, 2, seed=3)],
}


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zero_points", ZERO_POINTS)
@pytest.mark.parametrize("shape", [(32,), (3, 32), (2, 1, 30)], ids=str)
def test_products_with_weights_in_blocks(bits: int, zero_points: str, shape: tuple[int, ...]):
    """The last block reaches beyond 30 columns."""
    weights = rand(5, 2, 2 * bits, dtype=np.int8, seed=1)
    operands = [rand(*shape), weights, rand(5, 2, seed=2), *ZERO_POINTS[zero_points]]
    check_lowering(partial(graph.BlockwiseMatmulOp, bits=bits), *operands)


@pytest.mark.parametrize("shape", [(32,), (3, 32), (2, 1, 30)], ids=str)
def test_products_with_codes_of_a_table(shape: tuple[int, ...]):
    operands = [rand(*shape), rand(5, 2, 8, dtype=np.int8, seed=1), rand(16, seed=2), rand(5, 2, seed=3)]

    def product(*values: SSAValue) -> Operation:
        return graph.CodebookMatmulOp(*values)

    check_lowering(product, *operands)


LEVELS = [
    rand(5, 4, dtype=np.int8, seed=2),
    rand(5, 4, dtype=np.int8, seed=3),
    rand(5, 2, seed=4).astype(np.float16),
    rand(5, 2, seed=5).astype(np.float16),
]


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("shape", [(64,), (3, 64), (2, 1, 60)], ids=str)
def test_products_with_weights_in_superblocks(bits: int, shape: tuple[int, ...]):
    def product(*values: SSAValue) -> Operation:
        return graph.SuperblockMatmulOp(*values, bits=bits)

    check_lowering(product, rand(*shape), rand(5, 4, 2 * bits, dtype=np.int8, seed=1), *LEVELS)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("rows", [(), (3,), (2, 1)], ids=str)
def test_products_of_integers_in_superblocks(parts: int, rows: tuple[int, ...]):
    x, x_scales = rand(*rows, 4, parts, 8, dtype=np.int8), rand(*rows, 4, seed=6)

    def dot(*values: SSAValue) -> Operation:
        return graph.SuperblockDotOp(*values)

    check_lowering(dot, x, x_scales, rand(5, 4, 8, dtype=np.int8, seed=1), *LEVELS)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zero_points", ZERO_POINTS)
@pytest.mark.parametrize("rows", [(), (3,), (2, 1)], ids=str)
def test_products_of_integers_in_blocks(bits: int, zero_points: str, rows: tuple[int, ...]):
    x = rand(*rows, 2, 8 // bits, 16, dtype=np.int8)
    weights = rand(5, 2, 16, dtype=np.int8, seed=1)
    operands = [x, rand(*rows, 2, seed=4), weights, rand(5, 2, seed=2), *ZERO_POINTS[zero_points]]

    def dot(*values: SSAValue) -> Operation:
        return graph.BlockwiseDotOp(*values, bits=bits)

    check_lowering(dot, *operands)
