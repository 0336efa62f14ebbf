"""Loops, conditions, carried values and buffers of every type do in C what the loop interpreter does."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from s2s.interpret.loop import run_loop_function
from support.c_kernels import CompiledKernels, dtype_of, parse

KERNELS = {
    "sum of rows": """
        loop.for %i = 0 to 4 {
          %zero = arith.constant 0.0 : f32
          %sum = loop.for %j = 0 to 8 iter_args(%acc = %zero) -> (f32) {
            %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : memref<64xf32> -> f32
            %next = arith.addf %acc, %v : f32
            loop.yield %next : f32
          }
          loop.store %sum, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
        }
    """,
    "a value carried through two loops": """
        %zero = arith.constant 0.0 : f32
        %sum = loop.for %i = 0 to 4 iter_args(%outer = %zero) -> (f32) {
          %row = loop.for %j = 0 to 8 iter_args(%acc = %outer) -> (f32) {
            %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : memref<64xf32> -> f32
            %next = arith.subf %v, %acc : f32
            loop.yield %next : f32
          }
          loop.yield %row : f32
        }
        loop.store %sum, %y[affine_map<() -> (0)>()] : f32, memref<64xf32>
    """,
    "a value of the outer loop that the inner loop takes again and again": """
        %zero = arith.constant 1.0 : f32
        %first = loop.for %i = 0 to 3 iter_args(%a = %zero) -> (f32) {
          %b = arith.addf %a, %a : f32
          loop.yield %b : f32
        }
        loop.for %i = 0 to 3 {
          %last = loop.for %j = 0 to 3 iter_args(%a = %first) -> (f32) {
            %b = arith.addf %a, %a : f32
            loop.yield %b : f32
          }
          loop.store %last, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
        }
    """,
    "a decision tree": """
        loop.for %i = 0 to 32 {
          %a = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
          %b = loop.load %x[affine_map<(d0) -> (d0 + 32)>(%i)] : memref<64xf32> -> f32
          %w = tensor.tree %a, %b {features = array<i64: 1, 0, 0, 0, 0>, comparisons = array<i64: 2, 0, 0, 0, 0>,
            splits = array<f64: 0.5, -1.0, 0.0, 0.0, 0.0>, yes = array<i64: 1, 2, 2, 3, 4>,
            no = array<i64: 4, 3, 2, 3, 4>, missing = array<i64: 0, 1, 0, 0, 0>,
            values = array<f64: 0.0, 0.0, 2.0, 3.0, 4.0>} : (f32, f32) -> f32
          loop.store %w, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
        }
    """,
    "values that change places": """
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %p, %q = loop.for %i = 0 to 7 iter_args(%a = %zero, %b = %one) -> (f32, f32) {
          %c = arith.addf %a, %b : f32
          loop.yield %b, %c : f32, f32
        }
        loop.store %p, %y[affine_map<() -> (0)>()] : f32, memref<64xf32>
        loop.store %q, %y[affine_map<() -> (1)>()] : f32, memref<64xf32>
    """,
    "an old value that is used beside the new one": """
        %zero = arith.constant 0.0 : f32
        %p, %q = loop.for %i = 0 to 5 iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
          %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
          %next = arith.addf %a, %v : f32
          %other = arith.mulf %a, %b : f32
          %more = arith.addf %other, %v : f32
          loop.yield %next, %more : f32, f32
        }
        loop.store %p, %y[affine_map<() -> (0)>()] : f32, memref<64xf32>
        loop.store %q, %y[affine_map<() -> (1)>()] : f32, memref<64xf32>
    """,
    "bounds that depend on outer loops": """
        loop.for %i = 0 to 8 {
          loop.for %j = max affine_map<(d0) -> (d0 - 3, 0)>(%i) to min affine_map<(d0) -> (d0 + 2, 8)>(%i) step 2 {
            %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)] : memref<64xf32> -> f32
            loop.store %v, %y[affine_map<(d0, d1) -> (d1 * 8 - d0 + 7)>(%i, %j)] : f32, memref<64xf32>
          }
        }
    """,
    "conditions, with and without values": """
        %zero = arith.constant 0.0 : f32
        %two = arith.constant 2.0 : f32
        loop.for %i = 0 to 8 {
          %v = loop.if affine_set<(d0) : (d0 - 2 >= 0, 5 - d0 >= 0)>(%i) -> f32 {
            %w = loop.load %x[affine_map<(d0) -> (d0 - 2)>(%i)] : memref<64xf32> -> f32
            loop.yield %w : f32
          } else {
            loop.yield %two : f32
          }
          loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
          loop.if affine_set<(d0) : (d0 mod 3 == 0)>(%i) {
            loop.store %zero, %y[affine_map<(d0) -> (d0 + 16)>(%i)] : f32, memref<64xf32>
            loop.yield
          } else {
            loop.store %two, %y[affine_map<(d0) -> (d0 + 16)>(%i)] : f32, memref<64xf32>
            loop.yield
          }
          %chosen = loop.if affine_set<(d0) : (-d0 + 3 >= 0)>(%i) -> f32 {
            loop.yield %v : f32
          } else {
            %w = arith.addf %v, %two : f32
            loop.yield %w : f32
          }
          loop.store %chosen, %y[affine_map<(d0) -> (d0 + 32)>(%i)] : f32, memref<64xf32>
        }
    """,
    "divisions that may be negative": """
        loop.for %i = 0 to 16 {
          %q = loop.apply affine_map<(d0) -> ((d0 - 7) floordiv 3 + 3)>(%i)
          %r = loop.apply affine_map<(d0) -> ((d0 - 7) mod 3)>(%i)
          %c = loop.apply affine_map<(d0) -> ((d0 - 7) ceildiv 4 + 2)>(%i)
          %a = loop.load_at %x[%q] : memref<64xf32> -> f32
          %b = loop.load_at %x[%r] : memref<64xf32> -> f32
          %d = loop.load_at %x[%c] : memref<64xf32> -> f32
          %s = arith.addf %a, %b : f32
          %t = arith.mulf %s, %d : f32
          loop.store_at %t, %y[%i] : f32, memref<64xf32>
        }
    """,
    "loops to unroll": """
        loop.for %i = 0 to 8 {
          loop.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 8)>(%i) step 2 unroll 4 {
            %v = loop.load %x[affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)] : memref<64xf32> -> f32
            loop.store %v, %y[affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)] : f32, memref<64xf32>
          }
        }
    """.replace("= affine", "= max affine").replace("to affine", "to min affine"),
    "reads before the write of the same buffer": """
        loop.for %i = 0 to 8 {
          %a = loop.load %y[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
          %b = loop.load %y[affine_map<(d0) -> (d0 + 1)>(%i)] : memref<64xf32> -> f32
          loop.store %b, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
          loop.store %a, %y[affine_map<(d0) -> (d0 + 1)>(%i)] : f32, memref<64xf32>
        }
    """,
}
TYPED = """
    loop.for %i = 0 to 64 {{
      %v = loop.load %x[affine_map<(d0) -> (63 - d0)>(%i)] : memref<64x{0}> -> {1}
      %w = {2} %v, %v : {1}
      loop.store %w, %y[affine_map<(d0) -> (d0)>(%i)] : {1}, memref<64x{0}>
    }}
"""
TYPES = ("f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")


def kernel_text(name: str, body: str, element: str = "f32") -> str:
    buffer = f"memref<64x{element}>"
    return f"func.func private @{name}(%y: {buffer}, %x: {buffer}) {{\n{body}\nfunc.return\n}}\n"


def typed_body(element: str) -> str:
    scalar = element.removeprefix("u") if element.startswith("ui") else element
    return TYPED.format(element, scalar, "arith.muli" if "i" in element else "arith.mulf")


TEXTS = {
    **{f"k{number}": kernel_text(f"k{number}", body) for number, body in enumerate(KERNELS.values())},
    **{f"square_{element}": kernel_text(f"square_{element}", typed_body(element), element) for element in TYPES},
}
LABELS = [*KERNELS, *(f"a buffer of {element}" for element in TYPES)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CompiledKernels:
    return CompiledKernels(parse("\n".join(TEXTS.values())), tmp_path_factory.mktemp("control"))


@pytest.mark.parametrize("name", TEXTS, ids=LABELS)
def test_a_kernel_does_in_c_what_the_interpreter_does(name: str, compiled: CompiledKernels) -> None:
    (function,) = parse(TEXTS[name]).ops
    assert isinstance(function, FuncOp)
    dtype = dtype_of(function)
    generator = np.random.default_rng(3)
    x = generator.standard_normal(64) * 20 if dtype.kind not in "iu" else generator.integers(0, 200, 64)
    x = x.astype(dtype)
    expected, found = x[::-1].copy(), x[::-1].copy()
    with np.errstate(all="ignore"):
        run_loop_function(function, [expected, x])
    compiled.run(name, [found, x])
    np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


def test_a_carried_value_stays_in_one_variable(tmp_path: Path) -> None:
    lines = CompiledKernels(parse(TEXTS["k1"]), tmp_path).text.splitlines()
    assert [line.strip() for line in lines if line.startswith(" ") and "float" in line] == ["float outer = 0.0f;"]
