"""How ONNX models are quantised, by onnxruntime's quantiser with models in memory, and run on samples."""
# The types of onnxruntime and onnx are partly unknown, and its reader may return None, whatever it says.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportIncompatibleMethodOverride=false

import contextlib
import io
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path

import onnx

from s2s.data.specs import Samples
from s2s.errors import InputError, ToolchainError
from s2s.quantization.channels import Channels, observed
from s2s.quantization.network import layers_of
from s2s.quantization.noise import least_ratio, tensor_values
from s2s.quantization.onnx_attention import drop_pairs_of_scores, masked_scores
from s2s.quantization.onnx_integers import Integers, drop_pairs_before_bounds
from s2s.quantization.onnx_network import OnnxNetwork
from s2s.quantization.ranges import Method, Range, Ranges
from s2s.quantization.recurrent import quantize_recurrent
from s2s.quantization.refine import MEASURED, spread_places
from s2s.quantization.settings import Activations
from s2s.support import progress
from s2s.support.logs import errors_only
from s2s.types.dtypes import Array


class OnnxFormat:
    """How ONNX models are quantised and run."""

    def __init__(self, samples: Samples, method: Method, activations: Activations = "int8") -> None:
        self._samples = samples
        self._measured = spread(samples, MEASURED)
        self._method: Method = method
        self._activations: Activations = activations
        self._expected: list[Mapping[str, Array]] = []
        """The outputs of floats on the samples that are measured on."""

    def copied(self, model: onnx.ModelProto) -> onnx.ModelProto:
        """A copy of a model."""
        copied = onnx.ModelProto()
        copied.CopyFrom(model)
        return copied

    copied_integers = copied

    def quantized(self, real: onnx.ModelProto) -> onnx.ModelProto:
        """The model in QDQ form."""
        quantized = _quantized(real, self._samples, self._activations)
        if self._activations == "int8":
            quantize_recurrent(real, quantized, self._samples)
        else:
            drop_pairs_before_bounds(quantized)
        _drop_unused_domains(quantized)
        if self._method != "minmax":
            self._replace_ranges(real, quantized)
        return quantized

    def _replace_ranges(self, real: onnx.ModelProto, quantized: onnx.ModelProto) -> None:
        """Give activations the ranges of the method in place of all values."""
        integers, layers = Integers(quantized), layers_of(OnnxNetwork(real))
        present, seen = self.ranges(real, quantized), Ranges(self._method)
        for values in tensor_values(real, list(present), self._samples):
            for name in present:
                seen.add(name, values[name])
        for name, chosen in seen.found().items():
            integers.set_range(name, chosen.inside(present[name]), layers)

    def network(self, real: onnx.ModelProto) -> OnnxNetwork:
        """The layers."""
        return OnnxNetwork(real)

    def integers(self, quantized: onnx.ModelProto) -> Integers:
        """The constants."""
        return Integers(quantized)

    def observed(self, real: onnx.ModelProto, spatial: Mapping[str, bool]) -> Channels:
        """What the channels of some tensors hold."""
        return observed(tensor_values(real, list(spatial), self._samples), spatial)

    def values(self, real: onnx.ModelProto, names: Sequence[str]) -> Iterator[Mapping[str, Array]]:
        """The values of some tensors in each of the samples that candidates are measured on."""
        return tensor_values(real, names, self._measured)

    def ranges(self, real: onnx.ModelProto, quantized: onnx.ModelProto) -> Mapping[str, Range]:
        """The ranges of activations that both models compute, by name; a recurrent layer has others when quantised."""
        known = {value.name for value in real.graph.input}.union(*(node.output for node in real.graph.node))
        return {name: range for name, range in Integers(quantized).ranges().items() if name in known}

    def with_range(
        self, real: onnx.ModelProto, quantized: onnx.ModelProto, tensor: str, chosen: Range
    ) -> onnx.ModelProto:
        """A copy in which an activation has another range."""
        model = self.copied(quantized)
        Integers(model).set_range(tensor, chosen, layers_of(OnnxNetwork(real)))
        return model

    def output_noise(self, real: onnx.ModelProto, quantized: onnx.ModelProto) -> float:
        """The least signal to noise ratio of an output, in decibel."""
        names = [value.name for value in real.graph.output]
        self._expected = self._expected or list(tensor_values(real, names, self._measured))
        runs = zip(self._expected, tensor_values(quantized, names, self._measured), strict=True)
        return least_ratio((name, x[name], y[name]) for x, y in runs for name in names)


def spread(samples: Samples, count: int) -> Samples:
    """Return at most `count` samples, evenly spread."""
    if samples.count <= count:
        return samples
    places = spread_places(samples.count, count)
    labels = None if samples.labels is None else [samples.labels[place] for place in places]
    return Samples({name: array[places] for name, array in samples.arrays.items()}, count, labels, samples.classes)


def _quantized(real: onnx.ModelProto, samples: Samples, activations: Activations) -> onnx.ModelProto:
    from onnxruntime import quantization as engine

    class Reader(engine.CalibrationDataReader):
        """Yields the samples one by one."""

        def __init__(self) -> None:
            self._left: Iterator[tuple[int, dict[str, Array]]] = iter(enumerate(samples, 1))

        def get_next(self) -> dict[str, Array] | None:
            number, sample = next(self._left, (0, None))
            if sample is not None:
                progress.step(f"calibrating: sample {number} of {samples.count}")
            return sample

    floats = masked_scores(real)
    with tempfile.TemporaryDirectory(prefix="s2s-quantize-") as folder, quietly("quantisation"):
        before, after = Path(folder) / "prepared.onnx", Path(folder) / "quantized.onnx"
        before.write_bytes(real.SerializeToString())
        engine.quantize_static(
            str(before),
            str(after),
            Reader(),
            quant_format=engine.QuantFormat.QDQ,
            per_channel=True,
            activation_type=engine.QuantType.QInt8 if activations == "int8" else engine.QuantType.QInt16,
            weight_type=engine.QuantType.QInt8,
            calibrate_method=engine.CalibrationMethod.MinMax,
            nodes_to_exclude=floats,
            extra_options={"ActivationSymmetric": activations == "int16"},
        )
        model = onnx.ModelProto.FromString(after.read_bytes())
    drop_pairs_of_scores(model, floats)
    return model


def _drop_unused_domains(model: onnx.ModelProto) -> None:
    """Import what nodes use; preparing a model adds every domain that onnxruntime knows."""
    used = {"", *(node.domain for node in model.graph.node)}
    kept = [entry for entry in model.opset_import if entry.domain in used]
    del model.opset_import[:]
    model.opset_import.extend(kept)


@contextlib.contextmanager
def quietly(place: str) -> Generator[None]:
    """Suppress the output of the quantiser, and convert its exceptions to ours."""
    try:
        with errors_only(), contextlib.redirect_stdout(io.StringIO()):
            yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise ToolchainError(
            f"{place}: onnxruntime cannot quantise this model ({error}); check it with onnx.checker, or quantise it "
            "elsewhere"
        ) from error
