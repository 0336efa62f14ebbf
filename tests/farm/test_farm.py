"""A farm on this machine measures as the machine itself does, for several tuners, and says what it has."""

import os
import pickle
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate
from s2s.tuning.task import Task, tasks_of
from s2s.tvm import autotvm, rpc
from s2s.tvm.autotvm.measure import LocalBuilder
from s2s.tvm.target import resolve
from support.autotvm import MATMUL
from support.farm import Farm, command, free_port, wait_until
from support.project import ROOT

pytest.importorskip("distributed")

from s2s.farm.measurer import FarmMeasurer
from s2s.farm.security import Certificates
from s2s.farm.status import farm_status
from s2s.farm.trial import KEPT, bytes_of

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


@pytest.fixture(scope="module")
def task() -> Task:
    return tasks_of(Compilation(DIGITS, CompileOptions(target="c")))[0]


@pytest.fixture(scope="module")
def farm() -> Iterator[Farm]:
    with Farm(1) as found:
        found.wait_for_workers()
        yield found


def test_a_task_goes_through_bytes(task: Task) -> None:
    again = pickle.loads(pickle.dumps(task))
    assert again.key == task.key
    assert again.compilation.tree.files.keys() == task.compilation.tree.files.keys()
    assert all(
        again.compilation.tree.text(path) == task.compilation.tree.text(path)
        for path in task.compilation.tree
        if path.endswith("_kernels.c")
    )


def test_workers_measure(farm: Farm, task: Task) -> None:
    (found,) = FarmMeasurer(farm.address, "host").measure([Candidate(task, {})])
    assert found.error is ErrorKind.NO_ERROR
    assert found.costs["seconds"] > 0


def test_errors_of_candidates_come_back(farm: Farm, task: Task) -> None:
    illegal = {"schedule": {task.subjects[0].key: "#tensor.schedule<[tile<99 by 3>]>"}}
    (found,) = FarmMeasurer(farm.address, "host").measure([Candidate(task, illegal)])
    assert found.error is ErrorKind.INSTANTIATION_ERROR


def test_trials_of_one_task_go_to_all_workers(task: Task) -> None:
    def slow(digest: str, packed: bytes | None, *_: object) -> list[Measurement]:
        time.sleep(0.5)
        return [Measurement({"process": float(os.getpid())})]

    with Farm(2) as farm:
        farm.wait_for_workers()
        found = FarmMeasurer(farm.address, "host", trial=slow).measure([Candidate(task, {})] * 6)
    assert [[each.costs["process"] for each in found].count(pid) for pid in {e.costs["process"] for e in found}] == [
        3,
        3,
    ]


def test_a_worker_asks_for_a_task_once() -> None:
    digest = "a task of this test"
    assert bytes_of(digest, None) is None
    assert [bytes_of(digest, each) for each in (b"task", None)] == [b"task"] * 2


def test_a_worker_forgets_the_task_that_was_not_used_for_longest() -> None:
    for number in range(KEPT):
        bytes_of(f"task {number}", b"")
    bytes_of("task 0", None)
    bytes_of("one more", b"")
    assert [bytes_of(f"task {each}", None) for each in (0, 1)] == [b"", None]


def test_the_compiler_is_that_of_workers(farm: Farm) -> None:
    assert FarmMeasurer(farm.address, "host").compiler


def test_two_tuners_share_a_farm(farm: Farm, task: Task) -> None:
    first, second = FarmMeasurer(farm.address, "host"), FarmMeasurer(farm.address, "host", priority=1)
    streams = [each.stream([Candidate(task, {})]) for each in (first, second)]
    assert [next(stream)[1].error for stream in streams] == [ErrorKind.NO_ERROR] * 2


def test_a_place_that_no_worker_has_is_refused(farm: Farm) -> None:
    with pytest.raises(InputError, match="no worker measures on qemu:m4; start one"):
        FarmMeasurer(farm.address, "qemu:m4")


def test_the_scheduler_has_a_status_page() -> None:
    words = ["--host", "127.0.0.1", "--port", str(free_port()), "--dashboard", str(free_port())]
    with command("farm", "scheduler", *words, stdout=subprocess.PIPE) as scheduler:
        assert scheduler.stdout is not None
        said = scheduler.stdout.readline().decode()
        try:
            with urllib.request.urlopen(said.strip().rpartition(" ")[2]) as page:
                assert b"Dask" in page.read()
        finally:
            scheduler.terminate()


def test_a_scheduler_that_does_not_answer_is_told() -> None:
    with pytest.raises(InputError, match="no scheduler answers"):
        FarmMeasurer("tcp://127.0.0.1:9", "host")


def test_the_status_lists_workers_and_their_places(farm: Farm) -> None:
    (worker,) = farm_status(farm.address).workers
    assert worker.boards == ("host",)


def test_a_hanging_worker_is_replaced(task: Task) -> None:
    with Farm(1) as farm:
        farm.wait_for_workers()
        (before,) = farm.workers
        farm.stop_a_worker()
        wait_until(lambda: before.pid not in [each.pid for each in farm.workers] and farm.workers != [], 60)
        (found,) = FarmMeasurer(farm.address, "host").measure([Candidate(task, {})])
    assert found.error is ErrorKind.NO_ERROR


def test_the_tracker_lists_places(farm: Farm) -> None:
    assert rpc.connect_tracker("tcp://127.0.0.1", farm.port).summary()["queue_info"] == {
        "host": {"free": 1, "pending": 0}
    }


def test_a_session_measures_templates(farm: Farm) -> None:
    session = rpc.connect_tracker("tcp://127.0.0.1", farm.port).request("host")
    task = autotvm.task.create(MATMUL, (16, "float32"), "host")
    tuner = autotvm.tuner.RandomTuner(task)
    tuner.tune(2, autotvm.measure_option(runner=session.runner()))
    assert tuner.best_config is not None


def test_a_runner_of_the_farm_measures_in_its_place(farm: Farm) -> None:
    runner = autotvm.RPCRunner("host", "tcp://127.0.0.1", farm.port)
    assert runner.measurer(resolve("c"), LocalBuilder()).place == "host"


def test_a_session_in_a_place_that_is_not_there_is_refused(farm: Farm) -> None:
    with pytest.raises(InputError, match="no worker has it"):
        rpc.connect_tracker("tcp://127.0.0.1", farm.port).request("qemu:m55")


def test_certificates_are_given_whole() -> None:
    with pytest.raises(InputError, match="one is missing; give all three"):
        Certificates("ca.pem", "", "").check("tls://farm:8786")


def test_tls_wants_certificates() -> None:
    with pytest.raises(InputError, match="TLS wants"):
        Certificates().check("tls://farm:8786")


def test_certificates_want_tls(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="TLS wants"):
        Certificates("ca.pem", "cert.pem", "key.pem").check("tcp://farm:8786")
