"""Remove copies between devices that see the same memory.

    %b = graph.device_copy %a from "main" to "dsp" : …
    %c = graph.call @dsp_conv(%b, %w) …
->                                                              with {shared=dsp}
    %c = graph.call @dsp_conv(%a, %w) …

Until here such copies have kept fusion, external generators and regions from joining operators of two devices. Declined
for devices with a memory of their own.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.dialects import graph
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN


@frozen
class RemoveDeviceCopiesPass(ModulePass):
    """Let readers take the source of a copy where they see it."""

    name = "graph-remove-device-copies"

    shared: tuple[str, ...] = ()
    """The devices that share the memory of the first one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        seen = {MAIN, *self.shared}
        for copy in [each for each in op.walk() if isinstance(each, graph.DeviceCopyOp)]:
            if copy.origin.data in seen and copy.device.data in seen:
                Rewriter.replace_op(copy, [], [copy.x])
