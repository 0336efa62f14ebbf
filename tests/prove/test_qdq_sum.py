"""The reference of a quantised sum is what onnxruntime computes, for all pairs of bytes."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.prove.atoms import Atoms
from s2s.prove.intervals import at
from s2s.prove.reference.onnx_file import read_onnx
from s2s.prove.reference.qdq import execute_onnx
from support.threads import one_thread

BYTES = np.arange(-128, 128)
SCALES = [(0.04, -3, 0.07, 5, 0.09, 11), (0.011, 100, 0.3, -128, 0.2, 0), (0.05, 0, 0.05, 0, 0.05, -7)]
"""Scale and zero point of both operands and of the sum."""


def sum_network(kind: str, size: int, numbers: tuple[float, int, float, int, float, int]) -> bytes:
    """Two inputs of bytes, dequantised, added and quantised."""
    constants = [
        numpy_helper.from_array(np.asarray(number, np.int8 if place % 2 else np.float32), f"c{place}")
        for place, number in enumerate(numbers)
    ]
    nodes = [
        helper.make_node("DequantizeLinear", ["a", "c0", "c1"], ["af"], name="af"),
        helper.make_node("DequantizeLinear", ["b", "c2", "c3"], ["bf"], name="bf"),
        helper.make_node(kind, ["af", "bf"], ["sum"], name="sum"),
        helper.make_node("QuantizeLinear", ["sum", "c4", "c5"], ["y"], name="y"),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.INT8, [size]) for name in "aby"]
    graph = helper.make_graph(nodes, "sum", ports[:2], ports[2:], initializer=constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return model.SerializeToString()


def by_reference(path: Path) -> np.ndarray:
    """The sum of a and b for each pair, as (a, b)."""
    model, atoms = read_onnx(path), Atoms()
    execute_onnx(model, atoms)
    output = model.outputs[0]
    assert model.inputs[0].ids is not None
    kind, *parts = atoms.definitions[int(output.atoms[0])]
    assert kind == "pair"
    rows, columns = (atoms.tables[int(number)].over(at(BYTES)).low for number in parts[2:4])
    sums = atoms.matrices[parts[4]][rows[:, None], columns] + int(output.plain[0])
    return sums if atoms.bases[int(parts[0])].ids[0] == model.inputs[0].ids[0] else sums.T


@pytest.mark.parametrize("numbers", SCALES, ids=["rounded", "far_apart", "equal"])
def test_the_reference_of_a_sum_is_the_engines(numbers: tuple[float, int, float, int, float, int], tmp_path: Path):
    a, b = (part.reshape(-1).astype(np.int8) for part in np.meshgrid(BYTES, BYTES, indexing="ij"))
    runtime: Any = import_module("onnxruntime")
    session = runtime.InferenceSession(
        sum_network("Add", a.size, numbers), one_thread(), providers=["CPUExecutionProvider"]
    )
    path = tmp_path / "sum.onnx"
    path.write_bytes(sum_network("Add", 1, numbers))
    assert np.array_equal(by_reference(path).reshape(-1), session.run(None, {"a": a, "b": b})[0])
