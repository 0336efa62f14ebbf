"""How a computation reads its operands, and how it is to be carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import I64, AffineMapAttr, ArrayAttr, DenseArrayBase, IntAttr, StringAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

GUARDED = "guarded"
TOTAL = "total"
BLOCK = "floordiv"
PLACE = "mod"


def integers(values: Sequence[int]) -> DenseArrayBase[I64]:
    """`values` as a dense array of i64."""
    return DenseArrayBase.from_list(i64, list(values))


@irdl_attr_definition
class AccessAttr(ParametrizedAttribute):
    """Which element of an operand a point of the domain reads.

    Dimension `k` of the operand is read at `map.results[k] / divisors[k]`. A guarded access may fall outside the
    operand, or between its elements where the division is not exact: a reduction skips such a point, an `apply` region
    sees an unspecified value and asks `tensor.in_bounds`.

        #tensor.access<affine_map<(d0, d1) -> (d0 + d1 - 1)>, guarded>
        #tensor.access<affine_map<(d0, d1) -> (d0 - d1)>, guarded, divisors [2]>
    """

    name = "tensor.access"

    map: AffineMapAttr
    guard: StringAttr
    divisors: DenseArrayBase[I64]

    @staticmethod
    def of(affine_map: AffineMap, *, guarded: bool = False, divisors: Sequence[int] | None = None) -> AccessAttr:
        """The access by `affine_map`, total unless `guarded`."""
        rank = len(affine_map.results)
        return AccessAttr(
            AffineMapAttr(affine_map),
            StringAttr(GUARDED if guarded else TOTAL),
            integers(divisors if divisors is not None else [1] * rank),
        )

    @property
    def is_guarded(self) -> bool:
        """Whether the access may miss the operand."""
        return self.guard.data == GUARDED

    @property
    def division(self) -> tuple[int, ...]:
        """The divisor of each operand dimension."""
        return self.divisors.get_values()

    def verify(self) -> None:
        if len(self.map.data.results) != len(self.division):
            raise VerifyException(
                f"tensor.access: {len(self.map.data.results)} map results, {len(self.division)} divisors"
            )
        if any(divisor < 1 for divisor in self.division):
            raise VerifyException(f"tensor.access: divisors {list(self.division)} are not all positive")
        if any(divisor > 1 for divisor in self.division) and not self.is_guarded:
            raise VerifyException("tensor.access: a division may leave a rest, so the access must be guarded")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.map)
            if self.is_guarded:
                printer.print_string(", guarded")
            if any(divisor > 1 for divisor in self.division):
                printer.print_string(f", divisors {list(self.division)}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[AffineMapAttr | StringAttr | DenseArrayBase[I64]]:
        with parser.in_angle_brackets():
            affine_map = parser.parse_attribute()
            if not isinstance(affine_map, AffineMapAttr):
                parser.raise_error("expected an affine map")
            guarded, divisors = False, [1] * len(affine_map.data.results)
            while parser.parse_optional_punctuation(","):
                if parser.parse_optional_keyword("guarded"):
                    guarded = True
                else:
                    parser.parse_keyword("divisors")
                    divisors = parse_integers(parser)
        access = cls.of(affine_map.data, guarded=guarded, divisors=divisors)
        return [access.map, access.guard, access.divisors]


def parse_integers(parser: AttrParser) -> list[int]:
    """`[1, 2, 3]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


@dataclass(frozen=True)
class PackedAxis:
    """One axis of a packed constant: a digit of the position along an axis of the operand, or along several in a row.

    0                       all of axis 0
    0 floordiv 8            the blocks of 8 along it
    0 mod 8                 the place in a block
    (2 3 1) floordiv 4      blocks of 4 along axes 2, 3 and 1 taken as one, the last running fastest
    0 floordiv 2 mod 2      a digit between two others
    """

    axes: tuple[int, ...]
    divisor: int = 1
    modulus: int = 0

    @staticmethod
    def blocks(axis: int, size: int) -> PackedAxis:
        """The blocks of `size` along `axis`."""
        return PackedAxis((axis,), size)

    @staticmethod
    def place(axis: int, size: int) -> PackedAxis:
        """The place in a block of `size` along `axis`."""
        return PackedAxis((axis,), 1, size)

    def __str__(self) -> str:
        name = str(self.axes[0]) if len(self.axes) == 1 else f"({' '.join(map(str, self.axes))})"
        block = f" {BLOCK} {self.divisor}" if self.divisor > 1 else ""
        return f"{name}{block} {PLACE} {self.modulus}" if self.modulus else f"{name}{block}"


@irdl_attr_definition
class PackAttr(ParametrizedAttribute):
    """The layout in which a constant operand is stored: `#tensor.pack<1 : [0 floordiv 8, 1, 0 mod 8]>`.

    The number before the colon is the operand. A block that is not full is padded with zeros.
    """

    name = "tensor.pack"

    operand: IntAttr
    layout: StringAttr

    @staticmethod
    def of(operand: int, axes: Sequence[PackedAxis]) -> PackAttr:
        """Operand number `operand` laid out as `axes`, outermost first."""
        return PackAttr(IntAttr(operand), StringAttr(", ".join(map(str, axes))))

    @property
    def axes(self) -> tuple[PackedAxis, ...]:
        """The packed axes, outermost first."""
        return tuple(_packed_axis(text) for text in self.layout.data.split(", "))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.operand.data} : [{self.layout.data}]>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[IntAttr | StringAttr]:
        with parser.in_angle_brackets():
            operand = parser.parse_integer()
            parser.parse_punctuation(":")
            axes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_packed_axis(parser))
        pack = cls.of(operand, axes)
        return [pack.operand, pack.layout]


def _packed_axis(text: str) -> PackedAxis:
    names, _, rest = text.partition(")") if text.startswith("(") else text.partition(" ")
    words = rest.split()
    numbers = {word: int(number) for word, number in zip(words[::2], words[1::2], strict=True)}
    return PackedAxis(tuple(map(int, names.strip("(").split())), numbers.get(BLOCK, 1), numbers.get(PLACE, 0))


def _parse_packed_axis(parser: AttrParser) -> PackedAxis:
    axes: list[int] = []
    if parser.parse_optional_punctuation("("):
        while not parser.parse_optional_punctuation(")"):
            axes.append(parser.parse_integer())
    else:
        axes.append(parser.parse_integer())
    divisor = parser.parse_integer() if parser.parse_optional_keyword(BLOCK) else 1
    modulus = parser.parse_integer() if parser.parse_optional_keyword(PLACE) else 0
    return PackedAxis(tuple(axes), divisor, modulus)


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """How `tensor-lower-to-loop` carries a computation out.

        #tensor.schedule<tile = [1, 2, 1, 8, 16, 1, 1, 1, 1], order = [0, 1, 2, 3, 4, 5, 6, 7, 8], vector = 4 by 16,
                         blocks = [[5, 4]], pack = [#tensor.pack<…>]>

    - `tile`: points of each dimension that one pass through the innermost code covers. The parallel ones form the
      register tile, whose accumulators stay in locals; those of a reduction are unrolled, in order.
    - `order`: dimensions from the outermost loop to the innermost, one loop a dimension over its tiles. Reductions come
      after all parallel dimensions.
    - `vector = d by n`: dimension `d` runs in vectors of `n` lanes; its tile is a multiple of `n`. Absent: scalars. A
      reduction may be `d` if it is the only one and a sum, product, maximum or minimum: its lanes are combined last.
    - `blocks`: `[d, size]` puts a loop over blocks of `size` points of dimension `d` outside all others, in the given
      order (cache blocking); parallel dimensions only.
    - `pack`: layouts of constant operands, made by `tensor-pack-constants`.
    - `stage = r at n`: inside the first `n` loops of the order, what the rest of the nest needs of read `r` is copied
      to scratch, widened to 16 bits, its zero point taken off and padding stored as zeros. If the loops inside do not
      move along the read, the copy is one row for each point of the tile, with the whole reduction in its order; else
      it is the window that they move in.
    - `dot = n`: a sum of products runs over its reduction, all dimensions of it as one, in groups of `n`. One factor is
      a constant packed so that a group lies side by side, the other is staged or lies so by itself.
    """

    name = "tensor.schedule"

    tile: DenseArrayBase[I64]
    order: DenseArrayBase[I64]
    vector: IntAttr
    lanes: IntAttr
    blocks: ArrayAttr[DenseArrayBase[I64]]
    packs: ArrayAttr[PackAttr]
    staged: IntAttr
    stage_depth: IntAttr
    dot: IntAttr

    @staticmethod
    def of(
        tile: Sequence[int],
        order: Sequence[int],
        *,
        vector: int | None = None,
        lanes: int = 1,
        blocks: Sequence[tuple[int, int]] = (),
        packs: Sequence[PackAttr] = (),
        stage: tuple[int, int] | None = None,
        dot: int = 1,
    ) -> ScheduleAttr:
        """A schedule; see the class for the meaning of each part."""
        return ScheduleAttr(
            integers(tile),
            integers(order),
            IntAttr(-1 if vector is None else vector),
            IntAttr(1 if vector is None else lanes),
            ArrayAttr([integers(block) for block in blocks]),
            ArrayAttr(list(packs)),
            IntAttr(-1 if stage is None else stage[0]),
            IntAttr(0 if stage is None else stage[1]),
            IntAttr(dot),
        )

    @property
    def tiles(self) -> tuple[int, ...]:
        """Tile size of each dimension."""
        return self.tile.get_values()

    @property
    def loop_order(self) -> tuple[int, ...]:
        """Dimensions, outermost first."""
        return self.order.get_values()

    @property
    def vector_dim(self) -> int | None:
        """The dimension that runs in vectors, or None."""
        return None if self.vector.data < 0 else self.vector.data

    @property
    def block_sizes(self) -> tuple[tuple[int, int], ...]:
        """Dimension and size of each block loop, outermost first."""
        pairs = [block.get_values() for block in self.blocks]
        return tuple((pair[0], pair[1]) for pair in pairs)

    @property
    def stage(self) -> tuple[int, int] | None:
        """The read that is copied to scratch, and inside how many loops; None if none is."""
        return None if self.staged.data < 0 else (self.staged.data, self.stage_depth.data)

    @property
    def dot_size(self) -> int:
        """How many steps of the reduction one operation does."""
        return self.dot.data

    def staged_at(self, depth: int) -> ScheduleAttr:
        """The same schedule with the staged read copied inside the first `depth` loops."""
        return ScheduleAttr(
            self.tile,
            self.order,
            self.vector,
            self.lanes,
            self.blocks,
            self.packs,
            self.staged,
            IntAttr(depth),
            self.dot,
        )

    def without_packs(self) -> ScheduleAttr:
        """The same schedule once its constants are packed."""
        return ScheduleAttr(
            self.tile,
            self.order,
            self.vector,
            self.lanes,
            self.blocks,
            ArrayAttr[PackAttr]([]),
            self.staged,
            self.stage_depth,
            self.dot,
        )

    def verify(self) -> None:
        rank = len(self.tiles)
        if sorted(self.loop_order) != list(range(rank)):
            raise VerifyException(f"tensor.schedule: order {list(self.loop_order)} is no order of {rank} dimensions")
        if any(size < 1 for size in self.tiles):
            raise VerifyException(f"tensor.schedule: tile {list(self.tiles)} is not positive")
        dim = self.vector_dim
        if dim is not None and (dim >= rank or self.tiles[dim] % self.lanes.data):
            raise VerifyException(
                f"tensor.schedule: dimension {dim} of tile {list(self.tiles)} is no multiple of {self.lanes.data} lanes"
            )

        if self.stage is not None and not 0 <= self.stage_depth.data <= rank:
            raise VerifyException(f"tensor.schedule: stage at {self.stage_depth.data} of {rank} loops")
        if self.dot_size < 1:
            raise VerifyException(f"tensor.schedule: dot = {self.dot_size} is not positive")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"tile = {list(self.tiles)}, order = {list(self.loop_order)}")
            if self.vector_dim is not None:
                printer.print_string(f", vector = {self.vector_dim} by {self.lanes.data}")
            if self.block_sizes:
                printer.print_string(f", blocks = {[list(block) for block in self.block_sizes]}")
            if self.packs.data:
                printer.print_string(", pack = ")
                printer.print_attribute(self.packs)
            if self.stage is not None:
                printer.print_string(f", stage = {self.stage[0]} at {self.stage[1]}")
            if self.dot_size > 1:
                printer.print_string(f", dot = {self.dot_size}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        tile, order, vector, lanes = list[int](), list[int](), None, 1
        blocks, packs = list[tuple[int, int]](), list[PackAttr]()
        stage, dot = None, 1
        with parser.in_angle_brackets():
            while True:
                key = parser.parse_identifier()
                parser.parse_punctuation("=")
                if key == "tile":
                    tile = parse_integers(parser)
                elif key == "order":
                    order = parse_integers(parser)
                elif key == "vector":
                    vector = parser.parse_integer()
                    parser.parse_keyword("by")
                    lanes = parser.parse_integer()
                elif key == "blocks":
                    blocks = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_pair(parser))
                elif key == "pack":
                    packs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_pack(parser))
                elif key == "stage":
                    read = parser.parse_integer()
                    parser.parse_keyword("at")
                    stage = (read, parser.parse_integer())
                elif key == "dot":
                    dot = parser.parse_integer()
                else:
                    parser.raise_error(f"unknown part {key!r} of a schedule")
                if not parser.parse_optional_punctuation(","):
                    break
        schedule = cls.of(tile, order, vector=vector, lanes=lanes, blocks=blocks, packs=packs, stage=stage, dot=dot)
        return schedule.parameters


def _parse_pair(parser: AttrParser) -> tuple[int, int]:
    pair = parse_integers(parser)
    if len(pair) != 2:
        parser.raise_error(f"expected a dimension and a size, not {pair}")
    return pair[0], pair[1]


def _parse_pack(parser: AttrParser) -> PackAttr:
    pack = parser.parse_attribute()
    if not isinstance(pack, PackAttr):
        parser.raise_error(f"expected a #tensor.pack, not {pack}")
    return pack
