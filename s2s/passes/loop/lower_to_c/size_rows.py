"""Collect the sizes of a run as rows of a constant table: given ones, computed ones, derived ones.

    module attributes {sizes = {N = array<i64: 1, 64>}, derived_sizes = {"(N + 1) floordiv 2" = …}}
->
    {"N", 1, 64, 1, S2S_SIZE_GIVEN},
    {"(N + 1) floordiv 2", 1, 32, 1, S2S_SIZE_DERIVED},

A derived size stands in the table if a kernel takes it, or an input or output has it.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names
from s2s.types.sizes import VARIES, Extents, computed_of, derived_of, extents_of, ranges_of, sizes_of

Origin = Literal["GIVEN", "COMPUTED", "DERIVED"]


class Size(NamedTuple):
    """A size of a run, within bounds."""

    name: str
    least: int
    most: int
    step: int
    origin: Origin


class SizeRows(NamedTuple):
    """The sizes of a run by number, and where they are."""

    sizes: tuple[Size, ...] = ()
    derived: tuple[AffineMap, ...] = ()
    """The derived ones, which come last, as maps of the others."""
    inputs: tuple[Extents, ...] = ()
    """For each axis of each input the size that it has."""
    outputs: tuple[Extents, ...] = ()

    def number(self, name: str) -> int:
        """Return the number of a size."""
        return next(number for number, size in enumerate(self.sizes) if size.name == name)

    def extents(self, names: Extents) -> tuple[int, ...]:
        """Return for each axis the number of its size, -1 for a constant one; nothing if all are constant."""
        return tuple(self.number(name) if name else -1 for name in names) if any(names) else ()


def size_rows(main: Main, names: Names) -> SizeRows:
    """Return the sizes of the network `main`; no rows if no size varies."""
    module = main.func.parent_op()
    attributes: Mapping[str, Attribute] = {} if module is None else module.attributes
    given, computed, derived = sizes_of(attributes), computed_of(attributes), derived_of(attributes)
    if not given:
        return SizeRows()
    inputs, outputs = (
        tuple(extents_of(main.attribute(value, VARIES), 0) for value in values)
        for values in (main.inputs, main.outputs)
    )
    used = {name for each in (*names.sizes.values(), *inputs, *outputs) for name in each}
    kept = {name: map for name, map in derived.items() if name in used}
    bounds = ranges_of(attributes)

    def rows(wanted: Iterable[str], origin: Origin) -> list[Size]:
        return [Size(name, bounds[name].least, bounds[name].most, bounds[name].step, origin) for name in wanted]

    sizes = [
        *(row for name in given for row in rows([name], "COMPUTED" if name in computed else "GIVEN")),
        *rows(kept, "DERIVED"),
    ]
    return SizeRows(tuple(sizes), tuple(kept.values()), inputs, outputs)
