"""The open sizes of a program: which vary from run to run, and within which bounds."""

from collections.abc import Mapping

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.frontends.torch.program import Bounds, Program
from s2s.types.size_formulas import formula_of, told_sizes
from s2s.types.sizes import DimSize, SizeRange

UNBOUNDED = 2**31 - 1
"""The greatest size that is looked for where the export has no bound."""


def fixed_sizes(program: Program, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """The open sizes that the shapes of some inputs fix."""
    values = {name: range(size.least, (size.most or UNBOUNDED) + 1, size.step) for name, size in program.sizes.items()}
    axes = [
        (port, formula_of(text, program.sizes), size)
        for port in program.inputs
        for text, size in zip(port.sizes, shapes.get(port.name, ()), strict=False)
        if text
    ]
    told = told_sizes([(formula, size) for _, formula, size in axes], values)
    for port, formula, size in axes:
        if all(name in told for name in formula.used) and formula.at(told) != size:
            sizes = " and ".join(f"{name} = {told[name]}" for name in formula.used)
            raise InputError(
                f"--shape {one_line(port.name)}: gives {size} for an axis that is {formula.at(told)} with {sizes}; "
                "make the shapes agree"
            )
    return told


def varying_sizes(
    program: Program, shapes: Mapping[str, tuple[int, ...]], dims: Mapping[str, DimSize]
) -> dict[str, SizeRange]:
    """The sizes that vary: within the bounds of `dims`, else of the export, where no shape fixes them."""
    fixed, found = fixed_sizes(program, shapes), dict[str, SizeRange]()
    for name, bounds in program.sizes.items():
        if name in dims:
            _check_bounds(name, dims[name], bounds)
        size = dims.get(name, _declared(bounds))
        if name in fixed and name in dims:
            raise InputError(f"--dim {name}={size}: a --shape gives this size already; leave one of them out")
        if name not in fixed and isinstance(size, SizeRange):
            found[name] = size
    return found


def _declared(bounds: Bounds) -> DimSize | None:
    if bounds.most is None or bounds.least >= bounds.most:
        return bounds.most
    return SizeRange(bounds.least, bounds.most, step=bounds.step)


def _check_bounds(name: str, size: DimSize, bounds: Bounds) -> None:
    least, most, step = (size.least, size.most, size.step) if isinstance(size, SizeRange) else (size, size, bounds.step)
    is_stepped = (least - bounds.least) % bounds.step == 0 and step % bounds.step == 0
    if least < bounds.least or (bounds.most is not None and most > bounds.most) or not is_stepped:
        further = f":+{bounds.step}" if bounds.step > 1 else ""
        allowed = f"{bounds.least}..{'' if bounds.most is None else bounds.most}{further}"
        raise InputError(
            f"--dim {name}={size}: the program was exported for {allowed}; stay within these, or export it with other "
            "bounds in dynamic_shapes"
        )
