"""The cycles of blocks of instructions that ran, by the table of their core.

ldr r1, [r5], #4    2           the first of a block that was branched to
ldr r2, [r6], #4    1           pipelined behind a load
smlad r0, r1, r2    1
bne                 1 + P       P where it was taken
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from s2s.boards.cycles.cycles import Cycles, exactly
from s2s.boards.cycles.instruction import WIDE, Instruction
from s2s.boards.cycles.table import CycleTable, Row
from s2s.boards.parts import Part
from s2s.errors import UnsupportedError
from s2s.support.frozen import frozen

WORD = 4
_LOADS = ("load", "store", "float load")
_PRODUCERS = ("data", "move")


@frozen
class Block:
    """Instructions in a row, and how often they ran."""

    first: int
    """The address of the first instruction."""
    behind: int
    """The address behind the last."""
    runs: int
    entered: int
    """The runs that a branch led to."""
    left: int
    """The runs that ended with a branch that was taken."""


class Prices:
    """The cycles of a program's blocks."""

    def __init__(self, table: CycleTable, instructions: Iterable[Instruction], part: Part | None = None) -> None:
        self.table, self.part = table, part
        self.instructions: Mapping[int, Instruction] = {each.address: each for each in instructions}
        self._costs: dict[tuple[int, int | None], Cycles] = {}
        self._behind = {each.behind: each for each in self.instructions.values()}

    def of(self, blocks: Iterable[Block]) -> Cycles:
        """Return the cycles of all blocks together."""
        return sum(map(self._of_block, blocks), Cycles())

    def _of_block(self, block: Block) -> Cycles:
        """The cost of a block: its instructions, what its entry by branches saves or costs, and refills behind it."""
        body = list(self._between(block))
        first, last = body[0], body[-1]
        rest = sum((self._cost(each, before) for before, each in pairwise(body)), Cycles())
        alone, behind = self._cost(first, None), self._cost(first, self._behind.get(first.address))
        cost = rest * block.runs + alone * block.entered + behind * (block.runs - block.entered)
        cost += self._refill(last) * block.left
        if last.writes_pc:  # what its condition passes over takes a cycle
            cost -= (self._cost(last, None) - exactly(1)) * (block.runs - block.left)
        if self._is_across_words(first):
            cost += Cycles(self.table.refill.get("wide_target", 0)) * block.entered
        return cost + self._waits(body, block)

    def _between(self, block: Block) -> Iterator[Instruction]:
        address = block.first
        while address < block.behind:
            if address not in self.instructions:
                raise UnsupportedError(f"cycles: there is no instruction at {address:#x}; leave out what moves code")
            yield self.instructions[address]
            address = self.instructions[address].behind

    def _row(self, instruction: Instruction) -> Row:
        row = self.table.row(instruction.mnemonic)
        if row is None:
            raise UnsupportedError(
                f"cycles: {instruction.mnemonic} at {instruction.address:#x} is not in {self.table.source}; "
                "count instructions"
            )
        return row

    def _cost(self, instruction: Instruction, before: Instruction | None) -> Cycles:
        """The cycles of an instruction behind another, without a refill."""
        key = instruction.address, None if before is None else before.address
        if key not in self._costs:
            self._costs[key] = self._cost_anew(instruction, before)
        return self._costs[key]

    def _cost_anew(self, instruction: Instruction, before: Instruction | None) -> Cycles:
        row = self._row(instruction)
        cycles = row.cycles + self._more(instruction, row)
        if self.part is not None and row.kind == "data" and instruction.mnemonic.startswith("mul"):
            cycles = max(cycles, self.part.multiply)
        stalls = 0 if before is None else self._after(instruction, row, before, self._row(before))
        return Cycles(cycles + stalls, cycles - row.cycles + row.least + stalls, cycles + stalls)

    def _more(self, instruction: Instruction, row: Row) -> int:
        """The cycles for registers and forms of operands."""
        match row.kind:
            case "multiple":
                return instruction.listed
            case "store":
                return int(instruction.has_register_offset)
            case "move":
                return max(instruction.core_registers, 1) - 1
            case "float load":
                return int(instruction.destination.startswith("d"))
            case _:
                return 0

    def _after(self, instruction: Instruction, row: Row, before: Instruction, row_before: Row) -> int:
        """The cycles that an instruction saves or loses behind `before`."""
        table, needed = self.table, before.destination in instruction.address_registers
        if row_before.kind == "load" and table.pipelines_loads and row.kind in ("load", "store") and not needed:
            return -1 if row.kind == "load" or instruction.has_register_offset else 0
        if row_before.kind in _PRODUCERS and table.stalls_on_address and row.kind in _LOADS and needed:
            return 1
        if row_before.kind == "float" and table.stalls_on_float and before.destination in instruction.sources:
            return 1
        return 0

    def _refill(self, last: Instruction) -> Cycles:
        """The refill behind a branch that is taken."""
        row, refill = self._row(last), self.table.refill
        by_load = row.kind in ("load", "multiple")
        cycles = refill["loaded" if by_load else "register" if row.kind != "branch" else row.target]
        return Cycles(cycles, refill.get("least", cycles), refill.get("most", cycles))

    def _is_across_words(self, instruction: Instruction) -> bool:
        return instruction.size == WIDE and instruction.address % WORD != 0

    @cached_property
    def _fetched(self) -> int:
        return 0 if self.part is None or self.part.instruction_cache else self.part.fetch_bytes

    def _waits(self, body: list[Instruction], block: Block) -> Cycles:
        """The wait states of fetching a block from flash; none where a cache is assumed to hold it."""
        if self.part is None or not self._fetched:
            return Cycles()
        lines = {each.address // self._fetched for each in body}
        aligned = block.first % self._fetched == 0
        in_row = (len(lines) - 1) * block.runs + (block.runs - block.entered if aligned else 0)
        hidden = self._fetched // 2 if self.part.prefetch else 0  # a 16-bit instruction takes a cycle at least
        wait = self.part.wait_states
        return exactly(max(wait - hidden, 0) * in_row + wait * block.entered)


__all__ = ["Block", "Prices"]
