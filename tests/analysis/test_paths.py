"""Whether the path of a kernel depends on data, told from its loops."""

import pytest

from s2s.analysis.cost.loops import KernelPath, kernel_paths
from support.parse import parse

KERNEL = """
func.func private @kernel(%y: memref<8xf32>, %x: memref<8xi32>, %t: memref<8xf32>) attributes {{kernel}} {{
  loop.for %i = 0 to 8 {{
    {}
  }}
  func.return
}}
func.func @main(%x: memref<8xi32>, %y: memref<8xf32>) {{
  %t = loop.weight "t" {{hash = "0"}} : memref<8xf32>
  %n = loop.weight "n" {{hash = "0"}} : memref<8xi32>
  func.call @kernel(%y, {}, %t) : (memref<8xf32>, memref<8xi32>, memref<8xf32>) -> ()
  func.return
}}
"""
GATHER = """
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xi32> -> i32
    %n = arith.index_cast %v : i32 to index
    %w = loop.load_at %t[%n] : memref<8xf32> -> f32
    loop.store %w, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
"""
PLAIN = """
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xi32> -> i32
    %w = arith.sitofp %v : i32 to f32
    {}
    loop.store %z, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
"""


def path(body: str, x: str = "%x") -> KernelPath:
    module = parse(KERNEL.format(body, x))
    [found] = kernel_paths(module, {"kernel": "net_kernel"})
    return found


def test_a_gather_reads_where_data_say() -> None:
    assert path(GATHER) == KernelPath("net_kernel", "bounded", ("reads at positions that data give",), most=16)


def test_positions_that_are_constants_are_the_same_in_every_run() -> None:
    assert path(GATHER, "%n").path == "exact"


@pytest.mark.parametrize(
    "body", ["%z = arith.divf %w, %w : f32", "%z = math.sqrt %w : f32", "%z = arith.negf %w : f32"]
)
def test_arithmetic_keeps_to_its_path(body: str) -> None:
    assert path(PLAIN.format(body)) == KernelPath("net_kernel", "exact", most=16)


def test_a_choice_keeps_to_its_path() -> None:
    chosen = "%b = arith.cmpf olt, %w, %w : f32\n    %z = arith.select %b, %w, %w : f32"
    assert path(PLAIN.format(chosen)).path == "exact"


def test_a_function_of_the_c_library_may_take_another_one() -> None:
    assert path(PLAIN.format("%z = math.erf %w : f32")).describe() == "bounded, because it calls the C library"


def test_a_loop_that_data_bound_has_the_greatest_number_of_turns_or_none() -> None:
    loop = """
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xi32> -> i32
    %n = arith.index_cast %v : i32 to index
    loop.for %k = 0 to min affine_map<(d0) -> (d0)>(%n) {
    }
"""
    assert path(loop) == KernelPath("net_kernel", "open", ("loops as often as data say",), repeats=True)
