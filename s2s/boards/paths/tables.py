"""Where a jump by a table may go: the entries of the table, read from the program, up to the bound that is checked.

8010: cmp r3, #2
8012: bhi 8030
8014: tbb [pc, r3]          the byte b at 8018 + r3 jumps to 8018 + 2 * b
8018: 02 04 07              so to 801c, 8020 or 8026
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from s2s.boards.cycles.instruction import PC
from s2s.boards.paths.image import Image
from s2s.boards.paths.step import Step, written_registers
from s2s.support.frozen import frozen

_SEEN = 24
"""How many instructions before a jump its bound is looked for in."""


@frozen
class _Entries:
    """The entries of a table of distances."""

    size: int
    """Bytes of one."""
    is_signed: bool = False
    scale: int = 2
    """Bytes that one unit of a distance stands for."""


_BY_INSTRUCTION = {"tbb": _Entries(1), "tbh": _Entries(2)}
HELPERS: Mapping[str, _Entries] = {
    "__gnu_thumb1_case_uqi": _Entries(1),
    "__gnu_thumb1_case_sqi": _Entries(1, is_signed=True),
    "__gnu_thumb1_case_uhi": _Entries(2),
    "__gnu_thumb1_case_shi": _Entries(2, is_signed=True),
    "__gnu_thumb1_case_si": _Entries(4, is_signed=True, scale=1),
}
"""Functions of GCC's library that return to an address by the table behind their call, at the index in r0."""


def targets(
    steps: Sequence[Step], place: int, image: Image, name_of: Callable[[int], str | None]
) -> tuple[int, ...] | None:
    """Return where the jump at `place` of the instructions of a function may go by a table; None if it is not known.

    An empty tuple says that it is no jump by a table.
    """
    step = steps[place]
    if step.word in _BY_INSTRUCTION:
        index = step.instruction.operands[0].strip("[]").split(", ")[1]
        return _distances(steps, place, index, _BY_INSTRUCTION[step.word], image)
    if step.calls and step.target is not None and (helper := name_of(step.target)) in HELPERS:
        return _distances(steps, place, "r0", HELPERS[helper or ""], image)
    if step.word == "mov" and step.instruction.destination == PC and step.instruction.operands[1] != "lr":
        return _addresses(steps, place, step.instruction.operands[1], image)
    return ()


def _distances(
    steps: Sequence[Step], place: int, index: str, entries: _Entries, image: Image
) -> tuple[int, ...] | None:
    """Return the targets by a table of distances, which lies behind the jump."""
    greatest = _bound(steps, place, index)
    if greatest is None:
        return None
    base = steps[place].instruction.behind
    first = base + (-base % entries.size)
    words = [image.read(first + number * entries.size, entries.size) for number in range(greatest + 1)]
    return _unique(
        None
        if word is None
        else first * (entries.scale == 1)
        + base * (entries.scale != 1)
        + entries.scale * int.from_bytes(word, "little", signed=entries.is_signed)
        for word in words
    )


def _addresses(steps: Sequence[Step], place: int, register: str, image: Image) -> tuple[int, ...] | None:
    """Return the targets by a table of addresses, which a register of `ldr register, [table, 4 * index]` names."""
    load = _writer(steps, place, register)
    if load is None or steps[load].word != "ldr" or not steps[load].instruction.has_register_offset:
        return None
    table, scaled = steps[load].instruction.operands[1].strip("[]").split(", ")
    literal, shift = _writer(steps, load, table), _writer(steps, load, scaled)
    if literal is None or shift is None or steps[shift].word != "lsls":
        return None
    _, index, distance = steps[shift].instruction.operands
    first = literal_of(steps[literal], image)
    greatest = _bound(steps, shift, index)
    if first is None or greatest is None or distance != "#2":
        return None
    return _unique(image.word(first + 4 * number) for number in range(greatest + 1))


def _unique(addresses: Iterable[int | None]) -> tuple[int, ...] | None:
    unique = dict.fromkeys(addresses)
    return None if None in unique else tuple(address & ~1 for address in unique if address is not None)


def literal_of(step: Step, image: Image) -> int | None:
    """Return the word that `ldr r3, [pc, #20]` loads; None of another instruction."""
    base, _, distance = step.instruction.operands[-1].strip("[]").partition(", #")
    if step.word != "ldr" or base != PC or not distance:
        return None
    return image.word((step.instruction.address + 4 & ~3) + int(distance))


def _writer(steps: Sequence[Step], place: int, register: str) -> int | None:
    """Return the place of the instruction before another that writes a register, in the same block."""
    for number in range(place - 1, max(place - _SEEN, 0) - 1, -1):
        if register in written_registers(steps[number]):
            return number
        if steps[number].jumps or steps[number].calls:
            return None
    return None


def _bound(steps: Sequence[Step], place: int, index: str) -> int | None:
    """Return the greatest value of a register at a jump: of `cmp index, #bound` and a `bhi` behind it, or a `bls` over
    a longer jump."""
    is_checked, over = False, None
    for step in reversed(steps[max(place - _SEEN, 0) : place]):
        operands = step.instruction.operands
        if over is not None and (step.word != "bls" or step.target != over):
            return None
        if step.word == "cmp" and operands[0] == index and operands[1].startswith("#"):
            return int(operands[1].lstrip("#")) if is_checked else None
        if step.word == "bhi" or over is not None:
            is_checked, over = True, None
        elif step.word == "b" and not is_checked:
            over = step.instruction.behind
        elif step.jumps or step.calls:
            return None
        elif index in written_registers(step):
            copied = _copied(step)
            if copied is None:
                return None
            index = copied
    return None


def _copied(step: Step) -> str | None:
    """Return the register of which an instruction makes a copy; None if it is no copy."""
    match step.word, step.instruction.operands:
        case ("mov" | "movs", (_, source)) | ("adds", (_, source, "#0")):
            return None if source.startswith("#") else source
        case _:
            return None


__all__ = ["HELPERS", "literal_of", "targets"]
