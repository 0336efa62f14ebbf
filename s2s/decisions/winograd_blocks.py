"""Decide the loop that the three steps of a Winograd convolution are fused into: blocks of tile rows or of output
channels.

The steps transform the image, multiply, and transform the products back; with a fused loop, what passes between them
stays in the second cache. The subject is the task key of the kernel, with `/n` for the products of one of several.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.schedules.fused_loops import FLOAT, FusedLoop, fused_loops
from s2s.schedules.transforms import FastConvolution, channel_step, tiles_of
from s2s.targets import Target

WHOLE = "whole images"
_WORDS = {"rows": "tile rows", "channels": "output channels"}


class WinogradKernel(NamedTuple):
    """A Winograd convolution in a kernel."""

    conv: FastConvolution
    kernel: FuncOp
    key: str
    nodes: str
    threads: int


class WinogradBlocksKind(Kind[WinogradKernel, FusedLoop]):
    """Fused loops of Winograd convolutions."""

    name = "winograd blocks"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[WinogradKernel, FusedLoop]]]:
        return (("bytes from beyond the second cache", _fewest_bytes),)

    def key(self, subject: WinogradKernel) -> str:
        return subject.key

    def home(self, subject: WinogradKernel) -> Operation:
        return subject.kernel

    def about(self, subject: WinogradKernel) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: WinogradKernel) -> str:
        return subject.nodes

    def legal(self, subject: WinogradKernel, choice: FusedLoop) -> str | None:
        tiles = tiles_of(subject.conv)
        if choice.along == "rows" and not 0 < choice.size < tiles.rows:
            return f"there are {tiles.rows} tile rows; give fewer, or `{WHOLE}`"
        step = channel_step(subject.conv)
        if choice.along == "channels" and (choice.size % step or not 0 < choice.size <= tiles.out_channels):
            return f"give a multiple of {step} output channels, at most {tiles.out_channels}"
        return None

    def apply(self, subject: WinogradKernel, choice: FusedLoop) -> None:
        """Do nothing: the schedules of the three steps state their blocks."""

    def text(self, choice: FusedLoop) -> str:
        return WHOLE if choice.along is None else f"{choice.size} {_WORDS[choice.along]}"

    def parse(self, subject: WinogradKernel, text: str) -> FusedLoop:
        if text == WHOLE:
            return FusedLoop(None, 0)
        count, _, words = text.partition(" ")
        if count.isdecimal() and words == _WORDS["rows"]:
            return FusedLoop("rows", int(count))
        if count.isdecimal() and words == _WORDS["channels"]:
            return FusedLoop("channels", int(count))
        raise ValueError(f"give `{WHOLE}`, or a number as `4 tile rows` or `32 output channels`")

    def estimate(self, subject: WinogradKernel, choice: FusedLoop, target: Target) -> Cost | None:
        tiles = tiles_of(subject.conv)
        if choice.along == "rows":
            return Cost(ram=tiles.moved // tiles.rows * choice.size)
        products = FLOAT * prod(subject.conv.sizes[:2]) * (choice.size or tiles.out_channels)
        return Cost(ram=tiles.image + products)


def _fewest_bytes(subject: WinogradKernel, target: Target) -> Sequence[Candidate[FusedLoop]]:
    kind = WinogradBlocksKind()
    most, step = subject.conv.sizes[2], channel_step(subject.conv)
    loops = fused_loops(tiles_of(subject.conv), target, subject.threads)
    every = {kind.text(each): each for each in (_in_steps(each, step, most) for each in loops)}
    return [Candidate(lambda each=each: each, _note(each)) for each in every.values() if not kind.legal(subject, each)]


def _in_steps(each: FusedLoop, step: int, most: int) -> FusedLoop:
    """Propose the loop with blocks of whole steps of channels."""
    return each._replace(size=max(step, min(each.size, most) // step * step)) if each.along == "channels" else each


def _note(each: FusedLoop) -> str:
    words = WinogradBlocksKind().text(each)
    return f"{words}, constants read {each.times} times" if each.times > 1 else words
