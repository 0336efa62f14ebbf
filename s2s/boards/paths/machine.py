"""The registers of a core of which some bits are known, and what instructions make of them.

    movs r2, #0             r2 = 0, Z = 1
    ldr  r1, [r0]           nothing is known of r1
    lsrs r3, r1, #28        r3 = 0…0xxxx
    cmp  r3, #16            C = 0, so `bcs` is not taken

An instruction that is not modelled leaves nothing known of the registers that it writes, and of the flags.
"""

from collections.abc import Callable, Mapping, Sequence

from s2s.boards.cycles.table import CONDITIONS
from s2s.boards.paths import known_bits
from s2s.boards.paths.image import Image
from s2s.boards.paths.known_bits import ANY, WIDTH, Bits
from s2s.boards.paths.step import Step, moved_bases, register_name, registers, written_registers
from s2s.boards.paths.tables import literal_of

Flag = bool | None
State = tuple[tuple[tuple[str, Bits], ...], tuple[Flag, Flag, Flag, Flag], int | None]
"""Registers and words of the stack of which something is known, the flags, and the distance of the stack pointer from
its place at the entry, None if it is not known."""
UNTOLD: tuple[Flag, Flag, Flag, Flag] = (None, None, None, None)
_KEPT = frozenset(f"r{number}" for number in range(4, 12))
"""The registers that a call leaves as they are."""

_Result = tuple[Bits, Flag, Flag]
"""A word, the carry and the overflow."""


def _no_carry(word: Bits) -> _Result:
    return word, None, None


_BINARY: Mapping[str, Callable[[Bits, Bits, Flag], _Result]] = {
    **dict.fromkeys(("add", "addw", "cmn"), lambda left, right, _: known_bits.total(left, right)),
    **dict.fromkeys(("sub", "subw", "cmp"), lambda left, right, _: known_bits.total(left, ~right, True)),
    "rsb": lambda left, right, _: known_bits.total(right, ~left, True),
    "adc": known_bits.total,
    "sbc": lambda left, right, carry: known_bits.total(left, ~right, carry),
    **dict.fromkeys(("and", "tst"), lambda left, right, _: _no_carry(left & right)),
    **dict.fromkeys(("eor", "teq"), lambda left, right, _: _no_carry(left ^ right)),
    "orr": lambda left, right, _: _no_carry(left | right),
    "bic": lambda left, right, _: _no_carry(left & ~right),
    "orn": lambda left, right, _: _no_carry(left | ~right),
}
_UNARY: Mapping[str, Callable[[Bits], Bits]] = {
    **dict.fromkeys(("mov", "movw"), lambda word: word),
    "mvn": lambda word: ~word,
    "uxtb": lambda word: known_bits.extended(word, 8, is_signed=False),
    "uxth": lambda word: known_bits.extended(word, 16, is_signed=False),
    "sxtb": lambda word: known_bits.extended(word, 8, is_signed=True),
    "sxth": lambda word: known_bits.extended(word, 16, is_signed=True),
    "clz": lambda _: Bits(0, 2 * WIDTH - 1),
    "rev": lambda word: Bits(*(int.from_bytes(part.to_bytes(4, "little")) for part in (word.value, word.unknown))),
}
_SHIFTS: Mapping[str, Callable[[Bits, int], tuple[Bits, Flag]]] = {
    "lsl": known_bits.shifted_left,
    "lsr": known_bits.shifted_right,
    "asr": known_bits.shifted_signed,
}
_ZERO = {"eq": True, "ne": False}
"""The conditions that tell the flag Z. What a branch tells of the carry is not kept: a division makes a digit of each
carry, and all numbers that they can make would be ways of their own."""
_COMPARED = ("cmp", "cmn", "tst", "teq")
_SETTING = ("vmrs", "msr")
"""What sets flags without an `s` behind its name."""


class Machine:
    """What is known of the registers, while the instructions of a block run."""

    def __init__(self, state: State, image: Image, *, shares_stack: bool) -> None:
        words, self._flags, self._depth = state
        self._words = dict(words)
        self._image, self._shares_stack = image, shares_stack

    def state(self) -> State:
        """Return what is known."""
        words = ((place, word) for place, word in sorted(self._words.items()) if word != ANY)
        return tuple(words), self._flags, self._depth

    def word(self, register: str) -> Bits:
        """Return what is known of a register."""
        return self._words.get(register, ANY)

    def run(self, step: Step) -> Sequence["Machine"]:
        """Run an instruction that does not jump; return what there is then: two, where an unknown flag guards it and it
        sets flags itself."""
        name = step.instruction.mnemonic.partition(".")[0][-2:]
        holds = self.condition(name) if step.is_guarded else True
        if holds is None and name in _ZERO and (step.word in _COMPARED or step.word.endswith("s")):
            no, yes = (self._with(self.state_if(name, holds=value)) for value in (False, True))
            yes._execute(step)
            return [no, yes] if no.state() != yes.state() else [no]
        before, flags = dict(self._words), self._flags
        if holds is not False:
            self._execute(step)
        if holds is None:
            places = before.keys() & self._words.keys()
            self._words = {place: before[place].joined(self._words[place]) for place in places}
            pairs = zip(flags, self._flags, strict=True)
            n, z, c, v = (old if old == new else None for old, new in pairs)
            self._flags = n, z, c, v
        return [self]

    def _with(self, state: State) -> "Machine":
        return Machine(state, self._image, shares_stack=self._shares_stack)

    def call(self) -> None:
        """Forget what a call may change."""
        self._words = {
            place: word
            for place, word in self._words.items()
            if place in _KEPT or (place.startswith("[") and not self._shares_stack)
        }
        self._flags = UNTOLD

    def condition(self, name: str) -> Flag:
        """Whether a condition such as `eq` holds; None if that is not known."""
        n, z, c, v = self._flags
        same = None if n is None or v is None else n == v
        place = CONDITIONS.index(name)
        higher = False if c is False or z is True else (True if c is True and z is False else None)
        greater = False if z is True or same is False else (True if z is False and same is True else None)
        holds = (z, _no(z), c, c, _no(c), _no(c), n, _no(n), v, _no(v), higher, _no(higher), same, _no(same))
        return (*holds, greater, _no(greater))[place]

    def state_if(self, name: str, *, holds: bool) -> State:
        """Return what is known if a condition such as `eq` holds, or if it does not."""
        words, (n, z, c, v), depth = self.state()
        return words, (n, _ZERO[name] == holds if name in _ZERO else z, c, v), depth

    def _execute(self, step: Step) -> None:
        word, operands = step.word, step.instruction.operands
        base = word.removesuffix("s") if word not in ("mls", "smmls") else word
        if self._moves_stack(step, word) or self._accesses(step, word):
            return
        if base in _SHIFTS and self._shift(step, base):
            return
        if word in _COMPARED or base in _BINARY:
            first = 0 if word in _COMPARED or len(operands) == 2 else 1
            left, right = self._operand(operands[first : first + 1]), self._operand(operands[first + 1 :])
            result, carry, overflow = _BINARY[word if word in _COMPARED else base](left, right, self._flags[2])
            self._finish(step, result, (carry, overflow), sets=word in _COMPARED or word != base)
        elif base == "neg":
            result, carry, overflow = known_bits.total(known_bits.exactly(0), ~self._operand(operands[1:]), True)
            self._finish(step, result, (carry, overflow), sets=word != base)
        elif base in _UNARY:
            self._finish(step, _UNARY[base](self._operand(operands[1:])), (None, None), sets=word != base)
        else:
            self._forget(step)
            if word.endswith("s") or word in _SETTING:
                self._flags = UNTOLD

    def _finish(self, step: Step, result: Bits, carries: tuple[Flag, Flag], *, sets: bool) -> None:
        """Write a result to the register that an instruction names first, unless it only compares."""
        if step.word not in _COMPARED:
            self._words[register_name(step.instruction.operands[0])] = result
        if sets:
            zero = result.is_zero
            self._flags = result.bit(WIDTH - 1), zero, *carries

    def _shift(self, step: Step, kind: str) -> bool:
        """Run a shift by a known distance; return whether it was one."""
        operands = step.instruction.operands
        count = self._operand(operands[-1:])
        if not count.is_known or not 1 <= count.value & 0xFF <= WIDTH:
            return False
        shifted, out = _SHIFTS[kind](self._operand(operands[-2:-1]), count.value & 0xFF)
        self._finish(step, shifted, (out, self._flags[3]), sets=step.word != kind)
        return True

    def _operand(self, operands: tuple[str, ...]) -> Bits:
        """Return what is known of a constant, of a register, or of a register that is shifted."""
        first, *shift = operands
        if first.startswith("#"):
            return known_bits.exactly(int(first.lstrip("#"), 0))
        word = self.word(register_name(first))
        if not shift:
            return word
        kind, _, count = shift[0].partition(" #")
        return _SHIFTS[kind](word, int(count))[0] if kind in _SHIFTS and count else ANY

    def _moves_stack(self, step: Step, word: str) -> bool:
        """Move the stack pointer; return whether an instruction does."""
        operands = step.instruction.operands
        address = next((place for place in operands if place.startswith("[sp")), "")
        distance: int | None = 0
        if word in ("push", "vpush", "pop", "vpop") or operands[:1] == ("sp!",):
            distance = 4 * step.instruction.listed
        elif address and "sp" in moved_bases(step):
            offset = operands[-1] if operands[-1] != address else address.partition(", ")[2].rstrip("]!")
            distance = abs(int(offset.lstrip("#")))
        elif "sp" in written_registers(step):
            constant = operands[-1].startswith("#") and word in ("add", "addw", "sub", "subw")
            distance = abs(int(operands[-1].lstrip("#"))) if constant else None
        else:
            return False
        lowers = word.startswith(("push", "vpush", "st", "vst", "sub"))
        self._move(None if distance is None else -distance if lowers else distance, step)
        return True

    def _move(self, distance: int | None, step: Step) -> None:
        """Move the stack pointer up by some bytes, and forget what is stored and loaded on its way."""
        self._forget(step)
        self._words.pop("sp", None)
        if distance is None or self._depth is None:
            self._depth = None
            self._forget_stack()
            return
        self._depth += distance
        for place in range(self._depth, self._depth - distance, 4):
            self._words.pop(_slot(place), None)

    def _forget_stack(self) -> None:
        self._words = {name: word for name, word in self._words.items() if not name.startswith("[")}

    def _accesses(self, step: Step, word: str) -> bool:
        """Load or store a word of the stack or a literal; return whether it is one of these."""
        operands = step.instruction.operands
        address = next((place for place in operands if place.startswith("[")), "")
        if word.startswith(("str", "vst", "stm")):
            self._store(step, word, address)
            return True
        if word == "ldr" and address.startswith("[pc"):
            literal = literal_of(step, self._image)
            self._words[register_name(operands[0])] = ANY if literal is None else known_bits.exactly(literal)
            return True
        if word == "ldr" and operands[-1] == address and (place := self._place(address)) is not None:
            self._words[register_name(operands[0])] = self._words.get(_slot(place), ANY)
            return True
        return False

    def _store(self, step: Step, word: str, address: str) -> None:
        operands = step.instruction.operands
        place = self._place(address) if operands[-1] == address else None
        self._forget_bases(step)
        if place is None:
            if self._shares_stack or "sp" in address:
                self._forget_stack()
            return
        values = registers(operands[:-1]) if word in ("str", "strd") else []
        for number in range(2):
            self._words.pop(_slot(place + 4 * number), None) if number < len(values) or not values else None
        for number, register in enumerate(values):
            self._words[_slot(place + 4 * number)] = self.word(register)

    def _place(self, address: str) -> int | None:
        """Return the distance of a word of the stack from the stack pointer at the entry."""
        base, _, offset = address.strip("[]").partition(", #")
        is_known = base == "sp" and address.endswith("]") and self._depth is not None
        return (self._depth or 0) + int(offset or 0) // 4 * 4 if is_known else None

    def _forget(self, step: Step) -> None:
        for register in written_registers(step):
            self._words[register] = ANY
        self._forget_bases(step)

    def _forget_bases(self, step: Step) -> None:
        for register in moved_bases(step):
            self._words[register] = ANY


def _slot(place: int) -> str:
    return f"[{place}]"


def _no(flag: Flag) -> Flag:
    return None if flag is None else not flag


__all__ = ["UNTOLD", "Machine", "State"]
