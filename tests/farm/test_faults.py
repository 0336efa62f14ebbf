"""Workers, the scheduler and the tuner are killed while a network is tuned: nothing is lost, and nothing done twice.

`S2S_FAULTS=long` has four workers tune three kernels, and kills one of them every 20 seconds.
"""

import os
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from s2s.tuning.measurement import ErrorKind
from s2s.tuning.records import MeasuredRecord, read_measured
from support.farm import Farm, command, wait_until
from support.project import ROOT

pytest.importorskip("distributed")

DIGITS = str(ROOT / "examples" / "digits" / "digits.onnx")
LONG = os.environ.get("S2S_FAULTS") == "long"
WORKERS, TRIALS, PAUSE = (4, 6, 20.0) if LONG else (1, 5, 600.0)
KERNELS = ("conv_3x3_relu", "max_pool_2x2_s2", "matmul_add") if LONG else ("matmul_add",)
ONLY = [word for kernel in KERNELS for word in ("--only", kernel)]
SECONDS = 3000 if LONG else 600


def tuner(farm: Farm, records: Path) -> subprocess.Popen[bytes]:
    words = ["-o", str(records), "--farm", farm.address, "--trials", str(TRIALS), "--tuner", "random", "--json", *ONLY]
    return command("tune", DIGITS, *words, "--target", "c")


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str], list[MeasuredRecord]]:
    """Tune with kills; return the lines at the kill of the tuner, those at the end, and the records."""
    records, chance = tmp_path_factory.mktemp("faults") / "r.jsonl", random.Random(0)
    with Farm(WORKERS) as farm:
        farm.wait_for_workers()
        running = tuner(farm, records)
        wait_until(lambda: len(lines(records)) >= 1, SECONDS / 5)
        farm.kill_a_worker(chance)
        wait_until(lambda: len(lines(records)) >= 2, SECONDS / 5)
        farm.replace_scheduler()
        wait_until(lambda: len(lines(records)) >= 3, SECONDS / 3)
        running.kill()
        running.wait()
        before = lines(records)
        again = tuner(farm, records)
        deadline, next_kill = time.monotonic() + SECONDS, time.monotonic() + PAUSE
        while again.poll() is None:
            assert time.monotonic() < deadline
            if time.monotonic() > next_kill:
                farm.kill_a_worker(chance)
                next_kill = time.monotonic() + PAUSE
            time.sleep(0.2)
        assert again.returncode == 0
    return before, lines(records), list(read_measured(records))


@pytest.mark.timeout(SECONDS + 600)
def test_no_record_is_lost(run: tuple[list[str], list[str], list[MeasuredRecord]]) -> None:
    before, after, _ = run
    complete = [line for line in before if line.endswith("}")]
    assert after[: len(complete)] == complete


@pytest.mark.timeout(SECONDS + 600)
def test_no_finished_trial_is_repeated(run: tuple[list[str], list[str], list[MeasuredRecord]]) -> None:
    trials = (each for each in run[2] if not each.confirms)
    assert max(Counter((each.task, each.decisions) for each in trials).values()) == 1


@pytest.mark.timeout(SECONDS + 600)
def test_no_kill_is_recorded_as_an_error_of_a_candidate(
    run: tuple[list[str], list[str], list[MeasuredRecord]],
) -> None:
    assert {each.error for each in run[2]} == {ErrorKind.NO_ERROR}
