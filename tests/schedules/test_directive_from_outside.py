"""A directive of another package is parsed, printed, checked, renumbered, described and lowered like our own."""

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import IntAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.compute import dim_names
from s2s.dialects import loop, tensor
from s2s.dialects.tensor.directive import Lowering, Scheduled
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.lower_to_loop.nest import Nest


@irdl_attr_definition
class Touch(tensor.Directive):
    """Bring each element of a read into the first cache when it is used: `mine.touch<0>`."""

    name = "mine.touch"

    read: IntAttr

    def verify_for(self, op: Scheduled, state: tensor.ScheduleState) -> None:
        if not isinstance(op, tensor.ComputeOp) or self.read.data >= len(op.reads):
            raise VerifyException(f"{op.name}: touch names read {self.read.data}; name one there is")

    def lower(self, loops: Lowering) -> None:
        assert isinstance(loops, Nest)

        def touch() -> None:
            read = loops.reads[self.read.data]
            affine_map, indices = loops.emitter.space.emit(read.position(loops.dims))
            loops.emitter.add(loop.PrefetchOp(read.buffer, affine_map, indices, near=True))

        loops.before_step.append(touch)

    def describe(self, op: Scheduled, state: tensor.ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"touches read {self.read.data}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.read.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]


TEXT = """
func.func private @k(%x: tensor<4x8xf32>) -> tensor<4xf32> {{
  %y = tensor.compute [4 | 8] reads(%x at #tensor.access<affine_map<(i, r) -> (i, r)>>)
    schedule #tensor.schedule<[unroll<1 by 2>, mine.touch<{read}>]> inits [0.0 : f32] reduce {{
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    tensor.yield %s : f32
  }} apply {{
  ^bb0(%acc: f32):
    tensor.yield %acc : f32
  }} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}}"""


@pytest.fixture
def context() -> CompilerContext:
    found = CompilerContext()
    found.load_dialect(Dialect("mine", [], [Touch]))
    return found


def parsed(context: CompilerContext, read: int) -> tuple[ModuleOp, tensor.ComputeOp]:
    module = Parser(context, TEXT.format(read=read)).parse_module()
    (func,) = module.body.block.ops
    assert isinstance(func, FuncOp)
    op = func.body.block.first_op
    assert isinstance(op, tensor.ComputeOp)
    return module, op


def test_it_is_printed_as_it_is_written(context: CompilerContext):
    _, op = parsed(context, 0)
    assert str(op.schedule) == "#tensor.schedule<[unroll<1 by 2>, mine.touch<0>]>"


def test_it_is_refused_where_it_does_not_fit(context: CompilerContext):
    module, _ = parsed(context, 1)
    with pytest.raises(VerifyException, match="touch names read 1; name one there is"):
        module.verify()


def test_it_says_its_words(context: CompilerContext):
    _, op = parsed(context, 0)
    assert op.schedule is not None
    assert op.schedule.describe(op, dim_names(op)) == ["unroll 2 r", "touches read 0"]


def test_it_is_lowered(context: CompilerContext):
    module, _ = parsed(context, 0)
    LowerToLoopPass().apply(context, module)
    assert sum(isinstance(op, loop.PrefetchOp) for op in module.walk()) == 2
