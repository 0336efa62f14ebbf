"""Random small kernels at the tensor level, inside a network that passes their constants: products, convolutions,
depthwise convolutions, reductions, pooling and elementwise computations, of floats and of integers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.types.dtypes import Array

DTYPES = {"f32": np.float32, "i8": np.int8, "i32": np.int32}


@dataclass(frozen=True)
class Operand:
    """An operand of a kernel: `%x at access : tensor<shape x element>`."""

    name: str
    element: str
    shape: tuple[int, ...]
    access: str
    guarded: bool = False
    constant: bool = False

    @property
    def type(self) -> str:
        """The tensor type."""
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element}>"


@dataclass(frozen=True)
class Kernel:
    """A kernel of one computation."""

    domain: tuple[int, ...]
    steps: tuple[int, ...]
    reads: Sequence[Operand]
    epilogue: Sequence[Operand]
    init: str
    accumulator: str
    reduce: str
    """Operations that compute `%next` from `%xv`, `%wv` and `%acc`; empty without a reduction."""
    apply: str
    """Operations that compute `%out` from `%acc`, or from the operands of the epilogue."""
    result: str
    dims: str = field(default="")

    @property
    def operands(self) -> list[Operand]:
        """The operands in order."""
        return [*self.reads, *self.epilogue]

    def text(self) -> str:
        """The module with the kernel and a network that calls it."""
        result = f"tensor<{'x'.join(map(str, self.domain))}x{self.result}>"
        names = [chr(ord("i") + number) for number in range(len(self.domain))]
        both = [*names, *(f"r{number}" for number in range(len(self.steps)))]
        sizes = ", ".join(map(str, self.domain)) + (f" | {', '.join(map(str, self.steps))}" if self.steps else "")

        def listed(word: str, operands: Sequence[Operand], dims: Sequence[str]) -> str:
            one = [
                f"%{each.name} at #tensor.access<affine_map<({', '.join(dims)}) -> ({each.access})>"
                f"{', guarded' if each.guarded else ''}>"
                for each in operands
            ]
            return f"{word}({', '.join(one)})" if one else ""

        body = ""
        accumulator = ""
        if self.steps:
            scalars = ", ".join(f"%{each.name}v: {each.element}" for each in self.reads)
            accumulator = f"%acc: {self.accumulator}"
            body = (
                f"inits [{self.init} : {self.accumulator}] reduce {{\n^bb0({scalars}, {accumulator}):\n"
                f"{self.reduce}\ntensor.yield %next : {self.accumulator}\n}}"
            )
        scalars = ", ".join([accumulator] * bool(accumulator) + [f"%{p.name}v: {p.element}" for p in self.epilogue])
        types = ", ".join(each.type for each in self.operands)
        arguments = ", ".join(f"%{each.name}: {each.type}" for each in self.operands)
        inputs = [each for each in self.operands if not each.constant]
        weights = "\n".join(
            f'%{each.name} = graph.weight "{each.name}" {{hash = "{number}"}} : {each.type}'
            for number, each in enumerate(self.operands)
            if each.constant
        )
        given = ", ".join(f'%{each.name}: {each.type} {{name = "{each.name}"}}' for each in inputs)
        passed = ", ".join(f"%{each.name}" for each in self.operands)
        operands = f"{listed('reads', self.reads, both)} {listed('epilogue', self.epilogue, names)}"
        return f"""
func.func private @k({arguments}) -> {result} {{
  %y = tensor.compute [{sizes}] {operands} {body} apply {{
  ^bb0({scalars}):
{self.apply}
    tensor.yield %out : {self.result}
  }} : ({types}) -> {result}
  func.return %y : {result}
}}
func.func @main({given}) -> ({result} {{name = "y"}}) {{
  {weights}
  %y = graph.call @k({passed}) : ({types}) -> {result}
  func.return %y : {result}
}}"""

    def build(self, random: Random) -> tuple[CompilerContext, ModuleOp, list[Array]]:
        """A context with random weights, the module, and inputs."""
        rng = np.random.default_rng(random.getrandbits(32))
        ctx, inputs = CompilerContext(), list[Array]()
        for each in self.operands:
            if each.element == "f32":
                values = rng.uniform(-2, 2, each.shape).astype(np.float32)
            else:
                high = 127 if each.element == "i8" else 3000
                values = rng.integers(-high, high + 1, each.shape).astype(DTYPES[each.element])
            if each.constant:
                ctx.weights.add(each.name, values)
            else:
                inputs.append(values)
        module = Parser(ctx, self.text()).parse_module()
        module.verify()
        return ctx, module, inputs


def compute_of(module: ModuleOp) -> tensor.ComputeOp:
    """The first computation of the first kernel of `module`."""
    func = next(op for op in module.ops if isinstance(op, FuncOp))
    return next(op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp))


FLOAT_PRODUCT = "%p = arith.mulf %xv, %wv : f32\n%next = arith.addf %acc, %p : f32"
SAME = "%zero = arith.constant {zero} : {type}\n%out = arith.{add} %acc, %zero : {type}"
SUM, MAX = "%next = arith.addf %acc, %xv : f32", "%next = arith.maximumf %acc, %xv : f32"
LARGEST_BYTE = "%next = arith.maxsi %acc, %xv : i8"
RELU = "%t = arith.addf %acc, %bv : f32\n%zero = arith.constant 0.0 : f32\n%out = arith.maximumf %t, %zero : f32"
SQUARE = "%out = arith.mulf %xv, %xv : f32"
ADDED = "%out = arith.addf %xv, %wv : f32"
DIFFERENT = "%n = arith.negf %acc : f32\n%out = arith.addf %n, %acc : f32"
NARROWED = """%t = arith.addi %acc, %bv : i32
%shift = arith.constant 7 : i32
%s = arith.shrsi %t, %shift : i32
%low = arith.constant -128 : i32
%high = arith.constant 127 : i32
%c = arith.maxsi %s, %low : i32
%d = arith.minsi %c, %high : i32
%out = arith.trunci %d : i32 to i8"""
BYTES_ADDED = """%xe = arith.extsi %xv : i8 to i32
%we = arith.extsi %wv : i8 to i32
%t = arith.addi %xe, %we : i32
%low = arith.constant -128 : i32
%high = arith.constant 127 : i32
%c = arith.maxsi %t, %low : i32
%d = arith.minsi %c, %high : i32
%out = arith.trunci %d : i32 to i8"""


def byte_product(x_zero: int, w_zero: int) -> str:
    """A step of a sum of products of bytes."""
    lines = ["%xe = arith.extsi %xv : i8 to i32", "%we = arith.extsi %wv : i8 to i32"]
    x, w = "%xe", "%we"
    if x_zero:
        lines += [f"%zx = arith.constant {x_zero} : i32", "%xz = arith.subi %xe, %zx : i32"]
        x = "%xz"
    if w_zero:
        lines += [f"%zw = arith.constant {w_zero} : i32", "%wz = arith.subi %we, %zw : i32"]
        w = "%wz"
    return "\n".join([*lines, f"%p = arith.muli {x}, {w} : i32", "%next = arith.addi %acc, %p : i32"])


def random_kernel(random: Random) -> Kernel:
    """A kernel of any kind."""
    return random.choice([_gemm, _gemm, _conv, _conv, _depthwise, _depthwise, _reduction, _pool, _elementwise])(random)


def random_product(random: Random) -> Kernel:
    """A product of matrices of bytes, a convolution or a depthwise convolution, with constant weights."""
    while True:
        kernel = random.choice([_gemm, _conv, _conv, _depthwise])(random)
        if kernel.accumulator == "i32" and any(read.constant for read in kernel.reads):
            return kernel


def _gemm(random: Random) -> Kernel:
    m, n = random.choice([1, 2, 5, 9]), random.choice([1, 3, 4, 8, 12, 16, 20, 33])
    k = random.choice([1, 3, 4, 7, 8, 16, 33])
    w: Read = ((k, n), "r0, j", False) if random.random() < 0.5 else ((n, k), "j, r0", False)
    return _products(random, (m, n), (k,), ((m, k), "i, r0", False), w, "j")


def _conv(random: Random) -> Kernel:
    side, o, c = random.randint(1, 6), random.choice([1, 3, 4, 8, 12, 16]), random.choice([1, 2, 3, 4, 7, 8])
    pad, step = random.randint(0, 1), random.randint(1, 2)
    image = (side - 1) * step + 3 - 2 * pad
    if image < 1:
        image, pad = image + 2, 0
    along = f"{'' if step == 1 else f'{step} * '}"
    row = f"{along}i + r0 - {pad}, {along}j + r1 - {pad}"
    if random.random() < 0.5:
        x = ((image, image, c), f"{row}, r2", pad > 0)
        return _products(random, (side, side, o), (3, 3, c), x, ((o, c, 3, 3), "k, r2, r0, r1", False), "k")
    row = f"{along}j + r1 - {pad}, {along}k + r2 - {pad}"
    x = ((c, image, image), f"r0, {row}", pad > 0)
    return _products(random, (o, side, side), (c, 3, 3), x, ((o, c, 3, 3), "i, r0, r1, r2", False), "i")


def _depthwise(random: Random) -> Kernel:
    side, c = random.randint(1, 6), random.choice([1, 3, 4, 8, 12, 16])
    pad, step = random.randint(0, 1), random.randint(1, 2)
    image = (side - 1) * step + 3 - 2 * pad
    if image < 1:
        image, pad = image + 2, 0
    along = f"{'' if step == 1 else f'{step} * '}"
    if random.random() < 0.6:
        row = f"{along}i + r0 - {pad}, {along}j + r1 - {pad}"
        x = ((image, image, c), f"{row}, k", pad > 0)
        return _products(random, (side, side, c), (3, 3), x, ((c, 3, 3), "k, r0, r1", False), "k")
    row = f"{along}j + r0 - {pad}, {along}k + r1 - {pad}"
    x = ((c, image, image), f"i, {row}", pad > 0)
    return _products(random, (c, side, side), (3, 3), x, ((c, 3, 3), "i, r0, r1", False), "i")


Read = tuple[tuple[int, ...], str, bool]


def _products(
    random: Random, domain: tuple[int, ...], steps: tuple[int, ...], x: Read, w: Read, channel: str
) -> Kernel:
    element = random.choice(["f32", "i8", "i8"])
    constant = random.random() < 0.8
    reads = [Operand("x", element, *x), Operand("w", element, *w, constant=constant)]
    if random.random() < 0.15:
        reads = [replaced(each) for each in reversed(reads)]
    size = domain["ijk".index(channel)]
    bias = Operand("b", "f32" if element == "f32" else "i32", (size,), channel, constant=True)
    if element == "f32":
        return Kernel(domain, steps, reads, [bias], "0.0", "f32", FLOAT_PRODUCT, RELU, "f32")
    zeros = random.choice([0, -5, -128, 127]), random.choice([0, 0, 0, 3])
    if reads[0].constant:
        zeros = zeros[1], zeros[0]
    narrow = random.random() < 0.8
    same = "%out = arith.addi %acc, %bv : i32"
    body = byte_product(*zeros)
    return Kernel(
        domain, steps, reads, [bias], "0", "i32", body, NARROWED if narrow else same, "i8" if narrow else "i32"
    )


def replaced(operand: Operand) -> Operand:
    """`operand` with the other factor's name."""
    name = {"x": "w", "w": "x"}[operand.name]
    return Operand(name, operand.element, operand.shape, operand.access, operand.guarded, operand.constant)


def _reduction(random: Random) -> Kernel:
    m, k = random.choice([1, 2, 5, 9]), random.choice([1, 3, 8, 40, 70, 130])
    body, init = random.choice([(SUM, "0.0"), (MAX, "0xFF800000"), (SUM, "1.0")])
    apply = SAME.format(zero="0.0", type="f32", add="addf")
    kind = random.randint(0, 3)
    if kind == 0:
        return Kernel((m,), (k,), [Operand("x", "f32", (m, k), "i, r0")], [], init, "f32", body, apply, "f32")
    if kind == 1:
        return Kernel((m,), (k,), [Operand("x", "f32", (k, m), "r0, i")], [], init, "f32", body, apply, "f32")
    if kind == 2:
        x = Operand("x", "f32", (m, 3, k), "r0, r1, r2")
        return Kernel((1,), (m, 3, k), [x], [], init, "f32", body, apply, "f32")
    integer = "%xe = arith.extsi %xv : i8 to i32\n%next = arith.addi %acc, %xe : i32"
    apply = SAME.format(zero="1", type="i32", add="addi")
    return Kernel((m,), (k,), [Operand("x", "i8", (m, k), "i, r0")], [], "0", "i32", integer, apply, "i32")


def _pool(random: Random) -> Kernel:
    side, c, pad = random.randint(1, 6), random.choice([1, 3, 8, 16]), random.randint(0, 1)
    image = side + 2 - 2 * pad
    if image < 1:
        image, pad = image + 2, 0
    if random.random() < 0.6:
        x = Operand("x", "f32", (image, image, c), f"i + r0 - {pad}, j + r1 - {pad}, k", pad > 0)
        body, init = random.choice([(MAX, "0xFF800000"), (SUM, "0.0")])
        apply = SAME.format(zero="0.0", type="f32", add="addf")
        return Kernel((side, side, c), (3, 3), [x], [], init, "f32", body, apply, "f32")
    x = Operand("x", "i8", (image, image, c), f"i + r0 - {pad}, j + r1 - {pad}, k", pad > 0)
    apply = SAME.format(zero="0", type="i8", add="ori")
    return Kernel((side, side, c), (3, 3), [x], [], "-128", "i8", LARGEST_BYTE, apply, "i8")


def _elementwise(random: Random) -> Kernel:
    m, n = random.choice([1, 4, 9, 17]), random.choice([1, 3, 8, 16, 35])
    if random.random() < 0.4:
        reads = [Operand("x", "i8", (m, n), "i, j"), Operand("w", "i8", (n,), "j", constant=random.random() < 0.5)]
        return Kernel((m, n), (), [], reads, "", "", "", BYTES_ADDED, "i8")
    if random.random() < 0.5:
        return Kernel((n, m), (), [], [Operand("x", "f32", (m, n), "j, i")], "", "", "", SQUARE, "f32")
    epilogue = [Operand("x", "f32", (m, n), "i, j"), Operand("w", "f32", (m,), "i", constant=random.random() < 0.5)]
    return Kernel((m, n), (), [], epilogue, "", "", "", ADDED, "f32")
