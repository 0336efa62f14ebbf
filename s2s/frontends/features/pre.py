"""Steps before a network, for `s2s.compile(model, pre=[…])`."""

from s2s.frontends.features.channels_first import ChannelsFirst
from s2s.frontends.features.crop import Crop
from s2s.frontends.features.grey import Grey
from s2s.frontends.features.log_mel import LogMel
from s2s.frontends.features.mfcc import Mfcc
from s2s.frontends.features.micro_frontend import MicroFrontend
from s2s.frontends.features.normalise import Normalise
from s2s.frontends.features.parameters import Size
from s2s.frontends.features.resize import Resize
from s2s.frontends.features.rgb565 import Rgb565
from s2s.frontends.features.spectrum import Spectrum
from s2s.frontends.features.step import PreStep
from s2s.frontends.features.yuv import Nv12, Yuyv

__all__ = [
    "ChannelsFirst",
    "Crop",
    "Grey",
    "LogMel",
    "Mfcc",
    "MicroFrontend",
    "Normalise",
    "Nv12",
    "PreStep",
    "Resize",
    "Rgb565",
    "Size",
    "Spectrum",
    "Yuyv",
]
