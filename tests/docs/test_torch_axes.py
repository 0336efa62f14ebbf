"""What `docs/torch_axes.json` says of axes of PyTorch's operators is what compiling and running shows."""

import pytest

from benchmarks.torch_axes import case_of, outcome, overloads
from docs.torch_axes import FIXED, stored_rows
from docs.varying_axes import RUNS

STORED = stored_rows()
AXES = [(name, axis) for name, row in STORED.items() for axis in row["axes"]]


def test_nothing_is_silently_wrong():
    outcomes = {said for row in STORED.values() for said in row["axes"].values()}
    assert all(said in (RUNS, FIXED) or said.startswith("refused: ") for said in outcomes)


def test_refusals_name_a_way_out():
    refused = [said for row in STORED.values() for said in row["axes"].values() if said.startswith("refused: ")]
    assert [said for said in refused if "; " not in said] == []


def test_every_overload_with_an_axis_to_vary_is_listed():
    cases = {name: case_of(name) for name in overloads()}
    wanted = [name for name, case in cases.items() if case and any(size > 2 for size in case.tensors[0].shape)]
    assert sorted(STORED) == wanted


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "axis"), AXES)
def test_axes_are_what_is_told(name: str, axis: str):
    case = case_of(name)
    assert case is not None
    assert outcome(case, int(axis)) == STORED[name]["axes"][axis]
