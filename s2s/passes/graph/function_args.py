"""The arguments that functions of each device may have, as options of passes state them: `main=127`, `dsp=8`."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from s2s.analysis.network.functions import DEVICE
from s2s.types.devices import MAIN

OTHERS = 2
"""The arguments of a kernel beside its inputs: a result and scratch."""


class ArgumentLimits(NamedTuple):
    """The limits by device; devices that are left out have none."""

    by_device: dict[str, int]

    def inputs(self, op: Operation) -> int | None:
        """Return how many tensors a kernel with `op` in it may read; None for any number."""
        device = op.attributes.get(DEVICE)
        limit = self.by_device.get(device.data if isinstance(device, StringAttr) else MAIN)
        return None if limit is None else max(limit - OTHERS, 2)


def limits_of(texts: Sequence[str]) -> ArgumentLimits:
    """Parse options as `dsp=8`."""
    pairs = (text.partition("=") for text in texts)
    return ArgumentLimits({device: int(limit) for device, _, limit in pairs})
