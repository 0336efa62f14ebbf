"""Parse the bytes of a TFLite file into records.

The schema package follows any offset and believes any length. Here every vector is measured against the file before
it is walked, all walks together are bounded by the size of the file, and whatever the package raises on its way
through damaged bytes becomes one error that names the place.
"""

import struct
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.names import one_line
from s2s.frontends.tflite.newer import RETIRED
from s2s.frontends.tflite.records import Blocks, ModelInfo, OperatorInfo, Quant, Sparsity, Subgraph, TensorInfo
from s2s.frontends.tflite.schema import (
    COMPLEX,
    DTYPES,
    RESOURCE,
    enum_name,
    fields_of,
    options_class,
    schema,
    table_class,
)
from s2s.types.dtypes import Array

T = TypeVar("T")

_DAMAGE = (struct.error, IndexError, TypeError, ValueError, OverflowError, AttributeError)
"""What the schema package raises when an offset leads nowhere."""
_SLACK = 8
"""Zero bytes behind the file, so that a number at its very end is read whole."""
_MAX_NAME = 4096
COMPRESSION = "COMPRESSION_METADATA"
"""The name of the metadata that TFLite-Micro's compressor adds."""
_BLOCKWISE = 2
"""The number of this kind of quantisation."""
_EXTERNAL = 24
"""Where the description of a tensor has its buffer outside of the file, a field that the schema package lacks."""
_SEGMENTS = {1: "Int32Vector", 2: "Uint16Vector", 3: "Uint8Vector"}


@contextmanager
def intact(place: str) -> Generator[None]:
    """Convert what damaged bytes raise into an InputError about `place`."""
    try:
        yield
    except _DAMAGE:
        raise InputError(f"{place}: is damaged (an offset leads out of the file); export the model again") from None


def read_model(data: bytes, label: str) -> ModelInfo:
    """The records of a file that starts like a TFLite model."""
    return _Reader(data, label).model()


def _members(table: Any) -> list[tuple[str, Any]]:
    """Accessors of a table of the schema."""
    members: dict[str, Any] = table.__class__.__dict__
    return list(members.items())


def _refuse_newer_fields(table: Any, name: str, place: str) -> None:
    """Refuse a table of options with fields that the schema package does not know: they may change the meaning."""
    description = table.Pos - struct.unpack_from("<i", table.Bytes, table.Pos)[0]
    if description < 0:
        raise ValueError("an offset out of the file")
    entries = struct.unpack_from("<H", table.Bytes, description)[0] // 2 - 2
    known = len(fields_of(name)) + RETIRED.get(name, 0)
    offsets = struct.unpack_from(f"<{max(0, entries - known)}H", table.Bytes, description + 4 + 2 * known)
    if any(offsets):
        fact = f"its {name} have a field beyond the {known} that are known"
        raise UnsupportedError(f"{place}: {fact}; update s2s and the package tflite, or convert with an older TFLite")


def _refuse_external(tensor: Any, place: str) -> None:
    """Refuse a tensor whose values lie in another file."""
    field = tensor._tab.Offset(_EXTERNAL)
    number = struct.unpack_from("<I", tensor._tab.Bytes, tensor._tab.Pos + field)[0] if field else 0
    if number:
        fact = f"its values lie outside of the file (external buffer {number})"
        raise UnsupportedError(f"{place}: {fact}; convert the model into one .tflite file")


def _blocks(quant: Any) -> Blocks | None:
    """The scales of blocks, where a tensor has them; a field that the file leaves out is 0."""
    if quant is None or quant.DetailsType() != _BLOCKWISE:
        return None
    table = quant.Details()
    fields = [table.Offset(4 + 2 * number) for number in range(len(Blocks._fields))]
    return Blocks(*(struct.unpack_from("<i", table.Bytes, table.Pos + field)[0] if field else 0 for field in fields))


class _Reader:
    def __init__(self, data: bytes, label: str) -> None:
        self._file = data
        self._data = data + bytes(_SLACK)
        self._label = label
        self._left = 4 * len(data) + 10_000
        """Elements that may still be read; no honest file has more than it has bytes."""

    def _intact(self, part: str) -> AbstractContextManager[None]:
        """Convert what damaged bytes raise into an InputError about a part of the file."""
        return intact(f"{self._label}: {part}")

    def model(self) -> ModelInfo:
        with intact(self._label):
            root = schema().Model.GetRootAs(self._data, 0)
            version, description = int(root.Version()), self._text(root.Description())
            buffers = self._items(root.BuffersLength(), root.Buffers, "its list of buffers")
            codes = self._items(root.OperatorCodesLength(), root.OperatorCodes, "its list of operator codes")
            graphs = self._items(root.SubgraphsLength(), root.Subgraphs, "its list of sub-graphs")
        return ModelInfo(
            version,
            description,
            tuple(self._buffer(buffer, number) for number, buffer in enumerate(buffers)),
            tuple(self._subgraph(graph, number, codes) for number, graph in enumerate(graphs)),
            self._signature(root),
            self._compression(root),
        )

    # ------------------------------------------------------------------- parts

    def _buffer(self, buffer: Any, number: int) -> bytes | memoryview:
        place = f"buffer {number}"
        with self._intact(place):
            offset, size = int(buffer.Offset()), int(buffer.Size())
            length = int(buffer.DataLength())
            if offset > 1 or size > 1:
                if offset + size > len(self._file):
                    raise InputError(
                        f"{place}: lies at {offset} to {offset + size} of a file of {len(self._file)} bytes; "
                        "give the whole file"
                    )
                return memoryview(self._file)[offset : offset + size]
            if length == 0:
                return b""
            field = buffer._tab.Offset(4)
            start = int(buffer._tab.Vector(field))
            if start < 0 or start + length > len(self._file):
                raise InputError(f"{place}: {length} bytes lead out of the file; export the model again")
            return memoryview(self._file)[start : start + length]

    def _subgraph(self, graph: Any, number: int, codes: list[Any]) -> Subgraph:
        place = f"sub-graph {number}"
        with self._intact(place):
            name = self._text(graph.Name())
            tensors = self._items(graph.TensorsLength(), graph.Tensors, f"{place}: its list of tensors")
            inputs = self._numbers(graph.InputsLength(), graph.InputsAsNumpy, f"{place}: its list of inputs")
            outputs = self._numbers(graph.OutputsLength(), graph.OutputsAsNumpy, f"{place}: its list of outputs")
            operators = self._items(graph.OperatorsLength(), graph.Operators, f"{place}: its list of operators")
        infos = tuple(self._tensor(tensor, number, index) for index, tensor in enumerate(tensors))
        names = [info.name for info in infos]
        return Subgraph(
            number,
            name,
            infos,
            inputs,
            outputs,
            tuple(self._operator(operator, number, index, codes, names) for index, operator in enumerate(operators)),
        )

    def _tensor(self, tensor: Any, subgraph: int, index: int) -> TensorInfo:
        inside = f"sub-graph {subgraph}: " if subgraph else ""
        with self._intact(f"{inside}tensor {index}"):
            name = self._text(tensor.Name()) or f"tensor{index}"
            place = f"{inside}tensor {index} {one_line(name)!r}"
            kind = enum_name("TensorType", int(tensor.Type()))
            if kind is None:
                raise InputError(f"{place}: element type {int(tensor.Type())} is unknown; export the model again")
            if kind not in DTYPES:
                fact = ", nor by LiteRT as it is built" if kind.startswith("FLOAT8") else ""
                raise UnsupportedError(
                    f"{place}: element type {kind.lower()} is not supported{fact}; use a real number type"
                )
            _refuse_external(tensor, place)
            shape = self._numbers(tensor.ShapeLength(), tensor.ShapeAsNumpy, f"{place}: its shape")
            signature = self._numbers(
                tensor.ShapeSignatureLength(), tensor.ShapeSignatureAsNumpy, f"{place}: its shape signature"
            )
            parts = (2,) if kind == COMPLEX else ()
            quantised = np.issubdtype(DTYPES[kind], np.integer) and kind != RESOURCE
            return TensorInfo(
                subgraph,
                index,
                name,
                kind,
                DTYPES[kind],
                (*shape, *parts),
                any(dim < 0 for dim in (*shape, *signature)) or (not shape and not tensor.HasRank()),
                int(tensor.Buffer()),
                self._quant(tensor.Quantization(), place) if quantised else None,
                bool(tensor.IsVariable()),
                self._sparsity(tensor.Sparsity(), place),
                tuple(axis for axis, dim in enumerate(signature or shape) if dim < 0),
                _blocks(tensor.Quantization()),
            )

    def _quant(self, quant: Any, place: str) -> Quant | None:
        if quant is None:
            return None
        if quant.DetailsType() == _BLOCKWISE:
            return None
        if quant.DetailsType() != 0:
            raise UnsupportedError(f"{place}: has quantisation of a custom kind; use scale and zero point")
        scale = self._vector(quant.ScaleLength(), quant.ScaleAsNumpy, f"{place}: its scales")
        zero = self._vector(quant.ZeroPointLength(), quant.ZeroPointAsNumpy, f"{place}: its zero points")
        if not len(scale) and not len(zero):
            return None
        zero_point = zero.astype(np.int64) if len(zero) else np.zeros(len(scale), np.int64)
        return Quant(scale.astype(np.float32), zero_point, int(quant.QuantizedDimension()))

    def _sparsity(self, sparsity: Any, place: str) -> Sparsity | None:
        if sparsity is None:
            return None
        where = f"{place}: its sparsity"
        order = self._numbers(sparsity.TraversalOrderLength(), sparsity.TraversalOrderAsNumpy, where)
        blocks = self._numbers(sparsity.BlockMapLength(), sparsity.BlockMapAsNumpy, where)
        dims = self._items(sparsity.DimMetadataLength(), sparsity.DimMetadata, where)
        compressed = tuple(
            None
            if dim.Format() == 0
            else (
                self._union(dim.ArraySegmentsType(), dim.ArraySegments(), where),
                self._union(dim.ArrayIndicesType(), dim.ArrayIndices(), where),
            )
            for dim in dims
        )
        return Sparsity(order, blocks, tuple(int(dim.DenseSize()) for dim in dims), compressed)

    def _union(self, kind: int, table: Any, where: str) -> Array:
        if kind not in _SEGMENTS or table is None:
            raise InputError(f"{where}: has no segments or indices; export the model again")
        vector = getattr(schema(), _SEGMENTS[kind])()
        vector.Init(table.Bytes, table.Pos)
        return self._vector(vector.ValuesLength(), vector.ValuesAsNumpy, where).astype(np.int64)

    def _operator(self, operator: Any, subgraph: int, index: int, codes: list[Any], names: list[str]) -> OperatorInfo:
        place = f"sub-graph {subgraph}: operator {index}" if subgraph else f"operator {index}"
        with self._intact(place):
            number = int(operator.OpcodeIndex())
            if number >= len(codes):
                raise InputError(f"{place}: operator code {number} of {len(codes)}; export the model again")
            builtin, custom, version = self._code(codes[number], place)
            place = f"{place} ({custom if builtin == 'CUSTOM' else builtin})"
            outputs = self._numbers(operator.OutputsLength(), operator.OutputsAsNumpy, f"{place}: its outputs")
            first = next((names[output] for output in outputs if 0 <= output < len(names)), "")
            return OperatorInfo(
                subgraph,
                index,
                builtin,
                custom,
                version,
                self._numbers(operator.InputsLength(), operator.InputsAsNumpy, f"{place}: its inputs"),
                outputs,
                self._numbers(operator.IntermediatesLength(), operator.IntermediatesAsNumpy, f"{place}: intermediates"),
                self._options(operator, builtin, place),
                self._custom_options(operator, place),
                one_line(first.split(";")[0]) or builtin.lower(),
            )

    def _code(self, code: Any, place: str) -> tuple[str, str, int]:
        number = max(int(code.BuiltinCode()), int(code.DeprecatedBuiltinCode()))
        builtin = enum_name("BuiltinOperator", number)
        if builtin is None:
            raise UnsupportedError(f"{place}: builtin operator {number} is unknown; convert with an older TFLite")
        if int(code.Version()) < 1:
            raise InputError(f"{place}: operator version {int(code.Version())}; export the model again")
        return builtin, one_line(self._text(code.CustomCode())), int(code.Version())

    def _options(self, operator: Any, builtin: str, place: str) -> Any:
        """The operator's table of options, each field of it read once; None when the file has none."""
        for kinds, kind, table in (
            ("BuiltinOptions", int(operator.BuiltinOptionsType()), operator.BuiltinOptions()),
            ("BuiltinOptions2", int(operator.BuiltinOptions2Type()), operator.BuiltinOptions2()),
        ):
            if kind == 0 or table is None:
                continue
            name = enum_name(kinds, kind)
            if name is None or name != options_class(builtin):
                raise InputError(f"{place}: has options of another operator ({name or kind}); export the model again")
            options = table_class(name)()
            options.Init(table.Bytes, table.Pos)
            self._probe(options, place)
            _refuse_newer_fields(table, name, place)
            return options
        return None

    def _probe(self, options: Any, place: str) -> None:
        """Read every field, so that importers meet no damage later."""
        for field, member in _members(options):
            if isinstance(member, classmethod) or field.startswith("_") or field == "Init":
                continue
            if member.__code__.co_argcount == 1:
                value = getattr(options, field)()
                if field.endswith("Length"):
                    self._measure(int(value), f"{place}: its options")

    def _custom_options(self, operator: Any, place: str) -> bytes:
        offset, size = int(operator.LargeCustomOptionsOffset()), int(operator.LargeCustomOptionsSize())
        if offset > 1 and size > 0:
            if offset + size > len(self._file):
                raise InputError(f"{place}: its options lie outside the file; give the whole file")
            return self._file[offset : offset + size]
        return self._vector(operator.CustomOptionsLength(), operator.CustomOptionsAsNumpy, place).tobytes()

    def _signature(self, root: Any) -> Mapping[int, str]:
        """Names of inputs and outputs by the first signature of the main graph; a damaged one is left out."""
        names: dict[int, str] = {}
        try:
            for signature in self._items(root.SignatureDefsLength(), root.SignatureDefs, "its signatures"):
                if int(signature.SubgraphIndex()) == 0:
                    for count, entry in (
                        (signature.InputsLength(), signature.Inputs),
                        (signature.OutputsLength(), signature.Outputs),
                    ):
                        for named in self._items(count, entry, "its signature"):
                            names[int(named.TensorIndex())] = self._text(named.Name())
                    break
        except (*_DAMAGE, InputError):
            return {}
        return names

    def _compression(self, root: Any) -> int | None:
        """The buffer with the metadata of compressed constants."""
        with self._intact("its metadata"):
            entries = self._items(root.MetadataLength(), root.Metadata, "its metadata")
            found = [int(each.Buffer()) for each in entries if self._text(each.Name()) == COMPRESSION]
        return found[0] if found else None

    # ----------------------------------------------------------------- vectors

    def _measure(self, count: int, where: str) -> int:
        self._left -= count
        if count > len(self._file) or self._left < 0:
            raise InputError(f"{where}: {count} elements do not fit the file; export the model again")
        return count

    def _items(self, count: int, get: Callable[[int], T], where: str) -> list[T]:
        return [get(index) for index in range(self._measure(count, where))]

    def _vector(self, count: int, get: Callable[[], Any], where: str) -> Array:
        return np.asarray(get()) if self._measure(count, where) else np.empty(0, np.int64)

    def _numbers(self, count: int, get: Callable[[], Any], where: str) -> tuple[int, ...]:
        return tuple(int(number) for number in self._vector(count, get, where))

    def _text(self, text: bytes | None) -> str:
        found = (text or b"")[:_MAX_NAME]
        self._measure(len(found), "a name")
        return found.decode("utf-8", "replace")
