"""Quantise a network such that it fits a device: `s2s quantize --flash 200KiB --time 5M --min-accuracy 0.9`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from s2s.data.sets import SamplesSource
from s2s.errors import InputError
from s2s.frontends.formats import ModelSource, load_model
from s2s.frontends.onnx import LoadedModel
from s2s.mixed.front import Front, Picked
from s2s.mixed.prices import Builder, board_of
from s2s.mixed.search import Bounds
from s2s.options import CompileOptions
from s2s.options.values import Requantise
from s2s.quantization.accuracy import require_labels
from s2s.quantization.metrics import Function
from s2s.quantization.onnx_work import OnnxWork
from s2s.quantization.ranges import Method
from s2s.quantization.result import Quantized
from s2s.quantization.settings import Settings, settings_of
from s2s.quantization.widths import OPSET
from s2s.support.extras import require_extra
from s2s.targets import Target

if TYPE_CHECKING:
    from s2s.frontends.features.step import PreStep


class Fitted(NamedTuple):
    """A quantised network with widths that fit a device."""

    quantized: Quantized
    picked: Picked


def quantize_within(
    model: ModelSource,
    samples: SamplesSource,
    *,
    flash: int | None = None,
    ram: int | None = None,
    time: int | None = None,
    min_accuracy: float | None = None,
    target: str | Target = "cortex-m4",
    requantise: Requantise = "float",
    method: Method = "minmax",
    refine: bool = True,
    labels: str | None = None,
    test: SamplesSource | None = None,
    pre: "Sequence[PreStep | str]" = (),
    metric: "str | Function" = "accuracy",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Fitted:
    """Quantise an ONNX model to the widths with the least loss that fit a device with the core `target`.

    `flash` and `ram` are in bytes, `time` in cycles by the model of the core. `min_accuracy` is the least `metric` on
    samples with classes; where it is the only bound, the smallest such network is taken. Prices are measured in builds
    that run on the emulated board of the core. All other arguments are those of `quantize` and `compile`. The result is
    `(quantized, picked)`: what `quantize` gives, and the choices with their prices. Raises `InputError` where no widths
    keep the bounds.
    """
    settings = settings_of(
        method=method, refine=refine, labels=labels, test=test, pre=pre, metric=metric, shapes=shapes
    )
    options = CompileOptions(target=target, requantise=requantise)
    return fitted(model, samples, settings, options, Bounds(flash, ram, time), min_accuracy)


def fitted(
    model: ModelSource,
    samples: SamplesSource,
    settings: Settings,
    options: CompileOptions,
    bounds: Bounds,
    least_metric: float | None = None,
) -> Fitted:
    """Quantise an ONNX model to the widths with the least loss within bounds, on the target of `options`. With
    `least_metric` the metric of `settings` is at least that on samples of known classes; where it is the only bound,
    the smallest such network is taken."""
    require_extra("verify", "quantisation")
    require_extra("mixed", "--flash, --ram, --time, --min-accuracy")
    board_of(options.target)
    if settings.activations != "int8":
        raise InputError("--activations int16: widths are chosen for activations of 8 bits; leave one of both out")
    loaded = load_model(model)
    if not isinstance(loaded, LoadedModel):
        raise InputError(f"{loaded.label}: widths are chosen for ONNX models; export it with torch.onnx.export")
    work = OnnxWork(loaded, samples, settings, OPSET)
    if least_metric is not None:
        require_labels(work.classified or work.samples, "--min-accuracy")
    first = next(iter(work.samples))
    picked = Front(work, Builder(options, first)).pick(bounds, least_metric)
    narrow = picked.point.narrow
    steps = (f"weights of 4 bits in {len(narrow)} layer{'s' if len(narrow) > 1 else ''}",) if narrow else ()
    return Fitted(work.result(picked.model, steps), picked)
