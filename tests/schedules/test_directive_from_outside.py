"""A directive of another package is parsed, printed, checked, described and lowered like our own, and chosen by a
heuristic of that package."""

from collections.abc import Iterator, Sequence

import pytest
from xdsl.dialects.builtin import IntAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from s2s.analysis.structure.compute import dim_names
from s2s.api import compile as compile_network
from s2s.decisions.kind import Candidate
from s2s.decisions.registry import register_heuristic, remove_heuristic
from s2s.decisions.schedule import ScheduledComputation
from s2s.dialects import loop, tensor
from s2s.dialects.tensor.directive import Lowering, Scheduled
from s2s.errors import InputError
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.lower_to_loop.nest import Nest
from s2s.schedules.directives import Tile
from s2s.schedules.directives.registered import register_directive, remove_directive
from s2s.targets import Target
from support.onnx_text import onnx_model


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


def touching(subject: ScheduledComputation, target: Target) -> list[Candidate[tensor.ScheduleAttr]]:
    """A heuristic of somebody else, for reductions."""
    if not isinstance(subject.op, tensor.ComputeOp) or not subject.op.reads:
        return []
    return [Candidate(lambda: tensor.ScheduleAttr.of([Touch(IntAttr(0))]), "touched")]


@pytest.fixture
def registered() -> Iterator[None]:
    register_directive(Touch)
    register_heuristic("schedule", "touches", touching)
    yield
    remove_heuristic("schedule", "touches")
    remove_directive(Touch)


@pytest.fixture
def context(registered: None) -> CompilerContext:
    return CompilerContext()


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


def test_a_compilation_chooses_it_writes_it_down_and_takes_it_back(registered: None):
    model = onnx_model("(float[4, 16] x) => (float[4] y) { [largest] y = ReduceMax <axes = [1], keepdims = 0> (x) }")
    with compile_network(model, target="c", name="net") as artifact:
        (first,) = [each for each in artifact.decisions if each.kind == "schedule"]
        assert (first.chosen, first.why) == ("#tensor.schedule<[mine.touch<0>]>", "touches")
        assert artifact.verify().passed
        again = compile_network(model, target="c", name="net", decisions=artifact.decisions)
    assert [each.chosen for each in again.decisions if each.kind == "schedule"] == [first.chosen]


def test_contexts_without_it_do_not_know_it():
    with pytest.raises(ParseError, match=r"'mine\.touch' is no directive of a schedule; known are cache_read"):
        Parser(CompilerContext(), TEXT.format(read=0)).parse_module()


def test_names_of_ours_are_refused():
    with pytest.raises(InputError, match=r"register_directive: schedule\.tile: .* put a word and a dot before yours"):
        register_directive(Tile)


def test_what_is_not_registered_cannot_be_removed():
    with pytest.raises(InputError, match=r"mine\.touch: no directive of that name is registered"):
        remove_directive(Touch)
