"""Dynamic programming over the costs of kernels: as good as trying everything."""

from itertools import product
from math import inf
from pathlib import Path
from random import Random

import pytest

from s2s.compilation import Compilation
from s2s.options import CompileOptions
from s2s.tuning.campaign import Campaign, TuneOptions
from s2s.tuning.measurement import Goal
from s2s.tuning.network import NetworkSpace, network_task
from s2s.tuning.network_plan import CostTable, best_point, minimise
from s2s.tuning.network_search import KernelCosts
from s2s.tuning.records import RecordFile
from support.onnx_text import onnx_file
from support.tuning import MadeUp

CONVOLUTIONS = """(float[1, 8, 6, 6] x) => (float[1, 8, 6, 6] y)
<float[8, 8, 1, 1] w = {WEIGHTS}, float[8, 8, 1, 1] v = {WEIGHTS}>
{ a = Conv (x, w)
  b = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a)
  c = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (b)
  y = Conv (c, v) }"""


def drawn(seed: int) -> tuple[list[int], list[CostTable]]:
    """Knobs, and tables of costs of up to three of them; some combinations are illegal."""
    chance = Random(seed)
    sizes = [chance.randint(1, 3) for _ in range(chance.randint(1, 6))]
    tables: list[CostTable] = []
    for _ in range(chance.randint(1, 8)):
        knobs = tuple(sorted(chance.sample(range(len(sizes)), chance.randint(0, min(3, len(sizes))))))
        every = product(*(range(sizes[knob]) for knob in knobs))
        tables.append(CostTable(knobs, {places: chance.random() for places in every if chance.random() < 0.9}))
    return sizes, tables


def total(tables: list[CostTable], places: dict[int, int]) -> float:
    return sum(each.cost(places) for each in tables)


@pytest.mark.parametrize("seed", range(40))
def test_the_least_sum_is_found(seed: int) -> None:
    sizes, tables = drawn(seed)
    every = (dict(enumerate(places)) for places in product(*map(range, sizes)))
    least = min(total(tables, places) for places in every)
    assert total(tables, minimise(sizes, tables)) == pytest.approx(least) or least == inf


def test_knobs_that_go_with_many_others_are_decided_alone() -> None:
    sizes, tables = drawn(3)
    assert set(minimise(sizes, tables, max_table=0)) == set(range(len(sizes)))


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> NetworkSpace:
    text = CONVOLUTIONS.replace("WEIGHTS", ", ".join(f"{number * 37 % 101 / 500:.3f}" for number in range(64)))
    model = onnx_file(text, tmp_path_factory.mktemp("plan"))
    return NetworkSpace(network_task(Compilation(model, CompileOptions(target="x86-64-v3"))), ("layout",))


def test_the_layouts_of_a_network_are_as_good_as_trying_all(space: NetworkSpace, tmp_path: Path) -> None:
    assert space.size > 2
    with RecordFile(tmp_path / "r.jsonl") as file:
        costs = KernelCosts(Campaign(file, MadeUp(), TuneOptions(), Goal.of("instructions"), "x86-64-v3", None))
        found = costs.total(space.kernels(space.text(best_point(space, costs)) or "") or ())
        texts = (space.text(space.point(number)) for number in range(space.size))
        every = [costs.total(space.kernels(text) or ()) for text in texts if text is not None]
    assert found == pytest.approx(min(cost for cost in every if cost is not None))
