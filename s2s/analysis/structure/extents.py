"""Derive the dimensions of a computation whose size is known at run time from the dimensions of its operands.

All tensors keep the strides that they have at the greatest sizes, so that only trip counts change from run to run.
With `x` of shape `[1, n, 64]`, `n` at most 128, the computation

    tensor.compute [4, 128 | 16] reads(%x at (h, i, k) -> (0, i, h * 16 + k), …)

has `n` positions along dimension 1 (`i`), and its result of shape `[4, 128]` has `n` along axis 1.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.axis_groups import axis_groups
from s2s.analysis.structure.compute import dim_names, shape_of
from s2s.analysis.structure.multiples import indivisible, is_multiple
from s2s.dialects import tensor
from s2s.errors import UnsupportedError
from s2s.types.affine import Linear, bounds, is_dim, linear, ranges, simplify
from s2s.types.size import symbols_of
from s2s.types.sizes import Extents, SizeTable, shape_at


def reshaped(shape: Sequence[int], extents: Extents, result: Sequence[int], table: SizeTable | None = None) -> Extents:
    """Return the extents of a tensor of `shape` after it is reshaped to `result`.

    Axis 1 of `[1, 128, 64]` becomes axis 0 of `[128, 4, 16]`: size and stride are equal. What counts of `[1, 128, 64]`
    with `n` rows is its first `64 * n` elements, so axis 0 of `[8192]` has the size `64 * n`, for which `table` has or
    gets a name; so has axis 1 of `[3, 8192]` of `[3, 128, 64]`. With `n` = 2, 4, …, 128, axis 0 of `[64, 2, 64]` has
    the size `n / 2`. Groups of axes that hold the same elements are independent: `[h, 2, w, 2]` becomes
    `[2 * h, 2 * w]`. An error if an axis of varying size is merged with outer ones, or split so that blocks are not
    whole.
    """
    found = [""] * len(result)
    whole = (range(len(shape)), range(len(result)))
    for old, new in [whole] if 0 in shape else axis_groups(shape, result):
        sizes, parts, names = shape[old.start : old.stop], result[new.start : new.stop], extents[old.start : old.stop]
        for axis, name in enumerate(names):
            if not name:
                continue
            made = _axis_after(sizes, names, parts, axis, table, old.start + axis)
            if made is None:
                raise UnsupportedError(
                    f"reshape of {list(shape)} to {list(result)} merges or splits axis {old.start + axis}, whose size "
                    f"{name} varies; give it a constant size"
                )
            found[new.start + made[0]] = made[1]
    return tuple(found)


def _axis_after(
    shape: Sequence[int], extents: Extents, result: Sequence[int], axis: int, table: SizeTable | None, number: int
) -> tuple[int, str] | None:
    """Return the axis of `result` that `axis` of `shape` becomes, and its size at run time; None if there is none.

    Both are the axes of one group; `number` is that of the axis in its tensor.
    """
    name, units = extents[axis], [prod(result[other + 1 :]) for other in range(len(result))]
    unit = prod(shape[axis + 1 :])
    for other, size in enumerate(result):
        if (size, units[other]) == (shape[axis], unit):
            return other, name
    if table is None:
        return None
    block = shape[axis] * unit
    first = next((other for other, size in enumerate(result) if size > 1 and size * units[other] == block), None)
    if first is not None and unit in units:  # split in itself
        parts = units[first] // unit
        part = _part(table[name], parts, table)
        if part is None:
            raise indivisible(number, name, parts, table)
        return first, part
    if list(filter(None, extents[axis:])) != [name]:
        return None
    if first is None and prod(shape[:axis]) == 1:
        first = next(other for other, size in enumerate(result) if size > 1)
    part = None if first is None else _part(table[name] * unit, units[first], table)
    return None if first is None or part is None else (first, part)


def _part(count: AffineExpr, unit: int, table: SizeTable) -> str | None:
    """Return the size `count / unit`; None where that leaves a rest in some run."""
    form = linear(count, [(0, bounds.most) for bounds in table.given.values()])
    if any(number % unit for number in (form.constant, *form.terms.values())):
        return table.name_of(count // unit) if is_multiple(count, unit, table) else None
    terms = dict(sorted(((atom, factor // unit) for atom, factor in form.terms.items()), key=lambda term: str(term[0])))
    return table.name_of(Linear(form.constant // unit, terms).to_expr())


def special_sizes(op: tensor.ComputeOp, dim: int) -> list[int]:
    """Return the sizes that dimension `dim` has in the runs that the user names: 128 and 256 of 512."""
    name = op.sizes_at_run_time[dim]
    module = op.get_toplevel_object()
    if not name or not isinstance(module, ModuleOp):
        return []
    table = SizeTable(module.attributes)
    return [size for size in table.special(name) if size < op.sizes[dim]] if name in table else []


class WindowRead(NamedTuple):
    """An access to windows or parts of an axis of varying size, where others go position by position."""

    operand: int
    """Number of the operand: reads first, then the epilogue's operands."""
    value: SSAValue
    access: tensor.AccessAttr
    axis: int
    size: str
    """The size of the axis."""

    @property
    def place(self) -> AffineExpr:
        """The position along the axis, over the dimensions of the domain."""
        return self.access.map.data.results[self.axis]


class DomainExtents:
    """The sizes at run time of the dimensions of one computation, as its operands demand them.

    Where no operand is read position by position along a dimension, the computation keeps the extent that it has.
    """

    def __init__(self, op: tensor.ComputeOp, table: SizeTable) -> None:
        self.op, self.table, self.stated = op, table, op.sizes_at_run_time
        self.names = [""] * len(op.sizes)
        self.windows: list[WindowRead] = []

    def demand(self, number: int, value: SSAValue, access: tensor.AccessAttr, extents: Extents) -> None:
        """Note what operand `number` with `extents` demands of the domain."""
        dims = len(self.op.sizes) if number < len(self.op.reads) else self.op.rank
        box = ranges(self.op.sizes[:dims])
        for axis, name in enumerate(extents):
            if not name:
                continue
            at = simplify(access.map.data.results[axis], box)
            if not is_dim(at) or self.op.sizes[at.position] != shape_of(value)[axis] or access.division[axis] != 1:
                self.windows.append(WindowRead(number, value, access, axis, name))
                continue
            if self._is_part(self.stated[at.position], name):
                self.windows.append(WindowRead(number, value, access, axis, name))
                continue
            if self.names[at.position] not in ("", name):
                dim = dim_names(self.op)[at.position]
                raise UnsupportedError(
                    f"dimension {dim} has the sizes {self.names[at.position]} and {name}; give one of them to both"
                )
            self.names[at.position] = name

    def _is_part(self, stated: str, name: str) -> bool:
        """Whether the domain is stated to have another size than what it reads, one that is never larger: the first
        `N floordiv 4 * 4` elements of `N`."""
        if stated in ("", name) or stated not in self.table or name not in self.table:
            return False
        return symbols_of(self.table).proves(self.table[stated], "<=", self.table[name]) is True

    @property
    def extents(self) -> Extents:
        """The size of each dimension at run time."""
        return tuple(name or before for name, before in zip(self.names, self.stated, strict=True))

    def of_result(self, result: SSAValue) -> Extents:
        """Return the extents of a result."""
        op = self.op
        return reshaped(op.parallel_sizes, self.extents[: op.rank], shape_of(result), self.table)

    def reach(self, window: WindowRead) -> int:
        """Return how many positions behind the end of its axis `window` reads, at most.

        A convolution of width 3 with stride 2 and padding 1 reads position `2 * 2 + 2 - 1 = 5` of an axis of 5 columns,
        whose result has 3: one behind the end. Of 6 columns it reads no further than position 5, which is the last.
        """
        extents = self.extents
        form = linear(window.place, ranges(self.op.sizes))
        names = {window.size, *filter(None, extents)}
        return max(
            self._last(form, window, extents, sizes) - sizes[window.size] + 1 for sizes in self.table.runs(names)
        )

    def _last(self, form: Linear, window: WindowRead, extents: Extents, sizes: Mapping[str, int]) -> int:
        """Return the last position that `window`, whose place is `form`, reads in a run of these `sizes`; -1 where the
        domain is empty, so that nothing is read."""
        shape = shape_at(self.op.sizes, extents, sizes)
        if 0 in shape:
            return -1
        if all(map(is_dim, form.terms)):
            steps = ((atom.position, factor) for atom, factor in form.terms.items() if is_dim(atom))
            last = form.constant + sum(factor * (shape[dim] - 1) for dim, factor in steps if factor > 0)
        else:
            last = bounds(form.to_expr(), ranges(shape))[1]
        return last // window.access.division[window.axis]


def domain_extents(op: tensor.ComputeOp, operands: Sequence[Extents], table: SizeTable) -> DomainExtents:
    """Return the extents of the domain of `op` for the extents of its `operands`; an error if they are not
    supported."""
    found = DomainExtents(op, table)
    accessed = zip([*op.reads, *op.epilogue], op.accesses, operands, strict=False)
    for number, (value, access, extents) in enumerate(accessed):
        found.demand(number, value, access, extents)
    for window in found.windows:
        if not window.access.is_guarded and found.reach(window) > 0:
            raise UnsupportedError(
                f"reads axis {window.axis}, whose size {window.size} varies, at {window.place}, which is behind its "
                "end in some runs; give it a constant size"
            )
    return found
