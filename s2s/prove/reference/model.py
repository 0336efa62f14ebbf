"""The operators and tensors of a TFLite file.

Reads the flatbuffer itself; nothing of the compiler's importer is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from s2s.prove.atoms import Atoms
from s2s.prove.ctypes import F32, I8, U8, IntType
from s2s.prove.faults import Unprovable

Array = np.ndarray
DTYPES = {"INT8": np.int8, "INT32": np.int32}
"""Types of constants; a tensor of another type has no data here, so that no operator can use it."""
CTYPES = {"INT8": I8, "UINT8": U8, "FLOAT": F32, "FLOAT32": F32}
"""Types of tensors that kernels compute."""
OPTIONS = {
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "ADD": "AddOptions",
    "SOFTMAX": "SoftmaxOptions",
}
"""The table of options of an operator."""


@dataclass
class Tensor:
    """A tensor of the model: an atom (0 for none) and a number for each element, or constant data."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    scales: Array
    """One of the tensor, or one of each channel; none if the tensor is not quantised."""
    zero_point: int
    data: Array | None = None
    ids: Array | None = None
    numbers: Array | None = None
    channels_first: bool = False
    """Whether the second axis counts the channels of an image, as ONNX has it; a tree may hold them last."""

    @property
    def size(self) -> int:
        """Elements."""
        return int(np.prod(self.shape))

    def be_unknown(self, name: str, atoms: Atoms) -> None:
        """Let the elements be new atoms of any value of their type, if CTYPES has it."""
        if self.dtype in CTYPES:
            self.ids = atoms.inputs(name, self.size, self.ctype.least, self.ctype.most)
            self.numbers = np.zeros(self.size, np.int64)

    @property
    def may_move(self) -> bool:
        """Whether a tree may hold the elements otherwise inside of the network than the model does."""
        return self.dtype == "UINT8" or (self.channels_first and len(self.shape) > 2)

    @property
    def ctype(self) -> IntType:
        """The type of its elements in C."""
        if self.dtype not in CTYPES:
            msg = f"the reference has no results of {self.dtype}"
            raise Unprovable(msg)
        return CTYPES[self.dtype]

    @property
    def scale(self) -> float:
        """The scale of the tensor."""
        if not self.scales.size:
            msg = f"{self.name} is not quantised"
            raise Unprovable(msg)
        return float(self.scales[0])

    @property
    def atoms(self) -> Array:
        """The atoms in the tensor's shape."""
        if self.ids is None:
            msg = f"{self.name} has no value that the reference can tell"
            raise Unprovable(msg)
        return self.ids.reshape(self.shape)

    @property
    def plain(self) -> Array:
        """The numbers in the tensor's shape."""
        assert self.numbers is not None
        return self.numbers.reshape(self.shape)

    @property
    def constants(self) -> Array:
        """The data of a constant tensor."""
        if self.data is None:
            msg = f"{self.name} is no constant of int8 or int32"
            raise Unprovable(msg)
        return self.data


@dataclass
class Step:
    """An operator of the model with its tensors."""

    number: int
    kind: str
    operands: list[Tensor | None]
    output: Tensor
    table: Any
    """Its options; None if the file has none."""
    reason: str = ""
    """Why the reference cannot execute it."""
    name: str = ""
    """What a tree may call it, besides the name of its output."""
    is_part: bool = False
    """Whether its result is a real number that only a later operator quantises."""

    def operand(self, index: int) -> Tensor:
        """An operand that must be there."""
        tensor = self.operands[index] if index < len(self.operands) else None
        if tensor is None:
            msg = f"{self.kind} without its operand {index}"
            raise Unprovable(msg)
        return tensor

    def option(self, name: str) -> int:
        """An option that is a whole number."""
        return int(self._option(name))

    def real(self, name: str) -> float:
        """An option that is a real number."""
        return float(self._option(name))

    def _option(self, name: str) -> Any:
        if self.table is None:
            msg = f"{self.kind} without options"
            raise Unprovable(msg)
        return getattr(self.table, name)()


@dataclass
class Model:
    """A model as its operators, in order."""

    inputs: list[Tensor]
    outputs: list[Tensor]
    steps: list[Step] = field(default_factory=list[Step])
    format: str = "tflite"

    @property
    def products(self) -> int:
        """Products of elements with constant or dequantised weights in all operators."""
        weights: dict[int, int] = {}
        total = 0
        for step in self.steps:
            sizes = [_weights(operand, weights) for operand in step.operands if operand is not None]
            if step.kind == "DequantizeLinear":
                weights[id(step.output)] = sizes[0]
                continue
            channels = step.output.shape[1 if step.output.channels_first else -1] if step.output.shape else 1
            total += sum(size * step.output.size // max(1, channels) for size in sizes)
        return total


def _weights(tensor: Tensor, dequantised: dict[int, int]) -> int:
    """The elements of a constant tensor of two axes at least; 0 of all other ones."""
    size = tensor.size if tensor.data is not None and len(tensor.shape) > 1 else 0
    return dequantised.get(id(tensor), size)


def read_model(path: Path) -> Model:
    """The first graph of a TFLite file.

    Raises what damaged bytes raise in the flatbuffers' package.
    """
    schema: Any = import_module("tflite")
    file = schema.Model.GetRootAs(path.read_bytes(), 0)
    graph = file.Subgraphs(0)
    dtypes, kinds = _names(schema.TensorType), _names(schema.BuiltinOperator)
    tensors = [_tensor(file, graph.Tensors(i), dtypes) for i in range(int(graph.TensorsLength()))]
    model = Model(
        [tensors[i] for i in _places(graph.InputsAsNumpy())], [tensors[i] for i in _places(graph.OutputsAsNumpy())]
    )
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        code = file.OperatorCodes(operator.OpcodeIndex())
        kind = kinds.get(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()), "an unknown operator")
        operands = [None if at < 0 else tensors[at] for at in _places(operator.InputsAsNumpy())]
        result = tensors[_places(operator.OutputsAsNumpy())[0]]
        model.steps.append(Step(number, kind, operands, result, _options(schema, kind, operator)))
    return model


def _names(enumeration: Any) -> dict[int, str]:
    """The names of an enumeration's numbers."""
    names = [name for name in dir(enumeration) if name.isupper() or name[0].isupper()]
    return {int(getattr(enumeration, name)): name for name in names}


def _places(vector: Any) -> list[int]:
    """A vector of whole numbers; an empty one is the number 0 in the flatbuffers' package."""
    return [] if isinstance(vector, int) else [int(place) for place in vector.tolist()]


def _options(schema: Any, kind: str, operator: Any) -> Any:
    """The options of an operator."""
    table = operator.BuiltinOptions()
    if kind not in OPTIONS or table is None:
        return None
    options = getattr(schema, OPTIONS[kind])()
    options.Init(table.Bytes, table.Pos)
    return options


def _tensor(file: Any, tensor: Any, dtypes: dict[int, str]) -> Tensor:
    """A tensor with its quantisation and its constants."""
    quantisation = tensor.Quantization()
    scales, zeros = np.zeros(0, np.float32), np.zeros(1, np.int64)
    if quantisation is not None and quantisation.ScaleLength():
        scales = quantisation.ScaleAsNumpy().astype(np.float32)
        zeros = quantisation.ZeroPointAsNumpy() if quantisation.ZeroPointLength() else zeros
    shape = tuple(int(extent) for extent in tensor.ShapeAsNumpy().tolist()) if tensor.ShapeLength() else ()
    dtype = dtypes.get(tensor.Type(), "an unknown type")
    if np.any(zeros != zeros[0]):
        dtype = "weights with a zero point for each channel"
    result = Tensor(tensor.Name().decode(errors="replace"), shape, dtype, scales, int(zeros[0]))
    content = file.Buffers(tensor.Buffer())
    if content.DataLength() and dtype in DTYPES:
        result.data = content.DataAsNumpy().view(DTYPES[dtype]).astype(np.int64).reshape(shape)
    return result
