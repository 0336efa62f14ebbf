# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false
"""The table of formulas: each as a tensor expression, and by numpy."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np

from s2s.support.frozen import frozen
from s2s.tvm import te
from s2s.types.dtypes import Array

Arrays = Sequence[Array]
Tensors = Sequence[te.Tensor]


@frozen
class Formula:
    """An entry of the table. All numbers are whole and small enough that no order of a sum rounds."""

    express: Callable[[Tensors, str], te.Tensor]
    """The tensor of this name, of the operands."""
    compute: Callable[[Arrays], Array]
    operands: int = 1
    rank: int = 0
    """The rank of the operands; 0 for any."""


def _elementwise(function: Callable[..., te.Expr]) -> Callable[[Tensors, str], te.Tensor]:
    """A formula of the elements at one place of operands of one shape."""
    return lambda x, name: te.compute(x[0].shape, lambda *at: function(*(tensor[at] for tensor in x)), name=name)


def _product(x: Tensors, name: str) -> te.Tensor:
    k = te.reduce_axis((0, x[0].shape[1]), name="k")
    shape = (x[0].shape[0], x[1].shape[1])
    return te.compute(shape, lambda i, j: te.sum(x[0][i, k] * x[1][k, j], axis=k), name=name)


def _reduced(combine: Callable[..., te.Expr]) -> Callable[[Tensors, str], te.Tensor]:
    def express(x: Tensors, name: str) -> te.Tensor:
        k = te.reduce_axis((0, x[0].shape[-1]), name="k")
        return te.compute(x[0].shape[:-1], lambda *at: combine(x[0][(*at, k)], axis=k), name=name)

    return express


def _column_sums(x: Tensors, name: str) -> te.Tensor:
    k = te.reduce_axis((0, x[0].shape[0]), name="k")
    return te.compute((x[0].shape[1],), lambda j: te.sum(x[0][k, j], axis=k), name=name)


def _window(x: Tensors, name: str) -> te.Tensor:
    size = min(3, cast(int, x[0].shape[-1]))
    k = te.reduce_axis((0, size), name="k")
    shape = (x[0].shape[0], x[0].shape[1] - size + 1)
    return te.compute(shape, lambda i, j: te.sum(x[0][i, j + k] * (k + 1).astype("float32"), axis=k), name=name)


def _windowed(x: Arrays) -> Array:
    size = min(3, x[0].shape[-1])
    count = x[0].shape[1] - size + 1
    return np.stack([x[0][:, k : k + count] * np.float32(k + 1) for k in range(size)]).sum(0)


def _padded(x: Tensors, name: str) -> te.Tensor:
    rows, columns = x[0].shape
    inside = lambda j: te.all(j >= 1, j < columns + 1)  # noqa: E731
    shape = (rows, columns + 2)
    return te.compute(shape, lambda i, j: te.if_then_else(inside(j), x[0][i, j - 1], 2.0), name=name)


FORMULAS: Mapping[str, Formula] = {
    "add": Formula(_elementwise(lambda a, b: a + b), lambda x: x[0] + x[1], operands=2),
    "subtract": Formula(_elementwise(lambda a, b: a - b), lambda x: x[0] - x[1], operands=2),
    "multiply": Formula(_elementwise(lambda a, b: a * b), lambda x: x[0] * x[1], operands=2),
    "maximum": Formula(_elementwise(lambda a, b: te.max(a, b)), lambda x: np.maximum(x[0], x[1]), operands=2),
    "scale": Formula(_elementwise(lambda a: a * 2.0 - 1.0), lambda x: x[0] * 2 - 1),
    "select": Formula(
        _elementwise(lambda a, b: te.if_then_else(a > b, a, b * -1.0)),
        lambda x: np.where(x[0] > x[1], x[0], -x[1]),
        operands=2,
    ),
    "relu": Formula(_elementwise(lambda a: te.max(a, 0.0)), lambda x: np.maximum(x[0], 0)),
    "matmul": Formula(_product, lambda x: x[0] @ x[1], operands=2, rank=2),
    "transposed": Formula(
        lambda x, name: te.compute(x[0].shape[::-1], lambda i, j: x[0][j, i], name=name), lambda x: x[0].T, rank=2
    ),
    "flipped": Formula(
        lambda x, name: te.compute(x[0].shape, lambda i, j: x[0][i, x[0].shape[1] - 1 - j], name=name),
        lambda x: x[0][:, ::-1],
        rank=2,
    ),
    "row sums": Formula(_reduced(te.sum), lambda x: x[0].sum(-1), rank=2),
    "row maxima": Formula(_reduced(te.max), lambda x: x[0].max(-1), rank=2),
    "column sums": Formula(_column_sums, lambda x: x[0].sum(0), rank=2),
    "spread": Formula(
        lambda x, name: te.compute((3, *x[0].shape), lambda i, j: x[0][j] + i.astype("float32"), name=name),
        lambda x: x[0] + np.arange(3, dtype=np.float32)[:, None],
        rank=1,
    ),
    "window": Formula(_window, _windowed, rank=2),
    "padded": Formula(_padded, lambda x: np.pad(x[0], ((0, 0), (1, 1)), constant_values=2), rank=2),
}
