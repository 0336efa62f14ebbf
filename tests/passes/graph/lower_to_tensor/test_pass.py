"""The pass as a whole: what it covers, keeps, leaves alone and refuses."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.dialects import graph, tensor
from s2s.errors import CompilerBug, UnsupportedError
from s2s.passes.context import CompilerContext
from s2s.passes.graph.lower_to_tensor import LowerToTensorPass
from support.kernels import check_lowering, rand
from support.parse import parse

OUTSIDE_OF_KERNELS = (graph.StepInterface, graph.ExternOp, graph.WeightOp)


def lower(text: str) -> ModuleOp:
    module = parse(text)
    LowerToTensorPass().apply(CompilerContext(), module)
    module.verify()
    return module


def test_numbers_of_every_operator_are_tested_here():
    tests = "".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py")))
    operators = [each for each in graph.Graph.operations if not issubclass(each, OUTSIDE_OF_KERNELS)]
    assert [each.name for each in operators if f"graph.{each.__name__}" not in tests] == []


def test_source_nodes_stay_with_every_computation():
    module = lower("""
        func.func private @k(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {kernel} {
          %y = graph.softmax %x {axis = 1 : i64, node = "softmax1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
          func.return %y : tensor<2x3xf32>
        }
    """)
    computations = [op for op in module.walk() if isinstance(op, tensor.ComputeOp)]
    assert [graph.provenance(op) for op in computations] == [("softmax1",)] * 4


def test_signature_stays():
    module = lower("""
        func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) attributes {kernel} {
          %y = graph.exp %x : tensor<4xf32>
          %z = graph.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
          func.return %y, %z : tensor<4xf32>, tensor<2x2xf32>
        }
    """)
    [kernel] = module.body.block.ops
    assert isinstance(kernel, FuncOp)
    assert str(kernel.function_type) == "(tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>)"


def test_constant_of_several_values_is_a_bug():
    with pytest.raises(CompilerBug, match=r"bias \(graph.constant\): .* should be an argument"):
        lower("""
            func.func private @k(%x: tensor<2xf32>) -> tensor<2xf32> attributes {kernel} {
              %c = graph.constant {node = "bias"} dense<[1.0, 2.0]> : tensor<2xf32>
              %y = graph.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
              func.return %y : tensor<2xf32>
            }
        """)


def test_weight_inside_a_kernel_is_a_bug():
    with pytest.raises(CompilerBug, match=r"graph.weight\) in @k has no lowering"):
        lower("""
            func.func private @k() -> tensor<2xf32> attributes {kernel} {
              %w = graph.weight "w" {hash = ""} : tensor<2xf32>
              func.return %w : tensor<2xf32>
            }
        """)


def test_result_without_elements_is_refused():
    with pytest.raises(UnsupportedError, match=r"cut \(graph.slice\): the result \[0\] has no element; take the node"):
        lower("""
            func.func private @k(%x: tensor<2xf32>) -> tensor<0xf32> attributes {kernel} {
              %y = graph.slice %x {starts = array<i64: 0>, sizes = array<i64: 0>, strides = array<i64: 1>, node = "cut"}
                  : (tensor<2xf32>) -> tensor<0xf32>
              func.return %y : tensor<0xf32>
            }
        """)


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_constant_of_one_value_may_be_the_whole_kernel(shape: tuple[int, ...]):
    check_lowering(lambda: graph.ConstantOp(np.full(shape, 3, np.uint8)))


def test_constant_may_be_read_everywhere():
    number = np.full((3, 3), 2, np.float32)
    check_lowering(lambda x: graph.MatmulOp(x, graph.ConstantOp(number)), rand(2, 3))
    check_lowering(lambda i: graph.GatherOp(graph.ConstantOp(number), i, axis=0), np.array([0, 2]))
    check_lowering(lambda: graph.ReduceSumOp(graph.ConstantOp(number), axes=[1]))
