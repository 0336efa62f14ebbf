"""What holds for all graph operations, and what their constructors promise."""

import re

import numpy as np
import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation
from xdsl.traits import Pure
from xdsl.utils.test_value import create_ssa_value

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind, provenance, set_provenance
from s2s.errors import InputError
from s2s.types.dtypes import tensor_type
from s2s.types.shapes import ShapeError
from support.project import ROOT

OPERATIONS = list(graph.Graph.operations)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_class_is_named_after_the_operation(operation: type[Operation]):
    camel = "".join(part.capitalize() for part in operation.name.removeprefix("graph.").split("_"))
    assert operation.__name__ == f"{camel}Op"
    assert getattr(graph, operation.__name__) is operation


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_operation_is_pure_documented_and_knows_its_fusion_kind(operation: type[Operation]):
    assert operation.has_trait(Pure()) or operation in (graph.CallOp, graph.RequireOp)
    assert operation.__doc__
    assert len(operation.get_traits_of_type(graph.HasFusionKind)) == 1


def test_every_operation_stands_in_ops_mlir():
    text = (ROOT / "tests" / "dialects" / "graph" / "ops.mlir").read_text()
    shown = set(re.findall(r"(?:= |^  )(graph\.\w+)", text, re.MULTILINE))
    assert {operation.name for operation in OPERATIONS} == shown


def test_constructor_infers_the_result_type():
    x, w = create_ssa_value(tensor_type(f32, (1, 3, 32, 32))), create_ssa_value(tensor_type(f32, (8, 3, 3, 3)))
    conv = graph.ConvOp(x, w, strides=[2, 2], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1)
    assert conv.y.type is tensor_type(f32, (1, 8, 16, 16))


def test_refused_construction_leaves_no_use_behind():
    a, b = create_ssa_value(tensor_type(f32, (2,))), create_ssa_value(tensor_type(f32, (3,)))
    with pytest.raises(ShapeError, match=r"shapes \[2\] and \[3\] do not broadcast"):
        graph.AddOp(a, b)
    assert list(a.uses) == []
    assert list(b.uses) == []


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64])
def test_number_beyond_64_bits_is_refused(number: int):
    x = create_ssa_value(tensor_type(f32, (2,)))
    with pytest.raises(ShapeError, match=f"{number} is outside the range of i64"):
        graph.PadOp(x, low=[number], high=[0], value=0.0)
    with pytest.raises(ShapeError, match=f"{number} is outside the range of i64"):
        graph.SoftmaxOp(x, axis=number)


def test_refusal_is_an_error_of_the_input():
    assert issubclass(ShapeError, InputError)


def test_fusion_kinds_are_those_of_tvm():
    x, pair = create_ssa_value(tensor_type(f32, (2, 3))), create_ssa_value(tensor_type(f32, (2, 2)))
    kinds = {
        graph.ExpOp(x): FusionKind.ELEMENTWISE,
        graph.AddOp(x, x): FusionKind.BROADCAST,
        graph.TransposeOp(x, perm=[1, 0]): FusionKind.INJECTIVE,
        graph.ReduceSumOp(x, axes=[1]): FusionKind.REDUCTION,
        graph.MatmulOp(x, x, transpose_b=True): FusionKind.OUT_FUSABLE,
        graph.CumsumOp(x, axis=0): FusionKind.OPAQUE,
        graph.TopKOp(x, count=1): FusionKind.OPAQUE,
        graph.DftOp(pair, pair, bins=1): FusionKind.OPAQUE,
    }
    assert {op: fusion_kind(op) for op in kinds} == kinds
    assert [int(kind) for kind in FusionKind] == [0, 1, 2, 3, 4, 8]


def test_provenance_is_merged_in_order_and_once():
    constants = [graph.ConstantOp(np.zeros(1, np.float32)) for _ in range(3)]
    first, second, bare = constants
    set_provenance(first, ["conv1", "bn1"])
    set_provenance(second, ["bn1", "relu1"])
    copy_provenance(first, second, bare)
    assert provenance(first) == ("conv1", "bn1", "relu1")
    assert str(first.attributes["node"]) == '"conv1, bn1, relu1"'
    copy_provenance(bare)
    assert provenance(bare) == ()
    assert "node" not in bare.attributes
