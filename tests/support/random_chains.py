"""Random kernels of several computations: chains of elementwise computations, products, windows, reductions and
concatenations, of which consecutive ones may be tiled and fused."""

from dataclasses import dataclass, field
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.types.dtypes import Array

DOUBLED = "%out = arith.addf %v, %v : f32"
SQUARED = "%out = arith.mulf %v, %v : f32"


@dataclass
class Chain:
    """A kernel of computations over `rows` rows, written one after the other."""

    random: Random
    rows: int
    lines: list[str] = field(default_factory=list[str])
    columns: dict[str, int] = field(default_factory=dict[str, int])
    """The columns of each tensor that the kernel takes or makes."""
    weights: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    @staticmethod
    def of(random: Random) -> "Chain":
        """Two to four computations, each of which reads the one before."""
        chain = Chain(random, random.choice([4, 6, 8, 9]))
        chain.columns["x"] = random.choice([1, 4, 8, 12, 17])
        last = "x"
        for _ in range(random.choice([2, 2, 3, 4])):
            steps = [chain.elementwise, chain.product, chain.window, chain.normalized, chain.concatenation]
            last = random.choice(steps)(last)
        return chain

    def elementwise(self, x: str) -> str:
        """A function of each element."""
        n = self.columns[x]
        return self._computation(
            n, f"[{self.rows}, {n}] epilogue({self._at(x, 'i, j')}) apply", [x], "%v: f32", self._map()
        )

    def product(self, x: str) -> str:
        """A product with a constant matrix."""
        k, n = self.columns[x], self.random.choice([1, 4, 8, 11])
        w = f"w{len(self.weights)}"
        self.weights[w] = (k, n)
        reads = f"reads({self._at(x, 'i, r', 'i, j, r')}, {self._at(w, 'r, j', 'i, j, r')})"
        reduce = self._reduction(
            "%p = arith.mulf %v, %wv : f32\n%next = arith.addf %acc, %p : f32", "%v: f32, %wv: f32"
        )
        same = "%zero = arith.constant 0.0 : f32\n%out = arith.maximumf %acc, %zero : f32"
        return self._computation(n, f"[{self.rows}, {n} | {k}] {reads} {reduce} apply", [x, w], "%acc: f32", same)

    def window(self, x: str) -> str:
        """A sum of three rows, whose borders are padded with zeros."""
        n = self.columns[x]
        access = f"%{x} at #tensor.access<affine_map<(i, j, r) -> (i + r - 1, j)>, guarded>"
        reduce = self._reduction("%next = arith.addf %acc, %v : f32", "%v: f32")
        same = "%out = arith.addf %acc, %acc : f32"
        return self._computation(n, f"[{self.rows}, {n} | 3] reads({access}) {reduce} apply", [x], "%acc: f32", same)

    def normalized(self, x: str) -> str:
        """The sum of each row, and the elements divided by it."""
        n, total = self.columns[x], f"t{len(self.columns)}"
        reduce = self._reduction("%s = arith.mulf %v, %v : f32\n%next = arith.addf %acc, %s : f32", "%v: f32")
        one = "%one = arith.constant 1.0 : f32\n%out = arith.addf %acc, %one : f32"
        head = f"[{self.rows} | {n}] reads({self._at(x, 'i, r', 'i, r')}) {reduce} apply"
        self._write(total, f"{self.rows}", head, [x], "%acc: f32", one)
        self.columns[total] = 0
        points = f"epilogue({self._at(x, 'i, j')}, {self._at(total, 'i')})"
        body = "%out = arith.divf %v, %tv : f32"
        return self._computation(n, f"[{self.rows}, {n}] {points} apply", [x, total], "%v: f32, %tv: f32", body)

    def concatenation(self, x: str) -> str:
        """The columns of two tensors beside each other."""
        other = self.random.choice([each for each, columns in self.columns.items() if columns])
        n, more = self.columns[x], self.columns[other]
        first = f"%{x} at #tensor.access<affine_map<(i, j) -> (i, j)>, guarded>"
        second = f"%{other} at #tensor.access<affine_map<(i, j) -> (i, j - {n})>, guarded>"
        body = "%inside = tensor.in_bounds %v : f32\n%out = arith.select %inside, %v, %ov : f32"
        head = f"[{self.rows}, {n + more}] epilogue({first}, {second}) apply"
        return self._computation(n + more, head, [x, other], "%v: f32, %ov: f32", body)

    def text(self) -> str:
        """The module with the kernel, and a network that passes its constants."""
        last = list(self.columns)[-1]
        shapes = {"x": (self.rows, self.columns["x"]), **self.weights}
        arguments = ", ".join(f"%{name}: {_type(shape)}" for name, shape in shapes.items())
        types = ", ".join(map(_type, shapes.values()))
        result = _type((self.rows, self.columns[last]))
        weights = "\n".join(
            f'%{name} = graph.weight "{name}" {{hash = "{name}"}} : {_type(shape)}'
            for name, shape in self.weights.items()
        )
        body = "\n".join(self.lines)
        return f"""
func.func private @k({arguments}) -> {result} {{
{body}
  func.return %{last} : {result}
}}
func.func @main(%x: {_type(shapes["x"])} {{name = "x"}}) -> ({result} {{name = "y"}}) {{
  {weights}
  %y = graph.call @k({", ".join(f"%{name}" for name in shapes)}) : ({types}) -> {result}
  func.return %y : {result}
}}"""

    def build(self) -> tuple[CompilerContext, ModuleOp, list[Array]]:
        """A context with random weights, the module, and its input."""
        rng = np.random.default_rng(self.random.getrandbits(32))
        ctx = CompilerContext()
        for name, shape in self.weights.items():
            ctx.weights.add(name, rng.uniform(-1, 1, shape).astype(np.float32))
        module = Parser(ctx, self.text()).parse_module()
        module.verify()
        return ctx, module, [rng.uniform(-1, 1, (self.rows, self.columns["x"])).astype(np.float32)]

    def _map(self) -> str:
        return self.random.choice([DOUBLED, SQUARED])

    def _at(self, name: str, results: str, dims: str = "i, j") -> str:
        return f"%{name} at #tensor.access<affine_map<({dims}) -> ({results})>>"

    def _reduction(self, body: str, scalars: str) -> str:
        return f"inits [0.0 : f32] reduce {{\n^bb0({scalars}, %acc: f32):\n{body}\ntensor.yield %next : f32\n}}"

    def _computation(self, columns: int, head: str, operands: list[str], scalars: str, body: str) -> str:
        name = f"a{len(self.columns)}"
        self._write(name, f"{self.rows}x{columns}", head, operands, scalars, body)
        self.columns[name] = columns
        return name

    def _write(self, name: str, shape: str, head: str, operands: list[str], scalars: str, body: str) -> None:
        types = ", ".join(_type(self.weights[each] if each in self.weights else self._shape(each)) for each in operands)
        self.lines.append(
            f"  %{name} = tensor.compute {head} {{\n^bb0({scalars}):\n{body}\ntensor.yield %out : f32\n}} : "
            f"({types}) -> tensor<{shape}xf32>"
        )

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self.rows, self.columns[name]) if self.columns[name] else (self.rows,)


def _type(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def computes_of(module: ModuleOp) -> list[tensor.ComputeOp]:
    """The computations of the first kernel of `module`, in order."""
    func = next(op for op in module.ops if isinstance(op, FuncOp))
    return [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
