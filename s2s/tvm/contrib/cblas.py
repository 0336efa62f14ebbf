"""Products of matrices by the BLAS of numpy, under TVM's names: packed functions of this process.

In firmware the linker, or a registry of C, supplies the function of the name; `topi.nn.matmul` needs none.
"""

from typing import Any

import numpy as np

from s2s.tvm.runtime.registry import register_func
from s2s.tvm.te.buffers import call_packed
from s2s.tvm.te.expressions import Tensor
from s2s.tvm.te.extern import extern

__all__ = ["batch_matmul", "matmul"]

MATMUL, BATCH_MATMUL = "tvm.contrib.cblas.matmul", "tvm.contrib.cblas.batch_matmul"


@register_func(MATMUL)
def _matmul(a: Any, b: Any, c: Any, transa: int = 0, transb: int = 0, alpha: float = 1.0, beta: float = 0.0) -> None:
    """`c = alpha * a @ b + beta * c`, either operand transposed first."""
    product = np.asarray(a.T if transa else a) @ np.asarray(b.T if transb else b)
    c[...] = alpha * product + (beta * np.asarray(c) if beta else 0)


@register_func(BATCH_MATMUL)
def _batch_matmul(a: Any, b: Any, c: Any, transa: int = 0, transb: int = 0) -> None:
    """The product of each matrix of a batch, either operand transposed first."""
    left, right = (np.swapaxes(x, 1, 2) if turned else x for x, turned in ((a, transa), (b, transb)))
    c[...] = np.asarray(left) @ np.asarray(right)


def matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False) -> Tensor:
    """The product of two matrices, either of them transposed first."""
    shape = lhs.shape[1 if transa else 0], rhs.shape[0 if transb else 1]
    return extern(
        shape, [lhs, rhs], lambda ins, outs: call_packed(MATMUL, ins[0], ins[1], outs[0], transa, transb), name="C"
    )


def batch_matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False) -> Tensor:
    """The products of two batches of matrices, either of them transposed first."""
    shape = lhs.shape[0], lhs.shape[2 if transa else 1], rhs.shape[1 if transb else 2]
    return extern(
        shape,
        [lhs, rhs],
        lambda ins, outs: call_packed(BATCH_MATMUL, ins[0], ins[1], outs[0], transa, transb),
        name="C",
    )
