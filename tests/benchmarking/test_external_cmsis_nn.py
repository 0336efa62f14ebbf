"""The benchmark of CMSIS-NN judges by the totals, and prints a line for each node."""

import pytest

from benchmarks.external_cmsis_nn import Counts, Result, Use, show


def result(never: int, always: int, auto: int, *, exact: bool = True) -> Result:
    totals: dict[Use, int] = {"never": never, "always": always, "auto": auto}
    kernels = {"never": "conv", "always": "cmsis_nn_convolution", "auto": "conv"}
    counts: dict[Use, Counts] = {
        use: Counts(total, exact, {"layer": total}, {"layer": kernels[use]}) for use, total in totals.items()
    }
    return Result("kws", "m4", counts)


def test_auto_may_not_take_more_than_either():
    assert result(100, 200, 100).passed
    assert result(100, 90, 80).passed
    assert not result(100, 90, 95).passed


def test_wrong_outputs_fail():
    assert not result(100, 200, 100, exact=False).passed


def test_the_winner_of_each_node_is_shown(capsys: pytest.CaptureFixture[str]):
    show(result(100, 200, 100))
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines() if "layer" in line] == ["s2s"]
