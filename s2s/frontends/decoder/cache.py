"""Write the caches of keys and values, in floats or quantised.

    past [heads, length, head], rows [heads, tokens, head] at their positions  ->  present

With `int8` the rows of a head at a position share a scale: `scale = max|row| / 127`, `q = round(row / scale)`. So a
cached number differs from the one that was put in by at most `max|row| / 254`, in float16 by `2^-11` of it, or `2^-25`
where it is below `2^-14`.
"""

from collections.abc import Iterator, Sequence
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
    """Put `rows` at `places`, `[1, tokens, 1]`, in the cache `name`, and return what it holds then."""
    parts = in_parts(nodes, config, name, rows)
    return as_floats(nodes, config, [put(nodes, port, past(nodes, config, port), new, places) for port, new in parts])


def in_parts(nodes: Nodes, config: Config, name: str, rows: str) -> Iterator[tuple[Port, str]]:
    """Return `rows` as the cache `name` keeps them: numbers, and their scales if it is quantised."""
    numbers, *more = _parts(config, name)
    if config.cache == "float32":
        yield numbers, rows
    elif config.cache == "float16":
        yield numbers, nodes.node("Cast", rows, to=_onnx(np.float16))
    else:
        last, step = nodes.constant(np.array([-1])), nodes.constant(np.float32(1 / MAX_NUMBER))
        largest = nodes.node("ReduceMax", nodes.node("Abs", rows), last, keepdims=1)
        scales = nodes.node("Max", nodes.node("Mul", largest, step), nodes.constant(np.float32(MIN_SCALE)))
        yield numbers, nodes.node("Cast", nodes.node("Round", nodes.node("Div", rows, scales)), to=_onnx(np.int8))
        yield more[0], scales


def as_floats(nodes: Nodes, config: Config, parts: Sequence[str]) -> Cached:
    """Return rows that a cache keeps as `parts`: their numbers as floats."""
    numbers, *scales = parts
    if config.cache != "float32":
        numbers = nodes.node("Cast", numbers, to=_onnx(np.float32))
    return Cached(numbers, scales[0] if scales else None)


def past(nodes: Nodes, config: Config, port: Port) -> str:
    """Declare a part of a cache before the run."""
    return nodes.input(f"past_{port.name}", port.dtype, [config.kv_heads, config.length, port.columns])


def put(nodes: Nodes, port: Port, before: str, rows: str, places: str) -> str:
    """Return a part of a cache with `rows` at `places`."""
    spread = nodes.node("Expand", places, nodes.node("Shape", rows))
    return nodes.node("ScatterElements", before, spread, rows, output=f"present_{port.name}", axis=1)


def declare_outputs(nodes: Nodes, config: Config) -> None:
    """Declare the caches after a run as outputs."""
    for port in ports(config):
        nodes.output(f"present_{port.name}", [config.kv_heads, config.length, port.columns], port.dtype)


def by_key(nodes: Nodes, config: Config, scales: str, count: int, tokens: int) -> str:
    """The scales of `count` rows as factors of scores, which count keys along their last axis."""
    groups = [] if tokens == 1 else [1]
    shape: Array = np.array([config.kv_heads, *groups, 1, count])
    return nodes.node("Reshape", scales, nodes.constant(shape))


def _onnx(dtype: type[np.generic]) -> int:
    from onnx import helper

    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
