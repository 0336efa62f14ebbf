"""Products of float matrices by `cblas_sgemm`, as OpenBLAS has it (Debian: `libopenblas-dev`).

    y[batch…, i, j] = sum_k a[batch…, i, k] * b[k, j]        one call; rows of all batches are rows of one matrix
    y[batch…, i, j] = sum_k a[batch…, i, k] * b[batch…, k, j]  a call for each batch

The library sums in another order than the model, so it is left out where `--exact` asks for the model's order.
"""

from collections.abc import Sequence
from math import prod

from s2s.dialects import graph
from s2s.external.generator import Code, CodeGenerator, Composite, Region
from s2s.external.pattern import Pattern, is_op, wildcard
from s2s.support.frozen import frozen
from s2s.targets import Target

HEADER = "<cblas.h>"
LIBRARY_LANES = 4
"""The library looks for vectors when it runs: it has at least these where our kernels are plain C."""
LIBRARY_SHARE = 0.8
"""The part of our rate of products that the library reaches on vectors of equal length (`benchmarks.external_blas`)."""
CALL = 400.0
"""Cycles of a call of the library besides its products."""
PACKING = 0.5
"""Cycles for an element of a factor that is packed: of both by the library, by our kernels only of a second factor that
is not constant."""


@frozen
class Product:
    """The matrices of one product, of `count` pairs."""

    count: int
    rows: int
    columns: int
    depth: int
    transpose_a: bool
    transpose_b: bool
    constant: bool
    """Whether the second factor is constant, so that our kernels have it packed."""

    @property
    def each(self) -> int:
        """Multiply-adds of one pair."""
        return self.rows * self.columns * self.depth


class Blas(CodeGenerator):
    """`cblas_sgemm`."""

    name = "blas"
    link = ("-lopenblas",)
    keeps_order = False

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        return [("matmul", is_op("matmul")(wildcard(), wildcard()).has_dtype("float32"))]

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        if target.cc:
            return f"target {target.name} is no host: there is no such library for it"
        return None if product_of(composite) is not None else "a factor is broadcast over batches"

    def cost(self, composite: Composite, target: Target) -> float | None:
        product = product_of(composite)
        if product is None:
            return None
        lanes = max(target.lanes, LIBRARY_LANES)
        packed = product.rows * product.depth + product.depth * product.columns
        each = CALL + PACKING * packed + product.each / (LIBRARY_SHARE * lanes * target.fma_ports)
        return product.count * each

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        product = product_of(composite)
        if product is None:
            return None
        packed = 0 if product.constant else product.depth * product.columns
        return product.count * (PACKING * packed + product.each / (target.lanes * target.fma_ports))

    def code(self, region: Region, target: Target) -> Code:
        (step,) = region.steps
        product = product_of(step.composite)
        assert product is not None
        a, b = step.inputs
        (y,) = step.outputs
        if product.count == 1:
            return Code(_call(product, y, a, b), headers=(HEADER,))
        sizes = {
            y: product.rows * product.columns,
            a: product.rows * product.depth,
            b: product.depth * product.columns,
        }
        places = [f"{name} + n * {size}" for name, size in sizes.items()]
        call = _call(product, *places).replace("\n", "\n    ")
        return Code(f"for (int n = 0; n < {product.count}; n++) {{\n    {call}\n}}", headers=(HEADER,))


def product_of(composite: Composite) -> Product | None:
    """The product that calls of BLAS compute; None if they cannot."""
    op = composite.the(graph.MatmulOp)
    a, b = composite.shape(composite.number(op.a) or 0), composite.shape(composite.number(op.b) or 0)
    if len(a) < 2 or len(b) < 2 or 0 in (*a, *b):
        return None
    swapped = op.transpose_a is not None, op.transpose_b is not None
    rows, depth = (a[-1], a[-2]) if swapped[0] else (a[-2], a[-1])
    columns = b[-2] if swapped[1] else b[-1]
    constant = composite.value(op.b) is not None
    if prod(b[:-2]) == 1 and not swapped[0] and len(b) <= len(a):
        return Product(1, prod(a[:-2]) * rows, columns, depth, *swapped, constant)
    if a[:-2] == b[:-2]:
        return Product(prod(a[:-2]), rows, columns, depth, *swapped, constant)
    return None


def _call(product: Product, y: str, a: str, b: str) -> str:
    m, n, k = product.rows, product.columns, product.depth
    first, second = ("CblasTrans" if each else "CblasNoTrans" for each in (product.transpose_a, product.transpose_b))
    steps = m if product.transpose_a else k, k if product.transpose_b else n
    return (
        f"cblas_sgemm(CblasRowMajor, {first}, {second}, {m}, {n}, {k},\n"
        f"            1.0f, {a}, {steps[0]}, {b}, {steps[1]}, 0.0f, {y}, {n});"
    )
