"""Trials of a higher priority come first, and traffic may be encrypted."""

import subprocess
import time
from pathlib import Path

import pytest

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate
from s2s.tuning.task import Task, tasks_of
from support.c_compilers import require
from support.farm import Farm, wait_until
from support.project import ROOT

pytest.importorskip("distributed")

from s2s.farm.measurer import FarmMeasurer
from s2s.farm.security import Certificates
from s2s.farm.status import farm_status

REQUEST = ("req", "-newkey", "rsa:2048", "-nodes", "-subj")


@pytest.fixture(scope="module")
def task() -> Task:
    return tasks_of(Compilation(ROOT / "examples" / "digits" / "digits.onnx", CompileOptions(target="c")))[0]


def test_trials_of_higher_priority_come_first(task: Task) -> None:
    def slow(*_: object) -> list[Measurement]:
        started = time.time()
        time.sleep(0.5)
        return [Measurement({"started": started})]

    with Farm(1) as farm:
        farm.wait_for_workers()
        usual, urgent = (FarmMeasurer(farm.address, "host", priority=each, trial=slow) for each in (0, 1))
        waiting = usual.stream([Candidate(task, {})] * 8)
        first = next(waiting)[1].costs["started"]
        (found,) = urgent.measure([Candidate(task, {})])
        started = [first, *(each.costs["started"] for _, each in waiting)]
    before = sum(each < found.costs["started"] for each in started)
    assert before < len(started) / 2


def test_a_farm_with_certificates_measures(task: Task, tmp_path: Path) -> None:
    authority, certificate, key = _certificates(tmp_path)
    given = Certificates(str(authority), str(certificate), str(key))
    with Farm(1, certificates=(authority, certificate, key)) as farm:

        def connected() -> bool:
            try:
                return len(farm_status(farm.address, given).workers) == 1
            except InputError:
                return False

        wait_until(connected)
        (found,) = FarmMeasurer(farm.address, "host", certificates=given).measure([Candidate(task, {})])
    assert found.error is ErrorKind.NO_ERROR


def _certificates(folder: Path) -> tuple[Path, Path, Path]:
    """An authority, and a certificate of it with its key."""
    names = ("ca.pem", "ca.key", "farm.pem", "farm.key", "farm.csr")
    authority, own_key, certificate, key, request = (folder / each for each in names)
    for words in (
        (*REQUEST, "/CN=authority", "-x509", "-keyout", own_key, "-out", authority),
        (*REQUEST, "/CN=farm", "-keyout", key, "-out", request),
        ("x509", "-req", "-in", request, "-CA", authority, "-CAkey", own_key, "-set_serial", "1", "-out", certificate),
    ):
        subprocess.run([require("openssl"), *words], check=True, capture_output=True)
    return authority, certificate, key
