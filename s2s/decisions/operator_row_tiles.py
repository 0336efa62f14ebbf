"""Decide which chains of operators are computed in row tiles, so that their intermediate tensors never exist as a whole
in RAM.

A budget of RAM asks for it. The subject is `main`; a choice lists chains by the numbers of their first and last
operator and the rows of a tile: `0-3 by 4 rows, 7-9 by 2 rows`. Operators are counted without constants. All chains of
a network are one decision, because the peak of the whole network decides.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.analysis.network.functions import main_of
from s2s.analysis.row_tiles.operator_chains import chain, equal_tiles, operations
from s2s.analysis.row_tiles.search import Plan, peak_of_plan, plans
from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.decisions.names import ROW_TILES, WHOLE
from s2s.dialects.graph import rows_of
from s2s.targets import Target
from s2s.types.sizes import sizes_of

KIND = ROW_TILES
_CHAIN = re.compile(r"(\d+)-(\d+) by (\d+) rows")


class TiledNetwork(NamedTuple):
    """A network whose chains may be computed in row tiles."""

    module: ModuleOp
    wished: Plan
    """What a budget of RAM asks for."""

    @property
    def main(self) -> FuncOp:
        """The function of the network."""
        return main_of(self.module)


class OperatorRowTilesKind(Kind[TiledNetwork, Plan]):
    """Chains in row tiles."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[TiledNetwork, Plan]]]:
        return (("the budget of RAM", _wished), ("no budget of RAM", _whole), ("smaller peaks", _smaller))

    def key(self, subject: TiledNetwork) -> str:
        return subject.main.sym_name.data

    def home(self, subject: TiledNetwork) -> Operation:
        return subject.module

    def legal(self, subject: TiledNetwork, choice: Plan) -> str | None:
        ops = operations(subject.main)
        if choice and sizes_of(subject.module.attributes):
            return "a tile has a constant number of rows, and sizes of this network vary"
        if any(before[1] >= after[0] for before, after in pairwise(choice)):
            return "chains are listed in order, and no operator is in two of them"
        for first, last, rows in choice:
            chained = chain(ops, first, last)
            if chained is None:
                return f"operators {first} to {last} form no chain that can be computed in row tiles"
            if not 0 < rows < rows_of(chained[-1].y.type):
                return f"a result of {rows_of(chained[-1].y.type)} rows has no tiles of {rows} rows"
            if not all(each.read for equal in equal_tiles(chained, rows) for each in equal.tiles):
                return f"with {rows} rows, a window reads nothing but padding"
        return None

    def apply(self, subject: TiledNetwork, choice: Plan) -> None:
        """Do nothing: the pass that asked rewrites the chains at once."""

    def text(self, choice: Plan) -> str:
        return ", ".join(f"{first}-{last} by {rows} rows" for first, last, rows in choice) or WHOLE

    def parse(self, subject: TiledNetwork, text: str) -> Plan:
        return parse_plan(text)

    def estimate(self, subject: TiledNetwork, choice: Plan, target: Target) -> Cost | None:
        return Cost(ram=peak_of_plan(subject.module, choice))


def parse_plan(text: str) -> Plan:
    """Parse a list of chains; raise a `ValueError` with the reason if `text` is none."""
    if text == WHOLE:
        return ()
    found = [_CHAIN.fullmatch(each) for each in text.split(", ")]
    if not all(found):
        raise ValueError(f"give `{WHOLE}`, or chains of operators as `0-3 by 4 rows`")
    return tuple((int(each[1]), int(each[2]), int(each[3])) for each in found if each is not None)


def _candidate(plan: Plan) -> Candidate[Plan]:
    return Candidate(lambda: plan, OperatorRowTilesKind().text(plan))


def _wished(subject: TiledNetwork, target: Target) -> Sequence[Candidate[Plan]]:
    return [_candidate(subject.wished)] if subject.wished else []


def _whole(subject: TiledNetwork, target: Target) -> Sequence[Candidate[Plan]]:
    return [_candidate(())]


def _smaller(subject: TiledNetwork, target: Target) -> Sequence[Candidate[Plan]]:
    return [_candidate(plan) for plan in plans(subject.module, 0)]
