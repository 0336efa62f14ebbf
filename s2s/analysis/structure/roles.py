"""Find which factor of a sum of products is an activation and which a constant, and the dimensions that index each.

y[p, o] = sum(k: x[p, k] * w[o, k])        x is read 0, w read 1; `p` moves along x only, `o` along w only
"""

from typing import NamedTuple

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.structure.products import ProductSum, product_sum, wide_product_sum
from s2s.dialects import tensor
from s2s.types.affine import Linear, linear, ranges


class Roles(NamedTuple):
    """The roles of the two reads, and the dimensions that index them."""

    x: int
    w: int
    both: tuple[int, ...]
    """Parallel dimensions that index both: the channel of a depthwise convolution."""
    x_only: tuple[int, ...]
    w_only: tuple[int, ...]
    w_offset: int = 0
    """The offset added to each constant: the negated zero point."""
    w_unsigned: bool = False
    """Whether the constants are whole bytes without sign."""


def roles_of(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> Roles | None:
    """Return the roles in a sum of products of an activation and a constant; None if `op` is none."""
    products = product_sum(op)
    if products is None or not all(tensor.element_type(read) == i8 for read in op.reads):
        return None
    return _roles(op, products, constants)


def wide_roles_of(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> Roles | None:
    """Return the roles in a sum of products of an activation and a constant, both of 16 bits; None if `op` is none."""
    products = wide_product_sum(op)
    return None if products is None else _roles(op, products, constants)


def _roles(op: tensor.ComputeOp, products: ProductSum, constants: frozenset[SSAValue]) -> Roles | None:
    known = [read in constants and read.has_one_use() for read in op.reads]
    if known.count(True) != 1 or any(divisor > 1 for access in op.read_accesses for divisor in access.division):
        return None
    x, w = known.index(False), known.index(True)
    if op.read_accesses[w].is_guarded or products.factor_of(x).unsigned:
        return None
    moved = [dims_of_read(op, read) for read in (x, w)]
    dims = [dim for dim in range(op.rank) if op.sizes[dim] > 1]
    return Roles(
        x,
        w,
        tuple(dim for dim in dims if dim in moved[0] and dim in moved[1]),
        tuple(dim for dim in dims if dim in moved[0] and dim not in moved[1]),
        tuple(dim for dim in dims if dim in moved[1] and dim not in moved[0]),
        products.factor_of(w).offset,
        products.factor_of(w).unsigned,
    )


def dims_of_read(op: tensor.ComputeOp, read: int) -> set[int]:
    """Return the dimensions that index a read."""
    box = ranges(op.sizes)
    forms = [linear(expr, box) for expr in op.read_accesses[read].map.data.results]
    return {dim for form in forms for atom in form.terms for dim in atom.used_dims()}


def constant_axes(op: tensor.ComputeOp, read: int, channel: int) -> tuple[int, tuple[int, ...]] | None:
    """Return the axis of a constant that `channel` indexes, and the axes that the reductions index, in their order."""
    results = op.read_accesses[read].map.data.results
    by_dim: dict[int, int] = {}
    idle: list[int] = []
    for axis, expr in enumerate(results):
        form = linear(expr, ranges(op.sizes))
        if not form.terms and form.constant == 0:
            idle.append(axis)
        elif len(form.terms) == 1 and form.constant == 0:
            ((atom, factor),) = form.terms.items()
            if not isinstance(atom, AffineDimExpr) or factor != 1:
                return None
            by_dim[atom.position] = axis
        else:
            return None
    reductions = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1]
    if channel not in by_dim or set(by_dim) != {channel, *reductions}:
        return None
    return by_dim[channel], (*idle, *(by_dim[dim] for dim in reductions))


def axis_of_taps(op: tensor.ComputeOp, read: int) -> int | None:
    """Return the axis of a constant that the last reduction moves along, if no axis behind it moves: axis 2 of
    `w[c, 0, kh, 0]`. None if there is none, or it moves along others, too."""
    taps, box = AffineDimExpr(len(op.sizes) - 1), ranges(op.sizes)
    forms = [linear(expr, box) for expr in op.read_accesses[read].map.data.results]
    moving = [axis for axis, form in enumerate(forms) if form.terms]
    along = [axis for axis in moving if taps in forms[axis].terms]
    return along[0] if along == moving[-1:] and forms[along[0]] == Linear(0, {taps: 1}) else None


def packed_by_taps(op: tensor.ComputeOp, read: int, axis: int, count: int) -> list[tensor.PackedAxis]:
    """Return the layout of a constant whose rows of taps along `axis` are filled up to groups of `count`."""
    others = [other for other in range(len(op.read_accesses[read].map.data.results)) if other != axis]
    rows = [tensor.PackedAxis((other,)) for other in others]
    return [*rows, tensor.PackedAxis((axis,), count), tensor.PackedAxis((axis,), 1, count)]
