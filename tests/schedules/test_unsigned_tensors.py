"""Vectors read and write signed integers only: computations on unsigned tensors run in scalars, without warnings, and
compute what they mean, for numbers whose highest bit is set, too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper, parser
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s import api
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.types.dtypes import Array, from_numpy, type_of_array
from support.c_compilers import COMPILERS, WARNINGS, require, run
from support.compiled import compiled, differences, run_c
from support.trees import command

UNSIGNED = (np.uint8, np.uint16, np.uint32)
STEPS: dict[str, Callable[[SSAValue, SSAValue], GraphOp]] = {
    "add": graph.AddOp,
    "multiply": graph.MulOp,
    "exclusive or": graph.BitwiseXorOp,
    "maximum": graph.MaximumOp,
    "divide": graph.DivOp,
    "shift right": graph.ShiftRightOp,
}
CASTS = (np.int8, np.uint8, np.int32, np.uint32, np.float32)


def large(dtype: Any, size: int = 40) -> Array:
    """Numbers of the upper half, and a few small ones."""
    most = np.iinfo(dtype).max
    numbers = np.random.default_rng(0).integers(most // 2, most, size, endpoint=True).astype(dtype)
    numbers[:4] = [1, 2, 3, most]
    return numbers


def chain(dtype: Any) -> tuple[ModuleOp, list[Array], list[str]]:
    """What each step makes of sums of two tensors, and each cast of that: fused, so bodies of several operations."""
    x = large(dtype)
    y = (x[::-1] % 5 + 1).astype(dtype)
    block, results, labels = Block(arg_types=[type_of_array(x), type_of_array(y)]), list[SSAValue](), list[str]()

    def add(op: GraphOp) -> SSAValue:
        block.add_op(op)
        return op.results[0]

    for label, step in STEPS.items():
        for kind in CASTS:
            number = add(step(add(graph.AddOp(*block.args)), block.args[1]))
            results.append(add(graph.CastOp(number, element_type=from_numpy(np.dtype(kind)))))
            labels.append(f"{label}, cast to {np.dtype(kind)}")
    for op in block.ops:
        graph.set_provenance(op, [op.name])
    block.add_op(ReturnOp(*results))
    module = ModuleOp([FuncOp("main", (list(block.arg_types), [each.type for each in results]), Region(block))])
    module.verify()
    return module, [x, y], labels


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_large_numbers_stay_unsigned(dtype: Any):
    module, inputs, labels = chain(dtype)
    with compiled(module, target="host") as artifact:
        assert differences(artifact, module, inputs, labels) == {}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_their_c_has_no_warnings(dtype: Any, compiler: str, tmp_path: Path):
    module, _, _ = chain(dtype)
    tree = compiled(module, target="host").write(tmp_path / "net")
    run(command(tree, require(compiler), "host", *WARNINGS, "-fsyntax-only"), tree)


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """A product of bytes that are unsigned in memory, and signed where they are multiplied."""
    body = "n (uint8[8, 16] x) => (int32[8, 32] y) { s = Cast <to = 3> (x) y = MatMulInteger (s, w) }"
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 13]> {body}')
    model.graph.initializer.append(numpy_helper.from_array(weights(), "w"))
    path = tmp_path / "net.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def weights() -> Array:
    return np.random.default_rng(1).integers(-127, 127, (16, 32), dtype=np.int8, endpoint=True)


def test_bytes_that_are_read_as_signed_give_the_right_sums(product: Path):
    x = large(np.uint8, 128).reshape(8, 16)
    with api.compile(product, target="host", name="net") as artifact:
        [found] = run_c(artifact, [x])
    np.testing.assert_array_equal(found, x.astype(np.int8).astype(np.int32) @ weights().astype(np.int32))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_products_of_such_bytes_have_no_warnings(product: Path, compiler: str, tmp_path: Path):
    tree = api.compile(product, target="host", name="net").write(tmp_path / "net")
    run(command(tree, require(compiler), "host", *WARNINGS, "-fsyntax-only"), tree)
