"""Which registers hold data when a branch is taken: values that come from memory, or are computed of these.

    ldrb r1, [r0], #1      r1 holds data, r0 does not
    cmp  r1, r3            so do the flags
    it   gt
    movgt r1, r3           a choice without a branch
    subs r2, #1            the flags hold none
    bne  8010              this branch is the same for all data

Words of the stack that a function reads and writes by their distance from the stack pointer are followed as registers
are; all other memory counts as data.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from s2s.boards.paths.control_dependence import differing
from s2s.boards.paths.control_flow import BasicBlock, Function
from s2s.boards.paths.loops import Shape
from s2s.boards.paths.step import (
    COMPARED,
    LISTS,
    Step,
    destinations,
    moved_bases,
    register_name,
    registers,
    written_registers,
)
from s2s.support.frozen import frozen

FLAGS, FLOAT_FLAGS = "flags", "float flags"
WORD = 4
STACK = "stack"
"""Every word of the stack whose address is computed."""
ARGUMENTS = frozenset(["r0", "r1", "r2", "r3", *(f"s{number}" for number in range(16))])
"""The registers that arguments of a call may lie in; others are in words of the stack."""
_CLOBBERED = ARGUMENTS | {"r12", "lr", FLAGS, FLOAT_FLAGS}
_SLOT = re.compile(r"\[sp(?:, #(\d+))?\]")
_COMPARISONS = ("cmp", "cmn", "tst", "teq")
_SETTING = (
    *("mov", "mvn", "add", "adc", "sub", "sbc", "rsb", "neg", "mul"),
    *("eor", "orr", "orn", "and", "bic", "lsl", "lsr", "asr", "ror", "rrx"),
)
"""What sets flags with an `s` behind its name."""
_OVERWRITING = re.compile(
    r"(mov|mvn|movw|adr|ldr.*|[su]xt[bh]|[su]xt[bh]16|rev.*|clz|rbit|neg|rsb|vmov|vcvt.*|vabs|vneg|vsqrt)s?"
)
"""What does not read its destination where it has two operands."""
_READING = (
    "movt",
    "bfi",
    "smlal",
    "umlal",
    "umaal",
    "smlald",
    "smlsld",
    "vmla",
    "vmls",
    "vfma",
    "vfms",
    "vnml",
    "vfnm",
)
"""What reads its destination however many operands it has."""
_CHOOSING = ("adc", "sbc", "rrx", "sel", "vsel", "csel", "cset", "csin", "csne")
"""What reads the flags."""
_STORES = ("str", "vstr", "stm", "push", "vstm", "vpush")

State = frozenset[str]
"""The registers and words of the stack that hold data."""


@frozen
class Outcome:
    """What a call leaves behind."""

    written: State = State()
    """The registers that it may write; the C compiler may rely on all others in a function that it knows."""
    data: State = State()
    """The written ones that hold data."""


UNKNOWN = Outcome(_CLOBBERED, _CLOBBERED)


@frozen
class Flow:
    """Where data are in a function."""

    branches: frozenset[int]
    """The blocks that end with a branch on data."""
    calls: Sequence[tuple[int | None, State]]
    """The address of each callee, None for one in a register, and the arguments that hold data."""
    outcome: Outcome


def flow_of(
    function: Function, shape: Shape, arguments: State, outcomes: Mapping[int, Outcome], *, is_proven: bool
) -> Flow:
    """Follow data through a function whose `arguments` hold data.

    `outcomes` says what calls of other functions leave behind, by their addresses; an unknown one, data everywhere.
    `is_proven` says that loops turn as often whatever the data are: else a function with a branch on data leaves data
    in everything that it writes.
    """
    controlled: dict[int, State] = {}
    followed = frozenset[int]()
    while True:
        flow = _flow(function, arguments, outcomes, controlled)
        new = [number for number in flow.branches - followed if not shape.leaves_loop(number)] if is_proven else []
        if not new:
            break
        followed |= flow.branches
        for branch in new:
            differ = differing(function, shape, branch, lambda step: _places(step, outcomes))
            controlled |= {number: controlled.get(number, State()) | places for number, places in differ.items()}
    if flow.branches and not is_proven:
        return replace(flow, outcome=Outcome(flow.outcome.written, flow.outcome.written))
    return flow


def _places(step: Step, outcomes: Mapping[int, Outcome]) -> Iterable[str]:
    """Return what an instruction writes: registers, flags, words of the stack that it names."""
    if step.calls:
        return (UNKNOWN if step.target is None else outcomes.get(step.target, UNKNOWN)).written
    if step.jumps:
        return ()
    word, operands = step.word, step.instruction.operands
    if word.startswith(_STORES):
        slot = next((slot for place in operands if (slot := _slot(place)) is not None), None)
        return [*moved_bases(step), *([slot, _next(slot)] if slot is not None else [])]
    sets_flags = word in _COMPARISONS or word == "vmrs" or (word.endswith("s") and word[:-1] in _SETTING)
    compares = word.startswith("vcmp")
    named = [] if word in _COMPARISONS or compares else written_registers(step)
    return [*named, *moved_bases(step), *([FLAGS] if sets_flags else []), *([FLOAT_FLAGS] if compares else [])]


def _flow(
    function: Function, arguments: State, outcomes: Mapping[int, Outcome], controlled: Mapping[int, State]
) -> Flow:
    """Follow data through a function; `controlled` are places that hold data behind a block that writes them."""
    always = _taken(function)
    states: dict[int, State] = {0: (arguments & ARGUMENTS) | _received(function, arguments)}
    waiting, calls, ends = [0], dict[tuple[int | None, State], None](), State()
    while waiting:
        number = waiting.pop()
        block, state = function.blocks[number], states[number]
        for step in block.steps:
            state |= always
            if step.calls:
                calls[step.target, _passed(state)] = None
            state = _behind(step, state, outcomes)
        if block.leaves_to is not None:
            calls[block.leaves_to, _passed(state)] = None
            ends |= _called(state | controlled.get(number, State()), block.leaves_to, outcomes) & _CLOBBERED
        elif block.last.jumps and block.last.target is None:
            ends |= (state | controlled.get(number, State())) & _CLOBBERED
        state |= controlled.get(number, State())
        for place in block.successors:
            if place not in states or not state <= states[place]:
                states[place] = states.get(place, State()) | state
                waiting.append(place)
    at_ends = {number: _at_end(function.blocks[number], state | always, outcomes) for number, state in states.items()}
    branches = frozenset(number for number, state in at_ends.items() if _turns_on(function.blocks[number], state))
    written = _written_anywhere(function, outcomes)
    return Flow(branches, tuple(calls), Outcome(written, ends & written))


def _written_anywhere(function: Function, outcomes: Mapping[int, Outcome]) -> State:
    """Return the registers that a function and its callees may write, of the ones that a call may write at all."""
    callees = (outcomes.get(place, UNKNOWN) if place is not None else UNKNOWN for place in function.callees)
    steps = (step for block in function.blocks for step in block.steps)
    named = (place for step in steps for place in (*written_registers(step), *moved_bases(step), FLAGS, FLOAT_FLAGS))
    return State().union(named, *(outcome.written for outcome in callees)) & _CLOBBERED


def _taken(function: Function) -> State:
    """Return the words of the stack that may be reached by a computed address: from the least that one is taken of."""
    steps = [step for block in function.blocks for step in block.steps]
    addresses = [step.instruction.operands for step in steps if step.word in ("add", "addw", "mov")]
    taken = [
        int(operands[2].lstrip("#")) if len(operands) > 2 and operands[2].startswith("#") else 0
        for operands in addresses
        if len(operands) > 1 and operands[1] == "sp" and operands[0] != "sp"
    ]
    slots = {slot for step in steps for place in step.instruction.operands if (slot := _slot(place)) is not None}
    frame = _frame(function)  # behind it lie arguments
    return frozenset(slot for slot in slots if taken and min(taken) <= int(slot.split()[1]) < frame)


def _passed(state: State) -> State:
    """Return which arguments of a call hold data: registers, and words by their distance from the stack pointer."""
    return frozenset(place for place in state if place in ARGUMENTS or place.startswith(f"{STACK} "))


def _received(function: Function, arguments: State) -> State:
    """Return which words of the stack hold data at the entry, by their distance behind the prologue."""
    frame = _frame(function)
    return frozenset(_moved(place, frame) for place in arguments if place.startswith(f"{STACK} "))


def _frame(function: Function) -> int:
    """The bytes by which a function lowers the stack pointer."""
    size = 0
    for step in (step for block in function.blocks for step in block.steps):
        operands = step.instruction.operands
        if step.word in ("push", "vpush") or (step.word in ("stmdb", "vstmdb") and operands[0] == "sp!"):
            size += 4 * step.instruction.listed
        elif step.word in ("sub", "subw") and operands[0] == "sp" and operands[-1].startswith("#"):
            size += int(operands[-1].lstrip("#"))
    return size


def _at_end(block: BasicBlock, state: State, outcomes: Mapping[int, Outcome]) -> State:
    """Return what holds data before the last instruction of a block."""
    for step in block.steps[:-1]:
        state = _behind(step, state, outcomes)
    return state


def _turns_on(block: BasicBlock, state: State) -> bool:
    """Whether the way behind a block depends on data."""
    last = block.last
    if block.by_table:
        places = ["r0"] if last.calls else registers(last.instruction.operands)
        return any(register in state for register in places)
    if not block.branches:
        return False
    return register_name(last.instruction.operands[0]) in state if last.word in COMPARED else FLAGS in state


def _behind(step: Step, state: State, outcomes: Mapping[int, Outcome]) -> State:
    """Return what holds data behind an instruction."""
    if step.calls:
        return _called(state, step.target, outcomes)
    word, operands = step.word, step.instruction.operands
    if word.startswith(_STORES):
        return _stored(step, state)
    written, read = written_registers(step), registers(operands[destinations(step) :])
    if word in _COMPARISONS:
        return _set(state, [FLAGS], any(place in state for place in registers(operands)))
    if word.startswith("vcmp"):
        return _set(state, [FLOAT_FLAGS], any(place in state for place in registers(operands)))
    if word == "vmrs" and not written:
        return _set(state, [FLAGS], FLOAT_FLAGS in state)
    if not written:
        return state
    slot = _slot(operands[-1])
    if slot is not None and word in ("ldr", "ldrd", "vldr") and STACK not in state:
        return _moved_words(state, zip((slot, _next(slot)), written, strict=False), keeps=step.is_guarded)
    holds = any(place in state for place in read) or _is_loaded(step, state)
    keeps = word.startswith(_READING) or (len(operands) < 3 and not _OVERWRITING.fullmatch(word))
    holds = holds or (keeps and any(place in state for place in written))
    if word.startswith(_CHOOSING):
        holds = holds or FLAGS in state
    if step.is_guarded and (FLAGS in state or any(place in state for place in written)):
        holds = True
    sets_flags = word.endswith("s") and word[:-1] in _SETTING
    return _set(state, [*written, *([FLAGS] if sets_flags else [])], holds)


def _called(state: State, target: int | None, outcomes: Mapping[int, Outcome]) -> State:
    """Return what holds data behind a call of the function at an address, None for one in a register."""
    outcome = UNKNOWN if target is None else outcomes.get(target, UNKNOWN)
    return (state - outcome.written) | outcome.data


def _set(state: State, places: Iterable[str], holds: bool) -> State:
    return state | frozenset(places) if holds else state - frozenset(places)


def _is_loaded(step: Step, state: State) -> bool:
    """Whether an instruction loads data: from anywhere but literals of the code and known words of the stack."""
    word, address = step.word, next((place for place in step.instruction.operands if place.startswith("[")), "")
    if word.startswith(LISTS):
        return True
    if not address or address.startswith("[pc"):
        return False
    slot = _slot(address)
    if slot is None:
        return True
    return bool({slot, _next(slot), STACK} & state)


def _stored(step: Step, state: State) -> State:
    """Return what holds data behind a store."""
    operands = step.instruction.operands
    address = next((place for place in operands if place.startswith("[")), "")
    values = [place for operand in operands if not operand.startswith(("[", "#")) for place in registers([operand])]
    holds, slot = any(place in state for place in values), _slot(address)
    if slot is not None and operands[-1] == address:
        keeps = step.is_guarded or step.word in ("strb", "strh")  # a part of a word, or perhaps nothing
        return _moved_words(state, zip(values, (slot, _next(slot)), strict=False), keeps=keeps)
    is_on_stack = not address or "sp" in registers([address])  # a list, or a word that is pushed
    return state | {STACK} if is_on_stack and holds else state


def _moved_words(state: State, moves: Iterable[tuple[str, str]], *, keeps: bool) -> State:
    """Return the places that hold data behind moves of words, each from a place to another; with `keeps`, data that lay
    there before may remain."""
    before = state
    for source, place in moves:
        state = _set(state, [place], source in before or (keeps and place in before))
    return state


def _slot(address: str) -> str | None:
    """Return the word of the stack that `[sp, #8]` or a byte such as `[sp, #9]` lies in; None of any other address."""
    match = _SLOT.fullmatch(address)
    return None if match is None else f"{STACK} {int(match[1] or 0) // WORD * WORD}"


def _next(slot: str) -> str:
    return _moved(slot, 4)


def _moved(slot: str, distance: int) -> str:
    return f"{STACK} {int(slot.split()[1]) + distance}"


__all__ = ["ARGUMENTS", "FLAGS", "Flow", "Outcome", "State", "flow_of"]
