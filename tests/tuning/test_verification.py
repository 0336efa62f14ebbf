"""Verification of records: what is compiled to the C that was measured holds, also under a new key."""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from s2s.cli.main import run
from s2s.compilation import Compilation
from s2s.decisions.keys import LOWERING
from s2s.decisions.records import read_records
from s2s.options import CompileOptions
from s2s.targets.flags import compile_flags
from s2s.tuning.campaign import TuneOptions
from s2s.tuning.code import code_of
from s2s.tuning.measurement import Measurement
from s2s.tuning.measurer import Candidate, Incumbent
from s2s.tuning.records import MeasuredRecord, read_measured, write_records
from s2s.tuning.space import Space
from s2s.tuning.task import FoundKernel, kernels_of
from s2s.tuning.tune import tune_tasks
from s2s.tuning.verification import Verified, verified
from support.onnx_text import onnx_file
from support.tuning import MadeUp

PRODUCT = """(float[1, 8] x) => (float[1, 4] y) <float[8, 4] w = {WEIGHTS}> { y = MatMul (x, w) }"""
OLD = 0


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return onnx_file(PRODUCT.replace("WEIGHTS", ", ".join(["0.5"] * 32)), tmp_path_factory.mktemp("verify"))


@pytest.fixture(scope="module")
def kernel(model: Path) -> FoundKernel:
    (found,) = kernels_of(Compilation(model, CompileOptions(target="cortex-m4")))
    return found


@pytest.fixture(scope="module")
def measured(kernel: FoundKernel, tmp_path_factory: pytest.TempPathFactory) -> MeasuredRecord:
    """A record as a measurer of `MadeUp`'s place and compiler would have made it."""
    folder = tmp_path_factory.mktemp("tree")
    kernel.task.compilation.tree.write(folder)
    return MeasuredRecord(
        kernel.key,
        "cortex-m4",
        (("schedule", kernel.task.largest.key, kernel.task.default),),
        1.0,
        "instructions",
        place="qemu:m4",
        compiler="none",
        flags=compile_flags(kernel.target),
        code=code_of(folder),
    )


def of_old_lowering(record: MeasuredRecord, kernel: FoundKernel) -> MeasuredRecord:
    key = kernel.key_in(OLD)
    decisions = tuple((kind, subject.replace(kernel.key, key), text) for kind, subject, text in record.decisions)
    return replace(record, task=key, decisions=decisions, lowering=OLD)


def verify(record: MeasuredRecord, kernel: FoundKernel) -> Verified:
    return verified([record], [kernel], MadeUp())


def test_a_record_of_the_same_c_holds(kernel: FoundKernel, measured: MeasuredRecord) -> None:
    assert verify(measured, kernel).valid == [measured]


def test_a_record_of_another_lowering_holds_under_its_new_key(kernel: FoundKernel, measured: MeasuredRecord) -> None:
    old = of_old_lowering(measured, kernel)
    assert old.task != kernel.key
    assert verify(old, kernel).valid == [measured]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"code": "0123456789abcdef"}, "its C has changed"),
        ({"code": ""}, "does not tell the hash"),
        ({"compiler": "gcc 4.8.0"}, "was measured with gcc 4.8.0"),
        ({"flags": ("-O0",)}, "other flags"),
        ({"place": "host"}, "was measured on host"),
    ],
)
def test_what_ran_otherwise_is_stale(
    kernel: FoundKernel, measured: MeasuredRecord, change: dict[str, str], reason: str
) -> None:
    found = verify(replace(measured, **change), kernel)  # pyright: ignore[reportArgumentType]
    assert found.valid == []
    assert reason in found.stale[0][1]


def test_decisions_that_are_no_longer_legal_are_stale(kernel: FoundKernel, measured: MeasuredRecord) -> None:
    illegal = ("schedule", kernel.task.largest.key, "#tensor.schedule<[tile<7 by 3>]>")
    ((_, reason),) = verify(replace(measured, decisions=(illegal,)), kernel).stale
    assert "no longer legal" in reason


def test_what_no_model_has_is_missing(kernel: FoundKernel, measured: MeasuredRecord) -> None:
    assert len(verify(replace(measured, task="0123456789abcdef"), kernel).missing) == 1


def test_a_compilation_leaves_old_records_out_and_says_so(
    kernel: FoundKernel, measured: MeasuredRecord, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, [of_old_lowering(measured, kernel), measured])
    with caplog.at_level(logging.WARNING, "s2s"):
        assert [each.lowering for each in read_records(path)] == [LOWERING]
    assert "1 of 2 records are of version 0 of the lowering" in caplog.text
    assert "s2s records verify" in caplog.text


def test_tuning_measures_the_decisions_of_old_records_first(
    kernel: FoundKernel, measured: MeasuredRecord, tmp_path: Path
) -> None:
    space = Space(kernel.task)
    texts = dict.fromkeys(text for n in range(space.size) if (text := space.text(space.point(n))) is not None)
    best = [text for text in texts if text != kernel.task.default][-1]
    good = replace(measured, decisions=(("schedule", kernel.task.largest.key, best),))
    path = tmp_path / "r.jsonl"
    write_records(path, [of_old_lowering(good, kernel)])
    tune_tasks([kernel.task], path, MadeUp(), TuneOptions(trials=2, tuner="random", batch=1))
    tried = [each.decisions[0][2] for each in read_measured(path) if each.lowering == LOWERING and each.decisions]
    assert tried == [kernel.task.default, best]


class OnBoard(MadeUp):
    """A measurer that tells the hash of what it measured."""

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        return [replace(each, code="measured") for each in super().measure(candidates, incumbent)]


def test_the_command_checks_and_with_an_output_measures(
    model: Path,
    kernel: FoundKernel,
    measured: MeasuredRecord,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def on_board(on: str, *, board: str, load: str) -> OnBoard:
        return OnBoard()

    monkeypatch.setattr("s2s.tuning.places.make_measurer", on_board)
    path, output = tmp_path / "r.jsonl", tmp_path / "new.jsonl"
    write_records(path, [of_old_lowering(measured, kernel), replace(measured, code="another")])
    command = ["records", "verify", str(path), str(model), "--on", "qemu:m4"]
    assert run(command) == 1
    shown = capsys.readouterr().out
    assert "1 of 2 records hold" in shown
    assert "its C has changed" in shown
    assert run([*command, "-o", str(output)]) == 0
    made = [json.loads(line) for line in output.read_text().splitlines()]
    assert [(each["task"], each["code"]) for each in made] == [(kernel.key, measured.code), (kernel.key, "measured")]
