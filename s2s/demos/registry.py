"""The demos by their names."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from s2s.demos.made import Made
from s2s.demos.networks import hums, keywords, persons, pictures


class Demo(NamedTuple):
    """A classifier to try."""

    name: str
    summary: str
    """Its task, and the data it comes from."""
    classes: tuple[str, ...]
    make: Callable[[], Made]
    pre: tuple[str, ...] = ()
    """The steps before the network."""


def demos() -> Mapping[str, Demo]:
    """Return the classifiers by name."""
    listed = (
        Demo(
            "kws",
            "spots four words in sound: tones that rise, fall, stay or jump, in noise",
            keywords.WORDS,
            keywords.make,
            keywords.PRE,
        ),
        Demo("vww", "tells whether a person, who is drawn, stands in a noisy picture", persons.CLASSES, persons.make),
        Demo("ad", "hears whether a machine, whose hum is made up, sounds strange", hums.CLASSES, hums.make),
        Demo("digits", "reads handwritten digits, from scikit-learn's", pictures.CLASSES, pictures.make),
    )
    return {demo.name: demo for demo in listed}


__all__ = ["Demo", "demos"]
