"""What weights that TFLite-Micro's compressor has made indices take on Cortex-M4: flash, RAM, instructions.

    python -m benchmarks.compressed                     (all four networks of MLPerf Tiny)
    python -m benchmarks.compressed ic --values 8

The weights of each channel, or of each layer where it has one scale, are clustered by k-means to a few values, and
written with `COMPRESSION_METADATA`. Each network is run on QEMU with all constants as bytes, with the forms that the
compiler chooses, and with all of them looked up or decoded. Exits with 1 when outputs differ.
"""

import argparse
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.mcu import MODELS, NETWORKS
from s2s.artifact import compile_artifact
from s2s.decisions.constant_codes import BYTES, DECODED, LOOKED_UP
from s2s.decisions.decision import Decision
from s2s.options import CompileOptions
from s2s.types.dtypes import Array

BOARD, TARGET = "qemu:m4", "cortex-m4"
KIND = "constant codes"
INT8 = 9
"""The schema's number of this element type."""
WEIGHTS = 1
"""The operand that is compressed."""
ROUNDS = 30
"""Of k-means, from quantiles."""


class Result(NamedTuple):
    """The figures of a network in one form."""

    form: str
    flash: int
    ram: int
    instructions: int
    bit_exact: bool
    chosen: Mapping[str, int]
    """How many constants have which form."""


def clustered(weights: Array, values: int) -> tuple[Array, Array]:
    """Return the number of the nearest value for each weight, and the values, by k-means."""
    numbers = weights.reshape(-1).astype(np.float64)
    centres = np.quantile(numbers, (np.arange(values) + 0.5) / values)
    for _ in range(ROUNDS):
        nearest = np.abs(numbers[:, None] - centres).argmin(axis=1)
        taken = [each for each in range(values) if (nearest == each).any()]
        centres[taken] = [numbers[nearest == each].mean() for each in taken]
    table = np.rint(centres).astype(np.int8)
    return np.abs(numbers[:, None] - table).argmin(axis=1), table


def compressed(data: bytes, values: int = 16) -> tuple[bytes, bytes]:
    """Return a model with weights of `values` values for each channel, compressed, and the same with plain weights."""
    schema: Any = importlib.import_module("ai_edge_litert.schema_py_generated")
    bits = max(1, int(values - 1).bit_length())
    small, plain = (schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0)) for _ in range(2))
    entries: list[tuple[int, int, int]] = []
    graph = small.subgraphs[0]
    for number in dict.fromkeys(_weights(graph, small.operatorCodes)):
        tensor = graph.tensors[number]
        scales = tensor.quantization.scale
        axis = tensor.quantization.quantizedDimension if len(scales) > 1 else None
        weights = np.asarray(small.buffers[tensor.buffer].data, np.uint8).view(np.int8).reshape(tensor.shape)
        rows = np.moveaxis(weights, axis or 0, 0).reshape(1 if axis is None else weights.shape[axis], -1)
        found = [clustered(row, values) for row in rows]
        indices, tables = (np.stack(each) for each in zip(*found, strict=True))
        plain.buffers[tensor.buffer].data = _in_place(np.take_along_axis(tables, indices, 1), weights.shape, axis)
        text = _in_place(indices.astype(np.uint8), weights.shape, axis).reshape(-1, 1) >> np.arange(bits)[::-1] & 1
        small.buffers[tensor.buffer].data = np.packbits(text.astype(np.uint8).reshape(-1))
        entries.append((number, len(small.buffers), bits))
        small.buffers.append(_buffer(schema, tables.reshape(-1).view(np.uint8)))
    about = schema.MetadataT()
    about.name, about.buffer = "COMPRESSION_METADATA", len(small.buffers)
    small.metadata = [*(small.metadata or []), about]
    small.buffers.append(_buffer(schema, np.frombuffer(metadata(entries), np.uint8)))
    return _packed(small), _packed(plain)


def _weights(graph: Any, codes: Any) -> Iterator[int]:
    """Return the constants of bytes that operators have as weights."""
    schema: Any = importlib.import_module("ai_edge_litert.schema_py_generated")
    layers = schema.BuiltinOperator
    kinds = (layers.CONV_2D, layers.DEPTHWISE_CONV_2D, layers.FULLY_CONNECTED)
    for op in graph.operators:
        code = codes[op.opcodeIndex]
        if (
            max(code.builtinCode, code.deprecatedBuiltinCode) in kinds
            and graph.tensors[op.inputs[WEIGHTS]].type == INT8
        ):
            yield op.inputs[WEIGHTS]


def _in_place(rows: Array, shape: tuple[int, ...], axis: int | None) -> Array:
    """Return rows of channels as a row of bytes in the order of the model."""
    if axis is None:
        return rows.reshape(-1).view(np.uint8)
    moved = [shape[axis], *(size for number, size in enumerate(shape) if number != axis)]
    return np.asarray(np.moveaxis(rows.reshape(moved), 0, axis), order="C").reshape(-1).view(np.uint8)


def _buffer(schema: Any, data: Array) -> Any:
    made = schema.BufferT()
    made.data = data
    return made


def _packed(model: Any) -> bytes:
    flatbuffers: Any = importlib.import_module("flatbuffers")
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def metadata(entries: Sequence[tuple[int, int, int]], version: int = 1) -> bytes:
    """Return the flatbuffer about the compressed tensors of the first sub-graph: tensor, buffer of values, bits."""
    flatbuffers: Any = importlib.import_module("flatbuffers")
    b = flatbuffers.Builder(64)
    tables: list[int] = []
    for tensor, values, bits in entries:
        b.StartObject(3)
        b.PrependInt32Slot(0, tensor, 0)
        b.PrependUint32Slot(1, values, 0)
        b.PrependUint8Slot(2, bits, 0)
        tables.append(b.EndObject())
    vector = _vector(b, tables)
    b.StartObject(1)
    b.PrependUOffsetTRelativeSlot(0, vector, 0)
    graphs = _vector(b, [b.EndObject()])
    b.StartObject(2)
    b.PrependUint32Slot(0, version, 1)
    b.PrependUOffsetTRelativeSlot(1, graphs, 0)
    b.Finish(b.EndObject())
    return bytes(b.Output())


def _vector(b: Any, tables: list[int]) -> int:
    b.StartVector(4, len(tables), 4)
    for table in reversed(tables):
        b.PrependUOffsetTRelative(table)
    return b.EndVector()


def measure(name: str, values: int) -> Iterator[Result]:
    """Return the figures of a network in all forms."""
    small, _ = compressed((MODELS / f"{NETWORKS[name].model}.tflite").read_bytes(), values)
    with compile_artifact(small, CompileOptions(target=TARGET, name=name)) as artifact:
        given = [each for each in artifact.decisions if each.kind == KIND]
    for form in (BYTES, "as chosen", LOOKED_UP, DECODED):
        wanted = {} if form == "as chosen" else {KIND: {each.subject: form for each in given if _may(each, form)}}
        with compile_artifact(small, CompileOptions(target=TARGET, name=name, decisions=wanted)) as artifact:
            found = artifact.verify_on(BOARD).as_dict()
            taken = [each.chosen for each in artifact.decisions if each.kind == KIND]
        chosen = {each: taken.count(each) for each in dict.fromkeys(taken)}
        flash, ram, instructions = (int(found[each]) for each in ("flash_bytes", "ram_bytes", "instructions"))
        yield Result(form, flash, ram, instructions, bool(found["bit_exact"]), chosen)


def _may(decision: Decision, form: str) -> bool:
    """Return whether a constant may have a form."""
    return all(each.refused is None for each in decision.candidates if each.note == form)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("networks", nargs="*", help=f"of {', '.join(NETWORKS)}; all by default")
    parser.add_argument("--values", type=int, default=16, help="of a channel; 16 by default")
    arguments = parser.parse_args()
    passed = True
    for name in arguments.networks or NETWORKS:
        print(f"{name.upper():22}{'flash':>10}{'RAM':>10}{'instructions':>14}")
        first: Result | None = None
        for each in measure(name, arguments.values):
            first = first or each
            change = f"{each.flash / first.flash - 1:+8.1%} {each.instructions / first.instructions - 1:+8.1%}"
            forms = ", ".join(f"{count} {form}" for form, count in each.chosen.items())
            wrong = "" if each.bit_exact else "  outputs differ"
            print(f"{each.form:22}{each.flash:>10,}{each.ram:>10,}{each.instructions:>14,} {change}   {forms}{wrong}")
            passed = passed and each.bit_exact
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
