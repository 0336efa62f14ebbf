"""Stage `simplify`: the network is as few operators as possible, on as few channels."""

from typing import NamedTuple

from s2s.analysis.channels.removed import RemovedChannels, removed_channels
from s2s.stages.request import Request
from s2s.stages.state import State


class Simplified(NamedTuple):
    """What the network needs less than the model says."""

    removed: RemovedChannels | None
    """The channels that no kernel computes; None if there are none."""


def simplified(state: State, _: Request) -> Simplified:
    """Read the removed channels from the module."""
    return Simplified(removed_channels(state.module))
