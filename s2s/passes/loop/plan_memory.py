"""Give every buffer of `main` its place in one arena.

    func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) { %a = loop.alloc : memref<4xf32> … }
->
    func.func @main(%arena: memref<16xi8>, %y: memref<4xf32>, %x: memref<4xf32>)
        attributes {arena_lower_bound = 16, …} { %a = loop.view %arena[0] : memref<16xi8> -> memref<4xf32> … }

A buffer lives from the call that writes it to the last call that reads it. A result whose kernel allows it takes over
the buffer of an operand that dies there. The bound is the largest sum of buffers that live at the same time.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.dtypes import size_in_bytes
from s2s.dialects import loop
from s2s.memory.buffers import Buffer, InPlace
from s2s.memory.plan import plan
from s2s.passes.tensor.lower_to_loop import IN_PLACE

ARENA_SIZE = "arena_size"
ARENA_ALIGN = "arena_align"
ARENA_LOWER_BOUND = "arena_lower_bound"


@dataclass
class Lifetime:
    """The calls between which an alloc holds a value."""

    first: int
    last: int


class PlanMain:
    """Plans the arena of one `main`."""

    def __init__(self, func: FuncOp, kernels: dict[str, FuncOp], align: int) -> None:
        self.func, self.kernels, self.align = func, kernels, align
        self.allocs = [op for op in func.body.block.ops if isinstance(op, loop.AllocOp)]
        self.calls = [op for op in func.body.block.ops if isinstance(op, CallOp)]
        self.names: dict[SSAValue, str] = {op.result: f"{n}" for n, op in enumerate(self.allocs)}

    def run(self) -> None:
        """Replace allocs by views, add the arena argument, and state the plan in attributes."""
        lives = self._lifetimes()
        buffers = [
            Buffer(self.names[op.result], _bytes(op.result.type), self.align, life.first, life.last)
            for op in self.allocs
            if (life := lives.get(op.result)) is not None
        ]
        chosen = plan(buffers, self._in_place(lives))
        block = self.func.body.block
        arena = block.insert_arg(MemRefType(i8, [max(chosen.size, 1)]), 0)
        arena.name_hint = "arena"
        for op in self.allocs:
            if op.result not in lives:
                Rewriter.erase_op(op)
                continue
            view = loop.ViewOp(arena, chosen.offsets[self.names[op.result]], op.result.type)
            view.result.name_hint = op.result.name_hint
            Rewriter.replace_op(op, view)
        self._state(chosen.size, chosen.lower_bound)
        self._note_aliases()

    def _lifetimes(self) -> dict[SSAValue, Lifetime]:
        lives: dict[SSAValue, Lifetime] = {}
        for step, call in enumerate(self.calls):
            for operand in call.arguments:
                if operand in self.names:
                    lives.setdefault(operand, Lifetime(step, step)).last = step
        return lives

    def _in_place(self, lives: dict[SSAValue, Lifetime]) -> list[InPlace]:
        pairs: list[InPlace] = []
        for step, call in enumerate(self.calls):
            made = call.arguments[0]
            for number in _in_place_arguments(self.kernels[call.callee.root_reference.data]):
                dying = call.arguments[number]
                if made not in lives or dying not in lives or lives[made].first != step or lives[dying].last != step:
                    continue
                if lives[dying].first < step and list(call.arguments).count(dying) == 1:
                    pairs.append(InPlace(self.names[made], self.names[dying]))
        return pairs

    def _note_aliases(self) -> None:
        """Keep in each kernel's `in_place` only the arguments that some call really gives the result's address."""
        used: dict[str, set[int]] = {}
        for call in self.calls:
            name = call.callee.root_reference.data
            made = _offset(call.arguments[0])
            for number in _in_place_arguments(self.kernels[name]):
                if made is not None and _offset(call.arguments[number]) == made:
                    used.setdefault(name, set()).add(number)
        for name in {call.callee.root_reference.data for call in self.calls}:
            numbers = sorted(used.get(name, set()))
            self.kernels[name].attributes[IN_PLACE] = DenseArrayBase.from_list(i64, numbers)

    def _state(self, size: int, bound: int) -> None:
        function, attributes = self.func, self.func.attributes
        attributes[ARENA_SIZE] = IntegerAttr(size, i64)
        attributes[ARENA_ALIGN] = IntegerAttr(self.align, i64)
        attributes[ARENA_LOWER_BOUND] = IntegerAttr(bound, i64)
        function.function_type = FunctionType.from_lists([argument.type for argument in function.body.block.args], [])
        given = list(function.arg_attrs) if function.arg_attrs is not None else []
        function.arg_attrs = ArrayAttr([DictionaryAttr({"role": StringAttr("arena")}), *given])


def _bytes(type: MemRefType) -> int:
    return type.get_shape()[0] * size_in_bytes(type.element_type)


def _offset(value: SSAValue) -> int | None:
    return value.owner.offset.value.data if isinstance(value.owner, loop.ViewOp) else None


def _in_place_arguments(kernel: FuncOp) -> list[int]:
    listed = kernel.attributes.get(IN_PLACE)
    return [int(number) for number in listed.get_values()] if isinstance(listed, DenseArrayBase) else []


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    name = "loop-plan-memory"

    align: int = 4
    """Alignment in bytes of every buffer and of the arena."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp)}
        for func in functions.values():
            if not func.is_declaration and any(isinstance(inner, CallOp) for inner in func.body.block.ops):
                PlanMain(func, functions, self.align).run()
