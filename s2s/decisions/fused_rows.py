"""Decide the number of rows in a block for which the computations of a kernel run one after the other, so that the
intermediate tensors stay in a cache.

The subject is the task key of the kernel.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.targets import Target

SMALL_CACHE = 16 * 1024
"""Bytes that a block may take where the target states no cache."""
MAX_VECTORS = 4
SCALAR_ROWS = 16
"""Rows of a block at most, in vectors and where there are none."""


class FusedKernel(NamedTuple):
    """A kernel whose computations have a common dimension of rows."""

    kernel: FuncOp
    key: str
    nodes_in_model: str
    extent: int
    """Rows in all."""
    bytes_per_row: int
    """What passes between the computations."""
    lanes: int
    """Rows in a vector; 1 where vectors do not run along the rows."""
    operand_bytes_per_row: int = 0
    """What is read from outside, where it takes its share of the first cache."""

    @property
    def most(self) -> int:
        """The number of all rows, rounded up to whole vectors."""
        return -(-self.extent // self.lanes) * self.lanes


class FusedRowsKind(Kind[FusedKernel, int]):
    """Rows of blocks."""

    name = "fused rows"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[FusedKernel, int]]]:
        return (("the first cache, else half of the second", _fitting),)

    def key(self, subject: FusedKernel) -> str:
        return subject.key

    def home(self, subject: FusedKernel) -> Operation:
        return subject.kernel

    def about(self, subject: FusedKernel) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: FusedKernel) -> str:
        return subject.nodes_in_model

    def legal(self, subject: FusedKernel, choice: int) -> str | None:
        if not 0 < choice <= subject.most or (choice % subject.lanes and choice != subject.most):
            return f"a block has a multiple of {subject.lanes} rows, at most {subject.most}"
        return None

    def apply(self, subject: FusedKernel, choice: int) -> None:
        """Do nothing: the pass sets the schedules at once."""

    def text(self, choice: int) -> str:
        return str(choice)

    def parse(self, subject: FusedKernel, text: str) -> int:
        if not text.isdecimal():
            raise ValueError("give a number of rows")
        return int(text)

    def estimate(self, subject: FusedKernel, choice: int, target: Target) -> Cost | None:
        return Cost(ram=choice * subject.bytes_per_row)


def _fitting(subject: FusedKernel, target: Target) -> Sequence[Candidate[int]]:
    """Propose rows whose intermediate tensors fit the L1 cache if these rows fill a register tile, else half of the L2
    cache. A block that divides the rows needs no code for a shorter one."""
    per_row = subject.bytes_per_row
    unit, most, least = (subject.lanes, MAX_VECTORS, 2) if subject.lanes > 1 else (SCALAR_ROWS // 4, 4, 1)
    sizes = [count * unit for count in range(most, 0, -1)]
    passing, cache = per_row + subject.operand_bytes_per_row, target.l1_bytes or SMALL_CACHE
    near = [size for size in sizes if size >= least * unit and size * passing <= cache]
    far = [size for size in sizes if size * per_row <= target.l2_bytes // 2]
    fitting = near or far or sizes[-1:]
    even = [size for size in fitting if subject.extent % size == 0]
    best = min((even or fitting)[0], subject.most)
    every = dict.fromkeys([best, *(size for size in sizes if size <= subject.most)])
    return [Candidate(lambda size=size: size, f"{size} rows", Cost(ram=size * per_row)) for size in every]
