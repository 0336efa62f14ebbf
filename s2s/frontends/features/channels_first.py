"""`channels-first`: the channels of an image in front of its rows, as networks of PyTorch and ONNX want them."""

from typing import ClassVar

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.features.images import CHANNELS
from s2s.frontends.features.step import U8, PreStep, Shape, States
from s2s.frontends.formulas import reshape, transpose
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class ChannelsFirst(PreStep):
    """`[channels, height, width]` of an image `[height, width, channels]`."""

    name: ClassVar[str] = "channels-first"
    dtype: ClassVar[np.dtype[np.generic]] = U8

    def taken(self, wanted: Shape) -> Shape:
        shape = wanted[1:] if len(wanted) == 4 and wanted[0] == 1 else wanted
        if len(shape) != 3 or shape[0] not in CHANNELS:
            raise self.invalid(f"gives [channels, height, width], and {list(wanted)} is wanted", "leave it out")
        return (*shape[1:], shape[0])

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        return transpose(reshape(x, self.taken(wanted)), [2, 0, 1])
