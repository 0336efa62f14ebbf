"""`argmax`, `top-k`, `softmax` and `labels`: from scores to classes."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Value, emit
from s2s.frontends.features.step import I32, PostStep, Results, States
from s2s.frontends.formulas import cast
from s2s.frontends.order import largest
from s2s.support.frozen import frozen
from s2s.types.dtypes import from_numpy

MAX_BYTES = 1 << 20
"""The most bytes of a file of labels."""


@frozen(kw_only=True)
class Argmax(PostStep):
    """The number of the class with the largest score; the lowest one among equals."""

    name: ClassVar[str] = "argmax"
    takes_reals: ClassVar[bool] = False

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        self.require_classes(x)
        largest_class = emit(graph.ArgmaxOp, x, axis=x.rank - 1, keepdims=False, element_type=from_numpy(I32))
        return Results({"class": largest_class}, ("class",))


@frozen(kw_only=True)
class TopK(PostStep):
    """The numbers of the classes with the largest scores, the largest first, and these scores."""

    name: ClassVar[str] = "top-k"
    count: int = 5

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        self.require_classes(x)
        if not 1 <= self.count <= x.shape[-1]:
            raise self.invalid(f"takes {self.count} of {x.shape[-1]} classes", f"give count=1 to {x.shape[-1]}")
        scores, places = largest(x, self.count)
        return Results({"classes": cast(places, I32), "scores": scores}, ("classes",))


@frozen(kw_only=True)
class Softmax(PostStep):
    """Probabilities of scores: `exp(x) / sum(exp(x))` along the last axis."""

    name: ClassVar[str] = "softmax"

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        self.require_classes(x)
        axes = [x.rank - 1]
        powers = emit(graph.ExpOp, x - emit(graph.ReduceMaxOp, x, axes=axes, keepdims=True))
        return Results({"": powers / emit(graph.ReduceSumOp, powers, axes=axes, keepdims=True)})


@frozen(kw_only=True)
class Labels(PostStep):
    """The names of the classes that an output numbers: the header lists them, and `s2s run` shows them."""

    name: ClassVar[str] = "labels"
    takes_reals: ClassVar[bool] = False
    names: tuple[str, ...] = ()
    """The names in order: `yes/no/silence`."""
    file: str | None = None
    """A file with a name a line."""

    def check(self) -> None:
        if bool(self.names) == (self.file is not None):
            raise self.invalid("has no names, or two lists of them", "give names=yes/no, or file=labels.txt")

    def texts(self) -> tuple[str, ...]:
        """Return the names."""
        if self.file is None:
            return self.names
        try:
            with Path(self.file).open("rb") as opened:
                text = opened.read(MAX_BYTES + 1)
            names = text.decode("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
            raise self.invalid(f"cannot be read ({reason})", "give a text with a name a line") from None
        if not names or len(text) > MAX_BYTES:
            raise self.invalid(f"has {len(names)} names in {len(text)} bytes", "give a text with a name a line")
        return tuple(names)

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        raise InputError(f"--post {self}: names the numbers of classes; put --post argmax or top-k before it")
