"""Damages ONNX models, at random and the same way in every run: what a hostile or corrupt file may hold."""

from collections.abc import Callable
from random import Random
from typing import Any

import onnx
from onnx import AttributeProto, TensorProto, defs

NUMBERS = (0, 1, -1, 2, 3, 7, -2, 255, 2**15, 2**31 - 1, -(2**31), 2**40, 2**63 - 1, -(2**63))
NAMES = ("", "x", "y", "a", "b", "*/", "line\nbreak", "é" * 200, "w", "cond")
OPERATORS = tuple(sorted({schema.name for schema in defs.get_all_schemas() if schema.domain == ""}))


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """`data` with some bytes changed, dropped, doubled, or the end cut off."""
    damaged = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at, kind = random.randrange(len(damaged)), random.randrange(5)
        if kind == 0:
            damaged[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            damaged[at] = random.choice((0, 1, 127, 128, 255))
        elif kind == 2:
            del damaged[at : at + random.randint(1, 8)]
        elif kind == 3:
            damaged[at:at] = damaged[at : at + random.randint(1, 16)]
        else:
            del damaged[at:]
        if not damaged:
            return b""
    return bytes(damaged)


def mutate_model(model: onnx.ModelProto, random: Random) -> onnx.ModelProto:
    """`model` with some fields changed."""
    damaged = onnx.ModelProto()
    damaged.CopyFrom(model)
    for _ in range(random.randint(1, 3)):
        random.choice(_MUTATIONS)(damaged, random)
    return damaged


def _graphs(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    inner = [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]
    return [graph, *(found for body in inner for found in _graphs(body))]


def _nodes(model: onnx.ModelProto) -> Any:
    nodes = [node for graph in _graphs(model.graph) for node in graph.node]
    return nodes + [node for function in model.functions for node in function.node]


def _operator(model: onnx.ModelProto, random: Random) -> None:
    if nodes := _nodes(model):
        random.choice(nodes).op_type = random.choice(OPERATORS)


def _operand(model: onnx.ModelProto, random: Random) -> None:
    names = [name for node in _nodes(model) for name in (*node.input, *node.output)] + list(NAMES)
    if nodes := _nodes(model):
        node = random.choice(nodes)
        field = random.choice((node.input, node.output))
        if field and random.random() < 0.7:
            field[random.randrange(len(field))] = random.choice(names)
        elif field and random.random() < 0.5:
            del field[random.randrange(len(field))]
        else:
            field.append(random.choice(names))


def _attribute(model: onnx.ModelProto, random: Random) -> None:
    attributes = [attribute for node in _nodes(model) for attribute in node.attribute]
    if not attributes:
        return
    attribute = random.choice(attributes)
    if attribute.type == AttributeProto.INT:
        attribute.i = random.choice(NUMBERS)
    elif attribute.type == AttributeProto.INTS and attribute.ints:
        kind = random.randrange(3)
        if kind == 0:
            attribute.ints[random.randrange(len(attribute.ints))] = random.choice(NUMBERS)
        elif kind == 1:
            attribute.ints.append(random.choice(NUMBERS))
        else:
            del attribute.ints[random.randrange(len(attribute.ints))]
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = random.choice((0.0, -1.0, float("nan"), float("inf"), 1e38, 1e-45))
    elif attribute.type == AttributeProto.STRING:
        attribute.s = random.choice((b"", b"VALID", b"SAME_UPPER", b"\xff\xfe", b"linear"))
    else:
        attribute.type = random.randrange(15)  # pyright: ignore[reportAttributeAccessIssue]


def _node_list(model: onnx.ModelProto, random: Random) -> None:
    nodes = random.choice(_graphs(model.graph)).node
    if not nodes:
        return
    at, kind = random.randrange(len(nodes)), random.randrange(3)
    if kind == 0:
        del nodes[at]
    elif kind == 1:
        nodes.add().CopyFrom(nodes[at])
    else:
        first = onnx.NodeProto()
        first.CopyFrom(nodes[0])
        nodes[0].CopyFrom(nodes[at])
        nodes[at].CopyFrom(first)


def _tensor(model: onnx.ModelProto, random: Random) -> None:
    tensors = [tensor for graph in _graphs(model.graph) for tensor in graph.initializer]
    tensors += [attribute.t for node in _nodes(model) for attribute in node.attribute if attribute.HasField("t")]
    if not tensors:
        return
    tensor, kind = random.choice(tensors), random.randrange(6)
    if kind == 0:
        tensor.data_type = random.randrange(-1, 30)
    elif kind == 1 and tensor.dims:
        tensor.dims[random.randrange(len(tensor.dims))] = random.choice(NUMBERS)
    elif kind == 2:
        tensor.dims.append(random.choice(NUMBERS))
    elif kind == 3:
        tensor.raw_data = random.randbytes(random.choice((0, 1, 4, 8, 64)))
    elif kind == 4:
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=random.choice(("../x", "/etc/passwd", "model.onnx", "")))
    else:
        numbers = random.choices((*NUMBERS,), k=len(tensor.raw_data) // 8)
        tensor.raw_data = b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)


def _type(model: onnx.ModelProto, random: Random) -> None:
    values = [*model.graph.input, *model.graph.output]
    value, kind = random.choice(values) if values else model.graph.input.add(), random.randrange(5)
    dims = value.type.tensor_type.shape.dim
    if kind == 0:
        value.type.tensor_type.elem_type = random.randrange(-1, 30)
    elif kind == 1 and dims:
        random.choice(dims).dim_value = random.choice(NUMBERS)
    elif kind == 2:
        dims.add().dim_value = random.choice(NUMBERS)
    elif kind == 3 and dims:
        random.choice(dims).dim_param = "batch"
    else:
        value.name = random.choice(NAMES)


def _version(model: onnx.ModelProto, random: Random) -> None:
    if random.random() < 0.2:
        model.ir_version = random.choice(NUMBERS)
    elif model.opset_import:
        entry = random.choice(model.opset_import)
        entry.version = random.choice((*NUMBERS, *range(6, 29)))
        if random.random() < 0.2:
            entry.domain = random.choice(("", "ai.onnx", "ai.onnx.ml", "com.example"))


_MUTATIONS: tuple[Callable[[onnx.ModelProto, Random], None], ...] = (
    _operator,
    _operand,
    _attribute,
    _attribute,
    _node_list,
    _tensor,
    _tensor,
    _type,
    _version,
)
