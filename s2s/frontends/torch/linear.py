"""Matrix products and determinants."""

from collections.abc import Mapping

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.determinants import determinant
from s2s.frontends.formulas import cast, matmul, reshape, unsqueeze
from s2s.frontends.packed_weights import packed_product
from s2s.frontends.torch.node import Importer, Node


def _product(a: Value, b: Value, *, transpose_b: bool = False) -> Value:
    """`a b` or `a b^T` in the type of `a`: sums of small integers wrap around."""
    return cast(matmul(a, b, transpose_b=True) if transpose_b else matmul(a, b), a.dtype)


def _mm(node: Node) -> Value:
    return _product(node.value("self"), node.value("mat2"))


def _int_mm(node: Node) -> Value:
    """A product of bytes, summed in 32 bits."""
    return emit(
        graph.MatmulOp, cast(node.value("self"), node.result_dtype()), cast(node.value("mat2"), node.result_dtype())
    )


def _matmul(node: Node) -> Value:
    a, b = node.value("self"), node.value("other")
    if a.rank == b.rank == 1:
        return reshape(_product(a, b), [])
    return _product(a, b)


def _linear(node: Node) -> Value:
    """`x W^T + b`; the weights are transposed where they are laid out."""
    x, weight, bias = node.value("input"), node.value("weight"), node.optional("bias")
    rows = x if x.rank > 1 else reshape(x, [1, *x.shape])
    if weight.rank == 1:
        y = _product(x, weight)
    else:
        packed = packed_product(rows, weight, transposed=True)
        y = _product(rows, weight, transpose_b=True) if packed is None else packed
        y = y if x.rank > 1 else reshape(y, y.shape[1:])
    return y if bias is None else y + bias


def _scaled(node: Node, name: str, value: Value) -> Value:
    factor = node.number(name)
    return value if factor == 1 else value * factor


def _sum_of(node: Node, product: Value) -> Value:
    """`beta * self + alpha * product`."""
    product = _scaled(node, "alpha", product)
    return product if node.number("beta") == 0 else product + _scaled(node, "beta", node.value("self"))


def _addmm(node: Node) -> Value:
    return _sum_of(node, _product(node.value("mat1"), node.value("mat2")))


def _baddbmm(node: Node) -> Value:
    return _sum_of(node, _product(node.value("batch1"), node.value("batch2")))


def _mv(node: Node) -> Value:
    return _product(node.value("self"), node.value("vec"))


def _addmv(node: Node) -> Value:
    return _sum_of(node, _product(node.value("mat"), node.value("vec")))


def _dot(node: Node) -> Value:
    return reshape(_product(node.value("self"), node.value("tensor")), [])


def _trilinear(node: Node) -> Value:
    """The sum of products of three operands, each with dimensions of size one put in."""
    factors = [unsqueeze(node.value(f"i{n}"), sorted(node.integers(f"expand{n}"))) for n in (1, 2, 3)]
    return emit(graph.ReduceSumOp, factors[0] * factors[1] * factors[2], axes=sorted(node.integers("sumdim")))


def _determinant(node: Node) -> list[Value | None]:
    """The factors of the matrix, behind the determinant, are for gradients."""
    return [determinant(node.value("A")), None, None]


IMPORTERS: Mapping[str, Importer] = {
    "_int_mm": _int_mm,
    "_linalg_det": _determinant,
    "_trilinear": _trilinear,
    "addmm": _addmm,
    "addmv": _addmv,
    "baddbmm": _baddbmm,
    "bmm": _mm,
    "dot": _dot,
    "linear": _linear,
    "matmul": _matmul,
    "mm": _mm,
    "mv": _mv,
}
