"""Write the caches of keys and values, in floats or quantised.

    past [heads, length, head], rows [heads, tokens, head] at their positions  ->  present

With `int8` the rows of a head at a position share a scale: `scale = max|row| / 127`, `q = round(row / scale)`. So a
cached number differs from the one that was put in by at most `max|row| / 254`, in float16 by `2^-11` of it, or `2^-25`
where it is below `2^-14`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from s2s.frontends.decoder.config import Config
from s2s.frontends.decoder.nodes import Nodes
from s2s.types.dtypes import Array

MAX_NUMBER = 127
"""The largest absolute value of a quantised number."""
MIN_SCALE = 1e-32
"""The scale of a row of zeros, by which can be divided."""
DTYPES = {"float32": np.float32, "float16": np.float16, "int8": np.int8}


class Cached(NamedTuple):
    """What a cache holds after a run: numbers `[heads, length, head]`, and the scale of each row if there are some."""

    numbers: str
    scales: str | None


class Port(NamedTuple):
    """A part of a cache: its name without `past_` or `present_`, the type and the width of a row."""

    name: str
    dtype: type[np.generic]
    columns: int


def ports(config: Config) -> Iterator[Port]:
    """The caches of all layers."""
    for layer in range(config.layers):
        for what in ("key", "value"):
            yield from _parts(config, f"{what}{layer}")


def _parts(config: Config, name: str) -> list[Port]:
    numbers = Port(name, DTYPES[config.cache], config.head)
    return [numbers, Port(f"{name}_scale", np.float32, 1)] if config.cache == "int8" else [numbers]


def write_cache(nodes: Nodes, config: Config, name: str, rows: str, places: str) -> Cached:
    """Put `rows` at `places`, `[1, tokens, 1]`, in the cache `name`."""
    if config.cache == "float32":
        return Cached(_put(nodes, config, _parts(config, name)[0], rows, places), None)
    if config.cache == "float16":
        narrow = nodes.node("Cast", rows, to=_onnx(np.float16))
        present = _put(nodes, config, _parts(config, name)[0], narrow, places)
        return Cached(nodes.node("Cast", present, to=_onnx(np.float32)), None)
    last, step = nodes.constant(np.array([-1])), nodes.constant(np.float32(1 / MAX_NUMBER))
    largest = nodes.node("ReduceMax", nodes.node("Abs", rows), last, keepdims=1)
    scales = nodes.node("Max", nodes.node("Mul", largest, step), nodes.constant(np.float32(MIN_SCALE)))
    q = nodes.node("Cast", nodes.node("Round", nodes.node("Div", rows, scales)), to=_onnx(np.int8))
    first, second = _parts(config, name)
    present = nodes.node("Cast", _put(nodes, config, first, q, places), to=_onnx(np.float32))
    return Cached(present, _put(nodes, config, second, scales, places))


def _put(nodes: Nodes, config: Config, port: Port, rows: str, places: str) -> str:
    """Declare a part of a cache, and put `rows` at their places."""
    past = nodes.input(f"past_{port.name}", port.dtype, [config.kv_heads, config.length, port.columns])
    shape = nodes.node("Shape", rows)
    spread = nodes.node("Expand", places, shape)
    return nodes.node("ScatterElements", past, spread, rows, output=f"present_{port.name}", axis=1)


def declare_outputs(nodes: Nodes, config: Config) -> None:
    """Declare the caches after a run as outputs."""
    for port in ports(config):
        nodes.output(f"present_{port.name}", [config.kv_heads, config.length, port.columns], port.dtype)


def by_key(nodes: Nodes, config: Config, scales: str, tokens: int) -> str:
    """The scales of rows as factors of scores, which count keys along their last axis."""
    groups = [] if tokens == 1 else [1]
    shape: Array = np.array([config.kv_heads, *groups, 1, config.length])
    return nodes.node("Reshape", scales, nodes.constant(shape))


def _onnx(dtype: type[np.generic]) -> int:
    from onnx import helper

    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
