"""Softmax and normalisations, in the stages that TVM computes them in."""

from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Expr, IterVar, Tensor
from s2s.tvm.te.tensors import compute, pointwise, reduce_axis


def _others(indices: tuple[IterVar, ...], axis: int) -> tuple[IterVar, ...]:
    return (*indices[:axis], *indices[axis + 1 :])


def _at(indices: tuple[IterVar, ...], axis: int, value: Expr) -> tuple[Expr, ...]:
    return (*indices[:axis], value, *indices[axis:])


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """`exp(x - max) / sum(exp(x - max))` along `axis`."""
    place = axis % x.ndim
    shape = (*x.shape[:place], *x.shape[place + 1 :])
    k1, k2 = reduce_axis((0, x.shape[place]), "k"), reduce_axis((0, x.shape[place]), "k")
    most = pointwise(shape, lambda i: operators.max(x(*_at(i, place, k1)), axis=k1), "T_softmax_maxelem")
    power = pointwise(x.shape, lambda i: operators.exp(x(*i) - most(*_others(i, place))), "T_softmax_exp")
    total = pointwise(shape, lambda i: operators.sum(power(*_at(i, place, k2)), axis=k2), "T_softmax_expsum")
    return pointwise(x.shape, lambda i: power(*i) / total(*_others(i, place)), "T_softmax_norm")


fast_softmax = softmax


def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """`x - max - log(sum(exp(x - max)))` along `axis`."""
    place = axis % x.ndim
    shape = (*x.shape[:place], *x.shape[place + 1 :])
    k1, k2 = reduce_axis((0, x.shape[place]), "k"), reduce_axis((0, x.shape[place]), "k")
    most = pointwise(shape, lambda i: operators.max(x(*_at(i, place, k1)), axis=k1), "T_softmax_maxelem")

    def power(*i: IterVar) -> Expr:
        return operators.sum(operators.exp(x(*_at(i, place, k2)) - most(*i)), axis=k2)

    total = compute(shape, power, "compute")
    return pointwise(
        x.shape,
        lambda i: x(*i) - most(*_others(i, place)) - operators.log(total(*_others(i, place))),
        "T_log_softmax",
    )


def lrn(data: Tensor, size: int, axis: int = 1, alpha: float = 0.0001, beta: float = 0.75, bias: float = 2) -> Tensor:
    """`x / (bias + alpha * sum / size) ** beta`, the sum over the squares of `size` neighbours along `axis`."""
    from s2s.tvm.topi.nn.pad import pad

    before = [size // 2 if each == axis else 0 for each in range(data.ndim)]
    padded = pad(data, before, before, name="pad_data")
    k = reduce_axis((0, size), "rxs")

    def squares(*i: IterVar) -> Expr:
        read = padded(*(index + k if n == axis else index for n, index in enumerate(i)))
        return operators.sum(read * read, axis=k)

    total = compute(data.shape, squares, "sqr_sum")
    return pointwise(
        data.shape,
        lambda i: data(*i) / operators.power(total(*i) * (alpha / size) + float(bias), float(beta)),
        "tensor",
    )
