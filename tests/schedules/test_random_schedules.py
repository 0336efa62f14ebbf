"""Random legal schedules of random kernels compute what the computation says; what does not fit is refused by name."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.schedules.directives.legal import kinds, refusal
from s2s.targets import get_target
from s2s.types.weights import WeightStore
from support.numbers import compare_modules
from support.parse import parse

TARGETS = ("host", "c", "cortex-m4")


def reduction(reads: str, domain: str, types: str, result: str, body: str) -> str:
    """A kernel that adds up in f32, or in i32 where its operands are bytes."""
    number = "i32" if "i8" in types else "f32"
    zero = "0" if number == "i32" else "0.0"
    operand = "i8" if number == "i32" else "f32"
    names = ["%x", "%w"][: types.count("tensor")]
    arguments = ", ".join(f"{name}: {each}" for name, each in zip(names, types.split("; "), strict=True))
    scalars = ", ".join(f"{name}v: {operand}" for name in names)
    return f"""
    func.func private @k({arguments}) -> {result} {{
      %y = tensor.compute {domain} reads({reads}) inits [{zero} : {number}] reduce {{
      ^bb0({scalars}, %acc: {number}):
        {body}
        tensor.yield %s : {number}
      }} apply {{
      ^bb0(%acc: {number}):
        tensor.yield %acc : {number}
      }} : ({types.replace(";", ",")}) -> {result}
      func.return %y : {result}
    }}"""


PRODUCT = "%p = arith.mulf %xv, %wv : f32 %s = arith.addf %acc, %p : f32"
BYTES = """%xe = arith.extsi %xv : i8 to i32 %zp = arith.constant -5 : i32 %xz = arith.subi %xe, %zp : i32
        %we = arith.extsi %wv : i8 to i32 %p = arith.muli %xz, %we : i32 %s = arith.addi %acc, %p : i32"""


def access(dims: str, results: str, *, guarded: bool = False) -> str:
    """An access as it is written."""
    return f"#tensor.access<affine_map<({dims}) -> ({results})>{', guarded' if guarded else ''}>"


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """A GEMM, a convolution, a depthwise one, a sum, something elementwise, or products of bytes."""
    size = st.integers(1, 9)
    kind = draw(st.sampled_from(["gemm", "conv", "depthwise", "reduce", "elementwise", "bytes", "byte_conv"]))
    m, n, k = draw(size), draw(size), draw(st.integers(1, 20))
    if kind in ("gemm", "bytes"):
        element = "i8" if kind == "bytes" else "f32"
        reads = f"%x at {access('i, j, r', 'i, r')}, %w at {access('i, j, r', 'j, r')}"
        types = f"tensor<{m}x{k}x{element}>; tensor<{n}x{k}x{element}>"
        result = f"tensor<{m}x{n}x{'i32' if element == 'i8' else 'f32'}>"
        return reduction(reads, f"[{m}, {n} | {k}]", types, result, BYTES if element == "i8" else PRODUCT)
    if kind in ("conv", "depthwise", "byte_conv"):
        element = "i8" if kind == "byte_conv" else "f32"
        pad, c = draw(st.integers(0, 1)), draw(st.integers(1, 5))
        side = m + 2 - 2 * pad
        if side < 1:
            side, pad = m + 2, 0
        guarded = pad > 0
        if kind == "depthwise":
            window = access("c, i, r", f"c, i + r - {pad}", guarded=guarded)
            reads = f"%x at {window}, %w at {access('c, i, r', 'c, r')}"
            types, domain = f"tensor<{n}x{side}xf32>; tensor<{n}x3xf32>", f"[{n}, {m} | 3]"
        else:
            window = access("o, i, c, r", f"c, i + r - {pad}", guarded=guarded)
            reads = f"%x at {window}, %w at {access('o, i, c, r', 'o, c, r')}"
            types = f"tensor<{c}x{side}x{element}>; tensor<{n}x{c}x3x{element}>"
            domain = f"[{n}, {m} | {c}, 3]"
        result = f"tensor<{n}x{m}x{'i32' if element == 'i8' else 'f32'}>"
        return reduction(reads, domain, types, result, BYTES if element == "i8" else PRODUCT)
    if kind == "reduce":
        reads = f"%x at {access('i, r', 'i, r')}"
        body = "%s = arith.addf %acc, %xv : f32"
        return reduction(reads, f"[{m} | {k}]", f"tensor<{m}x{k}xf32>", f"tensor<{m}xf32>", body)
    return f"""
    func.func private @k(%x: tensor<{m}x{n}xf32>) -> tensor<{n}x{m}xf32> {{
      %y = tensor.compute [{n}, {m}] points(%x at {access("i, j", "j, i")}) apply {{
      ^bb0(%v: f32):
        %s = arith.mulf %v, %v : f32
        tensor.yield %s : f32
      }} : (tensor<{m}x{n}xf32>) -> tensor<{n}x{m}xf32>
      func.return %y : tensor<{n}x{m}xf32>
    }}"""


def compute_of(module: ModuleOp) -> tensor.ComputeOp:
    """The only computation of a module."""
    (func,) = module.body.block.ops
    assert isinstance(func, FuncOp)
    first = func.body.block.first_op
    assert isinstance(first, tensor.ComputeOp)
    return first


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(kernels(), st.sampled_from(TARGETS), st.data())
def test_any_legal_schedule_gives_the_same_numbers(text: str, name: str, data: st.DataObject) -> None:
    module = parse(text)
    op, chosen = compute_of(module), tensor.ScheduleAttr.of()
    for kind in kinds():
        wish = chosen.adding(data.draw(st.sampled_from([None, *kind.values(op, get_target(name))])))
        chosen = chosen if refusal(op, wish) else wish
    op.properties["schedule"] = chosen
    module.verify()
    after = module.clone()
    LowerToLoopPass().apply(CompilerContext(), after)
    after.verify()
    assert compare_modules(module, after, WeightStore()) == 1
