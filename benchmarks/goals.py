"""The goals of s2s on one core, as data: the largest ratio of its time to the time of other engines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.models import TINY
from benchmarks.timing import geometric_mean

Against = Literal["onnxruntime", "the best engine"]
How = Literal["each", "geometric mean"]

CONVOLUTIONS = ("resnet18", "resnet50", "squeezenet1_1")
MOBILE = ("mobilenet_v2", "efficientnet_lite0")
TRANSFORMERS = ("vit_tiny", "bert_tiny")
RECURRENT = ("lstm", "gru_kws")
SMALL = (*TINY, "mlp")
INT8 = tuple(f"{name}_int8" for name in TINY)
NETWORKS = (*CONVOLUTIONS, *MOBILE, *TRANSFORMERS, *RECURRENT, *SMALL, *INT8)
OPERATORS = (
    "op_conv3x3_56_64_64",
    "op_conv1x1_28_128_256",
    "op_dwconv3x3_112_32",
    "op_gemm_256",
    "op_gemm_512",
    "op_softmax_1000",
    "op_layernorm_128x256",
    "op_relu_16",
)
MODELS = (*NETWORKS, *OPERATORS)


@dataclass(frozen=True)
class Goal:
    """A bound on the ratios of some models."""

    what: str
    models: tuple[str, ...]
    against: Against
    at_most: float
    how: How = "each"


@dataclass(frozen=True)
class Outcome:
    """What was measured of a goal."""

    goal: Goal
    measured: float | None
    """The ratio that counts, None where a model was not measured."""
    note: str
    """The model that decides, or how many are missing."""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached, None where nobody knows."""
        return None if self.measured is None else self.measured <= self.goal.at_most


def _both(what: str, models: tuple[str, ...], ort: float, best: float) -> list[Goal]:
    return [Goal(what, models, "onnxruntime", ort), Goal(what, models, "the best engine", best)]


GOALS = (
    Goal("ResNet-18", ("resnet18",), "onnxruntime", 0.60),
    Goal("ResNet-50", ("resnet50",), "onnxruntime", 0.80),
    Goal("SqueezeNet", ("squeezenet1_1",), "onnxruntime", 0.80),
    Goal("ResNet-18, ResNet-50, SqueezeNet", CONVOLUTIONS, "the best engine", 0.85),
    *_both("MobileNetV2, EfficientNet-Lite0", MOBILE, 0.88, 1.00),
    *_both("ViT-tiny, BERT-tiny", TRANSFORMERS, 0.90, 1.00),
    *_both("LSTM, GRU", RECURRENT, 0.80, 0.80),
    *_both("MLPerf Tiny in float, MLP", SMALL, 0.90, 1.00),
    Goal("MLPerf Tiny in float, MLP", SMALL, "onnxruntime", 0.65, "geometric mean"),
    Goal("MLPerf Tiny in int8", INT8, "onnxruntime", 0.55, "geometric mean"),
    Goal("MLPerf Tiny in int8", INT8, "the best engine", 1.00),
    Goal("single operators", OPERATORS, "onnxruntime", 1.05),
    Goal("single operators", OPERATORS, "the best engine", 1.00, "geometric mean"),
    Goal("all networks", NETWORKS, "onnxruntime", 0.70, "geometric mean"),
)


def outcome(goal: Goal, ratios: Mapping[str, float]) -> Outcome:
    """Hold the measured `ratios`, by model, against a goal."""
    missing = [name for name in goal.models if name not in ratios]
    if missing:
        return Outcome(goal, None, f"{len(missing)} not measured" if len(goal.models) > 1 else "not measured")
    if goal.how == "geometric mean":
        return Outcome(goal, geometric_mean([ratios[name] for name in goal.models]), "")
    worst = max(goal.models, key=lambda name: ratios[name])
    return Outcome(goal, ratios[worst], worst if len(goal.models) > 1 else "")
