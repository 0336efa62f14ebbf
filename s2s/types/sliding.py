"""Inputs that are windows which slide over the frames of a stream."""

from typing import NamedTuple


class Sliding(NamedTuple):
    """How an input slides: along `axis`, by this many `frames` a run; None stands for as few as the network allows."""

    axis: int
    frames: int | None = None
