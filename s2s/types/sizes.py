"""Sizes of dimensions that vary from run to run, within bounds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import product
from math import gcd
from typing import NamedTuple, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineDimExpr, AffineExpr, AffineMap

from s2s.errors import CompilerBug
from s2s.types.affine import Linear, Range, at_dims, linear, simplify
from s2s.types.affine_values import exact_bounds
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.size_formulas import multiplies_sizes, parse_map

SIZES = "sizes"
"""Attribute of a module: the sizes that vary, by name, each with its least and its greatest value."""
COMPUTED = "computed_sizes"
"""Attribute of a module: the names of the sizes that a kernel computes in the run. They stand behind the others."""
DERIVED = "derived_sizes"
"""Attribute of a module: the sizes that follow from varying ones, by name, each as an affine map of all of these; as
text where sizes are multiplied: `(d0, d1) -> (d0 * d1)`, which is no affine map of MLIR's."""
VARIES = "varies"
"""Attribute of an argument or a result of `main`, and of an operation inside a kernel: for each axis the size that it
has, empty for a constant one."""
GAPS = "gaps"
"""Attribute of a module with a tensor that has more elements in some run than in the one of the greatest sizes."""

COUNTED = "counted_sizes"
"""Attribute of a module: the varying sizes which follow from the value of an input, by name, each as the name of the
input and the number that is added to it."""
LIMITS = "limits"
"""Attribute of an operation: for each axis of its result the size up to which anyone reads it, empty for all of it."""
REDUCES = "reduces"
"""Attribute of a mean or a gather inside a kernel: for each axis of its first operand the size that it has."""

BEGINS = "begins"
"""Attribute of an argument of a kernel: for each axis the offset at which the kernel begins to read it in a run, empty
for 0. Offsets are derived sizes that end in a remainder: `(W - 1) mod 2`."""

PARTS = "parts"
"""Attribute of a concatenation inside a kernel: for each operand the size that it has along the axis."""

FILLS = "fills"
"""Attribute of a routine: for each operand what its elements behind the end of the last axis have to be in a run in
which that is not the greatest, a unit where they do not count."""
FILLS_ROWS = "fills_rows"
"""Attribute of a routine which reads all rows of its operands: what `fills` says is so behind the last row too."""

CUTS = "cuts"
"""Attribute of a computation whose result ends, in some run, before the operands that it is moved from: of a constant
`[9, 4]` a run takes `n` rows. A guard of its reader asks for the end of the result, which the operands do not tell."""

READS_SIZE = "reads_size"
"""Attribute of a kernel: the size of this run that one of its operands holds, with the number of the operand."""

Extents: TypeAlias = tuple[str, ...]
"""For each dimension the name of the size that it has at run time, empty for a constant one."""


NEAR = 33
"""How many values next to each bound are looked at where several sizes vary."""


class SizeRange(NamedTuple):
    """The least and the greatest value of a size."""

    least: int
    most: int
    special: tuple[int, ...] = ()
    """The sizes for which kernels are specialised."""
    step: int = 1
    """The difference between neighbouring values: of 32, 64, …, 640 it is 32."""

    def __str__(self) -> str:
        further = [*([f"+{self.step}"] if self.step > 1 else []), *map(str, self.special)]
        return f"{self.least}..{self.most}{':' if further else ''}{','.join(further)}"

    @property
    def values(self) -> range:
        """The values that the size may have."""
        return range(self.least, self.most + 1, self.step)


InputShapes: TypeAlias = Mapping[str, tuple[int | str, ...]]
"""For each input that `--shape` names its sizes; a name stands for the size that `--dim` gives."""

DimSize: TypeAlias = int | SizeRange
"""What `--dim` gives a dimension: a constant size, or bounds of a size that is known at run time."""


def at_most(dims: Mapping[str, DimSize]) -> dict[str, int]:
    """Return every dimension with its greatest size."""
    return {name: size.most if isinstance(size, SizeRange) else size for name, size in dims.items()}


def varying(dims: Mapping[str, DimSize]) -> dict[str, SizeRange]:
    """Return the dimensions whose size varies."""
    return {name: size for name, size in dims.items() if isinstance(size, SizeRange)}


def constant(dims: Mapping[str, DimSize]) -> dict[str, int]:
    """Return the dimensions whose size is constant."""
    return {name: size for name, size in dims.items() if not isinstance(size, SizeRange)}


def shape_at(shape: Sequence[int], extents: Extents, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of a tensor in a run of these `sizes`; one that is not among them is the greatest."""
    names = extents or ("",) * len(shape)
    return tuple(sizes.get(name, size) if name else size for size, name in zip(shape, names, strict=True))


def with_room(value: Array, shape: tuple[int, ...]) -> Array:
    """Return an array of `shape` with `value` at the first positions of each axis."""
    room = np.zeros(shape, value.dtype)
    room[tuple(map(slice, value.shape))] = value
    return room


def sizes_attribute(sizes: Mapping[str, SizeRange]) -> DictionaryAttr:
    """Return `sizes` as the attribute of a module."""
    values = {name: _numbers_of(size) for name, size in sizes.items()}
    return DictionaryAttr({name: DenseArrayBase.from_list(i64, each) for name, each in values.items()})


def _numbers_of(size: SizeRange) -> list[int]:
    further = [size.step, *size.special] if size.step > 1 or size.special else []
    return [size.least, size.most, *further]


def sizes_of(attributes: Mapping[str, Attribute]) -> dict[str, SizeRange]:
    """Return the sizes that vary, from the attributes of a module."""
    found = attributes.get(SIZES)
    if not isinstance(found, DictionaryAttr):
        return {}
    return {
        name: _range_of(tuple(map(int, ends.get_values())))
        for name, ends in found.data.items()
        if isa(ends, DenseArrayBase[I64])
    }


def _range_of(values: tuple[int, ...]) -> SizeRange:
    least, most, step, *special = *values, *((1,) if len(values) == 2 else ())
    return SizeRange(least, most, tuple(special), step)


def computed_of(attributes: Mapping[str, Attribute]) -> tuple[str, ...]:
    """Return the names of the sizes that kernels compute, from the attributes of a module."""
    found = attributes.get(COMPUTED)
    return tuple(name.data for name in found) if isa(found, ArrayAttr[StringAttr]) else ()


def derived_of(attributes: Mapping[str, Attribute]) -> dict[str, AffineMap]:
    """Return the sizes that follow from others, from the attributes of a module."""
    found = attributes.get(DERIVED)
    if not isinstance(found, DictionaryAttr):
        return {}
    maps = {name: value.data for name, value in found.data.items() if isinstance(value, AffineMapAttr | StringAttr)}
    return {name: parse_map(map) if isinstance(map, str) else map for name, map in maps.items()}


def _range_at(map: AffineMap, least: Sequence[int], most: Sequence[int]) -> SizeRange:
    """Return the bounds of a size that follows from others within bounds."""
    return SizeRange(*exact_bounds(map.results[0], tuple(zip(least, most, strict=True))))


def with_derived(sizes: Mapping[str, int], derived: Mapping[str, AffineMap]) -> dict[str, int]:
    """Return the `sizes` of a run, the varying ones in the order of the module, and the derived ones."""
    values = list(sizes.values())
    return {**sizes, **{name: map.results[0].eval(values, []) for name, map in derived.items()}}


def greatest_sizes(attributes: Mapping[str, Attribute]) -> dict[str, int]:
    """Return all sizes of a module in a run of the greatest given ones."""
    given = {name: size.most for name, size in sizes_of(attributes).items()}
    return with_derived(given, derived_of(attributes))


def ranges_of(attributes: Mapping[str, Attribute]) -> dict[str, SizeRange]:
    """Return the bounds of all sizes of a module."""
    given = sizes_of(attributes)
    least, most = [size.least for size in given.values()], [size.most for size in given.values()]
    derived = {name: _range_at(map, least, most) for name, map in derived_of(attributes).items()}
    return {**{name: size._replace(special=()) for name, size in given.items()}, **derived}


class CountedSize(NamedTuple):
    """A size that is the value of an input of the network, one integer, plus a constant. It is the greatest size where
    that would exceed it, and where the input is negative."""

    input: str
    """The name of the input."""
    plus: int


def counted_attribute(sizes: Mapping[str, CountedSize]) -> DictionaryAttr:
    """Return `sizes` as the attribute of a module."""
    return DictionaryAttr(
        {name: ArrayAttr([StringAttr(size.input), IntegerAttr(size.plus, i64)]) for name, size in sizes.items()}
    )


def counted_of(attributes: Mapping[str, Attribute]) -> dict[str, CountedSize]:
    """Return the sizes that follow from the values of inputs, from the attributes of a module."""
    counted = attributes.get(COUNTED)
    if not isinstance(counted, DictionaryAttr):
        return {}
    return {name: _counted(pair) for name, pair in counted.data.items()}


def _counted(pair: Attribute) -> CountedSize:
    match pair:
        case ArrayAttr(data=(StringAttr(data=port), IntegerAttr(value=plus))):
            return CountedSize(port, plus.data)
        case _:
            raise CompilerBug(f"{COUNTED} holds {pair}, which is no input and number")


class SizeTable:
    """The sizes of a module, by name, as expressions of the sizes that are given at run time."""

    def __init__(self, attributes: Mapping[str, Attribute]) -> None:
        self.given = sizes_of(attributes)
        self.derived = derived_of(attributes)
        self._runs: dict[tuple[Set[int], int], list[dict[str, int]]] = {}
        self._forms: dict[AffineExpr, Linear] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.given or name in self.derived

    def __getitem__(self, name: str) -> AffineExpr:
        """The expression of size `name` over the given ones."""
        if name in self.given:
            return AffineDimExpr(list(self.given).index(name))
        return self.derived[name].results[0]

    def name_of(self, expr: AffineExpr) -> str:
        """Return the name of the size that is `expr`, a new one if no size is."""
        found = next((name for name in (*self.given, *self.derived) if self.equal(self[name], expr)), None)
        if found is not None:
            return found
        expr = self._shortest(expr)
        name = spelled(expr, list(self.given))
        self.derived[name] = AffineMap(len(self.given), 0, (expr,))
        return name

    def range(self, name: str) -> SizeRange:
        """The bounds of size `name`, and the step between its values."""
        form, given = self.form(self[name]), self.given.values()
        map = AffineMap(len(given), 0, (form.to_expr(),))
        found = _range_at(map, [size.least // size.step for size in given], [size.most // size.step for size in given])
        return found._replace(step=gcd(*form.terms.values()) or 1)

    def form(self, expr: AffineExpr) -> Linear:
        """`expr` as a linear form of how many steps each given size is from 0, equal for expressions that are equal at
        all sizes: of N = 32, 64, …, 640 is `N floordiv 2` and `(N + 1) floordiv 2` the form `16 * d0`."""
        if expr not in self._forms:
            steps = [AffineDimExpr(dim) * size.step + size.least % size.step for dim, size in enumerate(self._sizes)]
            bound = [(size.least // size.step, size.most // size.step) for size in self._sizes]
            form = linear(at_dims(expr, steps), bound)
            self._forms[expr] = Linear(form.constant, dict(sorted(form.terms.items(), key=lambda term: str(term[0]))))
        return self._forms[expr]

    def equal(self, one: AffineExpr, other: AffineExpr) -> bool:
        """Return whether two expressions of sizes are known to be equal at all of them."""
        return one == other or (self.has_steps and self.form(one) == self.form(other))

    @property
    def bounds(self) -> list[Range]:
        """The least and the greatest value of each given size."""
        return [(size.least, size.most) for size in self._sizes]

    @property
    def has_steps(self) -> bool:
        """Whether a given size takes not all values within its bounds."""
        return any(size.step > 1 for size in self._sizes)

    @property
    def _sizes(self) -> list[SizeRange]:
        return list(self.given.values())

    def _shortest(self, expr: AffineExpr) -> AffineExpr:
        """Return a short expression that is equal to one of a size with a step: `N floordiv 2`."""
        form = self.form(expr)
        if not self.has_steps or len(form.terms) != 1:
            return expr
        ((steps, factor),) = form.terms.items()
        if not isinstance(steps, AffineDimExpr) or factor < 0:
            return expr
        size = self._sizes[steps.position]
        shared = gcd(factor, size.step)
        times, divisor = factor // shared, size.step // shared
        constant = form.constant * divisor - times * (size.least % size.step)
        return simplify((steps * times + constant) // divisor, [(0, size.most) for size in self._sizes])

    def special(self, name: str) -> list[int]:
        """The values of size `name` in the runs that the user names, smallest first."""
        used = self[name].used_dims()
        given = [size.special if number in used else (0,) for number, size in enumerate(self.given.values())]
        return sorted({self[name].eval(values, []) for values in product(*given)})

    def least_of(self, name: str) -> int:
        """The least value that size `name` may have: a tensor whose size a kernel computes may hold nothing."""
        given = list(self.given.values())
        return 0 if any(given[dim].least == 0 for dim in self[name].used_dims()) else 1

    def runs(self, names: Iterable[str]) -> Sequence[dict[str, int]]:
        """Return the sizes, derived ones included, of all runs that differ in the sizes `names`. Where these follow
        from several given ones, each of those takes the values near its bounds."""
        used = frozenset(dim for name in names for dim in self[name].used_dims())
        key = used, len(self.derived)
        if key not in self._runs:
            self._runs[key] = list(self._all_runs(used))
        return self._runs[key]

    def _all_runs(self, used: Set[int]) -> Iterator[dict[str, int]]:
        choices: list[Iterable[int]] = []
        for number, size in enumerate(self.given.values()):
            every = size.values
            near = {*every[:NEAR], *every[-NEAR:]}
            choices.append((size.most,) if number not in used else every if len(used) == 1 else sorted(near))
        for values in product(*choices):
            yield with_derived(dict(zip(self.given, values, strict=True)), self.derived)

    @property
    def attribute(self) -> DictionaryAttr:
        """The derived sizes as the attribute of a module."""
        return DictionaryAttr(
            {
                name: StringAttr(str(map)) if multiplies_sizes(map.results[0]) else AffineMapAttr(map)
                for name, map in self.derived.items()
            }
        )


def spelled(expr: AffineExpr, names: Sequence[str]) -> str:
    """Return `expr` as text with the names of sizes: `(W + 1) floordiv 2`."""
    match expr:
        case AffineDimExpr():
            return names[expr.position]
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            left, right = spelled(expr.lhs, names), spelled(expr.rhs, names)
            return f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}"
        case AffineBinaryOpExpr():
            parts = [spelled(each, names) for each in (expr.lhs, expr.rhs)]
            left, right = (f"({part})" if " + " in part or " - " in part else part for part in parts)
            return f"{left} {'*' if expr.kind is AffineBinaryOpKind.Mul else expr.kind.name.lower()} {right}"
        case _:
            return str(expr)


def extents_attribute(extents: Iterable[str]) -> ArrayAttr[StringAttr]:
    """Return `extents` as an attribute."""
    return ArrayAttr(map(StringAttr, extents))


def extents_of(attribute: Attribute | None, rank: int) -> Extents:
    """Return the extents that an attribute holds; without one, `rank` constant ones."""
    if attribute is None:
        return ("",) * rank
    assert isa(attribute, ArrayAttr)
    return tuple(each.data for each in attribute if isinstance(each, StringAttr))


def assumed_in_words(shapes: InputShapes, fixed: Mapping[str, Mapping[int, int]]) -> dict[str, str]:
    """Return a field for each input whose shape is assumed because the model leaves sizes open and the user too, and
    one for each with sizes that a program fixes although its export left them open."""
    texts = {name: ",".join(map(str, shape)) for name, shape in shapes.items()}
    assumed = {
        f"assumed for {name}": f"{text}, as the model leaves sizes open; others with --shape {name}={text}"
        for name, text in texts.items()
    }
    said = {
        name: ", ".join(f"dimension {axis} is {size}" for axis, size in axes.items()) for name, axes in fixed.items()
    }
    return assumed | {
        f"fixed for {name}": f"{text} in every run, as the program wants it; change it where dynamic_shapes is to hold"
        for name, text in said.items()
    }
