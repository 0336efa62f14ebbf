"""The steps by name, and how the command line names one: `[PORT=]NAME[:PARAMETER=VALUE,…]`."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from s2s.errors import InputError
from s2s.frontends.features.channels_first import ChannelsFirst
from s2s.frontends.features.classes import Argmax, Labels, Softmax, TopK
from s2s.frontends.features.crop import Crop
from s2s.frontends.features.grey import Grey
from s2s.frontends.features.log_mel import LogMel
from s2s.frontends.features.mfcc import Mfcc
from s2s.frontends.features.micro_frontend import MicroFrontend
from s2s.frontends.features.normalise import Normalise
from s2s.frontends.features.parameters import read
from s2s.frontends.features.resize import Resize
from s2s.frontends.features.rgb565 import Rgb565
from s2s.frontends.features.scores import Mean, Threshold
from s2s.frontends.features.spectrum import Spectrum
from s2s.frontends.features.step import PostStep, PreStep, Step
from s2s.frontends.features.suppression import Nms
from s2s.frontends.features.yuv import Nv12, Yuyv

S = TypeVar("S", bound=Step)

PRE: Mapping[str, type[PreStep]] = {
    step.name: step
    for step in (
        Spectrum,
        LogMel,
        Mfcc,
        MicroFrontend,
        Resize,
        Crop,
        Normalise,
        Grey,
        Rgb565,
        Yuyv,
        Nv12,
        ChannelsFirst,
    )
}
POST: Mapping[str, type[PostStep]] = {step.name: step for step in (Softmax, Argmax, TopK, Labels, Mean, Threshold, Nms)}


def pre_step(text: str) -> "tuple[str | None, PreStep]":
    """Return the input and the step that `--pre` names."""
    return _placed("--pre", text, PRE)


def post_step(text: str) -> "tuple[str | None, PostStep]":
    """Return the output and the step that `--post` names."""
    return _placed("--post", text, POST)


def _placed(option: str, text: str, steps: Mapping[str, type[S]]) -> tuple[str | None, S]:
    head, _, parameters = text.partition(":")
    port, equals, name = head.rpartition("=")
    if name not in steps:  # the name of a port may have a colon
        port, equals, rest = text.partition("=")
        name, _, parameters = rest.partition(":")
    if name not in steps or (equals and not port):
        raise InputError(
            f"{option} {text}: is no step; write [PORT=]NAME[:PARAMETER=VALUE,…] with one of {', '.join(steps)}"
        )
    step = steps[name](**read(steps[name], f"{option} {text}", parameters))
    step.check()
    return port if equals else None, step


def rate_of(name: str, count: int, steps: Sequence[str]) -> int | None:
    """Return the samples in a second that the steps before an input state, if one does; the network has `count`
    inputs."""
    placed = map(pre_step, steps)
    rates = [getattr(step, "rate", None) for port, step in placed if port == name or (port is None and count == 1)]
    return next((rate for rate in rates if rate is not None), None)
