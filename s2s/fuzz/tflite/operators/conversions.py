"""Conversions between element types and quantisations."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.network import Rejected
from s2s.fuzz.tflite.network import Network, Value

_QUANTIZED_TO: Mapping[str, tuple[str, ...]] = {
    "FLOAT32": ("INT8", "INT16", "UINT8"),
    "INT8": ("INT8", "INT8", "INT16", "UINT8"),
    "INT16": ("INT8", "INT16"),
    "UINT8": ("INT8", "UINT8"),
}
_CAST_TO = ("FLOAT32", "INT32", "INT8", "INT16")


def _quantize(net: Network) -> None:
    x = net.any(net.kind(*_QUANTIZED_TO), shifted=True)
    kind = net.random.choice(_QUANTIZED_TO[x.kind])
    net.add("QUANTIZE", [x], [net.result(kind, x.shape, net.near(kind, x.reach))])


def _dequantize(net: Network) -> None:
    x = net.any(net.kind("INT8", "INT16", "UINT8"), shifted=True)
    net.add("DEQUANTIZE", [x], [net.result("FLOAT32", x.shape)])


def _cast(net: Network) -> None:
    """To a type that holds all the numbers: other results are not defined."""

    def fits(value: Value) -> bool:
        return value.quant is None

    x = net.any(net.kind("FLOAT32", "INT32", "BOOL"), wanted=fits)
    kind = net.random.choice([each for each in _CAST_TO if each != x.kind])
    if kind in ("INT8", "INT16") and float(np.abs(x.array.astype(np.float64)).max(initial=0)) > 120:
        raise Rejected("the numbers are too large for the type")
    net.add("CAST", [x], [net.result(kind, x.shape, net.quant(kind))])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "CAST": _cast,
    "DEQUANTIZE": _dequantize,
    "QUANTIZE": _quantize,
}
