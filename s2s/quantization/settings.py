"""How a network is quantised."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from s2s.data.sets import SamplesSource, read_samples
from s2s.data.specs import InputSpec, Labels, Samples
from s2s.errors import InputError
from s2s.quantization.accuracy import require_labels
from s2s.quantization.metrics import Function, Metric
from s2s.quantization.metrics import metric as named_metric
from s2s.quantization.ranges import Method
from s2s.support.frozen import frozen

if TYPE_CHECKING:
    from s2s.frontends.features.step import PreStep

PortType = Literal["float", "int8"]
Activations = Literal["int8", "int16"]


class Data(NamedTuple):
    """Samples for calibration, and the ones whose classes are compared, if any have classes."""

    samples: Samples
    classified: Samples | None


@frozen
class Settings:
    """The arguments of `s2s.quantize`."""

    method: Method
    refine: bool
    labels: str | None
    test: SamplesSource | None
    integer_ports: bool
    shapes: Mapping[str, tuple[int, ...]]
    pre: tuple[str, ...] = ()
    metric: Metric | None = None
    activations: Activations = "int8"

    def data(self, source: SamplesSource, inputs: Sequence[InputSpec]) -> Data:
        """Read the samples, and put them through the steps before the network."""
        if not self.pre:
            return self._data(source, inputs)
        from s2s.quantization.steps import Steps

        steps = Steps(inputs, self.pre)
        raw = self._data(source, steps.inputs)
        samples = steps.through(raw.samples)
        if raw.classified is None or raw.classified is raw.samples:
            return Data(samples, raw.classified and samples)
        return Data(samples, steps.through(raw.classified))

    def _data(self, source: SamplesSource, inputs: Sequence[InputSpec]) -> Data:
        labels = None if self.labels is None else Labels(self.labels, required=self.test is None)
        samples = read_samples(source, inputs, labels)
        if self.test is None:
            return Data(samples, samples if samples.labels is not None else None)
        tested = read_samples(self.test, inputs, None if self.labels is None else Labels(self.labels))
        require_labels(tested, "--test")
        return Data(samples, tested)


def settings_of(
    *,
    method: Method = "minmax",
    refine: bool = True,
    labels: str | None = None,
    test: SamplesSource | None = None,
    pre: "Sequence[PreStep | str]" = (),
    metric: "str | Function" = "accuracy",
    ports: PortType = "float",
    activations: Activations = "int8",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Settings:
    """Return the settings that arguments of `s2s.quantize` state."""
    chosen = named_metric(metric) if isinstance(metric, str) else Metric(getattr(metric, "__name__", "metric"), metric)
    if activations == "int16" and ports == "int8":
        raise InputError("--ports int8: activations have 16 bits (--activations int16); leave one of both out")
    steps = tuple(map(str, pre))
    return Settings(method, refine, labels, test, ports == "int8", shapes or {}, steps, chosen, activations)
