"""Read golden vectors: inputs and expected outputs in an .npz file of the user."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from s2s.c_syntax.interface import Port
from s2s.compilation import Compilation
from s2s.data.arrays import read_arrays
from s2s.errors import InputError
from s2s.stages.read import Read
from s2s.types.dtypes import Array, to_numpy

Vectors = Sequence[tuple[Sequence[Array], Sequence[Array]]]
"""Inputs and the outputs that belong to them, in the order of the network's ports."""

DOUBLE_ROUNDING = "_double_rounding"
"""The suffix of arrays with the outputs of fully connected layers that round twice, as TFLite-Micro does."""


def read_golden(path: Path, compilation: Compilation) -> Vectors:
    """The vectors of an .npz file: arrays by the names of inputs and outputs, or `x` and `y` for one of each."""
    arrays = read_arrays(path, f"--golden {path}")
    network = compilation.facts(Read)
    inputs = [_column(path, arrays, port, _input_keys(network, port)) for port in network.inputs]
    outputs = [_column(path, arrays, port, _output_keys(compilation, port)) for port in network.outputs]
    counts = {len(column) for column in (*inputs, *outputs)}
    if len(counts) != 1:
        raise InputError(f"--golden {path}: holds {sorted(counts)} sets of inputs and outputs; give as many of each")
    rows = range(counts.pop())
    return [([column[row] for column in inputs], [column[row] for column in outputs]) for row in rows]


def _input_keys(network: Read, port: Port) -> list[str]:
    return [port.name, *(["x"] if len(network.inputs) == 1 else [])]


def _output_keys(compilation: Compilation, port: Port) -> list[str]:
    keys = [port.name, *(["y"] if len(compilation.facts(Read).outputs) == 1 else [])]
    rounding = compilation.options.tflite_rounding
    return [*(key + DOUBLE_ROUNDING for key in keys), *keys] if rounding == "micro" else keys


def _column(path: Path, arrays: Mapping[str, Array], port: Port, keys: Sequence[str]) -> list[Array]:
    """One array for each vector, from the first of `keys` that the file has."""
    key = next((key for key in keys if key in arrays), None)
    if key is None:
        raise InputError(f"--golden {path}: holds no array {keys[-1]!r}; it holds {', '.join(arrays)}")
    array, dtype = arrays[key], to_numpy(port.element)
    count = len(array) if array.ndim else 0
    if array.dtype != dtype or array.size != count * port.count or not count:
        wanted = f"{dtype}[{', '.join(map(str, ('N', *port.shape)))}]"
        raise InputError(f"--golden {path}: {key} is {array.dtype}{list(array.shape)}, {wanted} wanted; convert it")
    return [row.reshape(port.shape) for row in array]
