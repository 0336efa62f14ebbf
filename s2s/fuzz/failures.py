"""The failures of a model, checked as its variant says: as it is, in a tree of several networks, at several
sizes, or run on new frames."""

from collections.abc import Mapping
from typing import cast

from s2s.fuzz.check import Failure, check
from s2s.fuzz.joined import check_joined
from s2s.fuzz.model import FuzzModel
from s2s.fuzz.onnx_model import OnnxModel
from s2s.fuzz.sizes import check_at_sizes
from s2s.fuzz.spread import Spread
from s2s.fuzz.streams.check import check_stream
from s2s.fuzz.variants import Variant
from s2s.types.dtypes import Array


def failures_of(
    model: FuzzModel, inputs: Mapping[str, Array], expected: Mapping[str, Spread], variant: Variant
) -> list[Failure]:
    """The failures of a model in one variant; sizes vary and windows slide in ONNX models only."""
    if variant.streams:
        return check_stream(cast(OnnxModel, model).proto, variant)
    if variant.sizes:
        return check_at_sizes(cast(OnnxModel, model).proto, inputs, variant)
    if variant.joined:
        return check_joined(model, inputs, expected, variant)
    return check(model, inputs, expected, variant)
