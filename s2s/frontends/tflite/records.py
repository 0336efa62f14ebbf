"""The content of a TFLite file as plain data, with every length and offset checked before anything is allocated."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.names import one_line
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


class Quant(NamedTuple):
    """`real = scale * (q - zero_point)`, for the whole tensor or for each slice along `axis`."""

    scale: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
    zero_point: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    axis: int

    @property
    def is_per_tensor(self) -> bool:
        """Whether one scale holds for all elements."""
        return len(self.scale) == 1


class Blocks(NamedTuple):
    """Scales for blocks of `size` neighbours of a row: numbers of the tensors that hold them and their zero points."""

    scales: int
    zero_points: int
    size: int


class Sparsity(NamedTuple):
    """How a sparse constant is stored: for each dimension its size, or segments and indices."""

    order: tuple[int, ...]
    blocks: tuple[int, ...]
    sizes: tuple[int, ...]
    compressed: tuple[tuple[Array, Array] | None, ...]


@frozen
class TensorInfo:
    """A tensor as the file declares it."""

    subgraph: int
    index: int
    name: str
    kind: str
    """Element type by the schema's name: FLOAT32, INT8, INT4, …"""
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    open_shape: bool
    """Whether the shape is only known when the network runs."""
    buffer: int
    quant: Quant | None
    is_variable: bool
    sparsity: Sparsity | None
    open_axes: tuple[int, ...] = ()
    """Axes whose size the file leaves open; its shape has 1 there."""
    blocks: Blocks | None = None

    @property
    def place(self) -> str:
        """`tensor 7 'conv/bias'`, for messages."""
        inside = f"sub-graph {self.subgraph}: " if self.subgraph else ""
        return f"{inside}tensor {self.index} {one_line(self.name)!r}"

    def scalar(self) -> tuple[float, int]:
        """Scale and zero point of the whole tensor."""
        if self.quant is None:
            raise InputError(f"{self.place}: is {self.kind.lower()} without quantisation; quantise the model again")
        if not self.quant.is_per_tensor:
            raise UnsupportedError(f"{self.place}: is quantised per channel; quantise activations per tensor")
        return float(self.quant.scale[0]), int(self.quant.zero_point[0])


@frozen
class OperatorInfo:
    """An operator as the file declares it."""

    subgraph: int
    index: int
    builtin: str
    custom: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options: Any
    custom_options: bytes
    label: str
    """Name of its first output, without what follows a semicolon: operators have none of their own."""

    @property
    def place(self) -> str:
        """`operator 3 (CONV_2D) 'block1/conv'`, for messages."""
        inside = f"sub-graph {self.subgraph}: " if self.subgraph else ""
        kind = f"custom {one_line(self.custom)}" if self.builtin == "CUSTOM" else self.builtin
        return f"{inside}operator {self.index} ({kind}) {one_line(self.label)!r}"


@frozen
class Subgraph:
    """One graph of a model."""

    index: int
    name: str
    tensors: tuple[TensorInfo, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[OperatorInfo, ...]

    @property
    def place(self) -> str:
        """What an error message about it starts with."""
        return f"sub-graph {self.index} {one_line(self.name)!r}"


@frozen
class ModelInfo:
    """A model as its file declares it."""

    version: int
    description: str
    buffers: tuple[bytes | memoryview, ...]
    subgraphs: tuple[Subgraph, ...]
    signature_names: Mapping[int, str] = field(default_factory=dict[int, str])
    """Names that the first signature gives to tensors of the first sub-graph."""
    compression: int | None = None
    """The buffer that says which constants TFLite-Micro's compressor has replaced by indices; None if none are."""
