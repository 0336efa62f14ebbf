"""What the sides of a branch on data leave behind differently: it holds data from then on, whatever it was made of.

   cmp  r0, #5             r0 holds data
   bgt  1f
   movs r1, #3             r1 is 3 on one side,
   adds r2, #1
   b    2f
1: movs r1, #7             and 7 on the other: it holds data behind the branch
   adds r2, #1             the same on both sides: r2 holds none
2: cmp  r1, #7
"""

from collections.abc import Callable, Iterable, Mapping

from s2s.boards.paths.control_flow import BasicBlock, Function
from s2s.boards.paths.loops import Shape
from s2s.boards.paths.step import Step, registers

Written = Callable[[Step], Iterable[str]]
"""The places that an instruction writes: registers, flags, words of the stack."""


def differing(function: Function, shape: Shape, branch: int, written: Written) -> Mapping[int, frozenset[str]]:
    """Return what each block on the sides of a branch writes that may differ from side to side."""
    sides = shape.sides(branch)
    everything = {number for side in sides for number in side}
    blocks = {number: function.blocks[number] for number in everything}
    places = {number: frozenset(place for step in blocks[number].steps for place in written(step)) for number in blocks}
    writes = [_writes((blocks[number] for number in sorted(side)), written) for side in sides]
    every = frozenset[str]().union(*places.values())
    alike = {place for place in every if _is_alike([side.get(place, []) for side in writes], place, every)}
    return {number: own_places - alike for number, own_places in places.items()}


def _writes(blocks: Iterable[BasicBlock], written: Written) -> Mapping[str, list[Step]]:
    """Return the instructions that write each place."""
    writers: dict[str, list[Step]] = {}
    for block in blocks:
        for step in block.steps:
            for place in written(step):
                writers.setdefault(place, []).append(step)
    return writers


def _is_alike(sides: list[list[Step]], place: str, changed: frozenset[str]) -> bool:
    """Whether every side writes a place once, and by the same instruction of what no side changes otherwise."""
    if any(len(steps) != 1 or steps[0].calls for steps in sides):
        return False
    texts = {(steps[0].instruction.mnemonic, steps[0].instruction.operands) for steps in sides}
    sources = set(registers(sides[0][0].instruction.operands)) - {place}
    return len(texts) == 1 and not sources & changed and not sides[0][0].is_guarded


__all__ = ["Written", "differing"]
