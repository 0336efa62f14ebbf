"""An instruction in the control flow of a program: where it may go on, and which registers it names."""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from s2s.boards.cycles.instruction import Instruction
from s2s.boards.cycles.table import CONDITIONS
from s2s.support.frozen import frozen

TABLES = ("tbb", "tbh")
COMPARED = ("cbz", "cbnz")
LISTS = ("pop", "ldm", "vpop", "vldm")
_PAIRS = ("umull", "smull", "umlal", "smlal", "umaal", "smlald", "smlsld", "ldrd")
"""What has two destinations."""
_ALIASES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12"}
_REGISTER = re.compile(r"\b(?:r\d+|s\d+|d\d+|sp|lr|pc|ip|fp|sl|sb)\b")
_RANGE = re.compile(r"\b([rsd])(\d+)-[rsd](\d+)\b")


@frozen
class Step:
    """An instruction, and whether a condition of an if-then block guards it."""

    instruction: Instruction
    is_guarded: bool
    is_far_jump: bool = False
    """Whether it is a call in form and stays in its function: `bl`, which reaches farther than `b` on a Cortex-M0."""

    @cached_property
    def word(self) -> str:
        """The mnemonic without its width, and without the condition of an if-then block."""
        word = self.instruction.mnemonic.partition(".")[0]
        return word[:-2] if self.is_guarded and word.endswith(CONDITIONS) else word

    @cached_property
    def jumps(self) -> bool:
        """Whether it may go on anywhere but behind itself: a branch or a return, and no call."""
        word = self.word
        by_word = word in ("b", "bx", *TABLES, *COMPARED) or self._is_conditional_branch
        return by_word or self.is_far_jump or self.instruction.writes_pc

    @cached_property
    def _is_conditional_branch(self) -> bool:
        return self.word.startswith("b") and self.word[1:] in CONDITIONS

    @property
    def is_conditional(self) -> bool:
        """Whether a jump may be passed over."""
        return self.is_guarded or self._is_conditional_branch or self.word in COMPARED

    @property
    def target(self) -> int | None:
        """The address that a branch or a call names; None where a register or a table holds it."""
        if not (self._is_conditional_branch or self.word in ("b", "bl", *COMPARED)):
            return None
        return int(self.instruction.operands[-1], 16)

    @property
    def calls(self) -> bool:
        """Whether it is a call, which comes back."""
        return self.word in ("bl", "blx") and not self.is_far_jump


def written_registers(step: Step) -> list[str]:
    """The registers that an instruction writes, a base that moves aside."""
    word, operands = step.word, step.instruction.operands
    if word.startswith(LISTS):
        listed = registers(place for place in operands if place.startswith("{"))
        return [place for place in listed if place != "pc"]
    if step.jumps or not operands:
        return []
    return registers(operands[: destinations(step)])


def moved_bases(step: Step) -> list[str]:
    """The registers that an access of memory moves aside: `r1` of `ldrb r2, [r1], #1` and of `stmia r1!, {r2, r3}`."""
    operands = step.instruction.operands
    address = next((place for place in operands if place.startswith("[")), None)
    if address is None:
        return registers(place for place in operands[:1] if place.endswith("!"))
    moves = address.endswith("!") or operands[-1] != address
    return registers([address])[:1] if moves else []


def destinations(step: Step) -> int:
    """The number of operands that an instruction writes."""
    word, operands = step.word, step.instruction.operands
    into_pair = word == "vmov" and len(operands) == 3 and not operands[0].startswith("d")
    return 2 if into_pair or word in _PAIRS else 1


def registers(operands: Iterable[str]) -> list[str]:
    """The registers in operands, ranges of lists and double words as the words that they hold."""
    return [name for operand in operands for name in _named(operand)]


@lru_cache(4096)
def _named(operand: str) -> tuple[str, ...]:
    named: list[str] = []
    for kind, low, high in _RANGE.findall(operand):
        named += [name for number in range(int(low), int(high) + 1) for name in _words(f"{kind}{number}")]
    named += [name for place in _REGISTER.findall(_RANGE.sub("", operand)) for name in _words(place)]
    return tuple(named)


def _words(register: str) -> list[str]:
    if register.startswith("d"):
        return [f"s{2 * int(register[1:])}", f"s{2 * int(register[1:]) + 1}"]
    return [register_name(register)]


def register_name(register: str) -> str:
    """Return the number of a register that has a name, such as `r10` of `sl`."""
    return _ALIASES.get(register, register)


__all__ = [
    "COMPARED",
    "LISTS",
    "TABLES",
    "Step",
    "destinations",
    "moved_bases",
    "register_name",
    "registers",
    "written_registers",
]
