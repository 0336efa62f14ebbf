"""How a computation is to be carried out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor.attributes import PackAttr, integers
from s2s.dialects.tensor.schedule_text import ahead_words, parse_part, words


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
    - `shared = d by n`: consecutive computations of a kernel that all say so walk together through dimension `d` of
      each, `n` positions at a time: one loop over the blocks around all their nests. A tensor that only they know holds
      one block of that dimension. `shared = 0 by 1 and 2 by 16` is two such loops, one in the other. `shared = 2 by 28
      overlap [1, 0]`: blocks have one position more in front and none behind, which neighbours compute as well, so
      that windows may slide over what a block holds; positions outside of the dimension are zeros.
    - `fetch = r along d`: what read `r` needs in the next step of the loop over dimension `d` is brought into a cache
      during this one. If `d` is parallel, one read follows the other at every step of the loops inside; if it is a
      reduction, all come at the head of its loop. `fetch = 1 along 2 and 0 along 3` does so for two reads.
    - `pack`: layouts of constant operands, made by `tensor-pack-constants`.
    - `stage = r at n`: inside the first `n` loops of the order, what the rest of the nest needs of read `r` is copied
      to scratch, widened to 16 bits, its zero point taken off and padding stored as zeros. If the loops inside do not
      move along the read, the copy is one row for each point of the tile, with the whole reduction in its order; else
      it is the window that they move in. `stage = r at n as bytes` copies the bytes as they are, padding stored as the
      zero point: `from p` is the point operand whose elements a sum then starts from, the zero point times the sum of
      its constants taken off, added by `tensor-fold-zero-points-into-inits`.
    - `dot = n`: a sum of products runs over its reduction, all dimensions of it as one, in groups of `n`. One factor is
      a constant packed so that a group lies side by side, the other is staged or lies so by itself. With a vector of
      results, a group is the four bytes of a lane; the run is of those last reductions of the order alone through which
      the other factor moves evenly. `dot = 4 unsigned` takes that factor with 128 added, and off again from the start
      of the sum: `from p` as with staged bytes.
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
    stage_bytes: IntAttr
    stage_start: IntAttr
    shared: ArrayAttr[DenseArrayBase[I64]]
    fetch: ArrayAttr[DenseArrayBase[I64]]
    dot_unsigned: IntAttr

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
        stage_bytes: bool = False,
        stage_start: int | None = None,
        dot: int = 1,
        unsigned: bool = False,
        shared: Sequence[tuple[int, ...]] = (),
        fetch: Sequence[tuple[int, int]] = (),
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
            IntAttr(int(stage_bytes)),
            IntAttr(-1 if stage_start is None else stage_start),
            _pairs_attribute(shared),
            _pairs_attribute(fetch),
            IntAttr(int(unsigned)),
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
        return _pairs(self.blocks)

    @property
    def shared_blocks(self) -> tuple[tuple[int, int], ...]:
        """Dimension and size of the blocks in which the kernel walks through it, outermost first."""
        return _pairs(self.shared)

    @property
    def fetches(self) -> tuple[tuple[int, int], ...]:
        """The reads that are fetched ahead, each with the dimension along which it is."""
        return _pairs(self.fetch)

    @property
    def overlaps(self) -> tuple[tuple[int, int], ...]:
        """How many positions each shared block has in front of its own, and behind."""
        walks = [walk.get_values() for walk in self.shared]
        return tuple((walk[2], walk[3]) if len(walk) > 2 else (0, 0) for walk in walks)

    @property
    def stage(self) -> tuple[int, int] | None:
        """The read that is copied to scratch, and inside how many loops; None if none is."""
        return None if self.staged.data < 0 else (self.staged.data, self.stage_depth.data)

    @property
    def in_bytes(self) -> bool:
        """Whether the staged read is copied as it is, without being widened."""
        return bool(self.stage_bytes.data)

    @property
    def is_unsigned(self) -> bool:
        """Whether dot products take their first factor with 128 added."""
        return bool(self.dot_unsigned.data)

    @property
    def start(self) -> int | None:
        """The point operand that sums of bytes as they are start from; None where they start from zero."""
        return None if self.stage_start.data < 0 else self.stage_start.data

    @property
    def dot_size(self) -> int:
        """How many steps of the reduction one operation does."""
        return self.dot.data

    def staged_at(self, depth: int) -> ScheduleAttr:
        """The same schedule with the staged read copied inside the first `depth` loops."""
        return self._with(stage_depth=IntAttr(depth))

    def starting_from(self, point: int) -> ScheduleAttr:
        """The same schedule with sums of staged bytes that start from point operand `point`."""
        return self._with(stage_start=IntAttr(point))

    def without_packs(self) -> ScheduleAttr:
        """The same schedule once its constants are packed."""
        return self._with(packs=ArrayAttr[PackAttr]([]))

    def in_shared_blocks(self, shared: Sequence[tuple[int, ...]]) -> ScheduleAttr:
        """The same schedule for a computation that walks with its neighbours, in place of blocks of its own."""
        own = [block for block in self.block_sizes if block[0] not in {walk[0] for walk in shared}]
        return self._with(shared=_pairs_attribute(shared), blocks=_pairs_attribute(own))

    def fetching(self, fetch: Sequence[tuple[int, int]]) -> ScheduleAttr:
        """The same schedule with these reads fetched ahead, each along a dimension."""
        return self._with(fetch=_pairs_attribute(fetch))

    def behind(self, count: int) -> ScheduleAttr:
        """The same schedule for a computation with `count` more dimensions in front, which the kernel walks through."""
        return ScheduleAttr.of(
            [*[1] * count, *self.tiles],
            [*range(count), *(count + dim for dim in self.loop_order)],
            vector=None if self.vector_dim is None else count + self.vector_dim,
            lanes=self.lanes.data,
            blocks=[(count + dim, size) for dim, size in self.block_sizes],
            stage=None if self.stage is None else (self.stage[0], count + self.stage[1]),
            stage_bytes=self.in_bytes,
            stage_start=self.start,
            dot=self.dot_size,
            fetch=[(read, count + dim) for read, dim in self.fetches],
            unsigned=self.is_unsigned,
        )

    def _with(
        self,
        packs: ArrayAttr[PackAttr] | None = None,
        stage_depth: IntAttr | None = None,
        stage_start: IntAttr | None = None,
        shared: ArrayAttr[DenseArrayBase[I64]] | None = None,
        blocks: ArrayAttr[DenseArrayBase[I64]] | None = None,
        fetch: ArrayAttr[DenseArrayBase[I64]] | None = None,
    ) -> ScheduleAttr:
        return ScheduleAttr(
            self.tile,
            self.order,
            self.vector,
            self.lanes,
            self.blocks if blocks is None else blocks,
            self.packs if packs is None else packs,
            self.staged,
            self.stage_depth if stage_depth is None else stage_depth,
            self.dot,
            self.stage_bytes,
            self.stage_start if stage_start is None else stage_start,
            self.shared if shared is None else shared,
            self.fetch if fetch is None else fetch,
            self.dot_unsigned,
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
        dims = [dim for dim, _ in self.shared_blocks]
        if len(set(dims)) < len(dims) or any(size < 1 for _, size in self.shared_blocks):
            raise VerifyException(f"tensor.schedule: shared {words(self.shared_blocks)} is no walk through dimensions")
        if self.stage is not None and not 0 <= self.stage_depth.data <= rank:
            raise VerifyException(f"tensor.schedule: stage at {self.stage_depth.data} of {rank} loops")
        if self.dot_size < 1:
            raise VerifyException(f"tensor.schedule: dot = {self.dot_size} is not positive")
        if self.is_unsigned and (dim is None or self.dot_size < 2):
            raise VerifyException("tensor.schedule: unsigned products are those of a vector of results")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"tile = {list(self.tiles)}, order = {list(self.loop_order)}")
            if self.vector_dim is not None:
                printer.print_string(f", vector = {self.vector_dim} by {self.lanes.data}")
            if self.block_sizes:
                printer.print_string(f", blocks = {[list(block) for block in self.block_sizes]}")
            if self.shared_blocks:
                printer.print_string(f", shared = {words(self.shared_blocks, self.overlaps)}")
            if self.fetches:
                printer.print_string(f", fetch = {ahead_words(self.fetches)}")
            if self.packs.data:
                printer.print_string(", pack = ")
                printer.print_attribute(self.packs)
            if self.stage is not None:
                printer.print_string(f", stage = {self.stage[0]} at {self.stage[1]}")
                if self.in_bytes:
                    printer.print_string(" as bytes" + ("" if self.is_unsigned else self._from))
            if self.dot_size > 1:
                printer.print_string(
                    f", dot = {self.dot_size}" + (f" unsigned{self._from}" if self.is_unsigned else "")
                )

    @property
    def _from(self) -> str:
        return "" if self.start is None else f" from {self.start}"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        parts: dict[str, Any] = {"tile": [], "order": []}
        with parser.in_angle_brackets():
            while True:
                key = parser.parse_identifier()
                parser.parse_punctuation("=")
                parts |= parse_part(key, parser)
                if not parser.parse_optional_punctuation(","):
                    break
        return cls.of(**parts).parameters


def _pairs_attribute(pairs: Sequence[tuple[int, ...]]) -> ArrayAttr[DenseArrayBase[I64]]:
    return ArrayAttr([integers(pair) for pair in pairs])


def _pairs(blocks: ArrayAttr[DenseArrayBase[I64]]) -> tuple[tuple[int, int], ...]:
    values = [block.get_values() for block in blocks]
    return tuple((pair[0], pair[1]) for pair in values)
