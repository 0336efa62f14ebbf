"""`nms`: the boxes of a detector that overlap little."""

from collections.abc import Mapping
from math import prod
from typing import ClassVar, Literal

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.features.step import F32, I32, PostStep, Results, States, as_array
from s2s.frontends.formulas import cast, reshape, transpose
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class Nms(PostStep):
    """The numbers of the boxes that each class takes, the best first, and -1 behind the last one: `[classes, most]`.

    A class takes boxes in the order of their scores, as long as these are above `least`, and leaves out those whose
    intersection over union with one that it has taken is above `overlap`.
    """

    name: ClassVar[str] = "nms"
    boxes: str
    """The output with the boxes, `[n, 4]`: two opposite corners, or centre and size."""
    most: int = 10
    overlap: float = 0.5
    least: float = 0.0
    form: Literal["corners", "centre"] = "corners"
    classes: Literal["last", "first"] = "last"
    """Whether the scores are `[n, classes]` or `[classes, n]`."""

    def check(self) -> None:
        if self.most < 1 or not 0 <= self.overlap <= 1:
            raise self.invalid(f"takes {self.most} boxes up to overlap {self.overlap:g}", "give 1 or more, and 0 to 1")

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        if self.boxes not in outputs:
            raise self.invalid(f"there is no output {self.boxes!r}", f"give boxes= of {', '.join(outputs)}")
        boxes = outputs[self.boxes]
        count = prod(boxes.shape) // 4
        if boxes.shape[-1:] != (4,) or prod(x.shape) % count or prod(x.shape[:-2]) > 1:
            raise self.invalid(f"has boxes {list(boxes.shape)} and scores {list(x.shape)}", "give [n, 4], [n, classes]")
        classes = prod(x.shape) // count
        scores = reshape(x, [classes, count] if self.classes == "first" else [count, classes])
        scores = scores if self.classes == "first" else transpose(scores, [1, 0])
        limits = [x.builder.constant(as_array(limit)) for limit in (self.overlap, self.least)]
        chosen = emit(
            graph.NonMaxSuppressionOp,
            reshape(cast(boxes, F32), [1, count, 4]),
            reshape(scores, [1, classes, count]),
            *limits,
            most=min(self.most, count),
            is_centered=self.form == "centre",
        )
        return Results({"chosen": reshape(cast(chosen, I32), chosen.shape[1:])}, replaced=False)
