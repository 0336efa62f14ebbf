"""An operation defined outside of the package runs through interpretation, effects, memory planning and C."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import AffineMapAttr, FunctionType, IndexType, IntegerAttr, MemRefType, ModuleOp, f32, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.traits import EffectInstance, MemoryEffectKind, get_effects

from s2s.analysis.cost.loops import operations_in
from s2s.analysis.memory.buffers import read_by, written_by
from s2s.dialects import c, loop
from s2s.dialects.loop.interfaces import read, write
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop import run_loop_function
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step
from s2s.passes.context import CompilerContext
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.passes.loop.plan_memory import ARENA_SIZE, PlanMemoryPass
from support.c_kernels import CompiledKernels

ROWS, COLUMNS = 4, 6
BUFFER = MemRefType(f32, [ROWS * COLUMNS])


@irdl_op_definition
class NegateRowOp(IRDLOperation, loop.AccessInterface, loop.WorkInterface):
    """`target[map(index) + i] = -source[map(index) + i]` for `i < count`."""

    name = "made_up.negate_row"

    map = prop_def(AffineMapAttr)
    count = prop_def(IntegerAttr)
    target = operand_def(MemRefType)
    source = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    def __init__(self, target: SSAValue, source: SSAValue, affine_map: AffineMap, index: SSAValue, count: int) -> None:
        super().__init__(
            operands=[target, source, [index]],
            properties={"map": AffineMapAttr(affine_map), "count": IntegerAttr(count, i64)},
        )

    def accesses(self) -> Sequence[loop.Access]:
        row = loop.Extent(self.count.value.data)
        start = self.map.data.results[0]
        return [write(self.target, start, self.indices, row), read(self.source, start, self.indices, row)]

    @property
    def work(self) -> int:
        return self.count.value.data


@MEANINGS.register(NegateRowOp)
def interpret(scope: Scope, op: NegateRowOp) -> Step:
    at, count = position(op.map.data.results[0], scope.operands(op.indices)), op.count.value.data
    target, source = scope.place(op.target), scope.place(op.source)

    def step(frame: Frame) -> None:
        first = at(frame)
        frame[target][first : first + count] = -frame[source][first : first + count]

    return step


@LOWERINGS.register(NegateRowOp)
def lower(b: Builder, op: NegateRowOp) -> None:
    start = index_expression(b, op.map.data.results[0], op.indices)
    body = c.ForOp.block(INDEX)
    body.args[0].name_hint = "column"
    with b.inside(body):
        at = b.binary("+", start, body.args[0])
        negated = b.unary("-", b.add(c.LoadOp(b.add(c.SubscriptOp(b.value(op.source), at)))))
        body.add_op(c.AssignOp(b.add(c.SubscriptOp(b.value(op.target), at)), negated))
    b.block.add_op(c.ForOp(b.literal(0, INDEX), b.literal(op.count.value.data, INDEX), body))


def kernel() -> FuncOp:
    """`y = -x`, row after row."""
    block, body = Block(arg_types=[BUFFER, BUFFER]), loop.ForOp(0, ROWS, Block(arg_types=[IndexType()]))
    y, x = block.args
    row = AffineMap(1, 0, (AffineDimExpr(0) * COLUMNS,))
    body.body.block.add_ops([NegateRowOp(y, x, row, body.index, COLUMNS), loop.YieldOp()])
    block.add_ops([body, ReturnOp()])
    return FuncOp("negate", FunctionType.from_lists([BUFFER, BUFFER], []), Region(block), "private")


def network() -> ModuleOp:
    """The kernel three times, with a buffer of the arena behind the first and the second call."""
    block = Block(arg_types=[BUFFER, BUFFER])
    buffers = [loop.AllocOp(BUFFER) for _ in range(2)]
    first, second = (buffer.result for buffer in buffers)
    y, x = block.args
    calls = [(first, x), (second, first), (y, second)]
    block.add_ops([*buffers, *(CallOp("negate", list(each), []) for each in calls), ReturnOp()])
    main = FuncOp("main", FunctionType.from_lists([BUFFER, BUFFER], []), Region(block))
    return ModuleOp([kernel(), main])


def the_operation(function: FuncOp) -> NegateRowOp:
    return next(op for op in function.walk() if isinstance(op, NegateRowOp))


def test_its_accesses_give_effects_for_each_operand() -> None:
    op = the_operation(kernel())
    assert get_effects(op) == {
        EffectInstance(MemoryEffectKind.WRITE, op.target),
        EffectInstance(MemoryEffectKind.READ, op.source),
    }


def test_a_kernel_reads_and_writes_what_it_does() -> None:
    function = kernel()
    assert (written_by(function), read_by(function)) == ({function.args[0]}, {function.args[1]})


def test_its_work_counts() -> None:
    assert operations_in(the_operation(kernel())) == COLUMNS


def test_it_is_interpreted_as_registered() -> None:
    x, y = np.arange(ROWS * COLUMNS, dtype=np.float32), np.zeros(ROWS * COLUMNS, np.float32)
    run_loop_function(kernel(), [y, x])
    assert np.array_equal(y, -x)


def test_its_result_may_lie_over_its_operand_up_to_one_row() -> None:
    module = network()
    PlanMemoryPass(overlap=True).apply(CompilerContext(), module)
    main = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    size = main.attributes[ARENA_SIZE]
    assert isinstance(size, IntegerAttr)
    assert size.value.data == (ROWS + 1) * COLUMNS * 4


def test_it_is_lowered_to_c_as_registered(tmp_path: Path) -> None:
    compiled = CompiledKernels(ModuleOp([kernel()]), tmp_path)
    x, y = np.arange(ROWS * COLUMNS, dtype=np.float32), np.zeros(ROWS * COLUMNS, np.float32)
    compiled.run("negate", [y, x])
    assert np.array_equal(y, -x)
    assert "float *restrict arg, const float *restrict arg2" in compiled.text


def test_an_operation_has_one_meaning() -> None:
    with pytest.raises(CompilerBug, match="two functions for its interpretation"):
        MEANINGS.register(NegateRowOp)(interpret)
