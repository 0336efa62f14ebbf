"""Products of matrices, of floats and of integers."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import FLOATS, draw_array
from s2s.fuzz.network import Attributes, Network, Rejected, Value


def _second(net: Network, x: Value) -> list[int]:
    """The shape of a matrix or vector, or several of them, that `x` can be multiplied with."""
    inner = x.shape[-1]
    if net.chance(0.15):
        return [inner]
    batch = list(x.shape[:-2])
    batch = [1 if net.chance(0.3) else size for size in batch]
    batch = batch[net.random.randint(0, len(batch)) if net.chance(0.6) else 0 :]
    columns = net.random.choice((1, 2, 3, 5, 8, 9, 16, 17, 33))
    if inner * columns * int(np.prod(batch)) > 4096:
        raise Rejected("the second operand is large")
    return [*batch, inner, columns]


def _matmul(net: Network) -> None:
    x = net.of_rank(net.dtype("MatMul"), 1, empty=net.chance(0.05))
    net.node("MatMul", [x, net.operand(x.dtype, _second(net, x))])


def _gemm(net: Network) -> None:
    x = net.of_rank(net.dtype("Gemm", among=FLOATS), 2, 2)
    trans_a, trans_b = net.random.randint(0, 1), net.random.randint(0, 1)
    rows, inner = x.shape[::-1] if trans_a else x.shape
    columns = net.random.choice((1, 2, 3, 7, 8, 16, 17, 33))
    if inner * columns > 4096:
        raise Rejected("the second operand is large")
    w = net.operand(x.dtype, (columns, inner) if trans_b else (inner, columns))
    bias = net.random.choice((None, [columns], [rows, 1], [rows, columns], [1, columns], [1], []))
    factors: Attributes = {name: net.random.choice((0.5, 1.0, 2.0)) for name in ("alpha", "beta") if net.chance(0.3)}
    c = None if bias is None else net.operand(x.dtype, bias)
    net.node("Gemm", [x, w, c], transA=trans_a, transB=trans_b, **factors)


def _matmul_integer(net: Network) -> None:
    x = net.of_rank(net.dtype("MatMulInteger"), 2, 4)
    other = net.dtype("MatMulInteger", 1)
    w = net.operand(other, _second(net, x))
    zeros = [net.constant(draw_array(net.random, each, [])) if net.chance(0.6) else None for each in (x.dtype, other)]
    net.node("MatMulInteger", [x, w, *zeros])


_EQUATIONS = (
    "ij,jk->ik",
    "bij,bjk->bik",
    "ij,kj->ik",
    "i,j->ij",
    "bhid,bhjd->bhij",
    "ij->ji",
    "ij->i",
    "ii->i",
    "ij,ij->",
    "ijk,k->ij",
)


def _einsum(net: Network) -> None:
    equation = net.random.choice(_EQUATIONS)
    dtype = net.dtype("Einsum", among=FLOATS)
    sizes = {letter: net.random.randint(1, 7) for letter in "ijkbhd"}
    terms = equation.partition("->")[0].split(",")
    net.node("Einsum", [net.operand(dtype, [sizes[each] for each in term]) for term in terms], equation=equation)


def _det(net: Network) -> None:
    n = net.random.randint(1, 7)
    net.node("Det", [net.operand(net.dtype("Det"), [*([2] if net.chance(0.5) else []), n, n])])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "Det": _det,
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "MatMulInteger": _matmul_integer,
}
