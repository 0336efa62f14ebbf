"""Bound the stack of functions that exist only as machine code, such as functions of the C library and of the
compiler's runtime.

The disassembly of a linked program is the input. The frame of a function is the sum of all stack allocations in it, as
if one path contained them all: an upper bound, and exact for functions that allocate once. Arm (Thumb) and RISC-V.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from s2s.support.frozen import frozen
from s2s.verify.toolchain import run_program, sibling_program

_HEAD = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
_TARGET = re.compile(r"\b([0-9a-f]+) <[^>]+>$")
_PUSH = ("push", "stmdb", "stmfd", "vpush", "vstmdb")
_BRANCH = re.compile(
    r"^(?:bl?(?:eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(?:\.[nw])?|cbn?z|jal|j|call|tail|b[a-z]+)$"
)
_INDIRECT = re.compile(r"^(?:blx|jalr)$")
_LEAVING = re.compile(r"^(?:bx|b(?:\.[nw])?|j|jr|ret|tail|udf|ebreak)$")


@dataclass
class Machine:
    """A function as parsed from machine code."""

    name: str
    bytes: int = 0
    calls: set[int] = field(default_factory=set[int])
    """The addresses that it calls."""
    is_known: bool = True
    """Whether all callees are known."""
    falls: bool = True
    """Whether it falls through to the next function."""


@frozen
class Found:
    """The stack of a function with its callees; None with a reason if it is unknown."""

    bytes: int | None
    reason: str = ""


def stacks_of(program: Path, names: Iterable[str], compiler: tuple[str, ...]) -> dict[str, Found]:
    """The stack of each of `names` that is in the linked `program`."""
    listing = run_program([sibling_program(compiler, "objdump"), "-d", "--no-show-raw-insn", program])
    functions = dict(_functions(listing))
    starts = sorted(functions)
    symbols = run_program([sibling_program(compiler, "nm"), program])
    addresses = {words[2]: int(words[0], 16) & ~1 for line in symbols.splitlines() if len(words := line.split()) == 3}
    deepest = _Deepest(functions, starts)
    return {name: deepest.of(addresses[name], ()) for name in names if name in addresses}


class _Deepest:
    """Follows calls from function to function."""

    def __init__(self, functions: dict[int, Machine], starts: list[int]) -> None:
        self.functions, self.starts = functions, starts
        self.known: dict[int, Found] = {}

    def of(self, address: int, callers: tuple[int, ...]) -> Found:
        start = self._start(address)
        if start is None:
            return Found(None, f"nothing is known of the code at {address:#x}")
        if start in callers:
            return Found(None, f"{self.functions[start].name}: recursion has no known depth")
        if start not in self.known:
            self.known[start] = self._walk(start, (*callers, start))
        return self.known[start]

    def _walk(self, start: int, callers: tuple[int, ...]) -> Found:
        function = self.functions[start]
        if not function.is_known:
            return Found(None, f"{function.name}: calls through a pointer")
        targets = {self._start(address) for address in function.calls} - {start}
        if function.falls and (after := bisect_right(self.starts, start)) < len(self.starts):
            targets.add(self.starts[after])
        below = 0
        for target in sorted(target for target in targets if target is not None):
            found = self.of(target, callers)
            if found.bytes is None:
                return found
            below = max(below, found.bytes)
        return Found(function.bytes + below)

    def _start(self, address: int) -> int | None:
        at = bisect_right(self.starts, address)
        return self.starts[at - 1] if at else None


def _functions(listing: str) -> Iterator[tuple[int, Machine]]:
    """Yield the functions of a disassembly with their addresses."""
    function: Machine | None = None
    for line in listing.splitlines():
        if head := _HEAD.match(line):
            function = Machine(head[2])
            yield int(head[1], 16), function
        elif function is not None and (match := _LINE.match(line)) and not match[2].startswith("."):
            _read(function, match[2], match[3].partition(";")[0].partition("@")[0].partition("#")[0].strip(), match[3])


def _read(function: Machine, word: str, operands: str, whole: str) -> None:
    """Record the effects of one instruction; padding instructions have none."""
    if word.startswith("nop"):
        return
    function.bytes += _taken(word, operands, whole)
    target = _TARGET.search(operands)
    if _BRANCH.match(word) and target:
        function.calls.add(int(target[1], 16))
    elif _INDIRECT.match(word):
        function.is_known = False
    returns = word.startswith(("pop", "ldmia", "ldr")) and re.search(r"\bpc\b", operands) is not None
    function.falls = not (_LEAVING.match(word) or returns)


def _taken(word: str, operands: str, whole: str) -> int:
    """Return the bytes by which an instruction lowers the stack pointer."""
    stem = word.partition(".")[0]
    if stem in _PUSH and (stem in ("push", "vpush") or operands.startswith("sp!")):
        return _registers(operands)
    if moved := re.search(r"\[sp, #-(\d+)\]!", whole):
        return int(moved[1])
    if stem in ("sub", "subw") and (moved := re.match(r"sp, (?:sp, )?#(\d+)", whole)):
        return int(moved[1])
    if word in ("add", "addi", "c.addi16sp") and (moved := re.match(r"sp,\s*sp,\s*-(\d+)", whole)):
        return int(moved[1])
    return 0


def _registers(operands: str) -> int:
    """Return the bytes of a register list: `{r4, r5, lr}`, `{d8-d10}`, `{s16}`."""
    total = 0
    for item in operands.partition("{")[2].rstrip("}").split(","):
        first, _, last = item.strip().partition("-")
        count = 1 + int(last[1:]) - int(first[1:]) if last else 1
        total += count * (8 if first.startswith("d") else 4)
    return total
