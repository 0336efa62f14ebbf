"""Networks to try s2s with, each made in seconds without a download, and the project that runs one on samples."""

from collections.abc import Callable, Mapping, Sequence
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


class Demo(NamedTuple):
    """A classifier to try."""

    name: str
    summary: str
    """Its task, and the data it comes from."""
    classes: tuple[str, ...]
    make: Callable[[], Made]


def demos() -> Mapping[str, Demo]:
    """Return the classifiers by name."""
    from s2s.demos.networks import hums, keywords, persons, pictures

    listed = (
        Demo("kws", "spots four words: tones that rise, fall, stay or jump, in noise", keywords.WORDS, keywords.make),
        Demo("vww", "tells whether a person, who is drawn, stands in a noisy picture", persons.CLASSES, persons.make),
        Demo("ad", "hears whether a machine, whose hum is made up, sounds strange", hums.CLASSES, hums.make),
        Demo("digits", "reads handwritten digits, from scikit-learn's", pictures.CLASSES, pictures.make),
    )
    return {demo.name: demo for demo in listed}


NAMES = ("kws", "vww", "ad", "digits")
"""The names of the classifiers."""
CHAT = "chat"
"""The name of the language model."""

__all__ = ["CHAT", "NAMES", "Demo", "Made", "demos"]
