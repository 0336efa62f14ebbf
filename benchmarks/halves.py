"""What elements of 16 and 8 bits cost: networks of float16 beside float32, and casts, on emulated boards and here.

    python -m benchmarks.halves [--boards m4 m33 m55] [--target host] [--rounds 3] [--at-most 2.0] [--cpu N]

Two convolutions and a dense layer, a chain of four operations, and casts of 1,000 elements: instructions on each board,
and microseconds here. `integers` is float16 with its conversions in integer arithmetic (`S2S_HALF_PORTABLE`).
Casts stand beside those of numpy. Exits with 1 if the convolutions of float16 take more than so many times the
instructions of those of float32 on a board, or more than so many times their time here.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

from benchmarks.networks.builder import Network, Value
from benchmarks.timing import fastest, pin
from s2s import api
from s2s.artifact import Artifact
from s2s.boards import Board, get_board
from s2s.data.samples import sample
from s2s.emit.read_tree import read_tree
from s2s.targets.flags import compile_flags
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.on_board import BoardBuild

INTEGERS = "S2S_HALF_PORTABLE"
ELEMENTS = 1000
"""Of a cast."""
CASTS: Mapping[str, type[np.generic]] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
}


class Halves(Network):
    """A network whose weights are numbers of float16."""

    def weights(self, *shape: int, fan: int) -> Value:
        """Random numbers that keep the scale of sums of `fan` terms."""
        return self.constant((self.rng.standard_normal(shape) * fan**-0.5).astype(np.float16))


def convolutions(net: Network, element: int) -> onnx.ModelProto:
    """Two convolutions of stride 2 with activations, their mean over the image, and a dense layer."""
    x = net.relu(net.conv(net.input(1, 3, 32, 32, element=element), 16, 3, stride=2))
    return net.model(net.classes(net.relu(net.conv(x, 32, 3, stride=2)), 10))


def chain() -> onnx.ModelProto:
    """Four operations, each of which rounds to float16."""
    net = Halves("chain")
    x = net.input(4, ELEMENTS, element=TensorProto.FLOAT16)
    square = net.op("Mul", x, x)
    return net.model(net.op("Sub", net.relu(net.add(square, x)), square))


def cast(source: str, target: str) -> onnx.ModelProto:
    """One cast between element types by their names in the text form of ONNX."""
    to = TensorProto.DataType.Value(target.upper())
    ports = f"({source}[{ELEMENTS}] x) => ({target}[{ELEMENTS}] y)"
    model = onnx.parser.parse_model(f'<ir_version: 12, opset_import: ["" : 24]> cast {ports} {{ y = Identity(x) }}')
    del model.graph.node[:]
    model.graph.node.append(helper.make_node("Cast", ["x"], ["y"], to=to))
    return model


def networks() -> Iterator[tuple[str, onnx.ModelProto, bool]]:
    """Each with its name, and whether its conversions are computed in integers."""
    yield "convolutions float32", convolutions(Network("net"), TensorProto.FLOAT), False
    yield "convolutions float16", convolutions(Halves("net"), TensorProto.FLOAT16), False
    yield "convolutions integers", convolutions(Halves("net"), TensorProto.FLOAT16), True
    yield "chain float16", chain(), False
    yield "chain integers", chain(), True
    for name in CASTS:
        yield f"{name} to float", cast(name, "float"), False
        yield f"float to {name}", cast("float", name), False


def board(name: str) -> Board:
    """An emulated board. A Cortex-M33 has the instructions of an M55 but the vectors, and runs on its board."""
    return replace(get_board("qemu:m55" if name == "m33" else f"qemu:{name}"), target=f"cortex-{name}")


def instructions(model: onnx.ModelProto, name: str, *, integers: bool) -> int:
    """The instructions of a run on a board."""
    artifact = api.compile(model, target=f"cortex-{name}")
    with tempfile.TemporaryDirectory() as folder:
        tree = artifact.write(Path(folder) / "tree")
        config = tree / "runtime/include/s2s_config.h"
        if integers:
            config.write_text(f"#define {INTEGERS}\n{config.read_text()}")
        build = BoardBuild(read_tree(tree), board(name))
        try:
            return max(build.run([list(inputs(artifact).values())], layers=False).instructions)
        finally:
            build.close()


def inputs(artifact: Artifact) -> dict[str, Array]:
    """Made-up numbers."""
    return {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in artifact.info.inputs}


def seconds(model: onnx.ModelProto, target: str, rounds: int, *, integers: bool) -> float:
    """The time of a run on this machine."""
    with api.compile(model, target=target) as artifact:
        flags = [*compile_flags(artifact.info.target), *([f"-D{INTEGERS}"] if integers else [])]
        bound = artifact.loaded(flags=flags).bind(inputs(artifact))
        return fastest({"ours": bound.call}, rounds)["ours"]


def seconds_of_numpy(name: str, rounds: int) -> float | None:
    """The time of the same cast in numpy; None for what is no cast."""
    source, _, target = name.partition(" to ")
    types = {**CASTS, "float": np.float32}
    if not target:
        return None
    x, to = np.linspace(0.1, 2, ELEMENTS).astype(types[source]), types[target]
    return fastest({"numpy": partial(x.astype, to)}, rounds)["numpy"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--boards", nargs="*", default=["m4", "m33", "m55"])
    parser.add_argument("--target", default="host")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-most", type=float, default=2.0, help="float16 over float32")
    parser.add_argument("--cpu", type=int)
    arguments = parser.parse_args()
    pin(arguments.cpu)
    figures: dict[str, list[float]] = {}
    print(f"{'':<24}" + "".join(f"{name:>12}" for name in [*arguments.boards, "µs", "numpy µs"]))
    for name, model, integers in networks():
        counts = [instructions(model, each, integers=integers) for each in arguments.boards]
        own = seconds(model, arguments.target, arguments.rounds, integers=integers)
        numpys = seconds_of_numpy(name, arguments.rounds)
        figures[name] = [*counts, own]
        beside = "" if numpys is None else f"{1e6 * numpys:12.2f}"
        print(f"{name:<24}" + "".join(f"{count:12,}" for count in counts) + f"{1e6 * own:12.2f}{beside}", flush=True)
    pairs = zip(figures["convolutions float16"], figures["convolutions float32"], strict=True)
    raise SystemExit(0 if all(half <= arguments.at_most * single for half, single in pairs) else 1)


if __name__ == "__main__":
    main()
