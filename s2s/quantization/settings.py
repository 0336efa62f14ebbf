"""How a network is quantised."""

from collections.abc import Mapping, Sequence

from s2s.quantization.accuracy import Labelled, labelled
from s2s.quantization.ranges import Method
from s2s.quantization.samples import InputSpec, Samples, SamplesSource, read_samples, without
from s2s.support.frozen import frozen


@frozen
class Settings:
    """The arguments of `s2s.quantize`."""

    method: Method
    refine: bool
    labels: str | None
    test: SamplesSource | None
    integer_ports: bool
    shapes: Mapping[str, tuple[int, ...]]

    def samples(self, source: SamplesSource, inputs: Sequence[InputSpec]) -> Samples:
        """Read the samples for calibration."""
        return read_samples(source if self.labels is None else without(source, self.labels), inputs)

    def labelled(self, source: SamplesSource, inputs: Sequence[InputSpec]) -> Labelled | None:
        """Read the samples of known classes, if there are any; `source` holds them if no others are given."""
        if self.labels is None:
            return None
        return labelled(source if self.test is None else self.test, self.labels, inputs)
