"""Decide whether a chain of kernels runs row tile by row tile, so that its intermediate tensors stay in the L2 cache,
and with how many rows.

The subject is the task key of the kernel that would do what the kernels of the chain do.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.analysis.row_tiles.kernel_chains import ROW, bytes_of_blocks, pays, tiles_of
from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.dialects import tensor
from s2s.targets import Target

WHOLE = "whole images"
MAX_OTHERS = 4
"""Numbers of rows that are proposed beside the best guess."""
_ROWS = " rows"


class KernelChain(NamedTuple):
    """Computations of which each has one reader, the next one."""

    home: ModuleOp
    key: str
    names: str
    nodes_in_model: str
    computes: tuple[tensor.ComputeOp, ...]

    @property
    def rows(self) -> int:
        """Rows of the last result."""
        return self.computes[-1].sizes[ROW]


class RowTilesKind(Kind[KernelChain, int]):
    """Rows of a tile; 0 for whole images, kernel by kernel."""

    name = "row tiles"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[KernelChain, int]]]:
        return (("half of the second cache", _fitting), ("other tiles that fit", _others))

    def key(self, subject: KernelChain) -> str:
        return subject.key

    def home(self, subject: KernelChain) -> Operation:
        return subject.home

    def about(self, subject: KernelChain) -> str:
        return subject.names

    def nodes(self, subject: KernelChain) -> str:
        return subject.nodes_in_model

    def legal(self, subject: KernelChain, choice: int) -> str | None:
        if choice and (choice >= subject.rows or subject.rows % choice):
            return f"blocks of {choice} rows do not make up an image of {subject.rows}"
        if choice and tiles_of(subject.computes, choice) is None:
            return f"blocks of {choice} rows do not come out even in every kernel of the chain"
        return None

    def apply(self, subject: KernelChain, choice: int) -> None:
        """Do nothing: the pass merges the kernels at once."""

    def text(self, choice: int) -> str:
        return f"{choice}{_ROWS}" if choice else WHOLE

    def parse(self, subject: KernelChain, text: str) -> int:
        count = text.removesuffix(_ROWS)
        if text != WHOLE and not (text.endswith(_ROWS) and count.isdecimal() and int(count)):
            raise ValueError(f"give `{WHOLE}`, or a number of rows as `8 rows`")
        return 0 if text == WHOLE else int(count)

    def estimate(self, subject: KernelChain, choice: int, target: Target) -> Cost | None:
        tiles = tiles_of(subject.computes, choice or subject.rows)
        return None if tiles is None else Cost(ram=bytes_of_blocks(subject.computes, tiles))


def _fitting(subject: KernelChain, target: Target) -> Sequence[Candidate[int] | Refused]:
    """Propose the most rows whose tiles fit the cache, if the recomputed rows cost less than the memory traffic
    saved."""
    whole = Candidate(lambda: 0, WHOLE)
    for size in range(subject.rows // 2, 1, -1):
        tiles = tiles_of(subject.computes, size) if subject.rows % size == 0 else None
        if tiles is None or bytes_of_blocks(subject.computes, tiles) > target.l2_bytes // 2:
            continue
        if not pays(subject.computes, tiles):
            reason = "rows that are computed twice cost more than memory does, or arithmetic takes most of the time"
            return [Refused(f"{size}{_ROWS}", reason), whole]
        return [Candidate(lambda size=size: size, f"{size} rows at a time"), whole]
    return [Refused("some rows at a time", "no blocks of equal size fit half of the second cache"), whole]


def _others(subject: KernelChain, target: Target) -> Sequence[Candidate[int]]:
    """Propose every number of rows whose tiles fit the second cache, the most rows first."""
    sizes = (size for size in range(subject.rows // 2, 0, -1) if subject.rows % size == 0)
    tiled = ((size, tiles_of(subject.computes, size)) for size in sizes)
    fitting = [
        s for s, tiles in tiled if tiles is not None and bytes_of_blocks(subject.computes, tiles) <= target.l2_bytes
    ]
    return [Candidate(lambda size=size: size, f"{size} rows at a time") for size in fitting[:MAX_OTHERS]]
