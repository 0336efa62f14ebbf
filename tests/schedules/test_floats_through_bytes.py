"""Floats that are quantised and dequantised in one kernel run in vectors, like those that are only quantised."""

from s2s.schedules.default import default
from s2s.schedules.directives import Vectorize
from s2s.schedules.directives.legal import refusal
from s2s.schedules.vector_products import vector_products
from s2s.targets import get_target
from support.parse import parse
from support.random_kernels import Kernel, Operand, compute_of

QUANTISED = """%low = arith.constant -128.0 : f32
%high = arith.constant 127.0 : f32
%raised = arith.maximumf %xv, %low : f32
%inside = arith.minimumf %raised, %high : f32
%byte = arith.fptosi %inside : f32 to i8
%out = arith.sitofp %byte : i8 to f32"""


def test_floats_that_pass_through_bytes_run_in_vectors() -> None:
    kernel = Kernel((12,), (), [], [Operand("x", "f32", (12,), "i")], "", "", "", QUANTISED, "f32")
    op = compute_of(parse(kernel.text()))
    schedule = default(op, get_target("x86-64-v4"), frozenset())
    assert schedule.find(Vectorize) is not None
    assert refusal(op, schedule) is None


TRANSPOSED = """%two = arith.constant 2.0 : f32
%scaled = arith.mulf %xv, %two : f32
%out = tensor.quantize %scaled {zero_point = 3 : i32} : i8"""


def test_bytes_of_channels_that_lie_first_run_in_vectors() -> None:
    """Vectors run along the image, of which the channels lie last in the result."""
    kernel = Kernel((12, 3), (), [], [Operand("x", "f32", (3, 12), "j, i")], "", "", "", TRANSPOSED, "i8")
    op = compute_of(parse(kernel.text()))
    schedule = vector_products(op, get_target("cortex-m55"), frozenset())
    assert schedule is not None
    assert schedule.find(Vectorize) == Vectorize.of(0, 4)
    assert refusal(op, schedule) is None
