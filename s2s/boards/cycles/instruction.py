"""Parse the disassembly of a program for Arm's Thumb instruction sets into instructions.

8014:	f855 1b04 	ldr.w	r1, [r5], #4      ->  Instruction(0x8014, 4, "ldr", ("r1", "[r5]", "#4"), …)
"""

import re
from collections.abc import Iterator
from functools import cached_property

from s2s.support.frozen import frozen

_LINE = re.compile(
    r"^\s*(?P<address>[0-9a-f]+):\t(?P<bytes>[0-9a-f ]+?)\s*\t(?P<mnemonic>[a-z]\S*)(?:\t(?P<operands>.*))?$"
)
_COMMENT = re.compile(r"\s*[@;<].*$")
_OPERAND = re.compile(r"\[[^\]]*\]!?|\{[^}]*\}|[^,\s][^,]*")
_REGISTER = re.compile(r"\b(?:r\d+|s\d+|d\d+|sp|lr|pc|ip|fp|sl|sb)\b")
_RANGE = re.compile(r"\b([rsd])(\d+)-([rsd])(\d+)\b")
WIDE = 4
"""Bytes of a 32-bit instruction."""
PC = "pc"


@frozen
class Instruction:
    """An instruction at an address."""

    address: int
    size: int
    """2 or 4 bytes."""
    mnemonic: str
    """As the assembler writes it, with suffixes: `adds`, `ldr.w`, `bne.n`."""
    operands: tuple[str, ...]

    @property
    def behind(self) -> int:
        """The address of the next instruction."""
        return self.address + self.size

    @cached_property
    def destination(self) -> str:
        """The first operand if it is a register, else nothing."""
        return self.operands[0] if self.operands and _REGISTER.fullmatch(self.operands[0]) else ""

    @cached_property
    def sources(self) -> frozenset[str]:
        """The registers of all operands but the first."""
        return frozenset(_REGISTER.findall(" ".join(self.operands[1:])))

    @cached_property
    def address_registers(self) -> frozenset[str]:
        """The registers that an address in brackets is computed from."""
        return frozenset(_REGISTER.findall(" ".join(each for each in self.operands if each.startswith("["))))

    @property
    def has_register_offset(self) -> bool:
        """Whether the address is the sum of two registers."""
        return len(self.address_registers) > 1

    @property
    def listed(self) -> int:
        """The number of registers in braces; two where there are none (`ldrd`, `strd`)."""
        braces = next((each for each in self.operands if each.startswith("{")), None)
        return 2 if braces is None else _count_listed(braces)

    @cached_property
    def writes_pc(self) -> bool:
        """Whether the program counter is its destination: by name, or by a list that a load fills."""
        braces = next((each for each in self.operands if each.startswith("{")), "")
        loads = self.mnemonic.startswith(("pop", "ldm"))
        return self.destination == PC or (loads and PC in _REGISTER.findall(braces))

    @property
    def core_registers(self) -> int:
        """The number of registers of the core among the operands."""
        return sum(bool(re.fullmatch(r"r\d+|sp|lr|ip|fp|sl|sb", each)) for each in self.operands)


def _count_listed(braces: str) -> int:
    """Count the registers of a list such as `{r4, r6-r8, pc}`: 5."""
    ranges = _RANGE.findall(braces)
    words = sum((int(high) - int(low) + 1) * (2 if kind == "d" else 1) for kind, low, _, high in ranges)
    singles = _REGISTER.findall(_RANGE.sub("", braces))
    return words + sum(2 if name.startswith("d") else 1 for name in singles)


def parse(listing: str) -> Iterator[Instruction]:
    """Yield the instructions of the text of `objdump -d -z`; literals between them are none."""
    for line in listing.splitlines():
        match = _LINE.match(line)
        if match is not None:
            operands = _COMMENT.sub("", match["operands"] or "")
            size = sum(len(word) // 2 for word in match["bytes"].split())
            yield Instruction(int(match["address"], 16), size, match["mnemonic"], tuple(_split(operands)))


def _split(operands: str) -> Iterator[str]:
    for operand in _OPERAND.findall(operands):
        yield operand.strip()


__all__ = ["PC", "WIDE", "Instruction", "parse"]
