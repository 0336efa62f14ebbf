"""Products of matrices."""

from collections.abc import Sequence

from s2s.tvm.te import operators
from s2s.tvm.te.arithmetic import is_one
from s2s.tvm.te.expressions import Expr, IterVar, Size, Tensor
from s2s.tvm.te.tensors import compute, reduce_axis
from s2s.tvm.topi.nn.conv import refuse_rewritten


def matmul(
    tensor_a: Tensor,
    tensor_b: Tensor,
    bias: Tensor | None = None,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Sequence[int] | None = None,
) -> Tensor:
    """The product of two matrices, either of them transposed first, plus a bias for each column."""
    refuse_rewritten("matmul", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    rows, depth = reversed(tensor_a.shape) if transpose_a else tensor_a.shape
    columns = tensor_b.shape[0 if transpose_b else 1]
    result = out_dtype or tensor_a.dtype
    k = reduce_axis((0, depth), "k")

    def formula(i: IterVar, j: IterVar) -> Expr:
        a = tensor_a(k, i) if transpose_a else tensor_a(i, k)
        b = tensor_b(j, k) if transpose_b else tensor_b(k, j)
        return operators.sum(a.astype(result) * b.astype(result), axis=k)

    product = compute((rows, columns), formula, "T_matmul")
    if bias is None:
        return product
    return compute((rows, columns), lambda i, j: product(i, j) + bias(j).astype(result), "T_add")


def dense(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    out_dtype: str | None = None,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Sequence[int] | None = None,
) -> Tensor:
    """The product of rows of `data` with rows of `weight`, plus a bias for each."""
    refuse_rewritten("dense", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    return matmul(data, weight, bias, out_dtype, transpose_b=True)


def batch_matmul(
    tensor_a: Tensor,
    tensor_b: Tensor,
    oshape: Sequence[Size] | None = None,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = True,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Sequence[int] | None = None,
) -> Tensor:
    """Products of matrices, one for each element of the batch; a batch of 1 serves all of the other operand."""
    refuse_rewritten("batch_matmul", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    batch = tensor_b.shape[0] if is_one(tensor_a.shape[0]) else tensor_a.shape[0]
    rows, depth = reversed(tensor_a.shape[1:]) if transpose_a else tensor_a.shape[1:]
    columns = tensor_b.shape[1 if transpose_b else 2]
    result = out_dtype or tensor_a.dtype
    k = reduce_axis((0, depth), "k")

    def formula(n: IterVar, i: IterVar, j: IterVar) -> Expr:
        first, second = (0 if is_one(each.shape[0]) else n for each in (tensor_a, tensor_b))
        a = tensor_a(first, k, i) if transpose_a else tensor_a(first, i, k)
        b = tensor_b(second, j, k) if transpose_b else tensor_b(second, k, j)
        return operators.sum(a.astype(result) * b.astype(result), axis=k)

    return compute(oshape or (batch, rows, columns), formula, "T_batch_matmul")
