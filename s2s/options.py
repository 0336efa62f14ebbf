"""What the user chooses about one compilation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from s2s.pass_manager import DebugOptions

Executor = Literal["aot", "graph"]
Requantise = Literal["float", "fixed"]
Schedule = Literal["default", "reference"]
TfliteRounding = Literal["micro", "reference"]
WeightForm = Literal["auto", "arrays", "incbin"]


@dataclass(frozen=True)
class CompileOptions:
    """Options of `s2s.compile`; every one has a flag of `s2s compile`."""

    target: str = "host"
    executor: Executor = "aot"
    name: str | None = None
    """Name of the network in C; by default the model's file name."""
    weights: WeightForm = "auto"
    """Weights as C arrays, as one binary file beside the C, or by size."""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """Shapes of inputs that the model leaves open."""
    schedule: Schedule = "default"
    """`reference`: one plain loop nest for each operator, nothing fused, nothing tiled."""
    tflite_rounding: TfliteRounding = "micro"
    """Fully connected layers of TFLite models: `micro` rounds twice, as TFLite-Micro, `reference` once, as TFLite."""
    requantise: Requantise = "float"
    """Sums of quantised ONNX models become integers of 8 bits by a float factor, as the format says, or in `fixed`
    point, for devices without floats; some results then differ by one step of their quantisation."""
    debug: DebugOptions = field(default_factory=DebugOptions)
