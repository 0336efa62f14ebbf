"""Decide which sections of a network run row by row in line buffers, so that their intermediate tensors never exist
whole in RAM.

A budget of RAM asks for it. The subject is `main`; a choice lists sections by the numbers of their first and last
operator: `0-3, 7-9`. Operators are counted without constants. All sections of a network are one decision, because the
peak of the whole network decides.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.analysis.network.buffered_sections import operations, section
from s2s.analysis.network.functions import main_of
from s2s.analysis.network.section_search import Sections, peak_of, plans
from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.decisions.names import LINE_BUFFERS, WHOLE
from s2s.targets import Target
from s2s.types.sizes import sizes_of

KIND = LINE_BUFFERS
_SECTION = re.compile(r"(\d+)-(\d+)")


class BufferedNetwork(NamedTuple):
    """A network whose sections may run row by row."""

    module: ModuleOp
    wished: Sections
    """What a budget of RAM asks for."""

    @property
    def main(self) -> FuncOp:
        """The function of the network."""
        return main_of(self.module)


class LineBuffersKind(Kind[BufferedNetwork, Sections]):
    """Sections in line buffers."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[BufferedNetwork, Sections]]]:
        return (("the budget of RAM", _wished), ("no budget of RAM", _whole), ("smaller peaks", _smaller))

    def key(self, subject: BufferedNetwork) -> str:
        return subject.main.sym_name.data

    def home(self, subject: BufferedNetwork) -> Operation:
        return subject.module

    def legal(self, subject: BufferedNetwork, choice: Sections) -> str | None:
        ops = operations(subject.main)
        if choice and sizes_of(subject.module.attributes):
            return "a line buffer has a constant number of rows, and sizes of this network vary"
        if any(before[1] >= after[0] for before, after in pairwise(choice)):
            return "sections are listed in order, and no operator is in two of them"
        for first, last in choice:
            if section(ops, first, last) is None:
                return f"operators {first} to {last} do not compute rows from the rows of one image, channels last"
        return None

    def apply(self, subject: BufferedNetwork, choice: Sections) -> None:
        """Do nothing: the pass that asked rewrites the sections at once."""

    def text(self, choice: Sections) -> str:
        return ", ".join(f"{first}-{last}" for first, last in choice) or WHOLE

    def parse(self, subject: BufferedNetwork, text: str) -> Sections:
        return parse_sections(text)

    def estimate(self, subject: BufferedNetwork, choice: Sections, target: Target) -> Cost | None:
        return Cost(ram=peak_of(subject.module, choice))


def parse_sections(text: str) -> Sections:
    """Parse a list of sections; raise a `ValueError` with the reason if `text` is none."""
    if text == WHOLE:
        return ()
    parts = [_SECTION.fullmatch(part) for part in text.split(", ")]
    if not all(parts):
        raise ValueError(f"give `{WHOLE}`, or sections of operators as `0-3, 7-9`")
    return tuple((int(part[1]), int(part[2])) for part in parts if part is not None)


def _candidate(sections: Sections) -> Candidate[Sections]:
    return Candidate(lambda: sections, LineBuffersKind().text(sections))


def _wished(subject: BufferedNetwork, target: Target) -> Sequence[Candidate[Sections]]:
    return [_candidate(subject.wished)] if subject.wished else []


def _whole(subject: BufferedNetwork, target: Target) -> Sequence[Candidate[Sections]]:
    return [_candidate(())]


def _smaller(subject: BufferedNetwork, target: Target) -> Sequence[Candidate[Sections]]:
    return [_candidate(sections) for sections in plans(subject.module, 0)]
