"""The knobs of a search space: which parts of a schedule they vary."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from s2s.compilation import Compilation
from s2s.dialects import tensor
from s2s.dialects.tensor.directive import Machine, Scheduled
from s2s.options import CompileOptions
from s2s.schedules.directives.registered import register_directive, remove_directive
from s2s.stages.memory import Planned
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.measurer import Candidate, Limits
from s2s.tuning.on_host import HostMeasurer
from s2s.tuning.search_space import Point
from s2s.tuning.space import Space, written_out
from s2s.tuning.task import tasks_of
from support.onnx_text import onnx_file

SUM = "(float[2, 4096] x) => (float[2] y) { y = ReduceMax <axes = [1], keepdims = 0> (x) }"


@irdl_attr_definition
class Marked(tensor.Directive):
    """A directive of another package, with two values worth trying."""

    name = "mine.marked"

    number: IntAttr

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[tensor.Directive]:
        yield from (Marked(IntAttr(number)) for number in (1, 2))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.number.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Space]:
    register_directive(Marked)
    (task,) = tasks_of(Compilation(onnx_file(SUM, tmp_path), CompileOptions(target="x86-64-v3")))
    yield Space(task)
    remove_directive(Marked)


def words(space: Space, name: str) -> tuple[str, ...]:
    (found,) = [knob.words for knob in space.changes if knob.name == name]
    return found


def test_partial_results_are_varied(space: Space) -> None:
    assert {"none", "#schedule.rfactor<1 by 2>", "#schedule.rfactor<1 by 4>"} <= set(words(space, "rfactor"))


def test_long_reductions_are_blocked(space: Space) -> None:
    assert any(word.endswith(" by 512") for word in words(space, "block"))


def test_directives_of_other_packages_are_varied(space: Space) -> None:
    assert words(space, "mine.marked") == ("as in the base", "none", "#mine.marked<1>", "#mine.marked<2>")


def test_a_schedule_with_all_three_is_legal_and_found(space: Space) -> None:
    wanted = {
        "rfactor": "#schedule.rfactor<1 by 4>",
        "mine.marked": "#mine.marked<2>",
        "block": words(space, "block")[-1],
    }
    places = (knob.words.index(wanted[knob.name]) if knob.name in wanted else 0 for knob in space.changes)
    text = space.text(Point((0, *places)))
    assert text is not None
    assert all(part in text for part in ("rfactor<1 by 4>", "mine.marked<2>", " by 2048 by 1"))
    assert space.find(text) is not None


ROWS = "(float[64, 512] x) => (float[64, 512] y) { y = Exp(x) }"


def test_loops_are_divided_in_a_network_for_threads_only(tmp_path: Path) -> None:
    path = onnx_file(ROWS, tmp_path)
    alone, shared = (
        Space(next(iter(tasks_of(Compilation(path, CompileOptions(target="x86-64-v3", threads=threads))))))
        for threads in (1, 2)
    )
    assert "parallel" not in [knob.name for knob in alone.changes]
    assert words(shared, "parallel")[1] == "none"
    assert "#schedule.parallel<0>" in words(shared, "parallel")


def test_a_divided_kernel_is_measured_on_its_threads(tmp_path: Path) -> None:
    (task,) = tasks_of(Compilation(onnx_file(ROWS, tmp_path), CompileOptions(target="x86-64-v2", threads=2)))
    space = Space(task)
    places = [knob.words.index("#schedule.parallel<0>") if knob.name == "parallel" else 0 for knob in space.changes]
    text = space.text(Point((0, *places, *(0 for _ in space.others))))
    assert text is not None
    (found,) = HostMeasurer(replace(Limits(), round_seconds=0.001)).measure([Candidate(task, space.decisions(text))])
    assert found.error is ErrorKind.NO_ERROR, found.message
    divided = task.with_decisions(space.decisions(text))
    assert divided.info.threads is not None


@pytest.fixture(scope="module")
def winograd(tmp_path_factory: pytest.TempPathFactory) -> Space:
    filters = numpy_helper.from_array(np.ones((64, 64, 3, 3), np.float32), "w")
    node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])
    shape = (1, 64, 28, 28)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy")
    model = helper.make_model(helper.make_graph([node], "winograd", [x], [y], [filters]))
    path = tmp_path_factory.mktemp("winograd") / "w.onnx"
    path.write_bytes(model.SerializeToString())
    (task,) = tasks_of(Compilation(path, CompileOptions(target="x86-64-v4")))
    return Space(task)


def test_a_winograd_convolution_varies_its_blocks(winograd: Space) -> None:
    assert [each.kind for each in winograd.others] == ["winograd blocks"]


def test_every_fused_loop_has_bases_over_its_tiles(winograd: Space) -> None:
    starts = winograd.starts()
    assert {each.places[-1] for each in starts} == set(range(len(winograd.others[0].choices)))
    texts = [str(winograd.schedule(each)) for each in starts]
    assert len(set(texts)) == len(texts)


def test_points_of_all_fused_loops_can_be_lowered_and_found(winograd: Space) -> None:
    random, seen = Random(0), set[int]()
    for _ in range(10):
        point = winograd.draw(random)
        assert point is not None
        text = winograd.text(point)
        assert text is not None
        assert winograd.task.with_decisions(winograd.decisions(text)).facts(Planned)
        found = winograd.find(text)
        assert found is not None
        assert winograd.text(found) == text
        seen.add(point.places[-1])
    assert len(seen) > 1


def test_the_last_tile_is_written_out_too(space: Space) -> None:
    op = space.subject.op
    assert (written_out(op, (1, 3)), written_out(op, (2, 4))) == (3 + 4096 % 3, 2 * 4)
