"""Packs of retrained weights: which changes of 20 networks a firmware takes, and what it computes with them.

    python -m benchmarks.packs [NETWORK ...]

Each network is compiled once with `--weights pack`; then its model is changed as training does: other weights, other
scales of weights, channels that died, other scales and zero points of activations. `s2s pack` makes a pack for the tree
of the first model, or refuses. What it makes must be bound, and the tree has to compute with it the bits that the
new model computes when it is compiled for itself. Where it refuses, the tree must refuse the new model's own pack.
Exits with 1 if anything else happens, or if a change is refused that every tree takes (`TAKEN`).
"""

import argparse
import importlib
import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from benchmarks.models import MLPERF_TINY
from benchmarks.networks.builder import Network
from benchmarks.steps import lstm
from s2s import api
from s2s.emit.files import Tree
from s2s.errors import InputError, S2SError
from s2s.report.new_weights import pack_for
from s2s.testing.decoders import Config, make_model, states
from s2s.types.dtypes import Array
from s2s.verify.build import load

tflite: Any = importlib.import_module("tflite")
Change = Callable[[Any, np.random.Generator], None]
DECODER = Config(layers=1, width=32, hidden=48, vocabulary=64, bits=8)
DIGITS = Path(__file__).parents[1] / "examples" / "digits" / "digits.onnx"


def _dense(seed: int) -> onnx.ModelProto:
    """A chain of dense layers, of which the sizes follow from the seed."""
    net, rng = Network(f"dense{seed}"), np.random.default_rng(seed)
    sizes = [int(each) for each in rng.integers(4, 40, 4)]
    value = net.input(1, sizes[0])
    for before, after in itertools.pairwise(sizes):
        value = net.op("Relu", net.op("MatMul", value, net.weights(before, after, fan=before)))
    return net.model(value)


NETWORKS: Mapping[str, Callable[[], Any]] = {
    **{path.stem: (lambda path=path: path) for path in sorted(MLPERF_TINY.glob("*.tflite"))},
    "digits": lambda: DIGITS,
    "lstm": lstm,
    "decoder": lambda: make_model(DECODER),
    **{f"dense{seed}": (lambda seed=seed: _dense(seed)) for seed in range(8)},
}


def _constants(model: Any) -> list[tuple[Any, Array]]:
    """The tensors of a model that hold weights or biases, with a view of their values."""
    graph, constants = model.Subgraphs(0), list[tuple[Any, Array]]()
    dtypes = {tflite.TensorType.INT8: np.int8, tflite.TensorType.INT32: np.int32, tflite.TensorType.FLOAT32: np.float32}
    for number in range(graph.TensorsLength()):
        tensor = graph.Tensors(number)
        data, quantisation = model.Buffers(tensor.Buffer()), tensor.Quantization()
        dtype = dtypes.get(tensor.Type())
        is_number = tensor.Type() == tflite.TensorType.FLOAT32 or (
            quantisation is not None and quantisation.ScaleLength()
        )
        if data.DataLength() and dtype is not None and is_number:
            constants.append((tensor, data.DataAsNumpy().view(dtype)))
    return constants


def _train(values: Array, rng: np.random.Generator) -> None:
    """Change values as a few steps of training do."""
    if values.dtype == np.int8:
        values[...] = np.clip(values.astype(int) + rng.integers(-3, 4, values.shape), -127, 127)
    elif values.dtype == np.int32:
        values[...] += rng.integers(-20, 21, values.shape, dtype=np.int32)
    else:
        values *= (1 + 0.05 * rng.standard_normal(values.shape)).astype(values.dtype)


def weights(model: Any, rng: np.random.Generator) -> None:
    """Other weights and biases."""
    for values in _arrays(model):
        _train(values, rng)


def died(model: Any, rng: np.random.Generator) -> None:
    """Weights of a quarter of all numbers are zero, in whole runs: channels that died."""
    for values in _arrays(model):
        if values.dtype != np.int32:
            values[: values.size // 4] = 0


def _arrays(model: Any) -> list[Array]:
    if isinstance(model, tflite.Model):
        return [values for _, values in _constants(model)]
    return [array for array in model.values() if array.dtype.kind == "f" and array.size > 1]


def weight_scales(model: Any, rng: np.random.Generator) -> None:
    """Other scales of weights, and of the biases that go with them."""
    graph = model.Subgraphs(0)
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        if operator.InputsLength() != 3:
            continue
        _, weight, bias = (graph.Tensors(index) for index in operator.InputsAsNumpy())
        if not weight.Quantization().ScaleLength() or not model.Buffers(weight.Buffer()).DataLength():
            continue
        count: int = weight.Quantization().ScaleLength()
        factors = rng.uniform(0.95, 1.05, count).astype(np.float32)
        for tensor in (weight, bias):
            tensor.Quantization().ScaleAsNumpy()[...] *= factors[: tensor.Quantization().ScaleLength()]


def score_scales(model: Any, rng: np.random.Generator) -> None:
    """Another scale of the scores that a softmax takes, which its table of exponentials follows."""
    graph = model.Subgraphs(0)
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        code = model.OperatorCodes(operator.OpcodeIndex())
        if tflite.BuiltinOperator.SOFTMAX in (code.BuiltinCode(), code.DeprecatedBuiltinCode()):
            graph.Tensors(operator.Inputs(0)).Quantization().ScaleAsNumpy()[...] *= np.float32(1.07)


def zero_points(model: Any, rng: np.random.Generator) -> None:
    """Other zero points of activations inside of the network, except behind ReLUs, where they are limits."""
    _move(model, lambda point: point != LOWEST)


def limits(model: Any, rng: np.random.Generator) -> None:
    """Other zero points behind ReLUs, which then have other lower limits."""
    _move(model, lambda point: point == LOWEST)


def ports(model: Any, rng: np.random.Generator) -> None:
    """Another zero point of the network's input, which the application quantises with."""
    graph = model.Subgraphs(0)
    point = graph.Tensors(graph.Inputs(0)).Quantization().ZeroPointAsNumpy()
    point[...] = _moved(point, 1)


def _move(model: Any, is_moved: Callable[[int], bool]) -> None:
    """Move zero points of activations inside of the network; results of pools keep the ones of their inputs."""
    graph = model.Subgraphs(0)
    outputs, followers = set(graph.OutputsAsNumpy()), list[tuple[Any, Any]]()
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        tensor = graph.Tensors(operator.Outputs(0))
        before, after = (value.Quantization() for value in (graph.Tensors(operator.Inputs(0)), tensor))
        if tensor.Type() != tflite.TensorType.INT8 or not after.ScaleLength() or not before.ScaleLength():
            continue
        if before.Scale(0) == after.Scale(0) and before.ZeroPoint(0) == after.ZeroPoint(0):
            followers.append((before.ZeroPointAsNumpy(), after.ZeroPointAsNumpy()))
        elif operator.Outputs(0) not in outputs and is_moved(after.ZeroPoint(0)):
            followers.append((_moved(after.ZeroPointAsNumpy(), 1 + number % 5), after.ZeroPointAsNumpy()))
    for point, moved in followers:
        moved[...] = point


def _moved(point: Array, step: int) -> Array:
    """Return a zero point that is `step` nearer to 0, but not 0."""
    return np.where(point > 0, np.maximum(point - step, 1), np.minimum(point + step, -1))


CHANGES: Sequence[tuple[Change, bool]] = (
    (weights, False),
    (died, False),
    (weight_scales, True),
    (score_scales, True),
    (zero_points, True),
    (limits, True),
    (ports, True),
)
"""Each change, and whether it is for quantised networks only."""
TAKEN = (weights, died, score_scales, zero_points)
"""The changes that a tree takes of every network; the others are taken, or refused rightly."""
LOWEST = -128
"""The zero point of numbers that are not negative."""


def changed(source: Any, change: Change, seed: int, folder: Path) -> Path:
    """Write the changed model to a file."""
    rng = np.random.default_rng(seed)
    if isinstance(source, Path) and source.suffix == ".tflite":
        data = bytearray(source.read_bytes())
        change(tflite.Model.GetRootAs(data, 0), rng)
        path = folder / f"{source.stem}_{change.__name__}.tflite"
        path.write_bytes(data)
        return path
    model = onnx.load_model_from_string(source.read_bytes()) if isinstance(source, Path) else source
    arrays = {
        initializer.name: onnx.numpy_helper.to_array(initializer).copy() for initializer in model.graph.initializer
    }
    flat = {name: array.reshape(-1) for name, array in arrays.items()}
    change(flat, rng)
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for initializer in new.graph.initializer:
        initializer.CopyFrom(
            onnx.numpy_helper.from_array(
                flat[initializer.name].reshape(arrays[initializer.name].shape), initializer.name
            )
        )
    path = folder / f"changed_{change.__name__}.onnx"
    path.write_bytes(new.SerializeToString())
    return path


def run(tree: Tree | Path, pack: bytes | None = None) -> list[Array]:
    """What a tree computes of random inputs; with another pack than its own if one is inputs."""
    rng: Any = np.random.default_rng(1)
    with load(tree) as network:
        if pack is not None:
            network.bind_weights(pack)
        runner = network.stream() if network.interface.states else network
        inputs = {
            port.name: rng.integers(0, 4, port.shape).astype(port.dtype)
            if port.dtype.kind in "iu"
            else rng.standard_normal(port.shape).astype(port.dtype)
            for port in network.inputs
        }
        return list(runner.run(inputs).values())


def _check(name: str, tree: Tree, options: Mapping[str, Any], model: Path, change: Change) -> bool:
    """Make a pack of a changed model, print what happens, and return whether it is right."""
    every: dict[str, Any] = {**options, "name": tree.record["name"]}
    packed_too: dict[str, Any] = {**every, "weights": "pack"}
    with (
        api.compile(model, **every) as alone,
        api.compile(model, **packed_too) as packed,
    ):
        try:
            pack = pack_for(tree, model)
        except S2SError as error:
            their = packed.tree()
            content = their.files[their.record["pack"]["file"]]
            try:
                run(tree, b"".join(content if not isinstance(content, bytes) else [content]))
                right = False
            except InputError as refusal:
                right = "status -2" in str(refusal)
            print(
                f"{name:<26}{change.__name__:<15}refused{'' if right else ' WRONGLY'}: {str(error)[:200]}", flush=True
            )
            return right and change not in TAKEN
        expected, outputs = run(alone.tree()), run(tree, pack)
    same = all(np.array_equal(mine, theirs, equal_nan=True) for mine, theirs in zip(outputs, expected, strict=True))
    close = all(np.allclose(mine, theirs, rtol=1e-4, atol=1e-5) for mine, theirs in zip(outputs, expected, strict=True))
    word = "equal bits" if same else "equal but for roundings" if close else "OTHER RESULTS"
    print(f"{name:<26}{change.__name__:<15}accepted, {word}", flush=True)
    return close


def main() -> None:
    """Change, pack and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("networks", nargs="*", default=list(NETWORKS), metavar="NETWORK")
    parser.add_argument("--target", default="c")
    arguments = parser.parse_args()
    good, count = True, 0
    for name in arguments.networks:
        with tempfile.TemporaryDirectory() as written:
            folder, source = Path(written), NETWORKS[name]()
            options: dict[str, Any] = {
                "target": arguments.target,
                "states": states(DECODER) if name == "decoder" else None,
            }
            packed: dict[str, Any] = {**options, "weights": "pack"}
            with api.compile(source, **packed) as artifact:
                tree = artifact.tree().write(folder / "tree")
            is_quantised = "int8" in name or "quant" in name
            for change, of_bytes in CHANGES:
                if is_quantised or not of_bytes:
                    good &= _check(name, tree, options, changed(source, change, count, folder), change)
                    count += 1
    print(f"{count} changes of {len(arguments.networks)} networks, {'all right' if good else 'NOT all right'}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
