"""Give the axes of inputs their sizes as expressions of the named sizes, and refuse expressions that cannot be.

x [2, 4*q]   y [q + 1]      q = 2..4: the caller gives q, and x has room for 16 columns, y for 5 elements
"""

from collections.abc import Mapping, Sequence

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.types.affine import at_dims, is_constant
from s2s.types.size import Ledger
from s2s.types.size_formulas import SizeFormula, told_sizes


def number_inputs(
    ledger: Ledger, formulas: Mapping[str, Sequence[SizeFormula | None]], constants: Mapping[str, int]
) -> None:
    """Note the sizes of inputs in `ledger`, whose names vary within bounds, beside `constants`."""
    exprs: dict[str, AffineExpr] = {name: AffineConstantExpr(size) for name, size in constants.items()}
    exprs |= {name: AffineDimExpr(number) for number, name in enumerate(ledger.names)}
    for port, axes in formulas.items():
        sizes = [_size(ledger, axis, exprs) for axis in axes]
        for number, size in enumerate(sizes):
            if size is not None:
                _check_rises(ledger, size, f"input {one_line(port)}: axis {number}")
        ledger.ports[port] = tuple(sizes)
    _check_told(ledger, [size for sizes in ledger.ports.values() for size in sizes if size is not None])


def _size(ledger: Ledger, axis: SizeFormula | None, exprs: Mapping[str, AffineExpr]) -> AffineExpr | None:
    """Return the size of an axis, None where it is constant or not told."""
    if axis is None or any(name not in exprs for name in axis.names):
        return None
    size = ledger.form(axis.over(exprs))
    return None if is_constant(size) else size


def _check_rises(ledger: Ledger, size: AffineExpr, axis: str) -> None:
    """Refuse a size of an axis that is below 1, or that falls while a size it follows from rises: the caller has room
    for the greatest sizes."""
    text, one = ledger.describe(size), AffineConstantExpr(1)
    if ledger.proves(one, "<=", size) is not True:
        raise InputError(f"{axis}: is {text}, which is below 1 at some sizes; let them begin higher with --dim")
    for dim in size.used_dims():
        dims = [AffineDimExpr(number) for number in range(len(ledger.names))]
        next_one = at_dims(size, [*dims[:dim], dims[dim] + ledger.ranges[dim].step, *dims[dim + 1 :]])
        if ledger.proves(size, "<=", next_one) is not True:
            name = ledger.names[dim]
            raise InputError(f"{axis}: is {text}, which falls while {name} rises; give {name} a constant size")


def _check_told(ledger: Ledger, sizes: Sequence[AffineExpr]) -> None:
    """Refuse sizes that the shapes of inputs do not tell: of `a + b` alone neither is known."""
    names = tuple(ledger.names)
    values = {name: bounds.values for name, bounds in zip(names, ledger.ranges, strict=True)}
    told = told_sizes([(SizeFormula(names, size), size.eval(ledger.greatest, [])) for size in sizes], values)
    missing = next((name for name in names if name not in told), None)
    if missing is not None:
        bounds = ledger.ranges[names.index(missing)]
        raise InputError(f"--dim {one_line(missing)}={bounds}: no shape of an input tells it; give it a constant size")
