"""Recognise convolutions in `tensor.compute` by their access maps, and name the role of each dimension."""

from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import FloatAttr, f32, i8, i32
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.structure.compute import body_ops, shape_of
from s2s.analysis.structure.lanes import results_in_lanes
from s2s.analysis.structure.products import is_sum_of_products, product_sum
from s2s.dialects import tensor
from s2s.types.affine import Linear, linear, ranges


class Sliding(NamedTuple):
    """A sliding window along an axis of the image: it reads at `position + tap + offset`, both dimensions of the
    domain."""

    axis: int
    position: int
    tap: int


class Convolution(NamedTuple):
    """A convolution `y[n, o, h, w] = sum over i, r, s of x[n, i, h + r, w + s] * w[o, i, r, s]`, in any layout of x and
    y.

    A channel may be split over several dimensions of the domain: the block of channels, and the position in the block.
    A window of one row or column slides along `columns`, whichever axis that is, and the other axis is of the batch.
    """

    op: tensor.ComputeOp
    x: int
    """The number of the read that is the image."""
    rows: Sliding | None
    columns: Sliding
    batch: tuple[int, ...]
    out_dims: tuple[int, ...]
    in_dims: tuple[int, ...]
    out_axis: int
    """The axis of the filter that output channels index."""
    in_axis: int
    offset: int = 0
    """What is added to each element of an image of bytes: its negated zero point."""

    @property
    def in_integers(self) -> bool:
        """Whether bytes are multiplied, and summed in 32 bits."""
        return tensor.element_type(self.image) == i8

    @property
    def w(self) -> int:
        """The number of the read that is the filter."""
        return 1 - self.x

    @property
    def image(self) -> SSAValue:
        """The image that the window slides over."""
        return self.op.reads[self.x]

    @property
    def filter(self) -> SSAValue:
        """The constant filter."""
        return self.op.reads[self.w]

    @property
    def taps(self) -> tuple[int, int]:
        """Height and width of the window."""
        return 1 if self.rows is None else self.op.sizes[self.rows.tap], self.op.sizes[self.columns.tap]

    @property
    def tap_axes(self) -> tuple[int, ...]:
        """The axes of the filter that rows and columns of the window index."""
        return tuple(self._axis_of(each.tap) for each in (self.rows, self.columns) if each is not None)

    @property
    def out_channels(self) -> int:
        """The number of output channels."""
        return shape_of(self.filter)[self.out_axis]

    @property
    def in_channels(self) -> int:
        """The number of input channels."""
        return shape_of(self.filter)[self.in_axis]

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the result."""
        rows = 1 if self.rows is None else self.op.sizes[self.rows.position]
        return rows, self.op.sizes[self.columns.position]

    @property
    def products_in_image(self) -> int:
        """The products of a filter of one channel with one image, but for what the window reads beside it."""
        return prod(self._products_along(each) for each in (self.rows, self.columns) if each is not None)

    def _products_along(self, slide: Sliding) -> int:
        size = shape_of(self.image)[slide.axis]
        results, taps = self.op.sizes[slide.position], self.op.sizes[slide.tap]
        first = linear(self.op.read_accesses[self.x].map.data.results[slide.axis], ranges(self.op.sizes)).constant
        return sum(0 <= position + tap + first < size for position in range(results) for tap in range(taps))

    @property
    def images(self) -> int:
        """The batch size."""
        return prod(self.op.sizes[dim] for dim in self.batch)

    def channel(self, axis: int) -> AffineExpr:
        """Return the channel index at `axis` of the filter, as an expression over the dimensions of the domain."""
        return self.op.read_accesses[self.w].map.data.results[axis]

    def _axis_of(self, dim: int) -> int:
        results = self.op.read_accesses[self.w].map.data.results
        return next(axis for axis, expr in enumerate(results) if expr == AffineDimExpr(dim))


def convolution_of(op: tensor.ComputeOp) -> Convolution | None:
    """Recognise `op` as a convolution along one or two axes: a sum of products in f32 or of bytes, whose window has
    stride 1; else None."""
    if op.reduce is None or len(op.reads) != 2 or op.tables or len(op.res) != 1:
        return None
    if not _is_of_floats(op, op.reduce.block) and not _is_of_bytes(op):
        return None
    if any(isinstance(inner, tensor.IndexOp | tensor.InBoundsOp) for inner in body_ops(op)):
        return None
    if any(access.is_guarded or _divides(access) for access in op.epilogue_accesses):
        return None
    found = [conv for x in (0, 1) if (conv := _with_image(op, x)) is not None]
    return found[0] if len(found) == 1 else None


def _is_of_floats(op: tensor.ComputeOp, block: Block) -> bool:
    init = op.inits.data[0]
    if not isinstance(init, FloatAttr) or init.value.data != 0.0 or not is_sum_of_products(block):
        return False
    return all(tensor.element_type(value) == f32 for value in [*op.operands, *op.res])


def _is_of_bytes(op: tensor.ComputeOp) -> bool:
    """Return whether `op` sums products of signed bytes, and results are bytes or words."""
    products = product_sum(op)
    if products is None or products.unsigned is not None or tensor.element_type(op.res[0]) not in (i8, i32):
        return False
    return results_in_lanes(op)


def _divides(access: tensor.AccessAttr) -> bool:
    return any(divisor > 1 for divisor in access.division)


def _forms(op: tensor.ComputeOp, read: int) -> list[Linear]:
    box = ranges(op.sizes)
    return [linear(expr, box) for expr in op.read_accesses[read].map.data.results]


def _dims(form: Linear) -> set[int]:
    return {dim for atom in form.terms for dim in atom.used_dims()}


def _with_image(op: tensor.ComputeOp, x: int) -> Convolution | None:
    """Recognise `op` as a convolution whose image is read `x`; else None."""
    image, constant = op.read_accesses[x], op.read_accesses[1 - x]
    if _divides(image) or _divides(constant) or constant.is_guarded:
        return None
    x_forms, w_forms = _forms(op, x), _forms(op, 1 - x)
    slides = [slide for axis, form in enumerate(x_forms) if (slide := _sliding(op, axis, form)) is not None]
    if len(slides) not in (1, 2):
        return None
    rows, columns = slides[0] if len(slides) == 2 else None, slides[-1]
    taps = {each.tap for each in slides}
    channels = [axis for axis, form in enumerate(w_forms) if _dims(form) and not _dims(form) & taps]
    others = [axis for axis in range(len(w_forms)) if axis not in channels and shape_of(op.reads[1 - x])[axis] > 1]
    if len(channels) != 2 or sorted(map(sorted, (_dims(w_forms[axis]) for axis in others))) != [
        [tap] for tap in sorted(taps)
    ]:
        return None
    outs = [axis for axis in channels if max(_dims(w_forms[axis]), default=op.rank) < op.rank]
    ins = [axis for axis in channels if min(_dims(w_forms[axis]), default=0) >= op.rank]
    if len(outs) != 1 or len(ins) != 1:
        return None
    out_dims, in_dims = (
        _count_through(op, w_forms[axis], shape_of(op.reads[1 - x])[axis]) for axis in (outs[0], ins[0])
    )
    if out_dims is None or in_dims is None:
        return None
    others = [dim for dim in range(op.rank) if dim not in {*out_dims, *(each.position for each in slides)}]
    batch = tuple(dim for dim in others if op.sizes[dim] > 1)
    rest = [form for axis, form in enumerate(x_forms) if axis not in {each.axis for each in slides}]
    seen: set[int] = set()
    for form in rest:
        seen |= _dims(form)
    if seen != {*batch, *in_dims}:
        return None
    products = product_sum(op)
    offset = 0 if products is None else products.factor_of(x).offset
    if products is not None and products.factor_of(1 - x).offset:
        return None
    return Convolution(op, x, rows, columns, batch, out_dims, in_dims, outs[0], ins[0], offset)


def _sliding(op: tensor.ComputeOp, axis: int, form: Linear) -> Sliding | None:
    """Match `form` as `position + tap + offset`; else None."""
    dims = sorted(_dims(form))
    if len(dims) != 2 or set(form.terms.values()) != {1} or len(form.terms) != 2:
        return None
    position, tap = dims
    return Sliding(axis, position, tap) if position < op.rank <= tap else None


def _count_through(op: tensor.ComputeOp, form: Linear, size: int) -> tuple[int, ...] | None:
    """Return the dimensions that index an axis of `size` together, as mixed-radix digits, the most significant one
    first. `c = o * 8 + i` with `i < 8` gives `(o, i)`."""
    extent, dims = 1, list[int]()
    for atom, factor in sorted(form.terms.items(), key=lambda term: term[1]):
        if not isinstance(atom, AffineDimExpr) or factor != extent:
            return None
        dims.insert(0, atom.position)
        extent *= op.sizes[atom.position]
    return tuple(dims) if extent == size and not form.constant else None
