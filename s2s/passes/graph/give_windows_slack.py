"""Give windows over streams memory behind their elements, so that most runs move them on without a copy.

    %moved = graph.advance %old {by = 2, slack = 0} : tensor<1x64x34xf32>
->
    %moved = graph.advance %old {by = 2, slack = 30} : tensor<1x64x34xf32>

A window moves through its slack by `by` elements a run, and is copied back where the slack ends: here in one of 16
runs, for 30 elements more than 2,176. Where channels come first, one frame is one element, and slack is cheap; where
frames come first, it is a frame of all channels. Whether a window has slack is a decision
(`s2s/decisions/window_slack.py`), by default as much as an eighth of the window has room for.

Declined where the address of the window would leave the words of memory, which vectors of bytes are loaded by.
"""

from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import main_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.window_slack import MOVING, SlidingWindow, WindowSlackKind
from s2s.dialects import graph
from s2s.dialects.graph.base import integer
from s2s.dialects.walk import walk
from s2s.passes.context import given_of, target_of
from s2s.support.frozen import frozen
from s2s.types.dtypes import size_in_bytes

SHARE = 8
"""The part of a window's elements that its slack may have."""
MAX_RUNS = 16
"""Runs between copies beyond which a copy takes no time worth memory."""
WORD = 4
"""Bytes to which the address of a window stays aligned."""


def _subject(op: graph.AdvanceOp, home: ModuleOp) -> SlidingWindow:
    size, by = prod(op.y.type.get_shape()), op.by.value.data
    element_bytes = size_in_bytes(op.y.type.element_type)
    runs = min(size // SHARE // by, MAX_RUNS - 1)
    why_not = "an eighth of the window has no room for the new elements of a run"
    if by * element_bytes % WORD:
        runs, why_not = 0, f"{by} elements of {element_bytes} bytes are no words of memory"
    return SlidingWindow(home, (op,), size - by, element_bytes, runs * by, runs + 1, why_not)


@frozen
class GiveWindowsSlackPass(ModulePass):
    name = "graph-give-windows-slack"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for advance in [each for each in walk(main_of(op)) if isinstance(each, graph.AdvanceOp)]:
                subject = _subject(advance, op)
                if chooser.choose(WindowSlackKind(), subject) == MOVING:
                    advance.slack = integer(subject.slack)
