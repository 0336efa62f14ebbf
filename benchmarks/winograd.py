"""Time and rounding of 3x3 convolutions computed directly and by Winograd's algorithm.

    python -m benchmarks.winograd [floats] [bytes] [--rounds 5] [--cpu N]

`floats` compiles convolutions of floats for this machine in each of the forms that the compiler may choose among
(decision `algorithm`), and prints for each the time, its share of the direct sum's time, and the largest error against
sums in doubles, as part of the largest result: with 64 channels, and with 512 channels of even and of widely different
size. The row marked `*` is what the compiler chooses; `--exact` always takes `direct`.

`bytes` does so for the integer convolutions of ResNet-8, compiled for target `x86-64-v3`, whose results have to be
equal bit for bit: the exit code is 1 where they are not, or where an error of floats is above its limit.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.engines import relative_difference
from benchmarks.timing import Call, fastest, pin
from s2s import api
from s2s.decisions.algorithm import ALGORITHM, DIRECT
from s2s.types.dtypes import Array

LIMITS = {DIRECT: 4e-6, "winograd 2x2": 1.5e-6, "winograd 4x4": 7e-6}
"""The largest error of a form that is allowed, as part of the largest result."""
TO_LAST, TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
CHANNELS_OF_RESNET8 = ((16, 32), (32, 16), (64, 8))
"""Channels and side of the image of its convolutions."""


@dataclass(frozen=True)
class Case:
    """A convolution with as many outputs as inputs; `spread` scales channels by `exp(spread * normal)`."""

    channels: int
    side: int
    spread: float = 0.0

    def arrays(self) -> tuple[Array, Array]:
        """Image and weights."""
        rng = np.random.default_rng(7)
        scale = np.exp(self.spread * rng.standard_normal((self.channels, 1, 1)))
        x = (rng.standard_normal((1, self.channels, self.side, self.side)) * scale).astype(np.float32)
        w = (rng.standard_normal((self.channels, self.channels, 3, 3)) * 0.02).astype(np.float32)
        return x, w

    def save(self, path: Path) -> None:
        """Write the convolution as an ONNX model."""
        _, w = self.arrays()
        shape = [1, self.channels, self.side, self.side]
        node = helper.make_node("Conv", ["x", "w"], ["y"], "conv", pads=[1, 1, 1, 1])
        x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy")
        graph = helper.make_graph([node], "conv", [x], [y], [numpy_helper.from_array(w, "w")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        path.write_bytes(model.SerializeToString())

    def __str__(self) -> str:
        return f"{self.channels} channels, {self.side}x{self.side}{', wide range' if self.spread else ''}"


FLOATS = (Case(64, 56), Case(512, 14), Case(512, 14, spread=3.0))
BYTES = tuple(Case(channels, side) for channels, side in CHANNELS_OF_RESNET8)


@dataclass(frozen=True)
class Form:
    """A convolution compiled in one of its forms: seconds of a run, and what it computes."""

    name: str
    chosen: bool
    seconds: float
    result: Array


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="floats or bytes; both if none is named")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each form")
    parser.add_argument("--cpu", type=int, default=None, help="the processor to run on")
    options = parser.parse_args()
    pin(options.cpu)
    kinds = options.kinds or ["floats", "bytes"]
    if unknown := sorted({*kinds} - {"floats", "bytes"}):
        parser.error(f"{unknown[0]}: is neither floats nor bytes")
    print(f"{'convolution':<32}{'form':<16}{'µs':>10}{'of direct':>11}{'error':>10}")
    right = [*(floats(case, options.rounds) for case in FLOATS if "floats" in kinds)]
    right += [*(integers(case, options.rounds) for case in BYTES if "bytes" in kinds)]
    return 0 if all(right) else 1


def floats(case: Case, rounds: int) -> bool:
    """Print the forms of a convolution of floats; return whether their errors are within the limits."""
    x, w = case.arrays()
    expected = sums_in_doubles(x, w)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conv.onnx"
        case.save(path)
        put_channels_last(path)
        forms = measured(path, {"x": x.transpose(TO_LAST)}, rounds, target="host")
    errors = {form.name: relative_difference([expected], [form.result]) for form in forms}
    show(str(case), forms, errors)
    return all(error <= LIMITS[name] for name, error in errors.items())


def integers(case: Case, rounds: int) -> bool:
    """Print the forms of a convolution of 8-bit integers; return whether their results are equal bit for bit."""
    x, _ = case.arrays()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conv.onnx"
        case.save(path)
        api.quantize(path, {"x": x}, ports="int8").save(path)
        put_channels_last(path)
        data = np.random.default_rng(3).integers(-128, 128, x.transpose(TO_LAST).shape, np.int8)
        forms = measured(path, {"x": data}, rounds, target="x86-64-v3", requantise="fixed")
    direct = next(form.result for form in forms if form.name == DIRECT)
    differing = {form.name: float(np.count_nonzero(form.result != direct)) for form in forms}
    show(f"{case}, int8", forms, differing)
    return not any(differing.values())


def sums_in_doubles(x: Array, w: Array) -> Array:
    """The convolution of an image, padded by one, as sums in doubles."""
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("ncyxkl,ockl->nyxo", windows, w.astype(np.float64), optimize=True)


def put_channels_last(path: Path) -> None:
    """Give the input and the output of a model of one of each the layout in which images are stored: channels last.

    Inside of a network a convolution reads and writes that layout; alone it would be timed with two transpositions.
    """
    model = onnx.ModelProto.FromString(path.read_bytes())
    (given,), (result,) = model.graph.input, model.graph.output
    for port in (given, result):
        dims = port.type.tensor_type.shape.dim
        sizes = [dims[axis].dim_value for axis in TO_LAST]
        for dim, size in zip(dims, sizes, strict=True):
            dim.dim_value = size
    inner = {given.name: "first_in", result.name: "first_out"}
    for node in model.graph.node:
        node.input[:] = [inner.get(name, name) for name in node.input]
        node.output[:] = [inner.get(name, name) for name in node.output]
    model.graph.node.insert(0, helper.make_node("Transpose", [given.name], ["first_in"], perm=TO_FIRST))
    model.graph.node.append(helper.make_node("Transpose", ["first_out"], [result.name], perm=TO_LAST))
    path.write_bytes(model.SerializeToString())


def measured(path: Path, inputs: Mapping[str, Array], rounds: int, **options: Any) -> list[Form]:
    """Compile the convolution in each form that the compiler considers, and run these in turns."""
    chosen, names = considered(path, options)
    results: dict[str, Array] = {}
    calls: dict[str, Call] = {}
    for name, decisions in names:
        network = api.compile(path, decisions=decisions, **options).loaded()
        bound = network.bind(inputs)
        bound.call()
        results[name] = np.array(bound.outputs[0])
        calls[name] = bound.call
    seconds = fastest(calls, rounds, seconds=0.1)
    return [Form(name, name == chosen, seconds[name], results[name]) for name in calls]


def considered(path: Path, options: Mapping[str, Any]) -> tuple[str, list[tuple[str, Mapping[str, Any]]]]:
    """Return the form that the compiler chooses, and a file of decisions for each one that it considers."""
    written = api.compile(path, **options).decisions
    (decision,) = (each for each in written if each.kind == ALGORITHM)
    return decision.chosen, [*_asking(decision.subject, [each.note for each in decision.candidates])]


def _asking(subject: str, forms: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for form in forms:
        yield form, {"format": 1, "decisions": [{"kind": ALGORITHM, "subject": subject, "chosen": form}]}


def show(case: str, forms: list[Form], errors: Mapping[str, float]) -> None:
    """Print a row for each form."""
    direct = next(form.seconds for form in forms if form.name == DIRECT)
    for number, form in enumerate(forms):
        row = case if number == 0 else ""
        name = f"{form.name}{' *' if form.chosen else ''}"
        figures = f"{form.seconds * 1e6:10.1f}{form.seconds / direct:11.2f}{errors[form.name]:10.1e}"
        print(f"{row:<32}{name:<16}{figures}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
