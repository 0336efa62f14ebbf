"""Build the inputs and outputs of `main`, as the model declares them and as a caller passes them."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Region, SSAValue

from s2s.analysis.network.functions import NAME, STATE
from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.draws import RUN_NUMBER
from s2s.frontends.onnx.narrow import packed, unpacked
from s2s.types.dtypes import AnyTensor, from_numpy, tensor_type, ui8
from s2s.types.interface import EMPTY_INPUTS, EMPTY_OUTPUTS, TEXTS, EmptyTensor, ModelTensor, empty_attribute
from s2s.types.narrow import NARROW
from s2s.types.size import Size, all_plain, greatest, is_empty


class Ports:
    """Adds an argument for each input to the block of `builder`, and makes a function of it."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._attributes: list[DictionaryAttr] = []
        self._empty: list[EmptyTensor] = []
        self._run: Value | None = None

    def input(self, name: str, tensor: ModelTensor) -> Value:
        """The value of an input: an argument, its elements if they are packed, or a constant without elements."""
        ledger = self.builder.ledger
        shape = ledger.port(name, tensor.shape)
        if is_empty(tensor.shape):
            if not all_plain(shape):
                raise InputError(
                    f"input {name}: has no element and is not passed; give {_named(shape)} a constant size"
                )
            self._empty.append(EmptyTensor(name, len(self._attributes) + len(self._empty), tensor))
            return self.builder.constant(np.zeros(tensor.shape, tensor.dtype), name)
        self._attributes.append(_attributes(name, tensor))
        narrow = NARROW.get(tensor.dtype)
        if narrow is None:
            return self._argument(name, tensor_type(from_numpy(tensor.dtype), shape))
        if not narrow.fills_byte and not all_plain(shape):
            raise UnsupportedError(
                f"input {name}: its elements are packed into bytes, which have no axis of their own for "
                f"{_named(shape)}; give that a constant size"
            )
        data = self._argument(name, tensor_type(ui8, narrow.packed_shape(shape)))
        return unpacked(data, narrow, shape)

    def run_number(self) -> Value:
        """How often the network has run before, as one u64 that is state of the network."""
        if self._run is None:
            self._run = self._argument(RUN_NUMBER, tensor_type(from_numpy(np.dtype(np.uint64)), (1,)))
            self._attributes.append(DictionaryAttr({NAME: StringAttr(RUN_NUMBER), STATE: UnitAttr()}))
        return self._run

    def _argument(self, name: str, type: AnyTensor) -> Value:
        block = self.builder.block
        return self.builder.computed(block.insert_arg(type, len(block.args)), name)

    def main(self, outputs: Sequence[tuple[str, Value]]) -> FuncOp:
        """`@main`, which returns `outputs`; outputs without elements are listed."""
        returned: list[SSAValue] = []
        attributes: list[DictionaryAttr] = []
        empty: list[EmptyTensor] = []
        for number, (name, value) in enumerate(outputs):
            shape = tuple(greatest(value.shape))
            tensor = ModelTensor((value.dtype if value.texts else value.model_dtype).name, shape)
            if is_empty(value.shape):
                if not all_plain(value.shape):
                    raise UnsupportedError(
                        f"output {name}: has no element, and its shape depends on the size; give it a constant one"
                    )
                empty.append(EmptyTensor(name, number, tensor))
                continue
            passed = value if value.narrow is None else packed(value, value.narrow)
            returned.append(self.builder.materialize(passed))
            texts = {} if value.texts is None else {TEXTS: ArrayAttr(map(StringAttr, value.texts))}
            attributes.append(DictionaryAttr({**_attributes(name, tensor).data, **texts}))
        if self._run is not None:
            returned.append(self.builder.materialize(self._run + 1))
            attributes.append(DictionaryAttr({}))
        block = self.builder.block
        block.add_op(ReturnOp(*returned))
        type = FunctionType.from_lists(list(block.arg_types), [value.type for value in returned])
        given, results = ArrayAttr(self._attributes), ArrayAttr(attributes)
        main = FuncOp("main", type, Region(block), arg_attrs=given, res_attrs=results)
        if self._run is not None:
            main.attributes[graph.TIED] = ints([-1] * (len(returned) - 1) + [len(self._attributes) - 1])
        for attribute, tensors in ((EMPTY_INPUTS, self._empty), (EMPTY_OUTPUTS, empty)):
            if tensors:
                main.attributes[attribute] = empty_attribute(tensors)
        return main


def _named(shape: Sequence[int]) -> str:
    """The name of the first size of a shape that varies."""
    return next(size.text for size in shape if isinstance(size, Size))


def _attributes(name: str, tensor: ModelTensor) -> DictionaryAttr:
    """The name of an input or output, and its type where that is not the one which is passed."""
    return DictionaryAttr({"name": StringAttr(name), **(tensor.attributes() if tensor.is_packed else {})})
