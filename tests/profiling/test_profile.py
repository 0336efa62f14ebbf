"""The arithmetic of profiles on times that are made up, and one real run."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import s2s
from s2s.analysis.cost.kernels import KernelCost, Operations
from s2s.cli.main import run
from s2s.cli.profile import show
from s2s.errors import InputError, ToolchainError
from s2s.options import CompileOptions
from s2s.profiling import machine as machines
from s2s.profiling import profile as profiles
from s2s.profiling.hooks import KernelCall, Samples
from s2s.profiling.machine import Level, Machine, target_of_machine, this_machine
from s2s.profiling.profile import Order, Profile, profile_model, profile_of, runs_within
from s2s.profiling.roofline import bound_of
from s2s.targets import get_target
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
MACHINE = Machine(
    cpu="a machine",
    compiler="cc 1",
    clock_ghz=2.0,
    fma_latency=4.1,
    fork_join_ns=2500.0,
    float_gflops=100.0,
    int8_gops=400.0,
    levels=(Level("L1", 1000, 200.0), Level("L2", 10_000, 50.0), Level("memory", None, 10.0)),
)
CALLS = [KernelCall("net_conv", "a, b"), KernelCall("net_copy", "c"), KernelCall("net_conv", "d")]
COSTS = {
    "net_conv": KernelCost(Operations(floats=200_000), constants=400, activations=500),
    "net_copy": KernelCost(Operations(), constants=0, activations=5000),
}
SAMPLES = Samples(np.array([[4000, 100, 8000], [5000, 200, 5000], [6000, 300, 5500]]), (1, 2, 1))


def given(*_: object) -> Machine:
    return MACHINE


@pytest.fixture
def profile() -> Profile:
    return profile_of("net", "host", CALLS, SAMPLES, COSTS, MACHINE, 900)


def test_times_are_least_and_median_by_call(profile: Profile):
    assert [(row.min_us, row.median_us) for row in profile.rows] == [(4.0, 5.0), (0.1, 0.2), (5.0, 5.5)]


def test_shares_add_up(profile: Profile):
    assert sum(row.share for row in profile.rows) == pytest.approx(1.0)


def test_the_total_is_of_all_calls(profile: Profile):
    assert profile.total.min_us == pytest.approx(9.1)
    assert profile.total.median_us == pytest.approx(11.8)
    assert profile.total.flops == 400_000
    assert profile.total.bound_us == pytest.approx(sum(row.bound_us for row in profile.rows))


def test_rates_follow_from_the_least_time(profile: Profile):
    first = profile.rows[0]
    assert first.gflops == pytest.approx(50.0)
    assert first.gbs == pytest.approx(900 / 4000)
    assert first.roofline == pytest.approx(0.5)
    assert first.gain_us == pytest.approx(2.0)


def test_what_runs_twice_is_charged_twice(profile: Profile):
    assert profile.rows[1].bytes == 10_000
    assert profile.rows[1].bound_us == pytest.approx(2 * 5000 / 50.0 * 1e-3)


@pytest.mark.parametrize(("order", "numbers"), [("run", [0, 1, 2]), ("time", [2, 0, 1]), ("gain", [2, 0, 1])])
def test_orders(profile: Profile, order: Order, numbers: list[int]):
    assert [row.number for row in profile.ordered(order)] == numbers


def test_arithmetic_bounds_a_kernel_that_moves_little():
    bound = bound_of(COSTS["net_conv"], MACHINE, 900)
    assert (bound.seconds, bound.by) == (pytest.approx(2e-6), "arithmetic")


def test_integers_have_a_peak_of_their_own():
    cost = KernelCost(Operations(integers=400_000), 0, 10)
    assert bound_of(cost, MACHINE, 10).seconds == pytest.approx(1e-6)


def test_activations_lie_where_the_kernel_fits():
    cost = KernelCost(Operations(), 0, 900)
    bound = bound_of(cost, MACHINE, 1_000_000)
    assert (bound.seconds, bound.by) == (pytest.approx(900 / 200e9), "L1")


def test_constants_lie_where_the_network_fits():
    cost = KernelCost(Operations(), 900, 90)
    bound = bound_of(cost, MACHINE, 1_000_000)
    assert (bound.seconds, bound.by) == (pytest.approx(900 / 10e9 + 90 / 200e9), "memory")


def test_runs_follow_from_the_time_of_one():
    assert [runs_within(2.0, one) for one in (1e-9, 0.01, 10.0)] == [5000, 200, 20]


def test_peaks_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []

    def measured(*_: object) -> Machine:
        asked.append(1)
        return MACHINE

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(machines, "measure", measured)
    assert [this_machine(), this_machine(), this_machine(again=True)] == [MACHINE] * 3
    assert len(asked) == 2


def test_a_second_measurement_keeps_what_is_better():
    levels = (replace(MACHINE.levels[0], read_gbs=210.0), *MACHINE.levels[1:])
    second = replace(MACHINE, float_gflops=90.0, int8_gops=500.0, levels=levels)
    best = second.at_best(MACHINE)
    assert (best.float_gflops, best.int8_gops, best.levels[0].read_gbs) == (100.0, 500.0, 210.0)


def test_broken_figures_are_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(machines, "measure", given)
    this_machine()
    for kept in (tmp_path / "s2s").iterdir():
        kept.write_text("{}")
    assert this_machine() == MACHINE


def test_another_machine_is_refused_with_the_way_to_count():
    with pytest.raises(ToolchainError, match="verify --on qemu:m4 counts"):
        profile_model(DIGITS, CompileOptions(target="cortex-m4"))


def test_tables_are_refused():
    with pytest.raises(InputError, match="--executor graph"):
        profile_model(DIGITS, CompileOptions(executor="graph"))


def test_unknown_inputs_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(machines, "measure", given)
    np.save(tmp_path / "x.npy", np.zeros(1))
    assert run(["profile", str(DIGITS), "--input", f"nothing={tmp_path / 'x.npy'}"]) == 2
    assert "no such input" in capsys.readouterr().err


def test_a_real_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run(["profile", str(DIGITS), "--target", "c", "--runs", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kernels, total = found["kernels"], found["total"]
    assert found["runs"] == 3
    assert all(kernel["nodes"] and kernel["repetitions"] == 1 for kernel in kernels)
    assert sum(kernel["flops"] for kernel in kernels) == total["flops"] > 0
    assert total["min_us"] == pytest.approx(sum(kernel["min_us"] for kernel in kernels))
    assert [kernel["shape"] for kernel in kernels][-1] == "[10]"
    assert not any(kernel["nodes"].startswith("[") for kernel in kernels)
    levels = [level["read_gbs"] for level in found["machine"]["levels"]]
    assert len(levels) == 4
    assert min(levels) > 0
    assert run(["profile", str(DIGITS), "--target", "c", "--runs", "3", "--sort", "time"]) == 0
    assert "total" in capsys.readouterr().out


def test_measured_costs_are_those_of_a_target():
    peak = 2.0 * 2 * 2 * get_target("host").lanes
    target = target_of_machine(replace(MACHINE, float_gflops=peak), "mine")
    assert (target.name, target.description) == ("mine", "a machine")
    assert (target.fma_ports, target.fma_latency) == (2, 4)
    assert (target.stream_bytes, target.memory_bytes) == (25, 5)
    assert target.fork_join == 10_000


def test_the_machine_is_written_as_a_target_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(machines, "measure", given)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "My Machine.toml"
    assert run(["profile", "--machine", "-o", str(file)]) == 0
    assert get_target(str(file)) == target_of_machine(MACHINE, "my-machine")
    assert str(file) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--machine", "net.onnx"], "--machine: measures no network; leave net.onnx or --machine out"),
        ([], "s2s profile: there is nothing to measure, or --output without --machine; give a MODEL"),
        (
            ["--machine", "-o", "mine.txt"],
            "--output mine.txt: the file is given as a target, so its name ends in .toml",
        ),
    ],
)
def test_a_machine_is_measured_alone(args: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert run(["profile", *args]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("width", [90, 120, 200])
def test_the_table_fits_the_terminal(
    width: int, profile: Profile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    show(profile, "run")
    table = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).partition("one core of")[0]
    assert max(map(len, table.splitlines())) <= width
    assert "of bound" in table
    assert ("op/byte" in table) == (width == 200)


def test_peaks_that_a_kernel_beats_are_measured_again(monkeypatch: pytest.MonkeyPatch):
    asked = list[bool]()
    slow = replace(MACHINE, float_gflops=1e-6, levels=tuple(replace(each, read_gbs=1e-6) for each in MACHINE.levels))

    def measured(*, again: bool = False) -> Machine:
        asked.append(again)
        return MACHINE if again else slow

    monkeypatch.setattr(profiles, "this_machine", measured)
    found = s2s.profile(DIGITS, runs=20)
    assert asked == [False, True]
    assert found.machine == MACHINE
    assert f"<td>{found.rows[0].nodes}</td>" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]
