"""Decide how a kernel's constants of few different values are stored: as codes of four bits and tables, or as they are.

Models whose weights have been clustered, as by TFLite-Micro's compressor, have at most 16 values in a channel or in a
layer. Codes take half of the flash, and a table for each channel. Looking numbers up where they are loaded takes
instructions each time; decoding all of them before the kernel runs takes fewer, and memory for as many bytes. A core
without caches has little flash, so it decodes where other kernels need as much memory anyway, and looks up where the
instructions are few for what is saved and beside those of the kernel. The subject is the task key of the kernel.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost, Decision
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused, named
from s2s.decisions.recorded import recorded_on
from s2s.targets import Target

LOOKED_UP, DECODED, BYTES = "codes, looked up", "codes, decoded before", "bytes"
PER_BYTE = 32
"""The instructions of a run that one byte of flash may take. On Cortex-M4, decoding takes 14 of a convolution of
3 x 3 x 64, and looking up hundreds, since convolutions read their constants again for every few places of an image."""
FEW = 2
"""A form may add half of a kernel's operations, as packed constants of four bits may."""


class CodedConstant(NamedTuple):
    """A constant of few different values that a kernel reads, and what it costs."""

    kernel: FuncOp
    bytes: int
    """One for each number, in all calls."""
    coded: int
    """Bytes of the codes and the tables, in all calls."""
    code: Mapping[str, int]
    """Bytes of the instructions that the forms take in addition."""
    operations: int
    """Of one call of the kernel."""
    looking_up: int
    """Operations that one call does in addition where it looks its constant up."""
    decoding: int
    """Operations that decode the constant for one call."""
    ram: int
    """Bytes of the decoded constant of a call."""
    spare: int
    """Bytes of memory that other kernels need and all calls of this one do not."""
    fault: str | None
    """Why the constant cannot be looked up where it is loaded; None if it can be."""

    @property
    def scheduled(self) -> Decision | None:
        """The decision about the schedule of the kernel's first computation, which names the task."""
        return next((each for each in recorded_on(self.kernel) if each.kind == "schedule"), None)


class ConstantCodesKind(NamedKind[CodedConstant]):
    """Forms of constants of few different values in memory."""

    name = "constant codes"
    trades_memory = True
    names = (LOOKED_UP, DECODED, BYTES)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[CodedConstant, str]]]:
        return (("flash against the instructions and the memory of decoding", _worth_it),)

    def key(self, subject: CodedConstant) -> str:
        scheduled = subject.scheduled
        return subject.kernel.sym_name.data if scheduled is None else scheduled.subject.partition("/")[0]

    def home(self, subject: CodedConstant) -> Operation:
        return subject.kernel

    def about(self, subject: CodedConstant) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: CodedConstant) -> str:
        scheduled = subject.scheduled
        return "" if scheduled is None else scheduled.nodes

    def legal(self, subject: CodedConstant, choice: str) -> str | None:
        fault = subject.fault if choice == LOOKED_UP else None
        return fault or super().legal(subject, choice)

    def estimate(self, subject: CodedConstant, choice: str, target: Target) -> Cost | None:
        flash = subject.coded + subject.code.get(choice, 0)
        if choice == LOOKED_UP:
            return Cost(cycles=subject.operations + subject.looking_up, flash=flash)
        if choice == DECODED:
            ram = max(subject.ram - subject.spare, 0)
            return Cost(cycles=subject.operations + subject.decoding, ram=ram, flash=flash)
        return Cost(cycles=subject.operations, flash=subject.bytes)


def _worth_it(subject: CodedConstant, target: Target) -> Sequence[Candidate[str] | Refused]:
    refused = [] if subject.fault is None else [Refused(LOOKED_UP, subject.fault)]
    possible = [each for each in (LOOKED_UP, DECODED) if each == DECODED or subject.fault is None]
    if target.l1_bytes:
        return [*named(BYTES, *possible), *refused]
    costs = {LOOKED_UP: subject.looking_up, DECODED: subject.decoding}
    worth = [
        each
        for each in possible
        if FEW * costs[each] <= subject.operations
        and costs[each] < PER_BYTE * (subject.bytes - subject.coded - subject.code[each])
        and (each == LOOKED_UP or subject.ram <= subject.spare)
    ]
    worth.sort(key=lambda each: costs[each])
    others = [each for each in possible if each not in worth]
    return [*named(*worth, BYTES, *others), *refused]
