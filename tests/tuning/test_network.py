"""The decisions about a whole network as a search space: what is open, what candidates cost, and what is recorded."""

import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest

from s2s.compilation import Compilation
from s2s.decisions.recorded import decisions_of
from s2s.decisions.records import read_records
from s2s.options import CompileOptions
from s2s.stages.memory import Planned
from s2s.tuning.campaign import TuneOptions
from s2s.tuning.measurement import Measurement
from s2s.tuning.measurer import Candidate, Incumbent
from s2s.tuning.network import NetworkSpace, network_task
from s2s.tuning.open_decision import decided_of, table_of, text_of
from s2s.tuning.records import NETWORK, read_measured
from s2s.tuning.search_space import Point
from s2s.tuning.summary import TuneSummary
from s2s.tuning.task import BEFORE
from s2s.tuning.tune import tune_network
from support.onnx_text import onnx_file
from support.tuning import MadeUp

MODEL = """(float[1, 16, 12, 12] x) => (float[1, 16, 12, 12] y)
<float[16, 16, 3, 3] w = {WEIGHTS}>
{ a = Conv <pads = [1, 1, 1, 1]> (x, w)
  b = Relu (a)
  c = Conv <pads = [1, 1, 1, 1]> (b, w)
  y = Sigmoid (c) }"""


def compilation(folder: Path) -> Compilation:
    weights = ", ".join(f"{number * 37 % 101 / 5000:.4f}" for number in range(16 * 16 * 9))  # no two channels are equal
    return Compilation(onnx_file(MODEL.replace("WEIGHTS", weights), folder), CompileOptions(target="x86-64-v3"))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Compilation:
    return compilation(tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module")
def space(network: Compilation) -> NetworkSpace:
    return NetworkSpace(network_task(network))


def knob(space: NetworkSpace, kind: str) -> int:
    return next(number for number, each in enumerate(space.knobs) if each.kind == kind)


def changed(space: NetworkSpace, kind: str) -> Point:
    places = [0] * len(space.knobs)
    places[knob(space, kind)] = 1
    return Point(tuple(places))


@pytest.mark.parametrize("kind", ["fusion", "layout", "algorithm"])
def test_decisions_before_schedules_are_open(space: NetworkSpace, kind: str) -> None:
    assert len(space.knobs[knob(space, kind)].choices) > 1


def test_the_size_is_told(space: NetworkSpace) -> None:
    assert space.describe().startswith(f"{space.size:,} points (")


def test_a_network_may_have_more_points_than_python_counts(space: NetworkSpace) -> None:
    many = copy(space)
    many.knobs = space.knobs * 40
    assert many.size > sys.maxsize
    assert f"{many.size:,} points (" in many.describe()
    assert many.index(many.point(many.size - 1)) == many.size - 1


def test_the_first_point_changes_nothing(space: NetworkSpace) -> None:
    assert space.text(space.starts()[0]) == "[]"


def test_a_choice_changes_the_kernels(space: NetworkSpace) -> None:
    text = space.text(changed(space, "fusion"))
    assert text is not None
    assert {each.key for each in space.kernels(text) or ()} != {each.key for each in space.kernels("[]") or ()}


def test_a_choice_that_is_given_back_is_obeyed(space: NetworkSpace) -> None:
    (wanted,) = space.decided(changed(space, "algorithm"))
    made = decisions_of(space.network.with_decisions(table_of((wanted,))).at(BEFORE).module)
    assert wanted in [(each.kind, each.subject, each.chosen) for each in made]


def test_the_point_of_a_text_is_found(space: NetworkSpace) -> None:
    point = changed(space, "layout")
    assert space.find(space.text(point) or "") == point


def test_a_choice_of_nothing_known_has_no_point(space: NetworkSpace) -> None:
    assert space.find('[["layout", "0123456789abcdef", "NCHW"]]') is None


@pytest.fixture(scope="module")
def tuned(network: Compilation, tmp_path_factory: pytest.TempPathFactory) -> tuple[TuneSummary, MadeUp, Path]:
    path, measurer = tmp_path_factory.mktemp("tuned") / "r.jsonl", MadeUp()
    options = TuneOptions(trials=12, only=(NETWORK,))
    return tune_network(network, path, measurer, options), measurer, path


def test_a_kernel_is_measured_once(tuned: tuple[TuneSummary, MadeUp, Path]) -> None:
    keys = [getattr(each.task, "key", "") for each in tuned[1].measured]
    assert len(set(keys)) == len(keys)


def test_a_candidate_costs_what_its_kernels_cost(tuned: tuple[TuneSummary, MadeUp, Path], space: NetworkSpace) -> None:
    records = read_measured(tuned[2])
    kernels = {each.task: each.cost or 0.0 for each in records if each.kernel != NETWORK}
    best = min((each for each in records if each.kernel == NETWORK), key=lambda each: each.cost or 0.0)
    found = space.kernels(text_of(best.decisions)) or ()
    assert best.cost == pytest.approx(sum(each.calls * kernels[each.key] for each in found))


def test_the_best_candidate_is_no_dearer_than_the_default(tuned: tuple[TuneSummary, MadeUp, Path]) -> None:
    summary = tuned[0]
    assert summary.network is not None
    assert summary.best <= summary.default
    assert 1 < summary.network.trials <= 12


def test_a_second_run_measures_nothing_again(network: Compilation, tuned: tuple[TuneSummary, MadeUp, Path]) -> None:
    again = MadeUp()
    summary = tune_network(network, tuned[2], again, TuneOptions(trials=12, only=(NETWORK,)))
    assert again.measured == []
    assert summary.best == tuned[0].best


def test_records_of_the_network_are_obeyed(tuned: tuple[TuneSummary, MadeUp, Path], tmp_path: Path) -> None:
    summary, _, path = tuned
    assert summary.network is not None
    assert summary.network.decisions, "the made-up costs leave the default the best"
    again = compilation(tmp_path)
    made = again.resume(CompileOptions(target="x86-64-v3", records=read_records(path)))
    by_record = {(e.kind, e.subject, e.chosen) for e in decisions_of(made.at(BEFORE).module) if e.by == "record"}
    assert by_record == set(summary.network.decisions)


def test_only_the_network_leaves_its_kernels_alone(tuned: tuple[TuneSummary, MadeUp, Path]) -> None:
    assert tuned[0].tasks == []


class WithRam(MadeUp):
    """A measurer of kernels that each take a megabyte."""

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        found = super().measure(candidates, incumbent)
        return [replace(each, costs={**each.costs, "bytes of ram": 1e6}) for each in found]


def test_the_ram_of_a_network_is_that_of_its_plan(network: Compilation, tmp_path: Path) -> None:
    options = TuneOptions(trials=1, objective="instructions=1,ram=2", only=(NETWORK,))
    summary = tune_network(network, tmp_path / "records.jsonl", WithRam(), options)
    assert summary.network is not None
    counted = [each for each in read_measured(tmp_path / "records.jsonl") if each.kernel != NETWORK]
    instructions = sum(each.calls * each.costs["instructions"] for each in counted)
    planned = network.facts(Planned).arena + network.info.ports_size
    assert summary.network.default == pytest.approx(instructions + 2 * planned)


def test_decisions_go_through_texts() -> None:
    assert decided_of('[["layout", "a", "NCHW"]]') == (("layout", "a", "NCHW"),)
