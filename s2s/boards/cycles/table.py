"""The tables of cycles: which cores have one, and how a row is found for a mnemonic."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args

from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.support.resources import cycle_table, cycle_tables

Kind = Literal["data", "compare", "load", "store", "multiple", "branch", "float", "float load", "move"]
Target = Literal["direct", "register", "loaded"]
"""Where the address of a branch comes from."""
CONDITIONS = ("eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
_IF_THEN = re.compile("it[te]{0,3}")


@frozen
class Row:
    """The cycles of an instruction, without registers of a list and refills."""

    kind: Kind
    cycles: int
    least: int
    target: Target


@frozen
class CycleTable:
    """What the instructions of a core cost by its manual."""

    source: str
    """The manual, its tables and sections."""
    rows: Mapping[str, Row]
    """By mnemonic, without suffixes for size, condition and flags."""
    refill: Mapping[str, int]
    """Cycles behind a branch that is taken, by where its address comes from; `wide_target`, `least` and `most`."""
    pipelines_loads: bool
    stalls_on_address: bool
    stalls_on_float: bool
    every: Row | None = None
    """The row of every instruction, where they cost the same."""

    def row(self, mnemonic: str) -> Row | None:
        """Return the row of `ldr.w` or `addseq`; None if the manual has none."""
        if self.every is not None:
            return self.every
        word = mnemonic.partition(".")[0]
        if _IF_THEN.fullmatch(word):
            word = "it"
        plain = word[:-2] if word.endswith(CONDITIONS) else word
        names = (word, plain, word.removesuffix("s"), plain.removesuffix("s"))
        return next((self.rows[name] for name in names if name in self.rows), None)


INSTRUCTIONS = CycleTable(
    source="",
    rows={},
    refill={"direct": 0, "register": 0, "loaded": 0},
    pipelines_loads=False,
    stalls_on_address=False,
    stalls_on_float=False,
    every=Row("compare", 1, 1, "direct"),
)
"""One for each instruction, for cores whose cycles nobody publishes."""


@cache
def table_of(core: str) -> CycleTable | None:
    """Return the table of a core such as `cortex-m4`; None if its maker publishes no cycles of instructions."""
    return _read(tomllib.loads(cycle_table(core))) if core in cycle_tables() else None


def _read(table: dict[str, Any]) -> CycleTable:
    rows: dict[str, Row] = {}
    for entry in table["instruction"]:
        kind, target = entry.get("kind", "data"), entry.get("target", "direct")
        if kind not in get_args(Kind) or target not in get_args(Target):
            raise CompilerBug(f"the table of {table['source']} has a row of kind {kind} with target {target}")
        row = Row(kind, entry["cycles"], entry.get("least", entry["cycles"]), target)
        rows.update(dict.fromkeys(entry["names"].split(), row))
    return CycleTable(
        source=table["source"],
        rows=rows,
        refill=table["refill"],
        pipelines_loads=table.get("pipelines_loads", False),
        stalls_on_address=table.get("stalls_on_address", False),
        stalls_on_float=table.get("stalls_on_float", False),
    )


__all__ = ["INSTRUCTIONS", "CycleTable", "Row", "table_of"]
