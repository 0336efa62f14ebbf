"""A network of a demo, with samples."""

from collections.abc import Sequence
from typing import NamedTuple

from s2s.types.dtypes import Array


class Made(NamedTuple):
    """A network, with inputs that it has not seen."""

    model: bytes
    """An ONNX file."""
    samples: Array
    """Inputs, the first axis numbers them."""
    labels: Sequence[int]
    """The class of each."""


__all__ = ["Made"]
