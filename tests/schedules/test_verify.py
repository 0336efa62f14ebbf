"""What the verifier of a kernel refuses, each with place, reason and way out, before anything is lowered."""

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.errors import ScheduleError
from s2s.passes.context import CompilerContext
from s2s.schedules.verify import verify_kernel

PRODUCT = """
func.func private @k(%x: tensor<4x8xi8>, %w: tensor<20x8xi8>) -> tensor<4x20xi32> {
  %y = tensor.compute [4, 20 | 8]
    reads(%x at #tensor.access<affine_map<(i, j, r) -> (i, r)>>, %w at #tensor.access<affine_map<(i, j, r) -> (j, r)>>)
    schedule #tensor.schedule<[SCHEDULE]> inits [0 : i32] reduce {
  ^bb0(%xv: i8, %wv: i8, %acc: i32):
    %xe = arith.extsi %xv : i8 to i32
    %we = arith.extsi %wv : i8 to i32
    %p = arith.muli %xe, %we : i32
    %s = arith.addi %acc, %p : i32
    tensor.yield %s : i32
  } apply {
  ^bb0(%acc: i32):
    tensor.yield %acc : i32
  } : (tensor<4x8xi8>, tensor<20x8xi8>) -> tensor<4x20xi32>
  func.return %y : tensor<4x20xi32>
}
func.func @main(%x: tensor<4x8xi8> {name = "x"}) -> (tensor<4x20xi32> {name = "y"}) {
  %w = graph.weight "w" {hash = "0"} : tensor<20x8xi8>
  %y = graph.call @k(%x, %w) : (tensor<4x8xi8>, tensor<20x8xi8>) -> tensor<4x20xi32>
  func.return %y : tensor<4x20xi32>
}"""

REFUSED = {
    "vectorize<1 by 16>, cache_read<0 packed [1, 0]>": (
        "cache_read packs operand 0, which is no constant of this kernel; leave it as it is"
    ),
    'cache_read<0 at 0 as i16>, tensorize<"smlad">': (
        "smlad: the steps of a dot product lie at (0, 1, 2, 3) in read 1, not at (0, 2, 1, 3); pack it so with "
        "cache_read"
    ),
    'vectorize<1 by 4>, tensorize<"neon-dot">': (
        "neon-dot: no factor holds the 4 elements of a group, lane by lane, along dimension 1; pack the constant so "
        "with cache_read"
    ),
    "tile<2 by 2 by 1>, vectorize<1 by 4>, cache_read<1 packed [0 floordiv 4, 1 floordiv 4, 0 mod 4, 1 mod 4]>, "
    'tensorize<"neon-dot">': "neon-dot: blocks of 2 steps of reduction 2 cut groups of 4 steps; take a multiple",
    "tile<1 by 20>, cache_read<0 at 0 as i16>, reorder<[0, 1, 2]>, parallel<0>": "",
    "tile<0 by 3>, parallel<0>": "parallel: borders leave one iteration of dimension 0; make its tile smaller",
    "cache_read<0 at 0 as i16>, parallel<0, 1>": (
        "parallel: a copy stands beside the loop over dimension 1; divide fewer loops"
    ),
    "vectorize<1 by 8>, tile<1 by 4>": ("a tile of 4 along dimension 1 is no multiple of 8 lanes; tile it by 8"),
}


def refusal(schedule: str) -> str:
    """Why the product cannot have this schedule; empty where it can."""
    ctx = CompilerContext()
    try:
        module = Parser(ctx, PRODUCT.replace("SCHEDULE", schedule)).parse_module()
        module.verify()
        kernel = next(op for op in module.ops if isinstance(op, FuncOp))
        verify_kernel(kernel, constant_arguments(kernel, calls_of(module)))
    except (ScheduleError, VerifyException) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("schedule", REFUSED)
def test_place_reason_and_way_out(schedule: str) -> None:
    found = " ".join(refusal(schedule).split())
    wanted = REFUSED[schedule]
    assert wanted in found if wanted else found == ""
    assert not wanted or "tensor.compute: " in found
