"""The pipeline leaves out a pass where a module has no operation that the pass begins at."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from s2s.dialects import graph
from s2s.passes.begins import BEGINS_AT, has_work
from s2s.passes.context import CompilerContext
from s2s.registry import PASSES, get_pass
from s2s.types.dtypes import as_tensor_type, to_numpy
from s2s.types.weights import WeightStore
from support.parse import parse
from support.project import ROOT

EXAMPLES = sorted((ROOT / "tests" / "passes" / "graph").glob("*.mlir"))
TARGET = "x86-64-v3"
"""A target with vectors: passes that need them do something."""


def test_each_pass_exists():
    assert set(BEGINS_AT) <= set(PASSES)


def networks(text: str) -> Iterator[ModuleOp]:
    """Each function of a module that calls no other, as the network of a module of its own."""
    try:
        functions = [each for each in parse(text).ops if isinstance(each, FuncOp) and not each.is_declaration]
    except (DiagnosticException, ParseError, VerifyException):  # an example of what is refused
        return
    for function in functions:
        if not any(isinstance(op, graph.CallOp | CallOp) for op in function.walk()):
            network = function.clone()
            network.properties["sym_name"] = StringAttr("main")
            yield ModuleOp([network])


def weights_of(module: ModuleOp) -> WeightStore:
    """Made-up values of the weights that a network names."""
    store, generator = WeightStore(), np.random.default_rng(0)
    for op in module.walk():
        if isinstance(op, graph.WeightOp):
            numbers = generator.integers(1, 4, as_tensor_type(op.y.type).get_shape())
            store.add(op.weight_name.data, numbers.astype(to_numpy(as_tensor_type(op.y.type).element_type)))
    return store


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_passes_without_work_leave_a_network_as_it_is(path: Path):
    for module in (each for text in path.read_text().split("// -----") for each in networks(text)):
        for name in BEGINS_AT:
            if not has_work(module, name):
                made, changed = get_pass(name), module.clone()
                options = {"target": TARGET} if "target" in {each.name for each in fields(made)} else {}
                made(**options).apply(CompilerContext(weights_of(module)), changed)
                assert str(changed) == str(module), name


def test_dead_operations_are_work():
    module = parse("func.func @f(%x: tensor<4xf32>) { %y = graph.exp %x : tensor<4xf32> func.return }")
    assert all(has_work(module, name) for name in BEGINS_AT)
