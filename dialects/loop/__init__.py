"""The `loop` dialect: loop nests over flat buffers, registers and small vectors.

Values are scalars, rank-1 vectors and `index`es; memory is flat memrefs. Scalar arithmetic is `arith` and `math`, on
vectors too. Nothing here knows what a tensor is.
"""

from xdsl.ir import Dialect

from s2s.dialects.loop.access import Access, AccessInterface, Extent
from s2s.dialects.loop.callback import CallbackOp
from s2s.dialects.loop.checks import lanes_of
from s2s.dialects.loop.control import ForOp, IfOp, YieldOp
from s2s.dialects.loop.groups import GROUP, DotGroupsOp, LoadGroupsOp
from s2s.dialects.loop.index import ApplyOp
from s2s.dialects.loop.interleaved import StoreInterleavedOp
from s2s.dialects.loop.lanes import LANE_ROUNDINGS, TABLE, CastLanesOp, LookUpLanesOp, RescaleLanesOp, SaturateLanesOp
from s2s.dialects.loop.memory import AllocOp, LoadAtOp, LoadOp, PoisonOp, StoreAtOp, StoreOp, ViewOp, WeightOp, whole_of
from s2s.dialects.loop.network import STEPS, CallForOp, CallIfOp, CallWhileOp, CopyOp, NetworkCall
from s2s.dialects.loop.prefetch import PrefetchOp
from s2s.dialects.loop.products import DotOp, StageOp, WidenOp
from s2s.dialects.loop.register import COMPARISONS, FEWEST_LANES, BroadcastOp, ChooseOp, FmaOp, HalveOp, ReduceOp
from s2s.dialects.loop.rows import ROWS, DotRowsOp

Loop = Dialect(
    "loop",
    [
        AllocOp,
        ApplyOp,
        BroadcastOp,
        CallForOp,
        CallIfOp,
        CallWhileOp,
        CallbackOp,
        CastLanesOp,
        ChooseOp,
        CopyOp,
        DotGroupsOp,
        DotOp,
        DotRowsOp,
        PrefetchOp,
        FmaOp,
        ForOp,
        HalveOp,
        IfOp,
        LoadAtOp,
        LoadGroupsOp,
        LoadOp,
        LookUpLanesOp,
        PoisonOp,
        ReduceOp,
        RescaleLanesOp,
        SaturateLanesOp,
        StageOp,
        StoreAtOp,
        StoreOp,
        StoreInterleavedOp,
        ViewOp,
        WeightOp,
        WidenOp,
        YieldOp,
    ],
    [],
)

__all__ = [
    "COMPARISONS",
    "FEWEST_LANES",
    "GROUP",
    "LANE_ROUNDINGS",
    "ROWS",
    "STEPS",
    "TABLE",
    "Access",
    "AccessInterface",
    "AllocOp",
    "ApplyOp",
    "BroadcastOp",
    "CallForOp",
    "CallIfOp",
    "CallWhileOp",
    "CallbackOp",
    "CastLanesOp",
    "ChooseOp",
    "CopyOp",
    "DotGroupsOp",
    "DotOp",
    "DotRowsOp",
    "Extent",
    "FmaOp",
    "ForOp",
    "HalveOp",
    "IfOp",
    "LoadAtOp",
    "LoadGroupsOp",
    "LoadOp",
    "LookUpLanesOp",
    "Loop",
    "NetworkCall",
    "PoisonOp",
    "PrefetchOp",
    "ReduceOp",
    "RescaleLanesOp",
    "SaturateLanesOp",
    "StageOp",
    "StoreAtOp",
    "StoreInterleavedOp",
    "StoreOp",
    "ViewOp",
    "WeightOp",
    "WidenOp",
    "YieldOp",
    "lanes_of",
    "whole_of",
]
